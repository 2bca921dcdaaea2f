//! The least length of an array that counts, while the lengths of its elements are being found.
//!
//! The states of the array are settled like the nodes of [`least_len`](super::least_len), in the same order,
//! from short to long: a state is as long as a kind of element and the state after it, so it is known when
//! both are. Each pair of a state and a kind is looked at twice, once for each of the two, however many kinds
//! there are; a plan that was made anew for each kind took half a minute for ten `contains`.

use super::array_plan::{PlannedKind, WAYS_PER_STEP};
use super::array_states::{ArrayStates, PlanState};
use super::cells::{ArrayCell, CountCell};
use super::values::Bounds;
use crate::limits::{Budget, LimitExceeded};

/// One array.
pub(super) struct Counted {
    states: ArrayStates,
    /// Elements before those that are all alike.
    prefix: usize,
    repeats: bool,
    /// The kinds that are settled, by position; those behind the prefix come last.
    kinds: Vec<Vec<PlannedKind>>,
    /// The least length known of what remains, the bracket included, by state; then by state where two
    /// elements must still be equal.
    least: Vec<u64>,
    /// The length of the array, once it is known.
    len: Option<u64>,
    budget: Budget,
    /// Pairs of a state and a kind that were looked at and not charged for.
    unpaid: usize,
}

/// A place in [`Counted::least`] whose length may not be final yet.
pub(super) type Pending = usize;

/// What takes the places for which a shorter length was found.
pub(super) type Shorter<'f> = &'f mut dyn FnMut(u64, Pending);

/// No way to the end is known.
const UNKNOWN: u64 = u64::MAX;

impl Counted {
    /// Nothing is known of the elements yet.
    pub(super) fn new(array: &ArrayCell, prefix: usize, budget: &Budget) -> Result<Self, LimitExceeded> {
        let counts: Vec<_> = array.counts.iter().map(CountCell::bounds).collect();
        let ArrayCell { min_items, max_items, repeats, .. } = *array;
        let bounds = Bounds { min_items, max_items, counts: &counts, repeats };
        let states = ArrayStates::new(prefix, bounds, budget.limits().counter_states)?;
        budget.charge(1 + states.len() / WAYS_PER_STEP)?;
        let mut least = vec![UNKNOWN; states.len() * if repeats { 2 } else { 1 }];
        for state in states.all().filter(|state| states.may_close(*state)) {
            least[state.index()] = 1;
        }
        let len = (!repeats && states.may_close(ArrayStates::start())).then_some(2);
        let (kinds, budget) = (vec![Vec::new(); prefix + 1], budget.clone());
        Ok(Self { states, prefix, repeats, kinds, least, len, budget, unpaid: 0 })
    }

    /// The length, its brackets included, once it is known.
    pub(super) fn len(&self) -> Option<u64> {
        self.len
    }

    /// Takes a kind that is settled, when all places up to the length `reached` are.
    pub(super) fn add_kind(
        &mut self,
        position: usize,
        kind: PlannedKind,
        reached: u64,
        shorter: Shorter<'_>,
    ) -> Result<(), LimitExceeded> {
        if self.len.is_some() {
            return Ok(());
        }
        self.kinds[position].push(kind);
        let first = position as u32;
        let last = if position < self.prefix { first } else { self.states.most_read() };
        let per_read = self.states.len() / (self.states.most_read() as usize + 1);
        self.charge((last - first + 1) as usize * per_read)?;
        for read in first..=last {
            for state in self.states.with_read(read) {
                self.lead_on(state, kind, reached, shorter);
            }
        }
        Ok(())
    }

    /// Takes a place that is settled: it is that long.
    pub(super) fn settle(
        &mut self,
        pending: Pending,
        len: u64,
        shorter: Shorter<'_>,
    ) -> Result<(), LimitExceeded> {
        // The array is done, or the place was found to be shorter.
        if self.len.is_some() || self.least[pending] != len {
            return Ok(());
        }
        let must_repeat = pending >= self.states.len();
        let repeating = if must_repeat { self.states.len() } else { 0 };
        let state = ArrayStates::at(pending - repeating);
        if state == ArrayStates::start() && must_repeat == self.repeats {
            self.finish(len);
            return Ok(());
        }
        let (ways, looked_at) = self.ways_to(state);
        self.charge(looked_at)?;
        for (before, kind) in ways {
            self.offer(before.index() + repeating, len, self.own_len(before, kind), shorter);
            if self.repeats && !must_repeat {
                self.offer_twice(before, kind, len, shorter);
            }
        }
        Ok(())
    }

    /// The length where no way is left to be found by which two elements are equal, though they must be: such
    /// arrays are refused by name later on.
    pub(super) fn fall_back(&mut self) -> Option<u64> {
        // Nothing is kept of an array whose length is known.
        let least = self.least.get(ArrayStates::start().index()).copied();
        self.finish(least.filter(|least| *least != UNKNOWN)?);
        self.len
    }

    /// Nothing more is asked of an array whose length is known.
    fn finish(&mut self, least: u64) {
        self.len = Some(least.saturating_add(1));
        (self.least, self.kinds) = (Vec::new(), Vec::new());
    }

    /// Offers what a kind makes of a state, where what follows it is settled.
    fn lead_on(&mut self, state: PlanState, kind: PlannedKind, reached: u64, shorter: Shorter<'_>) {
        let Some(next) = self.states.after(state, kind.counts_for) else { return };
        let (repeating, own) = (self.states.len(), self.own_len(state, kind));
        if let Some(len) = self.settled(next.index(), reached) {
            self.offer(state.index(), len, own, shorter);
        }
        if !self.repeats {
            return;
        }
        if let Some(len) = self.settled(next.index() + repeating, reached) {
            self.offer(state.index() + repeating, len, own, shorter);
        }
        let twice = self.states.after(next, kind.counts_for);
        if let Some(len) = twice.and_then(|twice| self.settled(twice.index(), reached)) {
            self.offer_pair(state, kind, len, shorter);
        }
    }

    /// Offers what two equal elements make of the states before a state and a kind, when what follows both is
    /// that long.
    fn offer_twice(&mut self, state: PlanState, kind: PlannedKind, len: u64, shorter: Shorter<'_>) {
        let mut found = Vec::new();
        for read in self.states.reads_before(state) {
            self.states.before(state, read, kind.counts_for, &mut found);
            for before in found.drain(..) {
                self.offer_pair(before, kind, len, shorter);
            }
        }
    }

    /// Offers what two equal elements make of a state. Beyond the prefix what is of a kind may be of it at
    /// the next position, too.
    fn offer_pair(&mut self, state: PlanState, kind: PlannedKind, len: u64, shorter: Shorter<'_>) {
        if self.states.read(state) as usize >= self.prefix {
            let both = self.own_len(state, kind).saturating_add(kind.len).saturating_add(1);
            self.offer(state.index() + self.states.len(), len, both, shorter);
        }
    }

    fn offer(&mut self, place: Pending, rest: u64, own: u64, shorter: Shorter<'_>) {
        let len = rest.saturating_add(own).min(UNKNOWN - 1);
        if len < self.least[place] {
            self.least[place] = len;
            shorter(len, place);
        }
    }

    /// The length of a place, where it is final.
    fn settled(&self, place: Pending, reached: u64) -> Option<u64> {
        Some(self.least[place]).filter(|least| *least <= reached)
    }

    /// The length of an element after a state, with the comma before it.
    fn own_len(&self, state: PlanState, kind: PlannedKind) -> u64 {
        kind.len.saturating_add(u64::from(self.states.read(state) > 0))
    }

    /// The states and settled kinds that lead to a state, and how much was looked at.
    fn ways_to(&self, state: PlanState) -> (Vec<(PlanState, PlannedKind)>, usize) {
        let (mut ways, mut found, mut looked_at) = (Vec::new(), Vec::new(), 1);
        for read in self.states.reads_before(state) {
            let kinds = &self.kinds[self.prefix.min(read as usize)];
            for kind in kinds {
                self.states.before(state, read, kind.counts_for, &mut found);
                ways.extend(found.drain(..).map(|before| (before, *kind)));
            }
            looked_at += kinds.len();
        }
        looked_at += ways.len();
        (ways, looked_at)
    }

    /// Charges for pairs of a state and a kind; what is less than a step is kept for later.
    fn charge(&mut self, looked_at: usize) -> Result<(), LimitExceeded> {
        self.unpaid += looked_at;
        let steps = self.unpaid / WAYS_PER_STEP;
        self.unpaid %= WAYS_PER_STEP;
        if steps > 0 { self.budget.charge(steps) } else { Ok(()) }
    }
}
