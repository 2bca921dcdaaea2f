//! The numbers of a cell on one side of zero, as magnitudes.
//!
//! The sign is read first and says which magnitudes may follow; so everything below compares magnitudes only. Zero is on both sides: `-0`
//! is a numeral of it.

use super::bound::{Comparand, weight};
use super::multiple::Divisor;
use crate::limits::LimitExceeded;
use crate::schema::{Bound, Decimal, Numbers};

/// Digits before the point that a number may have, unless a bound asks for more: with no more it is a finite double.
const INTEGER_DIGITS: i32 = 308;

/// Magnitudes of an interval that are multiples of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Magnitudes {
    pub(super) lower: Comparand,
    pub(super) upper: Comparand,
    pub(super) divisor: Option<Divisor>,
    pub(super) has_zero: bool,
    pub(super) exponents: Exponents,
}

/// Which exponents a numeral may have: how many digits, and between which values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Exponents {
    pub(super) digits: u8,
    pub(super) least: i32,
    pub(super) most: i32,
}

impl Exponents {
    /// For numbers without constraints: whatever is a finite double, read with as much precision as there is.
    const WIDE: Self = Self { digits: 3, least: -399, most: 307 };
    /// Where bounds are compared, each exponent costs states.
    const NARROW: Self = Self { digits: 2, least: -99, most: 99 };
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
        let ceiling = ceiling(lower, cell.multiple_of.as_ref());
        let upper = upper.filter(|bound| bound.value < ceiling.value).unwrap_or(&ceiling);
        if upper.value < lower.value || upper.value == lower.value && !(upper.inclusive && lower.inclusive) {
            return Ok(None);
        }
        let divisor = cell.multiple_of.as_ref().map(|step| Divisor::new(step, limit)).transpose()?;
        let exponents = if is_unconstrained(cell) { Exponents::WIDE } else { Exponents::NARROW };
        let has_zero = lower.inclusive && lower.value.is_zero();
        let (lower, upper) = (Comparand::new(lower), Comparand::new(upper));
        Ok(Some(Self { lower, upper, divisor, has_zero, exponents }))
    }
}

/// What stands in for an upper bound: above some multiple that the lower bound admits.
fn ceiling(lower: &Bound, step: Option<&Decimal>) -> Bound {
    let digits = weight(&lower.value).max(step.map_or(0, weight)).saturating_add(1).max(INTEGER_DIGITS);
    Bound { value: Decimal::power_of_ten(digits), inclusive: false }
}

/// Whether these are all numbers, or all integers.
pub(super) fn is_unconstrained(cell: &Numbers) -> bool {
    let Numbers { lower, upper, multiple_of } = cell;
    lower.is_none() && upper.is_none() && multiple_of.as_ref().is_none_or(|step| *step == Decimal::one())
}
