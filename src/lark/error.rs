//! What may be wrong with a grammar, and where.

use std::fmt;

/// A place in a grammar's text. Both numbers count from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The character within the line.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a grammar was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LarkError {
    kind: LarkErrorKind,
    position: Option<Position>,
}

impl LarkError {
    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &LarkErrorKind {
        &self.kind
    }

    /// Where, unless the fault is in how the grammar is used and not in its text.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        self.position
    }

    pub(super) fn at(position: Position, kind: LarkErrorKind) -> Self {
        Self { kind, position: Some(position) }
    }

    pub(super) fn in_use(kind: LarkErrorKind) -> Self {
        Self { kind, position: None }
    }
}

impl fmt::Display for LarkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some(position) => write!(f, "{position}: {}", self.kind),
            None => self.kind.fmt(f),
        }
    }
}

impl std::error::Error for LarkError {}

/// The ways in which a grammar can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LarkErrorKind {
    /// A character that begins nothing.
    #[error("unexpected character {0:?}")]
    UnexpectedCharacter(char),
    /// A string without its closing quote.
    #[error("the string is not closed on its line")]
    UnclosedString,
    /// A backslash before something else than `" \ n r t`.
    #[error("unknown escape: a string knows \\\" \\\\ \\n \\r \\t")]
    UnknownEscape,
    /// `<|` without `|>`.
    #[error("the special token is not closed with `|>`")]
    UnclosedSpecial,
    /// A special token that an assistant never writes.
    #[error("`<|{0}|>` is not a special token that an assistant may write")]
    UnknownSpecial(String),
    /// `@` without a name.
    #[error("a hole is `@` and a name")]
    NamelessHole,
    /// The text goes on with something else than it should.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What may stand here.
        expected: &'static str,
        /// What stands here.
        found: String,
    },
    /// Parentheses nested too deep.
    #[error("parentheses are nested deeper than {0} levels")]
    TooDeep(usize),
    /// A name that is used and never defined.
    #[error("rule `{0}` is not defined")]
    UndefinedRule(String),
    /// A name that is defined twice.
    #[error("rule `{0}` is defined twice")]
    DuplicateRule(String),
    /// A filling for a hole that the grammar does not have.
    #[error("the grammar has no hole `@{0}`")]
    UnknownHole(String),
    /// A hole that was left open.
    #[error("hole `@{0}` is not filled")]
    UnfilledHole(String),
    /// A rule that can reach itself before it reads anything.
    #[error("rule `{0}` is left-recursive: it can begin with itself")]
    LeftRecursion(String),
    /// A repetition of something that may be empty.
    #[error("what is repeated here may be empty")]
    EmptyRepetition,
    /// A rule that matches no text.
    #[error("rule `{0}` never ends: each of its alternatives needs itself")]
    Unproductive(String),
}
