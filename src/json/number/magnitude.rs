//! The numbers of a cell on one side of zero, as magnitudes.
//!
//! The sign is read first and says which magnitudes may follow; so everything below compares magnitudes only. Zero is on both sides: `-0`
//! is a numeral of it.

use super::bound::{Comparand, weight};
use super::multiple::Divisor;
use crate::limits::LimitExceeded;
use crate::schema::{Bound, Decimal, Numbers};

/// Magnitudes of an interval that are multiples of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Magnitudes {
    pub(super) lower: Comparand,
    pub(super) upper: Comparand,
    pub(super) divisor: Option<Divisor>,
    pub(super) has_zero: bool,
    pub(super) extent: Extent,
}

/// How far numerals go, so that each denotes a finite double.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Digits that a number may have before the point, unless a bound or the divisor is longer.
    integer_digits: i32,
    pub(super) exponent_digits: u8,
    pub(super) least_exponent: i32,
    pub(super) most_exponent: i32,
}

impl Extent {
    /// For numbers without constraints: all that a double can hold, and what rounds to zero.
    const WIDE: Self =
        Self { integer_digits: 308, exponent_digits: 3, least_exponent: -399, most_exponent: 307 };
    /// Where bounds are compared, each digit and each exponent costs states.
    const NARROW: Self =
        Self { integer_digits: 100, exponent_digits: 2, least_exponent: -99, most_exponent: 99 };

    fn of(cell: &Numbers, divisor: Option<&Divisor>) -> Self {
        match divisor {
            _ if is_unconstrained(cell) => Self::WIDE,
            // A state for each residue at each digit: no fewer than a 64-bit integer has.
            Some(divisor) => {
                let integer_digits = i32::try_from(1000 / divisor.modulus()).unwrap_or(0).clamp(20, 100);
                Self { integer_digits, ..Self::NARROW }
            }
            None => Self::NARROW,
        }
    }
}

impl Magnitudes {
    /// The magnitudes of the numbers that are not negative, if the bounds leave any.
    pub(super) fn of_positive(cell: &Numbers, limit: usize) -> Result<Option<Self>, LimitExceeded> {
        Self::new(cell.lower.as_ref(), cell.upper.as_ref(), cell, limit)
    }

    /// The magnitudes of the numbers that are not positive, if the bounds leave any.
    pub(super) fn of_negative(cell: &Numbers, limit: usize) -> Result<Option<Self>, LimitExceeded> {
        let mirrored = |bound: &Bound| Bound { value: bound.value.negated(), inclusive: bound.inclusive };
        let (lower, upper) = (cell.upper.as_ref().map(mirrored), cell.lower.as_ref().map(mirrored));
        Self::new(lower.as_ref(), upper.as_ref(), cell, limit)
    }

    fn new(
        lower: Option<&Bound>,
        upper: Option<&Bound>,
        cell: &Numbers,
        limit: usize,
    ) -> Result<Option<Self>, LimitExceeded> {
        let zero = Bound { value: Decimal::zero(), inclusive: true };
        let lower = lower.filter(|bound| !bound.value.is_negative()).unwrap_or(&zero);
        let divisor = cell.multiple_of.as_ref().map(|step| Divisor::new(step, limit)).transpose()?;
        let extent = Extent::of(cell, divisor.as_ref());
        let ceiling = ceiling(lower, cell.multiple_of.as_ref(), extent.integer_digits);
        let upper = upper.filter(|bound| bound.value < ceiling.value).unwrap_or(&ceiling);
        if upper.value < lower.value || upper.value == lower.value && !(upper.inclusive && lower.inclusive) {
            return Ok(None);
        }
        let has_zero = lower.inclusive && lower.value.is_zero();
        let (lower, upper) = (Comparand::new(lower), Comparand::new(upper));
        Ok(Some(Self { lower, upper, divisor, has_zero, extent }))
    }
}

/// What stands in for an upper bound: above some multiple that the lower bound admits.
fn ceiling(lower: &Bound, step: Option<&Decimal>, integer_digits: i32) -> Bound {
    let longest = weight(&lower.value).max(step.map_or(0, weight));
    Bound { value: Decimal::power_of_ten(longest.saturating_add(1).max(integer_digits)), inclusive: false }
}

/// Whether these are all numbers, or all integers.
pub(super) fn is_unconstrained(cell: &Numbers) -> bool {
    let Numbers { lower, upper, multiple_of, no_multiples_of, digits_only: _ } = cell;
    lower.is_none()
        && upper.is_none()
        && multiple_of.as_ref().is_none_or(|step| *step == Decimal::one())
        && no_multiples_of.is_empty()
}
