//! Some numbers, and every way to write them, read as an automaton that is never built.
//!
//! What matters of a numeral is its significant digits and how many of them stand before the point. The
//! digits read so far are a place in the sorted list of the numbers' digits, and a numeral that leaves the
//! list denotes none of them.

use std::sync::Arc;

use smallvec::SmallVec;

use super::bound;
use super::shortest::Searched;
use crate::json::listed::{Listed, Word};
use crate::regular::StateId;
use crate::schema::Decimal;

/// Different numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::json) struct Points {
    /// By their significant digits.
    numbers: Listed<SameDigits>,
    /// Fewer digits before the point than any of them has, zeros after it counting as less than none.
    least_weight: i32,
    count: usize,
    searched: Searched,
}

/// Numbers with the same significant digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SameDigits {
    digits: Arc<str>,
    /// What tells them apart, in order.
    forms: SmallVec<[Form; 1]>,
}

/// Whether a number is negative, and how many of its digits stand before the point.
type Form = (bool, i32);

fn form(number: &Decimal) -> Form {
    (number.is_negative(), bound::weight(number))
}

impl Word for SameDigits {
    fn text(&self) -> &str {
        &self.digits
    }
}

/// Where a numeral stands that may denote a point. It is taken to be well formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Reading {
    pub(super) is_negative: bool,
    pub(super) part: Part,
    /// The place of its significant digits in the list.
    pub(super) digits: StateId,
    /// Whether zeros followed that are no longer in the list.
    pub(super) has_more_zeros: bool,
    /// How many of its digits stand before the point; negative where zeros follow the point before the first
    /// of them.
    pub(super) weight: i32,
    /// What was read of the exponent; no point has one near the greatest.
    pub(super) exponent: i16,
}

/// Parts of a numeral.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(super) enum Part {
    Integer,
    Fraction,
    Exponent,
    NegativeExponent,
}

impl Default for Points {
    fn default() -> Self {
        Self { numbers: Listed::default(), least_weight: -1, count: 0, searched: Searched::default() }
    }
}

impl Points {
    /// These and one more.
    pub(in crate::json) fn with(&self, number: &Decimal) -> Self {
        let (digits, form) = (number.digits(), form(number));
        let new = || SameDigits { digits: digits.into(), forms: SmallVec::new() };
        let mut same = self.numbers.find(digits.as_bytes()).cloned().unwrap_or_else(new);
        let Err(at) = same.forms.binary_search(&form) else { return self.clone() };
        same.forms.insert(at, form);
        let least_weight = self.least_weight.min(form.1.saturating_sub(1));
        Self {
            numbers: self.numbers.with(same),
            count: self.count + 1,
            least_weight,
            searched: self.searched.grown(),
        }
    }

    /// The same numbers, where no state has those that they grew from.
    pub(in crate::json) fn unshared(self) -> Self {
        Self { numbers: self.numbers.unshared(), ..self }
    }

    pub(in crate::json) fn has_number(&self, number: &Decimal) -> bool {
        let same = self.numbers.find(number.digits().as_bytes());
        same.is_some_and(|same| same.forms.contains(&form(number)))
    }

    /// The numerals that were found without them.
    pub(super) fn searched(&self) -> &Searched {
        &self.searched
    }

    /// How many there are.
    pub(in crate::json) fn len(&self) -> usize {
        self.count
    }

    /// Before the first character; `None` where there are no points.
    pub(super) fn start(&self) -> Option<Reading> {
        let digits = self.numbers.start()?;
        let (part, weight) = (Part::Integer, 0);
        Some(Reading { is_negative: false, part, digits, has_more_zeros: false, weight, exponent: 0 })
    }

    /// After one more character; `None` where the numeral can denote no point any more.
    pub(super) fn next(&self, reading: Reading, character: u8) -> Option<Reading> {
        match (reading.part, character) {
            (Part::Integer, b'-') => Some(Reading { is_negative: true, ..reading }),
            (Part::Exponent, b'-') => Some(Reading { part: Part::NegativeExponent, ..reading }),
            (_, b'+') => Some(reading),
            (_, b'.') => Some(Reading { part: Part::Fraction, ..reading }),
            (_, b'e' | b'E') => Some(Reading { part: Part::Exponent, ..reading }),
            (Part::Integer | Part::Fraction, digit) => self.digit(reading, digit),
            (Part::Exponent | Part::NegativeExponent, digit) => {
                let exponent = reading.exponent.saturating_mul(10).saturating_add(i16::from(digit - b'0'));
                Some(Reading { exponent, ..reading })
            }
        }
    }

    fn digit(&self, reading: Reading, digit: u8) -> Option<Reading> {
        let is_leading = digit == b'0' && self.numbers.read(reading.digits).1.is_empty();
        let weight = match (reading.part, is_leading) {
            (Part::Integer, false) => reading.weight.saturating_add(1),
            // Only zero is written with an exponent after a zero, so all that is this small is alike.
            (Part::Fraction, true) => reading.weight.saturating_sub(1).max(self.least_weight),
            _ => reading.weight,
        };
        if is_leading {
            return Some(Reading { weight, ..reading });
        }
        let listed = self.numbers.reads(reading.digits, &[digit]).filter(|_| !reading.has_more_zeros);
        let is_zero_behind = || digit == b'0' && self.significant(reading).is_some();
        match listed {
            Some(digits) => Some(Reading { digits, weight, ..reading }),
            None => is_zero_behind().then_some(Reading { has_more_zeros: true, weight, ..reading }),
        }
    }

    /// The numbers with the digits that were read, without zeros at the end.
    fn significant(&self, reading: Reading) -> Option<&SameDigits> {
        let (first, digits) = self.numbers.read(reading.digits);
        let zeros = digits.iter().rev().take_while(|digit| **digit == b'0').count();
        match zeros {
            0 => (first.digits.len() == digits.len()).then_some(first),
            _ => self.numbers.find(&digits[..digits.len() - zeros]),
        }
    }

    /// Whether what was read denotes a point.
    pub(super) fn has(&self, reading: Reading) -> bool {
        let Some(same) = self.significant(reading) else { return false };
        let power = match reading.part {
            Part::NegativeExponent => -i32::from(reading.exponent),
            _ => i32::from(reading.exponent),
        };
        let weight = reading.weight.saturating_add(power);
        // Zero is zero wherever its point is.
        same.digits.is_empty() || same.forms.contains(&(reading.is_negative, weight))
    }

    /// The bytes of memory that they do not share with those that they grew from.
    pub(in crate::json) fn own_bytes(&self) -> usize {
        self.numbers.own_bytes()
    }
}
