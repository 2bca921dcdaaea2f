//! Sets of tokens that many states share.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use foldhash::HashSet;

use crate::special::TokenId;
use crate::token_mask::{Base, Source, Target, TokenMask};

/// More tokens than this are kept as mask words: a token id costs 4 bytes, all words of 201,088 ids 25 KB.
const SPARSE_TOKENS: usize = 2048;

/// Room for the tokens that most sets list. With it the mean of mask and accept is 0.98 of what it was, and 0.97 when 64 MB are written before each file (500
/// files of maskbench-dev, with and without in turn, ten and eight times).
const USUAL: usize = 32;

/// More tokens than this are words, too, where masks begin with them more than once, as in numbers. With that the mean of mask and accept is 0.95 and p50 0.78 of
/// what it was (700 files of maskbench-dev, old and new in turn, five times); from 64 tokens on makes no difference.
const SHORT: usize = 128;

/// The width of a mask that these tokens fit in.
fn words_width(tokens: &[TokenId]) -> usize {
    tokens.iter().max().map_or(0, |last| *last as usize + 1)
}

/// A set of ordinary tokens.
#[derive(Debug)]
pub(super) enum TokenSet {
    Few(List),
    Many(Words),
}

/// Tokens one by one.
#[derive(Debug)]
pub(super) struct List {
    tokens: Box<[TokenId]>,
    was_begun: AtomicBool,
    words: OnceLock<Words>,
}

impl List {
    fn new(tokens: Vec<TokenId>) -> Self {
        Self { tokens: tokens.into(), was_begun: AtomicBool::new(false), words: OnceLock::new() }
    }

    fn is_short(&self) -> bool {
        self.tokens.len() <= SHORT
    }

    /// Words to begin a mask with, from the second time on that one begins with a list that is not short: where a mask is written over, what it began with
    /// is put back, and a long list is more than is remembered for that.
    fn words(&self) -> Option<&Words> {
        if self.is_short() || self.words.get().is_none() && !self.was_begun.swap(true, Ordering::Relaxed) {
            return None;
        }
        Some(self.words.get_or_init(|| Words::of(&self.tokens)))
    }
}

/// Tokens as the words of a mask.
#[derive(Debug)]
pub(super) struct Words {
    mask: TokenMask,
    source: Source,
}

impl Words {
    fn new(mask: TokenMask) -> Self {
        Self { mask, source: Source::new() }
    }

    fn of(tokens: &[TokenId]) -> Self {
        let mut mask = TokenMask::new(words_width(tokens));
        mask.as_mut().insert_all(tokens);
        Self::new(mask)
    }

    fn base(&self) -> Base<'_> {
        Base::new(self.source, self.mask.words())
    }
}

impl TokenSet {
    /// No tokens; ids will be below `width`.
    pub(super) fn builder(width: usize) -> Builder {
        Builder { few: Vec::with_capacity(USUAL), many: None, width }
    }

    /// The tokens so far, to add more.
    pub(super) fn to_builder(&self, width: usize) -> Builder {
        match self {
            Self::Few(list) => Builder { few: list.tokens.to_vec(), many: None, width },
            Self::Many(Words { mask, .. }) => Builder { few: Vec::new(), many: Some(mask.clone()), width },
        }
    }

    /// One of the tokens, always the same; `None` for the empty set.
    pub(super) fn first(&self) -> Option<TokenId> {
        match self {
            Self::Few(list) => list.tokens.first().copied(),
            Self::Many(words) => words.mask.iter().next(),
        }
    }

    /// The tokens, where they are at most `limit`.
    pub(super) fn at_most(&self, limit: usize) -> Option<&[TokenId]> {
        match self {
            Self::Few(list) => Some(&*list.tokens).filter(|tokens| tokens.len() <= limit),
            Self::Many(_) => None,
        }
    }

    /// Whether the tokens are listed, and fewer than those of another set, or those are not.
    pub(super) fn is_shorter(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Few(list), Self::Few(other)) => list.tokens.len() < other.tokens.len(),
            (Self::Few(_), Self::Many(_)) => true,
            (Self::Many(_), _) => false,
        }
    }

    /// Whether the tokens are listed.
    pub(super) fn is_few(&self) -> bool {
        matches!(self, Self::Few(_))
    }

    /// The bytes that it holds where no mask begins with it.
    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Self::Few(list) => size_of_val::<[TokenId]>(&list.tokens),
            Self::Many(words) => size_of_val(words.mask.words()),
        }
    }

    /// The bytes that it may come to hold where masks begin with it.
    pub(super) fn begun_bytes(&self) -> usize {
        let words = match self {
            Self::Few(list) if !list.is_short() => words_width(&list.tokens) / 8,
            Self::Few(_) | Self::Many(_) => 0,
        };
        self.memory_bytes() + words
    }

    /// Adds the tokens to a mask.
    pub(super) fn add_to(&self, target: &mut impl Target) {
        match self {
            Self::Few(list) => target.insert_all(&list.tokens),
            Self::Many(words) => target.union_words(words.mask.words()),
        }
    }

    /// Makes the mask this set.
    pub(super) fn begin(&self, target: &mut impl Target) {
        let words = match self {
            Self::Few(list) => list.words(),
            Self::Many(words) => Some(words),
        };
        if let Some(words) = words {
            return target.begin(words.base());
        }
        target.begin(Base::EMPTY);
        self.add_to(target);
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
        match self.many {
            None => TokenSet::Few(List::new(self.few)),
            Some(mask) => TokenSet::Many(Words::new(mask)),
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
        let is_long = set.begun_bytes() > set.memory_bytes();
        assert_eq!(is_long, (SHORT + 1..=SPARSE_TOKENS).contains(&(len as usize)), "{len}");
    }

    #[test]
    fn a_mask_that_begins_with_a_set_is_that_set() {
        [0, 1, 128, 129, 1_000].into_iter().for_each(check);
    }
}
