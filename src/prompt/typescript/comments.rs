//! What comments say of a member: title, description, examples, default. They are annotations, so nothing
//! depends on how they are read but that they can be written again.

use serde_json::Value;

use super::parse::{Type, trim};

/// The annotations of a member.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::prompt) struct Notes {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) examples: Vec<Value>,
    pub(super) default: Option<Value>,
}

impl Notes {
    /// Reads the comments above a member, without their slashes, and the remark at its end.
    pub(super) fn read(comments: &[&str], remark: Option<&str>, value: &Type) -> Self {
        let mut notes = Self::default();
        let mut lines = comments;
        // A title has an empty comment below it; one that is about an empty description has a space in it.
        if let [title, "", rest @ ..] = lines {
            notes.title = Some(trim(title).to_owned());
            lines = rest;
        }
        let mut described: Vec<&str> = lines.iter().map(|line| trim(line)).collect();
        notes.take_examples(&mut described);
        if matches!(value, Type::Listed(_)) {
            let default = described.last().and_then(|line| line.strip_prefix("default: "));
            if let Some(default) = default {
                notes.default = Some(default_value(default, value));
                described.pop();
            }
        }
        match remark.map(|remark| (remark, remark.strip_prefix("default: "))) {
            Some((_, Some(default))) => notes.default = Some(default_value(default, value)),
            Some((remark, None)) => described.push(remark),
            None => {}
        }
        notes.description = (!described.is_empty()).then(|| described.join("\n"));
        notes
    }

    /// `Examples:` and the lines after it.
    fn take_examples(&mut self, lines: &mut Vec<&str>) {
        let Some(start) = lines.iter().position(|line| *line == "Examples:") else { return };
        let example = |line: &&str| line.strip_prefix("- ").and_then(|text| serde_json::from_str(text).ok());
        self.examples = lines[start + 1..].iter().map_while(example).filter(Value::is_string).collect();
        if !self.examples.is_empty() {
            lines.drain(start..=start + self.examples.len());
        }
    }
}

/// The remark of a type in a list: a description, a default, or both.
pub(super) fn of_variant(remark: &str, value: &Type) -> (Option<String>, Option<Value>) {
    if let Some(default) = remark.strip_prefix("default: ") {
        return (None, Some(default_value(default, value)));
    }
    match remark.rsplit_once(" default: ") {
        Some((description, default)) => (Some(description.to_owned()), Some(default_value(default, value))),
        None => (Some(remark.to_owned()), None),
    }
}

/// A default is JSON, but of a choice among words it is the bare word.
fn default_value(text: &str, value: &Type) -> Value {
    let is_word = |found: &Type| matches!(found, Type::Literal(Value::String(_)));
    let is_choice = match value {
        Type::Inline(types) => types.iter().any(is_word),
        other => is_word(other),
    };
    let bare = || Value::String(text.to_owned());
    match serde_json::from_str(text) {
        Ok(value @ Value::String(_)) => value,
        Ok(value) if !is_choice => value,
        _ => bare(),
    }
}
