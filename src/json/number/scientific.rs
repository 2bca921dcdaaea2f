//! Numerals in normalised scientific form, one digit before the point: `1.5e+16`.
//!
//! Only zero begins with a zero. The mantissa is read before the exponent, and all that is asked of it comes
//! down to the exponents that may follow: bounds that it passes or not shift the range by one; a multiple of
//! p × 10^x needs at least as many powers of ten as the mantissa has digits after the point, and those that
//! its residue modulo p lacks.

use std::cmp::Ordering::{Equal, Greater, Less};

use super::bound::{EQUAL, Orders};
use super::exponent::Exponent;
use super::magnitude::Magnitudes;
use super::multiple::Divisor;

/// Where in a scientific numeral the text stands, and what must be known of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Scientific {
    /// Before the first digit.
    Start,
    /// In a mantissa; none is the mantissa of zero.
    Mantissa(Part, Option<Mantissa>),
    /// After the `e`.
    Exponent(Exponent),
}

/// Where in a mantissa the text stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Part {
    First,
    Point,
    Fraction,
}

/// What must be known of a mantissa.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Mantissa {
    /// Digits compared, counted as far as they matter.
    compared: u16,
    orders: Orders,
    scaled: Scaled,
}

/// What a divisor must know of a mantissa: its digits as an integer, modulo p, without the zeros at the end.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Scaled {
    residue: u64,
    places: u8,
    /// Zeros that follow; more of them than can still be significant are all the same.
    zeros: u8,
}

impl Scientific {
    pub(super) fn step(self, of: &Magnitudes, byte: u8) -> Option<Self> {
        match (self, byte) {
            (Self::Start, b'0') => of.has_zero.then_some(Self::Mantissa(Part::First, None)),
            (Self::Start, b'1'..=b'9') if !of.upper.is_zero() => {
                Some(Self::Mantissa(Part::First, Some(Mantissa::START.first(of, byte)?)))
            }
            (Self::Mantissa(Part::First, mantissa), b'.') => Some(Self::Mantissa(Part::Point, mantissa)),
            (Self::Mantissa(Part::Point | Part::Fraction, None), b'0') => {
                Some(Self::Mantissa(Part::Fraction, None))
            }
            (Self::Mantissa(Part::Point | Part::Fraction, Some(mantissa)), b'0'..=b'9') => {
                Some(Self::Mantissa(Part::Fraction, Some(mantissa.digit(of, byte)?)))
            }
            (Self::Mantissa(Part::First | Part::Fraction, mantissa), b'e' | b'E') => {
                exponents(of, mantissa).map(Self::Exponent)
            }
            (Self::Exponent(exponent), byte) => {
                exponent.step(of.extent.exponent_digits, byte).map(Self::Exponent)
            }
            _ => None,
        }
    }

    pub(super) fn is_numeral(self) -> bool {
        matches!(self, Self::Exponent(exponent) if exponent.is_complete())
    }
}

/// The exponents that make a mantissa an allowed number, if any do.
fn exponents(of: &Magnitudes, mantissa: Option<Mantissa>) -> Option<Exponent> {
    let (mut least, mut most) = (of.extent.least_exponent, of.extent.most_exponent);
    if let Some(mantissa) = mantissa {
        least = least.max(mantissa.above_lower(of)).max(mantissa.divisible(of)?);
        most = most.min(mantissa.below_upper(of));
    }
    (least <= most).then_some(Exponent::Start { least, most })
}

impl Mantissa {
    const START: Self =
        Self { compared: 0, orders: EQUAL, scaled: Scaled { residue: 0, places: 0, zeros: 0 } };

    fn first(self, of: &Magnitudes, digit: u8) -> Option<Self> {
        let residue = of.divisor.as_ref().map_or(0, |divisor| divisor.appended(0, 0, digit));
        self.compare(of, digit, Scaled { residue, ..self.scaled })
    }

    fn digit(self, of: &Magnitudes, digit: u8) -> Option<Self> {
        let scaled = match &of.divisor {
            Some(divisor) => self.scaled.digit(of, divisor, digit)?,
            None => self.scaled,
        };
        self.compare(of, digit, scaled)
    }

    /// Compares one more digit, and forgets what does not matter; `None` where no magnitude begins so.
    fn compare(self, of: &Magnitudes, digit: u8, scaled: Scaled) -> Option<Self> {
        let index = i32::from(self.compared);
        let mut orders = Orders {
            lower: of.lower.after_digit(self.orders.lower, index, digit),
            upper: of.upper.after_digit(self.orders.upper, index, digit),
        };
        if of.lower.scientific_exponent() < of.extent.least_exponent {
            orders.lower = Greater;
        }
        if of.upper.scientific_exponent() > of.extent.most_exponent {
            orders.upper = Less;
        }
        let lower = if orders.lower == Equal { of.lower.significant() } else { 0 };
        let upper = if orders.upper == Equal { of.upper.significant() } else { 0 };
        let compared = u16::try_from((index + 1).min(lower.max(upper))).unwrap_or(u16::MAX);
        of.may_begin_with(orders).then_some(Self { compared, orders, scaled })
    }

    /// The least exponent that takes it above the lower bound.
    fn above_lower(self, of: &Magnitudes) -> i32 {
        if of.lower.is_zero() {
            return i32::MIN;
        }
        let order = of.lower.at_end(self.orders.lower, self.compared.into());
        of.lower.scientific_exponent() + i32::from(!of.lower.admits(order, Greater))
    }

    /// The greatest exponent that keeps it below the upper bound.
    fn below_upper(self, of: &Magnitudes) -> i32 {
        let order = of.upper.at_end(self.orders.upper, self.compared.into());
        of.upper.scientific_exponent() - i32::from(!of.upper.admits(order, Less))
    }

    /// The least exponent that makes it a multiple, if any does.
    fn divisible(self, of: &Magnitudes) -> Option<i32> {
        let Some(divisor) = &of.divisor else { return Some(i32::MIN) };
        let shift = divisor.least_shift(self.scaled.residue)?;
        Some(shift + i32::from(self.scaled.places) + divisor.exponent())
    }
}

impl Scaled {
    /// More zeros than can be followed by a significant digit.
    const MANY: u8 = u8::MAX;

    /// One more digit after the point; `None` where it is one too many for a multiple.
    fn digit(self, of: &Magnitudes, divisor: &Divisor, digit: u8) -> Option<Self> {
        let most = of.extent.most_exponent.min(of.upper.scientific_exponent()) - divisor.exponent();
        let most = most.min(of.extent.mantissa_places.into());
        if digit != b'0' {
            let places = self.places.checked_add(self.zeros)?.checked_add(1)?;
            let residue = divisor.appended(self.residue, self.zeros.into(), digit);
            return (i32::from(places) <= most).then_some(Self { residue, places, zeros: 0 });
        }
        let next = self.places.saturating_add(self.zeros).saturating_add(2);
        let zeros = if i32::from(next) > most { Self::MANY } else { self.zeros + 1 };
        Some(Self { zeros, ..self })
    }
}
