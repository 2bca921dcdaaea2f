//! The text of a message.

use crate::harmony::node::Node;
use crate::prompt::error::{ConversationError, ConversationErrorKind};

/// The parts that are text, by the names that OpenAI gives them, and the member that holds the text.
const TEXTS: [(&str, &str); 6] = [
    ("text", "text"),
    ("input_text", "text"),
    ("output_text", "text"),
    ("summary_text", "text"),
    ("reasoning_text", "text"),
    ("refusal", "refusal"),
];

/// The text of a string, or of parts one after the other.
pub(super) fn text(node: &Node<'_>) -> Result<String, ConversationError> {
    if !node.value.is_array() {
        let text = node.string().map_err(|_| node.wrong_type("a string or an array of parts"))?;
        return Ok(text.to_owned());
    }
    node.elements()?.into_iter().map(|part| part_text(&part.object()?)).collect()
}

fn part_text(part: &Node<'_>) -> Result<String, ConversationError> {
    let kind = part.require("type")?;
    let name = kind.string()?;
    let Some((_, member)) = TEXTS.into_iter().find(|(known, _)| *known == name) else {
        return Err(ConversationError::new(kind.pointer, ConversationErrorKind::NotText(name.to_owned())));
    };
    Ok(part.require(member)?.string()?.to_owned())
}

/// The text of a member, where it is set.
pub(super) fn get(node: &Node<'_>, name: &str) -> Result<Option<String>, ConversationError> {
    node.get(name).map(|node| text(&node)).transpose()
}
