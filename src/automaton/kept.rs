//! Which tokens of its class a state really reads.
//!
//! A class reads all that its states read, and for some of them more: a name that is used up, a text below
//! the least length, an end that a pattern does not have. So tokens that begin with a doubtful byte are read
//! once more with the state itself, and the result is [remembered](super::leaf_table). Formats and least
//! lengths are the same in many grammars, and six of ten states of names were met before, because the names
//! that an object knows are excluded wherever it stands. Remembering these, too, the mean of mask and accept
//! is 0.99 and p90 0.96 of what it was (700 files of maskbench-dev, old and new in turn, six times).

use super::leaf_table::LeafEntry;
use super::sort::{Exits, exit_bytes};
use crate::expression::{Class, Leaf, State};
use crate::regular::ByteSet;
use crate::special::TokenId;
use crate::vocabulary::Vocabulary;

/// What a state keeps of an entry of its class.
#[derive(Debug)]
pub(super) struct Kept {
    /// Tokens that complete the class's leaf but not the state's, ascending.
    pub(super) refused: Box<[TokenId]>,
    /// The ways out.
    pub(super) exits: Exits,
}

impl Kept {
    /// `exits` are the ways out of the class; those with these bytes are doubtful.
    pub(super) fn new(
        vocabulary: &Vocabulary,
        (leaf, state): (&Leaf, State),
        (class, entry): (&Class, &LeafEntry),
        (exits, doubtful): (&Exits, &ByteSet),
    ) -> Self {
        let is_refused = |token: &TokenId| {
            let bytes = vocabulary.token_bytes(*token).unwrap_or_default();
            leaf.reads(state, bytes).is_none()
        };
        let mut refused: Vec<_> = entry.complete.after(&class.doubtful).filter(is_refused).collect();
        refused.sort_unstable();
        let is_kept = |node: &u32| {
            let after = leaf.reads(state, vocabulary.prefix(*node));
            after.is_some_and(|state| leaf.accepts(state).is_some())
        };
        let exits = exits.iter().filter_map(|(label, ways)| {
            let refused: Vec<_> = ways.after(vocabulary, doubtful).filter(|node| !is_kept(node)).collect();
            Some((*label, ways.without(&refused)?))
        });
        Self { refused: refused.into(), exits: exits.collect() }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val::<[TokenId]>(&self.refused) + exit_bytes(&self.exits)
    }
}
