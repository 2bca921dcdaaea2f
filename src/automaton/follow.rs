//! What follows a leaf, remembered: the threads after each remainder that was asked for.
//!
//! Most states of one text stand on the same stack: each position of a string with a pattern, each beginning of a name. The tokens that leave
//! the text differ from state to state, but what they go on with below is read in the same few ways, so each way is stepped once for a stack
//! and not once for a state (most of the masks that MaskBench's first pass makes stand on a stack that was met before).

use std::sync::{Arc, Mutex, PoisonError};

use foldhash::{HashMap, HashMapExt};

use super::Unit;
use super::expansions::Expansions;
use super::residual::{accepts, step_into};
use super::stack::Stack;
use super::steps::Steps;
use super::thread::{Sink, Tape, Thread, Unopened, add, may_start};
use crate::cache::{Bounded, Weighed, bounded};

/// What follows the leaves of an automaton, by the stack below them.
pub(super) struct Follows(Bounded<(Stack, Tape), Weighed<Mutex<Follow>>>);

impl Follows {
    pub(super) fn new(bytes: usize) -> Self {
        Self(bounded(bytes))
    }

    /// Looks at what follows on a stack. What is found out on the way is kept, unless it is one text's own.
    pub(super) fn look<R>(&self, below: &Stack, tape: Tape, look: impl FnOnce(&mut Follow) -> R) -> R {
        let start = |tape| Follow::new(Unopened { below: below.clone(), tape }.into());
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
    places: HashMap<Arc<Ahead>, Place>,
    children: HashMap<(Place, u8), Option<Place>>,
    /// What all threads weigh.
    threads: usize,
}

/// Which of them.
pub(super) type Place = u32;

struct Node {
    ahead: Arc<Ahead>,
    /// All threads, where some were not open.
    opened: Option<Vec<Thread>>,
    /// Whether everything may have been read; found when first asked for.
    accepts: Option<bool>,
}

/// What is ahead: threads, and what was not opened yet. For most remainders it is enough to know that there is some: no token goes on there, and what
/// follows (all members that an object may still have) is never made.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Ahead {
    threads: Vec<Thread>,
    unopened: Vec<Unopened>,
}

impl From<Unopened> for Ahead {
    fn from(way: Unopened) -> Self {
        Self { threads: Vec::new(), unopened: vec![way] }
    }
}

impl Ahead {
    fn is_empty(&self) -> bool {
        self.threads.is_empty() && self.unopened.is_empty()
    }

    fn opened(&self, rules: &Expansions) -> Vec<Thread> {
        let mut threads = self.threads.clone();
        self.unopened.iter().for_each(|way| way.clone().open(rules, &mut threads));
        threads
    }
}

impl Sink for Ahead {
    fn thread(&mut self, thread: Thread) {
        add(thread, &mut self.threads);
    }

    fn unopened(&mut self, way: Unopened) {
        if !self.unopened.contains(&way) {
            self.unopened.push(way);
        }
    }
}

impl Follow {
    /// The place before anything was read.
    pub(super) const START: Place = 0;

    /// Nothing but what is ahead to begin with.
    pub(super) fn new(ahead: Ahead) -> Self {
        let (places, children) = (HashMap::new(), HashMap::new());
        let mut follow = Self { nodes: Vec::new(), places, children, threads: 0 };
        follow.place(ahead);
        follow
    }

    pub(super) fn threads(&mut self, at: Place, rules: &Expansions) -> &[Thread] {
        let Node { ahead, opened, .. } = &mut self.nodes[at as usize];
        if ahead.unopened.is_empty() {
            return &ahead.threads;
        }
        opened.get_or_insert_with(|| {
            let threads = ahead.opened(rules);
            self.threads += threads.len();
            threads
        })
    }

    /// The place after a byte, if it may come next. Where no steps are left, nothing follows and nothing is remembered.
    pub(super) fn next(
        &mut self,
        at: Place,
        byte: u8,
        rules: &Expansions,
        steps: &mut Steps,
    ) -> Option<Place> {
        if let Some(known) = self.children.get(&(at, byte)) {
            return *known;
        }
        if steps.are_used_up() {
            return None;
        }
        let threads = self.threads(at, rules);
        if !may_start(threads, byte) {
            return None;
        }
        let mut next = Ahead::default();
        step_into(threads, Unit::Byte(byte), rules, &mut next);
        steps.spend(threads.len() + next.threads.len() + next.unopened.len());
        steps.meet(threads);
        let next = (!next.is_empty()).then(|| self.place(next));
        self.children.insert((at, byte), next);
        next
    }

    /// Whether everything may have been read.
    pub(super) fn accepts(&mut self, at: Place, rules: &Expansions) -> bool {
        if let Some(known) = self.nodes[at as usize].accepts {
            return known;
        }
        let accepts = accepts(self.threads(at, rules), rules);
        self.nodes[at as usize].accepts = Some(accepts);
        accepts
    }

    /// Roughly: each thread with the few nodes of its stack that no other has.
    pub(super) fn memory_bytes(&self) -> usize {
        const CHILD: usize = 16;
        const NODE: usize = 32;
        self.nodes.len() * (size_of::<Node>() + NODE)
            + self.children.capacity() * CHILD
            + self.threads * Thread::WEIGHT
    }

    fn place(&mut self, ahead: Ahead) -> Place {
        if let Some(known) = self.places.get(&ahead) {
            return *known;
        }
        let ahead = Arc::new(ahead);
        let place = Place::try_from(self.nodes.len()).expect("fewer places than nodes of the trie");
        self.threads += ahead.threads.len() + ahead.unopened.len();
        self.nodes.push(Node { ahead: ahead.clone(), opened: None, accepts: None });
        self.places.insert(ahead, place);
        place
    }
}
