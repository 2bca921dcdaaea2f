//! Sets of tokens that many states share.

use crate::special::TokenId;
use crate::token_mask::TokenMask;

/// More tokens than this are kept as mask words: a token id costs 4 bytes, all words of 201,088 ids 25 KB.
const SPARSE_TOKENS: usize = 2048;

/// A set of ordinary tokens.
#[derive(Debug)]
pub(super) enum TokenSet {
    Few(Box<[TokenId]>),
    Many(TokenMask),
}

impl TokenSet {
    pub(super) fn new(tokens: Vec<TokenId>, width: usize) -> Self {
        if tokens.len() <= SPARSE_TOKENS {
            return Self::Few(tokens.into());
        }
        let mut mask = TokenMask::new(width);
        tokens.into_iter().for_each(|token| mask.insert(token));
        Self::Many(mask)
    }

    /// This set and more tokens.
    pub(super) fn with(&self, more: impl Iterator<Item = TokenId>, width: usize) -> Self {
        match self {
            Self::Few(tokens) => Self::new(tokens.iter().copied().chain(more).collect(), width),
            Self::Many(mask) => {
                let mut mask = mask.clone();
                more.for_each(|token| mask.insert(token));
                Self::Many(mask)
            }
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Self::Few(tokens) => size_of_val::<[TokenId]>(tokens),
            Self::Many(mask) => size_of_val(mask.words()),
        }
    }

    /// Adds the tokens to a mask.
    pub(super) fn add_to(&self, mask: &mut TokenMask) {
        match self {
            Self::Few(tokens) => tokens.iter().for_each(|token| mask.insert(*token)),
            Self::Many(words) => mask.union_words(words.words()),
        }
    }

    /// Makes the mask this set.
    pub(super) fn copy_to(&self, mask: &mut TokenMask) {
        match self {
            Self::Few(_) => {
                mask.clear();
                self.add_to(mask);
            }
            Self::Many(words) => mask.copy_words(words.words()),
        }
    }
}
