//! The states of an array that counts: how many elements were read and how many of them counted, each only as
//! far as it matters.

use super::values::{Bounds, Count};
use crate::limits::LimitExceeded;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PlanState(u32);

impl PlanState {
    /// Its place among all of them.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// All of them, by number: the elements read are the lowest digit, then each count has one.
#[derive(Clone, Debug)]
pub(crate) struct ArrayStates {
    len: usize,
    /// Elements, counted as far as it matters, and whether there can be no more.
    items: u32,
    is_bounded: bool,
    min_items: u32,
    counts: Vec<Count>,
}

impl ArrayStates {
    /// Those of an array with so many elements before all others are alike.
    ///
    /// # Errors
    ///
    /// When there are more than `limit`.
    pub(super) fn new(prefix: usize, bounds: Bounds<'_>, limit: usize) -> Result<Self, LimitExceeded> {
        let items = bounds.lengths(prefix);
        let mut sizes = bounds.counts.iter().map(|count| ceiling(count) as usize + 1);
        let len = sizes.try_fold(items as usize + 1, usize::checked_mul).unwrap_or(usize::MAX);
        // They are numbered in 32 bits.
        let limit = limit.min(u32::MAX as usize);
        if len > limit {
            return Err(LimitExceeded { what: "counter_states", limit, given: len });
        }
        let Bounds { min_items, max_items, counts, .. } = bounds;
        Ok(Self { len, items, is_bounded: max_items.is_some(), min_items, counts: counts.to_vec() })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// All of them. Each is after those that lead to it, or leads to itself.
    pub(super) fn all(&self) -> impl DoubleEndedIterator<Item = PlanState> + ExactSizeIterator + use<> {
        (0..self.len).map(|state| PlanState(state as u32))
    }

    /// Those in which so many elements were read.
    pub(super) fn with_read(&self, read: u32) -> impl Iterator<Item = PlanState> + use<> {
        (read as usize..self.len).step_by(self.items as usize + 1).map(|state| PlanState(state as u32))
    }

    /// The one at a place among all.
    pub(super) fn at(index: usize) -> PlanState {
        PlanState(index as u32)
    }

    /// Before the first element.
    pub(super) fn start() -> PlanState {
        PlanState(0)
    }

    /// How many elements were read, as far as it matters.
    pub(super) fn read(&self, state: PlanState) -> u32 {
        state.0 % (self.items + 1)
    }

    /// The most that [`read`](Self::read) gives.
    pub(super) fn most_read(&self) -> u32 {
        self.items
    }

    /// Whether the array may end.
    pub(super) fn may_close(&self, state: PlanState) -> bool {
        let (read, mut counted) = self.split(state);
        read >= self.min_items
            && self.counts.iter().all(|count| {
                let size = ceiling(count) + 1;
                let so_far = counted % size;
                counted /= size;
                so_far >= count.min
            })
    }

    /// The state after one more element; `None` where there are too many then.
    pub(super) fn after(&self, state: PlanState, counts_for: u32) -> Option<PlanState> {
        let (read, mut counted) = self.split(state);
        if self.is_bounded && read == self.items {
            return None;
        }
        let mut next = (read + 1).min(self.items);
        let mut weight = self.items + 1;
        for (index, count) in self.counts.iter().enumerate() {
            let size = ceiling(count) + 1;
            let mut so_far = counted % size;
            counted /= size;
            if counts_for >> index & 1 == 1 {
                if count.max == Some(so_far) {
                    return None;
                }
                so_far = (so_far + 1).min(size - 1);
            }
            next += so_far * weight;
            weight = weight.saturating_mul(size);
        }
        Some(PlanState(next))
    }

    /// How many elements may have been read before the last one.
    pub(super) fn reads_before(&self, state: PlanState) -> impl Iterator<Item = u32> + use<> {
        let read = self.read(state);
        let stays = !self.is_bounded && read == self.items;
        read.checked_sub(1).into_iter().chain(stays.then_some(read))
    }

    /// Puts into `found` the states in which so many elements were read, one of
    /// [`reads_before`](Self::reads_before), and which one that counts for these leads to `state`.
    pub(super) fn before(&self, state: PlanState, read: u32, counts_for: u32, found: &mut Vec<PlanState>) {
        let (now, mut counted) = self.split(state);
        found.clear();
        found.push(PlanState(state.0 - now + read));
        let mut weight = self.items + 1;
        for (index, count) in self.counts.iter().enumerate() {
            let size = ceiling(count) + 1;
            let so_far = counted % size;
            counted /= size;
            if counts_for >> index & 1 == 1 {
                // There may have been one fewer, or enough already.
                let was_enough = count.max.is_none() && so_far == size - 1;
                let kept = if was_enough { found.len() } else { 0 };
                if so_far > 0 {
                    found.extend_from_within(..kept);
                    found[kept..].iter_mut().for_each(|before| before.0 -= weight);
                } else {
                    found.truncate(kept);
                }
            }
            weight = weight.saturating_mul(size);
        }
    }

    fn split(&self, state: PlanState) -> (u32, u32) {
        (state.0 % (self.items + 1), state.0 / (self.items + 1))
    }
}

/// As far as a count matters.
fn ceiling(count: &Count) -> u32 {
    count.max.unwrap_or(count.min)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least and the greatest number, where there is one.
    type Range = (u32, Option<u32>);

    /// Lengths, and counts.
    const CASES: &[(Range, &[Range])] = &[
        ((0, None), &[]),
        ((2, None), &[(0, None)]),
        ((0, Some(3)), &[(2, None), (0, Some(1))]),
        ((1, None), &[(2, None), (0, Some(0)), (1, Some(3))]),
        ((0, Some(0)), &[(1, None)]),
    ];

    #[test]
    fn what_is_before_is_what_leads_there() {
        for &((min_items, max_items), counts) in CASES {
            let counts: Vec<_> = counts.iter().map(|&(min, max)| Count { min, max, from: 0 }).collect();
            let bounds = Bounds { min_items, max_items, counts: &counts, repeats: false };
            let states = ArrayStates::new(2, bounds, 1000).expect("few");
            for (state, counts_for) in states.all().flat_map(|state| (0..8).map(move |bits| (state, bits))) {
                let (mut before, mut found) = (Vec::new(), Vec::new());
                for read in states.reads_before(state) {
                    states.before(state, read, counts_for, &mut found);
                    assert!(found.iter().all(|before| states.read(*before) == read));
                    before.append(&mut found);
                }
                before.sort_by_key(|state| state.index());
                let leads = |before: &PlanState| states.after(*before, counts_for) == Some(state);
                let expected: Vec<_> = states.all().filter(leads).collect();
                assert_eq!(before, expected, "{bounds:?}: {state:?} by {counts_for:b}");
            }
        }
    }

    #[test]
    fn they_are_counted_before_they_are_made() {
        let counts = [(); 2].map(|()| Count { min: 100, max: None, from: 0 });
        let bounds = Bounds { min_items: 1, max_items: Some(1000), counts: &counts, repeats: false };
        let error = ArrayStates::new(0, bounds, 10_000).expect_err("too many");
        assert_eq!((error.what, error.given), ("counter_states", 1001 * 101 * 101));
    }
}
