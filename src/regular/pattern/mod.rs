//! ECMA-262 patterns, as JSON Schema uses them, to automata.
//!
//! The parser is our own, because `regex-syntax` reads another language: it differs in `\d`, `\s`, `\b`, `.`,
//! `[^]`, `\cX`, `\uHHHH` and set operators, and it cannot name what is not regular. Semantics are those of
//! the `u` flag (a pattern is about characters, never about halves of them); syntax is a little more lenient,
//! because real schemas need not be: punctuation may be escaped without need, and braces and `]` stand for
//! themselves where they mean nothing else.

mod alphabet;
mod around;
mod ast;
mod class;
mod counted;
mod determinize;
mod error;
mod escape;
mod lower;
mod nfa;
#[cfg(test)]
mod oracle;
mod parser;
#[cfg(test)]
mod reference;
mod spell;
#[cfg(test)]
mod tests;

pub(crate) use class::white_space;
pub(crate) use counted::Counted;
pub use error::{PatternError, PatternErrorKind};

use std::sync::{Arc, LazyLock};

use regex_syntax::hir::{Hir, Look};

use super::Dfa;
use crate::cache::{self, Bounded, Parts, Weighed, bounded};
use crate::limits::{Budget, LimitExceeded, Limits};
use crate::recursion;
use ast::Node;

/// A pattern that was read, not yet compiled.
///
/// ```
/// use harmony_mask::regular::Pattern;
///
/// let dfa = Pattern::parse(r"^\d{3}-")?.to_dfa(1_000)?;
/// assert!(dfa.contains(b"555-0100") && !dfa.contains(b"call 555-0100"));
/// # Ok::<(), harmony_mask::regular::PatternError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pattern {
    node: Arc<Node>,
    source: Arc<str>,
    /// Whether its repetition has [lost its bounds](Self::counted).
    is_open: bool,
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// When it is malformed, looks ahead within what it looks for behind, or uses backreferences; or when to
    /// read it takes more than the [work](crate::Limits::work) of a compilation may be.
    pub fn parse(source: &str) -> Result<Self, PatternError> {
        Self::parse_within(source, &Budget::from(&Limits::default()))
    }

    /// The same as part of a compilation, which pays for it.
    pub(crate) fn parse_within(source: &str, budget: &Budget) -> Result<Self, PatternError> {
        let node = nested(source, || parser::parse(source, budget))?;
        Ok(Self { node: Arc::new(node), source: source.into(), is_open: false })
    }

    /// The texts that contain a match.
    ///
    /// # Errors
    ///
    /// When the automaton, or what it is made of, needs more than `limit` states.
    pub fn to_dfa(&self, limit: usize) -> Result<Dfa, PatternError> {
        let bytes = |(source, ..): &Source, dfa: &Dfa| source.len() + dfa.memory_bytes();
        let key = Parts((&self.source, &self.is_open, &limit));
        let dfa = cache::try_known(&COMPILED, &key, |_| self.determinize(limit), bytes)?;
        Ok((*dfa).clone())
    }

    fn determinize(&self, limit: usize) -> Result<Dfa, PatternError> {
        let dfa = nested(&self.source, || match self.node.looks_around() {
            true => around::texts_with_match(&self.node, limit),
            false => determinize::texts_with_match(lower::lower(&self.node), limit),
        });
        dfa.map_err(|limit| PatternError { kind: limit.into(), span: 0..self.source.len() })
    }
}

impl Drop for Pattern {
    fn drop(&mut self) {
        let node = std::mem::replace(&mut self.node, Arc::new(Node::Sequence(Vec::new())));
        nested(&self.source, || drop(node));
    }
}

/// Calls what follows the groups of a pattern: every stage may call itself for each.
fn nested<R>(source: &str, call: impl FnOnce() -> R) -> R {
    let groups = source.bytes().filter(|byte| *byte == b'(').count().min(parser::DEPTH);
    recursion::with_levels(groups, call)
}

/// The texts that `hir` matches from end to end.
///
/// # Errors
///
/// When the automaton, or what it is made of, needs more than `limit` states.
pub(crate) fn whole_match(hir: Hir, limit: usize) -> Result<Dfa, LimitExceeded> {
    determinize::texts_with_match(Hir::concat(vec![Hir::look(Look::Start), hir, Hir::look(Look::End)]), limit)
}

/// The automata of a process, since schemas repeat patterns: of the 10,285 patterns in MaskBench 2,590
/// differ. Building one takes 27 µs at the median and 0.7 ms at the 99th percentile.
static COMPILED: LazyLock<Bounded<Source, Weighed<Dfa>>> = LazyLock::new(|| bounded(CACHE_BYTES));

/// A pattern, whether without its bounds, and the states that its automaton may have.
type Source = (Arc<str>, bool, usize);

/// What the automata of patterns may take in a process.
const CACHE_BYTES: usize = 32 << 20;
