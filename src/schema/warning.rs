//! What is not wrong and yet surely not meant.

use std::collections::HashSet;

use super::formula::{Formula, FormulaId};
use super::normalise::Normaliser;

/// More of them nobody reads.
const MOST: usize = 100;

/// Warns of properties that were declared and can never occur: no node of the result stands for their schema.
pub(super) fn impossible_properties(normaliser: &Normaliser<'_>, nodes: &[FormulaId]) -> Vec<String> {
    let formulas = &normaliser.algebra.formulas;
    let alive: HashSet<FormulaId> = nodes.iter().flat_map(|&node| formulas.parts(node).to_vec()).collect();
    let is_dead = |formula| match formula {
        None => true,
        Some(formula) => matches!(formulas.get(formula), Formula::At(_)) && !alive.contains(&formula),
    };
    let mut dead: Vec<_> = normaliser
        .declared_properties()
        .filter(|&(_, location, formula)| {
            !normaliser.reader.document.value(location).is_boolean() && is_dead(formula)
        })
        .map(|(name, location, _)| (location, name))
        .collect();
    dead.sort_unstable();
    dead.truncate(MOST);
    if dead.is_empty() {
        return Vec::new();
    }
    let pointers = normaliser.reader.document.pointers();
    dead.into_iter()
        .map(|(location, name)| {
            let pointer = pointers.write(location);
            format!("the property `{name}` (at {pointer}) can never occur: no value satisfies it and what stands beside it")
        })
        .collect()
}
