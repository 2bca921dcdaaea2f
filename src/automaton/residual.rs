//! Residuals: what remains to be read, and the reference semantics of reading it.

use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use foldhash::fast::FixedState;
use hashbrown::Equivalent;
use smallvec::SmallVec;

use super::allowed::Allowed;
use super::expansions::Expansions;
use super::thread::{Head, Thread, open};
use super::threads::Threads;
use crate::cache::Weight;
use crate::expression::{Leaf, State};
use crate::special::{SpecialToken, TokenId};

/// One symbol of the language: a byte of text, or a special token, which has no bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A byte.
    Byte(u8),
    /// A special token.
    Special(SpecialToken),
}

/// What remains to be read: the alternatives that are still open, at least one. Cheap to clone.
///
/// Residuals compare by what they are, so equal futures that were reached on different ways are one residual,
/// and everything remembered about it is shared.
#[derive(Clone)]
pub struct Residual(Arc<Inner>);

struct Inner {
    id: u64,
    set: ThreadSet,
    /// What it allows, as long as the cache of that has it. One lookup less: the median of mask and accept is
    /// 0.29 instead of 0.31 µs (1,500 files of maskbench-dev, old and new in turn, twice).
    allowed: OnceLock<Weak<Allowed>>,
    /// Where the first token that was taken here led, as long as that is remembered: no lookup and no entry
    /// in the table of transitions. The mean of mask and accept is 0.99 and the median 0.96 of what it was
    /// (500 files of maskbench-dev, old and new in turn, six times).
    first: OnceLock<(TokenId, Weak<Inner>)>,
}

/// The threads of a residual with their hash. Most have one, which needs no memory of its own.
#[derive(PartialEq, Eq)]
pub(super) struct ThreadSet {
    hash: u64,
    threads: SmallVec<[Thread; 1]>,
}

impl ThreadSet {
    pub(super) fn new(threads: Vec<Thread>) -> Self {
        Self { hash: FixedState::default().hash_one(&threads), threads: threads.into_iter().collect() }
    }

    pub(super) fn threads(&self) -> &[Thread] {
        &self.threads
    }
}

impl Hash for ThreadSet {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl Residual {
    pub(super) fn new(set: ThreadSet) -> Self {
        // Shared by all automata, so that what one of them remembers never answers for another's residual.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(Arc::new(Inner { id, set, allowed: OnceLock::new(), first: OnceLock::new() }))
    }

    /// A number that no unequal residual has. It says nothing else, and differs from run to run.
    pub(super) fn id(&self) -> u64 {
        self.0.id
    }

    pub(super) fn threads(&self) -> &[Thread] {
        &self.0.set.threads
    }

    /// What it allows, where that was [noted](Self::note_allowed) and is remembered still.
    pub(super) fn allowed(&self) -> Option<Arc<Allowed>> {
        self.0.allowed.get()?.upgrade()
    }

    /// Notes what it allows, so that it need not be looked up.
    pub(super) fn note_allowed(&self, allowed: &Arc<Allowed>) {
        self.0.allowed.get_or_init(|| Arc::downgrade(allowed));
    }

    /// Where a token leads, where that was [noted](Self::note_next) and is remembered still.
    pub(super) fn next(&self, token: TokenId) -> Option<Self> {
        let (_, next) = self.0.first.get().filter(|(first, _)| *first == token)?;
        next.upgrade().map(Self)
    }

    /// Notes where a token leads; `false` where another one was noted before, or what was noted is forgotten.
    pub(super) fn note_next(&self, token: TokenId, next: &Self) -> bool {
        let (first, noted) = self.0.first.get_or_init(|| (token, Arc::downgrade(&next.0)));
        *first == token && noted.strong_count() > 0
    }

    /// Whether nothing can follow.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.threads().iter().all(|thread| thread.head == Head::End)
    }
}

impl PartialEq for Residual {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.set == other.0.set
    }
}

impl Eq for Residual {}

impl Hash for Residual {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.set.hash(state);
    }
}

/// A residual is found by its threads, before it is made.
impl Equivalent<Residual> for ThreadSet {
    fn equivalent(&self, residual: &Residual) -> bool {
        *self == residual.0.set
    }
}

impl fmt::Debug for Residual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.threads()).finish()
    }
}

impl Weight for Arc<[Unit]> {
    fn weight_bytes(&self) -> usize {
        size_of_val::<[Unit]>(self)
    }
}

impl Weight for Residual {
    fn weight_bytes(&self) -> usize {
        let held = self.threads().iter().map(|thread| thread.tape.held_bytes() + thread.below.held_bytes());
        // What a dropped mask and a dropped residual leave behind, too.
        2 * size_of::<Inner>()
            + size_of::<Allowed>()
            + self.threads().len() * Thread::WEIGHT
            + held.sum::<usize>()
    }
}

/// The threads after one more unit: the definition of the language, that every faster path is tested against.
pub(super) fn step(threads: &[Thread], unit: Unit, rules: &Expansions) -> Vec<Thread> {
    let mut out = Threads::default();
    step_into(threads, unit, rules, &mut out);
    out.into_vec()
}

fn step_into(threads: &[Thread], unit: Unit, rules: &Expansions, out: &mut Threads) {
    threads.iter().for_each(|thread| step_thread(thread, unit, rules, out));
}

fn step_thread(thread: &Thread, unit: Unit, rules: &Expansions, out: &mut Threads) {
    match (&thread.head, unit) {
        (Head::Literal { bytes, at }, Unit::Byte(byte)) if bytes[*at] == byte => {
            let (below, tape) = (thread.below.clone(), thread.tape.extended(&[byte]));
            if at + 1 == bytes.len() {
                open(below, tape, rules, out);
            } else {
                out.add(Thread { head: Head::Literal { bytes: bytes.clone(), at: at + 1 }, below, tape });
            }
        }
        (Head::Special(expected), Unit::Special(token)) if *expected == token => {
            open(thread.below.clone(), thread.tape.clone(), rules, out);
        }
        (Head::Leaf { leaf, state }, _) => {
            if let Unit::Byte(byte) = unit
                && let Some(next) = leaf.step(*state, byte)
            {
                settle(thread, leaf, next, &[byte], rules, out);
            }
            step_into(&thread.left(leaf, *state, rules), unit, rules, out);
        }
        _ => {}
    }
}

/// Adds the thread that stands in `state` of its leaf after reading `read`; a text that cannot be longer is
/// left at once, so that equal futures look equal.
fn settle(thread: &Thread, leaf: &Leaf, state: State, read: &[u8], rules: &Expansions, out: &mut Threads) {
    if leaf.is_complete(state) {
        thread.leave(leaf, state, read, rules, out);
    } else {
        out.add(thread.moved_to(leaf, state, read));
    }
}

/// Whether everything may have been read.
pub(super) fn accepts(threads: &[Thread], rules: &Expansions) -> bool {
    threads.iter().any(|thread| match &thread.head {
        Head::End => true,
        Head::Leaf { leaf, state } => accepts(&thread.left(leaf, *state, rules), rules),
        Head::Literal { .. } | Head::Special(_) => false,
    })
}
