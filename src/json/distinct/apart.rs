//! What surely has no value in common: alternatives of a union, and places of an array.

use super::Count;
use crate::limits::{Budget, LimitExceeded};
use crate::schema::{Arrays, Kind, Schema};

/// So many alternatives or places are compared with each other.
const COMPARED: usize = 128;

/// For each alternative, of many the first ones, the group it is in: alternatives of different groups have no
/// value in common.
pub(super) fn groups(
    alternatives: usize,
    may_share: impl Fn(usize, usize) -> bool,
    budget: &Budget,
) -> Result<Box<[usize]>, LimitExceeded> {
    let mut groups: Vec<usize> = (0..alternatives.min(COMPARED)).collect();
    budget.charge(pairs(groups.len()))?;
    for one in 0..groups.len() {
        for other in 0..one {
            let (group, joined) = (groups[one], groups[other]);
            if group != joined && may_share(one, other) {
                groups.iter_mut().filter(|group| **group == joined).for_each(|joined| *joined = group);
            }
        }
    }
    Ok(groups.into())
}

/// Each pair is a step: two that nest are compared part by part.
fn pairs(count: usize) -> usize {
    count * count.saturating_sub(1) / 2
}

/// The values of all alternatives: the most of each group. When as many are avoided in each alternative as it
/// has, then in each group no fewer than these.
pub(super) fn total(counts: &[Count], groups: &[usize]) -> Count {
    let mut most = vec![0; groups.len()];
    for (group, count) in groups.iter().zip(counts) {
        most[*group] = *count.max(&most[*group]);
    }
    let sum = most.into_iter().fold(0, Count::saturating_add);
    counts.iter().copied().fold(sum, Count::max)
}

/// For each place of the prefix how many places before it may have an equal element, and the same for those
/// behind the prefix. `None` where it is not looked at.
pub(super) fn clashes(
    schema: &Schema,
    arrays: &Arrays,
    budget: &Budget,
) -> Result<Option<Box<[u32]>>, LimitExceeded> {
    let prefix = &arrays.prefix;
    if prefix.len() > COMPARED {
        return Ok(None);
    }
    budget.charge(pairs(prefix.len()))?;
    let may_be_equal = |one: &[Kind], other: &[Kind]| {
        one.iter().any(|one| other.iter().any(|other| schema.may_share(one.schema, other.schema)))
    };
    let before = |(at, kinds): (usize, &Vec<Kind>)| {
        (0_u32..).zip(prefix[..at].iter().filter(|before| may_be_equal(before, kinds))).count() as u32
    };
    Ok(Some(prefix.iter().chain([&arrays.rest]).enumerate().map(before).collect()))
}
