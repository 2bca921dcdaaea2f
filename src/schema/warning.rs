//! What is not wrong and yet surely not meant.

use foldhash::HashSet;
use referencing::Draft;

use super::document::Location;
use super::formula::FormulaId;
use super::least_len::Lens;
use super::normalise::{Graph, Normaliser};

/// More of them nobody reads.
const MOST: usize = 100;

/// All warnings of a schema, each kind in the order of the document.
pub(super) fn warnings(
    normaliser: &Normaliser<'_>,
    graph: &Graph<'_>,
    lens: &Lens,
    nodes: &[FormulaId],
) -> Vec<String> {
    let mut warnings = impossible_properties(normaliser, graph, lens, nodes);
    warnings.extend(overlaps(normaliser));
    warnings.extend(unknown_dialects(normaliser));
    warnings
}

/// Warns of each `$schema` that says nothing of how the schema is read: a draft that is not supported, or the
/// URI of something else.
fn unknown_dialects(normaliser: &Normaliser<'_>) -> impl Iterator<Item = String> {
    let document = &normaliser.reader.document;
    document.of_unknown_dialect.iter().take(MOST).map(|&location| {
        let pointer = format!("{}/$schema", document.pointer(location));
        let draft = name(document.place(location).draft);
        format!("{pointer} names no dialect that is known, so the schema is read as draft {draft}")
    })
}

fn name(draft: Draft) -> &'static str {
    match draft {
        Draft::Draft4 => "4",
        Draft::Draft6 => "6",
        Draft::Draft7 => "7",
        Draft::Draft201909 => "2019-09",
        _ => "2020-12",
    }
}

/// Warns of each `oneOf` that refuses values for satisfying two of its branches: most authors mean `anyOf`.
fn overlaps(normaliser: &Normaliser<'_>) -> impl Iterator<Item = String> {
    let document = &normaliser.reader.document;
    normaliser.overlaps.values().take(MOST).map(|&(first, second)| {
        let [first, second] = [first, second].map(|branch| document.pointer(branch));
        format!(
            "branches of a `oneOf` overlap: a value that satisfies both {first} and {second} is not allowed; `anyOf` allows it"
        )
    })
}

/// Warns of properties that were declared and can never occur: nothing satisfies their schema with what
/// stands beside it, wherever they were come across.
fn impossible_properties(
    normaliser: &Normaliser<'_>,
    graph: &Graph<'_>,
    lens: &Lens,
    nodes: &[FormulaId],
) -> Vec<String> {
    let parts = |formula: FormulaId| normaliser.algebra.formulas.parts(formula).to_vec();
    let early =
        normaliser.impossible.iter().filter(|(_, impossible)| **impossible).map(|(formula, _)| *formula);
    let late =
        (0..).zip(&graph.nodes).filter(|(node, _)| lens.node(*node).is_none()).map(|(_, formula)| *formula);
    // What something must not be, as a `not` says or another branch of a `oneOf`, is not meant to occur.
    let is_meant = |formula: &FormulaId| normaliser.algebra.formulas.complement(*formula).is_none();
    let failed: HashSet<FormulaId> = early.chain(late).flat_map(parts).filter(is_meant).collect();
    // Of most schemas everything has values.
    if failed.is_empty() {
        return Vec::new();
    }
    let alive: HashSet<FormulaId> = nodes.iter().flat_map(|&node| parts(node)).collect();
    let dead_schemas: HashSet<Location> = normaliser
        .meanings()
        .filter(|(_, formula)| failed.contains(formula) && !alive.contains(formula))
        .map(|(location, _)| location)
        .collect();
    let mut dead: Vec<_> = normaliser
        .declared_properties()
        .filter(|(_, location)| dead_schemas.contains(location))
        .map(|(name, location)| (location, name))
        .collect();
    dead.sort_unstable();
    dead.truncate(MOST);
    if dead.is_empty() {
        return Vec::new();
    }
    let document = &normaliser.reader.document;
    dead.into_iter()
        .map(|(location, name)| {
            let pointer = document.pointer(location);
            format!("the property `{name}` (at {pointer}) can never occur: no value satisfies it and what stands beside it")
        })
        .collect()
}
