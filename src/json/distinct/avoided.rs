//! Values to avoid.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};
use serde_json::Value;

use super::Count;
use crate::recursion;
use crate::schema::{ByValue, different};

/// The values that the next member or element must not have: those that at least `left` of the things to
/// avoid share, where `left` continuations follow, so that each continuation could be one to avoid. `value` is
/// what each has at this place.
pub(in crate::json) fn taken<'v, T>(
    avoid: &'v [T],
    value: impl Fn(&'v T) -> Option<&'v Value>,
    left: impl FnOnce() -> Count,
) -> Vec<Arc<Value>> {
    if avoid.is_empty() {
        return Vec::new();
    }
    let left = left();
    // Mostly there are ways without end, and nothing need be looked at.
    if (avoid.len() as Count) < left {
        return Vec::new();
    }
    let mut counts: HashMap<ByValue<&Value>, Count> = HashMap::new();
    let is_taken = |&value: &&'v Value| {
        let count = counts.entry(ByValue(value)).or_default();
        *count += 1;
        *count == left.max(1)
    };
    avoid.iter().filter_map(value).filter(is_taken).map(|value| Arc::new(value.clone())).collect()
}

/// The text of each of some values.
pub(in crate::json) fn spelled(values: impl Iterator<Item = Value>) -> Vec<Arc<[u8]>> {
    different(values).iter().map(|value| value.to_string().into_bytes().into()).collect()
}

/// The value of a text that a rule of JSON has read. Of one that is nested deeper than `serde_json` reads
/// (128 levels) nothing is known, and so nothing is compared with it.
pub(in crate::json) fn parse(text: &[u8]) -> Option<Value> {
    let is_nested = text.iter().any(|byte| matches!(byte, b'[' | b'{'));
    let room = if is_nested { recursion::JSON_ROOM } else { 0 };
    recursion::with_room(room, || serde_json::from_slice(text).ok())
}
