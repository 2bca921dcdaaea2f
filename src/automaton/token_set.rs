//! Sets of tokens that many states share.

use foldhash::HashSet;

use crate::special::TokenId;
use crate::token_mask::{Base, Source, Target, TokenMask};

/// More tokens than this are kept as mask words: a token id costs 4 bytes, all words of 201,088 ids 25 KB.
const SPARSE_TOKENS: usize = 2048;

/// Room for the tokens that most sets list. With it the mean of mask and accept is 0.98 of what it was, and
/// 0.97 when 64 MB are written before each file (500 files of maskbench-dev, with and without in turn, ten
/// and eight times).
const USUAL: usize = 32;

/// Masks do not begin with fewer tokens than this, but with none: the words of that are more often at hand.
/// Longer lists, as in numbers, are more than is remembered of a mask: when masks began with none and had
/// these added, a quarter of all had to be cleared (counted in 150 files of maskbench-dev). That they begin
/// with the list made p50 of mask and accept 0.8 and the mean 0.95 of what it was (700 files, old and new in
/// turn); from 64 tokens on makes no difference.
const SHORT: usize = 128;

/// A set of ordinary tokens.
#[derive(Debug)]
pub(super) enum TokenSet {
    Few { tokens: Box<[TokenId]>, source: Source },
    Many { mask: TokenMask, source: Source },
}

impl TokenSet {
    /// No tokens; ids will be below `width`.
    pub(super) fn builder(width: usize) -> Builder {
        Builder { few: Vec::with_capacity(USUAL), many: None, width }
    }

    /// The tokens so far, to add more.
    pub(super) fn to_builder(&self, width: usize) -> Builder {
        match self {
            Self::Few { tokens, .. } => Builder { few: tokens.to_vec(), many: None, width },
            Self::Many { mask, .. } => Builder { few: Vec::new(), many: Some(mask.clone()), width },
        }
    }

    /// One of the tokens, always the same; `None` for the empty set.
    pub(super) fn first(&self) -> Option<TokenId> {
        match self {
            Self::Few { tokens, .. } => tokens.first().copied(),
            Self::Many { mask, .. } => mask.iter().next(),
        }
    }

    /// The tokens, where they are at most `limit`.
    pub(super) fn at_most(&self, limit: usize) -> Option<&[TokenId]> {
        match self {
            Self::Few { tokens, .. } => Some(&**tokens).filter(|tokens| tokens.len() <= limit),
            Self::Many { .. } => None,
        }
    }

    /// Whether the tokens are listed, and fewer than those of another set, or those are not.
    pub(super) fn is_shorter(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Few { tokens, .. }, Self::Few { tokens: others, .. }) => tokens.len() < others.len(),
            (Self::Few { .. }, Self::Many { .. }) => true,
            (Self::Many { .. }, _) => false,
        }
    }

    /// Whether the tokens are listed.
    pub(super) fn is_few(&self) -> bool {
        matches!(self, Self::Few { .. })
    }

    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Self::Few { tokens, .. } => size_of_val::<[TokenId]>(tokens),
            Self::Many { mask, .. } => size_of_val(mask.words()),
        }
    }

    /// Adds the tokens to a mask.
    pub(super) fn add_to(&self, target: &mut impl Target) {
        match self {
            Self::Few { tokens, .. } => target.insert_all(tokens),
            Self::Many { mask, .. } => target.union_words(mask.words()),
        }
    }

    /// Makes the mask this set.
    pub(super) fn begin(&self, target: &mut impl Target) {
        match self {
            Self::Few { tokens, source } if tokens.len() > SHORT => {
                target.begin(Base::of_tokens(*source, tokens));
            }
            Self::Few { tokens, .. } => {
                target.begin(Base::EMPTY);
                target.insert_all(tokens);
            }
            Self::Many { mask, source } => target.begin(Base::new(*source, mask.words())),
        }
    }
}

/// A set that grows.
pub(super) struct Builder {
    few: Vec<TokenId>,
    many: Option<TokenMask>,
    width: usize,
}

impl Builder {
    pub(super) fn insert(&mut self, token: TokenId) {
        match &mut self.many {
            Some(mask) => mask.insert(token),
            None if self.few.len() < SPARSE_TOKENS => self.few.push(token),
            None => {
                self.mask().insert(token);
            }
        }
    }

    pub(super) fn insert_all(&mut self, tokens: &[TokenId]) {
        if self.many.is_none() && self.few.len() + tokens.len() <= SPARSE_TOKENS {
            return self.few.extend(tokens);
        }
        let mut mask = self.mask().as_mut();
        tokens.iter().for_each(|token| mask.insert(*token));
    }

    pub(super) fn remove_all(&mut self, tokens: &[TokenId]) {
        if self.many.is_none() {
            let removed: HashSet<_> = tokens.iter().collect();
            return self.few.retain(|token| !removed.contains(token));
        }
        let mut mask = self.mask().as_mut();
        tokens.iter().for_each(|token| mask.remove(*token));
    }

    /// Adds the tokens of mask words.
    pub(super) fn insert_words(&mut self, words: &[u32]) {
        self.mask().union_words(words);
    }

    /// Takes the tokens of mask words out.
    pub(super) fn remove_words(&mut self, words: &[u32]) {
        self.mask().as_mut().remove_words(words);
    }

    pub(super) fn finish(self) -> TokenSet {
        let source = Source::new();
        match self.many {
            None => TokenSet::Few { tokens: self.few.into(), source },
            Some(mask) => TokenSet::Many { mask, source },
        }
    }

    fn mask(&mut self) -> &mut TokenMask {
        let Self { few, many, width } = self;
        many.get_or_insert_with(|| {
            let mut mask = TokenMask::new(*width);
            few.drain(..).for_each(|token| mask.insert(token));
            mask
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mask begins with a set again and again, and with another in between.
    fn check(len: u32) {
        let (width, other) = (4_000, Source::new());
        let mut builder = TokenSet::builder(width);
        (0..len).rev().for_each(|token| builder.insert(3 * token));
        let set = builder.finish();
        let mut mask = TokenMask::new(width);
        for round in 0..4 {
            let added = 3 * round + 1;
            mask.refill(Source::new(), |mask| {
                set.begin(mask);
                mask.insert_all(&[added]);
            });
            let mut all: Vec<_> = (0..len).map(|token| 3 * token).chain([added]).collect();
            all.sort_unstable();
            assert_eq!(mask.iter().collect::<Vec<_>>(), all, "{len} tokens, {round}");
            mask.refill(other, |mask| mask.begin(Base::EMPTY));
        }
    }

    #[test]
    fn a_mask_that_begins_with_a_set_is_that_set() {
        [0, 1, 128, 129, 1_000].into_iter().for_each(check);
    }
}
