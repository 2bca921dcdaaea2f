//! How many characters each plain token begins, as planes of bits.
//!
//! Where a string has a greatest length, each length that may be left has tokens of its own: those of at most
//! so many characters. A comparison of planes decides on 32 tokens at once and is what compilers make vector
//! instructions of. Against comparing numbers one by one, p99 of the masks of five Snowplow files with
//! greatest lengths went from 282 to 102 µs (old and new in turn, three times).
//!
//! Few tokens are long: of `o200k_harmony` 667 of 195,594 begin 15 characters or more. They are listed, so
//! that there are four planes, not eight, and none is looked at where 15 characters or more are left. Mean
//! and p99 of mask + accept are 0.97 and 0.94 of what they were with eight (1,500 files of maskbench-dev, old
//! and new in turn, four times).
//!
//! `build.rs` compiles this file too.

use std::borrow::Cow;

use super::shapes::Shapes;

/// As many as [`LONG`] has bits.
const PLANES: usize = 4;

/// Tokens that begin so many characters are long. In the planes it also stands for what is not plain.
const LONG: u32 = (1 << PLANES) - 1;

/// The characters that plain tokens begin.
#[derive(Debug)]
pub(crate) struct Characters {
    /// The planes, one after the other. Bit `t % 32` of word `t / 32` of plane `p` has weight `2^p` in the
    /// number of token `t`; all bits of what is long or not plain are set.
    pub(crate) planes: Cow<'static, [u32]>,
    /// The long tokens, `token | characters << 24`, by their characters.
    pub(crate) long: Cow<'static, [u32]>,
}

impl Characters {
    /// Those of the tokens of `plain`; ids are below `ids`.
    pub(crate) fn new(plain: &Shapes, ids: usize) -> Self {
        let words = ids.div_ceil(32);
        let (mut planes, mut long) = (vec![u32::MAX; PLANES * words], Vec::new());
        for place in 0..plain.len() {
            let characters = u32::from(plain.shape(place).characters);
            let tokens = &plain.tokens[plain.tokens(place..place + 1)];
            if characters >= LONG {
                long.extend(tokens.iter().map(|token| token | characters << 24));
                continue;
            }
            let clear = (0..PLANES).filter(|plane| characters >> plane & 1 == 0);
            for (plane, token) in clear.flat_map(|plane| tokens.iter().map(move |token| (plane, token))) {
                planes[plane * words + *token as usize / 32] &= !(1 << (token % 32));
            }
        }
        long.sort_unstable_by_key(|packed| (packed >> 24, *packed));
        Self { planes: planes.into(), long: long.into() }
    }

    /// The mask words of all plain tokens.
    pub(crate) fn all(&self) -> Vec<u32> {
        let mut words = self.compare(LONG - 1);
        self.longer(0).for_each(|token| words[token as usize / 32] |= 1 << (token % 32));
        words
    }

    /// The mask words of the plain tokens that begin at most so many characters; `None` where long ones are
    /// among them.
    pub(crate) fn at_most(&self, most: u32) -> Option<Vec<u32>> {
        (most < LONG).then(|| self.compare(most))
    }

    /// The long tokens that begin more characters.
    pub(crate) fn longer(&self, most: u32) -> impl Iterator<Item = u32> {
        let first = self.long.partition_point(|packed| packed >> 24 <= most);
        self.long[first..].iter().map(|packed| packed & 0xff_ffff)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.planes) + size_of_val(&*self.long)
    }

    /// The mask words of the tokens that begin at most so many characters, fewer than long ones do.
    fn compare(&self, most: u32) -> Vec<u32> {
        let ones: [u32; PLANES] = std::array::from_fn(|plane| (most >> plane & 1).wrapping_neg());
        let compare = |bits: [u32; PLANES]| {
            let planes = bits.into_iter().zip(ones).rev();
            let (less, equal) = planes.fold((0, u32::MAX), |(less, equal), (bits, ones)| {
                (less | equal & !bits & ones, equal & !(bits ^ ones))
            });
            less | equal
        };
        let words = self.planes.len() / PLANES;
        let plane = |at: usize| &self.planes[at * words..][..words];
        let bits = plane(0).iter().zip(plane(1)).zip(plane(2)).zip(plane(3));
        bits.map(|(((first, second), third), fourth)| compare([*first, *second, *third, *fourth])).collect()
    }
}
