//! The tools of a request.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::error::{RequestError, RequestErrorKind};
use super::node::Node;
use super::options::Strict;

/// A function that the assistant may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name: 1 to 64 of `A-Z a-z 0-9 _ -`.
    pub name: String,
    /// The schema of its arguments. A tool without parameters takes the empty object.
    pub schema: Value,
    /// The JSON pointer of the schema in the request, or of the tool where it declares none.
    pub pointer: String,
}

impl Tool {
    /// How a header names it. Functions live in a namespace of their own, apart from the tools that the model was
    /// trained with.
    #[must_use]
    pub fn recipient(&self) -> String {
        format!("functions.{}", self.name)
    }
}

/// The kinds of tools in OpenAI's requests, apart from functions and the dated names of `web_search`.
const LATER: [&str; 13] = [
    "custom",
    "code_interpreter",
    "file_search",
    "mcp",
    "computer",
    "computer_use_preview",
    "image_generation",
    "local_shell",
    "shell",
    "apply_patch",
    "namespace",
    "tool_search",
    "programmatic_tool_calling",
];

/// Reads `tools`.
pub(super) fn read(root: &Node<'_>, strict: Strict) -> Result<Vec<Tool>, RequestError> {
    let mut tools: Vec<Tool> = Vec::new();
    let mut declared = BTreeMap::new();
    for node in root.get_elements("tools")? {
        let function = function(&node.object()?)?;
        let (name, pointer) = name(&function.require("name")?)?;
        if let Some(first) = declared.insert(name, pointer.clone()) {
            let duplicate = RequestError::new(pointer, RequestErrorKind::DuplicateName(first));
            return Err(duplicate.of_tool(name));
        }
        tools.push(tool(name, &function, strict).map_err(|error| error.of_tool(name))?);
    }
    Ok(tools)
}

/// The object that describes a function: the tool itself, or its member `function` in Chat Completions.
pub(super) fn function<'a>(node: &Node<'a>) -> Result<Node<'a>, RequestError> {
    let kind = node.require("type")?;
    let word = kind.string()?;
    if LATER.contains(&word) || word.starts_with("web_search") {
        return Err(kind.not_available(format!("tools of type `{word}`")));
    }
    kind.one_of(&[("function", ())])?;
    Ok(node.get_object("function")?.unwrap_or_else(|| node.clone()))
}

fn tool(name: &str, function: &Node<'_>, strict: Strict) -> Result<Tool, RequestError> {
    let declared = function.get_bool("strict")?;
    let parameters = function.get_object("parameters")?;
    let pointer = parameters.as_ref().unwrap_or(function).pointer.clone();
    let schema = match parameters {
        Some(_) if strict == Strict::AsDeclared && declared == Some(false) => json!({"type": "object"}),
        Some(parameters) => parameters.value.clone(),
        None => json!({"type": "object", "additionalProperties": false}),
    };
    Ok(Tool { name: name.to_owned(), schema, pointer })
}

/// A name as OpenAI allows it, with its pointer.
pub(super) fn name<'a>(node: &Node<'a>) -> Result<(&'a str, String), RequestError> {
    let name = node.string()?;
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if (1..=64).contains(&name.len()) && name.bytes().all(allowed) {
        Ok((name, node.pointer.clone()))
    } else {
        Err(node.error(RequestErrorKind::BadName(name.to_owned())))
    }
}
