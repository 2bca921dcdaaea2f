//! A second opinion on what was generated, from code that shares nothing with the masks.
//!
//! Bodies are parsed by serde_json and validated by `jsonschema`, formats asserted; which schema belongs to
//! which message, and whether the turn is what the tool choice asked for, is read off the request and the
//! messages alone.
//!
//! `jsonschema` refuses schemas that the masks take, such as `{"examples": 1}`, and for some it takes time
//! that doubles with each level of nesting. Then a completion is neither right nor wrong: it is not verified.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use harmony_mask::Formats;
use harmony_mask::harmony::{Calls, Format, Payload, Profile};
use harmony_mask::transcript::End;
use harmony_mask::{Message, Request};
use jsonschema::{Draft, ValidationOptions, Validator};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::input::is_too_deep;

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

/// The second opinion on a completion.
#[derive(Debug, Default)]
pub(crate) struct Opinion {
    /// What is wrong with it; nothing, it is hoped.
    pub(crate) problems: Vec<String>,
    /// What could not be verified, and why.
    pub(crate) unverified: Vec<String>,
}

impl Opinion {
    /// Whether all of the completion was verified, and nothing is wrong.
    pub(crate) fn is_verified(&self) -> bool {
        self.problems.is_empty() && self.unverified.is_empty()
    }

    fn add(&mut self, doubt: Doubt) {
        match doubt {
            Doubt::Wrong(problem) => self.problems.push(problem),
            Doubt::Unverified(reason) => self.unverified.push(reason),
        }
    }
}

/// Why a message is not known to be right.
#[derive(Debug, PartialEq, Eq)]
enum Doubt {
    Wrong(String),
    Unverified(String),
}

impl Doubt {
    /// About a text that `serde_json` does not read. It reads 128 levels, and masks allow more.
    fn of_text(error: &serde_json::Error) -> Self {
        let problem = error.to_string();
        if is_too_deep(error) { Self::Unverified(problem) } else { Self::Wrong(problem) }
    }

    /// The same with what it is about.
    fn about(self, subject: &str) -> Self {
        match self {
            Self::Wrong(problem) => Self::Wrong(format!("{subject}: {problem}")),
            Self::Unverified(reason) => Self::Unverified(format!("{subject}: {reason}")),
        }
    }
}

impl Verifier {
    pub(crate) fn new(request: &Request) -> Self {
        let formats = request.options().formats == Formats::Assert;
        let body = |schema: &Value| Body::new(schema, formats);
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

    /// What is to be said of a completion's messages.
    pub(crate) fn opinion(&self, messages: &[Message], is_finished: bool) -> Opinion {
        let mut opinion = Opinion::default();
        if !is_finished {
            opinion.problems.push("the completion is not finished".to_owned());
        }
        match messages.split_last() {
            None => opinion.problems.push("there are no messages".to_owned()),
            Some((last, before)) => {
                let earlier = before.iter().filter_map(|message| self.earlier_doubt(message));
                earlier.chain(self.last_doubt(last)).for_each(|doubt| opinion.add(doubt));
            }
        }
        opinion
    }

    /// The doubt about a message before the last one: it is a thought, or one of several calls.
    fn earlier_doubt(&self, message: &Message) -> Option<Doubt> {
        if self.may_call_often && message.recipient.is_some() {
            return self.last_doubt(message);
        }
        (!is_thought(message))
            .then(|| Doubt::Wrong(format!("a message on {} stands before the last one", channel(message))))
    }

    /// The doubt about the message that ends the turn: one call, or one answer.
    fn last_doubt(&self, message: &Message) -> Option<Doubt> {
        if let Some(recipient) = &message.recipient {
            let Some((_, body)) = self.tools.iter().find(|(name, _)| name == recipient) else {
                return Some(Doubt::Wrong(format!("{recipient} is not a tool that may be called")));
            };
            return ending(message, &[End::Call])
                .or_else(|| body.as_ref()?.doubt(&message.content))
                .map(|doubt| doubt.about(&format!("the call of {recipient}")));
        }
        if self.is_call_required {
            return Some(Doubt::Wrong("a call is required, and there is none".to_owned()));
        }
        if message.channel.as_deref() != Some("final") {
            return Some(Doubt::Wrong(format!("the turn ends on {}", channel(message))));
        }
        ending(message, self.ends)
            .or_else(|| self.answer_doubt(&message.content))
            .map(|doubt| doubt.about("the answer"))
    }

    /// What the first format has against an answer, where no format takes it. It may be of a format that
    /// cannot be asked.
    fn answer_doubt(&self, content: &str) -> Option<Doubt> {
        let doubts: Option<Vec<Doubt>> = self.formats.iter().map(|body| body.doubt(content)).collect();
        doubts?.into_iter().reduce(|first, next| match (&first, &next) {
            (Doubt::Wrong(_), Doubt::Unverified(_)) => next,
            _ => first,
        })
    }
}

/// What a body must be.
struct Body {
    /// The validator, or why there is none.
    validator: Result<Arc<Validator>, String>,
    /// How long it may take.
    patience: Duration,
    /// Whether it took longer once. It is not asked again.
    is_given_up: Cell<bool>,
}

/// How long one body may be validated. All but a few take less than a millisecond.
const PATIENCE: Duration = Duration::from_secs(10);

impl Body {
    fn new(schema: &Value, asserts_formats: bool) -> Self {
        let validator = validator(schema, asserts_formats).map(Arc::new);
        Self { validator, patience: PATIENCE, is_given_up: Cell::new(false) }
    }

    /// The doubt about a body. That it is JSON with unique names is known whatever its schema is.
    fn doubt(&self, content: &str) -> Option<Doubt> {
        if let Err(error) = serde_json::from_str::<UniqueNames>(content) {
            return Some(Doubt::of_text(&error));
        }
        let value: Value = match serde_json::from_str(content) {
            Ok(value) => value,
            Err(error) => return Some(Doubt::of_text(&error)),
        };
        let validator = match &self.validator {
            Ok(validator) => validator.clone(),
            Err(reason) => return Some(Doubt::Unverified(reason.clone())),
        };
        if !self.is_given_up.get() {
            match within(self.patience, move || invalid(&validator, &value)) {
                Some(problem) => return problem.map(Doubt::Wrong),
                None => self.is_given_up.set(true),
            }
        }
        Some(Doubt::Unverified("jsonschema takes too long for this schema".to_owned()))
    }
}

/// What `jsonschema` has against a value.
fn invalid(validator: &Validator, value: &Value) -> Option<String> {
    let error = validator.iter_errors(value).next()?;
    Some(format!("{error} (at {:?})", error.instance_path().to_string()))
}

/// What some work gives, if it ends in time.
///
/// `jsonschema` has no budget and cannot be stopped, and it follows two equal references twice, each of them.
/// Counting beforehand what it will do would be another validator. So it works on a thread of its own, which
/// is left alone when it takes too long, and ends with the process.
fn within<T: Send + 'static>(patience: Duration, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    /// As much as the main thread has on most systems; the depth of a body decides what is needed.
    const STACK: usize = 8 << 20;
    let (sender, receiver) = mpsc::channel();
    let send = move || {
        // Nobody waits any more where it took too long.
        let _ = sender.send(work());
    };
    thread::Builder::new().stack_size(STACK).spawn(send).ok()?;
    receiver.recv_timeout(patience).ok()
}

/// A list in `items` is taken in every draft, as real schemas have such lists without saying which draft they
/// are written in. The newest one has `prefixItems` for it, and `jsonschema` refuses the list there; the
/// draft before it has the list and reads all else alike, but for what is newer.
fn validator(schema: &Value, asserts_formats: bool) -> Result<Validator, String> {
    let options = || without_contents(jsonschema::options().should_validate_formats(asserts_formats));
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

/// What a string holds is an annotation in all drafts, while `jsonschema` asserts it in drafts 6 and 7, where a
/// validator may.
fn without_contents(options: ValidationOptions<'_>) -> ValidationOptions<'_> {
    const ENCODINGS: [&str; 5] = ["base64", "base64url", "base32", "base32hex", "base16"];
    let options = options.without_content_media_type_support("application/json");
    ENCODINGS.into_iter().fold(options, ValidationOptions::without_content_encoding_support)
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

fn ending(message: &Message, expected: &[End]) -> Option<Doubt> {
    let is_right = message.end.is_some_and(|end| expected.contains(&end));
    (!is_right).then(|| Doubt::Wrong(format!("does not end with <|{}|>", expected[0].name())))
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Two equal references, each to two more: 2^40 ways to the last one.
    #[test]
    fn validation_that_does_not_end_is_given_up() {
        let level = |at: usize| {
            let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
            (format!("d{at}"), json!({"allOf": [next, next]}))
        };
        let levels = (0..40).map(level).chain([("d40".to_owned(), json!({"type": "object"}))]);
        let schema = json!({"$ref": "#/$defs/d0", "$defs": levels.collect::<serde_json::Map<_, _>>()});
        let body = Body { patience: Duration::from_millis(50), ..Body::new(&schema, true) };
        for _ in 0..2 {
            let doubt = body.doubt("{}");
            assert!(matches!(&doubt, Some(Doubt::Unverified(why)) if why.contains("too long")), "{doubt:?}");
            assert!(body.is_given_up.get());
        }
        assert!(matches!(body.doubt("{"), Some(Doubt::Wrong(_))), "not even JSON");
    }

    #[test]
    fn what_is_nested_too_deep_to_be_read_is_not_called_wrong() {
        let body = Body::new(&json!({}), true);
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(body.doubt(&nested(100)).is_none());
        assert!(matches!(body.doubt(&nested(200)), Some(Doubt::Unverified(_))));
        assert!(matches!(body.doubt(&"[".repeat(100)), Some(Doubt::Wrong(_))));
    }

    #[test]
    fn an_answer_may_be_of_a_format_that_cannot_be_asked() {
        let request = |schemas: &[Value]| {
            let formats: Vec<Value> = schemas.iter().map(|schema| json!({"schema": schema})).collect();
            Request::read(&json!({"harmony": {"response_formats": formats}})).expect("a request")
        };
        let doubt = |schemas: &[Value]| Verifier::new(&request(schemas)).answer_doubt("7");
        let (number, text, odd) =
            (json!({"type": "number"}), json!({"type": "string"}), json!({"examples": 1}));
        assert_eq!(doubt(&[odd.clone(), number]), None);
        assert!(matches!(doubt(std::slice::from_ref(&text)), Some(Doubt::Wrong(_))));
        for schemas in [[text.clone(), odd.clone()], [odd, text]] {
            assert!(matches!(doubt(&schemas), Some(Doubt::Unverified(_))));
        }
    }
}
