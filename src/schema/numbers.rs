//! Intervals of numbers with a divisor.

use super::cells::Cells;
use super::decimal::Decimal;
use super::values::{Bound, Numbers, Written};
use crate::limits::LimitExceeded;

impl Cells<'_> {
    /// Adds an interval that may have one number or none.
    pub(super) fn add_range(&mut self, range: Numbers) {
        match range.as_point().filter(|_| range.written == Written::Anyhow) {
            Some(point) => _ = range.contains(point).then(|| self.points.insert(point.clone())),
            None if is_inhabited(&range) => self.ranges.push(range),
            None => {}
        }
    }

    /// The intervals that a text may have numbers of.
    pub(super) fn offered_ranges(&self) -> impl Iterator<Item = &Numbers> {
        self.ranges.iter().filter(|range| range.written != Written::Otherwise)
    }

    /// How a number is written that is one of these.
    pub(super) fn written(&self, point: &Decimal) -> Option<Written> {
        if self.points.contains(point) {
            return Some(Written::Anyhow);
        }
        let ranges = self.ranges.iter().filter(|range| range.contains(point));
        ranges.map(|range| range.written).reduce(Written::or)
    }
}

impl Written {
    /// The numerals of both.
    fn and(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Anyhow, written) | (written, Self::Anyhow) => Some(written),
            _ => (self == other).then_some(self),
        }
    }

    /// The numerals of either.
    fn or(self, other: Self) -> Self {
        if self == other { self } else { Self::Anyhow }
    }

    /// All other numerals of integers.
    pub(super) fn not(self) -> Option<Self> {
        match self {
            Self::Anyhow => None,
            Self::InDigits => Some(Self::Otherwise),
            Self::Otherwise => Some(Self::InDigits),
        }
    }
}

/// The numbers of both; `None` where bounds exclude each other.
pub(super) fn intersect(
    a: &Numbers,
    b: &Numbers,
    max_digits: usize,
) -> Result<Option<Numbers>, LimitExceeded> {
    let Some(written) = a.written.and(b.written) else { return Ok(None) };
    let multiple_of = match (&a.multiple_of, &b.multiple_of) {
        (Some(a), Some(b)) => Some(common_multiple(a, b, max_digits)?),
        (step, None) | (None, step) => step.clone(),
    };
    let mut no_multiples_of = [&a.no_multiples_of[..], &b.no_multiples_of[..]].concat();
    no_multiples_of.sort_unstable();
    no_multiples_of.dedup();
    let numbers = Numbers {
        lower: tighter(&a.lower, &b.lower, |a, b| a.value > b.value),
        upper: tighter(&a.upper, &b.upper, |a, b| a.value < b.value),
        multiple_of,
        no_multiples_of,
        written,
    };
    Ok(is_inhabited(&numbers).then_some(numbers))
}

/// The least common multiple of two divisors, which has a ceiling of its own: it can be as long as both
/// together.
pub(super) fn common_multiple(a: &Decimal, b: &Decimal, max_digits: usize) -> Result<Decimal, LimitExceeded> {
    let step = a.lcm(b);
    if step.text_len() > max_digits {
        Err(LimitExceeded { what: "number_digits", limit: max_digits, given: step.text_len() })
    } else {
        Ok(step)
    }
}

/// The bound that excludes more.
pub(super) fn tighter(
    a: &Option<Bound>,
    b: &Option<Bound>,
    beyond: impl Fn(&Bound, &Bound) -> bool,
) -> Option<Bound> {
    let (Some(left), Some(right)) = (a, b) else { return a.clone().or_else(|| b.clone()) };
    let second = beyond(right, left) || left.value == right.value && !right.inclusive;
    Some(if second { right.clone() } else { left.clone() })
}

/// Whether everything in `b` is in `a`.
pub(super) fn includes(a: &Numbers, b: &Numbers) -> bool {
    let keeps = |bound: &Option<Bound>, beyond: fn(&Bound, &Bound) -> bool, other: &Option<Bound>| {
        bound.is_none() || tighter(bound, other, beyond) == *other
    };
    keeps(&a.lower, |a, b| a.value > b.value, &b.lower)
        && keeps(&a.upper, |a, b| a.value < b.value, &b.upper)
        && a.multiple_of
            .as_ref()
            .is_none_or(|step| b.multiple_of.as_ref().is_some_and(|other| other.is_multiple_of(step)))
        && a.written.and(b.written) == Some(b.written)
        && a.no_multiples_of.iter().all(|step| b.no_multiples_of.contains(step))
}

/// The numbers that are not among these.
pub(super) fn complement(numbers: &Numbers) -> Vec<Numbers> {
    let Numbers { lower, upper, multiple_of, no_multiples_of, written } = numbers;
    let beyond = |bound: &Bound| Some(Bound { value: bound.value.clone(), inclusive: !bound.inclusive });
    let within = Numbers { lower: lower.clone(), upper: upper.clone(), ..Numbers::default() };
    let below = lower.iter().map(|lower| Numbers { upper: beyond(lower), ..Numbers::default() });
    let above = upper.iter().map(|upper| Numbers { lower: beyond(upper), ..Numbers::default() });
    let others =
        multiple_of.iter().map(|step| Numbers { no_multiples_of: vec![step.clone()], ..within.clone() });
    let multiples =
        no_multiples_of.iter().map(|step| Numbers { multiple_of: Some(step.clone()), ..within.clone() });
    let otherwise = written.not().map(|written| Numbers { written, ..numbers.clone() });
    below.chain(above).chain(others).chain(multiples).chain(otherwise).collect()
}

/// The numbers below and above a point.
pub(super) fn without(numbers: &Numbers, point: &Decimal) -> Vec<Numbers> {
    if !numbers.contains(point) {
        return vec![numbers.clone()];
    }
    let bound = Some(Bound { value: point.clone(), inclusive: false });
    let below = Numbers { upper: bound.clone(), ..numbers.clone() };
    let above = Numbers { lower: bound, ..numbers.clone() };
    [below, above].into_iter().filter(is_inhabited).collect()
}

pub(super) fn is_inhabited(numbers: &Numbers) -> bool {
    let Some(step) = &numbers.multiple_of else { return has_room(numbers) };
    if numbers.no_multiples_of.iter().any(|other| step.is_multiple_of(other)) {
        return false;
    }
    let (Some(lower), Some(upper)) = (&numbers.lower, &numbers.upper) else { return true };
    let mut multiple = lower.value.next_multiple(step, !lower.inclusive);
    // Each of the other divisors leaves out at most every second multiple, so one of the first few is not
    // left out.
    for _ in 0..1_usize << numbers.no_multiples_of.len().min(DIVISORS) {
        if multiple > upper.value || multiple == upper.value && !upper.inclusive {
            return false;
        }
        if numbers.contains(&multiple) {
            return true;
        }
        multiple = multiple.next_multiple(step, true);
    }
    true
}

/// More divisors that leave something out are not followed through all their combinations.
const DIVISORS: usize = 16;

/// Whether there is a number between the bounds, whatever its digits.
fn has_room(numbers: &Numbers) -> bool {
    let (Some(lower), Some(upper)) = (&numbers.lower, &numbers.upper) else { return true };
    match lower.value == upper.value {
        true => numbers.contains(&lower.value),
        false => lower.value < upper.value,
    }
}

/// The length of a shortest text, written without an exponent, of some number.
pub(super) fn least_len(numbers: &Numbers) -> usize {
    if numbers.contains(&Decimal::zero()) {
        return 1;
    }
    let positive = positive_len(numbers);
    let negative = positive_len(&mirrored(numbers)).map(|len| len + 1);
    positive.into_iter().chain(negative).min().expect("an inhabited interval has numbers on one side of zero")
}

/// The same of the positive numbers, if there are any.
fn positive_len(numbers: &Numbers) -> Option<usize> {
    let zero = Some(Bound { value: Decimal::zero(), inclusive: false });
    let positive =
        Numbers { lower: tighter(&numbers.lower, &zero, |a, b| a.value > b.value), ..numbers.clone() };
    is_inhabited(&positive).then(|| least_positive_len(&positive))
}

fn mirrored(numbers: &Numbers) -> Numbers {
    let mirror = |bound: &Option<Bound>| {
        bound.as_ref().map(|bound| Bound { value: bound.value.negated(), inclusive: bound.inclusive })
    };
    Numbers {
        lower: mirror(&numbers.upper),
        upper: mirror(&numbers.lower),
        multiple_of: numbers.multiple_of.clone(),
        no_multiples_of: numbers.no_multiples_of.clone(),
        written: numbers.written,
    }
}

/// The fewer decimal places, the shorter the text: finds the fewest that will do by bisection.
fn least_positive_len(numbers: &Numbers) -> usize {
    let lower = numbers.lower.clone().unwrap_or(Bound { value: Decimal::zero(), inclusive: false });
    let bounds = [Some(&lower.value), numbers.upper.as_ref().map(|bound| &bound.value)];
    let exponents = bounds.into_iter().flatten().chain(&numbers.multiple_of).chain(&numbers.no_multiples_of);
    let excluded = numbers.no_multiples_of.len().min(DIVISORS);
    let finest = exponents.map(Decimal::exponent).min().unwrap_or(0).min(0) - 1 - excluded as i32;
    let with_places = |places: i32| {
        let unit = Decimal::power_of_ten(-places);
        let step = numbers.multiple_of.as_ref().map_or_else(|| unit.clone(), |step| step.lcm(&unit));
        let mut multiple = lower.value.next_multiple(&step, !lower.inclusive);
        for _ in 1..1_usize << excluded {
            if numbers.contains(&multiple) {
                break;
            }
            multiple = multiple.next_multiple(&step, true);
        }
        numbers.contains(&multiple).then(|| multiple.text_len())
    };
    let (mut too_few, mut enough) = (-1, -finest);
    while enough - too_few > 1 {
        let middle = too_few.midpoint(enough);
        if with_places(middle).is_some() { enough = middle } else { too_few = middle }
    }
    with_places(enough).expect("an inhabited interval has a number with that many places")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::from_number(&text.parse().expect("a number"), 100).expect("a short one")
    }

    /// Reads `[1, 2)`, `(, 3]`, with a divisor after a slash.
    fn numbers(text: &str) -> Numbers {
        let (interval, step) = text.split_once('/').unwrap_or((text, ""));
        let (lower, upper) = interval.split_once(',').expect("two bounds");
        let bound =
            |text: &str, inclusive| (!text.is_empty()).then(|| Bound { value: decimal(text), inclusive });
        Numbers {
            lower: bound(&lower[1..], lower.starts_with('[')),
            upper: bound(&upper[..upper.len() - 1], upper.ends_with(']')),
            multiple_of: (!step.is_empty()).then(|| decimal(step)),
            ..Numbers::default()
        }
    }

    #[test]
    fn inhabited() {
        for text in ["(,)", "[1,1]", "(0,1)", "[1,5]/2", "(1,2]/1", "(-1,1)/7", "[0.3,0.3]/0.1", "(,-5)/3"] {
            assert!(is_inhabited(&numbers(text)), "{text}");
        }
        for text in ["[1,1)", "(1,1]", "[2,1]", "(1,2)/1", "[1,4]/5", "(-0.1,0)/0.1", "[0.31,0.39]/0.1"] {
            assert!(!is_inhabited(&numbers(text)), "{text}");
        }
    }

    #[test]
    fn shortest_texts() {
        for (text, expected) in [
            ("(,)", 1),
            ("[-1,)", 1),
            ("(0,)", 1),
            ("(0,)/1", 1),
            ("(9,)", 2),
            ("(0,1)", 3),
            ("(0.1,0.11)", 5),
            ("[0.15,0.3]/0.05", 3),
            ("(,-1]", 2),
            ("(-1,0)", 4),
            ("[100,200]/7", 3),
            ("[1000,)", 4),
            ("[12.5,12.5]", 4),
            ("(,0)/0.25", 2),
        ] {
            assert_eq!(least_len(&numbers(text)), expected, "{text}");
        }
    }

    #[test]
    fn inclusion() {
        for (a, b, expected) in [
            ("(,)", "[1,2]/3", true),
            ("[1,2]", "(1,2)", true),
            ("(1,2)", "[1,2)", false),
            ("(,)/2", "(,)/4", true),
            ("(,)/4", "(,)/2", false),
            ("[0,)", "(,)", false),
        ] {
            assert_eq!(includes(&numbers(a), &numbers(b)), expected, "{a} {b}");
        }
    }
}
