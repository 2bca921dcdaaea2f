//! Why a token was not accepted, or a rollback not possible.

use std::fmt;

use crate::special::TokenId;

/// A token that may not come next. The matcher is as it was before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("token {token} ({spelling}) is not allowed here{}{}: expected {}", InPlace(.place), .cause.words(), Expected(.expected))]
pub struct AcceptError {
    /// The token.
    pub token: TokenId,
    /// How the token is spelled, quoted where it is text.
    pub spelling: String,
    /// How many of the token's bytes could still be read.
    pub valid_bytes: usize,
    /// What could have come instead after those bytes, in a user's words.
    pub expected: Vec<String>,
    /// Where in the grammar this is, in a user's words; empty outside of any rule.
    pub place: String,
    /// What forbids it.
    pub cause: Cause,
}

/// What forbids a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The grammar.
    Grammar,
    /// The cap on tokens of reasoning.
    ReasoningCap,
    /// The deadline: after it the completion could not end in time.
    Deadline,
}

impl Cause {
    fn words(self) -> &'static str {
        match self {
            Self::Grammar => "",
            Self::ReasoningCap => ", as reasoning has no tokens left",
            Self::Deadline => ", as the completion must end in time",
        }
    }
}

/// A rollback of more tokens than were accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot roll back {requested} tokens: only {accepted} were accepted")]
pub struct RollbackError {
    /// Tokens to roll back.
    pub requested: usize,
    /// Tokens accepted so far.
    pub accepted: usize,
}

struct InPlace<'a>(&'a str);

impl fmt::Display for InPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " in {}", self.0) }
    }
}

struct Expected<'a>(&'a [String]);

impl fmt::Display for Expected<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [first @ .., last] if !first.is_empty() => write!(f, "{} or {last}", first.join(", ")),
            few => f.write_str(&few.concat()),
        }
    }
}
