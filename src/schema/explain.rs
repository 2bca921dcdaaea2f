//! Why a schema has no values: looked for only when that is the case.

use std::collections::HashSet;

use super::error::{SchemaError, SchemaErrorKind};
use super::formula::{Formula, FormulaId};
use super::least_len::Lens;
use super::normalise::{Graph, Normaliser};

/// Finds the part of an unsatisfiable schema that is to blame: follows what cannot be satisfied until it
/// ends, or comes round.
pub(super) fn unsatisfiable(normaliser: &mut Normaliser<'_>, graph: &Graph<'_>, lens: &Lens) -> SchemaError {
    let mut seen = HashSet::new();
    let mut here = graph.nodes[0];
    while seen.insert(here) {
        match impossible_part(graph, lens, here) {
            Some(next) => here = next,
            None if lacks_elements(graph, here) => {
                let message = "asks for more different elements than there are";
                let (location, kind) = (normaliser.location(here), SchemaErrorKind::Unsatisfiable);
                return normaliser.reader.error(location, kind, Some("uniqueItems"), message);
            }
            None => return contradiction(normaliser, here),
        }
    }
    let message = "describes values that would have to contain another such value, without end";
    normaliser.reader.error(normaliser.location(here), SchemaErrorKind::NoBaseCase, None, message)
}

/// A part that some value of the formula would need, and that has no values itself.
fn impossible_part(graph: &Graph<'_>, lens: &Lens, formula: FormulaId) -> Option<FormulaId> {
    let cells = &graph.cells[graph.position(formula)?];
    let members = cells.objects.iter().flat_map(|object| object.required().map(|member| member.formula));
    let elements = cells
        .arrays
        .iter()
        .flat_map(|array| (0..array.min_items as usize).map(|position| array.at(position)));
    let mut parts = members.chain(elements);
    parts.find(|&part| graph.position(part).is_some_and(|position| lens.node(position).is_none()))
}

/// Whether a formula has arrays, all of which would need more elements.
fn lacks_elements(graph: &Graph<'_>, formula: FormulaId) -> bool {
    let Some(position) = graph.position(formula) else { return false };
    let (arrays, expanded) = (&graph.cells[position].arrays, &graph.expanded[position].arrays);
    let mut lacking =
        arrays.iter().zip(expanded).map(|(array, elements)| graph.lacks_elements(array, elements));
    !arrays.is_empty() && lacking.all(|lacks| lacks)
}

/// Names the keyword that leaves nothing over.
fn contradiction(normaliser: &mut Normaliser<'_>, formula: FormulaId) -> SchemaError {
    let location = normaliser.location(formula);
    let kind = SchemaErrorKind::Unsatisfiable;
    match normaliser.algebra.formulas.get(formula).clone() {
        Formula::At(location, scope) => {
            let keyword = normaliser.culprit(location, scope);
            let message = match keyword {
                Some(_) => "leaves no value that the schema allows",
                None => "no value satisfies all keywords at once",
            };
            normaliser.reader.error(location, kind, keyword, message)
        }
        Formula::And(parts) => {
            let places: Vec<_> = parts.iter().map(|&part| part_in_words(normaliser, part)).collect();
            let message = format!("no value satisfies all of these at once: {}", places.join(", "));
            normaliser.reader.error(location, kind, None, message)
        }
        Formula::False | Formula::True | Formula::Equal(_) | Formula::Texts | Formula::Not(_) => {
            normaliser.reader.error(location, kind, None, "the schema allows no value")
        }
    }
}

/// A part of a conjunction in a user's words.
fn part_in_words(normaliser: &Normaliser<'_>, part: FormulaId) -> String {
    if *normaliser.algebra.formulas.get(part) == Formula::Texts {
        return "no text spells a special token".to_owned();
    }
    match normaliser.reader.document.pointer(normaliser.location(part)) {
        root if root.is_empty() => "the schema itself".to_owned(),
        pointer => pointer,
    }
}
