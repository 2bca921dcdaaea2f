//! How many values without parts there are.

use super::{Count, ENDLESS};
use crate::limits::Limits;
use crate::regular::Dfa;
use crate::schema::{Decimal, Numbers, Strings, Values};

/// Multiples in an interval are counted up to here.
const MULTIPLES: Count = 10_000;

/// The values without parts, with so many strings of a language.
pub(super) fn scalar_count(values: &Values, strings: Count) -> Count {
    let named = [values.null, values.booleans.allows_true, values.booleans.allows_false];
    let named = named.into_iter().filter(|allowed| *allowed).count() as Count;
    let words = values.words.as_ref().map_or(0, |words| words.len() as Count);
    named.saturating_add(number_count(&values.numbers)).saturating_add(strings.max(words))
}

fn number_count(cells: &[Numbers]) -> Count {
    let points = cells.iter().filter(|cell| cell.as_point().is_some()).count() as Count;
    let ranges = cells.iter().filter(|cell| cell.as_point().is_none()).map(multiples);
    points.saturating_add(ranges.max().unwrap_or(0))
}

fn multiples(cell: &Numbers) -> Count {
    let (Some(lower), Some(upper), Some(step)) = (&cell.lower, &cell.upper, &cell.multiple_of) else {
        return ENDLESS;
    };
    if let (Some(low), Some(high), Some(step)) = (small(&lower.value), small(&upper.value), small(step))
        && cell.no_multiples_of.is_empty()
    {
        let (low, high) = (low + i128::from(!lower.inclusive), high - i128::from(!upper.inclusive));
        // The first multiple is rounded up, the last one down.
        let (first, last) = (-(-low).div_euclid(step), high.div_euclid(step));
        return Count::try_from(last + 1 - first).unwrap_or(0).min(MULTIPLES);
    }
    let all = cell.multiples().expect("it has bounds and a divisor").take(MULTIPLES as usize);
    all.filter(|multiple| cell.contains(multiple)).count() as Count
}

/// An integer that is easily computed with.
fn small(value: &Decimal) -> Option<i128> {
    let magnitude = i128::from(value.magnitude().to_u64()?);
    Some(if value.is_negative() { -magnitude } else { magnitude })
}

pub(super) fn string_count(strings: &Strings, limits: &Limits) -> Count {
    match (&strings.language, strings.max_length) {
        (None, Some(0)) => 1,
        (None, _) => ENDLESS,
        (Some(words), None) if strings.min_length == 0 || is_endless(words) => {
            words.count().unwrap_or(ENDLESS)
        }
        (Some(words), max) => {
            let longest = u32::try_from(limits.dfa_states).unwrap_or(u32::MAX);
            words.count_within(strings.min_length, max.map_or(longest, |max| max.min(longest)))
        }
    }
}

pub(super) fn is_endless(words: &Dfa) -> bool {
    words.count().is_none()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Each way to count against a look at each number.
    #[test]
    fn multiples_are_counted() {
        let decimal =
            |value: &Value| Decimal::from_number(value.as_number().expect("a number"), 10).expect("short");
        for (step, factor) in [(json!(1), 1), (json!(3), 3), (json!(0.5), 0), (json!(7), 7)] {
            for (low, high, inclusive) in
                [(-7, 7, true), (-7, 7, false), (0, 0, true), (3, 14, false), (-9, -3, true)]
            {
                let bound =
                    |value: i64| Some(crate::schema::Bound { value: decimal(&json!(value)), inclusive });
                let multiple_of = Some(decimal(&step));
                let cell =
                    Numbers { lower: bound(low), upper: bound(high), multiple_of, ..Numbers::default() };
                let halves = (2 * low..=2 * high).filter(|half| match factor {
                    0 => true,
                    factor => half % (2 * factor) == 0,
                });
                let expected =
                    halves.filter(|half| inclusive || (2 * low < *half && *half < 2 * high)).count();
                assert_eq!(multiples(&cell), expected as Count, "{step} from {low} to {high}, {inclusive}");
            }
        }
    }
}
