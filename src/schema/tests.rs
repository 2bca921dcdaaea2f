//! Schemas, and which values they allow.

mod corpus;
mod counted;
mod hostile;
mod places;

use std::iter;

use serde_json::{Map, Value, json};

use super::{Schema, SchemaError, SchemaErrorKind, SchemaOptions, Status};
use crate::limits::Limits;

fn read(document: &Value) -> Result<Schema, SchemaError> {
    Schema::read(document, &SchemaOptions::default(), &Limits::default())
}

fn schema(document: &Value) -> Schema {
    read(document).unwrap_or_else(|error| panic!("{document}: {error}"))
}

/// The schema allows and refuses these values.
#[track_caller]
fn check(document: &Value, allowed: &[Value], refused: &[Value]) {
    let schema = schema(document);
    for value in allowed {
        assert!(schema.admits(value), "{document} must allow {value}");
    }
    for value in refused {
        assert!(!schema.admits(value), "{document} must refuse {value}");
    }
}

/// The schema is refused with this kind, pointer and keyword.
#[track_caller]
fn check_error(document: &Value, kind: SchemaErrorKind, pointer: &str, keyword: &str) {
    let error = read(document).expect_err("an error");
    let found = (error.kind(), error.pointer(), error.keyword().unwrap_or(""));
    assert_eq!(found, (kind, pointer, keyword), "{document}: {error}");
}

/// Where no keyword alone is to blame, none is named.
#[test]
fn contradictions_of_several_keywords_are_said() {
    let document = json!({"type": "array", "contains": {"type": "string"}, "items": {"type": "integer"}});
    let error = read(&document).expect_err("no array has such an element");
    assert!(error.to_string().ends_with("no value satisfies all keywords at once"), "{error}");
}

/// The length of a shortest text.
#[track_caller]
fn check_len(document: &Value, shortest: &Value) {
    let schema = schema(document);
    assert!(schema.admits(shortest), "{document} must allow {shortest}");
    assert_eq!(schema.least_len(schema.root()) as usize, shortest.to_string().len(), "{document}");
}

#[test]
fn types() {
    check(&json!(true), &[json!(null), json!([1, {"a": "b"}])], &[]);
    check(&json!({"type": "null"}), &[json!(null)], &[json!(false), json!(0)]);
    check(&json!({"type": "integer"}), &[json!(3), json!(3.0), json!(1e3)], &[json!(3.5), json!("3")]);
    check(&json!({"type": ["string", "boolean"]}), &[json!("a"), json!(true)], &[json!(null), json!({})]);
    // OpenAPI's keyword is no keyword of JSON Schema, where it says nothing.
    check(&json!({"type": "string", "nullable": true}), &[json!("a")], &[json!(null), json!(1)]);
}

#[test]
fn schemas_that_say_only_a_type_share_their_values() {
    let old = json!({"$id": "https://example.com/old", "$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"});
    let properties = json!({
        "a": {"type": "string"}, "b": {"type": "string", "description": "the same"}, "c": {"type": "string", "minLength": 1},
        "d": {"type": "integer"}, "e": old
    });
    let schema = schema(&json!({"type": "object", "properties": properties}));
    let objects = &schema.values(schema.root()).objects[0];
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|member: usize| objects.members[member].schema);
    assert!(std::ptr::eq(schema.values(a), schema.values(b)));
    assert_eq!([a, b].map(|node| schema.place(node)), ["/properties/a", "/properties/b"]);
    assert_ne!(schema.values(b), schema.values(c));
    // In draft 4 an integer is written with digits only.
    assert_ne!(schema.values(d), schema.values(e));
}

#[test]
fn numbers() {
    check(&json!({"minimum": 0.1}), &[json!(0.1), json!(7), json!("text")], &[json!(0.09), json!(-7)]);
    check(
        &json!({"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 3}),
        &[json!(2)],
        &[json!(1), json!(3), json!(2.5)],
    );
    check(&json!({"multipleOf": 0.01}), &[json!(0.07), json!(4.35)], &[json!(0.075)]);
    let draft4 =
        json!({"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": true});
    check(&draft4, &[json!(1.1)], &[json!(1)]);
    check(
        &json!({"allOf": [{"multipleOf": 4}, {"multipleOf": 6}]}),
        &[json!(12), json!(0)],
        &[json!(4), json!(6)],
    );
}

#[test]
fn strings() {
    check(
        &json!({"minLength": 2, "maxLength": 3}),
        &[json!("éé"), json!("abc"), json!(1)],
        &[json!("a"), json!("abcd")],
    );
}

#[test]
fn patterns() {
    check(&json!({"pattern": "^a+$", "minLength": 2}), &[json!("aa"), json!(1)], &[json!("a"), json!("ab")]);
    check(&json!({"format": "date"}), &[json!("2024-02-29")], &[json!("2023-02-29")]);
    check(&json!({"pattern": "a", "enum": ["a", "b"]}), &[json!("a")], &[json!("b"), json!("aa")]);
    let too_long = json!({"type": "string", "pattern": "^abc", "maxLength": 2});
    check_error(&too_long, SchemaErrorKind::Unsatisfiable, "", "maxLength");
    check_error(&json!({"pattern": "("}), SchemaErrorKind::Invalid, "", "pattern");
    check_len(&json!({"type": "string", "pattern": "b$", "minLength": 3}), &json!("aab"));
}

#[test]
fn names() {
    let document = json!({
        "properties": {"ab": {"maximum": 9}},
        "patternProperties": {"^a": {"type": "integer"}, "b$": {"minimum": 5}},
        "additionalProperties": false,
    });
    check(
        &document,
        &[json!({"a": 1, "b": "x", "ab": 7})],
        &[json!({"c": 1}), json!({"a": "x"}), json!({"ab": 4}), json!({"ab": 10}), json!({"aab": 4})],
    );
    let open =
        json!({"patternProperties": {"^x": {"type": "null"}}, "additionalProperties": {"type": "string"}});
    check(&open, &[json!({"x": null, "y": "z"})], &[json!({"x": "z"}), json!({"y": null})]);
    let finite = |count: u32| {
        json!({
            "type": "object",
            "minProperties": count,
            "patternProperties": {"^(a|bc)$": {"type": "null"}},
            "additionalProperties": false,
        })
    };
    check(&finite(2), &[json!({"a": null, "bc": null})], &[json!({"a": null})]);
    check_len(&finite(1), &json!({"a": null}));
    check_error(&finite(3), SchemaErrorKind::Unsatisfiable, "", "");
}

#[test]
fn enumerations() {
    let values = json!([null, true, 1, 1.5, "a", "b", [1, {"x": 2}], {"y": [], "z": null}]);
    check(
        &json!({"enum": values}),
        &values.as_array().expect("a list").clone(),
        &[
            json!(false),
            json!(2),
            json!("c"),
            json!([]),
            json!([1]),
            json!({"y": []}),
            json!({"y": [], "z": null, "x": 1}),
        ],
    );
    check(&json!({"type": "string", "enum": ["a", 1]}), &[json!("a")], &[json!(1)]);
    check(&json!({"enum": ["a", "bb"], "minLength": 2}), &[json!("bb")], &[json!("a")]);
    check(&json!({"const": {"a": [1]}}), &[json!({"a": [1.0]})], &[json!({"a": [2]}), json!({"a": []})]);
    let narrowed = json!({"enum": [{"a": 1}, {"a": 2}], "properties": {"a": {"minimum": 2}}});
    check(&narrowed, &[json!({"a": 2})], &[json!({"a": 1})]);
}

#[test]
fn arrays() {
    check(
        &json!({"items": {"type": "integer"}, "minItems": 1}),
        &[json!([1]), json!({})],
        &[json!([]), json!(["a"])],
    );
    let tuple = json!({"prefixItems": [{"type": "null"}, {"type": "string"}], "items": false});
    check(&tuple, &[json!([]), json!([null]), json!([null, "a"])], &[json!([1]), json!([null, "a", 1])]);
    let old = json!({"items": [{"type": "null"}], "additionalItems": {"type": "string"}});
    check(&old, &[json!([null, "a"])], &[json!([null, 1])]);
    check(&json!({"prefixItems": [true, false]}), &[json!([1])], &[json!([1, 2])]);
    let zeros = |least: u32| json!({"type": "array", "uniqueItems": true, "contains": {"const": 0}, "minContains": least});
    check(&json!({"anyOf": [zeros(2), {"type": "string"}]}), &[json!("")], &[json!([0]), json!([0, 1])]);
    check(&json!({"anyOf": [zeros(1), {"type": "string"}]}), &[json!(""), json!([0, 1])], &[json!([1])]);
    check_error(&zeros(2), SchemaErrorKind::Unsatisfiable, "", "uniqueItems");
    let mut integers = zeros(1);
    (integers["items"], integers["minItems"]) = (json!({"type": "integer"}), json!(2));
    check(&integers, &[json!([0, 1]), json!([2, 0])], &[json!([0]), json!([1, 2]), json!([0, ""])]);
    (integers["items"], integers["minItems"]) = (json!({"enum": [0, 1]}), json!(3));
    check_error(&integers, SchemaErrorKind::Unsatisfiable, "", "uniqueItems");
    integers["prefixItems"] = json!([{"const": 2}]);
    check(&integers, &[json!([2, 0, 1])], &[json!([2, 0]), json!([2, 0, 1, 3])]);
}

#[test]
fn objects() {
    let document = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": false},
        "required": ["a", "c"],
        "additionalProperties": {"type": "integer"},
    });
    check(
        &document,
        &[json!({"a": "x", "c": 1}), json!({"a": "x", "c": 1, "d": 2})],
        &[json!({"a": "x"}), json!({"a": "x", "c": "y"}), json!({"a": "x", "c": 1, "b": 1})],
    );
    check(
        &json!({"minProperties": 1, "maxProperties": 2}),
        &[json!({"a": 1})],
        &[json!({}), json!({"a": 1, "b": 2, "c": 3})],
    );
}

#[test]
fn applicators() {
    let base = json!({"properties": {"kind": {"type": "string"}}, "required": ["kind"]});
    let document = json!({
        "$defs": {"base": base},
        "allOf": [{"$ref": "#/$defs/base"}, {"properties": {"size": {"type": "integer"}}}],
        "properties": {"kind": {"enum": ["a", "b", 1]}},
    });
    let schema = schema(&document);
    let names: Vec<_> =
        schema.values(schema.root()).objects[0].members.iter().map(|member| &*member.name).collect();
    assert_eq!(names, ["kind", "size"]);
    check(
        &document,
        &[json!({"kind": "a", "size": 1})],
        &[json!({}), json!({"kind": 1}), json!({"kind": "b", "size": "1"})],
    );
    let either = json!({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
    check(&either, &[json!({"a": 1}), json!({"b": 1})], &[json!({}), json!([])]);
}

#[test]
fn references() {
    let tree = json!({"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#"}}}, "required": ["children"]});
    check(&tree, &[json!({"children": [{"children": []}]})], &[json!({"children": [1]})]);
    let named = json!({
        "$id": "http://example.com/root.json",
        "$defs": {"a": {"$anchor": "here", "type": "null"}, "b": {"$id": "b.json", "$defs": {"c": {"type": "string"}}}},
        "prefixItems": [{"$ref": "#here"}, {"$ref": "b.json#/$defs/c"}, {"$ref": "root.json#/$defs/a"}, {"$ref": "#/%24defs/a"}],
    });
    check(&named, &[json!([null, "a", null, null])], &[json!([1]), json!([null, 1]), json!([null, "a", 1])]);
    let alone = json!({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {"type": "string"}},
        "properties": {"x": {"$ref": "#/definitions/a", "maxLength": 1}}});
    check(&alone, &[json!({"x": "long"})], &[json!({"x": 1})]);
    let together = json!({"$defs": {"a": {"type": "string"}}, "$ref": "#/$defs/a", "maxLength": 1});
    check(&together, &[json!("x")], &[json!("long"), json!(1)]);
    let meta = json!({"$ref": "http://json-schema.org/draft-04/schema#"});
    check(&meta, &[json!({"minimum": 1})], &[json!({"minimum": "1"}), json!({"exclusiveMinimum": true})]);
}

#[test]
fn formats_that_are_not_wholly_known() {
    let hostname = json!({"type": "string", "format": "hostname"});
    let punycode = json!("xn--4gbwdl.xn--wgbh1c");
    check(&hostname, &[json!("a.example")], &[json!("a b"), punycode.clone()]);
    let not = json!({"type": "string", "not": {"format": "hostname"}});
    check(&not, &[json!("a b")], &[json!("a.example"), punycode.clone()]);
    let twice = json!({"type": "string", "not": {"type": "string", "not": {"format": "hostname"}}});
    check(&twice, &[json!("a.example")], &[json!("a b"), punycode]);
}

#[test]
fn dialects() {
    let draft = |draft: &str, rest: Value| {
        let mut document = json!({"$schema": format!("http://json-schema.org/{draft}")});
        document.as_object_mut().expect("an object").extend(rest.as_object().expect("an object").clone());
        document
    };
    check(&draft("draft-04/schema", json!({"const": 1})), &[json!(2)], &[]);
    check(&draft("draft-06/schema#", json!({"const": 1})), &[json!(1)], &[json!(2)]);
    check(&draft("draft-07/schema#", json!({"prefixItems": [false]})), &[json!([1])], &[]);
    check(&draft("draft/2019-09/schema", json!({"items": [false]})), &[json!([])], &[json!([1])]);
    check(&draft("draft/2020-12/schema", json!({"prefixItems": [false]})), &[json!([])], &[json!([1])]);
    check(&draft("never-heard-of", json!({"const": 1})), &[json!(1)], &[json!(2)]);
}

#[test]
fn shortest_texts() {
    check_len(&json!(true), &json!(1));
    check_len(&json!({"type": ["boolean", "null"]}), &json!(true));
    check_len(&json!({"type": "string", "minLength": 3}), &json!("abc"));
    check_len(&json!({"enum": ["abc", "\n\""]}), &json!("abc"));
    check_len(&json!({"type": "array", "minItems": 3, "prefixItems": [{"const": "x"}]}), &json!(["x", 1, 1]));
    check_len(
        &json!({"type": "object", "properties": {"a": {"const": "x"}, "b": {}}, "required": ["a", "c"]}),
        &json!({"a": "x", "c": 1}),
    );
    check_len(
        &json!({"type": "object", "minProperties": 2, "properties": {"aa": {"const": 1}, "bbbb": {}}, "additionalProperties": false}),
        &json!({"aa": 1, "bbbb": 1}),
    );
    check_len(&json!({"type": "object", "minProperties": 1}), &json!({"": 1}));
    let list = json!({"anyOf": [{"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}, {"const": "the end"}]});
    check_len(&list, &json!("the end"));
}

/// Names that are no member's are counted by their lengths.
#[test]
fn shortest_texts_have_the_shortest_names() {
    let string = json!({"type": "string", "minLength": 5});
    let declaring = |name: &str, least: u32| json!({"type": "object", "minProperties": least, "properties": {name: string}});
    check_len(&declaring("b", 1), &json!({"": 1}));
    check_len(&declaring("", 1), &json!({"a": 1}));
    let characters = (' '..='\x7f').filter(|c| !matches!(c, '"' | '\\')).map(|c| (c.to_string(), json!(1)));
    let all_short = Value::Object(iter::once((String::new(), json!(1))).chain(characters).collect());
    check_len(&json!({"type": "object", "minProperties": 95}), &all_short);
    let mut one_longer = all_short;
    let members = one_longer.as_object_mut().expect("it is one");
    members.remove("b");
    members.insert("é".to_owned(), json!(1));
    check_len(&declaring("b", 95), &one_longer);
    let named = |pattern: &str, least: u32| json!({"type": "object", "propertyNames": {"pattern": pattern}, "properties": {"a": string}, "minProperties": least});
    check_len(&named("^a+$", 2), &json!({"aa": 1, "aaa": 1}));
    check_len(&named(r"^(\n\n\n|abcd|abcde)$", 1), &json!({"abcd": 1}));
    check_len(&named(r"^(\n\n|\x01|abcd|abcde)$", 3), &json!({"abcd": 1, "abcde": 1, "\n\n": 1}));
}

/// Objects that must have a member under some name, or with some value.
#[test]
fn shortest_texts_that_grant_wishes() {
    let some_of = |names: Value| json!({"propertyNames": {"not": {"enum": names}}});
    check_len(&json!({"type": "object", "not": some_of(json!(["abc", "d"]))}), &json!({"d": 1}));
    check_len(
        &json!({"type": "object", "not": {"anyOf": [some_of(json!(["aa"])), some_of(json!(["b", "cc"]))]}}),
        &json!({"aa": 1, "b": 1}),
    );
    let but = |kind: &str| json!({"additionalProperties": {"type": kind}});
    let neither = json!({"anyOf": [but("integer"), but("string")]});
    check_len(&json!({"type": "object", "not": neither}), &json!({"": []}));
    // Two short members, or a long one.
    let values = json!({"enum": [1, "", ["a text that is longer than a member"]]});
    let names = json!({"enum": ["a", "b"]});
    check_len(
        &json!({"type": "object", "not": neither, "additionalProperties": values, "propertyNames": names}),
        &json!({"a": 1, "b": ""}),
    );
    check_len(
        &json!({"type": "object", "not": neither, "additionalProperties": values, "propertyNames": {"enum": ["a"]}}),
        &json!({"a": ["a text that is longer than a member"]}),
    );
}

#[test]
fn impossible_parts_are_removed() {
    let node =
        json!({"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "required": ["next"]});
    let document = json!({"$defs": {"node": node}, "type": "object", "properties": {"a": {"$ref": "#/$defs/node"}, "b": true}});
    let schema = schema(&document);
    let objects = &schema.values(schema.root()).objects[0];
    assert_eq!(objects.members.len(), 1);
    assert_eq!(objects.forbidden, ["a".into()]);
    check(
        &json!({"type": "array", "items": {"type": "string", "enum": [1]}}),
        &[json!([])],
        &[json!([1]), json!(["a"])],
    );
}

#[test]
fn errors() {
    use SchemaErrorKind::{
        CircularReference, Invalid, NoBaseCase, UnknownReference, Unsatisfiable, Unsupported,
    };
    check_error(&json!(3), Invalid, "", "");
    check_error(&json!({"properties": {"a": 1}}), Invalid, "", "properties");
    check_error(&json!({"contains": true, "minContains": 5_000_000_000_u64}), Unsupported, "", "minContains");
    check_error(
        &json!({"properties": {"a/b": {"minLength": "3"}}}),
        Invalid,
        "/properties/a~1b",
        "minLength",
    );
    check_error(&json!({"items": {"minItems": -1}}), Invalid, "/items", "minItems");
    check_error(&json!({"items": [true], "prefixItems": [false]}), Invalid, "", "items");
    check_error(&json!({"type": "strnig"}), Invalid, "", "type");
    check_error(&json!({"minimum": 1, "exclusiveMinimum": true}), Invalid, "", "exclusiveMinimum");
    let negated = json!({"not": {"propertyNames": {"format": "hostname"}}});
    check_error(&negated, Unsupported, "/not", "propertyNames");
    // Whether there are such objects is not known, so neither is whether there are others.
    let doubtful = json!({"type": "object", "required": ["(?<n>a)"], "propertyNames": {"format": "regex"}});
    check_error(&doubtful, Unsatisfiable, "", "propertyNames");
    check_error(&json!({ "not": doubtful }), Unsupported, "/not", "propertyNames");
    let either = json!({"oneOf": [{"type": "object"}, doubtful]});
    check_error(&either, Unsupported, "/oneOf/1", "propertyNames");
    check_error(&json!({"items": {"$ref": "#/$defs/a"}}), UnknownReference, "/items", "$ref");
    check_error(&json!({"$ref": "http://example.com/other.json"}), UnknownReference, "", "$ref");
    check_error(&json!({"$ref": "#"}), CircularReference, "", "");
    check_error(
        &json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "items": {"$ref": "#/$defs/a"}}),
        CircularReference,
        "/$defs/a",
        "",
    );
    check_error(&json!({"anyOf": [{"$ref": "#"}, true]}), CircularReference, "", "");
    for document in [
        json!({"$ref": "#", "unevaluatedProperties": false}),
        json!({"allOf": [{"$ref": "#"}], "unevaluatedItems": false}),
        json!({"anyOf": [{"type": "array"}, {"allOf": [{"$ref": "#"}]}], "unevaluatedItems": false}),
        json!({"if": {"$dynamicRef": "#"}, "unevaluatedProperties": false}),
    ] {
        check_error(&document, CircularReference, "", "");
    }
    let there_and_back = json!({
        "$defs": {"a": {"$ref": "#/$defs/b", "unevaluatedItems": false}, "b": {"$ref": "#/$defs/a", "minItems": 1}},
        "$ref": "#/$defs/a",
    });
    check_error(&there_and_back, CircularReference, "/$defs/a", "");
    check_error(&json!(false), Unsatisfiable, "", "");
    check_error(&json!({"enum": [1], "type": "string"}), Unsatisfiable, "", "enum");
    check_error(&json!({"type": "number", "minimum": 3, "maximum": 1}), Unsatisfiable, "", "maximum");
    check_error(
        &json!({"type": "object", "properties": {"a": false}, "required": ["a"]}),
        Unsatisfiable,
        "",
        "required",
    );
    check_error(
        &json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 1, "minLength": 2}}, "required": ["a"]}),
        Unsatisfiable,
        "/properties/a",
        "minLength",
    );
    check_error(
        &json!({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}),
        NoBaseCase,
        "",
        "",
    );
}

#[test]
fn coverage_lists_every_keyword() {
    let document =
        json!({"type": "object", "title": "t", "properties": {"a": {"x-order": 1, "minLength": 0}}});
    let covered: Vec<_> =
        schema(&document).coverage().map(|entry| (entry.pointer, entry.keyword, entry.status)).collect();
    let expected = [
        ("", "type", Status::Exact),
        ("", "title", Status::Annotation),
        ("", "properties", Status::Exact),
        ("/properties/a", "x-order", Status::Annotation),
        ("/properties/a", "minLength", Status::Exact),
    ];
    assert_eq!(
        covered,
        expected.map(|(pointer, keyword, status)| (pointer.to_owned(), keyword.to_owned(), status))
    );
}

#[test]
fn warnings_name_branches_that_overlap() {
    let check = |branches: Value, siblings: Value, expected: &[&str]| {
        let mut document = siblings;
        document["oneOf"] = branches;
        let document = json!({"properties": {"p": document}});
        let mut warnings = schema(&document).warnings().to_vec();
        warnings.retain(|warning| warning.contains("`oneOf`"));
        let named = |pair: &&str| warnings.iter().any(|warning| warning.contains(*pair));
        assert!(warnings.len() == expected.len() && expected.iter().all(named), "{document}: {warnings:?}");
    };
    let pair = ["both /properties/p/oneOf/0 and /properties/p/oneOf/1 is"];
    let any = || json!({});
    let kind =
        |kind: &str| json!({"properties": {"kind": {"const": kind}}, "required": ["kind"], "type": "object"});
    check(json!([{"type": "string"}, {"type": "integer"}, {"enum": [true, null]}]), any(), &[]);
    check(json!([{"type": "number"}, {"type": "integer"}]), any(), &pair);
    check(json!([{"type": "number", "maximum": 3}, {"type": "integer", "minimum": 4}]), any(), &[]);
    check(json!([{"type": "string"}, {"pattern": "^a", "type": "string"}]), any(), &pair);
    check(json!([{"type": "string", "maxLength": 2}, {"minLength": 3, "type": "string"}]), any(), &[]);
    check(json!([{"enum": ["a", 1]}, {"enum": ["b", "a"]}]), any(), &pair);
    check(json!([{"enum": [1, 2]}, {"const": 2}, {"type": "number"}]), any(), &pair);
    check(json!([{"type": "number"}, {"const": 2}, {"const": "a"}]), any(), &pair);
    check(json!([{"const": 1}, {"const": 1}, {"const": "a"}]), json!({"type": "string"}), &[]);
    check(json!([{"pattern": "^a"}, {"pattern": "^b"}]), json!({"type": "string"}), &[]);
    check(json!([kind("a"), kind("b"), {"type": "array"}]), any(), &[]);
    check(json!([kind("a"), kind("a"), {"type": "array"}]), any(), &pair);
    let either = || json!([{"required": ["a"]}, {"required": ["b"]}]);
    check(either(), json!({"type": "object"}), &pair);
    // What stands beside it keeps the branches apart.
    check(either(), json!({"type": "object", "maxProperties": 1}), &[]);
    check(json!([{"items": {"type": "string"}}, {"minItems": 2}]), json!({"type": "array"}), &pair);
}

#[test]
fn warnings_name_properties_that_never_occur() {
    let document = json!({
        "properties": {"a": {"enum": [1], "type": "string"}, "b": {"type": "string"}, "c": false},
        "anyOf": [{"type": "object"}, {"type": "array"}],
    });
    let warnings = schema(&document).warnings().join("\n");
    assert!(warnings.contains("/properties/a)") && warnings.lines().count() == 1, "{warnings}");
    // In a `not` a property is not meant to occur.
    let not =
        |longest: u32| json!({"not": {"properties": {"a": {"maxLength": longest}, "b": {"maxLength": 9}}}});
    let text = json!({"type": "string"});
    let document =
        json!({"properties": {"a": text, "b": text}, "required": ["a", "b"], "allOf": [not(4), not(1)]});
    assert_eq!(schema(&document).warnings(), [""; 0]);
}

#[test]
fn warnings_name_dialects_that_are_not_known() {
    let check = |document: Value, expected: &[&str]| {
        let schema = schema(&document);
        let warnings = schema.warnings();
        assert!(warnings.len() == expected.len(), "{document}: {warnings:?}");
        assert!(
            warnings.iter().zip(expected).all(|(warning, begins)| warning.starts_with(begins)),
            "{warnings:?}"
        );
    };
    let old = "http://json-schema.org/draft-03/schema#";
    let said = "/$schema names no dialect that is known, so the schema is read as draft";
    check(json!({"$schema": old, "type": "object"}), &[&format!("{said} 2020-12")]);
    check(json!({"$schema": "http://json-schema.org/draft-04/schema#"}), &[]);
    check(json!({"$schema": "https://json-schema.org/draft/2020-12/schema"}), &[]);
    let embedded = json!({"$id": "http://example.com/a", "$schema": old});
    check(
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": embedded}}),
        &[&format!("/properties/a{said} 7")],
    );
    // Where it is no resource's, it says nothing.
    check(json!({"properties": {"a": {"$schema": old}}}), &[]);
}

/// The error of a document that a reference leads into stands at the reference, with its own place.
#[test]
fn documents_that_references_lead_into_have_limits() {
    let read = |depth: usize| {
        let given = ("https://example.com/deep".to_owned(), json!({"items": {"items": {"items": {}}}}));
        let options = SchemaOptions { resources: [given].into(), ..SchemaOptions::default() };
        let limits = Limits { schema_depth: depth, ..Limits::default() };
        Schema::read(r#"{"items": {"$ref": "https://example.com/deep"}}"#, &options, &limits)
    };
    assert!(read(3).is_ok_and(|schema| schema.admits(&json!([[[1]]]))));
    let error = read(2).expect_err("too deep");
    assert_eq!((error.pointer(), error.keyword()), ("/items", Some("$ref")));
    assert_eq!(error.limit().map(|limit| (limit.what, limit.limit)), Some(("schema_depth", 2)));
    assert!(error.to_string().contains("`https://example.com/deep`"), "{error}");
    assert!(error.to_string().contains("/items/items/items"), "{error}");
}

/// Definitions are found by name in small and in large objects.
#[test]
fn pointers_lead_through_objects_of_any_size() {
    for count in [1, 16, 17, 300] {
        let schemas: Value =
            (0..count).map(|number| (number.to_string(), json!({"const": number}))).collect();
        let last = (count - 1).to_string();
        let target = |name: &str| json!({"$ref": format!("#/$defs/{name}")});
        let document = json!({"$defs": schemas, "items": target(&last), "type": "array"});
        check(&document, &[json!([count - 1])], &[json!([count]), json!([""])]);
        let document = json!({"$defs": document["$defs"], "items": target("no such name")});
        check_error(&document, SchemaErrorKind::UnknownReference, "/items", "$ref");
    }
}

/// What multiplies alternatives is named where they are too many.
#[test]
fn limits_of_alternatives_name_a_keyword() {
    let tagged = |number: usize| {
        let names = (0..9).map(|member| format!("m{number}{member}"));
        let properties = names.clone().map(|name| (name, json!({"type": "string"})));
        let tag = [("kind".to_owned(), json!({"const": number}))];
        json!({"properties": Map::from_iter(properties.chain(tag)), "required": Vec::from_iter(names)})
    };
    let dependent = (0..60).map(|number| (format!("p{number}"), json!([format!("q{number}")])));
    for (schema, keyword) in [
        (json!({"type": "object", "oneOf": Vec::from_iter((0..20).map(tagged))}), "oneOf"),
        (json!({"type": "object", "dependentRequired": Map::from_iter(dependent)}), "dependentRequired"),
    ] {
        check_error(&json!({"properties": {"a": schema}}), SchemaErrorKind::Limit, "/properties/a", keyword);
    }
}

/// Of branches without a tag each must differ from all others. In members that all have alike none does, which
/// is seen wherever they are written: only the tag is left, so it must be there.
#[test]
fn many_branches_whose_tag_may_be_missing_are_read() {
    let text_or_part = || json!({"anyOf": [{"type": "string"}, {"type": "object"}]});
    let content = || json!({"anyOf": [{"type": "string"}, {"type": "array", "items": text_or_part()}]});
    let branch = |number: usize| {
        let tag = json!({"const": format!("k{number}")});
        let labels = json!({"type": "object", "additionalProperties": text_or_part()});
        let properties = json!({"content": content(), "labels": labels, "tag": tag});
        json!({"type": "object", "properties": properties, "required": ["content"]})
    };
    let document = json!({"oneOf": Vec::from_iter((0..20).map(branch))});
    let (tagged, untagged) = (json!({"content": [""], "tag": "k7"}), json!({"content": [""]}));
    check(&document, &[tagged], &[untagged, json!({"content": [1], "tag": "k7"})]);
    let schema = schema(&document);
    assert_eq!(schema.values(schema.root()).objects.len(), 20);
}

/// Branches that a tag tells apart are not compared.
#[test]
fn many_branches_with_a_tag_are_read() {
    for (branches, members) in [(1_500, 0), (150, 40)] {
        let branch = |number: usize| {
            let mut properties = Map::from_iter([("tag".to_owned(), json!({"const": number}))]);
            properties.extend((0..members).map(|member| (format!("m{member}"), json!({"type": "array"}))));
            json!({"type": "object", "properties": properties, "required": ["tag"], "additionalProperties": false})
        };
        let schema = schema(&json!({"oneOf": Vec::from_iter((0..branches).map(branch))}));
        assert_eq!(schema.values(schema.root()).objects.len(), branches);
    }
    let constant = |number: usize| json!({"const": {"kind": "x", "inner": {"deep": {"deeper": [number]}}, "tag": number}});
    let schema = schema(&json!({"oneOf": Vec::from_iter((0..1_500).map(constant))}));
    assert_eq!(schema.values(schema.root()).objects.len(), 1_500);
}
