//! Objects that must have members under names that are few: of all objects of three names exactly the valid ones are accepted, and no walk uses a name up
//! without which the object could not be completed.

use serde_json::{Value, json};

use crate::corpus::accepts;
use crate::differential::text;
use crate::harness::{COMPILER, HABITS, Random, walk};
use harmony_mask::{Options, PropertyOrder};

const NAMES: [&str; 3] = ["a", "b", "c"];
const VALUES: [&str; 3] = ["0", "\"\"", "null"];

/// Every object with different ones of the names, in every order, each with any of the values.
fn objects() -> Vec<String> {
    let mut all: Vec<Vec<(usize, &str)>> = vec![Vec::new()];
    let mut at = 0;
    while let Some(members) = all.get(at).cloned() {
        for name in (0..NAMES.len()).filter(|name| members.iter().all(|(used, _)| used != name)) {
            all.extend(VALUES.iter().map(|value| [&*members, &[(name, *value)]].concat()));
        }
        at += 1;
    }
    let spelled = |members: &Vec<(usize, &str)>| {
        let members: Vec<_> =
            members.iter().map(|(name, value)| format!("\"{}\": {value}", NAMES[*name])).collect();
        format!("{{{}}}", members.join(", "))
    };
    all.iter().map(spelled).collect()
}

/// Checks a schema that nothing, or something, satisfies.
fn check(schema: &Value, is_satisfiable: bool) {
    let oracle = jsonschema::validator_for(schema).expect("a schema");
    let is_valid = |text: &str| oracle.is_valid(&serde_json::from_str(text).expect("JSON"));
    assert_eq!(objects().iter().any(|text| is_valid(text)), is_satisfiable, "{schema}");
    for property_order in [PropertyOrder::Any, PropertyOrder::Declared] {
        let options = Options { property_order, ..Options::default() };
        let grammar = match COMPILER.compile_schema(schema, &options) {
            Ok(grammar) => grammar,
            Err(error) => {
                assert!(!is_satisfiable && error.to_string().contains("no value"), "{schema}: {error}");
                continue;
            }
        };
        for text in objects().iter().filter(|_| property_order == PropertyOrder::Any) {
            assert_eq!(accepts(&grammar, text), is_valid(text), "{text} for {schema}");
        }
        let mut random = Random::new(7);
        for round in 0..60 {
            let matcher = walk(&grammar, HABITS[round % 3], 1 + random.below(30), &mut random, |_, _| {});
            let text = text(&matcher);
            assert!(is_valid(&text), "{text} for {schema}");
        }
    }
}

/// A member under one of these names.
fn some_of(names: Value) -> Value {
    json!({"propertyNames": {"not": {"enum": names}}})
}

/// A member with such a value.
fn some_value(schema: Value) -> Value {
    json!({"additionalProperties": {"not": schema}})
}

#[test]
fn names_that_wishes_need_are_kept() {
    let names = json!({"enum": ["a", "b", "c"]});
    let (ab, bc, c) = (some_of(json!(["a", "b"])), some_of(json!(["b", "c"])), some_of(json!(["c"])));
    check(&json!({"type": "object", "not": {"anyOf": [ab, bc]}, "maxProperties": 2}), true);
    check(&json!({"type": "object", "not": {"anyOf": [ab, bc]}, "maxProperties": 1}), true);
    check(
        &json!({"type": "object", "not": {"anyOf": [ab, bc, c]}, "propertyNames": names, "maxProperties": 2}),
        true,
    );
    check(&json!({"type": "object", "not": c, "propertyNames": names, "minProperties": 3}), true);
    check(
        &json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"],
        "additionalProperties": {"type": ["string", "null"]}, "not": {"anyOf": [ab, bc, c]}, "maxProperties": 3}),
        true,
    );
    check(
        &json!({"type": "object", "maxProperties": 2, "propertyNames": names, "not": {"anyOf": [
        {"patternProperties": {"^[ab]$": {"not": {"type": "integer"}}}},
        {"patternProperties": {"^[bc]$": {"not": {"type": "string"}}}}]}}),
        true,
    );
    check(
        &json!({"anyOf": [
        {"type": "object", "properties": {"a": {}, "q": false}, "not": ab, "maxProperties": 1},
        {"type": "object", "propertyNames": {"enum": ["b", "c"]}, "maxProperties": 2, "not": {"anyOf": [c, bc]}}]}),
        true,
    );
}

#[test]
fn values_that_wishes_need_have_names_of_their_own() {
    let (number, text, null) =
        (json!({"type": "integer"}), json!({"type": "string"}), json!({"type": "null"}));
    let two = json!({"anyOf": [some_value(number.clone()), some_value(text.clone())]});
    let three = json!({"anyOf": [some_value(number), some_value(text), some_value(null)]});
    check(&json!({"type": "object", "propertyNames": {"enum": ["a", "b"]}, "not": two}), true);
    check(
        &json!({"type": "object", "propertyNames": {"enum": ["a", "b", "c"]}, "minProperties": 3, "not": two}),
        true,
    );
    check(&json!({"type": "object", "propertyNames": {"enum": ["a", "b", "c"]}, "not": three}), true);
    check(&json!({"type": "object", "propertyNames": {"enum": ["a"]}, "not": two}), false);
    check(&json!({"type": "object", "propertyNames": {"enum": ["a", "b"]}, "not": three}), false);
    check(&json!({"type": "object", "maxProperties": 2, "not": three}), false);
}

#[test]
fn names_that_grant_wishes_are_counted_once() {
    let a = some_of(json!(["a"]));
    check(
        &json!({"type": "object", "propertyNames": {"enum": ["a", "c"]}, "not": a, "minProperties": 2}),
        true,
    );
    check(
        &json!({"type": "object", "propertyNames": {"enum": ["a", "c"]}, "not": a, "minProperties": 3}),
        false,
    );
}
