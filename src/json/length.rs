//! The least length of what a schema allows, against a limit.
//!
//! A completion that no model can write is as bad as a dead end, and naming it would take all memory: ten
//! bytes of schema ask for 10⁹ elements. Every alternative is looked at, since a model may choose any.

use crate::limits::{LimitExceeded, Limits};
use crate::schema::{Arrays, Kind, Objects, Schema};

/// Checks every alternative of every node.
pub(super) fn check(schema: &Schema, limits: &Limits) -> Result<(), LimitExceeded> {
    let limit = limits.completion_bytes;
    for node in schema.nodes() {
        let values = schema.values(node);
        let strings = values.strings.iter().map(|strings| u64::from(strings.min_length));
        let arrays = values.arrays.iter().map(|arrays| array(schema, arrays));
        let objects = values.objects.iter().map(|objects| object(schema, objects));
        let longest = strings.chain(arrays).chain(objects).max().unwrap_or_default();
        let given = usize::try_from(longest).unwrap_or(usize::MAX);
        if given > limit {
            return Err(LimitExceeded { what: "completion_bytes", limit, given });
        }
        values.arrays.iter().try_for_each(|arrays| distinct(arrays, limits))?;
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

fn array(schema: &Schema, arrays: &Arrays) -> u64 {
    let element = |kinds: &Vec<Kind>| {
        kinds.iter().map(|kind| u64::from(schema.least_len(kind.schema))).min().unwrap_or_default()
    };
    let min_items = arrays.min_items as usize;
    let first: u64 = arrays.prefix.iter().take(min_items).map(element).sum();
    let others = min_items.saturating_sub(arrays.prefix.len()) as u64;
    // One byte between two elements.
    let rest = others.saturating_mul(element(&arrays.rest) + 1);
    first.saturating_add(rest)
}

fn object(schema: &Schema, objects: &Objects) -> u64 {
    let required = objects.members.iter().filter(|member| member.required);
    let lens = required.map(|member| member.name.len() as u64 + u64::from(schema.least_len(member.schema)));
    // Each other member has at least a name's quotes, a colon and a value.
    lens.sum::<u64>().saturating_add(4 * u64::from(objects.min_members))
}
