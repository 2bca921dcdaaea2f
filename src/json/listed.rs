//! A few words, read as an automaton that is never built.
//!
//! The names that an object uses besides those of its schema differ in each of its states, and so do the elements that an array has already; an
//! automaton of them would be made for each state and seldom used twice. Sorted words are an automaton as they are: a state is the first word with the
//! prefix that was read, and how far it was read.

use std::sync::Arc;

use crate::regular::{Dfa, StateId};

/// Different words in lexical order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Listed {
    words: Box<[Arc<str>]>,
    /// The number of each word's state before its first byte.
    starts: Box<[StateId]>,
}

impl Listed {
    pub(super) fn new(words: impl IntoIterator<Item = impl Into<Arc<str>>>) -> Self {
        let mut words: Vec<Arc<str>> = words.into_iter().map(Into::into).collect();
        words.sort_unstable();
        words.dedup();
        let mut states: StateId = 0;
        let start = |word: &Arc<str>| {
            let start = states;
            states += StateId::try_from(word.len() + 1).expect("fewer states than bytes of a text");
            start
        };
        Self { starts: words.iter().map(start).collect(), words: words.into() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(AsRef::as_ref)
    }

    /// All states are below this.
    pub(super) fn states(&self) -> StateId {
        let last = self.starts.last().zip(self.words.last());
        last.map_or(0, |(start, word)| start + word.len() as StateId + 1)
    }

    pub(super) fn start(&self) -> Option<StateId> {
        self.starts.first().copied()
    }

    pub(super) fn next(&self, state: StateId, byte: u8) -> Option<StateId> {
        let (at, depth) = self.place(state);
        let prefix = &self.words[at].as_bytes()[..depth];
        let rest = |word: &Arc<str>| word.as_bytes().strip_prefix(prefix).map(|rest| rest.first().copied());
        let is_before = |word: &Arc<str>| rest(word).is_some_and(|next| next < Some(byte));
        let at = at + self.words[at..].partition_point(is_before);
        self.words.get(at).filter(|word| rest(word) == Some(Some(byte)))?;
        Some(self.starts[at] + depth as StateId + 1)
    }

    /// The bytes that go on to a word or its beginning. Some may come twice.
    pub(super) fn bytes(&self, state: StateId) -> impl Iterator<Item = u8> {
        let (at, depth) = self.place(state);
        let prefix = &self.words[at].as_bytes()[..depth];
        let rest = |word: &Arc<str>| word.as_bytes().strip_prefix(prefix).map(|rest| rest.first().copied());
        self.words[at..].iter().map_while(rest).flatten()
    }

    /// The place of the first word with what was read, and that.
    pub(super) fn read(&self, state: StateId) -> (usize, &str) {
        let (at, depth) = self.place(state);
        (at, &self.words[at][..depth])
    }

    /// The word at a place.
    pub(super) fn word(&self, place: usize) -> &str {
        &self.words[place]
    }

    /// The place of a word among all.
    pub(super) fn find(&self, word: &str) -> Option<usize> {
        self.words.binary_search_by(|known| (**known).cmp(word)).ok()
    }

    /// Whether a word was read to its end.
    pub(super) fn has(&self, state: StateId) -> bool {
        let (at, depth) = self.place(state);
        self.words[at].len() == depth
    }

    /// The words as an automaton.
    pub(super) fn to_dfa(&self) -> Dfa {
        Dfa::words(self.words.iter().map(|word| (&**word, 0)), usize::MAX).expect("no limit")
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let words: usize = self.words.iter().map(|word| word.len() + size_of::<Arc<str>>()).sum();
        words + size_of_val::<[StateId]>(&self.starts)
    }

    /// A word, and how far it was read.
    fn place(&self, state: StateId) -> (usize, usize) {
        let at = self.starts.partition_point(|start| *start <= state) - 1;
        (at, (state - self.starts[at]) as usize)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn reads_what_its_automaton_reads(words in proptest::collection::vec("[ab]{0,4}", 0..6), text in "[abc]{0,5}") {
            let listed = Listed::new(words.iter().map(String::as_str));
            let dfa = listed.to_dfa();
            let end = listed.start().and_then(|start| text.bytes().try_fold(start, |state, byte| listed.next(state, byte)));
            prop_assert!(end.is_none_or(|end| end < listed.states()));
            prop_assert_eq!(end.is_some_and(|end| listed.has(end)), dfa.contains(text.as_bytes()));
            prop_assert_eq!(end.is_some(), words.iter().any(|word| word.starts_with(&text)));
        }
    }
}
