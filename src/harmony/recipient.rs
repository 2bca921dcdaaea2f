//! Recipients beyond OpenAI's kinds of tools, `container.exec` say, declared in `harmony.recipients`.

use super::error::{RequestError, RequestErrorKind};
use super::node::Node;
use super::tools::{self, Payload, Tool, ToolKind};

/// Who can be addressed, but is no tool: the roles, and `all`.
const NOT_TOOLS: [&str; 6] = ["assistant", "user", "system", "developer", "tool", "all"];

/// Reads `{"name": …}` with exactly one of `schema`, `grammar` and `text`. Gives the tool and where it is
/// named.
pub(super) fn read(node: &Node<'_>) -> Result<(Tool, String), RequestError> {
    let named = node.require("name")?;
    let name = named.string()?;
    if !name.split('.').all(tools::is_name) || NOT_TOOLS.contains(&name) {
        return Err(named.error(RequestErrorKind::BadRecipient(name.to_owned())).of_tool(name));
    }
    let (mut payload, pointer) = payload(node).map_err(|error| error.of_tool(name))?;
    if let Some(word) = node.get("content_type") {
        let declared = tools::name(&word).map_err(|error| error.of_tool(name))?.0;
        match &mut payload {
            Payload::Text { content_type } | Payload::Grammar { content_type, .. } => {
                declared.clone_into(content_type);
            }
            Payload::Json(_) | Payload::Code => {
                let schema = format!("{}/schema", node.pointer);
                return Err(word.error(RequestErrorKind::Contradiction(schema)).of_tool(name));
            }
        }
    }
    Ok((Tool { name: name.to_owned(), kind: ToolKind::Recipient, payload, pointer }, named.pointer))
}

fn payload(node: &Node<'_>) -> Result<(Payload, String), RequestError> {
    let (schema, grammar) = (node.get_object("schema")?, node.get_object("grammar")?);
    let is_text = node.get_bool("text")?.unwrap_or_default();
    let declared = [("schema", schema.is_some()), ("grammar", grammar.is_some()), ("text", is_text)];
    let mut declared = declared.iter().filter(|(_, is_declared)| *is_declared).map(|(name, _)| *name);
    let (first, second) = (declared.next(), declared.next());
    if let (Some(first), Some(second)) = (first, second) {
        let contradiction = RequestErrorKind::Contradiction(format!("{}/{first}", node.pointer));
        return Err(node.require(second)?.error(contradiction));
    }
    match (schema, grammar) {
        (Some(schema), _) => Ok((Payload::Json(schema.value.clone()), schema.pointer)),
        (None, Some(grammar)) => tools::grammar(&grammar),
        (None, None) if is_text => Ok((tools::text(), node.pointer.clone())),
        (None, None) => Err(node.error(RequestErrorKind::MissingPayload)),
    }
}
