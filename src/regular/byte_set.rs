//! Sets of bytes, as 256 bits.

/// A set of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// No byte.
    pub const EMPTY: Self = Self([0; 4]);
    /// Every byte.
    pub const ALL: Self = Self([u64::MAX; 4]);

    /// Whether the byte is in the set.
    #[must_use]
    pub fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    /// The bytes from `first` to `last`.
    #[must_use]
    pub const fn range(first: u8, last: u8) -> Self {
        let mut words = [0; 4];
        let mut byte = first as usize;
        while byte <= last as usize {
            words[byte >> 6] |= 1 << (byte & 63);
            byte += 1;
        }
        Self(words)
    }

    /// The bytes in either set.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        let [a, b, c, d] = self.0;
        let [e, f, g, h] = other.0;
        Self([a | e, b | f, c | g, d | h])
    }

    /// The bytes in both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        let [a, b, c, d] = self.0;
        let [e, f, g, h] = other.0;
        Self([a & e, b & f, c & g, d & h])
    }

    /// The bytes that are not in the set.
    #[must_use]
    pub const fn complement(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([!a, !b, !c, !d])
    }

    /// How many bytes there are in the set.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The byte, where there is one and no other.
    #[must_use]
    pub fn only(&self) -> Option<u8> {
        self.iter().next().filter(|_| self.len() == 1)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    /// The bytes in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u8> {
        (0..=3).zip(self.0).flat_map(|(place, word)| {
            // Without its lowest bit, as long as there is one.
            let rest = std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)));
            rest.take_while(|word| *word != 0).map(move |word| place << 6 | word.trailing_zeros() as u8)
        })
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        let mut words = [0; 4];
        bytes.into_iter().for_each(|byte| words[usize::from(byte >> 6)] |= 1 << (byte & 63));
        Self(words)
    }
}

#[cfg(test)]
mod tests {
    use super::ByteSet;

    #[test]
    fn byte_sets_list_their_bytes() {
        for bytes in [vec![], vec![0], vec![63, 64, 127, 128, 255], (0..=255).collect()] {
            let set: ByteSet = bytes.iter().copied().collect();
            assert_eq!(set.iter().collect::<Vec<u8>>(), bytes);
            assert!((0..=255).all(|byte| set.contains(byte) == bytes.contains(&byte)));
            assert_eq!((set.len() as usize, set.is_empty()), (bytes.len(), bytes.is_empty()));
            assert_eq!(set.only(), bytes.first().copied().filter(|_| bytes.len() == 1));
        }
    }

    #[test]
    fn byte_sets_are_sets() {
        let (some, more) = (ByteSet::range(60, 130), ByteSet::range(128, 255));
        assert!(some.iter().eq(60..=130));
        assert!(some.or(more).iter().eq(60..=255));
        assert!(some.and(more).iter().eq(128..=130));
        assert!(some.complement().iter().eq((0..60).chain(131..=255)));
        assert_eq!(ByteSet::range(0, 255), ByteSet::ALL);
    }
}
