//! Schemas that want too much: read or refused by a named limit, soon.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::super::SchemaErrorKind::{self, CircularReference, Limit, NoBaseCase, Unsatisfiable};
use super::read;

/// The schema is read, or refused with this kind, in time. The time is generous: tests run unoptimised,
/// beside others.
#[track_caller]
fn check(what: &str, document: &Value, expected: Option<SchemaErrorKind>) {
    let start = Instant::now();
    let outcome = read(document);
    let spent = start.elapsed();
    assert_eq!(outcome.as_ref().err().map(super::SchemaError::kind), expected, "{what}: {:?}", outcome.err());
    assert!(spent < Duration::from_secs(10), "{what} took {spent:?}");
}

/// `count` definitions made from their number, the first of them the root.
fn definitions(count: usize, definition: impl Fn(usize) -> Value) -> Value {
    let definitions: Map<String, Value> =
        (0..count).map(|number| (number.to_string(), definition(number))).collect();
    json!({"$defs": definitions, "$ref": "#/$defs/0"})
}

fn target(number: usize) -> Value {
    json!({"$ref": format!("#/$defs/{number}")})
}

/// The schema nested in itself.
fn nested(levels: usize, wrap: impl Fn(Value) -> Value) -> Value {
    (0..levels).fold(json!({"type": "string"}), |inner, _| wrap(inner))
}

#[test]
fn nesting() {
    check("deep items", &nested(250, |inner| json!({"items": inner})), None);
    check("too deep items", &nested(260, |inner| json!({"items": inner})), Some(Limit));
    check("deep allOf", &nested(120, |inner| json!({"allOf": [inner]})), None);
    check("deep const", &json!({"const": nested(120, |inner| json!([inner]))}), None);
}

/// Exactly one of objects of so many kinds with a tag, and of objects without one that have something under
/// some name.
fn tagged(kinds: usize, others: &[(&str, Value)]) -> Value {
    let kind = |tag: usize| {
        let tag_of = json!({"enum": [tag.to_string()]});
        let members = json!({"type": tag_of, "a": {"minimum": tag}, "b": {"maxLength": tag}});
        json!({"type": "object", "properties": members, "required": ["type", "a"]})
    };
    let other = |(name, inner): &(&str, Value)| {
        let members = json!({"type": {"type": "string"}, *name: inner});
        json!({"type": "object", "properties": members, "required": ["type", name]})
    };
    let kinds: Vec<Value> = (0..kinds).map(kind).chain(others.iter().map(other)).collect();
    json!({ "oneOf": kinds })
}

#[test]
fn kinds_that_a_member_tells_apart() {
    check("one by one", &tagged(40, &[("c", json!(true))]), None);
    let shapes = || tagged(6, &[]);
    let collections = || tagged(6, &[("c", shapes())]);
    let features = || tagged(6, &[("c", collections()), ("d", shapes())]);
    let within_each_other = tagged(6, &[("c", features()), ("d", collections()), ("e", features())]);
    check("within each other", &within_each_other, None);
    let first = |tag: usize| json!({"type": "array", "prefixItems": [{"const": tag}, {"maxLength": tag}, {"minimum": tag}]});
    let tuples: Vec<Value> = (0..40).map(first).collect();
    check("told apart by an element", &json!({"not": {"anyOf": tuples}}), None);
}

#[test]
fn members_that_need_another_one() {
    let needs_one = |i: usize| (format!("m{i}"), json!(["daemon"]));
    let all: Map<String, Value> = (0..200).map(needs_one).collect();
    check("200 that need one", &json!({"dependentRequired": all, "unevaluatedProperties": true}), None);
    let in_a_row = |i: usize| (format!("m{i}"), json!([format!("m{}", i + 1)]));
    let all: Map<String, Value> = (0..60).map(in_a_row).collect();
    check("60 that need the next one", &json!({ "dependencies": all }), None);
}

#[test]
fn references() {
    let chain =
        |last: Value| definitions(50_000, move |i| if i == 49_999 { last.clone() } else { target(i + 1) });
    check("a long chain", &chain(json!({"type": "null"})), None);
    check("a long cycle", &chain(target(0)), Some(CircularReference));
    let step =
        |i: usize| json!({"$ref": format!("#/$defs/{}", (i + 1) % 1_000), "title": "t", "minLength": i});
    check("a chain with siblings", &definitions(1_000, step), Some(Limit));
    let all =
        |i: usize| json!({"type": "object", "properties": {"a": target((i + 1) % 1_000)}, "required": ["a"]});
    check("mutual recursion without end", &definitions(1_000, all), Some(NoBaseCase));
    let wide =
        |i: usize| json!({"anyOf": [{"const": i}, {"type": "array", "items": target((i * 7 + 1) % 5_000)}]});
    check("mutual recursion", &definitions(5_000, wide), None);
}

#[test]
fn long_lists() {
    let texts: Vec<_> = (0..100_000).map(|i| format!("entry {i}")).collect();
    check("100,000 texts", &json!({"enum": texts, "minLength": 7}), None);
    check("100,000 numbers", &json!({"enum": (0..100_000).collect::<Vec<_>>()}), Some(Limit));
    let objects: Vec<_> = (0..100_000).map(|i| json!({"a": i})).collect();
    check("100,000 objects", &json!({"enum": objects}), Some(Limit));
    let properties: Map<String, Value> =
        (0..100_000).map(|i| (format!("p{i}"), json!({"type": "string"}))).collect();
    let all = json!({"properties": properties, "required": properties.keys().collect::<Vec<_>>()});
    check("100,000 properties", &json!({"allOf": [all, all]}), Some(Limit));
    check("100,000 required properties", &all, None);
    let branches: Vec<_> = (0..20_000).map(|i| json!({"required": [i.to_string()]})).collect();
    check("20,000 branches", &json!({"anyOf": branches}), Some(Limit));
    let choice =
        |i: usize| json!({"anyOf": [{"required": [format!("a{i}")]}, {"required": [format!("b{i}")]}]});
    check(
        "2^64 branches",
        &json!({"type": "object", "allOf": (0..64).map(choice).collect::<Vec<_>>()}),
        Some(Limit),
    );
}

#[test]
fn conjunctions() {
    let parts: Vec<_> = (0..20_000).map(|i| json!({"properties": {"a": {"minimum": i}}})).collect();
    check("a conjunction of 20,000 parts", &json!({"allOf": parts}), Some(Limit));
    let number = |seed: u64| -> Value {
        let next = |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        let digits =
            std::iter::successors(Some(seed), next).map(|state| char::from(b'1' + (state >> 40) as u8 % 9));
        digits
            .skip(1)
            .take(900)
            .collect::<String>()
            .parse::<serde_json::Number>()
            .map(Value::Number)
            .expect("a number")
    };
    let steps: Vec<_> = (1..200).map(|seed| json!({"multipleOf": number(seed)})).collect();
    check("long divisors", &json!({"allOf": steps}), Some(Limit));
    check(
        "a divisor between bounds",
        &json!({"type": "number", "minimum": 1, "maximum": 2, "multipleOf": 3}),
        Some(Unsatisfiable),
    );
}
