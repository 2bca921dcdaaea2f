//! Long runs of plain tokens, as mask words.
//!
//! Automata of different patterns read the same runs of the vocabulary's list by shape: all texts of small
//! letters are 25,788 tokens, those of capitals 8,544. Their words are kept, so that 25 KB are united where
//! tokens would be added one by one: with that, the slowest thousandth of the masks of 1,500 files is from 79
//! µs on where it was from 93 µs on (`maskbench-dev`, seed 7, without peers; old and new in turn, the least
//! of three runs of each step, the median of three such rounds).

use std::ops::Range;
use std::sync::Arc;

use super::token_set::Builder;
use crate::cache::{Bounded, Weighed, bounded, known};
use crate::token_mask::TokenMask;
use crate::vocabulary::Vocabulary;

/// A run of fewer tokens is added token by token.
const LONG: usize = 1_000;

/// The words of long runs, bounded in bytes.
pub(super) struct Runs(Bounded<Range<usize>, Weighed<TokenMask>>);

impl Runs {
    pub(super) fn new(bytes: usize) -> Self {
        Self(bounded(bytes))
    }

    /// Adds a run to a set.
    pub(super) fn insert(&self, vocabulary: &Vocabulary, run: Range<usize>, set: &mut Builder) {
        match run.len() {
            LONG.. => set.insert_words(self.mask(vocabulary, run).words()),
            _ => set.insert_all(&vocabulary.plain().tokens[run]),
        }
    }

    /// Takes a run out of a set.
    pub(super) fn remove(&self, vocabulary: &Vocabulary, run: Range<usize>, set: &mut Builder) {
        match run.len() {
            LONG.. => set.remove_words(self.mask(vocabulary, run).words()),
            _ => set.remove_all(&vocabulary.plain().tokens[run]),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.weight()
    }

    fn mask(&self, vocabulary: &Vocabulary, run: Range<usize>) -> Arc<TokenMask> {
        let make = |run: &Range<usize>| {
            let mut mask = TokenMask::new(vocabulary.width());
            vocabulary.plain().tokens[run.clone()].iter().for_each(|token| mask.insert(*token));
            mask
        };
        known(&self.0, &run, make, |_, mask| size_of_val(mask.words()))
    }
}
