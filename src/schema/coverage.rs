//! What became of each keyword.

use std::borrow::Cow;

use super::document::Location;

/// What one keyword at one place of the schema does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The JSON pointer of the schema it stands in.
    pub pointer: String,
    /// The keyword.
    pub keyword: String,
    /// What it does.
    pub status: Status,
}

/// Whether a keyword has a say in which values are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Exactly as the specification says.
    Exact,
    /// None: it describes the value, or is unknown (to the dialect; an unknown `format`, too).
    Annotation,
}

/// A [`Coverage`] whose pointer is not written out.
#[derive(Clone, Debug)]
pub(super) struct Occurrence {
    pub location: Location,
    pub keyword: Cow<'static, str>,
    pub status: Status,
}
