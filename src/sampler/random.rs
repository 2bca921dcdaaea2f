//! A small deterministic generator (splitmix64): the same seed gives the same walks on every machine, whatever other crates do.

/// Pseudo-random numbers, good enough to choose tokens.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        // Below `bound`, so it fits.
        ((word ^ (word >> 31)) % bound as u64) as usize
    }

    /// Whether a die with so many sides shows its first.
    pub(super) fn one_in(&mut self, sides: usize) -> bool {
        self.below(sides) == 0
    }
}
