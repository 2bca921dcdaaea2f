//! Why a schema cannot be spelled.

use std::fmt;

use crate::limits::LimitExceeded;

/// What keeps the texts of a schema from being enumerated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpellingError {
    /// A ceiling was reached.
    Limit(LimitExceeded),
    /// An array needs more distinct elements than are known to exist.
    TooFewDistinct {
        /// The JSON pointer of the array's schema.
        pointer: String,
    },
    /// An array must have two equal elements, and may come to where none of the elements that may follow can
    /// be repeated.
    NoRoomToRepeat {
        /// The JSON pointer of the array's schema.
        pointer: String,
    },
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
