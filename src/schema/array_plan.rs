//! Arrays that count, or in which something must come again: which kinds of elements may come so that the
//! array can still be finished.
//!
//! How many elements were read and how many of them counted, each only as far as it matters, is a state;
//! there are finitely many. The least length of what remains from each state is found backwards, from the
//! longest arrays on. A state from which nothing leads to the end has none, and so an array that can be begun
//! can be finished.

use super::array_states::{ArrayStates, PlanState};
use super::values::{Bounds, Kind};
use crate::limits::{Budget, LimitExceeded};

/// What matters of an element: which counts it counts for, and its least length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedKind {
    pub counts_for: u32,
    pub len: u64,
}

/// What may come after each state of an array with counts.
#[derive(Clone, Debug)]
pub(crate) struct ArrayPlan {
    states: ArrayStates,
    /// Pairs of a state and a kind that may come then.
    ways: usize,
    /// The least length of what remains, the bracket included; by state.
    least: Vec<u64>,
    /// The same where two elements must be equal, and no two were.
    repeating: Option<Vec<u64>>,
}

/// The end cannot be reached.
const DEAD: u64 = u64::MAX;

/// Pairs of a state and a kind that are looked at for the price of one step.
pub(crate) const WAYS_PER_STEP: usize = 128;

impl ArrayPlan {
    /// `positions` are the kinds of the first elements, `rest` those of the others.
    ///
    /// # Errors
    ///
    /// When there are too many states, or too much work with them.
    pub(crate) fn new(
        positions: &[Vec<PlannedKind>],
        rest: &[PlannedKind],
        bounds: Bounds<'_>,
        budget: &Budget,
    ) -> Result<Self, LimitExceeded> {
        let states = ArrayStates::new(positions.len(), bounds, budget.limits().counter_states)?;
        let kinds = |read: u32| positions.get(read as usize).map_or(rest, Vec::as_slice);
        let per_read = states.len() / (states.most_read() as usize + 1);
        let ways = (0..=states.most_read())
            .fold(states.len(), |ways, read| ways.saturating_add(per_read.saturating_mul(kinds(read).len())));
        // Where two elements must be equal, all is looked at three times.
        budget.charge(1 + ways.saturating_mul(if bounds.repeats { 3 } else { 1 }) / WAYS_PER_STEP)?;
        let least = vec![DEAD; states.len()];
        let mut plan = Self { states, ways, least, repeating: None };
        for state in plan.states().rev() {
            plan.least[state.index()] = plan.least_from(state, kinds(plan.read(state)));
        }
        plan.repeating = bounds.repeats.then(|| plan.least_repeating(positions, rest));
        Ok(plan)
    }

    /// The least length of what remains where two of the elements to come must be equal, by state.
    fn least_repeating(&self, positions: &[Vec<PlannedKind>], rest: &[PlannedKind]) -> Vec<u64> {
        let mut least = vec![DEAD; self.least.len()];
        for state in self.states().rev() {
            let position = self.read(state) as usize;
            let len = |kind: &PlannedKind| kind.len.saturating_add(u64::from(position > 0));
            let later =
                |kind: &PlannedKind| least[self.next(state, kind.counts_for)?.index()].checked_add(len(kind));
            let twice = |kind: &PlannedKind| {
                let next = self.next(self.next(state, kind.counts_for)?, kind.counts_for)?;
                Some(self.least_len(next)?.saturating_add(len(kind)).saturating_add(kind.len + 1))
            };
            let kinds = positions.get(position).map_or(rest, Vec::as_slice).iter();
            // Beyond the prefix what is of a kind may be of it at the next position, too.
            let pairs = kinds.clone().filter(|_| position >= positions.len()).filter_map(twice);
            least[state.index()] = kinds.filter_map(later).chain(pairs).min().unwrap_or(DEAD);
        }
        least
    }

    /// All states. Each is after those that lead to it, or leads to itself.
    pub(crate) fn states(&self) -> impl DoubleEndedIterator<Item = PlanState> + ExactSizeIterator + use<> {
        self.states.all()
    }

    /// How much there is to look at in all states: pairs of a state and a kind that may come then.
    pub(crate) fn ways(&self) -> usize {
        self.ways
    }

    /// Before the first element.
    pub(crate) fn start() -> PlanState {
        ArrayStates::start()
    }

    /// The least length of what remains after the opening bracket or an element; `None` where the array
    /// cannot be finished.
    pub(crate) fn least_len(&self, state: PlanState) -> Option<u64> {
        Some(self.least[state.index()]).filter(|least| *least != DEAD)
    }

    /// The same where two of the elements to come must be equal.
    pub(crate) fn least_repeating_len(&self, state: PlanState) -> Option<u64> {
        self.repeating.as_ref().map(|least| least[state.index()]).filter(|least| *least != DEAD)
    }

    /// Whether two elements can still be made equal wherever an array may go on, with these kinds by
    /// position.
    pub(crate) fn can_always_repeat<'k>(&self, kinds: impl Fn(u32) -> &'k [Kind]) -> bool {
        let mut is_reached = vec![false; self.least.len()];
        is_reached[Self::start().index()] = true;
        for state in self.states() {
            if !is_reached[state.index()] {
                continue;
            }
            if self.least_repeating_len(state).is_none() {
                return false;
            }
            for next in kinds(self.read(state)).iter().filter_map(|kind| self.next(state, kind.counts_for)) {
                is_reached[next.index()] = true;
            }
        }
        true
    }

    /// How many elements were read, as far as it matters.
    pub(crate) fn read(&self, state: PlanState) -> u32 {
        self.states.read(state)
    }

    /// Whether the array may end.
    pub(crate) fn may_close(&self, state: PlanState) -> bool {
        self.states.may_close(state)
    }

    /// The state after one more element, if the array can then be finished.
    pub(crate) fn next(&self, state: PlanState, counts_for: u32) -> Option<PlanState> {
        self.states.after(state, counts_for).filter(|next| self.least_len(*next).is_some())
    }

    fn least_from(&self, state: PlanState, kinds: &[PlannedKind]) -> u64 {
        let comma = u64::from(self.read(state) > 0);
        let longer = kinds.iter().filter_map(|kind| {
            let next = self.states.after(state, kind.counts_for)?;
            // What leads back to the same state brings the end no nearer.
            Some(self.least_len(next)?.saturating_add(kind.len).saturating_add(comma))
        });
        longer.chain(self.may_close(state).then_some(1)).min().unwrap_or(DEAD)
    }
}

#[cfg(test)]
mod tests {
    use super::super::values::Count;
    use super::*;
    use crate::limits::Limits;

    fn plan(
        kinds: &[(u32, u64)],
        min_items: u32,
        max_items: Option<u32>,
        counts: &[(u32, Option<u32>)],
    ) -> ArrayPlan {
        let counts: Vec<_> = counts.iter().map(|&(min, max)| Count { min, max, from: 0 }).collect();
        let kinds: Vec<_> = kinds.iter().map(|&(counts_for, len)| PlannedKind { counts_for, len }).collect();
        let bounds = Bounds { min_items, max_items, counts: &counts, repeats: false };
        ArrayPlan::new(&[], &kinds, bounds, &Budget::from(&Limits::default())).unwrap()
    }

    #[test]
    fn the_least_length_is_exact() {
        // `]`, `x]`, `x,x]`
        assert_eq!(plan(&[(1, 1), (0, 3)], 0, None, &[(0, None)]).least_len(ArrayPlan::start()), Some(1));
        assert_eq!(plan(&[(1, 1), (0, 3)], 0, None, &[(2, None)]).least_len(ArrayPlan::start()), Some(4));
        assert_eq!(plan(&[(1, 1), (0, 3)], 3, None, &[(0, Some(1))]).least_len(ArrayPlan::start()), Some(10));
        assert_eq!(
            plan(&[(3, 9), (1, 1), (2, 2)], 0, Some(1), &[(1, None), (1, None)])
                .least_len(ArrayPlan::start()),
            Some(10)
        );
        assert_eq!(plan(&[(1, 1)], 0, Some(1), &[(2, None)]).least_len(ArrayPlan::start()), None);
    }

    #[test]
    fn only_what_can_be_finished_is_offered() {
        let plan = plan(&[(1, 1), (0, 1)], 0, Some(3), &[(2, Some(2))]);
        let other = plan.next(ArrayPlan::start(), 0).expect("two places are left");
        assert!(plan.next(other, 0).is_none(), "both must count now");
        let counted = plan.next(other, 1).and_then(|state| plan.next(state, 1)).expect("two counted");
        assert!(
            plan.may_close(counted) && plan.next(counted, 1).is_none() && plan.next(counted, 0).is_none()
        );
    }

    #[test]
    fn states_times_kinds_are_work() {
        let bounds = Bounds { min_items: 1000, max_items: None, counts: &[], repeats: false };
        let kinds = [PlannedKind { counts_for: 0, len: 1 }; 100];
        let limits = Limits { work: 500, ..Limits::default() };
        let error = ArrayPlan::new(&[], &kinds, bounds, &Budget::from(&limits)).expect_err("too much");
        assert_eq!((error.what, error.given), ("work", 1 + 1001 * 101 / WAYS_PER_STEP));
    }
}
