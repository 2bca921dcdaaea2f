//! Inputs that are nested as deep as the limits allow, on threads with as little stack as any that hosts
//! have: 128 KB, what musl gives. A stack that overflows would end the process of the host, so without
//! `src/recursion.rs` these tests do not fail but abort.

use harmony_mask::prompt::Conversation;
use harmony_mask::regular::Pattern;
use harmony_mask::schema::{Schema, SchemaOptions};
use harmony_mask::{Error, Grammar, Limits, Options, Request, TokenMask};
use serde_json::Value;

use crate::harness::{COMPILER, WIDTH};

const STACK: usize = 128 << 10;

/// The nesting that a schema may have.
const DEPTH: usize = 256;

/// Runs something on a thread with little stack; what it returns is dropped there, too.
fn with_little_stack<R>(name: &str, run: impl FnOnce() -> R + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name(name.to_owned()).stack_size(STACK);
        let thread = thread.spawn_scoped(scope, || drop(run())).expect("a thread");
        thread.join().unwrap_or_else(|_| panic!("{name}"));
    });
}

/// How deep the brackets of a text nest.
fn levels(text: &str) -> usize {
    let (mut level, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => level += 1,
            b']' | b'}' => level -= 1,
            _ => {}
        }
        deepest = deepest.max(level);
    }
    deepest
}

/// `X` of `around`, replaced by the same again, until the brackets nest so deep.
fn nested(around: &str, inner: &str, depth: usize) -> String {
    let (before, after) = around.split_once('X').expect("a place");
    let times = (depth - levels(inner)) / (levels(&around.replace('X', "[]")) - 1);
    [&before.repeat(times), inner, &after.repeat(times)].concat()
}

/// The value of a text that may be nested deeper than `serde_json` reads by itself.
fn value(text: &str) -> Value {
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    serde::Deserialize::deserialize(&mut reader).expect("JSON")
}

/// Reads the shortest text under its masks.
fn walk(grammar: &Grammar) {
    let (mut matcher, mut mask) = (grammar.matcher(), TokenMask::new(WIDTH));
    for token in matcher.shortest_completion() {
        matcher.fill_mask(&mut mask);
        assert!(mask.contains(token));
        matcher.accept(token).expect("a completion");
    }
    assert!(matcher.is_accepting());
    let _ = (matcher.expected(), matcher.place());
}

/// Compiles a schema from its text and from a value; what is compiled is walked through.
fn check(name: &str, schema: &str, verdict: &str) {
    let judged = |compiled: Result<Grammar, Error>| match compiled {
        Ok(grammar) => {
            walk(&grammar);
            "compiled".to_owned()
        }
        Err(error) => error.limit().map_or(error.kind(), |limit| limit.what).to_owned(),
    };
    with_little_stack(name, || {
        assert_eq!(judged(COMPILER.compile_schema(schema, &Options::default())), verdict, "{name}");
    });
    let value = value(schema);
    with_little_stack(name, || {
        assert_eq!(judged(COMPILER.compile_schema(&value, &Options::default())), verdict, "{name}");
    });
}

/// Each keyword with schemas inside, one of them `X`.
const AROUND: [&str; 22] = [
    r#"{"not":X}"#,
    r#"{"propertyNames":X}"#,
    r#"{"allOf":[X]}"#,
    r#"{"anyOf":[X,{"type":"null"}]}"#,
    r#"{"oneOf":[X,{"type":"null"}]}"#,
    r#"{"if":X}"#,
    r#"{"if":X,"then":{"minLength":1}}"#,
    r#"{"if":{"type":"null"},"else":X}"#,
    r#"{"dependentSchemas":{"a":X}}"#,
    r#"{"items":X}"#,
    r#"{"items":X,"minItems":1}"#,
    r#"{"type":"array","items":X,"uniqueItems":true}"#,
    r#"{"prefixItems":[X],"minItems":1}"#,
    r#"{"type":"array","contains":X}"#,
    r#"{"properties":{"a":X},"required":["a"]}"#,
    r#"{"patternProperties":{"^a":X}}"#,
    r#"{"additionalProperties":X}"#,
    r#"{"properties":{"a":true},"unevaluatedProperties":X}"#,
    r#"{"prefixItems":[true],"unevaluatedItems":X}"#,
    r#"{"allOf":[X],"unevaluatedProperties":false}"#,
    r#"{"not":{"items":X}}"#,
    r#"{"not":{"properties":{"a":X}}}"#,
];

#[test]
fn schemas_nested_in_each_keyword() {
    for around in AROUND {
        check(around, &nested(around, r#"{"type":"string"}"#, DEPTH), "compiled");
    }
}

/// A chain of definitions, each of which leads to the next one.
fn chain(around: &str, links: usize) -> String {
    let link = |number: usize| {
        let next = format!(r##"{{"$ref":"#/$defs/m{}"}}"##, number + 1);
        format!(r#""m{number}":{}"#, around.replace('X', &next))
    };
    let definitions: Vec<String> = (0..links).map(link).collect();
    let (definitions, last) = (definitions.join(","), format!(r#""m{links}":{{"type":"string"}}"#));
    format!(r##"{{"$defs":{{{definitions},{last}}},"$ref":"#/$defs/m0"}}"##)
}

/// Schemas that apply to one value have the ceiling of nesting, through references, too.
#[test]
fn references_through_each_keyword() {
    for around in AROUND {
        check(around, &chain(around, 120), "compiled");
    }
}

#[test]
fn values_that_are_listed() {
    for around in ["[X]", r#"{"a":X}"#, r#"[0,{"a":X}]"#] {
        let value = nested(around, "null", DEPTH - 4);
        check("a constant", &format!(r#"{{"const":{value}}}"#), "compiled");
        check("an enumeration", &format!(r#"{{"enum":[{value},1]}}"#), "compiled");
        check("not", &format!(r#"{{"not":{{"enum":[{value}]}}}}"#), "compiled");
        check(
            "unique",
            &format!(r#"{{"items":{{"enum":[{value},1]}},"uniqueItems":true,"type":"array"}}"#),
            "compiled",
        );
        check("a default", &format!(r#"{{"default":{value},"type":"string"}}"#), "compiled");
    }
    check("too deep", &nested("[X]", "null", 1_000), "schema_depth");
}

/// What a compiled schema says of a value, by the reference verdict.
#[test]
fn values_are_judged() {
    let schema = Schema::read(
        r##"{"items":{"$ref":"#"},"uniqueItems":true}"##,
        &SchemaOptions::default(),
        &Limits::default(),
    );
    let (schema, value) = (schema.expect("compiles"), value(&nested("[X,1]", "[]", 500)));
    with_little_stack("a value", || assert!(schema.admits(&value)));
}

/// Reads a text and everything that is known on the way.
fn read(grammar: &Grammar, text: &str) {
    let tokens = COMPILER.vocabulary().encode(text).expect("it has an encoder");
    with_little_stack(&text[..20.min(text.len())], || {
        let (mut matcher, mut mask) = (grammar.matcher(), TokenMask::new(WIDTH));
        for (number, token) in tokens.into_iter().enumerate() {
            if number % 16 == 0 {
                matcher.fill_mask(&mut mask);
                assert!(mask.contains(token), "token {number}");
            }
            matcher.accept(token).unwrap_or_else(|error| panic!("token {number}: {error}"));
        }
        assert!(matcher.is_accepting());
        (matcher.shortest_completion(), matcher.forced_tokens(), matcher.fork())
    });
}

/// How deep a text nests is for the model to say.
#[test]
fn texts_as_deep_as_the_model_likes() {
    let read = |schema: &str, around: &str, inner: &str| {
        let grammar = COMPILER.compile_schema(schema, &Options::default()).expect("compiles");
        read(&grammar, &nested(around, inner, 150));
    };
    read(r##"{"items":{"$ref":"#"}}"##, "[X]", "[]");
    read(r##"{"items":{"$ref":"#"},"uniqueItems":true,"type":"array"}"##, "[X]", "[]");
    read(r##"{"additionalProperties":{"$ref":"#"}}"##, r#"{"a":X}"#, "{}");
    read("true", r#"[{"a":X},1]"#, "{}");
    let read = |grammar: &str, before: &str, inner: &str, after: &str| {
        let grammar = COMPILER.compile_lark(grammar, &Options::default()).expect("compiles");
        self::read(&grammar, &[&before.repeat(300), inner, &after.repeat(300)].concat());
    };
    read(r#"start: "(" start ")" | "x""#, "(", "x", ")");
    read(r#"start: "a" start "b"? | "x""#, "a", "x", "");
    read("start: start \"+\" A | A\nA: /[a-z]+/", "a+", "x", "");
}

/// A pattern in groups, and all that is done with it.
fn check_pattern(before: &str, inner: &str, after: &str, times: usize) {
    let source = [&before.repeat(times), inner, &after.repeat(times)].concat();
    with_little_stack(before, || {
        let pattern = Pattern::parse(&source).unwrap_or_else(|error| panic!("{before}: {error}"));
        let copy = pattern.clone();
        drop(pattern);
        assert!(copy.to_dfa(100_000).is_ok_and(|dfa| !dfa.is_empty()), "{before}");
    });
    let schema =
        serde_json::json!({"type": "object", "properties": {"a": {"pattern": source}}, "required": ["a"]});
    check(before, &schema.to_string(), "compiled");
}

#[test]
fn patterns_in_groups() {
    check_pattern("(", "a", ")", 200);
    check_pattern("(?:a|(b", "c", "d)|e)", 100);
    check_pattern("(", "a", "?b?)", 200);
    check_pattern("(a", "b", ")?", 200);
    check_pattern("(?=a", "b", ")", 1);
    check_pattern("(?=a?", "b", ")", 200);
    check_pattern("(?!a", "b", ")", 200);
    check_pattern("(?<=a?", "b", ")", 200);
    check_pattern("(?<!a", "b", ")", 200);
    let too_deep = format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000));
    with_little_stack("too deep", || assert!(Pattern::parse(&too_deep).is_err()));
    with_little_stack("words", || {
        let words: Vec<String> = (1..1_000).map(|length| "a".repeat(length)).collect();
        let pattern = Pattern::parse(&format!("^({})$", words.join("|"))).expect("a pattern");
        assert!(pattern.to_dfa(100_000).is_ok_and(|dfa| dfa.states() == 1_000));
    });
}

#[test]
fn grammars_in_groups() {
    let check = |name: &str, grammar: String| {
        with_little_stack(name, || {
            walk(
                &COMPILER
                    .compile_lark(&grammar, &Options::default())
                    .unwrap_or_else(|error| panic!("{name}: {error}")),
            );
        });
    };
    check("groups", format!("start: {}\"a\"{}", "(".repeat(64), " \"b\")*".repeat(64)));
    check("options", format!("start: \"c\" {}\"a\"{}", "[".repeat(64), " \"b\"]".repeat(64)));
    check("groups of a terminal", format!("start: A\nA: {}\"a\"{}", "(".repeat(64), " \"b\")*".repeat(64)));
    let terminals: Vec<String> = (0..60).map(|number| format!("A{number}: \"a\" A{}?", number + 1)).collect();
    check("terminals", format!("start: A0\n{}\nA60: \"b\"", terminals.join("\n")));
    let regex = format!("{}a{}", "(".repeat(80), "b)*".repeat(80));
    check("a regular expression", format!("start: /{regex}c/"));
    check("JSON", format!("start: %json {}", nested(r#"{"items":X}"#, "{}", 120)));
    with_little_stack("a regular expression alone", || {
        walk(&COMPILER.compile_regex(&regex, &Options::default()).expect("compiles"));
    });
}

/// As deep as `serde_json` reads.
#[test]
fn requests_and_prompts() {
    for around in [
        r#"{"type":"array","items":X}"#,
        r#"{"type":"object","properties":{"a":X}}"#,
        r#"{"oneOf":[X,{"type":"null"}]}"#,
    ] {
        let schema = format!(
            r#"{{"type":"object","properties":{{"a":{}}}}}"#,
            nested(around, r#"{"type":"string"}"#, 100)
        );
        let request = format!(
            r#"{{"input": "Hi", "tools": [{{"type": "function", "name": "f", "parameters": {schema}}}], "tool_choice": "required",
                "text": {{"format": {{"type": "json_schema", "name": "n", "schema": {schema}}}}}}}"#
        );
        with_little_stack(around, || {
            let read: Request = request.parse().expect("a request");
            walk(&COMPILER.compile(&read).expect("compiles"));
            let document = harmony_mask::harmony::document(&request).expect("JSON");
            let prompt = Conversation::read(&document).expect("a conversation").for_completion().to_string();
            (Request::from_prompt(&prompt).expect("a prompt"), read)
        });
    }
}
