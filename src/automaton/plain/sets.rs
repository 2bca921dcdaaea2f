//! States that are followed together.
//!
//! An automaton may tell letters apart without one of them being worse than another: in names that hold
//! `[0-9a-f]{32}` somewhere, a text leads to one of 33 states, and all go on with any letter. What is read
//! does not depend on which of them it is, so the set of them is followed instead. Sets are numbered, and
//! where each leads is remembered: thousands of shapes ask for some dozens of steps. The slowest masks of
//! `Github_hard---o16749` (format `regex`) and `Github_trivial---o78129` (those names) take 0.19 and 0.46
//! instead of 1.7 and 1.3 ms (old and new in turn, least of eight runs).

use std::rc::Rc;

use foldhash::HashMap;

use super::bytes::{After, ByteRuns};
use crate::regular::StateId;

pub(super) type SetId = usize;

/// Sets of states of one automaton.
#[derive(Default)]
pub(super) struct Sets {
    sets: Vec<Rc<[StateId]>>,
    numbers: HashMap<Rc<[StateId]>, SetId>,
    steps: HashMap<(SetId, u8, u8), Step>,
}

/// Where the bytes of a range lead from a set.
#[derive(Clone, Copy)]
pub(super) enum Step {
    Set(SetId),
    Nowhere,
    /// From some states or by some bytes nowhere, or to many states.
    Apart,
}

impl Sets {
    pub(super) fn states(&self, set: SetId) -> &[StateId] {
        &self.sets[set]
    }

    /// The number of a set; the states are in ascending order.
    pub(super) fn number(&mut self, states: &[StateId]) -> SetId {
        if let Some(known) = self.numbers.get(states) {
            return *known;
        }
        let (set, number) = (Rc::from(states), self.sets.len());
        self.sets.push(Rc::clone(&set));
        self.numbers.insert(set, number);
        number
    }

    pub(super) fn step(&mut self, bytes: &ByteRuns<'_>, set: SetId, first: u8, last: u8) -> Step {
        if let Some(known) = self.steps.get(&(set, first, last)) {
            return *known;
        }
        let step = match bytes.after(&self.sets[set], first, last) {
            After::States(states) => Step::Set(self.number(&states)),
            After::Nowhere => Step::Nowhere,
            After::Apart => Step::Apart,
        };
        self.steps.insert((set, first, last), step);
        step
    }
}
