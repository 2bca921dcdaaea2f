//! What follows a leaf, remembered: the threads after each remainder that was asked for.
//!
//! Most states of one text stand on the same stack: each position of a string with a pattern, each beginning of a name. The tokens that leave
//! the text differ from state to state, but what they go on with below is read in the same few ways, so each way is stepped once for a stack
//! and not once for a state (most of the masks that MaskBench's first pass makes stand on a stack that was met before).

use std::sync::{Arc, Mutex, PoisonError};

use foldhash::{HashMap, HashMapExt};

use super::Unit;
use super::expansions::Expansions;
use super::residual::{ThreadSet, accepts, step};
use super::stack::Stack;
use super::thread::{Tape, Thread, may_start, open};
use crate::cache::{Bounded, Weighed, bounded};

/// What follows the leaves of an automaton, by the stack below them.
pub(super) struct Follows(Bounded<(Stack, Tape), Weighed<Mutex<Follow>>>);

impl Follows {
    pub(super) fn new(bytes: usize) -> Self {
        Self(bounded(bytes))
    }

    /// Looks at what follows on a stack. What is found out on the way is kept, unless it is one text's own.
    pub(super) fn look<R>(
        &self,
        below: &Stack,
        tape: Tape,
        rules: &Expansions,
        look: impl FnOnce(&mut Follow) -> R,
    ) -> R {
        let start = |tape| {
            let mut threads = Vec::new();
            open(below.clone(), tape, rules, &mut threads);
            Follow::new(threads)
        };
        if matches!(tape, Tape::Read(_)) {
            return look(&mut start(tape));
        }
        let key = (below.clone(), tape.clone());
        let known = self.0.get(&key);
        let before = known.as_ref().map_or(0, |known| known.bytes);
        let value = known.map_or_else(|| Arc::new(Mutex::new(start(tape))), |known| known.value);
        let mut follow = value.lock().unwrap_or_else(PoisonError::into_inner);
        let found = look(&mut follow);
        let bytes = follow.memory_bytes();
        drop(follow);
        // What the cache weighs must not change in it.
        if bytes != before {
            self.0.insert(key, Weighed { value, bytes });
        }
        found
    }

    pub(super) fn bytes(&self) -> usize {
        usize::try_from(self.0.weight()).unwrap_or(usize::MAX)
    }
}

/// Threads below a leaf, and those after each remainder that was read from there. Remainders with the same threads are one place: where a text may be
/// divided anywhere, there are as many remainders as tokens, and few places.
pub(super) struct Follow {
    nodes: Vec<Node>,
    places: HashMap<ThreadSet, Place>,
    children: HashMap<(Place, u8), Option<Place>>,
    /// What all threads weigh.
    threads: usize,
}

/// Which of them.
pub(super) type Place = u32;

struct Node {
    threads: ThreadSet,
    /// Whether everything may have been read; found when first asked for.
    accepts: Option<bool>,
}

impl Follow {
    /// The place before anything was read.
    pub(super) const START: Place = 0;

    /// Nothing but the threads to begin with.
    pub(super) fn new(threads: Vec<Thread>) -> Self {
        let (places, children) = (HashMap::new(), HashMap::new());
        let mut follow = Self { nodes: Vec::new(), places, children, threads: 0 };
        follow.place(threads);
        follow
    }

    pub(super) fn threads(&self, at: Place) -> &[Thread] {
        self.nodes[at as usize].threads.threads()
    }

    /// The place after a byte, if it may come next. `steps` is how many threads may still be made; where none may, nothing follows and nothing is
    /// remembered.
    pub(super) fn next(
        &mut self,
        at: Place,
        byte: u8,
        rules: &Expansions,
        steps: &mut usize,
    ) -> Option<Place> {
        if let Some(known) = self.children.get(&(at, byte)) {
            return *known;
        }
        let threads = self.threads(at);
        if *steps == 0 || !may_start(threads, byte) {
            return None;
        }
        let next = step(threads, Unit::Byte(byte), rules);
        *steps = steps.saturating_sub(threads.len() + next.len());
        let next = (!next.is_empty()).then(|| self.place(next));
        self.children.insert((at, byte), next);
        next
    }

    /// Whether everything may have been read.
    pub(super) fn accepts(&mut self, at: Place, rules: &Expansions) -> bool {
        let Node { threads, accepts: known } = &mut self.nodes[at as usize];
        *known.get_or_insert_with(|| accepts(threads.threads(), rules))
    }

    /// Roughly: each thread with the few nodes of its stack that no other has.
    pub(super) fn memory_bytes(&self) -> usize {
        const CHILD: usize = 16;
        const NODE: usize = 32;
        self.nodes.len() * (size_of::<Node>() + NODE)
            + self.children.capacity() * CHILD
            + self.threads * Thread::WEIGHT
    }

    fn place(&mut self, threads: Vec<Thread>) -> Place {
        let threads = ThreadSet::new(threads);
        if let Some(known) = self.places.get(&threads) {
            return *known;
        }
        let place = Place::try_from(self.nodes.len()).expect("fewer places than nodes of the trie");
        self.threads += threads.threads().len();
        self.nodes.push(Node { threads: threads.clone(), accepts: None });
        self.places.insert(threads, place);
        place
    }
}
