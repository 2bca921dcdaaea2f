//! Schemas of all keywords, and small values that meet them, drawn from the fuzzer's bytes.

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

/// How deep schemas and values nest.
const DEPTH: usize = 4;

const NAMES: [&str; 5] = ["a", "b", "ab", "x1", "é\"\\"];
const TEXTS: [&str; 9] = ["", "a", "b", "ab", "aab", "é", "x1", "2024-02-29", "\u{1f600}\n"];
const PATTERNS: [&str; 11] =
    ["^a", "b$", "^a+b$", "^x\\d$", "a", "^.$", "^(a|b)$", "[^a]", "^(a|aa)*b$", "^(?!ab)", "\\S"];
const FORMATS: [&str; 8] = ["date", "time", "date-time", "ipv4", "uuid", "email", "duration", "json-pointer"];
const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];
/// Keywords, the scalar ones first.
const KEYWORDS: [&str; 42] = [
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "required",
    "minContains",
    "maxContains",
    "uniqueItems",
    "dependentRequired",
    "$ref",
    "properties",
    "patternProperties",
    "additionalProperties",
    "items",
    "prefixItems",
    "anyOf",
    "allOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "dependentSchemas",
    "unevaluatedProperties",
    "unevaluatedItems",
    "properties",
    "properties",
    "type",
];
const SCALAR: usize = 22;

/// A schema with two definitions, which may refer to each other.
pub(crate) fn document(bytes: &mut Unstructured<'_>) -> Result<Value> {
    let root = schema(bytes, DEPTH)?;
    Ok(json!({"allOf": [root], "$defs": {"a": schema(bytes, 2)?, "b": schema(bytes, 2)?}}))
}

fn schema(bytes: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    if bytes.ratio(1, 12)? {
        return Ok(Value::from(bytes.ratio(3, 4)?));
    }
    let mut keywords = Map::new();
    for _ in 0..bytes.int_in_range(1..=4)? {
        let count = if depth == 0 { SCALAR } else { KEYWORDS.len() };
        let name = KEYWORDS[bytes.choose_index(count)?];
        keywords.insert(name.to_owned(), keyword(name, bytes, depth)?);
    }
    Ok(keywords.into())
}

fn keyword(name: &str, bytes: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    Ok(match name {
        "type" => types(bytes)?,
        "enum" => list(bytes, |bytes| value(bytes, 2))?,
        "const" => value(bytes, 2)?,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => number(bytes)?,
        "multipleOf" => bytes.choose(&[json!(0.25), json!(0.5), json!(1), json!(2), json!(3)])?.clone(),
        "pattern" => text(bytes, &PATTERNS)?,
        "format" => text(bytes, &FORMATS)?,
        "required" => required(bytes)?,
        "uniqueItems" => bytes.ratio(3, 4)?.into(),
        "dependentRequired" => json!({ *bytes.choose(&NAMES)?: [*bytes.choose(&NAMES)?] }),
        "$ref" => text(bytes, &["#/$defs/a", "#/$defs/b", "#"])?,
        "properties" | "dependentSchemas" => named(bytes, &NAMES, depth)?,
        "patternProperties" => named(bytes, &PATTERNS, depth)?,
        "prefixItems" | "anyOf" | "allOf" | "oneOf" => list(bytes, |bytes| schema(bytes, depth - 1))?,
        // Bounds of lengths, counts and sizes.
        _ if name.starts_with("min") || name.starts_with("max") => bytes.int_in_range(0_u8..=4)?.into(),
        _ => schema(bytes, depth - 1)?,
    })
}

fn types(bytes: &mut Unstructured<'_>) -> Result<Value> {
    if bytes.ratio(3, 4)? {
        return text(bytes, &TYPES);
    }
    let mut some = Vec::new();
    for name in TYPES {
        if bytes.ratio(2, 5)? {
            some.push(Value::from(name));
        }
    }
    Ok(if some.is_empty() { json!("null") } else { some.into() })
}

fn required(bytes: &mut Unstructured<'_>) -> Result<Value> {
    let mut names = Vec::new();
    for name in NAMES {
        if bytes.ratio(1, 4)? {
            names.push(Value::from(name));
        }
    }
    Ok(names.into())
}

fn named(bytes: &mut Unstructured<'_>, names: &[&str], depth: usize) -> Result<Value> {
    let mut members = Map::new();
    for _ in 0..bytes.int_in_range(0..=2)? {
        members.insert((*bytes.choose(names)?).to_owned(), schema(bytes, depth - 1)?);
    }
    Ok(members.into())
}

fn list(
    bytes: &mut Unstructured<'_>,
    mut item: impl FnMut(&mut Unstructured<'_>) -> Result<Value>,
) -> Result<Value> {
    let count = bytes.int_in_range(1..=3)?;
    (0..count).map(|_| item(bytes)).collect::<Result<Vec<_>>>().map(Value::from)
}

fn text(bytes: &mut Unstructured<'_>, choices: &[&str]) -> Result<Value> {
    Ok(Value::from(*bytes.choose(choices)?))
}

fn number(bytes: &mut Unstructured<'_>) -> Result<Value> {
    let numbers = [
        json!(-2),
        json!(-1),
        json!(0),
        json!(0.5),
        json!(1),
        json!(1.5),
        json!(2),
        json!(2.25),
        json!(100),
        json!(1e2),
    ];
    Ok(bytes.choose(&numbers)?.clone())
}

/// A small value over few names and texts.
pub(crate) fn value(bytes: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    let kinds = if depth == 0 { 4 } else { 6 };
    Ok(match bytes.choose_index(kinds)? {
        0 => Value::Null,
        1 => bytes.ratio(1, 2)?.into(),
        2 => number(bytes)?,
        3 => text(bytes, &TEXTS)?,
        4 if bytes.ratio(1, 4)? => json!([]),
        4 => list(bytes, |bytes| value(bytes, depth - 1))?,
        _ => {
            let mut members = Map::new();
            for _ in 0..bytes.int_in_range(0..=3)? {
                members.insert((*bytes.choose(&NAMES)?).to_owned(), value(bytes, depth - 1)?);
            }
            members.into()
        }
    })
}
