//! How many bytes are enough for a value that is none of so many others.
//!
//! An array whose elements must differ can be completed in so many bytes whatever was read: a mask under a
//! deadline need not complete it after each text that an element may be. Of ten strings that must differ,
//! with 4,000 tokens left, the slowest mask took 11 ms and takes 0.6. Only values without parts are looked at,
//! and only such bounds are given as are found without a look at the values that were read.

use super::string::{is_one_byte, spelled_len};
use crate::regular::Dfa;
use crate::schema::{Decimal, Numbers, Strings, Values};

/// A number of bytes that a shortest text of some values does not exceed, where any `used` others must not be
/// spelled and there still is one; `None` where none is known.
pub(super) fn enough_len(values: &Values, used: u32) -> Option<u32> {
    if !values.arrays.is_empty() || !values.objects.is_empty() {
        return None;
    }
    let named = [
        (values.null, "null".len()),
        (values.booleans.allows_true, "true".len()),
        (values.booleans.allows_false, "false".len()),
    ];
    let named = named.into_iter().filter(|(is_there, _)| *is_there).map(|(_, len)| len);
    let words = values.words.iter().flat_map(|words| words.iter().map(spelled_len));
    let listed = named.chain(words).max().unwrap_or_default();
    let numerals = values.numbers.iter().map(|cell| of_numerals(cell, used));
    let strings = values.strings.iter().map(|cell| of_strings(cell, used));
    numerals.chain(strings).try_fold(u32::try_from(listed).ok()?, |most, len| Some(most.max(len?)))
}

/// Integers of this many digits, and multiples of numbers with two, are spelled whatever else is asked for.
const SURE_DIGITS: usize = 16;

fn of_numerals(cell: &Numbers, used: u32) -> Option<u32> {
    if !cell.no_multiples_of.is_empty() {
        return None;
    }
    let one = Decimal::one();
    let step = cell.multiple_of.as_ref();
    let [lower, upper] =
        [&cell.lower, &cell.upper].map(|bound| bound.as_ref().map(|bound| bound.value.text_len()));
    let len = match (lower, upper, step) {
        (Some(lower), Some(upper), Some(step)) => lower.max(upper) + 1 + step.text_len(),
        (Some(_), Some(_), None) => cell.as_point()?.text_len(),
        (lower, upper, step) => {
            let step = step.unwrap_or(&one);
            let digits = lower.or(upper).unwrap_or(0) + step.text_len() + digits(used) + 2;
            (digits <= SURE_DIGITS && step.digits().len() <= 2).then_some(digits)?
        }
    };
    u32::try_from(len).ok()
}

fn digits(number: u32) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

fn of_strings(cell: &Strings, used: u32) -> Option<u32> {
    /// Longer ones are not looked for.
    const LONGEST: u32 = 256;
    const QUOTES: u32 = 2;
    let longest = cell.min_length.saturating_add(LONGEST);
    let window = (cell.min_length, cell.max_length.map_or(longest, |max| max.min(longest)));
    let any = Dfa::text();
    let language = cell.language.as_ref().unwrap_or(&any);
    let len = language.length_of_more_than(used.into(), window, is_one_byte);
    Some(len? + QUOTES)
}
