//! What was read of an array.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde_json::Value;

use crate::json::list::{List, held_bytes};
use crate::json::used::Used;
use crate::schema::{ArrayPlan, Arrays, Kind, PlanState, Schema};

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
    pub(super) avoid: List<Arc<Vec<Value>>>,
}

impl Progress {
    /// Nothing read of an array that must not be one of these.
    pub(super) fn start(avoid: List<Arc<Vec<Value>>>) -> Self {
        let (plan, seen) = (ArrayPlan::start(), Seen::default());
        Self { read: 0, plan, waits: false, seen, has_repeated: false, avoid }
    }
}

impl Progress {
    /// The bytes of memory of what it remembers.
    pub(super) fn held_bytes(&self) -> usize {
        let own = |array: &Arc<Vec<Value>>| {
            if self.read > 0 { array.iter().map(held_bytes).sum() } else { 0 }
        };
        self.seen.held_bytes() + self.avoid.held_bytes(own)
    }
}

/// Elements that were read.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    values: Used,
    /// The texts of those that are nested too deep to be compared as values.
    deep: List<Arc<[u8]>>,
    /// The values in their order, as long as the next one stands in the prefix.
    early: List<Arc<Value>>,
    /// By the kinds behind the prefix those values that are of it, where elements must differ: a long array
    /// asks for them again and again.
    of_rest: Arc<[Used]>,
}

impl Seen {
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.deep.is_empty()
    }

    /// The values.
    pub(super) fn values(&self) -> &Used {
        &self.values
    }

    /// Whether one of them has this value, or where that is not known this text.
    pub(super) fn has(&self, value: Option<&Value>, text: &[u8]) -> bool {
        match value {
            Some(value) => self.values.has(value),
            None => self.deep.iter().any(|deep| **deep == *text),
        }
    }

    /// The values that are of a kind of the element after so many.
    pub(super) fn of_kind(&self, kind: &Kind, arrays: &Arrays, read: u32, schema: &Schema) -> Used {
        let place = arrays.rest.iter().position(|rest| rest.schema == kind.schema);
        match place.filter(|_| !is_in_prefix(arrays, read)) {
            Some(place) => self.of_rest.get(place).cloned().unwrap_or_default(),
            None => Used::of(self.early.iter().filter(|value| schema.node_has(kind.schema, value))),
        }
    }

    /// Most of what was there before the last element is shared.
    fn held_bytes(&self) -> usize {
        let last = self.early.last().map_or(0, |value| held_bytes(value));
        let last_deep = self.deep.last().map_or(0, |text| text.len());
        let lists = self.early.held_bytes(|_| 0) + self.deep.held_bytes(|_| 0) + last + last_deep;
        lists + self.of_rest.iter().chain([&self.values]).map(Used::own_bytes).sum::<usize>()
    }

    /// These and the one that was read before so many elements of some arrays were.
    pub(super) fn with(&self, value: Value, arrays: &Arrays, read: u32, schema: &Schema) -> Self {
        let value = Arc::new(value);
        let values = self.values.with(&value);
        let of_rest = arrays.rest.iter().enumerate().filter(|_| arrays.unique).map(|(place, kind)| {
            let before = self.of_rest.get(place).cloned().unwrap_or_default();
            match schema.node_has(kind.schema, &value) {
                // All of them are.
                true if before == self.values => values.clone(),
                true => before.with(&value),
                false => before,
            }
        });
        let of_rest = of_rest.collect();
        let is_asked_for = arrays.unique && is_in_prefix(arrays, read);
        let early = is_asked_for.then(|| self.early.iter().cloned().chain([value]).collect());
        Self { values, deep: self.deep.clone(), early: early.unwrap_or_default(), of_rest }
    }

    /// These and one that is nested too deep.
    pub(super) fn with_deep(&self, text: &[u8]) -> Self {
        let deep = self.deep.iter().cloned().chain([text.into()]).collect();
        Self { deep, ..self.clone() }
    }
}

/// Whether the element after so many stands in the prefix.
fn is_in_prefix(arrays: &Arrays, read: u32) -> bool {
    (read as usize) < arrays.prefix.len()
}

/// The rest follows from these, and from how many elements were read.
impl PartialEq for Seen {
    fn eq(&self, other: &Self) -> bool {
        (&self.values, &self.deep) == (&other.values, &other.deep)
    }
}

impl Hash for Seen {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.values, &self.deep).hash(state);
    }
}
