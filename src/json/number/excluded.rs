//! Numbers that are no multiples of something: all numerals but those of the multiples.
//!
//! This is exact only where both sets of numerals are of one form and go equally far. So these numbers are
//! written plainly, without an exponent, and with so few digits that a validator which computes in doubles
//! comes to the same verdict: what a double rounds to a multiple is none.

use super::bound::weight;
use super::explore;
use crate::limits::LimitExceeded;
use crate::regular::{Dfa, Pattern};
use crate::schema::{Bound, Decimal, Numbers, Written};

/// Digits before the point, and after it, unless a bound or divisor has more: together no more than a double
/// holds exactly.
const INTEGER_DIGITS: i32 = 9;
const FRACTION_DIGITS: i32 = 6;

/// Multiples that are written out.
const FEW: usize = 64;

/// The characters of plain numerals.
const PLAIN: &[u8] = b"0123456789-.";

pub(super) fn numerals(cell: &Numbers, limit: usize) -> Result<Dfa, LimitExceeded> {
    if let Some(points) = few_multiples(cell) {
        return explore(&points, PLAIN, limit)?.intersection(&short(cell), limit);
    }
    let within = bounded(cell);
    let mut numerals = explore(std::slice::from_ref(&within), PLAIN, limit)?;
    numerals = numerals.intersection(&short(cell), limit)?;
    for step in &cell.no_multiples_of {
        let step = within.multiple_of.as_ref().map_or_else(|| step.clone(), |own| own.lcm(step));
        let multiples = Numbers { multiple_of: Some(step), ..within.clone() };
        numerals = numerals.difference(&explore(&[multiples], PLAIN, limit)?, limit)?;
    }
    Ok(numerals)
}

/// The numbers themselves, where there are few multiples between two bounds: residues by large divisors would
/// be many more.
fn few_multiples(cell: &Numbers) -> Option<Vec<Numbers>> {
    let multiples: Vec<_> = cell.multiples()?.take(FEW + 1).collect();
    if multiples.len() > FEW {
        return None;
    }
    Some(multiples.into_iter().filter(|multiple| cell.contains(multiple)).map(Numbers::point).collect())
}

/// Numerals with few digits after the point, or none where it is to be written in digits.
fn short(cell: &Numbers) -> Dfa {
    if cell.written == Written::InDigits {
        return pattern("^-?[0-9]+$");
    }
    let finest = values(cell).map(Decimal::exponent).min().unwrap_or(0);
    // A finer number than the bounds and divisors lies between any two of them.
    let digits = FRACTION_DIGITS.max(2 - finest);
    pattern(&format!("^-?[0-9]+(?:\\.[0-9]{{1,{digits}}})?$"))
}

/// Bounds and divisors.
fn values(cell: &Numbers) -> impl Iterator<Item = &Decimal> {
    let bounds = [&cell.lower, &cell.upper].into_iter().flatten().map(|bound| &bound.value);
    bounds.chain(&cell.multiple_of).chain(&cell.no_multiples_of)
}

/// The cell without its gaps, with a bound on both sides.
fn bounded(cell: &Numbers) -> Numbers {
    let longest = values(cell).map(weight).max().unwrap_or(0);
    let most = Decimal::power_of_ten(longest.saturating_add(1).max(INTEGER_DIGITS));
    let bound = |value: Decimal| Some(Bound { value, inclusive: false });
    Numbers {
        lower: cell.lower.clone().or_else(|| bound(most.negated())),
        upper: cell.upper.clone().or_else(|| bound(most)),
        multiple_of: cell.multiple_of.clone(),
        ..Numbers::default()
    }
}

fn pattern(source: &str) -> Dfa {
    Pattern::parse(source).and_then(|pattern| pattern.to_dfa(usize::MAX)).expect("a small pattern")
}
