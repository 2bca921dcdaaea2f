//! The tools of a request: functions, custom tools, those that the model was trained with, and further
//! recipients.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::builtin::{self, Builtin};
use super::error::{RequestError, RequestErrorKind};
use super::node::Node;
use super::options::Strict;
use super::recipient;

/// Something that the assistant may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name: of a function or custom tool 1 to 64 of `A-Z a-z 0-9 _ -`, otherwise the recipient.
    pub name: String,
    /// Where it comes from.
    pub kind: ToolKind,
    /// What a call of it carries.
    pub payload: Payload,
    /// The JSON pointer of its schema or grammar in the request, or of the tool where it declares none.
    pub pointer: String,
}

/// Where a tool comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToolKind {
    /// A function of the request.
    Function,
    /// A custom tool of the request.
    Custom,
    /// A tool that the model was trained with.
    Builtin(Builtin),
    /// A recipient of `harmony.recipients`.
    Recipient,
}

/// What a call carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// JSON arguments: an object of this schema. A function without parameters takes the empty object.
    Json(Value),
    /// Source code, raw.
    Code,
    /// Any text.
    Text {
        /// The content type that its header may have.
        content_type: String,
    },
    /// Text of a grammar.
    Grammar {
        /// The grammar's notation.
        syntax: Syntax,
        /// The grammar.
        definition: String,
        /// The content type that its header may have.
        content_type: String,
    },
}

/// The notation of a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// Lark, in the dialect that OpenAI's grammar tools take.
    Lark,
    /// A regular expression in Rust's syntax, for the whole text.
    Regex,
}

impl Tool {
    /// How a header names it. Functions live in a namespace of their own, apart from the tools that the model
    /// was trained with; custom tools are called like functions, as nothing was published on them.
    #[must_use]
    pub fn recipient(&self) -> String {
        match self.kind {
            ToolKind::Function | ToolKind::Custom => format!("functions.{}", self.name),
            ToolKind::Builtin(_) | ToolKind::Recipient => self.name.clone(),
        }
    }
}

/// The kinds of tools in OpenAI's requests that no recipient is known for. A caller who has one for them
/// declares it in `harmony.recipients`.
const UNMAPPED: [&str; 11] = [
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

/// What a tool's `type` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Named(ToolKind),
    Hosted(Builtin),
}

/// The type of a tool, or of a reference to one.
pub(super) fn kind(node: &Node<'_>) -> Result<Type, RequestError> {
    let kind = node.require("type")?;
    let word = kind.string()?;
    if UNMAPPED.contains(&word) {
        return Err(kind.not_available(format!("tools of type `{word}`")));
    }
    if word.starts_with("web_search") {
        return Ok(Type::Hosted(Builtin::Browser));
    }
    kind.one_of(&[
        ("function", Type::Named(ToolKind::Function)),
        ("custom", Type::Named(ToolKind::Custom)),
        ("code_interpreter", Type::Hosted(Builtin::Python)),
        ("web_search", Type::Hosted(Builtin::Browser)),
    ])
}

/// The object that describes a function or custom tool: the tool itself, or its member of that name in Chat
/// Completions.
pub(super) fn described<'a>(node: &Node<'a>, kind: ToolKind) -> Result<Node<'a>, RequestError> {
    match kind {
        ToolKind::Custom => node.described("custom", &["name", "format"]),
        _ => node.described("function", &["name", "parameters"]),
    }
}

/// Reads `tools`, `harmony.builtin_tools` and `harmony.recipients`.
pub(super) fn read(
    root: &Node<'_>,
    harmony: Option<&Node<'_>>,
    strict: Strict,
) -> Result<Vec<Tool>, RequestError> {
    let mut tools = Declared::default();
    for node in root.get_elements("tools")? {
        let node = node.object()?;
        match kind(&node)? {
            Type::Hosted(builtin) => {
                builtin.tools(&node.pointer).try_for_each(|tool| tools.add(tool, &node.pointer))?;
            }
            Type::Named(kind) => {
                let described = described(&node, kind)?;
                let (name, pointer) = tool_name(&described.require("name")?)?;
                let tool = if kind == ToolKind::Custom {
                    custom(name, &described)
                } else {
                    function(name, &described, strict)
                };
                tools.add(tool.map_err(|error| error.of_tool(name))?, &pointer)?;
            }
        }
    }
    if let Some(harmony) = harmony {
        builtin::read(harmony, &mut |tool, pointer| tools.add(tool, pointer))?;
        for node in harmony.get_elements("recipients")? {
            let (tool, pointer) = recipient::read(&node.object()?)?;
            tools.add(tool, &pointer)?;
        }
    }
    Ok(tools.tools)
}

/// Tools with distinct recipients.
#[derive(Default)]
struct Declared {
    tools: Vec<Tool>,
    /// Where each recipient was named.
    pointers: BTreeMap<String, String>,
}

impl Declared {
    fn add(&mut self, tool: Tool, pointer: &str) -> Result<(), RequestError> {
        if let Some(first) = self.pointers.insert(tool.recipient(), pointer.to_owned()) {
            let duplicate = RequestError::new(pointer, RequestErrorKind::DuplicateName(first));
            return Err(duplicate.of_tool(&tool.name));
        }
        self.tools.push(tool);
        Ok(())
    }
}

fn function(name: &str, function: &Node<'_>, strict: Strict) -> Result<Tool, RequestError> {
    check_description(function)?;
    let declared = function.get_bool("strict")?;
    let parameters = function.get_object("parameters")?;
    let pointer = parameters.as_ref().unwrap_or(function).pointer.clone();
    let schema = match parameters {
        Some(_) if strict == Strict::AsDeclared && declared == Some(false) => json!({"type": "object"}),
        Some(parameters) => parameters.value.clone(),
        None => json!({"type": "object", "additionalProperties": false}),
    };
    Ok(Tool { name: name.to_owned(), kind: ToolKind::Function, payload: Payload::Json(schema), pointer })
}

fn custom(name: &str, custom: &Node<'_>) -> Result<Tool, RequestError> {
    check_description(custom)?;
    let format = custom.get_object("format")?;
    let (payload, pointer) = match &format {
        Some(format) => text_format(format)?,
        None => (text(), custom.pointer.clone()),
    };
    Ok(Tool { name: name.to_owned(), kind: ToolKind::Custom, payload, pointer })
}

/// A description is for the prompt, but must be a text there.
fn check_description(tool: &Node<'_>) -> Result<(), RequestError> {
    tool.get("description").map_or(Ok(()), |description| description.string().map(drop))
}

/// `{"type": "text"}`, or `{"type": "grammar", …}` with a member `grammar` in Chat Completions.
pub(super) fn text_format(format: &Node<'_>) -> Result<(Payload, String), RequestError> {
    if !format.require("type")?.one_of(&[("text", false), ("grammar", true)])? {
        return Ok((text(), format.pointer.clone()));
    }
    grammar(&format.described("grammar", &["syntax", "definition"])?)
}

/// `{"syntax": …, "definition": …}`, of a tool, with the pointer of the definition.
pub(super) fn grammar(node: &Node<'_>) -> Result<(Payload, String), RequestError> {
    let (syntax, definition) = definition(node)?;
    let payload = Payload::Grammar {
        syntax,
        definition: definition.string()?.to_owned(),
        content_type: TEXT.to_owned(),
    };
    Ok((payload, definition.pointer))
}

/// `{"syntax": …, "definition": …}`
pub(super) fn definition<'a>(node: &Node<'a>) -> Result<(Syntax, Node<'a>), RequestError> {
    let syntax = node.require("syntax")?.one_of(&[("lark", Syntax::Lark), ("regex", Syntax::Regex)])?;
    Ok((syntax, node.require("definition")?))
}

/// The content type of text, where the request names no other.
const TEXT: &str = "text";

pub(super) fn text() -> Payload {
    Payload::Text { content_type: TEXT.to_owned() }
}

/// A name as OpenAI allows it, with its pointer.
pub(super) fn name<'a>(node: &Node<'a>) -> Result<(&'a str, String), RequestError> {
    let name = node.string()?;
    if is_name(name) {
        Ok((name, node.pointer.clone()))
    } else {
        Err(node.error(RequestErrorKind::BadName(name.to_owned())))
    }
}

/// The name of a function or custom tool, with its pointer.
pub(super) fn tool_name<'a>(node: &Node<'a>) -> Result<(&'a str, String), RequestError> {
    name(node).map_err(|error| match node.value.as_str() {
        Some(name) => error.of_tool(name),
        None => error,
    })
}

pub(crate) fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&name.len()) && name.bytes().all(allowed)
}
