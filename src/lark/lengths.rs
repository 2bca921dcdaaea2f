//! The least lengths of rules: Knuth's generalisation of Dijkstra's algorithm from graphs to grammars.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::error::LarkErrorKind;
use crate::limits::{LimitExceeded, Limits};

/// Checks the length of a shortest text. A text that no model can write is as bad as a dead end, and naming
/// it would take all memory: ten bytes of grammar ask for 10⁹.
pub(super) fn check(length: u32, limits: &Limits) -> Result<(), LarkErrorKind> {
    let (given, limit) = (usize::try_from(length).unwrap_or(usize::MAX), limits.completion_bytes);
    if given > limit {
        return Err(LarkErrorKind::Limit(LimitExceeded { what: "completion_bytes", limit, given }));
    }
    Ok(())
}

/// One way to write a rule: so many bytes, and these rules.
pub(super) struct Way {
    pub(super) rule: usize,
    pub(super) bytes: u32,
    pub(super) needs: Vec<usize>,
}

/// The length of a shortest text of each of `rules` rules; `None` where there is no text.
///
/// Rules are settled from the shortest one on, so each way is looked at once for each rule that it needs.
pub(super) fn least(rules: usize, ways: Vec<Way>) -> Vec<Option<u32>> {
    let mut users = vec![Vec::new(); rules];
    let mut ready = BinaryHeap::new();
    let mut open: Vec<(usize, u32, usize)> = Vec::with_capacity(ways.len());
    for (index, Way { rule, bytes, needs }) in ways.into_iter().enumerate() {
        if needs.is_empty() {
            ready.push(Reverse((bytes, rule)));
        }
        open.push((rule, bytes, needs.len()));
        needs.into_iter().for_each(|needed| users[needed].push(index));
    }
    let mut least = vec![None; rules];
    while let Some(Reverse((bytes, rule))) = ready.pop() {
        if least[rule].is_some() {
            continue;
        }
        least[rule] = Some(bytes);
        for &user in &users[rule] {
            let (target, sum, missing) = &mut open[user];
            *sum = sum.saturating_add(bytes);
            *missing -= 1;
            if *missing == 0 {
                ready.push(Reverse((*sum, *target)));
            }
        }
    }
    least
}
