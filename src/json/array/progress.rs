//! What was read of an array.

use std::sync::Arc;

use serde_json::Value;

use crate::json::list::{List, held_bytes};
use crate::schema::{ArrayPlan, PlanState, are_equal};

/// As far as it matters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Progress {
    /// How many elements; where they need not differ, to the end of the prefix and the bounds.
    pub(super) read: u32,
    /// The same with what was counted, for an array with a plan.
    pub(super) plan: PlanState,
    /// Whether something is still to be counted, and the last element brought the end no nearer.
    pub(super) waits: bool,
    /// The elements that were read, where they must differ, or where two must be equal and none were.
    pub(super) seen: Seen,
    /// Whether two elements were equal, where two must be.
    pub(super) has_repeated: bool,
    /// What remains of the arrays to avoid that agree so far.
    pub(super) avoid: List<Vec<Value>>,
}

impl Progress {
    /// Nothing read of an array that must not be one of these.
    pub(super) fn start(avoid: List<Vec<Value>>) -> Self {
        let (plan, seen) = (ArrayPlan::start(), Seen::default());
        Self { read: 0, plan, waits: false, seen, has_repeated: false, avoid }
    }
}

impl Progress {
    /// The bytes of memory of what it remembers.
    pub(super) fn held_bytes(&self) -> usize {
        self.seen.held_bytes() + self.avoid.held_bytes(|array| array.iter().map(held_bytes).sum())
    }
}

/// Elements that were read.
#[derive(Clone, Debug, Default, PartialEq, Hash)]
pub(super) struct Seen {
    pub(super) values: List<Arc<Value>>,
    /// The texts of those that are nested too deep to be compared as values.
    deep: List<Arc<[u8]>>,
}

impl Seen {
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.deep.is_empty()
    }

    /// Whether one of them has this value, or where that is not known this text.
    pub(super) fn has(&self, value: Option<&Value>, text: &[u8]) -> bool {
        match value {
            Some(value) => self.values.iter().any(|seen| are_equal(seen, value)),
            None => self.deep.iter().any(|deep| **deep == *text),
        }
    }

    /// Of what was there before the last element only the list is its own.
    fn held_bytes(&self) -> usize {
        let last = self.values.last().map_or(0, |value| held_bytes(value));
        let last_deep = self.deep.last().map_or(0, |text| text.len());
        self.values.held_bytes(|_| 0) + self.deep.held_bytes(|_| 0) + last + last_deep
    }

    /// These and one more.
    pub(super) fn with(&self, value: Option<Value>, text: &[u8]) -> Self {
        let deep = value.is_none().then(|| text.into());
        Self {
            values: self.values.iter().cloned().chain(value.map(Arc::new)).collect(),
            deep: self.deep.iter().cloned().chain(deep).collect(),
        }
    }
}
