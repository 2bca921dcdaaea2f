//! The automaton itself: a table that is always trimmed, minimal and numbered in one way.

use std::collections::VecDeque;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use foldhash::fast::FixedState;

use super::byte_set::ByteSet;
use super::length::begins_character;
use super::live::Live;
use super::rests::Rests;

/// A state of a [`Dfa`].
pub type StateId = u32;

/// No state: what was read cannot be completed.
pub(super) const DEAD: u32 = u32::MAX;
/// No label: what was read is not a word.
pub(super) const NO_LABEL: u32 = u32::MAX;

/// A regular language of bytes, as a deterministic automaton. Cheap to clone.
///
/// Every state can be reached and can be completed to a word, equal futures are one state, and states are
/// numbered breadth-first; so two automata are equal exactly when their languages (and labels) are. The empty
/// language is one state without transitions.
#[derive(Clone)]
pub struct Dfa {
    pub(super) classes: Arc<[u8; 256]>,
    pub(super) width: usize,
    pub(super) table: Arc<[u32]>,
    pub(super) labels: Arc<[u32]>,
    derived: Arc<Derived>,
}

/// What is computed from the table when first asked for.
#[derive(Default)]
struct Derived {
    count: OnceLock<Option<u64>>,
    words: OnceLock<Box<[Vec<u8>]>>,
    counts: OnceLock<Box<[Option<u64>]>>,
    firsts: OnceLock<Box<[u8]>>,
    classes: OnceLock<Box<[ByteSet]>>,
    least_chars: OnceLock<Box<[u32]>>,
    rests: OnceLock<Rests>,
    only_label: OnceLock<Option<u32>>,
    shortest: OnceLock<Option<Box<[u8]>>>,
    live: OnceLock<Option<Live>>,
    fingerprint: OnceLock<u64>,
}

impl Dfa {
    /// The automaton of a table that is trimmed, minimal and numbered breadth-first.
    pub(crate) fn from_parts(
        classes: Box<[u8; 256]>,
        width: usize,
        table: Arc<[u32]>,
        labels: Vec<u32>,
    ) -> Self {
        let derived = Arc::default();
        Self { classes: classes.into(), width, table, labels: labels.into(), derived }
    }

    /// All valid UTF-8: the language of every text.
    #[must_use]
    pub fn text() -> Arc<Self> {
        static TEXT: OnceLock<Arc<Dfa>> = OnceLock::new();
        TEXT.get_or_init(|| Arc::new(super::utf8::text())).clone()
    }

    /// Whether this is the automaton of [all texts](Self::text), and any may follow in a state. An equal one
    /// that was built otherwise is not recognised.
    #[must_use]
    pub fn reads_any_text(&self, state: StateId) -> bool {
        std::ptr::eq(self, &*Self::text()) && state == self.start()
    }

    /// The state before the first byte.
    #[must_use]
    pub fn start(&self) -> StateId {
        0
    }

    /// The state after one more byte; `None` where no word goes on this way.
    #[must_use]
    #[inline]
    pub fn next(&self, state: StateId, byte: u8) -> Option<StateId> {
        let class = usize::from(self.classes[usize::from(byte)]);
        Some(self.table[state as usize * self.width + class]).filter(|next| *next != DEAD)
    }

    /// The state after these bytes.
    #[must_use]
    pub fn reads(&self, state: StateId, bytes: &[u8]) -> Option<StateId> {
        bytes.iter().try_fold(state, |state, byte| self.next(state, *byte))
    }

    /// The bytes that lead on.
    #[must_use]
    pub fn next_bytes(&self, state: StateId) -> ByteSet {
        let row = &self.table[state as usize * self.width..][..self.width];
        let classes = self.derived.classes.get_or_init(|| self.class_bytes()).iter();
        let live = classes.zip(row).filter(|(_, next)| **next != DEAD);
        live.fold(ByteSet::EMPTY, |all, (bytes, _)| all.or(*bytes))
    }

    /// The label of the word that leads here, where it is one.
    #[must_use]
    #[inline]
    pub fn label(&self, state: StateId) -> Option<u32> {
        Some(self.labels[state as usize]).filter(|label| *label != NO_LABEL)
    }

    /// The label of all words, where it is the same.
    pub(crate) fn only_label(&self) -> Option<u32> {
        *self.derived.only_label.get_or_init(|| {
            let mut labels = self.labels.iter().copied().filter(|label| *label != NO_LABEL);
            let first = labels.next()?;
            labels.all(|label| label == first).then_some(first)
        })
    }

    /// Whether no byte can follow.
    #[must_use]
    pub fn is_last(&self, state: StateId) -> bool {
        self.table[state as usize * self.width..][..self.width].iter().all(|next| *next == DEAD)
    }

    /// Whether a character is incomplete in this state: only bytes that continue one lead on.
    #[must_use]
    pub fn is_within_character(&self, state: StateId) -> bool {
        // In valid UTF-8 a state that reads one continuation byte reads nothing else.
        self.edges(state).next().is_some_and(|(byte, _)| !begins_character(byte))
    }

    /// Which class the byte is in: no state tells bytes of one class apart.
    #[must_use]
    pub fn class_of(&self, byte: u8) -> u8 {
        self.classes[usize::from(byte)]
    }

    /// The number of states.
    #[must_use]
    pub fn states(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is no word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.len() == 1 && self.labels[0] == NO_LABEL
    }

    /// Whether the bytes are a word.
    #[must_use]
    pub fn contains(&self, word: &[u8]) -> bool {
        let end = self.reads(self.start(), word);
        end.is_some_and(|state| self.label(state).is_some())
    }

    /// Bytes held, with what may yet be computed from the table, but for a list of its words, which is made
    /// where they are few.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        const PER_STATE: usize = size_of::<Option<u64>>() + 2 * size_of::<u32>() + size_of::<StateId>();
        let classes = self.width * size_of::<ByteSet>();
        let derived = classes + Rests::memory_bytes(self) + PER_STATE * self.states();
        size_of::<Self>() + 2 * (256 + 4 * self.table.len()) + derived
    }

    /// A shortest word, among equally short ones the first in byte order; `None` for the empty language.
    #[must_use]
    pub fn shortest(&self) -> Option<&[u8]> {
        let found = || (!self.is_empty()).then(|| self.shortest_from(self.start(), &|_| 0).0.into());
        self.derived.shortest.get_or_init(found).as_deref()
    }

    /// The continuation from `state` to a word with the least length plus `cost(label)`, and that label.
    ///
    /// # Panics
    ///
    /// For the empty language.
    #[must_use]
    pub fn shortest_from(&self, state: StateId, cost: &dyn Fn(u32) -> u32) -> (Vec<u8>, u32) {
        match (self.derived.rests.get(), self.only_label()) {
            (Some(rests), Some(label)) => (rests.rest(self, state), label),
            _ => self.search_from(state, cost),
        }
    }

    fn search_from(&self, state: StateId, cost: &dyn Fn(u32) -> u32) -> (Vec<u8>, u32) {
        let mut from = vec![None; self.states()];
        let mut queue = VecDeque::from([(state, 0_u32)]);
        let mut best: Option<(u32, StateId)> = None;
        let mut seen = vec![false; self.states()];
        seen[state as usize] = true;
        while let Some((at, len)) = queue.pop_front() {
            if best.is_some_and(|(total, _)| len >= total) {
                break;
            }
            let total = self.label(at).map(|label| len.saturating_add(cost(label)));
            if let Some(total) = total.filter(|total| best.is_none_or(|(least, _)| *total < least)) {
                best = Some((total, at));
            }
            for (byte, next) in self.edges(at) {
                if !std::mem::replace(&mut seen[next as usize], true) {
                    from[next as usize] = Some((at, byte));
                    queue.push_back((next, len + 1));
                }
            }
        }
        let (_, end) = best.expect("every state leads to a word");
        let steps = std::iter::successors(from[end as usize], |(at, _)| from[*at as usize]);
        let mut word: Vec<u8> = steps.map(|(_, byte)| byte).collect();
        word.reverse();
        (word, self.label(end).expect("a word"))
    }

    /// The same automaton of so many words, which need not be counted then.
    pub(super) fn with_count(self, words: u64) -> Self {
        Self { derived: Arc::new(Derived { count: Some(words).into(), ..Derived::default() }), ..self }
    }

    /// The number of words, at most `u64::MAX`; `None` where there is no end of them. Known of lists, else
    /// counted once.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        *self.derived.count.get_or_init(|| self.count_from(self.start()))
    }

    /// The number of words from `state`, at most `u64::MAX`; `None` where there is no end of them.
    #[must_use]
    pub fn count_from(&self, state: StateId) -> Option<u64> {
        self.derived.counts.get_or_init(|| self.counts().into())[state as usize]
    }

    /// The words from `state`, in byte order.
    ///
    /// # Panics
    ///
    /// Where there is no end of them.
    #[must_use]
    pub fn words_from(&self, state: StateId) -> Vec<Vec<u8>> {
        assert!(self.count_from(state).is_some(), "only of a finite language");
        let mut words = Vec::new();
        let mut pending = vec![(state, Vec::new())];
        while let Some((state, word)) = pending.pop() {
            let others = pending.len();
            let bytes = self.next_bytes(state);
            let longer = bytes.iter().filter_map(|byte| {
                let next = self.next(state, byte)?;
                Some((next, [word.as_slice(), &[byte]].concat()))
            });
            pending.extend(longer);
            // The first is gone on with first.
            pending[others..].reverse();
            if self.label(state).is_some() {
                words.push(word);
            }
        }
        words
    }

    /// All words, in byte order. They are listed once and kept: objects whose names are few ask in each of
    /// their states. One mask of `deadlines::random_schemas_are_completed_in_time` took 0.9 instead of 8.5 s, of
    /// an array of two objects that must differ and each have one of two names (release profile).
    ///
    /// # Panics
    ///
    /// Where there is no end of them.
    pub(crate) fn all_words(&self) -> &[Vec<u8>] {
        self.derived.words.get_or_init(|| self.words_from(self.start()).into())
    }

    /// One edge for each class that leads on, along the first byte of the class, in byte order.
    pub(super) fn edges(&self, state: StateId) -> impl Iterator<Item = (u8, StateId)> + '_ {
        let row = &self.table[state as usize * self.width..][..self.width];
        let firsts = self.derived.firsts.get_or_init(|| self.firsts()).iter();
        firsts.zip(row).filter(|(_, next)| **next != DEAD).map(|(byte, next)| (*byte, *next))
    }

    /// The first byte of each class: classes are numbered by it.
    fn firsts(&self) -> Box<[u8]> {
        let mut firsts = Vec::with_capacity(self.width);
        for (byte, class) in (0..=u8::MAX).zip(self.classes.iter()) {
            if usize::from(*class) == firsts.len() {
                firsts.push(byte);
            }
        }
        firsts.into()
    }

    /// The bytes of each class.
    fn class_bytes(&self) -> Box<[ByteSet]> {
        let mut sets = vec![ByteSet::EMPTY; self.width];
        for (byte, class) in (0..=u8::MAX).zip(self.classes.iter()) {
            let set = &mut sets[usize::from(*class)];
            *set = set.or(ByteSet::range(byte, byte));
        }
        sets.into()
    }

    /// Counts words in depth-first order. A state that leads to one that is still open lies on a cycle, and
    /// so do those before it.
    fn counts(&self) -> Vec<Option<u64>> {
        let mut sizes = vec![0_u64; self.width];
        self.classes.iter().for_each(|class| sizes[usize::from(*class)] += 1);
        let mut counts = vec![None; self.states()];
        let mut is_open = vec![false; self.states()];
        let mut seen = vec![false; self.states()];
        // The states on the path from the start, with the class to follow next and the words found.
        let mut path = vec![(0, 0, Some(u64::from(self.labels[0] != NO_LABEL)))];
        (seen[0], is_open[0]) = (true, true);
        while let Some((state, class, words)) = path.last_mut() {
            let Some(size) = sizes.get(*class) else {
                (counts[*state], is_open[*state]) = (*words, false);
                path.pop();
                continue;
            };
            let next = self.table[*state * self.width + *class] as usize;
            if next == DEAD as usize || words.is_none() && seen[next] {
                *class += 1;
            } else if !std::mem::replace(&mut seen[next], true) {
                is_open[next] = true;
                path.push((next, 0, Some(u64::from(self.labels[next] != NO_LABEL))));
            } else {
                let more = if is_open[next] { None } else { counts[next] };
                *words = words.zip(more).map(|(words, more)| words.saturating_add(size.saturating_mul(more)));
                *class += 1;
            }
        }
        counts
    }

    /// The beginnings of the words, where they are an automaton of fewer states.
    #[must_use]
    pub fn live(&self) -> Option<&Live> {
        self.derived.live.get_or_init(|| Live::of(self)).as_ref()
    }

    fn fingerprint(&self) -> u64 {
        let content = || FixedState::default().hash_one((&self.classes, &self.table, &self.labels));
        *self.derived.fingerprint.get_or_init(content)
    }

    /// For each state, the least number of characters that must still begin before a word is complete.
    pub(crate) fn least_chars(&self) -> &[u32] {
        self.derived.least_chars.get_or_init(|| super::length::least_chars(self).into())
    }

    /// The length of the longest of the shortest words from any state. What is found out for that makes
    /// [`shortest_from`](Self::shortest_from) fast.
    pub(crate) fn longest_rest(&self) -> u32 {
        let rests = || Rests::new(self, (0..=u8::MAX).map(|byte| (byte, 1)));
        self.derived.rests.get_or_init(rests).most()
    }
}

impl PartialEq for Dfa {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.derived, &other.derived)
            || (self.fingerprint() == other.fingerprint()
                && self.classes == other.classes
                && self.labels == other.labels
                && self.table == other.table)
    }
}

impl Eq for Dfa {}

impl Hash for Dfa {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.fingerprint());
    }
}

impl fmt::Debug for Dfa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dfa({} states)", self.states())
    }
}
