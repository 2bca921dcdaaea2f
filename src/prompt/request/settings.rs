//! What the system and developer messages of a request say, and how headers are written.

use serde_json::Value;

use super::content;
use crate::harmony::node::Node;
use crate::harmony::{Builtin, RequestError, RequestErrorKind};
use crate::prompt::conversation::Style;
use crate::prompt::developer::{Developer, Function, Parameters, ResponseFormat};
use crate::prompt::error::ConversationError;
use crate::prompt::system::{BUILTINS, CHANNELS, Effort, System, builtin_name};

/// The system message: its defaults, and what `harmony.prompt.system` changes of them. There is none where
/// that is `false`; of the texts, an empty one leaves its line out.
pub(super) fn system(
    root: &Node<'_>,
    prompt: Option<&Node<'_>>,
) -> Result<Option<System>, ConversationError> {
    let tools = builtin_tools(root)?;
    let own = prompt.and_then(|prompt| prompt.get("system"));
    if let Some(node) = own.as_ref().filter(|node| *node.value == Value::Bool(false)) {
        // Their declarations are part of the system message.
        let declared = tools.first().map(|(_, pointer)| RequestErrorKind::Contradiction(pointer.clone()));
        return declared.map_or(Ok(None), |kind| Err(node.error(kind).into()));
    }
    let default = System::default();
    let mut system = System { effort: Some(effort(root)?), ..default };
    let is_declared = |tool: &Builtin| tools.iter().any(|(declared, _)| declared == tool);
    system.tools = BUILTINS.into_iter().filter(is_declared).collect();
    if let Some(own) = own.map(Node::object).transpose()? {
        set(&own, "identity", &mut system.identity)?;
        set(&own, "knowledge_cutoff", &mut system.knowledge_cutoff)?;
        set(&own, "current_date", &mut system.current_date)?;
        channels(&own, &mut system)?;
    }
    Ok(Some(system))
}

fn set(node: &Node<'_>, name: &str, text: &mut Option<String>) -> Result<(), ConversationError> {
    if let Some(own) = node.get(name) {
        *text = Some(own.string()?.to_owned()).filter(|text| !text.is_empty());
    }
    Ok(())
}

fn channels(own: &Node<'_>, system: &mut System) -> Result<(), ConversationError> {
    if own.get("channels").is_some() {
        let channels = own.get_elements("channels")?;
        let words = CHANNELS.map(|name| (name, name));
        let names = channels.iter().map(|channel| Ok(channel.one_of(&words)?.to_owned()));
        system.channels = names.collect::<Result<_, RequestError>>()?;
    }
    if let Some(is_required) = own.get_bool("channel_required")? {
        system.is_channel_required = is_required;
    }
    Ok(())
}

/// The effort that comes nearest to what OpenAI's models are asked for; gpt-oss knows three.
fn effort(root: &Node<'_>) -> Result<Effort, ConversationError> {
    let reasoning = root.get_object("reasoning")?.and_then(|reasoning| reasoning.get("effort"));
    let Some(node) = reasoning.or_else(|| root.get("reasoning_effort")) else { return Ok(Effort::default()) };
    Ok(node.one_of(&[
        ("low", Effort::Low),
        ("medium", Effort::Medium),
        ("high", Effort::High),
        ("none", Effort::Low),
        ("minimal", Effort::Low),
        ("xhigh", Effort::High),
        ("max", Effort::High),
    ])?)
}

/// The tools that gpt-oss was trained with, and where the request asks for them.
fn builtin_tools(root: &Node<'_>) -> Result<Vec<(Builtin, String)>, ConversationError> {
    let mut tools = Vec::new();
    for node in root.get_elements("tools")? {
        let kind = node.require("type")?.string()?;
        if kind.starts_with("web_search") {
            tools.push((Builtin::Browser, node.pointer));
        } else if kind == "code_interpreter" {
            tools.push((Builtin::Python, node.pointer));
        }
    }
    if let Some(harmony) = root.get_object("harmony")? {
        for node in harmony.get_elements("builtin_tools")? {
            let tool = node.one_of(&BUILTINS.map(|tool| (builtin_name(tool), tool)))?;
            tools.push((tool, node.pointer));
        }
    }
    Ok(tools)
}

/// The developer message, with the instructions that are a field of the request.
pub(super) fn developer(root: &Node<'_>) -> Result<Developer, ConversationError> {
    let mut functions = Vec::new();
    for node in root.get_elements("tools")? {
        functions.extend(function(&node)?);
    }
    let instructions = content::get(root, "instructions")?.filter(|text| !text.is_empty());
    Ok(Developer { instructions, functions, formats: formats(root)? })
}

/// The function that a tool is, if it is one.
fn function(tool: &Node<'_>) -> Result<Option<Function>, ConversationError> {
    let kind = tool.require("type")?.string()?;
    if kind != "function" && kind != "custom" {
        return Ok(None);
    }
    let described = tool.get_object(kind)?.unwrap_or_else(|| tool.clone());
    let parameters = match described.get("parameters") {
        _ if kind == "custom" => Parameters::Text,
        Some(schema) => Parameters::Json(schema.value.clone()),
        None => Parameters::None,
    };
    let description = content::get(&described, "description")?.unwrap_or_default();
    let name = described.require("name")?.string()?.to_owned();
    Ok(Some(Function { name, description, parameters }))
}

/// All response formats; a choice among them bears on the masks alone.
fn formats(root: &Node<'_>) -> Result<Vec<ResponseFormat>, ConversationError> {
    let responses = root.get_object("text")?.and_then(|text| text.get("format"));
    let mut formats = Vec::new();
    for node in responses.into_iter().chain(root.get("response_format")) {
        match node.require("type")?.string()? {
            "json_object" => formats.push(ResponseFormat {
                name: default_name(0),
                description: None,
                schema: serde_json::json!({"type": "object"}),
            }),
            "json_schema" => {
                let described = node.described("json_schema", &["name", "schema"])?;
                formats.push(format(&described, 0)?);
            }
            _ => {}
        }
    }
    if let Some(harmony) = root.get_object("harmony")? {
        for (at, node) in harmony.get_elements("response_formats")?.iter().enumerate() {
            formats.push(format(node, at)?);
        }
    }
    Ok(formats)
}

fn format(node: &Node<'_>, at: usize) -> Result<ResponseFormat, ConversationError> {
    let name = content::get(node, "name")?.unwrap_or_else(|| default_name(at));
    let description = content::get(node, "description")?.filter(|text| !text.is_empty());
    Ok(ResponseFormat { name, description, schema: node.require("schema")?.value.clone() })
}

/// The heading of a format that the request does not name.
fn default_name(at: usize) -> String {
    if at == 0 { "response".to_owned() } else { format!("response_{}", at + 1) }
}

/// How headers are written, and what is forgotten.
pub(super) fn style(prompt: Option<&Node<'_>>) -> Result<Style, ConversationError> {
    let mut style = Style::default();
    let Some(prompt) = prompt else { return Ok(style) };
    if let Some(place) = prompt.get("recipient") {
        style.after_channel = place.one_of(&[("role", false), ("channel", true)])?;
    }
    if let Some(mark) = prompt.get_bool("constrain")? {
        style.is_marked = mark;
    }
    if let Some(drops) = prompt.get_bool("auto_drop_analysis")? {
        style.drops_analysis = drops;
    }
    Ok(style)
}
