//! What can be wrong with a conversation and with a prompt.

use std::fmt;

use super::calls::CallError;
use crate::harmony::{RequestError, RequestErrorKind};

/// Why a request's messages were refused: what is wrong, and where in the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationError {
    kind: ConversationErrorKind,
    pointer: String,
    tool: Option<String>,
}

impl ConversationError {
    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &ConversationErrorKind {
        &self.kind
    }

    /// The JSON pointer of what is wrong; empty where it did not come from a request.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// The tool that it is about, where there is one.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    pub(super) fn new(pointer: impl Into<String>, kind: impl Into<ConversationErrorKind>) -> Self {
        let kind = kind.into();
        let tool = match &kind {
            ConversationErrorKind::Call(
                CallError::UndeclaredTool(tool) | CallError::ResultWithoutCall(tool),
            ) => Some(tool.clone()),
            _ => None,
        };
        Self { kind, pointer: pointer.into(), tool }
    }
}

impl From<RequestError> for ConversationError {
    fn from(error: RequestError) -> Self {
        let (pointer, tool) = (error.pointer().to_owned(), error.tool().map(str::to_owned));
        Self { kind: ConversationErrorKind::Request(error.kind().clone()), pointer, tool }
    }
}

impl fmt::Display for ConversationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pointer.is_empty() {
            write!(f, "{}: ", self.pointer)?;
        }
        self.kind.fmt(f)
    }
}

impl std::error::Error for ConversationError {}

/// The ways in which a conversation can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConversationErrorKind {
    /// The request is.
    #[error(transparent)]
    Request(#[from] RequestErrorKind),
    /// A message cannot stand where it does.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A role that there is not.
    #[error("unknown role {0:?}: expected one of system, developer, user, assistant, tool")]
    UnknownRole(String),
    /// A kind of input item, or of a part of a message, that cannot be said in a prompt.
    #[error("{0:?} cannot be said in a prompt")]
    NotText(String),
    /// The result of a call that was not made.
    #[error("a result for the call {0:?}, which was not made")]
    UnknownCall(String),
    /// An answer that ends amid a message.
    #[error("the answer is not finished")]
    Unfinished,
}

impl ConversationErrorKind {
    /// The kind as one word, for machines.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Request(kind) => kind.name(),
            Self::Call(CallError::UndeclaredTool(_)) => "undeclared_tool",
            Self::Call(CallError::ResultWithoutCall(_)) | Self::UnknownCall(_) => "result_without_call",
            Self::UnknownRole(_) => "unknown_role",
            Self::NotText(_) => "not_text",
            Self::Unfinished => "unfinished",
        }
    }
}

/// Why a prompt was not read: what is wrong, and where.
///
/// ```
/// use harmony_mask::Request;
///
/// let error = Request::from_prompt("<|start|>user<|message|>Hi<|end|>\n<|start|>asistant").unwrap_err();
/// assert_eq!((error.line(), error.column()), (2, 10));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    kind: ReadErrorKind,
    line: usize,
    column: usize,
}

impl ReadError {
    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &ReadErrorKind {
        &self.kind
    }

    /// The line, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// The character of the line, from 1; a control token counts as its spelling.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.kind)
    }
}

impl std::error::Error for ReadError {}

/// The ways in which a prompt can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// Something else than the format has there.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What the format has there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A role that there is not, or a tool that is not declared.
    #[error("{0:?} is neither a role nor a declared tool")]
    UnknownRole(String),
    /// A type that the notation does not have.
    #[error("unknown type `{0}`")]
    UnknownType(String),
    /// An array of some of several types, or of all.
    #[error("it is not clear what is repeated here: write `(A | B)[]` or `A | (B[])`")]
    Ambiguous,
    /// A name that is declared twice.
    #[error("`{0}` is declared already")]
    Duplicate(String),
    /// A name that a function cannot have.
    #[error("the name {0:?} is not 1 to 64 of the characters A-Z a-z 0-9 _ -")]
    BadName(String),
    /// Types that are nested too deeply.
    #[error("types are nested more than {0} deep")]
    TooDeep(usize),
    /// A schema or a string that is not JSON.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// A tool that gpt-oss was trained with, declared in a way that it was not.
    #[error("`{0}` is not declared as gpt-oss knows it")]
    UnknownTool(String),
    /// A channel that there is not, or one that is missing and needed.
    #[error("the channels must be analysis, commentary and final, not {0:?}")]
    Channels(String),
    /// A message cannot stand where it does.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A token that is neither text nor one of the seven control tokens.
    #[error("the token {0} has no place in a prompt")]
    UnknownToken(u32),
    /// The prompt does not end in the beginning of an assistant's message.
    #[error("the prompt does not end in `<|start|>assistant`: there is nothing to complete")]
    NothingToComplete,
    /// The request that the prompt makes is refused.
    #[error(transparent)]
    Request(#[from] RequestErrorKind),
}

impl ReadErrorKind {
    /// The kind as one word, for machines.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Expected { .. } => "expected",
            Self::UnknownRole(_) => "unknown_role",
            Self::UnknownType(_) => "unknown_type",
            Self::Ambiguous => "ambiguous",
            Self::Duplicate(_) => "duplicate_name",
            Self::BadName(_) => "bad_name",
            Self::TooDeep(_) => "too_deep",
            Self::NotJson(_) => "not_json",
            Self::UnknownTool(_) => "unknown_tool",
            Self::Channels(_) => "channels",
            Self::Call(CallError::UndeclaredTool(_)) => "undeclared_tool",
            Self::Call(CallError::ResultWithoutCall(_)) => "result_without_call",
            Self::UnknownToken(_) => "unknown_token",
            Self::NothingToComplete => "nothing_to_complete",
            Self::Request(kind) => kind.name(),
        }
    }
}

/// What is wrong, at a byte of the prompt.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) kind: ReadErrorKind,
}

impl Fault {
    /// The error, by line and column of the prompt.
    pub(super) fn located(self, prompt: &str) -> ReadError {
        let mut at = self.at.min(prompt.len());
        while !prompt.is_char_boundary(at) {
            at -= 1;
        }
        let before = &prompt[..at];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        ReadError { kind: self.kind, line, column: before[line_start..].chars().count() + 1 }
    }
}
