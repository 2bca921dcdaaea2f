//! The least length of what a schema allows, against a limit.
//!
//! A completion that no model can write is as bad as a dead end, and naming it would take all memory: ten
//! bytes of schema ask for 10⁹ elements. Every alternative is looked at, since a model may choose any.

use super::error::SpellingError;
use crate::limits::{LimitExceeded, Limits};
use crate::schema::{Arrays, Schema, Values};

/// Keywords that ask for long texts.
const OF_STRINGS: &[&str] = &["minLength", "pattern", "format"];
const OF_ARRAYS: &[&str] = &["minItems", "contains", "prefixItems", "items"];
const OF_OBJECTS: &[&str] = &["minProperties", "required"];

/// Checks every alternative of every node. Parts mostly come after what they are parts of, and are as much to
/// blame, so the last nodes are looked at first.
pub(super) fn check(schema: &Schema, limits: &Limits) -> Result<(), SpellingError> {
    let limit = limits.completion_bytes;
    for node in schema.nodes().rev() {
        let Values { strings, arrays, objects, .. } = schema.values(node);
        let of_strings = strings.iter().map(|strings| (strings.min_length, OF_STRINGS));
        let of_arrays = arrays.iter().map(|arrays| (arrays.least_len, OF_ARRAYS));
        let of_objects = objects.iter().map(|objects| (objects.least_len, OF_OBJECTS));
        let lens = of_strings.chain(of_arrays).chain(of_objects);
        let (longest, keywords) = lens.max_by_key(|(len, _)| *len).unwrap_or_default();
        let given = usize::try_from(longest).unwrap_or(usize::MAX);
        if given > limit {
            let limit = LimitExceeded { what: "completion_bytes", limit, given };
            return Err(SpellingError::limit_at(schema, node, keywords, limit));
        }
        let distinct = arrays.iter().try_for_each(|arrays| distinct(arrays, limits));
        distinct.map_err(|limit| SpellingError::limit_at(schema, node, &["uniqueItems"], limit))?;
    }
    Ok(())
}

/// Where elements must differ, each is compared with those before it: what must be read costs its square.
fn distinct(arrays: &Arrays, limits: &Limits) -> Result<(), LimitExceeded> {
    let (limit, min_items) = (limits.counter_states, arrays.min_items as usize);
    let given = min_items.saturating_mul(min_items);
    match arrays.unique && given > limit {
        true => Err(LimitExceeded { what: "counter_states", limit, given }),
        false => Ok(()),
    }
}
