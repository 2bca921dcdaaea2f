//! Numerals: which texts denote a number of a set.
//!
//! A number may be written plainly, or in scientific form with one digit before the point (`1e3`, `1.5e+16`);
//! `1.0` and `1e3` denote integers. Whether it is within bounds and a multiple is read off the digits,
//! exactly: no number is ever a double here, since `0.1` and `9007199254740993` are none.
//!
//! Each cell of the set gives up to four machines, by sign and form. All of them run side by side while the
//! automaton is explored, so that the numerals of a union are one minimal automaton, without dead ends and
//! without choices.

mod bound;
mod excluded;
mod exponent;
mod magnitude;
mod multiple;
mod other;
mod plain;
mod points;
mod scientific;
mod shortest;
#[cfg(test)]
mod tests;

use std::sync::{Arc, LazyLock};

use magnitude::{Magnitudes, is_unconstrained};
use other::OtherNumerals;
use plain::Plain;
pub(super) use points::Points;
use scientific::Scientific;

use crate::cache::{self, Bounded, Weighed, bounded};
use crate::expression::{DfaLanguage, Expression, Kind, Leaf};
use crate::limits::LimitExceeded;
use crate::regular::Dfa;
use crate::schema::{Bound, Decimal, Numbers, Written};

/// The characters of numerals.
const CHARACTERS: &[u8] = b"0123456789+-.eE";

/// The numerals of the numbers in any of the cells, of which there is at least one.
///
/// # Errors
///
/// When the automaton needs more than `limit` states.
pub(super) fn numbers(cells: &[Numbers], limit: usize) -> Result<Leaf, LimitExceeded> {
    match cells {
        [cell] if is_unconstrained(cell) && cell.multiple_of.is_none() => Ok(NUMBER.clone()),
        [cell] if is_unconstrained(cell) && cell.written == Written::InDigits => Ok(DIGITS.clone()),
        [cell] if is_unconstrained(cell) => Ok(INTEGER.clone()),
        _ => known(cells, limit),
    }
}

/// Whether the automaton of the numerals surely has less than [`SMALL`] states: those of an interval, or of
/// some numbers, with few digits.
pub(super) fn is_small(cells: &[Numbers]) -> bool {
    let is_short = |bound: &Option<Bound>| bound.as_ref().is_none_or(|bound| bound.value.text_len() <= 40);
    let is_plain = |cell: &Numbers| {
        let counts = cell.multiple_of.as_ref().is_none_or(|step| *step == Decimal::one());
        counts && cell.no_multiples_of.is_empty() && is_short(&cell.lower) && is_short(&cell.upper)
    };
    let are_points = cells.len() <= 64 && cells.iter().all(|cell| cell.as_point().is_some());
    (cells.len() == 1 || are_points) && cells.iter().all(is_plain)
}

/// See [`is_small`].
pub(super) const SMALL: usize = 10_000;

/// The numerals of sets that were asked for before, in any schema: `"minimum": 0` is common, and has some
/// hundred states.
static KNOWN: LazyLock<Bounded<Set, Weighed<Leaf>>> = LazyLock::new(|| bounded(KNOWN_BYTES));

/// What the numerals of sets may take in a process.
const KNOWN_BYTES: usize = 8 << 20;

/// The cells, and the states that their automaton may have.
type Set = (Box<[Numbers]>, usize);

fn known(cells: &[Numbers], limit: usize) -> Result<Leaf, LimitExceeded> {
    let bytes = |(cells, _): &Set, leaf: &Leaf| size_of_val::<[Numbers]>(cells) + leaf.memory_bytes();
    let leaf =
        cache::try_known(&KNOWN, &(cells.into(), limit), |(cells, limit)| build(cells, *limit), bytes)?;
    Ok((*leaf).clone())
}

/// The numerals of a leaf but those of some numbers, however they are written; `None` where none is left.
pub(super) fn all_but(numerals: &Expression, numbers: Points) -> Option<Expression> {
    let Kind::Match { leaf, .. } = numerals.kind() else { unreachable!("numerals are a leaf") };
    OtherNumerals::new(leaf.clone(), numbers).map(|others| Expression::leaf(Leaf::new(others)))
}

static NUMBER: LazyLock<Leaf> = LazyLock::new(|| unconstrained(Numbers::default()));
static INTEGER: LazyLock<Leaf> =
    LazyLock::new(|| unconstrained(Numbers { multiple_of: Some(Decimal::one()), ..Numbers::default() }));
static DIGITS: LazyLock<Leaf> = LazyLock::new(|| {
    let written = Written::InDigits;
    unconstrained(Numbers { multiple_of: Some(Decimal::one()), written, ..Numbers::default() })
});

fn unconstrained(cell: Numbers) -> Leaf {
    build(&[cell], usize::MAX).expect("some thousand states")
}

fn build(cells: &[Numbers], limit: usize) -> Result<Leaf, LimitExceeded> {
    let is_integer = |cell: &Numbers| cell.multiple_of.as_ref().is_some_and(Decimal::is_integer);
    let what = if cells.iter().all(is_integer) { "an integer" } else { "a number" };
    Ok(Leaf::new(DfaLanguage::new(Arc::new(numerals(cells, limit)?), what)))
}

fn numerals(cells: &[Numbers], limit: usize) -> Result<Dfa, LimitExceeded> {
    let (whole, with_gaps): (Vec<_>, Vec<_>) =
        cells.iter().cloned().partition(|cell| cell.no_multiples_of.is_empty());
    let (digits, whole): (Vec<_>, Vec<_>) =
        whole.into_iter().partition(|cell| cell.written == Written::InDigits);
    let mut numerals = explore(&whole, CHARACTERS, limit)?;
    if !digits.is_empty() {
        // To some readers `-0` is a double.
        let negative_zero = Dfa::words([("-0", 0)], limit)?;
        let digits = explore(&digits, b"0123456789-", limit)?.difference(&negative_zero, limit)?;
        numerals = numerals.union(&digits, limit)?;
    }
    for cell in &with_gaps {
        numerals = numerals.union(&excluded::numerals(cell, limit)?, limit)?;
    }
    Ok(numerals)
}

/// The numerals of cells without gaps, over some of the characters of numerals.
fn explore(cells: &[Numbers], alphabet: &[u8], limit: usize) -> Result<Dfa, LimitExceeded> {
    let machines = Machines::new(cells, alphabet.contains(&b'e'), limit)?;
    let step = |thread, byte| machines.step(thread, byte);
    let is_numeral = |thread| machines.is_numeral(thread);
    Dfa::explore_all(machines.starts.iter().copied(), alphabet, step, is_numeral, limit)
}

/// What runs side by side. Both signs share a machine where they allow the same magnitudes.
struct Machines {
    magnitudes: Vec<Magnitudes>,
    starts: Vec<Thread>,
}

/// One form of the numerals of some magnitudes, partly read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Thread {
    magnitudes: usize,
    form: Form,
    /// Whether a minus must still be read.
    wants_sign: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Form {
    Plain(Plain),
    Scientific(Scientific),
}

impl Machines {
    fn new(cells: &[Numbers], has_exponents: bool, limit: usize) -> Result<Self, LimitExceeded> {
        let mut machines = Self { magnitudes: Vec::new(), starts: Vec::new() };
        for by_sign in magnitude::by_sign(cells, limit)? {
            for (magnitudes, wants_sign) in by_sign.into_iter().zip([false, true]) {
                machines.add(magnitudes, wants_sign, has_exponents);
            }
        }
        Ok(machines)
    }

    fn add(&mut self, magnitudes: Option<Magnitudes>, wants_sign: bool, has_exponents: bool) {
        let Some(magnitudes) = magnitudes else { return };
        if self.magnitudes.last() != Some(&magnitudes) {
            self.magnitudes.push(magnitudes);
        }
        let forms = [Form::Plain(Plain::Start), Form::Scientific(Scientific::Start)];
        let forms = forms.into_iter().take(if has_exponents { 2 } else { 1 });
        let magnitudes = self.magnitudes.len() - 1;
        self.starts.extend(forms.map(|form| Thread { magnitudes, form, wants_sign }));
    }

    fn step(&self, thread: Thread, byte: u8) -> Option<Thread> {
        if thread.wants_sign {
            return (byte == b'-').then_some(Thread { wants_sign: false, ..thread });
        }
        let of = &self.magnitudes[thread.magnitudes];
        let form = match thread.form {
            Form::Plain(plain) => Form::Plain(plain.step(of, byte)?),
            Form::Scientific(scientific) => Form::Scientific(scientific.step(of, byte)?),
        };
        Some(Thread { form, ..thread })
    }

    fn is_numeral(&self, thread: Thread) -> bool {
        !thread.wants_sign
            && match thread.form {
                Form::Plain(plain) => plain.is_numeral(&self.magnitudes[thread.magnitudes]),
                Form::Scientific(scientific) => scientific.is_numeral(),
            }
    }
}
