//! Schemas that nobody wrote: real ones with parts of others in them.
//!
//! A few places of a schema are joined with parts of itself, of another one or with short ones that matter
//! anywhere, negated, or given one more keyword. Its instances are then valid about as often as not.

use serde_json::{Map, Value, json};

use super::Random;

/// Longer parts are not grafted.
const PART_BYTES: usize = 3_000;

/// Formats that every draft has asserted. Ours asserts all it knows whatever the draft, and the oracle those
/// of the draft.
const OLD_FORMATS: [&str; 6] = ["date-time", "email", "hostname", "ipv4", "ipv6", "uri"];

/// A schema with some places changed.
pub(crate) fn grafted(schema: &Value, donor: &Value, random: &mut Random) -> Value {
    let mut schema = schema.clone();
    for _ in 0..=random.below(4) {
        graft(&mut schema, donor, random);
    }
    if schema["$schema"].as_str().is_some_and(|draft| draft.contains("draft-0")) {
        remove_new_formats(&mut schema);
    }
    schema
}

fn remove_new_formats(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            let is_new = |format: &Value| format.as_str().is_some_and(|name| !OLD_FORMATS.contains(&name));
            if members.get("format").is_some_and(is_new) {
                members.shift_remove("format");
            }
            members.values_mut().for_each(remove_new_formats);
        }
        Value::Array(elements) => elements.iter_mut().for_each(remove_new_formats),
        _ => {}
    }
}

/// Changes one place of a schema.
fn graft(schema: &mut Value, donor: &Value, random: &mut Random) {
    let places = places(schema);
    // Of three the one that is nearest to the root: deep ones change little.
    let drawn = [(); 3].map(|()| &places[random.below(places.len())]);
    let place = drawn.into_iter().min_by_key(|place| place.matches('/').count()).expect("three").clone();
    let [one, other] = [(); 2].map(|()| scion(schema, donor, random));
    let target = schema.pointer_mut(&place).expect("a place of it");
    match (target, random.below(3)) {
        (Value::Object(keywords), 0) => change_keyword(keywords, one, random),
        // The document's own keywords stay where they are.
        (Value::Object(keywords), _) if place.is_empty() => keywords.extend(beside(one, other, random)),
        (target, _) if !names_itself(target) => *target = around(target.take(), one, other, random),
        _ => {}
    }
}

/// The places of all schemas in a schema, as JSON pointers.
fn places(schema: &Value) -> Vec<String> {
    const BY_NAME: [&str; 5] =
        ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
    const LISTS: [&str; 5] = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
    const ONE: [&str; 11] = [
        "items",
        "additionalItems",
        "additionalProperties",
        "not",
        "if",
        "then",
        "else",
        "contains",
        "propertyNames",
        "unevaluatedProperties",
        "unevaluatedItems",
    ];
    let mut found = vec![String::new()];
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        let inner: Vec<(String, &Value)> = match value {
            Value::Object(schemas) if BY_NAME.contains(&&**keyword) => schemas
                .iter()
                .map(|(name, schema)| (format!("{keyword}/{}", escaped(name)), schema))
                .collect(),
            Value::Array(schemas) if LISTS.contains(&&**keyword) => (0..)
                .zip(schemas)
                .map(|(at, schema): (usize, _)| (format!("{keyword}/{at}"), schema))
                .collect(),
            Value::Object(_) | Value::Bool(_) if ONE.contains(&&**keyword) => vec![(keyword.clone(), value)],
            _ => Vec::new(),
        };
        for (at, schema) in inner.into_iter().filter(|(_, schema)| schema.is_object() || schema.is_boolean())
        {
            found.extend(places(schema).into_iter().map(|below| format!("/{at}{below}")));
        }
    }
    found
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// A schema that is grafted onto another: a part of it, of the donor, or a short one.
fn scion(schema: &Value, donor: &Value, random: &mut Random) -> Value {
    let part = match random.below(4) {
        0 => Some(part(schema, random)),
        1 => Some(part(donor, random)).filter(|part| !refers(part)),
        _ => None,
    };
    let short = short();
    let fits = |part: &&Value| part.to_string().len() < PART_BYTES && !names_itself(part);
    part.filter(fits).unwrap_or(&short[random.below(short.len())]).clone()
}

fn part<'s>(schema: &'s Value, random: &mut Random) -> &'s Value {
    let places = places(schema);
    schema.pointer(&places[random.below(places.len())]).expect("a place of it")
}

/// Whether a part has a name of its own, or says how it is to be read.
fn names_itself(part: &Value) -> bool {
    let text = part.to_string();
    ["\"$id\":", "\"id\":\"", "\"$schema\":", "\"$anchor\":", "\"$dynamicAnchor\":"]
        .iter()
        .any(|key| text.contains(key))
}

/// Whether a part refers to what is elsewhere.
fn refers(part: &Value) -> bool {
    part.to_string().contains("Ref\":") || part.to_string().contains("\"$ref\":")
}

/// Adds a keyword, takes one away, or takes one over.
fn change_keyword(keywords: &mut Map<String, Value>, scion: Value, random: &mut Random) {
    const KEPT: [&str; 6] = ["$ref", "$schema", "$id", "id", "$defs", "definitions"];
    let any = |names: Vec<String>, random: &mut Random| match names.len() {
        0 => None,
        some => Some(names[random.below(some)].clone()),
    };
    match random.below(4) {
        0 => {
            let names = keywords.keys().filter(|name| !KEPT.contains(&&***name)).cloned().collect();
            any(names, random).map(|name| keywords.shift_remove(&name));
        }
        1 => {
            let given = scion.as_object().cloned().unwrap_or_default();
            let names = given.keys().filter(|name| !KEPT.contains(&&***name)).cloned().collect();
            any(names, random).map(|name| keywords.insert(name.clone(), given[&name].clone()));
        }
        _ => keywords.extend(keyword(random)),
    }
}

/// What two schemas say, as keywords beside others.
fn beside(one: Value, other: Value, random: &mut Random) -> Map<String, Value> {
    let said = match random.below(6) {
        0 => json!({"allOf": [one]}),
        1 => json!({"not": one}),
        2 => json!({"anyOf": [one, other]}),
        3 => json!({"oneOf": [one, other]}),
        4 => json!({"if": one, "then": other}),
        _ => json!({"allOf": [one, {"not": other}]}),
    };
    said.as_object().expect("an object").clone()
}

/// A schema with what two others say.
fn around(schema: Value, one: Value, other: Value, random: &mut Random) -> Value {
    match random.below(8) {
        0 => json!({"allOf": [schema, one]}),
        1 => json!({"not": schema}),
        2 => json!({"anyOf": [schema, one]}),
        3 => json!({"oneOf": [schema, one]}),
        4 => json!({"allOf": [schema, {"not": one}]}),
        5 => json!({"if": one, "then": schema, "else": other}),
        6 => json!({"oneOf": [schema, one, other]}),
        _ => one,
    }
}

/// Short schemas of which many an instance meets some.
fn short() -> Vec<Value> {
    let types =
        [json!("string"), json!("object"), json!("array"), json!("integer"), json!(["number", "null"])];
    let mut schemas: Vec<Value> = types.into_iter().map(|types| json!({"type": types})).collect();
    schemas.extend([
        json!(true),
        json!(false),
        json!({"enum": ["a", 1, null, true, "b"]}),
        json!({"required": ["id", "type"]}),
        json!({"properties": {"name": {"type": "string", "minLength": 1}}}),
        json!({"properties": {"type": {"enum": ["a", "b"]}}, "required": ["type"]}),
        json!({"additionalProperties": {"type": "string"}}),
        json!({"propertyNames": {"pattern": "^[a-z_]*$"}}),
        json!({"patternProperties": {"^[a-m]": {"type": ["string", "object"]}}}),
        json!({"items": {"type": "string"}}),
        json!({"contains": {"type": "string"}}),
        json!({"not": {"type": "string"}}),
        json!({"not": {"required": ["name"]}}),
        json!({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "object", "required": ["id"]}, {"type": "array"}]}),
        json!({"if": {"type": "string"}, "then": {"minLength": 3}, "else": {"not": {"const": 0}}}),
        json!({"dependencies": {"name": ["id"]}}),
    ]);
    schemas.extend((0..).map_while(keyword_at).map(|(name, value)| json!({name: value})));
    schemas
}

/// One more keyword for any schema.
fn keyword(random: &mut Random) -> Option<(String, Value)> {
    let count = (0..).map_while(keyword_at).count();
    keyword_at(random.below(count)).map(|(name, value)| (name.to_owned(), value))
}

fn keyword_at(at: usize) -> Option<(&'static str, Value)> {
    let keywords = [
        ("additionalProperties", json!(false)),
        ("additionalProperties", json!({"type": "integer"})),
        ("unevaluatedProperties", json!(false)),
        ("minProperties", json!(2)),
        ("maxProperties", json!(3)),
        ("required", json!(["name"])),
        ("propertyNames", json!({"maxLength": 6})),
        ("patternProperties", json!({"^x-": {}})),
        ("uniqueItems", json!(true)),
        ("minItems", json!(1)),
        ("maxItems", json!(2)),
        ("items", json!({"type": ["string", "object"]})),
        ("contains", json!({"type": "object"})),
        ("minLength", json!(3)),
        ("maxLength", json!(8)),
        ("pattern", json!("^[A-Za-z]")),
        ("format", json!("uri")),
        ("minimum", json!(3)),
        ("exclusiveMaximum", json!(10)),
        ("multipleOf", json!(5)),
        ("const", json!({"a": 1})),
        ("not", json!({"required": ["id"]})),
        ("type", json!(["object", "array"])),
        ("type", json!(["string", "number", "boolean"])),
    ];
    keywords.into_iter().nth(at)
}
