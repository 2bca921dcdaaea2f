//! Numbers that are no multiples of something: all numerals but those of the multiples.
//!
//! This is exact only where both sets of numerals are of one form and go equally far. So these numbers are written plainly, without an exponent, and
//! have as many digits before the point as every set of multiples allows.

use super::bound::weight;
use super::explore;
use crate::limits::LimitExceeded;
use crate::regular::Dfa;
use crate::schema::{Bound, Decimal, Numbers};

/// Digits before the point, unless a bound has more.
const INTEGER_DIGITS: i32 = 20;

/// The characters of plain numerals.
const PLAIN: &[u8] = b"0123456789-.";

pub(super) fn numerals(cell: &Numbers, limit: usize) -> Result<Dfa, LimitExceeded> {
    let within = bounded(cell);
    let mut numerals = explore(std::slice::from_ref(&within), PLAIN, limit)?;
    for step in &cell.no_multiples_of {
        let step = within.multiple_of.as_ref().map_or_else(|| step.clone(), |own| own.lcm(step));
        let multiples = Numbers { multiple_of: Some(step), ..within.clone() };
        numerals = numerals.difference(&explore(&[multiples], PLAIN, limit)?, limit)?;
    }
    Ok(numerals)
}

/// The cell without its gaps, with a bound on both sides.
fn bounded(cell: &Numbers) -> Numbers {
    let bounds = [&cell.lower, &cell.upper].into_iter().flatten().map(|bound| &bound.value);
    let steps = cell.multiple_of.iter().chain(&cell.no_multiples_of);
    let longest = bounds.chain(steps).map(weight).max().unwrap_or(0);
    let most = Decimal::power_of_ten(longest.saturating_add(1).max(INTEGER_DIGITS));
    let bound = |value: Decimal| Some(Bound { value, inclusive: false });
    Numbers {
        lower: cell.lower.clone().or_else(|| bound(most.negated())),
        upper: cell.upper.clone().or_else(|| bound(most)),
        multiple_of: cell.multiple_of.clone(),
        no_multiples_of: Vec::new(),
    }
}
