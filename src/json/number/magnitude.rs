//! The numbers of a cell on one side of zero, as magnitudes.
//!
//! The sign is read first and says which magnitudes may follow; so everything below compares magnitudes only.
//! Zero is on both sides: `-0` is a numeral of it.

use super::bound::{Comparand, EQUAL, Orders, weight};
use super::multiple::{self, Divisor, KnownAlike};
use crate::limits::LimitExceeded;
use crate::schema::{Bound, Decimal, Numbers};

/// Magnitudes of an interval that are multiples of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Magnitudes {
    pub(super) lower: Comparand,
    pub(super) upper: Comparand,
    pub(super) divisor: Option<Divisor>,
    pub(super) has_zero: bool,
    is_point: bool,
    pub(super) extent: Extent,
}

/// How far numerals go, so that each denotes a finite double.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Digits that a number may have before the point, unless a bound or the divisor is longer.
    integer_digits: i32,
    /// Significant digits after the point that the mantissa of a multiple in scientific form may have.
    pub(super) mantissa_places: u8,
    pub(super) exponent_digits: u8,
    pub(super) least_exponent: i32,
    pub(super) most_exponent: i32,
}

impl Extent {
    /// For numbers without constraints: all that a double can hold, and what rounds to zero.
    const WIDE: Self = Self {
        integer_digits: 308,
        mantissa_places: 16,
        exponent_digits: 3,
        least_exponent: -399,
        most_exponent: 307,
    };
    /// Where bounds are compared, each digit and each exponent costs states.
    const NARROW: Self = Self {
        integer_digits: 100,
        exponent_digits: 2,
        least_exponent: -99,
        most_exponent: 99,
        ..Self::WIDE
    };

    /// Of a cell in a union whose divisors have so many residues. Each is a state at each digit before the
    /// point, and at each pair of places and zeros of a mantissa: this keeps the products small. There are no
    /// fewer digits than a 64-bit integer has.
    fn of(cell: &Numbers, residues: u64) -> Self {
        if is_unconstrained(cell) {
            return Self::WIDE;
        }
        Self {
            integer_digits: i32::try_from(1000 / residues).unwrap_or(100).clamp(20, 100),
            mantissa_places: u8::try_from((256 / residues).isqrt()).expect("at most 16"),
            ..Self::NARROW
        }
    }
}

/// The magnitudes of the numbers of all cells that are not negative, and of those that are not positive; a
/// cell's bounds may leave none.
///
/// # Errors
///
/// A divisor has more residues than can be numbered.
pub(super) fn by_sign(
    cells: &[Numbers],
    limit: usize,
) -> Result<Vec<[Option<Magnitudes>; 2]>, LimitExceeded> {
    let mut known = KnownAlike::default();
    let mut divisor = |cell: &Numbers| {
        cell.multiple_of.as_ref().map(|step| Divisor::new(step, limit, &mut known)).transpose()
    };
    let divisors: Vec<_> = cells.iter().map(&mut divisor).collect::<Result<_, _>>()?;
    let residues = multiple::residues(divisors.iter().flatten());
    let of_cell = |(cell, divisor)| Magnitudes::by_sign(cell, divisor, Extent::of(cell, residues));
    Ok(cells.iter().zip(divisors).map(of_cell).collect())
}

impl Magnitudes {
    fn by_sign(cell: &Numbers, divisor: Option<Divisor>, extent: Extent) -> [Option<Self>; 2] {
        let mirrored = |bound: &Bound| Bound { value: bound.value.negated(), inclusive: bound.inclusive };
        let (lower, upper) = (cell.upper.as_ref().map(mirrored), cell.lower.as_ref().map(mirrored));
        let step = cell.multiple_of.as_ref();
        let within = |lower, upper, divisor| Self::new(lower, upper, step, divisor, extent);
        [
            within(cell.lower.as_ref(), cell.upper.as_ref(), divisor.clone()),
            within(lower.as_ref(), upper.as_ref(), divisor),
        ]
    }

    fn new(
        lower: Option<&Bound>,
        upper: Option<&Bound>,
        step: Option<&Decimal>,
        divisor: Option<Divisor>,
        extent: Extent,
    ) -> Option<Self> {
        let zero = Bound { value: Decimal::zero(), inclusive: true };
        let lower = lower.filter(|bound| !bound.value.is_negative()).unwrap_or(&zero);
        let ceiling = ceiling(lower, step, extent.integer_digits);
        let upper = upper.filter(|bound| bound.value < ceiling.value).unwrap_or(&ceiling);
        if upper.value < lower.value || upper.value == lower.value && !(upper.inclusive && lower.inclusive) {
            return None;
        }
        let has_zero = lower.inclusive && lower.value.is_zero();
        let is_point = lower.value == upper.value;
        let (lower, upper) = (Comparand::new(lower), Comparand::new(upper));
        Some(Self { lower, upper, divisor, has_zero, is_point, extent })
    }

    /// Whether digits that compare like this with the bounds may begin a magnitude. Of a single one they must
    /// be its own: as a bound has to be exceeded by the last digit only, each number of a long `enum` would
    /// stay open for as many digits as it has, and 4,000 of them took 10 s and 1.6 GB.
    pub(super) fn may_begin_with(&self, orders: Orders) -> bool {
        !self.is_point || orders == EQUAL
    }
}

/// What stands in for an upper bound: above some multiple that the lower bound admits.
fn ceiling(lower: &Bound, step: Option<&Decimal>, integer_digits: i32) -> Bound {
    let longest = weight(&lower.value).max(step.map_or(0, weight));
    Bound { value: Decimal::power_of_ten(longest.saturating_add(1).max(integer_digits)), inclusive: false }
}

/// Whether these are all numbers, or all integers.
pub(super) fn is_unconstrained(cell: &Numbers) -> bool {
    let Numbers { lower, upper, multiple_of, no_multiples_of, written: _ } = cell;
    lower.is_none()
        && upper.is_none()
        && multiple_of.as_ref().is_none_or(|step| *step == Decimal::one())
        && no_multiples_of.is_empty()
}
