//! Some numbers, and every way to write them, read as an automaton that is never built.
//!
//! What matters of a numeral is its significant digits and how many of them stand before the point. The digits read so far are a place in the sorted list
//! of the numbers' digits, and a numeral that leaves the list denotes none of them.

use super::bound;
use crate::json::listed::Listed;
use crate::regular::StateId;
use crate::schema::Decimal;

/// Different numbers.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Points {
    /// Their significant digits.
    digits: Listed,
    /// In the order of their digits. A list for each place would be four times as much, and an array that differs in each element has one in each state.
    numbers: Box<[Decimal]>,
    /// Fewer digits before the point than any of them has, zeros after it counting as less than none.
    least_weight: i32,
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
    /// How many of its digits stand before the point; negative where zeros follow the point before the first of them.
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

impl Points {
    pub(super) fn new(numbers: impl IntoIterator<Item = Decimal>) -> Self {
        let mut numbers: Box<[Decimal]> = numbers.into_iter().collect();
        numbers.sort_by(|a, b| a.digits().cmp(b.digits()));
        let least_weight = numbers.iter().map(bound::weight).min().unwrap_or(0).min(0).saturating_sub(1);
        let digits = Listed::new(numbers.iter().map(Decimal::digits));
        Self { digits, numbers, least_weight }
    }

    /// The numbers with the significant digits of a place in the list.
    fn at(&self, place: usize) -> impl Iterator<Item = &Decimal> {
        let digits = self.digits.word(place);
        let from = self.numbers.partition_point(|number| number.digits() < digits);
        self.numbers[from..].iter().take_while(move |number| number.digits() == digits)
    }

    /// Before the first character; `None` where there are no points.
    pub(super) fn start(&self) -> Option<Reading> {
        let digits = self.digits.start()?;
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
        let is_leading = digit == b'0' && self.digits.read(reading.digits).1.is_empty();
        let weight = match (reading.part, is_leading) {
            (Part::Integer, false) => reading.weight.saturating_add(1),
            // Only zero is written with an exponent after a zero, so all that is this small is alike.
            (Part::Fraction, true) => reading.weight.saturating_sub(1).max(self.least_weight),
            _ => reading.weight,
        };
        if is_leading {
            return Some(Reading { weight, ..reading });
        }
        let listed = self.digits.next(reading.digits, digit).filter(|_| !reading.has_more_zeros);
        let is_zero_behind = || digit == b'0' && self.significant(reading).is_some();
        match listed {
            Some(digits) => Some(Reading { digits, weight, ..reading }),
            None => is_zero_behind().then_some(Reading { has_more_zeros: true, weight, ..reading }),
        }
    }

    /// The place in the list of the digits that were read, without zeros at the end.
    fn significant(&self, reading: Reading) -> Option<usize> {
        let (place, digits) = self.digits.read(reading.digits);
        match digits.trim_end_matches('0') {
            significant if significant.len() < digits.len() => self.digits.find(significant),
            // Whether it is the first word with these digits.
            _ => (self.digits.word(place).len() == digits.len()).then_some(place),
        }
    }

    /// Whether what was read denotes a point.
    pub(super) fn has(&self, reading: Reading) -> bool {
        let Some(place) = self.significant(reading) else { return false };
        let power = match reading.part {
            Part::NegativeExponent => -i32::from(reading.exponent),
            _ => i32::from(reading.exponent),
        };
        let weight = reading.weight.saturating_add(power);
        let is_read =
            |number: &Decimal| number.is_negative() == reading.is_negative && bound::weight(number) == weight;
        self.at(place).any(|number| number.is_zero() || is_read(number))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        // The digits stand in both.
        size_of_val(&*self.numbers) + 2 * self.digits.memory_bytes()
    }
}
