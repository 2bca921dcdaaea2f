//! What can go wrong before the first mask: one error for all stages, with the place to look at.

use crate::harmony::{LimitAt, RequestError, shown};
use crate::lark::{LarkError, Position};
use crate::limits::LimitExceeded;
use crate::schema::SchemaError;

/// Why a request or a schema was not compiled.
///
/// Each variant wraps the error of one stage; the methods give what they have in common. Compiling is where
/// everything is refused that cannot be enforced: once a grammar exists, masks cannot fail.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request is wrong.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// A schema of the request is wrong, cannot be satisfied, or uses what is not supported.
    #[error("{}{source}", Place(.at, .tool.as_deref()))]
    Schema {
        /// The tool whose arguments it describes; `None` for a response format or a bare schema.
        tool: Option<String>,
        /// Where the schema stands in the request, as a JSON pointer; empty for a bare schema.
        at: String,
        /// What is wrong with it.
        source: SchemaError,
    },
    /// The arguments of a tool cannot be an object.
    #[error("{}the schema allows no object, and arguments are always an object", Place(.at, Some(.tool)))]
    ArgumentsNotAnObject {
        /// The tool.
        tool: String,
        /// Where its schema stands in the request, as a JSON pointer.
        at: String,
    },
    /// A Lark grammar or regular expression is wrong, or uses what is not supported.
    #[error("{}{source}", Place(.at, .tool.as_deref()))]
    Grammar {
        /// The tool whose body it describes; `None` for a response format or a bare grammar.
        tool: Option<String>,
        /// Where it stands in the request, as a JSON pointer; empty for a bare grammar.
        at: String,
        /// What is wrong with it, and where in its text.
        source: LarkError,
    },
    /// A schema within a Lark grammar was not compiled.
    #[error("{source} (`%json` at {position} of the grammar)")]
    InGrammar {
        /// Where `%json` stands in the grammar's text.
        position: Position,
        /// What is wrong with the schema.
        source: Box<Error>,
    },
    /// A part of the grammar exceeds a limit.
    #[error("{}{source}", Place(.at, .tool.as_deref()))]
    Limit {
        /// The tool whose arguments exceed it; `None` for a response format, a bare schema, or the request as
        /// a whole.
        tool: Option<String>,
        /// Where in the request, as a JSON pointer; empty for a bare schema or the request as a whole.
        at: String,
        /// The limit.
        source: LimitExceeded,
    },
    /// Somebody [cancelled](crate::Cancellation::cancel) the compilation.
    #[error("the compilation was cancelled")]
    Cancelled,
}

impl From<LimitAt> for Error {
    fn from(LimitAt { pointer, limit }: LimitAt) -> Self {
        Self::Limit { tool: None, at: pointer, source: limit }
    }
}

impl Error {
    /// A short name of what is wrong, stable enough to match on: `wrong_type`, `unsatisfiable`, `limit`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Request(error) => error.kind().name(),
            Self::Schema { source, .. } => source.kind().name(),
            Self::Grammar { source, .. } => source.kind().name(),
            Self::InGrammar { source, .. } => source.kind(),
            Self::ArgumentsNotAnObject { .. } => "arguments_not_an_object",
            Self::Limit { .. } => "limit",
            Self::Cancelled => "cancelled",
        }
    }

    /// The tool that it is about.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        match self {
            Self::Request(error) => error.tool(),
            Self::Schema { tool, .. } | Self::Grammar { tool, .. } | Self::Limit { tool, .. } => {
                tool.as_deref()
            }
            Self::InGrammar { source, .. } => source.tool(),
            Self::ArgumentsNotAnObject { tool, .. } => Some(tool),
            Self::Cancelled => None,
        }
    }

    /// Where in the request (or the bare schema) it is, as a JSON pointer.
    #[must_use]
    pub fn pointer(&self) -> String {
        match self {
            Self::Request(error) => error.pointer().to_owned(),
            Self::Schema { at, source, .. } => format!("{at}{}", source.pointer()),
            Self::InGrammar { source, .. } => source.pointer(),
            Self::ArgumentsNotAnObject { at, .. } | Self::Grammar { at, .. } | Self::Limit { at, .. } => {
                at.clone()
            }
            Self::Cancelled => String::new(),
        }
    }

    /// The keyword that it is about.
    #[must_use]
    pub fn keyword(&self) -> Option<&str> {
        match self {
            Self::Schema { source, .. } => source.keyword(),
            Self::InGrammar { source, .. } => source.keyword(),
            _ => None,
        }
    }

    /// Where in the text of a Lark grammar or regular expression it is.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        match self {
            Self::Grammar { source, .. } => source.position(),
            Self::InGrammar { position, .. } => Some(*position),
            _ => None,
        }
    }

    /// The limit that was exceeded.
    #[must_use]
    pub fn limit(&self) -> Option<&LimitExceeded> {
        match self {
            Self::Schema { source, .. } => source.limit(),
            Self::Grammar { source, .. } => source.limit(),
            Self::InGrammar { source, .. } => source.limit(),
            Self::Limit { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Where a part of a request stands, and whose it is; nothing for what is compiled by itself.
struct Place<'a>(&'a str, Option<&'a str>);

impl std::fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(pointer, tool) = self;
        if !pointer.is_empty() {
            write!(f, "{pointer}: ")?;
        }
        tool.map_or(Ok(()), |tool| write!(f, "tool `{}`: ", shown(tool)))
    }
}
