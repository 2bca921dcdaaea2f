//! Members of the `harmony` object that nothing reads.
//!
//! Fields that are not known are ignored, as in all of a request: what OpenAI adds to its objects must not
//! break anybody. But the `harmony` object is ours, so a member of it that is not known is most likely
//! misspelt, and a cap that is misspelt is no cap. So there is a warning.

use super::node::Node;

/// What is known of the `harmony` object, and of the objects in it.
const HARMONY: [&str; 14] = [
    "profile",
    "whitespace",
    "property_order",
    "formats",
    "strict",
    "forbid_spelled_tokens",
    "typed_answer",
    "parallel_tool_calls",
    "response_formats",
    "response_format",
    "reasoning",
    "builtin_tools",
    "recipients",
    "prompt",
];
const REASONING: [&str; 3] = ["required", "max_tokens", "max_messages"];
const RECIPIENT: [&str; 5] = ["name", "schema", "grammar", "text", "content_type"];
const PROMPT: [&str; 4] = ["system", "recipient", "constrain", "auto_drop_analysis"];
/// Formats as OpenAI writes them, which have more than is read here.
const FORMAT: [&str; 5] = ["type", "name", "schema", "strict", "description"];
const GRAMMAR: [&str; 2] = ["syntax", "definition"];
const SYSTEM: [&str; 5] = ["identity", "knowledge_cutoff", "current_date", "channels", "channel_required"];

/// A warning for each member that is not known, those of the outermost object first.
pub(super) fn warnings(harmony: &Node<'_>) -> Vec<String> {
    let prompt = harmony.get("prompt");
    let system = prompt.as_ref().and_then(|prompt| prompt.get("system"));
    let elements = |name| harmony.get_elements(name).unwrap_or_default();
    let grammar = |node: &Node<'_>| node.get("grammar").map(|grammar| unknown(&grammar, &GRAMMAR));
    let of_recipient =
        |node: &Node<'_>| [unknown(node, &RECIPIENT), grammar(node).unwrap_or_default()].concat();
    let recipients: Vec<_> = elements("recipients").iter().flat_map(of_recipient).collect();
    let formats: Vec<_> =
        elements("response_formats").iter().flat_map(|node| unknown(node, &FORMAT)).collect();
    let single = [(harmony.get("reasoning"), &REASONING[..]), (prompt, &PROMPT), (system, &SYSTEM)];
    let single = single.iter().filter_map(|(node, known)| Some(unknown(node.as_ref()?, known)));
    unknown(harmony, &HARMONY).into_iter().chain(single.flatten()).chain(recipients).chain(formats).collect()
}

fn unknown(node: &Node<'_>, known: &[&str]) -> Vec<String> {
    let warning = |member: Node<'_>| format!("{}: there is no such field, so it is ignored", member.pointer);
    others(node, known).into_iter().map(warning).collect()
}

/// The members of an object whose names are not known.
pub(super) fn others<'a>(node: &Node<'a>, known: &[&str]) -> Vec<Node<'a>> {
    let names = node.value.as_object().into_iter().flat_map(|object| object.keys());
    names.filter(|name| !known.contains(&name.as_str())).filter_map(|name| node.get(name)).collect()
}
