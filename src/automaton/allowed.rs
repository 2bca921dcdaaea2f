//! Which tokens a residual allows: sets that others share, and a few token ids.
//!
//! The tokens of a residual are the union over its threads, and a thread's tokens are those inside its leaf
//! and those that go on [beyond](super::collect) it. Remembering a mask costs bytes so, not 25 KB, and
//! filling one is a copy and a few bit writes.

use std::sync::{Arc, OnceLock};

use super::inside::Inside;
use super::mask_ids::{MaskId, MaskIds};
use super::token_set::TokenSet;
use crate::cache::Weight;
use crate::special::TokenId;
use crate::token_mask::{Source, Target, TokenMask};

/// The tokens that a residual allows.
#[derive(Debug)]
pub(super) struct Allowed {
    /// Tokens that one leaf reads to their end, and those that are too many to be listed.
    inside: Inside,
    /// Tokens that go on beyond a leaf, where they are in shared sets.
    beyond: Box<[Arc<TokenSet>]>,
    /// All others; some may stand there twice.
    tokens: Box<[TokenId]>,
    /// What no other mask shares. Counted when made: a weight in a cache must never change.
    own_bytes: usize,
    /// Found when first asked for.
    id: OnceLock<Option<MaskId>>,
    /// Found when a deadline first asks, and when the first is not enough.
    roughly_enough_after_any: OnceLock<Option<usize>>,
    enough_after_any: OnceLock<Option<usize>>,
    source: Source,
}

impl Allowed {
    /// `own_bytes` are those of the sets that no other mask shares.
    pub(super) fn new(
        inside: Inside,
        beyond: Box<[Arc<TokenSet>]>,
        tokens: Box<[TokenId]>,
        own_bytes: usize,
    ) -> Self {
        let (id, roughly_enough_after_any, enough_after_any) = Default::default();
        let source = Source::new();
        Self { inside, beyond, tokens, own_bytes, id, roughly_enough_after_any, enough_after_any, source }
    }

    /// The tokens that do not stay inside one leaf, as far as they are listed. Some may come twice.
    pub(super) fn others(&self) -> impl Iterator<Item = TokenId> {
        let listed = self.beyond.iter().filter_map(|set| set.at_most(usize::MAX));
        self.tokens.iter().chain(listed.flatten()).copied()
    }

    /// Whether a token is among the others.
    pub(super) fn is_other(&self, token: TokenId) -> bool {
        let listed = || self.beyond.iter().filter_map(|set| set.at_most(usize::MAX));
        self.tokens.contains(&token) || listed().any(|tokens| tokens.contains(&token))
    }

    /// Whether all others are [listed](Self::others). Those that are not are in a set of this mask's own, or
    /// in shared ones.
    pub(super) fn lists_others(&self) -> bool {
        self.own_bytes == 0 && self.beyond.iter().all(|set| set.is_few())
    }

    /// The number of the mask of all `width` tokens.
    pub(super) fn id(&self, ids: &MaskIds, width: usize) -> Option<MaskId> {
        *self.id.get_or_init(|| {
            let mut mask = TokenMask::new(width);
            self.fill(&mut mask.as_mut());
            ids.of(&mask)
        })
    }

    /// How many tokens are certainly enough after any of these, where that is found without a look at each
    /// that stays in a leaf.
    pub(super) fn roughly_enough_after_any(&self, find: impl FnOnce() -> Option<usize>) -> Option<usize> {
        *self.roughly_enough_after_any.get_or_init(find)
    }

    /// How many tokens are [enough](super::Automaton::enough_after_any) after any of these.
    pub(super) fn enough_after_any(&self, find: impl FnOnce() -> Option<usize>) -> Option<usize> {
        *self.enough_after_any.get_or_init(find)
    }

    /// Writes the tokens into a mask, unless it has just these, and clears everything else.
    pub(super) fn refill(&self, mask: &mut TokenMask) {
        mask.refill(self.source, |mask| self.fill(mask));
    }

    /// Writes the tokens into a mask, and clears everything else.
    pub(super) fn fill(&self, mask: &mut impl Target) {
        self.inside.begin(mask);
        self.beyond.iter().for_each(|set| set.add_to(mask));
        mask.insert_all(&self.tokens);
    }
}

impl Weight for Arc<Allowed> {
    fn weight_bytes(&self) -> usize {
        // Most sets belong to a leaf's table and are counted there.
        let beyond = size_of_val::<[Arc<TokenSet>]>(&self.beyond);
        self.own_bytes + self.inside.own_bytes() + beyond + size_of_val::<[TokenId]>(&self.tokens)
    }
}
