//! One end of an interval, compared digit by digit with a number that is being read.

use std::cmp::Ordering;

use crate::schema::{Bound, Decimal};

/// A bound on a magnitude, as digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comparand {
    /// Significant digits, without zeros at either end.
    digits: Box<[u8]>,
    /// How many digits stand before the point; negative where zeros follow it before the first significant
    /// digit.
    weight: i32,
    inclusive: bool,
}

impl Comparand {
    pub(super) fn new(bound: &Bound) -> Self {
        let digits = bound.value.digits().as_bytes();
        Self { digits: digits.into(), weight: weight(&bound.value), inclusive: bound.inclusive }
    }

    /// Whether the bound is zero.
    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Whether it is written `1`, `10`, `100`, …, or `0.1`, `0.01`, …
    pub(super) fn is_power_of_ten(&self) -> bool {
        *self.digits == *b"1"
    }

    /// Its exponent in scientific form.
    pub(super) fn scientific_exponent(&self) -> i32 {
        self.weight - 1
    }

    /// Its digits before the point, when written plainly; none for the zero before `0.5`.
    pub(super) fn integer_digits(&self) -> u16 {
        u16::try_from(self.weight.max(0)).unwrap_or(u16::MAX)
    }

    /// Its digits after the point, when written plainly.
    pub(super) fn fraction_digits(&self) -> u16 {
        u16::try_from(self.significant() - self.weight).unwrap_or(0)
    }

    /// Its significant digits.
    pub(super) fn significant(&self) -> i32 {
        i32::try_from(self.digits.len()).unwrap_or(i32::MAX)
    }

    /// The comparison of what has been read, after one more digit: the one that stands against the
    /// significant digit `index`.
    pub(super) fn after_digit(&self, order: Ordering, index: i32, digit: u8) -> Ordering {
        let own = usize::try_from(index).ok().and_then(|index| self.digits.get(index)).unwrap_or(&b'0');
        order.then(digit.cmp(own))
    }

    /// The same for the digit `place` after the point.
    pub(super) fn after_fraction_digit(&self, order: Ordering, place: u16, digit: u8) -> Ordering {
        self.after_digit(order, self.weight + i32::from(place), digit)
    }

    /// The comparison of integer parts, of which the one that was read has `count` digits.
    pub(super) fn at_point(&self, order: Ordering, count: u16) -> Ordering {
        count.cmp(&self.integer_digits()).then(order)
    }

    /// The comparison of whole numbers, where `index` significant digits have been compared: those left are
    /// not all zero.
    pub(super) fn at_end(&self, order: Ordering, index: i32) -> Ordering {
        order.then(if index < self.significant() { Ordering::Less } else { Ordering::Equal })
    }

    /// The same where `places` digits after the point have been read.
    pub(super) fn at_fraction_end(&self, order: Ordering, places: u16) -> Ordering {
        self.at_end(order, self.weight + i32::from(places))
    }

    /// Whether numbers that compare like this are on the allowed side of a bound, from which `allowed` leads
    /// away.
    pub(super) fn admits(&self, order: Ordering, allowed: Ordering) -> bool {
        order == allowed || order == Ordering::Equal && self.inclusive
    }
}

/// How the digits read compare with those of the lower and the upper bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Orders {
    pub(super) lower: Ordering,
    pub(super) upper: Ordering,
}

/// Before the first digit.
pub(super) const EQUAL: Orders = Orders { lower: Ordering::Equal, upper: Ordering::Equal };

/// How many digits stand before the point.
pub(super) fn weight(value: &Decimal) -> i32 {
    i32::try_from(value.digits().len()).unwrap_or(i32::MAX).saturating_add(value.exponent())
}
