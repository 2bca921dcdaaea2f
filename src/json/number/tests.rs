//! Numerals against exact arithmetic on a definition of their own, and build times.

use std::collections::BTreeSet;

use foldhash::HashSet;
use num_bigint::{BigInt, BigUint};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::bound::weight;
use super::*;
use crate::expression::Language;
use crate::regular::Pattern;
use crate::schema::Bound;

const LIMIT: usize = 100_000;

/// A number as integer × 10^exponent.
#[derive(Clone, Debug)]
struct Exact {
    integer: BigInt,
    exponent: i32,
}

impl Exact {
    fn of(decimal: &Decimal) -> Self {
        read(&decimal.to_string()).expect("a number").1
    }

    fn in_units(&self, exponent: i32) -> BigInt {
        &self.integer * BigInt::from(BigUint::from(10_u8).pow(self.exponent.abs_diff(exponent)))
    }

    fn paired(&self, other: &Self) -> (BigInt, BigInt) {
        let exponent = self.exponent.min(other.exponent);
        (self.in_units(exponent), other.in_units(exponent))
    }

    fn is_within(&self, cell: &Numbers) -> bool {
        let cmp = |bound: &Bound| {
            let (own, other) = self.paired(&Self::of(&bound.value));
            own.cmp(&other)
        };
        let divides = |step: &Decimal| {
            let (own, step) = self.paired(&Self::of(step));
            own % step == BigInt::ZERO
        };
        cell.lower.as_ref().is_none_or(|lower| cmp(lower).is_gt() || lower.inclusive && cmp(lower).is_eq())
            && cell
                .upper
                .as_ref()
                .is_none_or(|upper| cmp(upper).is_lt() || upper.inclusive && cmp(upper).is_eq())
            && cell.multiple_of.as_ref().is_none_or(divides)
            && !cell.no_multiples_of.iter().any(divides)
    }
}

/// A text, and the number it denotes where it is JSON.
struct Numeral {
    text: String,
    number: Option<(Form, Exact)>,
}

/// What decides whether a form is offered.
struct Form {
    integer_digits: usize,
    significant_places: usize,
    is_normalised: bool,
    is_zero: bool,
    /// Digits and value.
    exponent: Option<(usize, i32)>,
}

impl Numeral {
    fn new(text: String) -> Self {
        Self { number: read(&text), text }
    }
}

fn read(text: &str) -> Option<(Form, Exact)> {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (sign, rest) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (mantissa, power) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let power_digits = power.strip_prefix(['+', '-']).unwrap_or(power);
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let leads_with_zero = integer.starts_with('0');
    if ![integer, fraction, power_digits].into_iter().all(is_digits) || leads_with_zero && integer != "0" {
        return None;
    }
    let value = power.parse().unwrap();
    let significant_places = fraction.trim_end_matches('0').len();
    let form = Form {
        integer_digits: integer.len(),
        significant_places,
        is_normalised: integer.len() == 1 && (!leads_with_zero || significant_places == 0),
        is_zero: leads_with_zero && significant_places == 0,
        exponent: rest.contains(['e', 'E']).then_some((power_digits.len(), value)),
    };
    let integer = format!("{sign}{integer}{fraction}").parse().unwrap();
    Some((form, Exact { integer, exponent: value - i32::try_from(fraction.len()).unwrap() }))
}

impl Form {
    /// Whether numerals of this form are offered for a cell, if the number is in it.
    fn is_offered(&self, cell: &Numbers, residues: usize) -> bool {
        if !cell.no_multiples_of.is_empty() {
            return self.exponent.is_none() && self.integer_digits <= 9;
        }
        let wide = is_unconstrained(cell);
        let ceiling = if wide { 308 } else { (1000 / residues).clamp(20, 100) };
        let Some((digits, value)) = self.exponent else { return self.integer_digits <= ceiling };
        self.is_normalised
            && digits <= if wide { 3 } else { 2 }
            && (-399..=307).contains(&value)
            && (self.is_zero || value < i32::try_from(ceiling).unwrap())
            && (cell.multiple_of.is_none()
                || self.significant_places <= if wide { 16 } else { (256 / residues).isqrt() })
    }
}

/// Many numerals, and texts that are almost numerals.
static NUMERALS: LazyLock<Vec<Numeral>> = LazyLock::new(|| {
    let integers = "0 1 2 3 5 7 9 10 12 15 20 49 50 51 99 100 101 128 250 999 1000 1001 12345 20000";
    let fractions = " .0 .00 .5 .50 .25 .125 .05 .01 .001 .999 .12345 .250";
    let exponents = " e0 e1 e2 E+3 e-1 E-02 e00 e5 e005 e+99 e-99 e100";
    let broken = " - 01 1. .5 +1 1e 1e+ --1 1.e3 00 1e1.0 -e1 1- 1.0.0 0x1 1e+-1";
    let mut texts: Vec<String> = broken.split(' ').map(String::from).collect();
    for integer in integers.split(' ') {
        for fraction in fractions.split(' ') {
            for exponent in exponents.split(' ') {
                texts.extend(["", "-"].map(|sign| format!("{sign}{integer}{fraction}{exponent}")));
            }
        }
    }
    texts.into_iter().map(Numeral::new).collect()
});

fn decimal(text: &str) -> Decimal {
    Decimal::from_number(&text.parse().unwrap(), 1000).unwrap()
}

/// Reads `[1, 2)`, `(, 3]`, with a divisor after a slash.
fn interval(text: &str) -> Numbers {
    let (interval, step) = text.split_once('/').unwrap_or((text, ""));
    let (lower, upper) = interval.split_once(',').unwrap();
    let bound = |text: &str, inclusive| (!text.is_empty()).then(|| Bound { value: decimal(text), inclusive });
    Numbers {
        lower: bound(&lower[1..], lower.starts_with('[')),
        upper: bound(&upper[..upper.len() - 1], upper.ends_with(']')),
        multiple_of: (!step.is_empty()).then(|| decimal(step)),
        ..Numbers::default()
    }
}

fn automaton(cells: &[Numbers]) -> Dfa {
    numerals(cells, LIMIT).unwrap()
}

/// Accepted is what is offered and in the set; and after each prefix of it, there is a way to go on.
fn check(cells: &[Numbers], numerals: &[Numeral]) {
    let dfa = automaton(cells);
    let steps = cells
        .iter()
        .filter(|cell| cell.no_multiples_of.is_empty())
        .filter_map(|cell| cell.multiple_of.as_ref());
    let moduli: BTreeSet<usize> = steps.map(|step| step.digits().parse().unwrap()).collect();
    let residues = moduli.into_iter().product();
    for Numeral { text, number } in numerals {
        let allowed = number.as_ref().is_some_and(|(form, exact)| {
            cells.iter().any(|cell| form.is_offered(cell, residues) && exact.is_within(cell))
        });
        assert_eq!(dfa.contains(text.as_bytes()), allowed, "{text} in {cells:?}");
    }
    for state in (0..100).take(dfa.states()).filter(|_| !dfa.is_empty()) {
        let (rest, _) = dfa.shortest_from(state, &|_| 0);
        let end = dfa.reads(state, &rest);
        assert!(end.is_some_and(|end| dfa.label(end).is_some()));
    }
}

#[test]
fn numerals_of_chosen_cells() {
    for text in [
        "(,) (,)/1 [0,) [0,)/1 (0,) (,0) (,0]/1 [0,100]/1 [-5,5] (-1,1) [0.05,0.5) (,)/0.01",
        "(,)/5 (,)/2.5 (,)/100 (,)/1000000 [1,)/7 [0,0] [12.5,12.5] [1e99,) (1e-99,1]",
        "[-1000,-1)/0.5 [100,100] (99,1000)/50 [1e3,1e5]/1e3 (,)/300 (,)/0.128",
    ]
    .iter()
    .flat_map(|line| line.split(' '))
    {
        check(&[interval(text)], &NUMERALS);
    }
    check(
        &[interval("(,-5]/1"), interval("[5,10)/2.5"), interval("[1000,1000]"), interval("[2,2]")],
        &NUMERALS,
    );
    // 504 residues at each digit: with as many digits as each has alone, such unions were beyond the limit.
    check(&[interval("(-3e5,)/7"), interval("(,)/0.8"), interval("(,)/9")], &NUMERALS);
}

prop_compose! {
    fn bound()(mantissa in -2000..2000, exponent in -3..4, inclusive: bool) -> Bound {
        Bound { value: decimal(&format!("{mantissa}e{exponent}")), inclusive }
    }
}

prop_compose! {
    fn long_decimal()(digits in "-?[1-9][0-9]{0,38}", exponent in -39..39) -> Decimal {
        decimal(&format!("{digits}e{exponent}"))
    }
}

prop_compose! {
    fn any_cell(greatest_divisor: i32)(
        lower in option::of(bound()),
        upper in option::of(bound()),
        step in option::of((1..=greatest_divisor, -2..4)),
    ) -> Numbers {
        let multiple_of = step.map(|(mantissa, exponent)| decimal(&format!("{mantissa}e{exponent}")));
        Numbers { lower, upper, multiple_of, ..Numbers::default() }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn numerals_of_any_cell(cell in any_cell(50)) {
        check(&[cell], &NUMERALS);
    }

    #[test]
    fn others_of_any_set(cell in any_cell(9), numbers in vec((-300..300, -3..4), 1..9)) {
        let number = |(mantissa, exponent)| decimal(&format!("{mantissa}e{exponent}"));
        let within = |number: &Decimal| Exact::of(number).is_within(&cell);
        let numbers: Vec<_> = numbers.into_iter().map(number).filter(within).collect();
        check_others(&[cell], &numbers);
    }

    #[test]
    fn numerals_with_gaps(cell in any_cell(9), gaps in vec((1..9, -2..3), 1..3)) {
        let step = |(mantissa, exponent)| decimal(&format!("{mantissa}e{exponent}"));
        let no_multiples_of = gaps.into_iter().map(step).collect();
        check(&[Numbers { no_multiples_of, ..cell }], &NUMERALS);
    }

    #[test]
    fn small_is_small(cell in any_cell(1), long in vec((long_decimal(), any::<bool>()), 2), points in vec(long_decimal(), 1..64)) {
        let [lower, upper] = [0, 1].map(|at| Some(Bound { value: long[at].0.clone(), inclusive: long[at].1 }));
        let interval = |lower, upper| Numbers { lower, upper, ..cell.clone() };
        let cells = [cell.clone(), interval(lower.clone(), None), interval(None, upper.clone()), interval(lower, upper)];
        let integers = cells.clone().map(|cell| Numbers { multiple_of: Some(Decimal::one()), ..cell });
        let sets = cells.iter().chain(&integers).map(std::slice::from_ref);
        let points: Vec<_> = points.into_iter().map(Numbers::point).collect();
        for cells in sets.chain([&*points]).filter(|cells| is_small(cells)) {
            assert!(numerals(cells, SMALL).is_ok(), "{cells:?}");
        }
    }

    #[test]
    fn numerals_of_a_union(cells in vec(any_cell(9), 2..4)) {
        check(&cells, &NUMERALS);
    }

    #[test]
    fn what_serde_writes(cell in any_cell(50), floats in vec(any::<f64>(), 20), integers in vec(any::<i64>(), 20), eighths in vec(-9999..9999, 20)) {
        let finite = floats.into_iter().filter(|float| float.is_finite()).map(|float| serde_json::to_string(&float));
        let eighths = eighths.into_iter().map(|eighths| serde_json::to_string(&(f64::from(eighths) / 8.0)));
        let texts = finite.chain(eighths).map(Result::unwrap).chain(integers.iter().map(i64::to_string));
        let numerals: Vec<Numeral> = texts.map(Numeral::new).collect();
        check(&[cell], &numerals);
        check(&[interval("(,)")], &numerals);
        check(&[interval("(,)/1")], &numerals);
    }
}

/// Whatever a double can be is offered where nothing is asked of it.
#[test]
fn extremes() {
    for (cells, text, expected) in [
        ("(,)", "1.7976931348623157e308", false),
        ("(,)", "9.99e307", true),
        ("(,)", "5e-324", true),
        ("(,)", "1e-399", true),
        ("(,)", "1e-400", false),
        ("(,)", "1e007", true),
        ("(,)", "1e0007", false),
        ("(,)/1", "1.2345678901234567e16", true),
        ("(,)/1", "1.2345678901234567e15", false),
        ("(,)/1", "9007199254740993.000", true),
        ("[9007199254740993,)", "9007199254740992", false),
        ("[1e400,)", "1e99", false),
    ] {
        assert_eq!(automaton(&[interval(cells)]).contains(text.as_bytes()), expected, "{text} in {cells}");
    }
    for (cells, digits, expected) in [("(,)", 308, true), ("(,)", 309, false), ("[1e400,)", 402, true)] {
        assert_eq!(
            automaton(&[interval(cells)]).contains("9".repeat(digits).as_bytes()),
            expected,
            "{cells}"
        );
    }
}

#[test]
fn some_integers_are_digits_only() {
    let digits = |text: &str| Numbers { written: Written::InDigits, ..interval(text) };
    for (cells, text, expected) in [
        ("(,)/1", "12", true),
        ("(,)/1", "-12", true),
        ("(,)/1", "1.0", false),
        ("(,)/1", "1e3", false),
        ("[0,5]/1", "5", true),
        ("[0,5]/1", "6", false),
    ] {
        assert_eq!(automaton(&[digits(cells)]).contains(text.as_bytes()), expected, "{text} in {cells}");
    }
    let odd = |text: &str| Numbers { no_multiples_of: vec![decimal("2")], ..digits(text) };
    for cells in ["(,)/1", "[0,5]/1"] {
        let found = ["1", "3", "-7", "3.0", "2", "1e0"]
            .map(|text| automaton(&[odd(cells)]).contains(text.as_bytes()));
        assert_eq!(found, [true, true, cells == "(,)/1", false, false, false], "{cells}");
    }
}

#[test]
fn residues_have_a_ceiling() {
    for text in ["(,)/1000003", "(,)/123456789012345678901", "[1,2]/12345.6789012345678901"] {
        let error = numbers(&[interval(text)], LIMIT).map(drop).expect_err(text);
        assert_eq!((error.what, error.limit, error.given), ("dfa_states", LIMIT, LIMIT + 1), "{text}");
    }
}

/// Every way to write a number: plainly or with an exponent, with any zeros at the end.
fn spellings(value: &Decimal) -> Dfa {
    let digits = value.digits();
    if digits.is_empty() {
        return pattern("^-?0(?:\\.0+)?(?:[eE][+-]?[0-9]+)?$");
    }
    let sign = if value.is_negative() { "-" } else { "" };
    let (head, tail) = digits.split_at(1);
    let exponent = weight(value) - 1;
    let exponent_sign = if exponent < 0 { "-" } else { "\\+?" };
    let zero = if exponent == 0 { "[+-]?" } else { exponent_sign };
    let scientific = format!("{head}{}[eE]{zero}0*{}", fraction(tail), exponent.unsigned_abs());
    pattern(&format!("^{sign}(?:{}|{scientific})$", plain(digits, weight(value))))
}

/// Digits of which `weight` stand before the point.
fn plain(digits: &str, weight: i32) -> String {
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    match usize::try_from(weight) {
        Ok(weight) if weight > 0 && weight < digits.len() => {
            let (integer, rest) = digits.split_at(weight);
            format!("{integer}{}", fraction(rest))
        }
        Ok(weight) if weight > 0 => {
            format!("{digits}{}{}", zeros((weight - digits.len()) as i32), fraction(""))
        }
        _ => format!("0{}", fraction(&format!("{}{digits}", zeros(-weight)))),
    }
}

fn fraction(digits: &str) -> String {
    if digits.is_empty() { "(?:\\.0+)?".to_owned() } else { format!("\\.{digits}0*") }
}

fn pattern(source: &str) -> Dfa {
    Pattern::parse(source).and_then(|pattern| pattern.to_dfa(usize::MAX)).expect("a small pattern")
}

/// Read side by side with the automaton of what is left when every way to write each number is taken out.
fn check_others(cells: &[Numbers], numbers: &[Decimal]) {
    let whole = automaton(cells);
    if whole.is_empty() {
        return;
    }
    let mut expected = whole.clone();
    for number in numbers {
        expected = expected.difference(&spellings(number), usize::MAX).unwrap();
    }
    let all = Leaf::new(DfaLanguage::new(Arc::new(whole), "a number"));
    let points = numbers.iter().fold(Points::default(), |points, number| points.with(number));
    let Some(others) = OtherNumerals::new(all, points) else {
        return assert!(expected.is_empty(), "{cells:?} but {numbers:?}");
    };
    let mut pending = vec![(others.start(), expected.start())];
    let mut seen: HashSet<_> = pending.iter().copied().collect();
    while let Some((state, place)) = pending.pop() {
        assert_eq!(others.accepts(state), expected.label(place), "{cells:?} but {numbers:?}");
        let len = |(text, label): (Vec<u8>, _)| (text.len(), label);
        let completion = others.completion(state, &|_| 0);
        let end = others.reads(state, &completion.0).expect("a completion is read");
        assert_eq!(others.accepts(end), Some(completion.1));
        assert_eq!(len(completion), len(expected.shortest_from(place, &|_| 0)));
        for byte in 0..=u8::MAX {
            let next = (others.step(state, byte), expected.next(place, byte));
            assert_eq!(
                next.0.is_some(),
                next.1.is_some(),
                "{} in {cells:?} but {numbers:?}",
                char::from(byte)
            );
            if let (Some(state), Some(place)) = next
                && seen.insert((state, place))
            {
                pending.push((state, place));
            }
        }
    }
}

/// Completes numeral after numeral, each other than all before; some are chosen otherwise. Going on from the
/// last one gives what a search from the beginning gives.
#[test]
fn others_are_completed_one_after_the_other() {
    for cells in
        ["(,)", "(,)/1", "[0,100000]/1", "[-20,300]/1", "[0.5,9.5]", "[7,7] [1000,2000]/250", "[2,400)/3"]
    {
        let whole = automaton(&cells.split(' ').map(interval).collect::<Vec<_>>());
        let all = Leaf::new(DfaLanguage::new(Arc::new(whole), "a number"));
        let mut numbers: Vec<Decimal> = Vec::new();
        let mut points = Points::default();
        for at in 0..150 {
            let Some(others) = OtherNumerals::new(all.clone(), points.clone()) else { break };
            let fresh = numbers.iter().fold(Points::default(), |points, number| points.with(number));
            let fresh = OtherNumerals::new(all.clone(), fresh).expect("of the same numbers");
            let completion = others.completion(others.start(), &|_| 0);
            assert_eq!(completion, fresh.completion(fresh.start(), &|_| 0), "{cells} but {numbers:?}");
            let text = String::from_utf8(completion.0).expect("a numeral");
            let chosen = if at % 5 == 4 { decimal(&format!("{}", at * at)) } else { decimal(&text) };
            points = points.with(&chosen);
            numbers.push(chosen);
        }
        assert!(points.len() > 3, "{cells}");
    }
}

#[test]
fn others_of_chosen_sets() {
    let numbers = |texts: &str| texts.split(' ').map(decimal).collect::<Vec<_>>();
    for (cells, excluded) in [
        ("(,)", "0 1 -1 10 100 1005 12.5 1e3 1e-7 123456789012345678901234567890 1e307 5e-324"),
        ("(,)/1", "0 1 2 3 4 5 6 7 8 9 -1 10 100 1005 1e300"),
        ("[0,5]/1", "0"),
        ("[0,5]/1", "0 1 2 4 5"),
        ("[0,5]/1", "0 1 2 3 4 5"),
        ("[-2,3]/0.5", "-2 -1.5 0 0.5 1 3"),
        ("[0,0.01]", "0 0.01 0.001 0.0010001"),
        ("[100,200]/10", "100 110 120 130 140 150 160 170 180 190"),
        ("[12.5,12.5]", "12.5"),
        ("[12.5,12.5]", "12.25"),
    ] {
        check_others(&[interval(cells)], &numbers(excluded));
    }
    check_others(&[interval("[1,1]"), interval("[1000,1000]"), interval("[-5,-4]/1")], &numbers("1 -4"));
}
