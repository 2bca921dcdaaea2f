//! Why a schema cannot be spelled.

use std::fmt;

use crate::limits::LimitExceeded;
use crate::schema::{NodeId, Schema};

/// What keeps the texts of a schema from being enumerated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpellingError {
    /// A ceiling was reached.
    Limit(LimitExceeded),
    /// A ceiling was reached by the texts of one schema.
    LimitAt {
        /// The JSON pointer of the schema.
        pointer: String,
        /// The keyword that most likely led there, where the schema has one.
        keyword: Option<&'static str>,
        /// The ceiling.
        limit: LimitExceeded,
    },
    /// An array needs more distinct elements than are known to exist.
    TooFewDistinct {
        /// The JSON pointer of the array's schema.
        pointer: String,
    },
    /// An array must have two equal elements, and may come to where none of the elements that may follow can
    /// be repeated.
    NoRoomToRepeat {
        /// The JSON pointer of the schema whose `uniqueItems` is negated, or of the array's where it is not
        /// within that.
        pointer: String,
    },
}

impl SpellingError {
    /// A limit that the texts of a node reached, to which each of these keywords may have led.
    pub(super) fn limit_at(
        schema: &Schema,
        node: NodeId,
        keywords: &[&'static str],
        limit: LimitExceeded,
    ) -> Self {
        Self::LimitAt { pointer: schema.place(node), keyword: schema.keyword_among(node, keywords), limit }
    }
}

impl From<LimitExceeded> for SpellingError {
    fn from(limit: LimitExceeded) -> Self {
        Self::Limit(limit)
    }
}

impl fmt::Display for SpellingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limit(limit) => limit.fmt(f),
            Self::LimitAt { pointer, limit, .. } => write!(f, "at {pointer}: {limit}"),
            Self::TooFewDistinct { pointer } => {
                write!(
                    f,
                    "at {pointer}: `uniqueItems` asks for more distinct elements than are known to exist, whichever come first"
                )
            }
            Self::NoRoomToRepeat { pointer } => {
                write!(f, "at {pointer}: `uniqueItems` is negated of arrays that do not go on without end")
            }
        }
    }
}

impl std::error::Error for SpellingError {}
