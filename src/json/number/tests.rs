//! Numerals against exact arithmetic on a definition of their own, and build times.

use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;

use super::*;
use crate::schema::Bound;

const LIMIT: usize = 100_000;

/// A number as integer × 10^exponent.
#[derive(Clone, Debug)]
struct Exact {
    integer: BigInt,
    exponent: i32,
}

impl Exact {
    fn in_units(&self, exponent: i32) -> BigInt {
        &self.integer * BigInt::from(BigUint::from(10_u8).pow(self.exponent.abs_diff(exponent)))
    }

    fn paired(&self, other: &Self) -> (BigInt, BigInt) {
        let exponent = self.exponent.min(other.exponent);
        (self.in_units(exponent), other.in_units(exponent))
    }

    fn is_within(&self, cell: &Numbers) -> bool {
        let cmp = |bound: &Bound| {
            let (own, other) = self.paired(&exact(&bound.value.to_string()));
            own.cmp(&other)
        };
        let divides = |step: &Decimal| {
            let (own, step) = self.paired(&exact(&step.to_string()));
            own % step == BigInt::ZERO
        };
        cell.lower.as_ref().is_none_or(|lower| cmp(lower).is_gt() || lower.inclusive && cmp(lower).is_eq())
            && cell
                .upper
                .as_ref()
                .is_none_or(|upper| cmp(upper).is_lt() || upper.inclusive && cmp(upper).is_eq())
            && cell.multiple_of.as_ref().is_none_or(divides)
    }
}

/// A JSON number in its parts.
#[derive(Clone, Debug)]
struct Parts<'t> {
    integer: &'t str,
    fraction: Option<&'t str>,
    exponent: Option<&'t str>,
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn parts(text: &str) -> Option<Parts<'_>> {
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (integer, fraction) = match mantissa.split_once('.') {
        Some((integer, fraction)) => (integer, Some(fraction)),
        None => (mantissa, None),
    };
    let unsigned = exponent.map(|text| text.strip_prefix(['+', '-']).unwrap_or(text));
    let is_json = is_digits(integer)
        && (integer == "0" || !integer.starts_with('0'))
        && fraction.is_none_or(is_digits)
        && unsigned.is_none_or(is_digits);
    is_json.then_some(Parts { integer, fraction, exponent })
}

fn exact(text: &str) -> Exact {
    let Parts { integer, fraction, exponent } = parts(text).unwrap();
    let fraction = fraction.unwrap_or("");
    let sign = if text.starts_with('-') { "-" } else { "" };
    Exact {
        integer: format!("{sign}{integer}{fraction}").parse().unwrap(),
        exponent: exponent.map_or(0, |text| text.parse::<i32>().unwrap()) - fraction.len() as i32,
    }
}

/// Whether numerals of this form are offered for a cell, if the number is in it.
fn is_offered(parts: &Parts<'_>, cell: &Numbers) -> bool {
    let Some(exponent) = parts.exponent else { return parts.integer.len() <= 308 };
    let fraction = parts.fraction.unwrap_or("").trim_end_matches('0');
    let digits = exponent.trim_start_matches(['+', '-']).len();
    let value: i32 = exponent.parse().unwrap();
    let places = cell.multiple_of.as_ref().map_or(usize::MAX, |step| {
        let modulus: usize = step.digits().parse().unwrap();
        (256 / modulus).isqrt()
    });
    parts.integer.len() == 1
        && (parts.integer != "0" || fraction.is_empty())
        && digits <= if is_unconstrained(cell) { 3 } else { 2 }
        && (-399..=307).contains(&value)
        && (fraction.len() <= places || exact_is_zero(parts))
}

fn exact_is_zero(parts: &Parts<'_>) -> bool {
    parts.integer == "0" && parts.fraction.unwrap_or("").bytes().all(|byte| byte == b'0')
}

/// Many numerals, and texts that are almost numerals.
fn texts() -> Vec<String> {
    let integers = [
        "0", "1", "2", "3", "5", "7", "9", "10", "12", "15", "20", "49", "50", "51", "99", "100", "101",
        "128", "250", "999", "1000", "1001", "12345", "20000",
    ];
    let fractions =
        ["", ".0", ".00", ".5", ".50", ".25", ".125", ".05", ".01", ".001", ".999", ".12345", ".250"];
    let exponents = ["", "e0", "e1", "e2", "E+3", "e-1", "E-02", "e00", "e5", "e005", "e+99", "e-99", "e100"];
    let mut texts: Vec<String> =
        ["", "-", "01", "1.", ".5", "+1", "1e", "1e+", "--1", "1.e3", "00", "1e1.0", "-e1", "1-"]
            .map(String::from)
            .into();
    for sign in ["", "-"] {
        for integer in integers {
            for fraction in fractions {
                texts.extend(exponents.iter().map(|exponent| format!("{sign}{integer}{fraction}{exponent}")));
            }
        }
    }
    texts
}

fn decimal(text: &str) -> Decimal {
    Decimal::from_number(&text.parse().unwrap(), 1000).unwrap()
}

/// Reads `[1, 2)`, `(, 3]`, with a divisor after a slash.
fn cell(text: &str) -> Numbers {
    let (interval, step) = text.split_once('/').unwrap_or((text, ""));
    let (lower, upper) = interval.split_once(',').unwrap();
    let bound = |text: &str, inclusive| (!text.is_empty()).then(|| Bound { value: decimal(text), inclusive });
    Numbers {
        lower: bound(&lower[1..], lower.starts_with('[')),
        upper: bound(&upper[..upper.len() - 1], upper.ends_with(']')),
        multiple_of: (!step.is_empty()).then(|| decimal(step)),
    }
}

fn check_cells(cells: &[Numbers], texts: &[(String, Option<(Parts<'_>, Exact)>)]) {
    let dfa = numerals(cells, LIMIT).unwrap();
    for (text, number) in texts {
        let allowed = number.as_ref().is_some_and(|(parts, exact)| {
            cells.iter().any(|cell| is_offered(parts, cell) && exact.is_within(cell))
        });
        assert_eq!(dfa.contains(text.as_bytes()), allowed, "{text} in {cells:?}");
    }
}

fn with_values(texts: &[String]) -> Vec<(String, Option<(Parts<'_>, Exact)>)> {
    texts.iter().map(|text| (text.clone(), parts(text).map(|parts| (parts, exact(text))))).collect()
}

#[test]
fn numerals_of_chosen_cells() {
    let texts = texts();
    let texts = with_values(&texts);
    for text in [
        "(,)",
        "(,)/1",
        "[0,)",
        "[0,)/1",
        "(0,)",
        "(,0)",
        "(,0]/1",
        "[0,100]/1",
        "[-5,5]",
        "(-1,1)",
        "[0.05,0.5)",
        "(,)/0.01",
        "(,)/5",
        "(,)/2.5",
        "(,)/100",
        "(,)/1000000",
        "[1,)/7",
        "[0,0]",
        "[12.5,12.5]",
        "[1e99,)",
        "(1e-99,1]",
        "[-1000,-1)/0.5",
        "[100,100]",
        "(99,1000)/50",
        "[1e3,1e5]/1e3",
        "(,)/300",
        "(,)/0.128",
    ] {
        check_cells(&[cell(text)], &texts);
    }
    check_cells(&[cell("(,-5]/1"), cell("[5,10)/2.5"), cell("[1000,1000]"), cell("[2,2]")], &texts);
}

fn bound() -> impl Strategy<Value = Option<Bound>> {
    let value = prop_oneof!["-?[0-9]{1,3}(\\.[0-9]{1,3})?", "-?[1-9]e-?[0-9]", "-?10{0,4}"];
    let value = value.prop_map(|text| text.trim_start_matches('0').to_owned());
    let value = value.prop_map(|text| {
        if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') { text } else { format!("0{text}") }
    });
    proptest::option::of(
        (value, any::<bool>()).prop_map(|(text, inclusive)| Bound { value: loose(&text), inclusive }),
    )
}

fn loose(text: &str) -> Decimal {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let digits = digits.trim_start_matches('0');
    let zero = if digits.starts_with(|first: char| first.is_ascii_digit()) { "" } else { "0" };
    decimal(&format!("{sign}{zero}{digits}"))
}

prop_compose! {
    fn cells()(
        cells in proptest::collection::vec((bound(), bound(), proptest::option::of("[1-9][0-9]?(\\.[0-9]|e[1-3])?")), 1..4),
    ) -> Vec<Numbers> {
        cells.into_iter().map(|(lower, upper, step)| Numbers { lower, upper, multiple_of: step.map(|step| decimal(&step)) }).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn numerals_of_any_cells(cells in cells()) {
        let texts = texts();
        check_cells(&cells, &with_values(&texts));
    }

    #[test]
    fn what_serde_writes_is_accepted(cells in cells(), floats in proptest::collection::vec(any::<f64>(), 20), integers in proptest::collection::vec(any::<i64>(), 20), small in proptest::collection::vec(-1000_i32..1000, 20)) {
        let dfa = numerals(&cells, LIMIT).unwrap();
        let texts = floats.iter().filter(|float| float.is_finite()).map(|float| serde_json::to_string(float).unwrap())
            .chain(integers.iter().map(|integer| integer.to_string()))
            .chain(small.iter().map(|small| serde_json::to_string(&(f64::from(*small) / 8.0)).unwrap()));
        for text in texts {
            let (parts, exact) = (parts(&text).unwrap(), exact(&text));
            let allowed = cells.iter().any(|cell| exact.is_within(cell) && is_offered(&parts, cell));
            prop_assert_eq!(dfa.contains(text.as_bytes()), allowed, "{} in {:?}", text, cells);
        }
    }
}

#[test]
fn build_times() {
    for text in [
        "(,)",
        "(,)/1",
        "[0,)",
        "[0,)/1",
        "[1,)/1",
        "[0,100]/1",
        "[1,10]/1",
        "[0,1]",
        "[-90,90]",
        "[-180,180]",
        "(0,)/0.01",
        "(,)/7",
        "(,)/99",
        "[12.5,12.5]",
        "[1,65535]/1",
        "[-9223372036854775808,9223372036854775807]/1",
        "(,)/12345",
    ] {
        let cells = [cell(text)];
        let _ = numerals(&cells, LIMIT);
        let start = std::time::Instant::now();
        let dfa = numerals(&cells, LIMIT).unwrap();
        let time = start.elapsed();
        eprintln!("{text:>50} {:>6} states {time:?}", dfa.states());
    }
}
