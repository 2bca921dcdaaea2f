//! Why a pattern was refused.

use std::ops::Range;

use crate::limits::LimitExceeded;

/// A pattern that cannot be enforced: why, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (bytes {} to {} of the pattern)", .span.start, .span.end)]
pub struct PatternError {
    /// What is wrong.
    pub kind: PatternErrorKind,
    /// The bytes of the pattern that it is about.
    pub span: Range<usize>,
}

impl From<LimitExceeded> for PatternErrorKind {
    fn from(limit: LimitExceeded) -> Self {
        Self::TooLarge(limit)
    }
}

/// What is wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternErrorKind {
    /// `(?=` or `(?!` within `(?<=` or `(?<!`.
    #[error("a lookahead within a lookbehind is not supported")]
    Lookaround,
    /// `\1` or `\k<name>`: the language is not regular.
    #[error("a backreference is not regular")]
    Backreference,
    /// Not an ECMA-262 pattern.
    #[error("{0}")]
    Syntax(String),
    /// It is too much to read, or the automaton would be too large.
    #[error(transparent)]
    TooLarge(LimitExceeded),
}
