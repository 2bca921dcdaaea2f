//! Texts that are no strings after all: the names that an object uses already, the elements that an array
//! has.
//!
//! Two lists are read side by side: the names that the schema knows, the same in every state of an object,
//! and the few that were used besides. One automaton of all of them for each state would cost more than the
//! state's mask.

use std::sync::Arc;

use super::StringLanguage;
use super::state::Position;
use crate::json::listed::Listed;
use crate::regular::{ByteSet, Dfa, StateId};

/// Two lists of words, read as one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Excluded {
    known: Arc<Dfa>,
    more: Listed,
}

impl Excluded {
    /// The words of both; `None` where there are none.
    pub(super) fn new(known: Option<&Arc<Dfa>>, more: Listed) -> Option<Self> {
        let known = known.cloned().unwrap_or_else(|| Arc::new(Dfa::empty()));
        if known.is_empty() && more.is_empty() {
            return None;
        }
        let pairs = (known.states() as u64 + 1) * (u64::from(more.states()) + 1);
        if pairs < u64::from(StateId::MAX) {
            return Some(Self { known, more });
        }
        let both = known.union(&more.to_dfa(), usize::MAX).expect("no limit");
        Some(Self { known: Arc::new(both), more: Listed::default() })
    }

    /// More than any word has bytes.
    pub(super) fn longer(&self) -> u32 {
        let longest = self.more.iter().map(|word| word.len() + 1).max().unwrap_or_default();
        u32::try_from(self.known.states().max(longest)).unwrap_or(u32::MAX)
    }

    pub(super) fn start(&self) -> StateId {
        self.pack(Some(self.known.start()), self.more.start()).expect("in both lists")
    }

    /// The state after more bytes; `None` where the text is no beginning of a word.
    pub(super) fn reads(&self, state: StateId, bytes: &[u8]) -> Option<StateId> {
        let (known, more) = self.unpack(state);
        let known = known.and_then(|state| self.known.reads(state, bytes));
        self.pack(known, more.and_then(|state| self.more.reads(state, bytes)))
    }

    /// The bytes that go on to a word or its beginning.
    pub(super) fn next_bytes(&self, state: StateId) -> ByteSet {
        let (known, more) = self.unpack(state);
        let known = known.map_or(ByteSet::EMPTY, |state| self.known.next_bytes(state));
        let more = more.into_iter().flat_map(|state| self.more.bytes(state));
        more.fold(known, |all, byte| all.or(ByteSet::range(byte, byte)))
    }

    /// Whether the text is a word.
    pub(super) fn has(&self, state: StateId) -> bool {
        let (known, more) = self.unpack(state);
        known.is_some_and(|state| self.known.label(state).is_some())
            || more.is_some_and(|state| self.more.has(state))
    }

    /// Whether all words are such as is asked for.
    pub(super) fn all(&self, mut is_such: impl FnMut(&[u8]) -> bool) -> bool {
        self.more.iter().all(|word| is_such(word.as_bytes()))
            && self.known.words_from(self.known.start()).iter().all(|word| is_such(word))
    }

    /// The words of `language` that are none of these.
    pub(super) fn removed_from(&self, language: &Dfa) -> Dfa {
        let less = language.difference(&self.known, usize::MAX).expect("no limit");
        less.difference(&self.more.to_dfa(), usize::MAX).expect("no limit")
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.known.memory_bytes() + self.more.own_bytes()
    }

    /// Both places in one number, counted from one; zero is no place.
    fn pack(&self, known: Option<StateId>, more: Option<StateId>) -> Option<StateId> {
        let place = |state: Option<StateId>| state.map_or(0, |state| state + 1);
        let both = place(known) * (self.more.states() + 1) + place(more);
        (both > 0).then_some(both)
    }

    fn unpack(&self, state: StateId) -> (Option<StateId>, Option<StateId>) {
        let states = self.more.states();
        ((state / (states + 1)).checked_sub(1), (state % (states + 1)).checked_sub(1))
    }
}

impl StringLanguage {
    /// These strings, of which none is excluded, but those whose text is one of the `known` or of `more`;
    /// `None` where none is left.
    pub(in crate::json) fn but(&self, known: Option<&Arc<Dfa>>, more: Listed) -> Option<Self> {
        let excluded = Excluded::new(known, more);
        let can_be_longer = |excluded: &Excluded| self.is_endless() || self.can_be_longer(excluded);
        // Where each word can be longer none kills a prefix; otherwise the difference says which is killed.
        if excluded.as_ref().is_none_or(can_be_longer) {
            return Some(Self { excluded, ..self.unrestricted() }.hashed());
        }
        let (min, max) = self.window.bounds();
        let rest = Arc::new(excluded?.removed_from(&self.dfa));
        let strings = Self::new(rest, min, max, self.escapes, usize::MAX).expect("no limit");
        (!strings.window.is_empty()).then_some(strings)
    }

    /// Whether there are words without end from every state.
    fn is_endless(&self) -> bool {
        let mut states = 0..u32::try_from(self.dfa.states()).expect("states fit 32 bits");
        // A list, whose states need not be counted, is known to end.
        self.window.bounds().1.is_none()
            && self.dfa.count().is_none()
            && states.all(|state| self.dfa.count_from(state).is_none())
    }

    /// Whether there are longer texts than each of some words. If all texts that begin in some way were among
    /// the words, there would be none longer than the longest of these.
    fn can_be_longer(&self, words: &Excluded) -> bool {
        let start = Position { dfa: self.dfa.start(), chars: 0, excluded: None };
        words.all(|word| {
            let end = self.read_all(start, word);
            let is_longer = |end: Position| {
                self.dfa.next_bytes(end.dfa).iter().any(|byte| self.read(end, byte).is_some())
            };
            end.is_none_or(is_longer)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(words: &[&str]) -> Dfa {
        Dfa::words(words.iter().map(|word| (word, 0)), 1_000).expect("few")
    }

    fn check(known: &[&str], more: &[&str]) {
        let more_words = Listed::new(more.iter().copied());
        let excluded = Excluded::new(Some(&Arc::new(list(known))), more_words).expect("some");
        for text in ["", "a", "ab", "abc", "b", "ba", "c"] {
            let end = excluded.reads(excluded.start(), text.as_bytes());
            let all = || known.iter().chain(more);
            assert_eq!(end.is_some_and(|end| excluded.has(end)), all().any(|word| *word == text), "{text:?}");
            assert_eq!(end.is_some(), all().any(|word| word.starts_with(text)), "{text:?}");
            let goes_on =
                |end| (0..=u8::MAX).filter(|byte| excluded.reads(end, &[*byte]).is_some()).collect();
            let is_listed = |end| excluded.next_bytes(end) == goes_on(end);
            assert!(end.is_none_or(is_listed), "{text:?}");
        }
        assert_eq!(excluded.removed_from(&list(&["a", "b", "x"])), list(&["b", "x"]));
    }

    #[test]
    fn a_text_of_either_list_is_excluded() {
        check(&["a", "abc"], &["ab", "c"]);
        check(&["a"], &[]);
        check(&[], &["", "a"]);
        assert_eq!(Excluded::new(None, Listed::default()), None);
    }
}
