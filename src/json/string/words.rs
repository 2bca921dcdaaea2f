//! A list of words of which some are open: the names that an object may still use, the words of an `enum`
//! that other elements have not.
//!
//! The automaton of all words is built once; which of them are open is a bit for each. Labels follow the
//! order of the words, and words with a common beginning stand side by side, so a state is live exactly where
//! a bit in its range is set. An automaton of the open words for each state of an object or array would cost
//! more than the state's mask.

use std::sync::Arc;

use bitvec::prelude::Lsb0;
use bitvec::view::BitView;

use super::escape::{cheapest_spelling, has_one_spelling};
use crate::expression::{Label, fingerprint};
use crate::regular::{Dfa, StateId};

/// Words in lexical order with their automaton.
#[derive(Debug)]
pub(in crate::json) struct Words {
    pub(super) dfa: Arc<Dfa>,
    /// For each state the ranks of the words that can be completed from it.
    ranks: Box<[(u32, u32)]>,
    /// By rank how each word is spelled in the cheapest way, between its quotation marks.
    spelled: Box<[Box<[u8]>]>,
    /// For each state how much of a spelling leads to it, with the opening quotation mark.
    read: Box<[usize]>,
    /// Whether each word has that spelling only.
    have_one_spelling: bool,
    fingerprint: u64,
}

impl Words {
    /// Of different words.
    pub(in crate::json) fn new(words: &[impl AsRef<str>]) -> Self {
        let mut sorted: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        sorted.sort_unstable();
        let labelled = || sorted.iter().zip(0_u32..);
        let dfa = Arc::new(Dfa::words(labelled(), usize::MAX).expect("no limit"));
        let mut ranks: Box<[(u32, u32)]> = (0..dfa.states()).map(|_| (u32::MAX, 0)).collect();
        let mut read: Box<[usize]> = (0..dfa.states()).map(|_| 1).collect();
        for (word, rank) in labelled() {
            let (mut at, mut len) = (Some(dfa.start()), 1);
            for byte in word.as_bytes().iter().map(Some).chain([None]) {
                let state = at.expect("a word of the automaton");
                let (first, end) = &mut ranks[state as usize];
                (*first, *end) = ((*first).min(rank), (*end).max(rank + 1));
                read[state as usize] = len;
                len += byte.map_or(0, |byte| cheapest_spelling(*byte).len());
                at = byte.and_then(|byte| dfa.next(state, *byte));
            }
        }
        let spelled = sorted.iter().map(|word| spelled(word)).collect();
        let have_one_spelling = sorted.iter().all(|word| has_one_spelling(word));
        Self { fingerprint: fingerprint(&dfa), dfa, ranks, spelled, read, have_one_spelling }
    }

    /// The automaton of all words.
    pub(in crate::json) fn all(&self) -> &Arc<Dfa> {
        &self.dfa
    }

    /// How many words there are.
    pub(in crate::json) fn len(&self) -> usize {
        self.spelled.len()
    }

    /// Which words are open, given by their ranks.
    pub(in crate::json) fn open(self: &Arc<Self>, ranks: impl IntoIterator<Item = u32>) -> OpenWords {
        let mut bits = vec![0_u64; self.len().div_ceil(64)];
        ranks.into_iter().for_each(|rank| bits[rank as usize / 64] |= 1 << (rank % 64));
        let count =
            |before: &mut u32, bits: &u64| Some(std::mem::replace(before, *before + bits.count_ones()));
        let before = bits.iter().scan(0, count).collect();
        OpenWords { words: self.clone(), bits: bits.into(), before, are_told_apart: true }
    }

    /// All words but those with some ranks, with one label; `None` where none is left.
    pub(in crate::json) fn all_but(
        self: &Arc<Self>,
        ranks: impl IntoIterator<Item = u32>,
    ) -> Option<OpenWords> {
        let all = self.open(0..self.len() as u32);
        let mut rest = OpenWords { are_told_apart: false, before: Box::default(), ..all };
        ranks.into_iter().for_each(|rank| rest.bits[rank as usize / 64] &= !(1 << (rank % 64)));
        rest.bits.iter().any(|bits| *bits != 0).then_some(rest)
    }

    /// The place of a word in the lexical order. Labels of open words follow it.
    pub(in crate::json) fn rank(&self, word: &str) -> Option<u32> {
        let end = self.dfa.reads(self.dfa.start(), word.as_bytes())?;
        self.dfa.label(end)
    }
}

/// A word in its cheapest spelling, between quotation marks.
fn spelled(word: &str) -> Box<[u8]> {
    let spelled = word.bytes().flat_map(cheapest_spelling).copied();
    [b'"'].into_iter().chain(spelled).chain([b'"']).collect()
}

/// Words of a list, at least one.
#[derive(Clone, Debug)]
pub(in crate::json) struct OpenWords {
    pub(super) words: Arc<Words>,
    bits: Box<[u64]>,
    /// Where they are told apart, for each of the `bits` how many open words come before it: a mask asks for
    /// the label of each word that a token completes.
    before: Box<[u32]>,
    /// Whether each has a label of its own, or all have the same.
    are_told_apart: bool,
}

impl OpenWords {
    /// How many labels there are.
    pub(in crate::json) fn labels(&self) -> usize {
        let last = self.bits.last().zip(self.before.last());
        last.map_or(0, |(bits, before)| *before as usize + bits.count_ones() as usize)
    }

    /// The rank of the word that has a label, where they are told apart.
    pub(in crate::json) fn rank_of(&self, label: Label) -> u32 {
        let place = self.before.partition_point(|before| *before <= label) - 1;
        let first = label - self.before[place];
        let without = (0..first).fold(self.bits[place], |bits, _| bits & (bits - 1));
        place as u32 * u64::BITS + without.trailing_zeros()
    }

    /// Whether an open word can be completed from a state.
    #[inline]
    pub(super) fn is_live(&self, state: StateId) -> bool {
        let (first, end) = self.words.ranks[state as usize];
        (first / 64..end.div_ceil(64)).any(|word| {
            let (start, rest) = (first.saturating_sub(word * 64), (end - word * 64).min(64));
            self.bits[word as usize] & u64::MAX << start & u64::MAX >> (64 - rest) != 0
        })
    }

    fn is_open(&self, rank: u32) -> bool {
        self.bits[rank as usize / 64] & 1 << (rank % 64) != 0
    }

    /// The label of the word with this rank, where it is open: its place among the open words, or zero.
    pub(super) fn label(&self, rank: Label) -> Option<Label> {
        self.is_open(rank).then(|| if self.are_told_apart { self.place(rank) } else { 0 })
    }

    /// How many open words come before a rank.
    fn place(&self, rank: u32) -> u32 {
        let (word, bit) = (rank as usize / 64, rank % 64);
        self.before[word] + (self.bits[word] & ((1 << bit) - 1)).count_ones()
    }

    /// The ranks of the open words that can be completed from a state, in their order: a step for each of
    /// them, and one for 64 that are not open.
    fn ranks(&self, state: StateId) -> impl Iterator<Item = u32> {
        let (first, end) = self.words.ranks[state as usize];
        let ones = self.bits.view_bits::<Lsb0>()[first as usize..end as usize].iter_ones();
        ones.map(move |one| first + one as u32)
    }

    /// The open words that can be completed from a state, each spelled in the cheapest way without what was
    /// `read` of that, and with its label. Labels follow the order of the words, so they are counted from the
    /// first one on: an object of many names has no time to count anew for each.
    fn spelled(&self, state: StateId, read: usize) -> impl Iterator<Item = (&[u8], Label)> {
        let first = if self.are_told_apart { self.place(self.words.ranks[state as usize].0) } else { 0 };
        let label = move |before: u32| if self.are_told_apart { first + before } else { 0 };
        let text = move |rank: u32| &self.words.spelled[rank as usize][read..];
        self.ranks(state).zip(0..).map(move |(rank, before)| (text(rank), label(before)))
    }

    /// What remains of the open word that is cheapest with the cost of its label, spelled, without the
    /// closing quotation mark.
    pub(super) fn cheapest(&self, state: StateId, cost: &dyn Fn(Label) -> u32) -> (Vec<u8>, Label) {
        let rests = self.spelled(state, self.words.read[state as usize]);
        let total = |(text, label): &(&[u8], Label)| text.len().saturating_add(cost(*label) as usize);
        let (text, label) = rests.min_by_key(total).expect("a live state has an open word");
        (text[..text.len() - 1].to_vec(), label)
    }

    /// The length of the longest word, spelled.
    pub(super) fn longest(&self) -> u32 {
        let longest = self.words.spelled.iter().map(|text| text.len() - 2).max();
        longest.map_or(0, |len| u32::try_from(len).unwrap_or(u32::MAX))
    }

    /// The open words that can be completed from a state, or what remains of them where the text `is_opened`,
    /// each with its label; `None` where one of the words has several spellings.
    pub(super) fn texts(&self, state: StateId, is_opened: bool) -> Option<Vec<(&[u8], Label)>> {
        let Words { read, have_one_spelling, .. } = &*self.words;
        let read = if is_opened { read[state as usize] } else { 0 };
        have_one_spelling.then(|| self.spelled(state, read).collect())
    }

    /// What remains of the open words from a state.
    pub(super) fn rests(&self, state: StateId) -> Vec<Vec<u8>> {
        let (first, end) = self.words.ranks[state as usize];
        let open = (first..end).map(|rank| self.is_open(rank));
        let rests = self.words.dfa.words_from(state).into_iter().zip(open);
        rests.filter_map(|(rest, is_open)| is_open.then_some(rest)).collect()
    }

    /// The number of open words that can be completed from a state.
    pub(super) fn count(&self, state: StateId) -> u64 {
        self.ranks(state).count() as u64
    }

    pub(super) fn fingerprint(&self) -> u64 {
        fingerprint(&(self.words.fingerprint, &self.bits, self.are_told_apart))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val::<[u64]>(&self.bits) + size_of_val::<[u32]>(&self.before)
    }
}

impl PartialEq for OpenWords {
    fn eq(&self, other: &Self) -> bool {
        (&self.bits, self.are_told_apart) == (&other.bits, other.are_told_apart)
            && (Arc::ptr_eq(&self.words, &other.words) || self.words.dfa == other.words.dfa)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(all: &[&str], open: &[usize]) {
        let words = Arc::new(Words::new(all));
        let rank = |index: &usize| words.rank(all[*index]).expect("one of the words");
        let some = words.open(open.iter().map(rank));
        let mut labels = Vec::new();
        for (index, word) in all.iter().enumerate() {
            let path = (0..=word.len()).map(|len| {
                word.as_bytes()[..len]
                    .iter()
                    .fold(words.dfa.start(), |state, byte| words.dfa.next(state, *byte).expect("a prefix"))
            });
            for (len, state) in path.enumerate() {
                let lives = open.iter().any(|open| all[*open].starts_with(&word[..len]));
                assert_eq!(some.is_live(state), lives, "{:?} of {all:?}", &word[..len]);
                assert_eq!(some.count(state) as usize, some.rests(state).len());
                let labels: Vec<Label> = some.spelled(state, 0).map(|(_, label)| label).collect();
                let (first, end) = words.ranks[state as usize];
                assert_eq!(labels, (first..end).filter_map(|rank| some.label(rank)).collect::<Vec<_>>());
            }
            let label = some.label(rank(&index));
            assert_eq!(label.is_some(), open.contains(&index));
            labels.extend(label);
        }
        labels.sort_unstable();
        assert_eq!(labels, (0..u32::try_from(open.len()).expect("few")).collect::<Vec<_>>());
        let rest = words.all_but(open.iter().map(rank));
        assert_eq!(rest.is_some(), open.len() < all.len());
        for (index, word) in all.iter().enumerate().filter(|_| rest.is_some()) {
            let label = rest.as_ref().and_then(|rest| rest.label(rank(&index)));
            assert_eq!(label, (!open.contains(&index)).then_some(0), "{word:?} of {all:?}");
        }
    }

    #[test]
    fn open_words_are_live_and_numbered() {
        check(&["b", "a", "ab", "abc", "c"], &[0, 2]);
        check(&["b", "a", "ab", "abc", "c"], &[0, 1, 2, 3, 4]);
        check(&["", "x"], &[0]);
        let many: Vec<String> = (0..200).map(|number| format!("name{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        check(&many, &[3, 63, 64, 65, 127, 128, 199]);
        check(&many, &[150]);
    }
}
