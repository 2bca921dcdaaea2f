//! Numerals: which texts denote a number of a set.
//!
//! A number may be written plainly, or in scientific form with one digit before the point (`1e3`, `1.5e+16`); `1.0` and `1e3` denote
//! integers. Whether it is within bounds and a multiple is read off the digits, exactly: no number is ever a double here, since `0.1` and
//! `9007199254740993` are none.
//!
//! Each cell of the set gives up to four machines, by sign and form. All of them run side by side while the automaton is explored, so that
//! the numerals of a union are one minimal automaton, without dead ends and without choices.

mod bound;
mod excluded;
mod exponent;
mod magnitude;
mod multiple;
mod plain;
mod scientific;
#[cfg(test)]
mod tests;

use std::sync::{Arc, LazyLock};

use magnitude::{Magnitudes, is_unconstrained};
use plain::Plain;
use scientific::Scientific;

use crate::cache::{self, Bounded, Weighed, bounded};
use crate::expression::{DfaLanguage, Expression, Kind, Leaf};
use crate::limits::LimitExceeded;
use crate::regular::Dfa;
use crate::schema::{Decimal, Numbers};

/// The numerals of the numbers in any of the cells, of which there is at least one.
///
/// # Errors
///
/// When the automaton needs more than `limit` states.
pub(super) fn numbers(cells: &[Numbers], limit: usize) -> Result<Leaf, LimitExceeded> {
    match cells {
        [cell] if is_unconstrained(cell) && cell.multiple_of.is_none() => Ok(NUMBER.clone()),
        [cell] if is_unconstrained(cell) && cell.digits_only => Ok(DIGITS.clone()),
        [cell] if is_unconstrained(cell) => Ok(INTEGER.clone()),
        _ => known(cells, limit),
    }
}

/// The numerals of sets that were asked for before, in any schema: `"minimum": 0` is common, and takes half a millisecond to build.
static KNOWN: LazyLock<Bounded<Set, Weighed<Leaf>>> = LazyLock::new(|| bounded(KNOWN_BYTES));

/// What the numerals of sets may take in a process.
const KNOWN_BYTES: usize = 8 << 20;

/// The cells, and the states that their automaton may have.
type Set = (Box<[Numbers]>, usize);

fn known(cells: &[Numbers], limit: usize) -> Result<Leaf, LimitExceeded> {
    let bytes = |(cells, _): &Set, leaf: &Leaf| size_of_val::<[Numbers]>(cells) + leaf.memory_bytes();
    let leaf = cache::try_known(&KNOWN, (cells.into(), limit), |(cells, limit)| build(cells, *limit), bytes)?;
    Ok((*leaf).clone())
}

/// The numerals of a leaf but those of some numbers, however they are written; `None` where none is left.
pub(super) fn all_but(numerals: &Expression, points: &[&serde_json::Number]) -> Option<Expression> {
    let Kind::Match { leaf, .. } = numerals.kind() else { unreachable!("numerals are a leaf") };
    let all = leaf.downcast_ref::<DfaLanguage>().expect("numerals are an automaton");
    let mut left = Dfa::clone(all.dfa());
    for point in points {
        left = left.difference(&excluded::spellings(point), usize::MAX).expect("no limit");
    }
    let what = leaf.expectation(leaf.start());
    (!left.is_empty()).then(|| Expression::leaf(Leaf::new(DfaLanguage::new(Arc::new(left), what))))
}

static NUMBER: LazyLock<Leaf> = LazyLock::new(|| unconstrained(Numbers::default()));
static INTEGER: LazyLock<Leaf> =
    LazyLock::new(|| unconstrained(Numbers { multiple_of: Some(Decimal::one()), ..Numbers::default() }));
static DIGITS: LazyLock<Leaf> = LazyLock::new(|| {
    unconstrained(Numbers { multiple_of: Some(Decimal::one()), digits_only: true, ..Numbers::default() })
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
    let (digits, whole): (Vec<_>, Vec<_>) = whole.into_iter().partition(|cell| cell.digits_only);
    let mut numerals = explore(&whole, b"0123456789+-.eE", limit)?;
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
    let machines = Machines::new(cells, limit)?;
    let step = |state: &Reading, byte| machines.step(state, byte);
    let label = |state: &Reading| machines.is_numeral(state).then_some(0);
    Dfa::explore(Reading::Start, alphabet, step, label, limit)
}

/// What runs side by side. Both signs share a machine where they allow the same magnitudes.
struct Machines {
    magnitudes: Vec<Magnitudes>,
    positive: Vec<Thread>,
    negative: Vec<Thread>,
}

/// One form of the numerals of some magnitudes, partly read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Thread {
    magnitudes: usize,
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Form {
    Plain(Plain),
    Scientific(Scientific),
}

/// How far a numeral has been read.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Reading {
    /// Before the sign.
    Start,
    /// After it: what it may still become.
    Digits(Vec<Thread>),
}

impl Machines {
    fn new(cells: &[Numbers], limit: usize) -> Result<Self, LimitExceeded> {
        let mut machines = Self { magnitudes: Vec::new(), positive: Vec::new(), negative: Vec::new() };
        for cell in cells {
            if let Some(magnitudes) = Magnitudes::of_positive(cell, limit)? {
                let threads = machines.threads(magnitudes);
                machines.positive.extend(threads);
            }
            if let Some(magnitudes) = Magnitudes::of_negative(cell, limit)? {
                let threads = machines.threads(magnitudes);
                machines.negative.extend(threads);
            }
        }
        Ok(machines)
    }

    fn threads(&mut self, magnitudes: Magnitudes) -> [Thread; 2] {
        let last = self.magnitudes.len().wrapping_sub(1);
        let index = if self.magnitudes.last() == Some(&magnitudes) {
            last
        } else {
            self.magnitudes.push(magnitudes);
            self.magnitudes.len() - 1
        };
        [Form::Plain(Plain::Start), Form::Scientific(Scientific::Start)]
            .map(|form| Thread { magnitudes: index, form })
    }

    fn step(&self, state: &Reading, byte: u8) -> Option<Reading> {
        let threads = match (state, byte) {
            (Reading::Start, b'-') => self.negative.clone(),
            (Reading::Start, byte) => self.advance(&self.positive, byte),
            (Reading::Digits(threads), byte) => self.advance(threads, byte),
        };
        (!threads.is_empty()).then_some(Reading::Digits(threads))
    }

    fn advance(&self, threads: &[Thread], byte: u8) -> Vec<Thread> {
        threads.iter().filter_map(|thread| self.advance_thread(*thread, byte)).collect()
    }

    fn advance_thread(&self, thread: Thread, byte: u8) -> Option<Thread> {
        let of = &self.magnitudes[thread.magnitudes];
        let form = match thread.form {
            Form::Plain(plain) => Form::Plain(plain.step(of, byte)?),
            Form::Scientific(scientific) => Form::Scientific(scientific.step(of, byte)?),
        };
        Some(Thread { form, ..thread })
    }

    fn is_numeral(&self, state: &Reading) -> bool {
        let Reading::Digits(threads) = state else { return false };
        threads.iter().any(|thread| match thread.form {
            Form::Plain(plain) => plain.is_numeral(&self.magnitudes[thread.magnitudes]),
            Form::Scientific(scientific) => scientific.is_numeral(),
        })
    }
}
