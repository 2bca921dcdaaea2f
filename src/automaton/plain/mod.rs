//! Plain text read by an automaton: which tokens it reads, and where it stands when plain text ends.
//!
//! The vocabulary lists plain text by shape. Where all texts of a shape lead to one state, one step decides
//! on all its tokens, and tokens of shapes that stand side by side are taken as one run. Where they lead to
//! several states that do not differ in what may come, the [set](sets) of these is followed. Otherwise the
//! texts are walked one by one. Against a walk over all of the trie, the slowest thousandth of the masks of a
//! first pass was from 409 µs on when this was made, where it had been from 772 µs on (`chrt -f 10
//! harmony-mask-bench maskbench target/corpora/maskbench-dev --sample 1500 --seed 7`).
//!
//! Most patterns stay where they are for most characters (`[^/]*`, `\S+`). Each shape therefore knows which
//! kinds of characters come below it, and where all of them lead back to the state, all that is below is
//! taken at once: p99 of mask + accept over four files with patterns like `(\S+\s+){0,199}\S+` is 178 instead
//! of 244 µs, p99.9 over those 1,500 files 131 instead of 141 (old and new in turn, the least of eight runs
//! and of three of each step). White space beyond ASCII is a kind for itself, since `\S` leads elsewhere by
//! it alone, and every first byte of such characters begins others, too: p99.9 over those files 69 and 66
//! instead of 80 and 82 µs (on another machine, two rounds, builds beside).

mod bytes;
mod reader;
mod sets;
#[cfg(test)]
mod tests;

use std::ops::Range;

use bytes::ByteRuns;
use reader::Reader;

use super::runs::Runs;
use super::token_set::Builder;
use crate::regular::{Dfa, StateId};
use crate::special::TokenId;
use crate::vocabulary::Vocabulary;

/// What an automaton reads of the plain text of a vocabulary, as far as the characters of a text and those
/// that still complete it are within a budget.
pub(super) enum Plain {
    /// Whatever has at most so many characters; the state is the one before and after it.
    Any {
        state: StateId,
        budget: u32,
    },
    Read(Found),
}

/// What was found of plain text that is not read as a whole.
#[derive(Default)]
pub(super) struct Found {
    /// Runs of tokens in the vocabulary's list by shape.
    runs: Vec<Range<usize>>,
    /// Tokens of shapes that are not read as one.
    tokens: Vec<TokenId>,
    /// Nodes that are not plain below text that was read, with the state after that text and the characters
    /// in it.
    breaks: Vec<Break>,
}

/// Whether it is asked where plain text ends. No budget bounds that, so text is followed beyond it then.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Breaks {
    Wanted,
    Unwanted,
}

/// A node of the trie that is not plain, below plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Break {
    pub(super) node: u32,
    /// The state of the automaton before the node's byte.
    pub(super) state: StateId,
    /// The characters before it.
    pub(super) characters: u32,
}

impl Plain {
    /// Reads all plain text from a state of an automaton. Text beyond the budget is followed only where
    /// `breaks` are asked for, since those are of all text.
    pub(super) fn read(vocabulary: &Vocabulary, dfa: &Dfa, at: StateId, budget: u32, breaks: Breaks) -> Self {
        if dfa.reads_any_text(at) {
            return Self::Any { state: at, budget };
        }
        Self::Read(Reader::new(vocabulary, ByteRuns::new(dfa), at, budget, breaks).read())
    }

    /// Passes over all plain text from a state of an automaton: nothing of it is taken, and what lies behind
    /// it is found.
    pub(super) fn pass_over(vocabulary: &Vocabulary, dfa: &Dfa, at: StateId, breaks: Breaks) -> Self {
        let places = if breaks == Breaks::Wanted { 0..vocabulary.plain().len() } else { 0..0 };
        let breaks = breaks_behind(vocabulary, dfa, at, places).collect();
        Self::Read(Found { breaks, ..Found::default() })
    }

    /// Adds the tokens to a set.
    pub(super) fn add_to(&self, vocabulary: &Vocabulary, runs: &Runs, set: &mut Builder) {
        match self {
            Self::Any { budget, .. } => {
                let (words, longer) = vocabulary.plain_within(*budget);
                set.insert_words(&words);
                set.remove_all(&longer);
            }
            Self::Read(found) => found.add_to(vocabulary, runs, set),
        }
    }

    /// Where plain text ends, where that was asked for.
    pub(super) fn breaks(self, vocabulary: &Vocabulary) -> Vec<Break> {
        match self {
            Self::Any { state, .. } => breaks(vocabulary, state),
            Self::Read(found) => found.breaks,
        }
    }
}

impl Found {
    /// What most tokens are in begins with all of them.
    fn add_to(&self, vocabulary: &Vocabulary, runs: &Runs, set: &mut Builder) {
        let all = vocabulary.plain().tokens.len();
        let count: usize = self.runs.iter().map(ExactSizeIterator::len).sum();
        if count > all / 2 {
            set.insert_words(vocabulary.plain_words());
            let starts = self.runs.iter().map(|run| run.start).chain([all]);
            let ends = std::iter::once(0).chain(self.runs.iter().map(|run| run.end));
            ends.zip(starts).for_each(|(end, start)| runs.remove(vocabulary, end..start, set));
        } else {
            self.runs.iter().for_each(|run| runs.insert(vocabulary, run.clone(), set));
        }
        set.insert_all(&self.tokens);
    }
}

/// Where plain text ends that may be any.
fn breaks(vocabulary: &Vocabulary, state: StateId) -> Vec<Break> {
    let plain = vocabulary.plain();
    let breaks = plain.breaks(0..plain.len());
    breaks.map(|(node, characters)| Break { node, state, characters }).collect()
}

/// Where plain text of some shapes ends, as an automaton reads it.
fn breaks_behind(
    vocabulary: &Vocabulary,
    dfa: &Dfa,
    start: StateId,
    places: Range<u32>,
) -> impl Iterator<Item = Break> {
    let trie = vocabulary.trie();
    vocabulary.plain().breaks(places).filter_map(move |(node, characters)| {
        let text = &vocabulary.prefix(node)[..trie.node(node).parent_depth()];
        Some(Break { node, state: dfa.reads(start, text)?, characters })
    })
}
