//! Exact decimal numbers, as JSON writes them.
//!
//! A number of a schema is never an `f64`: `0.1` has no such value, and neither has `9007199254740993`. A
//! [`Decimal`] keeps sign, digits and exponent in canonical form, so equality, order and hashing work on the
//! digits; only divisibility needs big integers.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::BigUint;
use serde_json::Number;

use crate::limits::LimitExceeded;

/// An exact decimal number: ± digits × 10^exponent.
///
/// ```
/// # use harmony_mask::schema::Decimal;
/// let decimal = |text: &str| Decimal::from_number(&text.parse().unwrap(), 100).unwrap();
/// assert_eq!(decimal("1.50"), decimal("15e-1"));
/// assert_eq!((decimal("1.50").digits(), decimal("1.50").exponent()), ("15", -1));
/// assert_eq!(decimal("15e-1").to_string(), "1.5");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    negative: bool,
    /// Significant digits without leading or trailing zeros; empty for zero.
    digits: Box<str>,
    exponent: i32,
}

impl Decimal {
    /// Zero.
    #[must_use]
    pub fn zero() -> Self {
        Self { negative: false, digits: "".into(), exponent: 0 }
    }

    /// One.
    #[must_use]
    pub fn one() -> Self {
        Self::power_of_ten(0)
    }

    /// 10^exponent.
    #[must_use]
    pub fn power_of_ten(exponent: i32) -> Self {
        Self { negative: false, digits: "1".into(), exponent }
    }

    /// Reads a number of at most `max_digits` digits, its exponent written out.
    ///
    /// # Errors
    ///
    /// The number has more digits than that.
    pub fn from_number(number: &Number, max_digits: usize) -> Result<Self, LimitExceeded> {
        Self::parse(number.as_str(), max_digits)
    }

    /// The same from a number as it is written in JSON.
    pub(crate) fn parse(text: &str, max_digits: usize) -> Result<Self, LimitExceeded> {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = [integer, fraction].concat();
        let exceeded = |given| LimitExceeded { what: "number_digits", limit: max_digits, given };
        let endless = || exceeded(usize::MAX);
        if digits.trim_start_matches('0').is_empty() {
            return Ok(Self::zero());
        }
        let power: i64 = power.parse().map_err(|_| endless())?;
        let length = |digits: &str| i64::try_from(digits.len()).unwrap_or(i64::MAX);
        let exponent = power.checked_sub(length(fraction)).ok_or_else(endless)?;
        let decimal = Self::canonical(negative, &digits, exponent).ok_or_else(endless)?;
        let written = decimal.written_digits();
        if written > max_digits { Err(exceeded(written)) } else { Ok(decimal) }
    }

    /// `None` where the exponent is beyond all reason.
    fn canonical(negative: bool, digits: &str, exponent: i64) -> Option<Self> {
        let digits = digits.trim_start_matches('0');
        let trimmed = digits.trim_end_matches('0');
        if trimmed.is_empty() {
            return Some(Self::zero());
        }
        let exponent = exponent.checked_add(i64::try_from(digits.len() - trimmed.len()).ok()?)?;
        let exponent = i32::try_from(exponent).ok().filter(|power| power.unsigned_abs() < 1 << 30)?;
        Some(Self { negative, digits: trimmed.into(), exponent })
    }

    /// Whether it is below zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether it is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// The significant digits, without leading or trailing zeros; empty for zero.
    #[must_use]
    pub fn digits(&self) -> &str {
        &self.digits
    }

    /// The power of ten of the last significant digit.
    #[must_use]
    pub fn exponent(&self) -> i32 {
        self.exponent
    }

    /// Whether it has no fractional part.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// The number as a count, where it is a whole number that fits.
    #[must_use]
    pub fn to_u64(&self) -> Option<u64> {
        let zeros = usize::try_from(self.exponent).ok().filter(|&zeros| zeros <= 20)?;
        if self.negative {
            return None;
        }
        format!("0{}{}", self.digits, "0".repeat(zeros)).parse().ok()
    }

    /// Its absolute value.
    #[must_use]
    pub fn magnitude(&self) -> Self {
        Self { negative: false, ..self.clone() }
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self { negative: !self.negative && !self.is_zero(), ..self.clone() }
    }

    /// Digits when written without an exponent.
    fn written_digits(&self) -> usize {
        let (before, after) = self.written_parts();
        before + after
    }

    /// Digits before and after the decimal point when written without an exponent.
    fn written_parts(&self) -> (usize, usize) {
        let after = usize::try_from(-i64::from(self.exponent)).unwrap_or(0);
        let before = i64::from(self.exponent) + i64::try_from(self.digits.len()).unwrap_or(i64::MAX);
        (usize::try_from(before).unwrap_or(0).max(1), after)
    }

    /// The length of its text when written without an exponent.
    #[must_use]
    pub fn text_len(&self) -> usize {
        let (before, after) = self.written_parts();
        usize::from(self.negative) + before + if after > 0 { 1 + after } else { 0 }
    }

    /// Whether it is a whole multiple of `step`, which is not zero.
    ///
    /// ```
    /// # use harmony_mask::schema::Decimal;
    /// let decimal = |text: &str| Decimal::from_number(&text.parse().unwrap(), 100).unwrap();
    /// assert!(decimal("0.3").is_multiple_of(&decimal("0.1")));
    /// assert!(!decimal("0.35").is_multiple_of(&decimal("0.1")));
    /// ```
    #[must_use]
    pub fn is_multiple_of(&self, step: &Self) -> bool {
        if self.is_zero() || (step.digits() == "1" && self.exponent >= step.exponent) {
            return true;
        }
        // Ten does not divide the digits, so a step of a higher power of ten does not, either.
        let Ok(zeros) = u64::try_from(i64::from(self.exponent) - i64::from(step.exponent)) else {
            return false;
        };
        // The zeros are not written out: there may be a thousand million of them.
        let (digits, step) = (self.scaled(self.exponent), step.scaled(step.exponent));
        let power = BigUint::from(10_u8).modpow(&zeros.into(), &step);
        digits * power % step == BigUint::ZERO
    }

    /// The least positive number that is a multiple of both; neither is zero.
    #[must_use]
    pub fn lcm(&self, other: &Self) -> Self {
        if self.is_multiple_of(other) {
            return self.magnitude();
        }
        if other.is_multiple_of(self) {
            return other.magnitude();
        }
        let scale = self.exponent.min(other.exponent);
        let (a, b) = (self.scaled(scale), other.scaled(scale));
        Self::from_scaled(false, &(&a / gcd(a.clone(), b.clone()) * b), scale)
    }

    /// The least multiple of `step` that is at least this number, or above it where `strictly`; `step` is not
    /// zero.
    #[must_use]
    pub fn next_multiple(&self, step: &Self, strictly: bool) -> Self {
        let scale = self.exponent.min(step.exponent);
        let (value, step) = (self.scaled(scale), step.scaled(scale));
        let remainder = &value % &step;
        if self.negative {
            // Below zero the next multiple is nearer to zero; an exact one is at least a step away from it.
            let down = if remainder == BigUint::ZERO && strictly { step } else { remainder };
            return Self::from_scaled(true, &(value - down), scale);
        }
        let next = if remainder == BigUint::ZERO && !strictly { value } else { value - remainder + step };
        Self::from_scaled(false, &next, scale)
    }

    /// Its magnitude in units of 10^scale, which divides it.
    fn scaled(&self, scale: i32) -> BigUint {
        let zeros = self.exponent.saturating_sub(scale).unsigned_abs();
        let digits = BigUint::parse_bytes(self.digits.as_bytes(), 10).unwrap_or_default();
        if digits == BigUint::ZERO { digits } else { digits * BigUint::from(10_u8).pow(zeros) }
    }

    fn from_scaled(negative: bool, units: &BigUint, scale: i32) -> Self {
        Self::canonical(negative, &units.to_string(), scale.into()).expect("between numbers within the limit")
    }
}

/// Euclid's algorithm.
fn gcd(mut a: BigUint, mut b: BigUint) -> BigUint {
    while b != BigUint::ZERO {
        (a, b) = (b.clone(), a % b);
    }
    a
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => cmp_magnitudes(self, other),
            (true, true) => cmp_magnitudes(other, self),
        }
    }
}

/// Digits compare like text once the leading ones have the same weight: there are no trailing zeros.
fn cmp_magnitudes(a: &Decimal, b: &Decimal) -> Ordering {
    let weight = |number: &Decimal| number.digits.len() as i64 + i64::from(number.exponent);
    match (a.is_zero(), b.is_zero()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => weight(a).cmp(&weight(b)).then_with(|| a.digits.cmp(&b.digits)),
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Decimal {
    /// Writes the number without an exponent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = self.written_parts();
        let zeros = usize::try_from(self.exponent).unwrap_or(0);
        let padding = (before + after).saturating_sub(self.digits.len() + zeros);
        let digits = format!("{}{}{}", "0".repeat(padding), self.digits, "0".repeat(zeros));
        let sign = if self.negative { "-" } else { "" };
        match after {
            0 => write!(f, "{sign}{digits}"),
            _ => write!(f, "{sign}{}.{}", &digits[..before], &digits[before..]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text, 1000).expect("a number")
    }

    #[test]
    fn texts_are_canonical() {
        for (text, expected) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.000e9999999999999999999", "0"),
            ("10", "10"),
            ("1e3", "1000"),
            ("1.50", "1.5"),
            ("-0.0050", "-0.005"),
            ("12.34e1", "123.4"),
            ("12.34e-4", "0.001234"),
            ("9007199254740993", "9007199254740993"),
        ] {
            let number = decimal(text);
            assert_eq!(number.to_string(), expected);
            assert_eq!(number.text_len(), expected.len(), "{text}");
        }
    }

    #[test]
    fn digits_have_a_ceiling() {
        for text in [
            "1e1000",
            "1e-1000",
            "1e99999999999999999999",
            "1e-99999999999999999999",
            "1e9223372036854775807",
        ] {
            assert!(Decimal::parse(text, 1000).is_err(), "{text}");
        }
        assert!(Decimal::parse("1e999", 1000).is_ok());
    }

    #[test]
    fn order_is_by_value() {
        let ascending = [
            "-1e3", "-20", "-3", "-0.5", "-0.45", "0", "0.0045", "0.05", "0.45", "0.5", "3", "20", "100",
            "1e3",
        ];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(decimal(a).cmp(&decimal(b)), i.cmp(&j), "{a} {b}");
            }
        }
    }

    #[test]
    fn multiples() {
        for (a, b, lcm) in [
            ("6", "4", "12"),
            ("0.1", "0.25", "0.5"),
            ("1", "0.01", "1"),
            ("1e3", "7", "7000"),
            ("2.5", "1", "5"),
        ] {
            assert_eq!(decimal(a).lcm(&decimal(b)), decimal(lcm), "{a} {b}");
        }
        for (from, step, strictly, expected) in [
            ("1", "1", false, "1"),
            ("1", "1", true, "2"),
            ("1.2", "0.5", false, "1.5"),
            ("-1.2", "0.5", false, "-1"),
            ("-1", "0.5", true, "-0.5"),
            ("-0.5", "0.5", true, "0"),
            ("-0.2", "0.5", true, "0"),
            ("0", "3", false, "0"),
            ("0", "3", true, "3"),
            ("1e3", "7", false, "1001"),
        ] {
            assert_eq!(
                decimal(from).next_multiple(&decimal(step), strictly),
                decimal(expected),
                "{from} {step}"
            );
        }
    }

    /// Where this writes the zeros out, it does not end.
    #[test]
    fn multiples_of_far_powers() {
        let far = |text| Decimal::parse(text, usize::MAX).expect("a number");
        for (number, step, is_multiple) in [
            ("1e1000000000", "1", true),
            ("1e1000000000", "2.5", true),
            ("1e1000000000", "1e999999999", true),
            ("1e999999999", "1e1000000000", false),
            ("1e1000000000", "3", false),
            ("12e1000000000", "3", true),
            ("-3e1000000000", "0.3", true),
            ("1e1000000000", "7e-1000000000", false),
            ("7e-1000000000", "7", false),
            ("7e-1000000000", "7e-1000000000", true),
            ("0", "7e-1000000000", true),
        ] {
            assert_eq!(far(number).is_multiple_of(&far(step)), is_multiple, "{number} {step}");
        }
    }

    #[test]
    fn counts() {
        assert_eq!(decimal("3.0").to_u64(), Some(3));
        assert_eq!(decimal("0").to_u64(), Some(0));
        assert_eq!(decimal("1e19").to_u64(), Some(10_000_000_000_000_000_000));
        for text in ["-1", "2.5", "1e20", "99999999999999999999"] {
            assert_eq!(decimal(text).to_u64(), None, "{text}");
        }
    }
}
