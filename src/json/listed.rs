//! A few words, read as an automaton that is never built.
//!
//! The names that an object uses besides those of its schema differ in each of its states, and so do the
//! elements that an array has already; an automaton of them would be made for each state and seldom used
//! twice. Sorted words are an automaton as they are: a state is the first word with the prefix that was read,
//! and how far it was read. A list with one word more shares what it can with the list before ([`Sorted`]).

use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use smallvec::SmallVec;

use super::sorted::Sorted;
use crate::regular::{Dfa, StateId};

/// What is listed: a text, maybe with something that is known of it.
pub(super) trait Word: Clone + Debug + Eq + Hash {
    fn text(&self) -> &str;

    /// The bytes of memory that it holds besides itself.
    fn own_bytes(&self) -> usize {
        self.text().len()
    }
}

impl Word for Arc<str> {
    fn text(&self) -> &str {
        self
    }
}

/// Different words in lexical order.
#[derive(Clone, Debug)]
pub(super) struct Listed<W = Arc<str>> {
    words: Sorted<W>,
    /// What it does not share with the list that it grew from.
    own_bytes: usize,
}

impl<W> Listed<W> {
    /// No words.
    pub(super) const NONE: Self = Self { words: Sorted::NONE, own_bytes: 0 };
}

impl<W: Word> Listed<W> {
    pub(super) fn new(words: impl IntoIterator<Item = impl Into<W>>) -> Self {
        let mut words: Vec<W> = words.into_iter().map(Into::into).collect();
        words.sort_unstable_by(|a, b| a.text().cmp(b.text()));
        words.dedup();
        Self { words: Sorted::of(&words), own_bytes: 0 }.unshared()
    }

    /// The same list, where no state has the lists that it grew from.
    pub(super) fn unshared(self) -> Self {
        let own_bytes =
            self.len() * Sorted::<W>::NODE_BYTES + self.iter().map(Word::own_bytes).sum::<usize>();
        Self { own_bytes, ..self }
    }

    /// These and one more, which takes the place of one with the same text.
    pub(super) fn with(&self, word: W) -> Self {
        let path = 1 + self.len().checked_ilog2().map_or(0, |depth| depth as usize + 1);
        let own_bytes = path * Sorted::<W>::NODE_BYTES + word.own_bytes();
        Self { words: self.words.with(word), own_bytes }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn len(&self) -> usize {
        self.words.sums().words
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &W> {
        self.words.iter()
    }

    /// All states are below this.
    pub(super) fn states(&self) -> StateId {
        self.words.sums().states
    }

    pub(super) fn start(&self) -> Option<StateId> {
        (!self.is_empty()).then_some(0)
    }

    /// The state after more bytes; `None` where the text is no beginning of a word.
    pub(super) fn reads(&self, state: StateId, bytes: &[u8]) -> Option<StateId> {
        let (_, read) = self.read(state);
        let prefix: SmallVec<[u8; FEW_BYTES]> = read.iter().chain(bytes).copied().collect();
        let (start, word) = self.words.first_from(&prefix)?;
        word.text().as_bytes().starts_with(&prefix).then(|| start + prefix.len() as StateId)
    }

    /// The bytes that go on to a word or its beginning.
    pub(super) fn bytes(&self, state: StateId) -> impl Iterator<Item = u8> {
        let (_, read) = self.read(state);
        let next_from = move |byte: u8| {
            let (_, word) = self.words.first_from(&[read, &[byte]].concat())?;
            word.text().as_bytes().strip_prefix(read)?.first().copied()
        };
        std::iter::successors(next_from(0), move |byte| next_from(byte.checked_add(1)?))
    }

    /// The first word with what was read, and that.
    pub(super) fn read(&self, state: StateId) -> (&W, &[u8]) {
        let (start, word) = self.words.word_at(state).expect("a state of the list");
        (word, &word.text().as_bytes()[..(state - start) as usize])
    }

    /// The word with a text.
    pub(super) fn find(&self, text: &[u8]) -> Option<&W> {
        let (_, word) = self.words.first_from(text)?;
        (word.text().as_bytes() == text).then_some(word)
    }

    /// Whether a word was read to its end.
    pub(super) fn has(&self, state: StateId) -> bool {
        let (word, read) = self.read(state);
        word.text().len() == read.len()
    }

    /// The words as an automaton.
    pub(super) fn to_dfa(&self) -> Dfa {
        Dfa::words(self.iter().map(|word| (word.text(), 0)), usize::MAX).expect("no limit")
    }

    /// The bytes of memory that it does not share with the list that it grew from.
    pub(super) fn own_bytes(&self) -> usize {
        self.own_bytes
    }
}

/// Few words are longer.
const FEW_BYTES: usize = 64;

impl<W> Default for Listed<W> {
    fn default() -> Self {
        Self::NONE
    }
}

/// By the words, however the list came about.
impl<W: Word> PartialEq for Listed<W> {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words
    }
}

impl<W: Word> Eq for Listed<W> {}

impl<W: Word> Hash for Listed<W> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.words.sums().fingerprint);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::expression::fingerprint;

    proptest! {
        #[test]
        fn reads_what_its_automaton_reads(words in proptest::collection::vec("[aé]{0,4}", 0..9), text in "[aéc]{0,5}") {
            let words = || words.iter().map(|word| Arc::<str>::from(word.as_str()));
            let (listed, grown) = (Listed::new(words()), words().fold(Listed::default(), |list, word| list.with(word)));
            prop_assert!(listed == grown && fingerprint(&listed) == fingerprint(&grown));
            let dfa = listed.to_dfa();
            // Cut anywhere, even within a character.
            for cut in 0..=text.len() {
                let (head, tail) = text.as_bytes().split_at(cut);
                let end = grown.start().and_then(|start| grown.reads(grown.reads(start, head)?, tail));
                prop_assert!(end.is_none_or(|end| end < listed.states()));
                prop_assert_eq!(end.is_some_and(|end| listed.has(end)), dfa.contains(text.as_bytes()));
                prop_assert_eq!(end.is_some(), words().any(|word| word.starts_with(&text)));
                let goes_on = |end| (0..=u8::MAX).filter({ let listed = &listed; move |byte| listed.reads(end, &[*byte]).is_some() });
                prop_assert!(end.is_none_or(|end| goes_on(end).eq(listed.bytes(end))));
            }
        }
    }

    /// What a list adds to the one before it hardly grows with the list.
    #[test]
    fn a_long_list_shares_most_of_itself() {
        let grown = |words: u32| {
            (0..words).fold((Listed::default(), 0), |(list, bytes): (Listed, _), word| {
                let list = list.with(format!("{word:08}").into());
                (list.clone(), bytes + list.own_bytes())
            })
        };
        let ((_, few), (_, many)) = (grown(1_000), grown(8_000));
        assert!(many < 8 * few * 3 / 2, "{few} and {many} bytes");
    }
}
