//! Arrays that would need more different elements than there are.
//!
//! `{"uniqueItems": true, "minItems": 3, "items": {"type": "boolean"}}` has no array, but all other values.
//! Where elements are listed, or numbers of a short interval, this is seen here, and the array is left out
//! like anything else that has no values. Which other arrays can be filled is for the layer that spells them
//! to say (`json::distinct`); it counts more, and can only refuse.

use std::collections::BTreeSet;

use super::cells::{ArrayCell, Cells, CountCell};
use super::expand::{ElementKind, Elements};
use super::formula::FormulaId;
use super::normalise::Graph;
use super::values::Numbers;

/// Arrays that need more elements are not looked at.
pub(super) const ELEMENTS: u64 = 1_024;

impl Graph<'_> {
    /// Whether it is plain that no value is left for an element of the prefix, that fewer are allowed behind it
    /// than must stand there, or that fewer count than must.
    pub(super) fn lacks_elements(&self, array: &ArrayCell, elements: &Elements) -> bool {
        let needed = u64::from(array.min_items).saturating_sub(elements.prefix.len() as u64);
        let lacks_counted = |(index, count): (usize, &CountCell)| {
            let kinds = elements.positions().flatten();
            self.have_fewer_than(u64::from(count.min), kinds.filter(|kind| kind.counts_for >> index & 1 == 1))
        };
        let must_stand = elements.positions().take(array.min_items as usize);
        array.unique
            && (must_stand.into_iter().any(Vec::is_empty)
                || self.have_fewer_than(needed, elements.rest.iter())
                || array.counts.iter().enumerate().any(lacks_counted))
    }

    /// Whether kinds of elements have fewer values than so many, which are more than one.
    fn have_fewer_than<'k>(&self, count: u64, kinds: impl Iterator<Item = &'k ElementKind>) -> bool {
        let formulas: BTreeSet<FormulaId> = kinds.map(|kind| kind.formula).collect();
        let most = |formula: &FormulaId| {
            let most = most_values(&self.cells[self.position(*formula)?], count);
            most.or_else(|| self.only_value(*formula).map(|_| 1))
        };
        let all = || formulas.iter().try_fold(0, |sum, formula| Some(most(formula)? + sum));
        (2..=ELEMENTS).contains(&count) && all().is_some_and(|all| all < count)
    }
}

/// No fewer than the values of some cells, where it is plain that these are fewer than `count`.
fn most_values(cells: &Cells<'_>, count: u64) -> Option<u64> {
    let Cells { null, booleans, points, ranges, words, texts, arrays, objects } = cells;
    let literals = [*null, booleans.allows_true, booleans.allows_false];
    let literals = literals.into_iter().filter(|is_allowed| *is_allowed).count();
    let listed = (literals + points.len() + words.len()) as u64;
    let numbers = ranges.iter().try_fold(listed, |sum, range| Some(sum + most_numbers(range, count)?));
    let have_no_end = !(texts.is_empty() && arrays.is_empty() && objects.is_empty());
    numbers.filter(|all| !have_no_end && *all < count)
}

/// No fewer than the numbers of an interval, where it has fewer multiples than `count`.
fn most_numbers(range: &Numbers, count: u64) -> Option<u64> {
    let multiples = range.multiples()?.take(count as usize);
    Some(multiples.count() as u64).filter(|found| *found < count)
}
