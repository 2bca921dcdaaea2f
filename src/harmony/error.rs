//! What may be wrong with a request, and where.

use std::borrow::Cow;
use std::fmt;

/// Why a request was refused: what is wrong, where in the document, and with which tool.
///
/// ```
/// use harmony_mask::harmony::{Request, RequestErrorKind};
///
/// let request = r#"{"tools": [{"type": "function", "name": "get weather"}]}"#;
/// let error = request.parse::<Request>().unwrap_err();
/// assert_eq!(*error.kind(), RequestErrorKind::BadName("get weather".into()));
/// assert_eq!(error.pointer(), "/tools/0/name");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestError {
    kind: RequestErrorKind,
    pointer: String,
    tool: Option<String>,
}

impl RequestError {
    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &RequestErrorKind {
        &self.kind
    }

    /// The JSON pointer of the offending value; of the object where a member is missing. Empty for the whole
    /// document.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// The name of the tool that is concerned, where there is one, as the request has it.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    pub(crate) fn new(pointer: impl Into<String>, kind: RequestErrorKind) -> Self {
        Self { kind, pointer: pointer.into(), tool: None }
    }

    pub(super) fn of_tool(mut self, name: &str) -> Self {
        self.tool = Some(name.to_owned());
        self
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pointer.is_empty() {
            write!(f, "{}: ", self.pointer)?;
        }
        // A name that is wrong is not said twice.
        if let Some(tool) = self.tool().filter(|tool| self.kind.wrong_name() != Some(tool)) {
            write!(f, "tool `{}`: ", shown(tool))?;
        }
        self.kind.fmt(f)
    }
}

impl std::error::Error for RequestError {}

/// As much of a name as a message can bear. A tool's name has no more characters, where it is one.
pub(crate) fn shown(name: &str) -> Cow<'_, str> {
    const SHOWN: usize = 64;
    match name.char_indices().nth(SHOWN) {
        None => name.into(),
        Some((end, _)) => format!("{}…", &name[..end]).into(),
    }
}

/// The ways in which a request can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestErrorKind {
    /// The text is not JSON.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// The text nests values deeper than it may.
    #[error("nested too deeply: {0}")]
    TooDeep(String),
    /// A value of another JSON type than the field has.
    #[error("expected {expected}, found {found}")]
    WrongType {
        /// What the field takes.
        expected: &'static str,
        /// What is there.
        found: &'static str,
    },
    /// A required member is missing.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A recipient of which nothing says what a call of it carries.
    #[error("one of `schema`, `grammar` and `text` must say what a call carries")]
    MissingPayload,
    /// A member of the options that is none of these.
    #[error("there is no such option: expected one of {}", .0.join(", "))]
    UnknownOption(&'static [&'static str]),
    /// A name outside `[A-Za-z0-9_-]{1,64}`.
    #[error("the name {:?} is not 1 to 64 of the characters A-Z a-z 0-9 _ -", shown(.0))]
    BadName(String),
    /// A recipient that is no path of names, or that is not a tool.
    #[error(
        "the recipient {:?} is not one or more names with dots between them, or means somebody who is no tool",
        shown(.0)
    )]
    BadRecipient(String),
    /// A number that is negative, broken, or past 2³² - 1.
    #[error("{} is not a whole number from 0 to 4294967295", shown(.0))]
    NotACount(String),
    /// Two tools of one recipient, or two formats of one name.
    #[error("this is declared already, at {0}")]
    DuplicateName(String),
    /// A word that the field does not know.
    #[error("unknown value {:?}: expected one of {}", shown(.found), expected.join(", "))]
    UnknownValue {
        /// The word.
        found: String,
        /// The words it knows.
        expected: Vec<&'static str>,
    },
    /// A tool must be called, and none is declared.
    #[error("a tool call is required, but no tools are declared")]
    NothingToCall,
    /// A tool choice names a tool that is not declared.
    #[error("no tool of this name is declared")]
    UndeclaredTool,
    /// A choice of a response format that is not declared.
    #[error("no response format has the name {:?}", shown(.0))]
    UndeclaredFormat(String),
    /// A tool choice that allows no tools.
    #[error("the list of allowed tools is empty")]
    NothingAllowed,
    /// Two fields that cannot both hold.
    #[error("contradicts {0}")]
    Contradiction(String),
    /// A part of the OpenAI request surface, or an option, that this version does not compile.
    #[error("not available yet: {0}")]
    NotAvailable(String),
}

impl RequestErrorKind {
    fn wrong_name(&self) -> Option<&str> {
        match self {
            Self::BadName(name) | Self::BadRecipient(name) => Some(name),
            _ => None,
        }
    }

    /// The kind as one word, for machines.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::NotJson(_) => "not_json",
            Self::TooDeep(_) => "too_deep",
            Self::WrongType { .. } => "wrong_type",
            Self::Missing(_) | Self::MissingPayload => "missing",
            Self::UnknownOption(_) => "unknown_option",
            Self::BadName(_) => "bad_name",
            Self::BadRecipient(_) => "bad_recipient",
            Self::NotACount(_) => "not_a_count",
            Self::DuplicateName(_) => "duplicate_name",
            Self::UnknownValue { .. } => "unknown_value",
            Self::NothingToCall => "nothing_to_call",
            Self::UndeclaredTool => "undeclared_tool",
            Self::UndeclaredFormat(_) => "undeclared_format",
            Self::NothingAllowed => "nothing_allowed",
            Self::Contradiction(_) => "contradiction",
            Self::NotAvailable(_) => "not_available",
        }
    }
}
