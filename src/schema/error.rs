//! What can be wrong with a schema.

use std::fmt;

use crate::limits::LimitExceeded;

/// Why a schema was refused, and where.
///
/// ```
/// # use harmony_mask::{Limits, schema::{Schema, SchemaErrorKind, SchemaOptions}};
/// let document = serde_json::json!({"properties": {"age": {"minimum": "3"}}});
/// let error = Schema::read(&document, &SchemaOptions::default(), &Limits::default()).unwrap_err();
/// assert_eq!(error.kind(), SchemaErrorKind::Invalid);
/// assert_eq!((error.pointer(), error.keyword()), ("/properties/age", Some("minimum")));
/// assert_eq!(error.to_string(), "at /properties/age: keyword `minimum` must be a number");
/// ```
#[derive(Clone, Debug)]
pub struct SchemaError(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    kind: SchemaErrorKind,
    pointer: String,
    keyword: Option<String>,
    limit: Option<LimitExceeded>,
    message: String,
}

/// The kinds of [`SchemaError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaErrorKind {
    /// The text is not JSON.
    NotJson,
    /// A schema or the value of a keyword has the wrong form.
    Invalid,
    /// A keyword or a form of it that is not supported.
    Unsupported,
    /// A reference that names nothing in the document, or schemas that differ.
    UnknownReference,
    /// A reference that leads back to itself without reading anything of the value.
    CircularReference,
    /// No value satisfies the schema.
    Unsatisfiable,
    /// An array needs more distinct elements than are known to exist, whichever are chosen first. Mostly
    /// there is no value, but that is not certain: where elements are of several schemas, or nest, there may
    /// be some that are not counted.
    TooFewDistinct,
    /// Every value of the schema would have to contain another one, without end.
    NoBaseCase,
    /// A ceiling of [`Limits`](crate::Limits).
    Limit,
}

impl SchemaErrorKind {
    /// Its name in snake case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NotJson => "not_json",
            Self::Invalid => "invalid",
            Self::Unsupported => "unsupported",
            Self::UnknownReference => "unknown_reference",
            Self::CircularReference => "circular_reference",
            Self::Unsatisfiable => "unsatisfiable",
            Self::TooFewDistinct => "too_few_distinct",
            Self::NoBaseCase => "no_base_case",
            Self::Limit => "limit",
        }
    }
}

impl SchemaError {
    pub(super) fn new(
        kind: SchemaErrorKind,
        pointer: String,
        keyword: Option<&str>,
        message: impl Into<String>,
    ) -> Self {
        let keyword = keyword.map(str::to_owned);
        Self(Box::new(Inner { kind, pointer, keyword, limit: None, message: message.into() }))
    }

    pub(crate) fn limit_exceeded(pointer: String, keyword: Option<&str>, limit: LimitExceeded) -> Self {
        let message = if keyword.is_some() { format!("needs {limit}") } else { limit.to_string() };
        let mut error = Self::new(SchemaErrorKind::Limit, pointer, keyword, message);
        error.0.limit = Some(limit);
        error
    }

    /// The error of another document, at the reference that leads there.
    pub(super) fn behind(mut self, pointer: String, keyword: &str, reference: &str) -> Self {
        self.0.message = format!("leads to `{reference}`, which cannot be read: {self}");
        self.0.pointer = pointer;
        self.0.keyword = Some(keyword.to_owned());
        self
    }

    /// An array whose elements must differ, and of which not enough are known to exist.
    pub(crate) fn too_few_distinct(pointer: String) -> Self {
        let message = "asks for more distinct elements than are known to exist, whichever come first";
        Self::new(SchemaErrorKind::TooFewDistinct, pointer, Some("uniqueItems"), message)
    }

    /// An array of which two elements must be equal, and that cannot always go on until they are.
    pub(crate) fn no_room_to_repeat(pointer: String) -> Self {
        let message = "is negated where arrays cannot go on without end, and which elements could still be repeated is not known then: remove what ends them, such as `maxItems`, or the negation";
        Self::new(SchemaErrorKind::Unsupported, pointer, Some("uniqueItems"), message)
    }

    /// What kind of error this is.
    #[must_use]
    pub fn kind(&self) -> SchemaErrorKind {
        self.0.kind
    }

    /// The JSON pointer of the schema to blame.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.0.pointer
    }

    /// The keyword to blame, where it is one.
    #[must_use]
    pub fn keyword(&self) -> Option<&str> {
        self.0.keyword.as_deref()
    }

    /// The ceiling that was reached, where it was one.
    #[must_use]
    pub fn limit(&self) -> Option<&LimitExceeded> {
        self.0.limit.as_ref()
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.0.pointer.is_empty() { "the top of the schema" } else { &self.0.pointer };
        write!(f, "at {place}: ")?;
        if let Some(keyword) = &self.0.keyword {
            write!(f, "keyword `{keyword}` ")?;
        }
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for SchemaError {}
