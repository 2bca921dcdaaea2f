//! Harmony completions: accepted and rejected forms as data, and sampled completions against the reference
//! parser.

use std::fs;
use std::path::Path;

use harmony_mask::harmony::{Format, Payload, Tool};
use harmony_mask::{Grammar, Matcher, Request};
use serde_json::Value;

use crate::harness::unique::Unique;
use crate::harness::{COMPILER, EXAMPLES, HABITS, Random, example, example_text, reference, walk};

/// What `cases/README.md` describes: completions with their verdicts, among them every known failure that a
/// grammar can exclude.
#[test]
fn cases_hold() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("cases/harmony.json")).expect("JSON");
    let wrong: Vec<String> = cases.iter().filter_map(|case| check(case).err()).collect();
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), cases.len());
}

fn check(case: &Value) -> Result<(), String> {
    let text = |field: &str| case[field].as_str().unwrap_or_else(|| panic!("{field} of {}", case["name"]));
    let fail = |what: String| Err(format!("{}: {what}", text("name")));
    let mut matcher = grammar(&case["request"]).matcher();
    let tokens = matcher.vocabulary().encode_with_special(text("completion")).expect("it has an encoder");
    for token in tokens {
        let Err(error) = matcher.accept(token) else { continue };
        let message = error.to_string();
        if text("verdict") != "rejected" {
            return fail(message);
        }
        let at = matcher.vocabulary().decode(matcher.tokens()).len() + error.valid_bytes;
        let read = &text("completion")[..at];
        if !read.ends_with(text("at")) || (text("at").is_empty() && at > 0) {
            return fail(format!("rejected after {read:?}"));
        }
        let expected = case["expects"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let missing: Vec<&str> = expected.filter(|part| !message.contains(part)).collect();
        return if missing.is_empty() { Ok(()) } else { fail(format!("{missing:?} is not in {message:?}")) };
    }
    let verdict = if matcher.is_finished() { "accepted" } else { "prefix" };
    if verdict == text("verdict") { Ok(()) } else { fail(format!("{verdict}, not {}", text("verdict"))) }
}

fn grammar(request: &Value) -> Grammar {
    let request = match request.as_str() {
        Some(file) => {
            fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("a file").parse()
        }
        None => Request::read(request),
    };
    COMPILER.compile(&request.expect("a request")).expect("compiles")
}

/// Law 6: what is accepted parses strictly with `openai-harmony`, into the transcript's messages.
#[test]
fn the_reference_parser_reads_the_same_messages() {
    for (name, seed) in EXAMPLES.iter().zip(40..) {
        let grammar = example(name);
        let mut random = Random::new(seed);
        for round in 0..200 {
            let matcher = walk(&grammar, HABITS[round % 3], random.below(60), &mut random, |_, _| {});
            assert_same_messages(&matcher);
        }
    }
}

fn assert_same_messages(matcher: &Matcher) {
    let text = matcher.vocabulary().decode(matcher.tokens());
    let theirs = reference::parse(matcher.tokens()).unwrap_or_else(|error| panic!("{error}: {text:?}"));
    let transcript = matcher.transcript();
    let ours: Vec<_> = transcript
        .messages
        .iter()
        .map(|message| {
            let Some(content_type) = &message.content_type else {
                return (
                    message.channel.as_deref(),
                    message.recipient.as_deref(),
                    None,
                    message.content.clone(),
                );
            };
            (
                message.channel.as_deref(),
                message.recipient.as_deref(),
                Some(content_type.as_str()),
                message.content.clone(),
            )
        })
        .collect();
    let theirs: Vec<_> = theirs.iter().map(reference::fields).collect();
    assert_eq!(ours, theirs, "{text:?}");
}

/// Law 3: the JSON of an accepted completion parses, names no member twice, and validates with formats
/// asserted.
#[test]
fn bodies_are_sound() {
    for (name, seed) in EXAMPLES.iter().zip(60..) {
        let request: Request = example_text(name).parse().expect("a request");
        let grammar = COMPILER.compile(&request).expect("compiles");
        let mut random = Random::new(seed);
        for round in 0..100 {
            let matcher = walk(&grammar, HABITS[round % 3], random.below(120), &mut random, |_, _| {});
            let messages = matcher.transcript().messages;
            let last = messages.last().expect("a message");
            let tool = request.tools().iter().find(|tool| Some(tool.recipient()) == last.recipient);
            let schema = match (tool, request.format()) {
                (Some(Tool { payload: Payload::Json(schema), .. }), _) => schema,
                (None, Format::Json(formats)) => &formats[0].schema,
                _ => continue,
            };
            assert_sound(schema, &last.content);
        }
    }
}

fn assert_sound(schema: &Value, body: &str) {
    let Unique(value) = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"));
    let validator = jsonschema::options().should_validate_formats(true).build(schema).expect("a schema");
    if let Err(error) = validator.validate(&value) {
        panic!("{error}: {body}");
    }
}
