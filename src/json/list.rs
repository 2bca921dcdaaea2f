//! Shared lists that are compared by what they hold, with a hash at hand.
//!
//! Rules hold the values that were seen so far, and are looked up in tables. Lists of many long values that
//! differ in the last one only must not be compared value by value to find that out: it took most of the time
//! of masks within arrays of unique objects.

use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use serde_json::Value;

use crate::expression::fingerprint;

/// A list that is never changed.
#[derive(Clone, Debug)]
pub(super) struct List<T> {
    items: Arc<[T]>,
    fingerprint: u64,
}

impl<T> List<T> {
    /// The bytes of memory of the list, of which `item` says what each item holds for itself.
    pub(super) fn held_bytes(&self, item: impl Fn(&T) -> usize) -> usize {
        size_of_val(&*self.items) + self.items.iter().map(item).sum::<usize>()
    }
}

impl<T: Hash> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let items: Arc<[T]> = items.into_iter().collect();
        Self { fingerprint: fingerprint(&items), items }
    }
}

impl<T: Hash> Default for List<T> {
    fn default() -> Self {
        Self::from_iter([])
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T: PartialEq> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.items, &other.items)
            || (self.fingerprint == other.fingerprint && self.items == other.items)
    }
}

impl<T> Hash for List<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.fingerprint);
    }
}

/// The bytes of memory of a JSON value, roughly.
pub(super) fn held_bytes(value: &Value) -> usize {
    let parts = match value {
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(held_bytes).sum(),
        Value::Object(members) => members.iter().map(|(name, value)| name.len() + held_bytes(value)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    size_of::<Value>() + parts
}
