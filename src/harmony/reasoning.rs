//! How much the assistant may think before it acts.

use serde_json::Value;

use super::error::{RequestError, RequestErrorKind};
use super::node::Node;

/// How much the assistant may say before its call or answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reasoning {
    /// Whether the turn must begin with reasoning.
    pub is_required: bool,
    /// The number of tokens that all reasoning of a turn may have; none is 0. At the cap only the end of the
    /// message remains.
    pub max_tokens: Option<u32>,
    /// The number of messages before the call or answer, preambles included.
    pub max_messages: Option<u32>,
}

impl Reasoning {
    /// Whether there is none.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.max_tokens == Some(0)
    }
}

/// Reads `harmony.reasoning`, and the effort where that is `none`.
pub(super) fn read(root: &Node<'_>, harmony: Option<&Node<'_>>) -> Result<Reasoning, RequestError> {
    let off = effort(root)?.filter(|effort| effort.value == "none");
    let own = harmony.and_then(|harmony| harmony.get("reasoning"));
    let reasoning = own.as_ref().map_or(Ok(Reasoning::default()), settings)?;
    match (off, own) {
        (None, _) => Ok(reasoning),
        (Some(off), Some(own)) if !reasoning.is_off() => {
            Err(own.error(RequestErrorKind::Contradiction(off.pointer)))
        }
        (Some(_), _) => Ok(Reasoning { max_tokens: Some(0), ..reasoning }),
    }
}

/// The effort, in the shape of Responses or of Chat Completions.
fn effort<'a>(root: &Node<'a>) -> Result<Option<Node<'a>>, RequestError> {
    let responses = root.get_object("reasoning")?.and_then(|reasoning| reasoning.get("effort"));
    let chat = root.get("reasoning_effort");
    responses.iter().chain(&chat).try_for_each(|effort| effort.string().map(drop))?;
    if let (Some(first), Some(second)) = (&responses, &chat)
        && first.value != second.value
    {
        return Err(second.error(RequestErrorKind::Contradiction(first.pointer.clone())));
    }
    Ok(responses.or(chat))
}

/// `false`, `true`, or an object of settings.
fn settings(node: &Node<'_>) -> Result<Reasoning, RequestError> {
    match node.value {
        Value::Bool(true) => return Ok(Reasoning::default()),
        Value::Bool(false) => return Ok(Reasoning { max_tokens: Some(0), ..Reasoning::default() }),
        Value::Object(_) => {}
        _ => return Err(node.wrong_type("an object or a boolean")),
    }
    let reasoning = Reasoning {
        is_required: node.get_bool("required")?.unwrap_or_default(),
        max_tokens: node.get_count("max_tokens")?,
        max_messages: node.get_count("max_messages")?,
    };
    let zero = [("max_tokens", reasoning.max_tokens), ("max_messages", reasoning.max_messages)]
        .into_iter()
        .find(|(_, cap)| *cap == Some(0));
    match zero.filter(|_| reasoning.is_required) {
        None => Ok(reasoning),
        Some((cap, _)) => {
            let required = format!("{}/required", node.pointer);
            Err(node.require(cap)?.error(RequestErrorKind::Contradiction(required)))
        }
    }
}
