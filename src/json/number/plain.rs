//! Numerals without an exponent: `12.50`.

use std::cmp::Ordering::{Equal, Greater, Less};

use super::bound::{EQUAL, Orders};
use super::magnitude::Magnitudes;
use super::multiple::{Divisor, Residue};

/// Where in a plain numeral the text stands, and what must be known of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Plain {
    /// Before the first digit.
    Start,
    /// Before the point.
    Integer(Integer),
    /// Right after the point.
    Point(Fraction),
    /// After a digit that follows the point.
    Fraction(Fraction),
}

/// What must be known of the digits before the point. None are counted for zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Integer {
    count: u16,
    orders: Orders,
    residue: Residue,
}

/// What must be known of all digits. `places` are those after the point, counted as far as they matter.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Fraction {
    places: u16,
    orders: Orders,
    residue: Residue,
}

impl Plain {
    pub(super) fn step(self, of: &Magnitudes, byte: u8) -> Option<Self> {
        match (self, byte) {
            (Self::Start, b'0') => Some(Self::Integer(Integer::zero(of))),
            (Self::Start, b'1'..=b'9') => Integer::START.digit(of, byte).map(Self::Integer),
            (Self::Integer(integer), b'0'..=b'9') if integer.count > 0 => {
                integer.digit(of, byte).map(Self::Integer)
            }
            (Self::Integer(integer), b'.') => integer.point(of).map(Self::Point),
            (Self::Point(fraction) | Self::Fraction(fraction), b'0'..=b'9') => {
                fraction.digit(of, byte).map(Self::Fraction)
            }
            _ => None,
        }
    }

    pub(super) fn is_numeral(self, of: &Magnitudes) -> bool {
        match self {
            Self::Start | Self::Point(_) => false,
            Self::Integer(integer) => integer.fraction(of).is_allowed(of),
            Self::Fraction(fraction) => fraction.is_allowed(of),
        }
    }
}

impl Integer {
    const START: Self = Self { count: 0, orders: EQUAL, residue: Residue::NOTHING };

    fn zero(of: &Magnitudes) -> Self {
        let residue = of.divisor.as_ref().map_or(Residue::NOTHING, Divisor::of_zero);
        Self { residue, ..Self::START }
    }

    fn digit(self, of: &Magnitudes, digit: u8) -> Option<Self> {
        let count = self.count + 1;
        if count > of.upper.integer_digits() {
            return None;
        }
        let mut orders = Orders {
            lower: of.lower.after_digit(self.orders.lower, self.count.into(), digit),
            upper: of.upper.after_digit(self.orders.upper, self.count.into(), digit),
        };
        if count > of.lower.integer_digits() {
            orders.lower = Greater;
        }
        if of.upper.is_power_of_ten() && !of.upper.admits(Equal, Less) {
            // Whatever begins with a one and is as long is excluded: equal digits need no memory of their
            // own.
            orders.upper = Greater;
        }
        let is_above = count == of.upper.integer_digits() && orders.upper == Greater;
        if is_above || !of.may_begin_with(orders) {
            return None;
        }
        let residue = match &of.divisor {
            Some(divisor) => divisor.after_integer_digit(self.residue, digit),
            None => Residue::NOTHING,
        };
        Some(Self { count, orders, residue })
    }

    /// What is known of the number that has no more digits before the point.
    fn fraction(self, of: &Magnitudes) -> Fraction {
        let orders = Orders {
            lower: of.lower.at_point(self.orders.lower, self.count),
            upper: of.upper.at_point(self.orders.upper, self.count),
        };
        Fraction { places: 0, orders, residue: self.residue }
    }

    fn point(self, of: &Magnitudes) -> Option<Fraction> {
        let whole = of.divisor.as_ref().filter(|divisor| divisor.places() == 0);
        if whole.is_some_and(|divisor| !divisor.divides(self.residue, 0)) {
            return None;
        }
        self.fraction(of).within(of)
    }
}

impl Fraction {
    fn digit(self, of: &Magnitudes, digit: u8) -> Option<Self> {
        let residue = match &of.divisor {
            Some(divisor) => divisor.after_fraction_digit(self.residue, self.places, digit)?,
            None => Residue::NOTHING,
        };
        let orders = Orders {
            lower: of.lower.after_fraction_digit(self.orders.lower, self.places, digit),
            upper: of.upper.after_fraction_digit(self.orders.upper, self.places, digit),
        };
        Self { places: self.places + 1, orders, residue }.within(of)
    }

    /// Forgets what does not matter; `None` where a bound has been passed.
    fn within(self, of: &Magnitudes) -> Option<Self> {
        if self.orders.lower == Less || self.orders.upper == Greater {
            return None;
        }
        let lower = if self.orders.lower == Equal { of.lower.fraction_digits() } else { 0 };
        let upper = if self.orders.upper == Equal { of.upper.fraction_digits() } else { 0 };
        let divisor = of.divisor.as_ref().map_or(0, Divisor::places);
        Some(Self { places: self.places.min(lower.max(upper).max(divisor)), ..self })
    }

    fn is_allowed(self, of: &Magnitudes) -> bool {
        let lower = of.lower.at_fraction_end(self.orders.lower, self.places);
        let upper = of.upper.at_fraction_end(self.orders.upper, self.places);
        of.lower.admits(lower, Greater)
            && of.upper.admits(upper, Less)
            && of.divisor.as_ref().is_none_or(|divisor| divisor.divides(self.residue, self.places))
    }
}
