//! The response format: what the final message carries.

use serde_json::{Value, json};

use super::error::{RequestError, RequestErrorKind};
use super::node::Node;
use super::tools;

/// What the final message carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// Any text.
    Text,
    /// A JSON text.
    Json(JsonFormat),
}

/// A JSON text that the final message carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonFormat {
    /// The name that the request gives it.
    pub name: Option<String>,
    /// Its schema; that of all objects for `json_object`.
    pub schema: Value,
    /// The JSON pointer of the schema in the request, or of the format for `json_object`.
    pub pointer: String,
}

/// Reads `text.format`, `response_format` and `harmony.response_formats`, of which at most one may ask for JSON.
pub(super) fn read(root: &Node<'_>, harmony: Option<&Node<'_>>) -> Result<Format, RequestError> {
    let responses = root.get_object("text")?.and_then(|text| text.get("format"));
    let declared = responses.into_iter().chain(root.get("response_format"));
    let mut formats = Vec::new();
    for node in declared {
        if let Format::Json(format) = format(&node.clone().object()?)? {
            formats.push((node, format));
        }
    }
    let own = harmony.map_or(Ok(Vec::new()), |harmony| harmony.get_elements("response_formats"))?;
    if let [_, second, ..] = &own[..] {
        return Err(second.not_available("more than one response format"));
    }
    for node in own {
        formats.push((node.clone(), schema_format(&node.object()?)?));
    }
    if let [(first, _), (second, _), ..] = &formats[..] {
        return Err(second.error(RequestErrorKind::Contradiction(first.pointer.clone())));
    }
    Ok(formats.pop().map_or(Format::Text, |(_, format)| Format::Json(format)))
}

#[derive(Clone, Copy)]
enum Type {
    Text,
    JsonObject,
    JsonSchema,
}

fn format(node: &Node<'_>) -> Result<Format, RequestError> {
    let words = [("text", Type::Text), ("json_object", Type::JsonObject), ("json_schema", Type::JsonSchema)];
    Ok(match node.require("type")?.one_of(&words)? {
        Type::Text => Format::Text,
        Type::JsonObject => Format::Json(JsonFormat {
            name: None,
            schema: json!({"type": "object"}),
            pointer: node.pointer.clone(),
        }),
        Type::JsonSchema => {
            let described = node.get_object("json_schema")?.unwrap_or_else(|| node.clone());
            Format::Json(schema_format(&described)?)
        }
    })
}

/// `{"name": …, "schema": …}`. The name is for the prompt, so it may be absent here.
fn schema_format(node: &Node<'_>) -> Result<JsonFormat, RequestError> {
    let name = node.get("name").map(|name| tools::name(&name)).transpose()?;
    node.get_bool("strict")?;
    let schema = node.require("schema")?.object()?;
    Ok(JsonFormat {
        name: name.map(|(name, _)| name.to_owned()),
        schema: schema.value.clone(),
        pointer: schema.pointer,
    })
}
