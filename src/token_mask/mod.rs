//! The set of tokens that may come next, as packed bits.
//!
//! Bit `t % 32` of word `t / 32` stands for token `t`, the layout in which vLLM and xgrammar hand masks to
//! their kernels. The width is the caller's: a model has more logits than its vocabulary has tokens, and the
//! bits of the rest stay clear.

mod refill;

use std::fmt;

use bitvec::{order::Lsb0, slice::BitSlice};

use crate::special::TokenId;
use refill::Sheet;
pub(crate) use refill::{Base, Source, Target};

const WORD: usize = u32::BITS as usize;

/// A set of tokens below a fixed width. A bit past the width is never set.
///
/// ```
/// # use harmony_mask::TokenMask;
/// let mut mask = TokenMask::new(100);
/// mask.insert(33);
/// mask.insert(100); // past the width: ignored
/// assert_eq!(mask.words(), [0, 0b10, 0, 0]);
/// assert_eq!(mask.iter().collect::<Vec<_>>(), [33]);
/// ```
///
/// One that a matcher fills again and again keeps up to three earlier ones beside itself, as the next may be
/// nearly one of these: some 100 KB in all for the vocabulary of gpt-oss.
#[derive(Clone)]
pub struct TokenMask {
    now: Sheet,
    /// What was there before, to be written on where that is less to write; the one that was put aside last
    /// is last.
    aside: Vec<Sheet>,
}

impl PartialEq for TokenMask {
    fn eq(&self, other: &Self) -> bool {
        self.now.bits == other.now.bits
    }
}

impl Eq for TokenMask {}

impl TokenMask {
    /// The empty set of tokens below `width`, which is the number of the model's logits.
    #[must_use]
    pub fn new(width: usize) -> Self {
        Self { now: Sheet::new(width), aside: Vec::new() }
    }

    /// One past the largest token that fits.
    #[must_use]
    pub fn width(&self) -> usize {
        self.now.bits.len()
    }

    /// The packed words, `width` divided by 32 and rounded up.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        self.now.bits.as_raw_slice()
    }

    /// The same bits, indexed by token.
    #[must_use]
    pub fn bits(&self) -> &BitSlice<u32, Lsb0> {
        &self.now.bits
    }

    /// The mask as a borrowed target, the form in which masks are filled.
    pub fn as_mut(&mut self) -> TokenMaskMut<'_> {
        self.now.forget();
        self.now.as_mut()
    }

    /// Removes every token.
    pub fn clear(&mut self) {
        self.as_mut().clear();
    }

    /// Adds a token; one at or past the width is ignored.
    pub fn insert(&mut self, token: TokenId) {
        self.as_mut().insert(token);
    }

    /// Takes a token out, where it is in the set.
    pub fn remove(&mut self, token: TokenId) {
        self.as_mut().remove(token);
    }

    /// Becomes the set in `source`; see [`TokenMaskMut::copy_words`].
    pub fn copy_words(&mut self, source: &[u32]) {
        self.as_mut().copy_words(source);
    }

    /// Adds the set in `source`; see [`TokenMaskMut::union_words`].
    pub fn union_words(&mut self, source: &[u32]) {
        self.as_mut().union_words(source);
    }

    /// Whether the token is in the set.
    #[must_use]
    pub fn contains(&self, token: TokenId) -> bool {
        self.now.bits.get(token as usize).is_some_and(|bit| *bit)
    }

    /// How many tokens are in the set.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words().iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The tokens in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = TokenId> + '_ {
        self.now.bits.iter_ones().map(|token| TokenId::try_from(token).expect("only token ids are inserted"))
    }
}

impl fmt::Debug for TokenMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenMask({} of {})", self.count(), self.width())
    }
}

/// A mask in somebody else's memory, such as one row of an engine's batch.
///
/// ```
/// # use harmony_mask::TokenMaskMut;
/// let mut row = [u32::MAX; 2];
/// let mut mask = TokenMaskMut::new(&mut row, 40);
/// mask.clear();
/// mask.insert(32);
/// assert_eq!(row, [0, 1]);
/// ```
pub struct TokenMaskMut<'a> {
    words: &'a mut [u32],
    width: usize,
}

impl<'a> TokenMaskMut<'a> {
    /// Borrows `words` as a mask of `width` tokens, or of as many as fit. Bits past the width are cleared at
    /// once.
    #[must_use]
    pub fn new(words: &'a mut [u32], width: usize) -> Self {
        let used = width.div_ceil(WORD).min(words.len());
        let (words, rest) = words.split_at_mut(used);
        rest.fill(0);
        let mut mask = Self { width: width.min(words.len() * WORD), words };
        mask.trim();
        mask
    }

    /// One past the largest token that fits.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Removes every token.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Adds a token; one at or past the width is ignored, [`TokenId::MAX`] always.
    ///
    /// There is no branch, because a walk cannot predict which nodes have tokens: over the whole trie of
    /// `o200k_harmony`, branching costs 1.86 ms and this 0.94 ms (`cargo bench --bench startup` has the
    /// walk).
    #[inline]
    pub fn insert(&mut self, token: TokenId) {
        let token = token as usize;
        let fits = token < self.width;
        if let Some(word) = self.words.get_mut(if fits { token / WORD } else { 0 }) {
            *word |= u32::from(fits) << (token % WORD);
        }
    }

    /// Takes a token out, where it is in the set.
    #[inline]
    pub fn remove(&mut self, token: TokenId) {
        if let Some(word) = self.words.get_mut(token as usize / WORD) {
            *word &= !(1 << (token as usize % WORD));
        }
    }

    /// Becomes the set in `source`, which may be shorter (the rest is empty) or longer (what does not fit is
    /// left out).
    pub fn copy_words(&mut self, source: &[u32]) {
        let common = source.len().min(self.words.len());
        let (copied, rest) = self.words.split_at_mut(common);
        copied.copy_from_slice(&source[..common]);
        rest.fill(0);
        self.trim();
    }

    /// Adds the set in `source`, which may be shorter or longer.
    pub fn union_words(&mut self, source: &[u32]) {
        for (word, more) in self.words.iter_mut().zip(source) {
            *word |= more;
        }
        self.trim();
    }

    /// Takes the set in `source` out, which may be shorter or longer.
    pub(crate) fn remove_words(&mut self, source: &[u32]) {
        self.words.iter_mut().zip(source).for_each(|(word, less)| *word &= !less);
    }

    /// The tokens in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = TokenId> + '_ {
        let bits = BitSlice::<u32, Lsb0>::from_slice(self.words);
        bits.iter_ones().map(|token| TokenId::try_from(token).expect("only token ids are inserted"))
    }

    /// Clears what was written past the width, which can only be in the last word.
    fn trim(&mut self) {
        if let (Some(last), used @ 1..) = (self.words.last_mut(), self.width % WORD) {
            *last &= (1 << used) - 1;
        }
    }
}

impl fmt::Debug for TokenMaskMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenMaskMut(of {})", self.width)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn set(words: &[u32], width: usize) -> BTreeSet<u32> {
        (0..width as u32)
            .filter(|t| words.get(*t as usize / 32).is_some_and(|w| w >> (t % 32) & 1 == 1))
            .collect()
    }

    fn check(mask: &TokenMask, expected: &BTreeSet<u32>) {
        assert_eq!(mask.iter().collect::<BTreeSet<_>>(), *expected);
        assert_eq!(set(mask.words(), mask.words().len() * 32), *expected, "bits past the width");
        assert_eq!(mask.words().len(), mask.width().div_ceil(32));
        assert_eq!(mask.count(), expected.len());
        assert!((0..mask.width() as u32 + 40).all(|token| mask.contains(token) == expected.contains(&token)));
        assert!(mask.iter().is_sorted());
    }

    proptest! {
        #[test]
        fn behaves_as_a_set(
            width in 0_usize..200,
            tokens in proptest::collection::vec(0_u32..250, 0..40),
            source in proptest::collection::vec(any::<u32>(), 0..9),
            row in proptest::collection::vec(any::<u32>(), 0..9),
        ) {
            let mut mask = TokenMask::new(width);
            tokens.iter().for_each(|token| mask.insert(*token));
            let mut expected: BTreeSet<u32> = tokens.into_iter().filter(|t| (*t as usize) < width).collect();
            check(&mask, &expected);
            expected.extend(set(&source, width));
            mask.union_words(&source);
            check(&mask, &expected);
            let mut copy = TokenMask::new(width);
            prop_assert_eq!(copy == mask, expected.is_empty());
            copy.copy_words(mask.words());
            prop_assert_eq!(&copy, &mask);
            copy.as_mut().remove_words(&source);
            check(&copy, &expected.difference(&set(&source, width)).copied().collect());
            mask.copy_words(&source);
            check(&mask, &set(&source, width));
            mask.clear();
            check(&mask, &BTreeSet::new());

            let mut borrowed = row.clone();
            let fitting = TokenMaskMut::new(&mut borrowed, width).width();
            prop_assert_eq!(fitting, width.min(row.len() * 32));
            prop_assert_eq!(set(&borrowed, row.len() * 32), set(&row, fitting));
        }
    }

    #[test]
    fn debug_is_short() {
        let mut mask = TokenMask::new(201_088);
        mask.insert(7);
        assert_eq!(format!("{mask:?}"), "TokenMask(1 of 201088)");
        assert_eq!(format!("{:?}", mask.as_mut()), "TokenMaskMut(of 201088)");
    }
}
