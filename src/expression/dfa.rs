//! A leaf for every regular language: a tabulated automaton as a [`Language`].

use std::any::Any;
use std::sync::Arc;

use super::{Label, Language, PlainText, State, fingerprint};
use crate::regular::{ByteSet, Dfa, StateId};

/// The language of a [`Dfa`] that has a word.
///
/// ```
/// use std::sync::Arc;
/// use harmony_mask::expression::{DfaLanguage, Expression, Leaf};
/// use harmony_mask::regular::Dfa;
///
/// let methods = Dfa::words([("get", 0), ("delete", 0)], 100)?;
/// let leaf = Leaf::new(DfaLanguage::new(Arc::new(methods), "a method"));
/// assert_eq!(leaf.expectation(leaf.start()), "a method");
/// assert_eq!(Expression::leaf(leaf).min_len(), 3);
/// # Ok::<(), harmony_mask::LimitExceeded>(())
/// ```
#[derive(Debug)]
pub struct DfaLanguage {
    dfa: Arc<Dfa>,
    what: String,
    /// What goes on behind a whole word, where that is called otherwise.
    more: Option<&'static str>,
    fingerprint: u64,
    /// Whether these are all texts.
    is_text: bool,
}

impl DfaLanguage {
    /// The words of `dfa`; `what` says in a user's words what they are.
    ///
    /// # Panics
    ///
    /// For the empty language: a leaf matches at least one text.
    #[must_use]
    pub fn new(dfa: Arc<Dfa>, what: impl Into<String>) -> Self {
        assert!(!dfa.is_empty(), "a leaf matches at least one text");
        let what = what.into();
        let fingerprint = fingerprint(&(&*dfa, &what));
        let is_text = *dfa == *Dfa::text();
        Self { dfa, what, more: None, fingerprint, is_text }
    }

    /// The same, with `more` for what goes on behind a whole word: the space after a colon, say, where a
    /// second colon is not to be expected.
    pub(crate) fn with_more(self, more: &'static str) -> Self {
        Self { more: Some(more), fingerprint: fingerprint(&(self.fingerprint, more)), ..self }
    }

    /// The automaton.
    #[must_use]
    pub fn dfa(&self) -> &Arc<Dfa> {
        &self.dfa
    }
}

fn pack(state: StateId) -> State {
    State(state.into())
}

fn unpack(state: State) -> StateId {
    StateId::try_from(state.0).expect("a state of this language")
}

impl Language for DfaLanguage {
    fn start(&self) -> State {
        pack(self.dfa.start())
    }

    fn step(&self, state: State, byte: u8) -> Option<State> {
        self.dfa.next(unpack(state), byte).map(pack)
    }

    fn next_bytes(&self, state: State) -> Option<ByteSet> {
        Some(self.dfa.next_bytes(unpack(state)))
    }

    fn accepts(&self, state: State) -> Option<Label> {
        self.dfa.label(unpack(state))
    }

    fn completion(&self, state: State, cost: &dyn Fn(Label) -> u32) -> (Vec<u8>, Label) {
        self.dfa.shortest_from(unpack(state), cost)
    }

    /// Where labels cost, a cheapest way comes to no state twice.
    fn enough_from_any(&self) -> Option<u32> {
        match self.dfa.only_label() {
            Some(_) => Some(self.dfa.longest_rest()),
            None => u32::try_from(self.dfa.states()).ok(),
        }
    }

    fn is_complete(&self, state: State) -> bool {
        self.dfa.is_last(unpack(state))
    }

    fn plain(&self, state: State) -> Option<PlainText<'_>> {
        let all = || PlainText { dfa: &self.dfa, state: self.dfa.start(), has_controls: true };
        (self.is_text && state == self.start()).then(all)
    }

    fn memory_bytes(&self) -> usize {
        self.dfa.memory_bytes() + self.what.len()
    }

    fn expectation(&self, state: State) -> String {
        let more = self.more.filter(|_| self.accepts(state).is_some());
        more.unwrap_or(&self.what).to_owned()
    }

    fn same(&self, other: &dyn Language) -> bool {
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| {
            (&self.what, self.more) == (&other.what, other.more) && self.dfa == other.dfa
        })
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

#[cfg(test)]
mod tests {
    use super::super::Leaf;
    use super::*;

    fn leaf(words: &[(&str, u32)], what: &str) -> Leaf {
        let dfa = Dfa::words(words.iter().copied(), 100).unwrap();
        Leaf::new(DfaLanguage::new(Arc::new(dfa), what))
    }

    #[test]
    fn steps_to_labels_and_completes() {
        let leaf = leaf(&[("ab", 0), ("abcd", 1)], "a word");
        let state = leaf.step(leaf.start(), b'a').unwrap();
        assert_eq!(leaf.step(state, b'x'), None);
        assert_eq!(leaf.completion(state, &|_| 0), (b"b".to_vec(), 0));
        assert_eq!(leaf.completion(state, &|label| 9 * (1 - label)), (b"bcd".to_vec(), 1));
        assert_eq!(leaf.enough_from_any(), Some(5));
        let end = "bcd".bytes().fold(state, |state, byte| leaf.step(state, byte).unwrap());
        assert!(!leaf.is_complete(state) && leaf.is_complete(end));
        assert_eq!((leaf.accepts(state), leaf.accepts(end)), (None, Some(1)));
    }

    #[test]
    fn what_is_enough_is_known_where_words_are_alike() {
        assert_eq!(leaf(&[("ab", 0), ("abcd", 0), ("xyz", 0)], "a word").enough_from_any(), Some(2));
    }

    #[test]
    fn what_goes_on_behind_a_word_has_a_name_of_its_own() {
        let dfa = Dfa::words([("ab", 0), ("abcd", 0)], 100).unwrap();
        let leaf = Leaf::new(DfaLanguage::new(Arc::new(dfa), "a word").with_more("its end"));
        let expectations = ["", "a", "ab", "abc"]
            .map(|read| leaf.expectation(leaf.reads(leaf.start(), read.as_bytes()).unwrap()));
        assert_eq!(expectations, ["a word", "a word", "its end", "a word"]);
    }

    #[test]
    fn equality_is_by_content() {
        let words = [("ab", 0), ("c", 0)];
        let named = DfaLanguage::new(Arc::new(Dfa::words(words, 100).unwrap()), "a word");
        assert_ne!(leaf(&words, "a word"), Leaf::new(named.with_more("more")));
        assert_eq!(leaf(&words, "a word"), leaf(&words, "a word"));
        assert_ne!(leaf(&words, "a word"), leaf(&words, "a name"));
        assert_ne!(leaf(&words, "a word"), leaf(&words[1..], "a word"));
    }
}
