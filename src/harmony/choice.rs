//! `tool_choice`, resolved to the tools that may be called.

use std::collections::HashMap;

use super::builtin::Builtin;
use super::error::{RequestError, RequestErrorKind};
use super::node::Node;
use super::tools::{self, Tool, ToolKind, Type};

/// Which tools may be called, as indices of [`Request::tools`](super::Request::tools) in declared order, at
/// least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Calls {
    /// No tool: the turn ends with an answer.
    Forbidden,
    /// The turn ends with a call of one of these, or with an answer.
    Allowed(Vec<usize>),
    /// The turn ends with a call of one of these.
    Required(Vec<usize>),
}

#[derive(Clone, Copy)]
enum Mode {
    None,
    Auto,
    Required,
}

/// Reads `tool_choice`; without one, all tools may be called.
pub(super) fn read(root: &Node<'_>, tools: &[Tool]) -> Result<Calls, RequestError> {
    let all = (0..tools.len()).collect();
    let Some(choice) = root.get("tool_choice") else { return Ok(allowed(all)) };
    if choice.value.is_string() {
        let mode =
            choice.one_of(&[("none", Mode::None), ("auto", Mode::Auto), ("required", Mode::Required)])?;
        return calls(&choice, mode, all);
    }
    if !choice.value.is_object() {
        return Err(choice.wrong_type("a string or an object"));
    }
    if choice.require("type")?.string()? == "allowed_tools" {
        return subset(&choice, tools);
    }
    Ok(Calls::Required(Declared::new(tools).meant(&choice)?))
}

/// `allowed_tools`: its own members, or those of its member `allowed_tools` in Chat Completions.
fn subset(choice: &Node<'_>, tools: &[Tool]) -> Result<Calls, RequestError> {
    let subset = choice.get_object("allowed_tools")?.unwrap_or_else(|| choice.clone());
    let mode = subset.require("mode")?.one_of(&[("auto", Mode::Auto), ("required", Mode::Required)])?;
    let listed = subset.require("tools")?;
    let declared = Declared::new(tools);
    let mut callable = Vec::new();
    for node in listed.elements()? {
        callable.extend(declared.meant(&node.object()?)?);
    }
    if callable.is_empty() {
        return Err(listed.error(RequestErrorKind::NothingAllowed));
    }
    callable.sort_unstable();
    callable.dedup();
    calls(choice, mode, callable)
}

/// The declared tools by what refers to them. A request may refer to each of thousands, so none is searched
/// for.
struct Declared<'t> {
    named: HashMap<(ToolKind, &'t str), usize>,
    hosted: HashMap<Builtin, Vec<usize>>,
}

impl<'t> Declared<'t> {
    fn new(tools: &'t [Tool]) -> Self {
        let mut declared = Self { named: HashMap::new(), hosted: HashMap::new() };
        for (index, tool) in tools.iter().enumerate() {
            if let ToolKind::Builtin(builtin) = tool.kind {
                declared.hosted.entry(builtin).or_default().push(index);
            } else {
                declared.named.insert((tool.kind, &tool.name), index);
            }
        }
        declared
    }

    /// The tools that `{"type": "function", "name": …}` refers to: one by its name, or all of a hosted kind.
    fn meant(&self, node: &Node<'_>) -> Result<Vec<usize>, RequestError> {
        let word = node.require("type")?.string()?;
        if word == "recipient" {
            let name = node.require("name")?;
            return self.named(&name, name.string()?, ToolKind::Recipient);
        }
        match tools::kind(node)? {
            Type::Hosted(builtin) => {
                let undeclared = || node.error(RequestErrorKind::UndeclaredTool).of_tool(word);
                self.hosted.get(&builtin).cloned().ok_or_else(undeclared)
            }
            Type::Named(kind) => {
                let name = tools::described(node, kind)?.require("name")?;
                self.named(&name, tools::tool_name(&name)?.0, kind)
            }
        }
    }

    fn named(&self, node: &Node<'_>, name: &str, kind: ToolKind) -> Result<Vec<usize>, RequestError> {
        let undeclared = || node.error(RequestErrorKind::UndeclaredTool).of_tool(name);
        self.named.get(&(kind, name)).map(|tool| vec![*tool]).ok_or_else(undeclared)
    }
}

fn calls(choice: &Node<'_>, mode: Mode, callable: Vec<usize>) -> Result<Calls, RequestError> {
    match mode {
        Mode::None => Ok(Calls::Forbidden),
        Mode::Auto => Ok(allowed(callable)),
        Mode::Required if callable.is_empty() => Err(choice.error(RequestErrorKind::NothingToCall)),
        Mode::Required => Ok(Calls::Required(callable)),
    }
}

fn allowed(callable: Vec<usize>) -> Calls {
    if callable.is_empty() { Calls::Forbidden } else { Calls::Allowed(callable) }
}
