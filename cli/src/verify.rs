//! A second opinion on what was generated, from code that shares nothing with the masks.
//!
//! Bodies are parsed by serde_json and validated by `jsonschema`, formats asserted; which schema belongs to
//! which message, and whether the turn is what the tool choice asked for, is read off the request and the
//! messages alone.

use std::collections::BTreeSet;
use std::fmt;

use harmony_mask::Formats;
use harmony_mask::harmony::{Calls, Format, Payload, Profile};
use harmony_mask::transcript::End;
use harmony_mask::{Message, Request};
use jsonschema::{Draft, Validator};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// Knows what each message of a completion must carry.
pub(crate) struct Verifier {
    /// By recipient: the tools that may be called, with the schema of their arguments where they take JSON.
    tools: Vec<(String, Option<Body>)>,
    /// The response formats; none for text.
    formats: Vec<Body>,
    is_call_required: bool,
    may_call_often: bool,
    /// How an answer may end.
    ends: &'static [End],
}

/// A validator of bodies, or why `jsonschema` refuses the schema.
type Body = Result<Validator, String>;

impl Verifier {
    pub(crate) fn new(request: &Request) -> Self {
        let formats = request.options().formats == Formats::Assert;
        let body = |schema: &Value| validator(schema, formats);
        let callable = match request.calls() {
            Calls::Forbidden => &[][..],
            Calls::Allowed(tools) | Calls::Required(tools) => tools,
        };
        let tools = callable.iter().map(|index| &request.tools()[*index]);
        let arguments = |payload: &Payload| match payload {
            Payload::Json(schema) => Some(body(schema)),
            Payload::Code | Payload::Text { .. } | Payload::Grammar { .. } => None,
        };
        Self {
            tools: tools.map(|tool| (tool.recipient(), arguments(&tool.payload))).collect(),
            formats: match request.format() {
                Format::Text | Format::Grammar(_) => Vec::new(),
                Format::Json(formats) => formats.iter().map(|format| body(&format.schema)).collect(),
            },
            is_call_required: matches!(request.calls(), Calls::Required(_)),
            may_call_often: request.turn().allows_parallel_calls,
            ends: match request.turn().profile {
                Profile::History => &[End::Return, End::End],
                Profile::Canonical | Profile::Trained => &[End::Return],
            },
        }
    }

    /// What is wrong with a completion's messages; nothing, it is hoped.
    pub(crate) fn problems(&self, messages: &[Message], is_finished: bool) -> Vec<String> {
        let mut problems = Vec::new();
        if !is_finished {
            problems.push("the completion is not finished".to_owned());
        }
        match messages.split_last() {
            None => problems.push("there are no messages".to_owned()),
            Some((last, before)) => {
                problems.extend(before.iter().filter_map(|message| self.earlier_problem(message)));
                problems.extend(self.last_problem(last));
            }
        }
        problems
    }

    /// What is wrong with a message before the last one: it is a thought, or one of several calls.
    fn earlier_problem(&self, message: &Message) -> Option<String> {
        if self.may_call_often && message.recipient.is_some() {
            return self.last_problem(message);
        }
        (!is_thought(message))
            .then(|| format!("a message on {} stands before the last one", channel(message)))
    }

    /// What is wrong with the message that ends the turn: one call, or one answer.
    fn last_problem(&self, message: &Message) -> Option<String> {
        if let Some(recipient) = &message.recipient {
            let Some((_, body)) = self.tools.iter().find(|(name, _)| name == recipient) else {
                return Some(format!("{recipient} is not a tool that may be called"));
            };
            return ending(message, &[End::Call])
                .or_else(|| body_problem(body.as_ref()?, &message.content))
                .map(|problem| format!("the call of {recipient}: {problem}"));
        }
        if self.is_call_required {
            return Some("a call is required, and there is none".to_owned());
        }
        if message.channel.as_deref() != Some("final") {
            return Some(format!("the turn ends on {}", channel(message)));
        }
        ending(message, self.ends)
            .or_else(|| self.answer_problem(&message.content))
            .map(|problem| format!("the answer: {problem}"))
    }

    /// What the first format has against an answer, where no format takes it.
    fn answer_problem(&self, content: &str) -> Option<String> {
        let mut problems = self.formats.iter().map(|body| body_problem(body, content));
        let first = problems.next()??;
        problems.all(|problem| problem.is_some()).then_some(first)
    }
}

/// A list in `items` is taken in every draft, as real schemas have such lists without saying which draft they
/// are written in. The newest one has `prefixItems` for it, and `jsonschema` refuses the list there; the
/// draft before it has the list and reads all else alike, but for what is newer.
fn validator(schema: &Value, asserts_formats: bool) -> Body {
    let options = || jsonschema::options().should_validate_formats(asserts_formats);
    let named = schema.get("$schema").and_then(Value::as_str);
    let is_newest = named.map_or_else(Draft::default, Draft::from_schema_uri) == Draft::Draft202012;
    let validator = match options().build(schema) {
        Err(error) if is_newest && !mentions_newer(schema) => {
            options().with_draft(Draft::Draft201909).build(schema).map_err(|_| error)
        }
        validator => validator,
    };
    validator.map_err(|error| format!("jsonschema refuses the schema: {error}"))
}

/// Whether a keyword is mentioned that draft 2020-12 has, and draft 2019-09 has not or understands in another
/// way.
fn mentions_newer(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members.iter().any(|(name, value)| {
            ["prefixItems", "$dynamicRef", "$dynamicAnchor", "unevaluatedItems"].contains(&name.as_str())
                || mentions_newer(value)
        }),
        Value::Array(elements) => elements.iter().any(mentions_newer),
        _ => false,
    }
}

/// Reasoning or a preamble: nobody's call, and not the last word.
fn is_thought(message: &Message) -> bool {
    matches!(message.channel.as_deref(), Some("analysis" | "commentary"))
        && message.recipient.is_none()
        && message.end == Some(End::End)
}

fn channel(message: &Message) -> &str {
    message.channel.as_deref().unwrap_or("no channel")
}

fn ending(message: &Message, expected: &[End]) -> Option<String> {
    let is_right = message.end.is_some_and(|end| expected.contains(&end));
    (!is_right).then(|| format!("does not end with <|{}|>", expected[0].name()))
}

fn body_problem(body: &Body, content: &str) -> Option<String> {
    let validator = match body {
        Ok(validator) => validator,
        Err(problem) => return Some(problem.clone()),
    };
    if let Err(error) = serde_json::from_str::<UniqueNames>(content) {
        return Some(error.to_string());
    }
    let value: Value = match serde_json::from_str(content) {
        Ok(value) => value,
        Err(error) => return Some(error.to_string()),
    };
    let error = validator.iter_errors(&value).next()?;
    Some(format!("{error} (at {:?})", error.instance_path().to_string()))
}

/// Any JSON whose objects have no name twice, which [`Value`] would not notice.
struct UniqueNames;

impl<'de> Deserialize<'de> for UniqueNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for UniqueNames {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        let mut names = BTreeSet::new();
        while let Some(name) = members.next_key::<String>()? {
            members.next_value::<Self>()?;
            if let Some(twice) = names.replace(name) {
                return Err(A::Error::custom(format!("the name {twice:?} occurs twice")));
            }
        }
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self, A::Error> {
        while elements.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }
}
