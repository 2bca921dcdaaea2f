//! Schemas whose alternatives multiply, or would.

use serde_json::{Map, Value, json};

use super::recipes::{Case, case, many, members, scattered};

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn combinations() -> Vec<Case> {
    let object = |i: usize| json!({"type": "object", "properties": {format!("p{i}"): {"type": "string"}, format!("p{}", i + 1): {"type": "integer"}}, "required": [format!("p{i}")]});
    let either =
        |i: usize| json!({"anyOf": [{"required": [format!("a{i}")]}, {"required": [format!("b{i}")]}]});
    vec![
        case("one of 64 objects that overlap", json!({"oneOf": many(64, object)}), "alternatives"),
        case("one of 12 objects that overlap", json!({"oneOf": many(12, object)}), "compiled"),
        case(
            "20,000 members of which one may fail instead of any other",
            json!({"properties": members(20_000, |_| json!({"type": "string"})), "not": {"additionalProperties": {"type": "string"}}}),
            "alternatives",
        ),
        case(
            "one of 64 objects told apart by a name",
            json!({"oneOf": many(64, |i| json!({"type": "object", "properties": {"kind": {"const": format!("k{i}")}, "v": {"type": "integer"}}, "required": ["kind"]}))}),
            "compiled",
        ),
        case(
            "one of 1,000 objects told apart by a name",
            json!({"oneOf": many(1_000, |i| json!({"type": "object", "properties": {"kind": {"const": format!("k{i}")}}, "required": ["kind"]}))}),
            "compiled",
        ),
        case(
            "one of 10,000 objects told apart by a name",
            json!({"oneOf": many(10_000, |i| json!({"type": "object", "properties": {"kind": {"const": format!("k{i}")}}, "required": ["kind"]}))}),
            "schema_nodes",
        ),
        case(
            "one of 3,000 objects with names of one list",
            {
                let tag = json!({"enum": many(64, |i| json!(format!("k{i}")))});
                let kinds = members(8, |_| json!({"$ref": "#/$defs/tag"}));
                let names = kinds.as_object().expect("members").keys().collect::<Vec<_>>();
                let kind = json!({"type": "object", "properties": kinds, "required": names});
                json!({"$defs": {"tag": tag}, "oneOf": many(3_000, |_| kind.clone())})
            },
            "unsatisfiable",
        ),
        case(
            "one of 12,000 constants",
            json!({"oneOf": many(12_000, |i| json!({"const": format!("c{i}"), "title": "a title"}))}),
            "compiled",
        ),
        case(
            "one of 3,000 constants or as many objects",
            json!({"oneOf": many(6_000, |i| if i % 2 == 0 { json!({"const": i}) } else { json!({"type": "object", "required": [i.to_string()]}) })}),
            "schema_nodes",
        ),
        case(
            "one of 13,000 equal schemas",
            json!({"oneOf": many(13_000, |_| json!({"minimum": 1}))}),
            "unsatisfiable",
        ),
        case(
            "40,000 elements to be contained",
            json!({"allOf": many(40_000, |i| json!({"contains": {"const": i}}))}),
            "schema_nodes",
        ),
        case(
            "nothing, with 60,000 keywords that nobody knows",
            {
                let mut schema = members(60_000, Value::from);
                schema["type"] = json!("string");
                schema["const"] = json!(1);
                schema
            },
            "unsatisfiable",
        ),
        case("any of 64 objects that overlap", json!({"anyOf": many(64, object)}), "compiled"),
        case(
            "any of 20,000",
            json!({"anyOf": many(20_000, |i| json!({"required": [i.to_string()]}))}),
            "schema_nodes",
        ),
        case(
            "all of 20,000",
            json!({"allOf": many(20_000, |i| json!({"properties": {"a": {"minimum": i}}}))}),
            "schema_nodes",
        ),
        case("2^64 branches", json!({"type": "object", "allOf": many(64, either)}), "alternatives"),
        case("2^10 branches", json!({"type": "object", "allOf": many(10, either)}), "compiled"),
        case("2^12 branches", json!({"type": "object", "allOf": many(12, either)}), "compiled"),
        case(
            "any of 400 names",
            json!({"type": "object", "anyOf": many(400, |i| json!({"required": [format!("p{i}")]}))}),
            "compiled",
        ),
        case(
            "none of 200 objects",
            json!({"type": "object", "not": {"anyOf": many(200, object)}}),
            "alternatives",
        ),
        case(
            "none of 2,000 constants",
            json!({"not": {"enum": many(2_000, |i| json!([i]))}}),
            "schema_nodes",
        ),
        case(
            "40 conditions in a row",
            json!({"type": "object", "allOf": many(40, |i| json!({"if": {"properties": {"k": {"const": i}}, "required": ["k"]}, "then": {"required": [format!("r{i}")]}}))}),
            "compiled",
        ),
        case(
            "40 conditions on different names",
            json!({"type": "object", "allOf": many(40, |i| json!({"if": {"required": [format!("k{i}")]}, "then": {"required": [format!("r{i}")]}}))}),
            "alternatives",
        ),
        case(
            "100 dependents",
            json!({"type": "object", "dependentRequired": members(100, |i| json!([format!("m{}", (i * 37 + 1) % 100)]))}),
            "alternatives",
        ),
        case(
            "50 dependent schemas",
            json!({"type": "object", "dependentSchemas": members(50, |i| json!({"properties": {format!("m{}", (i * 7 + 1) % 50): {"minimum": i}}}))}),
            "schema_nodes",
        ),
        case(
            "30 kinds to contain",
            json!({"type": "array", "allOf": many(30, |i| json!({"contains": {"const": i}}))}),
            "counts",
        ),
        case(
            "60 members to wish for",
            json!({"type": "object", "not": {"anyOf": many(60, |i| json!({"patternProperties": {format!("^{i}"): {"type": "null"}}}))}}),
            "counts",
        ),
        case(
            "60 patterns of names that overlap",
            json!({"type": "object", "patternProperties": (0..60).map(|i| (format!("a.*{}", char::from(b'A' + i)), json!({"minimum": i}))).collect::<Map<_, _>>(), "additionalProperties": false}),
            "invalid",
        ),
        case(
            "200 long divisors",
            json!({"allOf": many(200, |i| json!({"multipleOf": 1_000_003 + 2 * scattered(i) % 1_000_000}))}),
            "dfa_states",
        ),
        case(
            "any of 1,000 divisors",
            json!({"anyOf": many(1_000, |i| json!({"type": "integer", "multipleOf": 10_001 + 2 * i}))}),
            "dfa_states",
        ),
        case(
            "any of 1,000 divisors with a factor of ten",
            json!({"anyOf": many(1_000, |i| json!({"type": "integer", "multipleOf": 90_002 + 4 * i}))}),
            "dfa_states",
        ),
        case("a divisor of a million", json!({"type": "integer", "multipleOf": 999_983}), "dfa_states"),
        case(
            "a divisor of ten thousand within bounds",
            json!({"type": "integer", "minimum": -123_456_789, "maximum": 987_654_321, "multipleOf": 9_973}),
            "dfa_states",
        ),
        case(
            "not a multiple of ten thousand",
            json!({"type": "integer", "not": {"multipleOf": 9_973}}),
            "compiled",
        ),
        case(
            "distinct objects",
            json!({"type": "array", "uniqueItems": true, "minItems": 50, "items": {"type": "object", "properties": members(4, |_| json!({"enum": [1, 2, 3]})), "required": ["m0", "m1", "m2", "m3"], "additionalProperties": false}}),
            "compiled",
        ),
        case(
            "5,000 distinct integers",
            json!({"type": "array", "uniqueItems": true, "minItems": 5_000, "items": {"type": "integer", "minimum": 1, "maximum": 5_000}}),
            "counter_states",
        ),
        case(
            "256 distinct letters",
            json!({"type": "array", "uniqueItems": true, "minItems": 256, "items": {"type": "string", "pattern": "^[\\u0000-\\u00ff]$"}}),
            "compiled",
        ),
        case(
            "256 distinct bytes",
            json!({"type": "array", "uniqueItems": true, "minItems": 256, "items": {"type": "integer", "minimum": 0, "maximum": 255}}),
            "compiled",
        ),
        case(
            "300 distinct integers",
            json!({"type": "array", "uniqueItems": true, "minItems": 300, "items": {"type": "integer", "minimum": 1, "maximum": 300}}),
            "compiled",
        ),
        case(
            "distinct arrays of one value",
            json!({"type": "array", "uniqueItems": true, "items": {"type": "array", "items": {"const": 1}, "maxItems": u32::MAX}}),
            "compiled",
        ),
        case("distinct objects with one of many members", distinct_objects(0, 1), "compiled"),
        case("distinct objects without one of many members", distinct_objects(1_999, 2_000), "compiled"),
        case("distinct objects with some of many members", distinct_objects(1, 1_999), "compiled"),
        case(
            "distinct arrays that count to a thousand",
            json!({"type": "array", "uniqueItems": true, "items": {"$ref": "#/$defs/a"}, "$defs": {
                "a": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/a"}, {"enum": [1, 2]}]}, "contains": {"const": 1}, "minContains": 500, "maxContains": 900, "maxItems": 1_000}}}),
            "compiled",
        ),
    ]
}

/// Distinct objects of 2,000 members, and arrays in arrays beside them, so that values are counted again and
/// again.
fn distinct_objects(least: u32, most: u32) -> Value {
    let object = json!({"type": "object", "properties": members(2_000, |_| json!({"const": 1})), "additionalProperties": false,
        "minProperties": least, "maxProperties": most});
    let nested = json!({"type": "array", "items": {"$ref": "#/$defs/a"}, "maxItems": 1});
    json!({"type": "array", "uniqueItems": true, "items": {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/o"}]}, "$defs": {"a": nested, "o": object}})
}
