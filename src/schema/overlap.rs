//! Whether two sets have a scalar in common, where that is cheap to see.
//!
//! Only warnings ask for it, so nothing is built here: two patterns are compared for inclusion, and not
//! intersected.

use super::cells::Cells;
use super::numbers;
use super::strings;
use super::values::Strings;

impl Cells<'_> {
    /// Whether a null, boolean, number or string is plainly in both.
    pub(super) fn shares_scalars(&self, other: &Self, max_digits: usize) -> bool {
        self.null && other.null
            || self.booleans.allows_true && other.booleans.allows_true
            || self.booleans.allows_false && other.booleans.allows_false
            || self.shares_numbers(other, max_digits)
            || self.lists_what_is_in(other)
            || other.lists_what_is_in(self)
            || self.offered_texts().any(|text| other.offered_texts().any(|also| share_texts(text, also)))
    }

    fn shares_numbers(&self, other: &Self, max_digits: usize) -> bool {
        self.ranges.iter().any(|range| {
            let shared = |also| numbers::intersect(range, also, max_digits).is_ok_and(|both| both.is_some());
            other.ranges.iter().any(shared)
        })
    }

    /// Whether something that is listed here is in the other set.
    fn lists_what_is_in(&self, other: &Self) -> bool {
        let has_number =
            |point| other.points.contains(point) || other.ranges.iter().any(|range| range.contains(point));
        let has_word =
            |word| other.words.contains(word) || other.texts.iter().any(|text| text.contains(word));
        self.points.iter().any(has_number) || self.words.iter().any(|word| has_word(*word))
    }
}

/// Whether some text is plainly in both; each of them has some.
fn share_texts(a: &Strings, b: &Strings) -> bool {
    match (&a.language, &b.language) {
        (None, None) => {
            let max = a.max_length.into_iter().chain(b.max_length).min();
            max.is_none_or(|max| a.min_length.max(b.min_length) <= max)
        }
        _ => strings::includes(a, b) || strings::includes(b, a),
    }
}
