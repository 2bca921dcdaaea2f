//! The `harmony` object: what OpenAI's request has no field for.

use super::error::RequestError;
use super::node::Node;
use crate::json::{Layout, PropertyOrder};
use crate::schema::Formats;

/// Settings for all JSON of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whitespace between the tokens of a JSON text.
    pub whitespace: Layout,
    /// The order of an object's members.
    pub property_order: PropertyOrder,
    /// Whether `format` constrains.
    pub formats: Formats,
    /// Whether a tool may opt out of its schema.
    pub strict: Strict,
}

/// What `strict: false` on a tool does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strict {
    /// Nothing: arguments always follow the tool's schema.
    #[default]
    Always,
    /// The tool's arguments may be any object.
    AsDeclared,
}

/// Reads the `harmony` object.
pub(super) fn read(harmony: &Node<'_>) -> Result<Options, RequestError> {
    for later in ["reasoning", "builtin_tools", "recipients"] {
        if let Some(node) = harmony.get(later) {
            return Err(node.not_available(format!("`harmony.{later}`")));
        }
    }
    word(harmony, "profile", &[("trained", Some(())), ("canonical", None), ("history", None)])?;
    Ok(Options {
        whitespace: word(
            harmony,
            "whitespace",
            &[
                ("compact", Some(Layout::Compact)),
                ("single", Some(Layout::Single)),
                ("any", Some(Layout::Any)),
                ("pretty", Some(Layout::Pretty)),
            ],
        )?,
        property_order: word(
            harmony,
            "property_order",
            &[("declared", Some(PropertyOrder::Declared)), ("any", Some(PropertyOrder::Any))],
        )?,
        formats: word(
            harmony,
            "formats",
            &[("assert", Some(Formats::Assert)), ("annotate", Some(Formats::Annotate))],
        )?,
        strict: word(
            harmony,
            "strict",
            &[("always", Some(Strict::Always)), ("as_declared", Some(Strict::AsDeclared))],
        )?,
    })
}

/// The meaning of an option's word; `None` marks the words that are known but not compiled yet.
fn word<T: Copy + Default>(
    harmony: &Node<'_>,
    name: &str,
    words: &[(&'static str, Option<T>)],
) -> Result<T, RequestError> {
    let Some(node) = harmony.get(name) else { return Ok(T::default()) };
    node.one_of(words)?.ok_or_else(|| {
        let value = node.value.as_str().unwrap_or_default();
        node.not_available(format!("`{value}` for `harmony.{name}`"))
    })
}
