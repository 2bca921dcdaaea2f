//! What may be wrong with a grammar, and where.

use std::fmt;

use crate::limits::LimitExceeded;
use crate::special::SpecialToken;

/// A place in a grammar's text. Both numbers count from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The character within the line.
    pub column: u32,
}

impl Position {
    /// The place that is `line` and `column` in a text that begins here.
    pub(super) fn offset(self, line: usize, column: usize) -> Self {
        let [line, column] = [line, column].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        match line {
            1 => Self { column: self.column.saturating_add(column - 1), ..self },
            _ => Self { line: self.line.saturating_add(line - 1), column },
        }
    }
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

    /// The limit that was exceeded.
    #[must_use]
    pub fn limit(&self) -> Option<&LimitExceeded> {
        match &self.kind {
            LarkErrorKind::Limit(limit) => Some(limit),
            _ => None,
        }
    }

    pub(crate) fn at(position: Position, kind: LarkErrorKind) -> Self {
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
    /// A regular expression without its closing slash.
    #[error("the regular expression is not closed on its line")]
    UnclosedRegex,
    /// A backslash before something that it cannot stand before.
    #[error("unknown escape: a string knows \\\" \\\\ \\/ \\n \\r \\t \\b \\f \\v \\xHH \\uHHHH \\UHHHHHHHH")]
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
    /// A name with small letters and capitals.
    #[error("`{0}` is neither a rule (small letters) nor a terminal (capitals)")]
    MixedCase(String),
    /// A number beyond 32 bits.
    #[error("the number {0} is too large")]
    NumberTooLarge(String),
    /// What follows `%json` (or another directive, the first member) is not JSON.
    #[error("`{0}` needs JSON: {1}")]
    NotJson(&'static str, String),
    /// A directive that other readers of this notation know, or nobody.
    #[error("the directive `{0}` is not supported")]
    UnsupportedDirective(String),
    /// A construct that other readers of this notation know.
    #[error("{0} is not supported")]
    Unsupported(&'static str),
    /// The text goes on with something else than it should.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What may stand here.
        expected: &'static str,
        /// What stands here.
        found: String,
    },
    /// `x~5..2`
    #[error("nothing repeats at least {min} and at most {max} times")]
    BadRepetition {
        /// The first number.
        min: u32,
        /// The second, smaller one.
        max: u32,
    },
    /// A range whose ends are not two characters in their order.
    #[error("from {0:?} to {1:?} is not a range of characters")]
    BadRange(String, String),
    /// Brackets, or terminals that use each other, nested too deep.
    #[error("nested deeper than {0} levels")]
    TooDeep(usize),
    /// A rule that is used and never defined.
    #[error("rule `{0}` is not defined")]
    UndefinedRule(String),
    /// A terminal that is used and never defined.
    #[error("terminal `{0}` is not defined")]
    UndefinedTerminal(String),
    /// A name that is defined twice.
    #[error("`{0}` is defined twice")]
    Duplicate(String),
    /// A terminal that the library does not have.
    #[error("`common` has no terminal `{0}`")]
    UnknownImport(String),
    /// Something that cannot be a part of a terminal.
    #[error("a terminal cannot contain {0}")]
    NotInTerminal(&'static str),
    /// A terminal that contains itself.
    #[error("terminal `{0}` contains itself: only rules may recur")]
    RecursiveTerminal(String),
    /// A terminal that matches no text.
    #[error("no text matches this")]
    MatchesNothing,
    /// A flag that regular expressions do not have.
    #[error("unknown flag `{0}`: a regular expression knows i, m, s, u and x")]
    UnknownFlag(char),
    /// A regular expression that looks ahead or behind.
    #[error("lookaround is not supported")]
    Lookaround,
    /// A regular expression that refers back.
    #[error("a backreference is not regular")]
    Backreference,
    /// A word boundary by Unicode's notion of a word.
    #[error("a word boundary is supported among ASCII letters only: write it as `(?-u:\\b)`")]
    WordBoundary,
    /// A regular expression that cannot be read.
    #[error("the regular expression is wrong: {0}")]
    BadRegex(String),
    /// A filling for a hole that the grammar does not have.
    #[error("the grammar has no hole `@{0}`")]
    UnknownHole(String),
    /// A hole that was left open.
    #[error("hole `@{0}` is not filled")]
    UnfilledHole(String),
    /// A hole that is filled with something that may be empty, where the rule would then begin or go on with
    /// itself and read nothing.
    #[error("rule `{0}` repeats a hole that may be empty")]
    EmptyRepetition(String),
    /// A rule that matches no text.
    #[error("rule `{0}` never ends: each of its alternatives needs itself")]
    Unproductive(String),
    /// A terminal each text of which spells a special token, where none may.
    #[error("each text of this spells a special token, which the request forbids")]
    OnlySpelled,
    /// A rule with a text that may spell a special token across terminals, where none may.
    #[error(
        "a text of rule `{0}` may spell a special token across terminals, which the request forbids and this cannot keep out"
    )]
    MaySpell(String),
    /// A special token in a grammar of plain text.
    #[error("the body of a message is text: it cannot contain {0}")]
    SpecialInText(SpecialToken),
    /// A limit was reached.
    #[error(transparent)]
    Limit(LimitExceeded),
}

impl LarkErrorKind {
    /// The kind as one word, for machines.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::UnsupportedDirective(_)
            | Self::Unsupported(_)
            | Self::Lookaround
            | Self::MaySpell(_)
            | Self::Backreference
            | Self::WordBoundary => "unsupported",
            Self::UndefinedRule(_) | Self::UndefinedTerminal(_) | Self::UnknownImport(_) => "undefined",
            Self::Duplicate(_) => "duplicate",
            Self::RecursiveTerminal(_) => "recursive_terminal",
            Self::MatchesNothing | Self::OnlySpelled | Self::Unproductive(_) => "unsatisfiable",
            Self::BadRegex(_) | Self::UnknownFlag(_) => "bad_regex",
            Self::TooDeep(_) | Self::Limit(_) => "limit",
            _ => "syntax",
        }
    }
}
