//! The response formats: what the final message carries.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::error::{RequestError, RequestErrorKind};
use super::node::Node;
use super::tools::{self, Syntax};

/// What the final message carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// Any text.
    Text,
    /// A JSON text of one of these, at least one.
    Json(Vec<JsonFormat>),
    /// A text of a grammar.
    Grammar(GrammarFormat),
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

/// A text of a grammar that the final message carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrammarFormat {
    /// The grammar's notation.
    pub syntax: Syntax,
    /// The grammar.
    pub definition: String,
    /// The JSON pointer of the definition in the request.
    pub pointer: String,
}

impl JsonFormat {
    /// Its name, or where it has none, its JSON pointer.
    #[must_use]
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.pointer)
    }
}

/// Reads `text.format`, `response_format` and `harmony.response_formats`, of which at most one may ask for
/// something else than text, and `harmony.response_format`, which may choose among several.
pub(super) fn read(root: &Node<'_>, harmony: Option<&Node<'_>>) -> Result<Format, RequestError> {
    let responses = root.get_object("text")?.and_then(|text| text.get("format"));
    let declared = responses.into_iter().chain(root.get("response_format"));
    let mut sources = Vec::new();
    for node in declared {
        let format = format(&node.clone().object()?)?;
        if format != Format::Text {
            sources.push((node, format));
        }
    }
    if let Some(own) = harmony.and_then(|harmony| harmony.get("response_formats")) {
        let formats = several(&own)?;
        if !formats.is_empty() {
            sources.push((own, Format::Json(formats)));
        }
    }
    if let [(first, _), (second, _), ..] = &sources[..] {
        return Err(second.error(RequestErrorKind::Contradiction(first.pointer.clone())));
    }
    let format = sources.pop().map_or(Format::Text, |(_, format)| format);
    choose(format, harmony.and_then(|harmony| harmony.get("response_format")))
}

/// The formats of `harmony.response_formats`, with distinct names.
fn several(own: &Node<'_>) -> Result<Vec<JsonFormat>, RequestError> {
    let (mut formats, mut named) = (Vec::new(), HashMap::new());
    for (at, node) in own.elements()?.into_iter().enumerate() {
        let format = schema_format(&node.object()?)?;
        let twin = format.name.clone().and_then(|name| named.insert(name, at));
        if let Some(twin) = twin {
            let first = format!("{}/{twin}/name", own.pointer);
            let pointer = format!("{}/{at}/name", own.pointer);
            return Err(RequestError::new(pointer, RequestErrorKind::DuplicateName(first)));
        }
        formats.push(format);
    }
    Ok(formats)
}

/// All formats, or the one that was chosen by its name.
fn choose(format: Format, choice: Option<Node<'_>>) -> Result<Format, RequestError> {
    let Some(choice) = choice else { return Ok(format) };
    let name = choice.string()?;
    let mut formats = if let Format::Json(formats) = format { formats } else { Vec::new() };
    formats.retain(|format| format.name.as_deref() == Some(name));
    if formats.is_empty() {
        return Err(choice.error(RequestErrorKind::UndeclaredFormat(name.to_owned())));
    }
    Ok(Format::Json(formats))
}

#[derive(Clone, Copy)]
enum Type {
    Text,
    JsonObject,
    JsonSchema,
    Grammar,
}

fn format(node: &Node<'_>) -> Result<Format, RequestError> {
    let words = [
        ("text", Type::Text),
        ("json_object", Type::JsonObject),
        ("json_schema", Type::JsonSchema),
        ("grammar", Type::Grammar),
    ];
    Ok(match node.require("type")?.one_of(&words)? {
        Type::Text => Format::Text,
        Type::JsonObject => Format::Json(vec![JsonFormat {
            name: None,
            schema: json!({"type": "object"}),
            pointer: node.pointer.clone(),
        }]),
        Type::JsonSchema => {
            Format::Json(vec![schema_format(&node.described("json_schema", &["name", "schema"])?)?])
        }
        Type::Grammar => Format::Grammar(grammar_format(node)?),
    })
}

/// `{"syntax": …, "definition": …}`, as grammars of tools are written, here or in a member `grammar`; or that
/// member is a text, as OpenAI's client types it, and so a Lark grammar.
fn grammar_format(node: &Node<'_>) -> Result<GrammarFormat, RequestError> {
    let nested = node.get("grammar");
    if let Some(text) = nested.as_ref().filter(|nested| nested.value.is_string()) {
        let definition = text.string()?.to_owned();
        return Ok(GrammarFormat { syntax: Syntax::Lark, definition, pointer: text.pointer.clone() });
    }
    let (syntax, definition) = tools::definition(&node.described("grammar", &["syntax", "definition"])?)?;
    let text = definition.string()?.to_owned();
    Ok(GrammarFormat { syntax, definition: text, pointer: definition.pointer })
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
