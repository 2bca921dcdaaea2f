//! Arrays that would need more different elements than there are.
//!
//! `{"uniqueItems": true, "minItems": 3, "items": {"type": "boolean"}}` has no array, but all other values.
//! Where elements are listed, or numbers of a short interval, this is seen here, and the array is left out
//! like anything else that has no values. Which other arrays can be filled is for the layer that spells them
//! to say (`json::distinct`); it counts more, and can only refuse.

use super::cells::{ArrayCell, Cells};
use super::normalise::Graph;
use super::values::Numbers;

/// Arrays that need more elements are not looked at.
pub(super) const ELEMENTS: u64 = 1_024;

impl Graph<'_> {
    /// Whether it is plain that fewer values are allowed behind the prefix of an array than must stand there.
    pub(super) fn lacks_elements(&self, array: &ArrayCell) -> bool {
        let needed = u64::from(array.min_items).saturating_sub(array.prefix.len() as u64);
        let has_fewer = |node: usize| has_fewer_than(&self.cells[node], needed);
        array.unique && (2..=ELEMENTS).contains(&needed) && self.position(array.rest).is_some_and(has_fewer)
    }
}

fn has_fewer_than(cells: &Cells<'_>, count: u64) -> bool {
    let Cells { null, booleans, points, ranges, words, texts, arrays, objects } = cells;
    let literals = [*null, booleans.allows_true, booleans.allows_false];
    let literals = literals.into_iter().filter(|is_allowed| *is_allowed).count();
    let listed = (literals + points.len() + words.len()) as u64;
    let numbers = ranges.iter().try_fold(listed, |sum, range| Some(sum + most_numbers(range, count)?));
    let have_no_end = !(texts.is_empty() && arrays.is_empty() && objects.is_empty());
    !have_no_end && numbers.is_some_and(|all| all < count)
}

/// No fewer than the numbers of an interval, where it has fewer multiples than `count`.
fn most_numbers(range: &Numbers, count: u64) -> Option<u64> {
    let multiples = range.multiples()?.take(count as usize);
    Some(multiples.count() as u64).filter(|found| *found < count)
}
