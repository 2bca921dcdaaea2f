//! The shortest way to the end, and what is forced on the way.

use std::sync::Arc;

use super::expansions::Expansions;
use super::residual::{Unit, accepts, step};
use super::thread::{Head, Thread, open};
use crate::expression::{Expression, Label};

/// The longest forced run that is looked for, in units. A forced run ends by itself (the end can always be reached); this bounds the work of one call.
const FORCED_UNITS: usize = 4096;

/// What reads everything.
#[derive(Debug, Default)]
pub(super) struct Completion {
    pub(super) units: Vec<Unit>,
    /// The texts that were captured on the way, and perhaps some of alternatives.
    pub(super) captured: Vec<Arc<[u8]>>,
}

/// A cheapest completion.
pub(super) fn completion(threads: &[Thread], rules: &Expansions) -> Completion {
    let mut found = Completion::default();
    let mut thread = cheapest(threads);
    loop {
        let (below, tape) = match &thread.head {
            Head::End => return found,
            Head::Special(token) => {
                found.units.push(Unit::Special(*token));
                (thread.below.clone(), thread.tape.clone())
            }
            Head::Literal { bytes, at } => {
                found.units.extend(bytes[*at..].iter().map(|byte| Unit::Byte(*byte)));
                (thread.below.clone(), thread.tape.extended(&bytes[*at..]))
            }
            Head::Leaf { leaf, state } => {
                let arms = thread.arms();
                let cost = |label: Label| arms.get(label as usize).map_or(0, Expression::min_len);
                let (read, label) = leaf.completion(*state, &cost);
                found.units.extend(read.iter().map(|byte| Unit::Byte(*byte)));
                (thread.below_leaf(label), thread.tape.extended(&read))
            }
        };
        let mut after = Vec::new();
        found.captured.extend(open(below, tape, rules, &mut after));
        thread = cheapest(&after);
    }
}

/// A cheapest completion of what follows the leaf of a thread where it ends with this label.
pub(super) fn below_leaf(thread: &Thread, label: Label, rules: &Expansions) -> Vec<Unit> {
    let mut after = Vec::new();
    open(thread.below_leaf(label), thread.tape.clone(), rules, &mut after);
    completion(&after, rules).units
}

fn cheapest(threads: &[Thread]) -> Thread {
    threads.iter().min_by_key(|thread| thread.min_len()).expect("a residual has a thread").clone()
}

/// The units that must come next, in order, as far as there is exactly one possibility.
pub(super) fn forced_units(threads: &[Thread], rules: &Expansions) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut threads = threads.to_vec();
    while units.len() < FORCED_UNITS && !accepts(&threads, rules) {
        let Some(unit) = only_unit(&threads, rules) else { break };
        threads = step(&threads, unit, rules);
        units.push(unit);
    }
    units
}

/// The one unit that may come next, where there is just one.
fn only_unit(threads: &[Thread], rules: &Expansions) -> Option<Unit> {
    let mut only = None;
    for unit in next_units(threads, rules) {
        match only {
            None => only = Some(unit),
            Some(first) if first == unit => {}
            Some(_) => return None,
        }
    }
    only
}

fn next_units<'a>(threads: &'a [Thread], rules: &'a Expansions) -> Box<dyn Iterator<Item = Unit> + 'a> {
    Box::new(threads.iter().flat_map(move |thread| match &thread.head {
        Head::End => Vec::new(),
        Head::Special(token) => vec![Unit::Special(*token)],
        Head::Literal { bytes, at } => vec![Unit::Byte(bytes[*at])],
        Head::Leaf { leaf, state } => {
            let mut after = Vec::new();
            thread.leave(leaf, *state, &[], rules, &mut after);
            let mut units: Vec<Unit> = next_units(&after, rules).collect();
            // Two possibilities already say that nothing is forced.
            units.extend(
                (0..=u8::MAX).filter(|byte| leaf.step(*state, *byte).is_some()).map(Unit::Byte).take(2),
            );
            units
        }
    }))
}
