//! Where identifiers and anchors count, and where pointers lead.

use serde_json::{Value, json};

use super::super::SchemaErrorKind;
use super::{check_error, read, schema};

/// Of two values the schema allows the first one only, and so does the `jsonschema` crate.
#[track_caller]
fn check(document: &Value, allowed: &Value, refused: &Value) {
    let (schema, oracle) = (schema(document), jsonschema::validator_for(document).expect("a schema"));
    for (value, expected) in [(allowed, true), (refused, false)] {
        assert_eq!(schema.admits(value), expected, "{document}: {value}");
        assert_eq!(oracle.is_valid(value), expected, "the oracle reads {document} otherwise: {value}");
    }
}

#[track_caller]
fn check_unknown(document: &Value, pointer: &str) {
    check_error(document, SchemaErrorKind::UnknownReference, pointer, "$ref");
}

fn draft(path: &str, rest: Value) -> Value {
    let mut document = json!({"$schema": format!("http://json-schema.org/{path}")});
    document.as_object_mut().expect("an object").extend(rest.as_object().expect("an object").clone());
    document
}

/// Definitions and properties may have the names of keywords whose value is data.
#[test]
fn names_count_in_schemas_whatever_these_are_called() {
    let (text, number) = (json!("a"), json!(1));
    for name in ["default", "const", "enum", "examples"] {
        let one = |schema: Value| json!({ name: schema });
        let anchor = one(json!({"$anchor": "a", "type": "string"}));
        check(&json!({"$defs": anchor, "$ref": "#a"}), &text, &number);
        let members = json!({name: {"$anchor": "a", "type": "string"}, "x": {"$ref": "#a"}});
        check(&json!({ "properties": members }), &json!({"x": "a"}), &json!({"x": 1}));
        let named = one(json!({"$id": "http://x.y/a", "type": "string"}));
        check(&json!({"$defs": named, "$ref": "http://x.y/a"}), &text, &number);
        let old =
            json!({"definitions": one(json!({"$id": "#a", "type": "string"})), "allOf": [{"$ref": "#a"}]});
        check(&draft("draft-07/schema#", old), &text, &number);
        let within = json!({"$id": "sub/", "properties": {"x": {"$ref": "y"}}, "$defs": {"y": {"$id": "y", "type": "string"}}});
        let around = json!({"$id": "http://a/", "properties": one(within)});
        check(&around, &one(json!({"x": "a"})), &one(json!({"x": 1})));
    }
}

/// What a dynamic reference finds: the anchor `n` of the outermost resource, if that has one under this
/// keyword, or else the one beside it.
fn dynamic(keyword: &str, outermost: Value) -> Value {
    let anchor = json!({"$dynamicAnchor": "n", "type": "string"});
    let inner = json!({"$id": "g", "$dynamicRef": "#n", "$defs": {"q": anchor}});
    let mut document = json!({"$id": "http://a/r", "type": "object", "properties": {"v": {"$ref": "g"}}, "$defs": {"g": inner}});
    match document[keyword].as_object_mut() {
        Some(members) => members.extend(outermost.as_object().expect("an object").clone()),
        None => document[keyword] = outermost,
    }
    document
}

#[test]
fn dynamic_anchors_count_in_schemas_only() {
    let anchor = || json!({"$dynamicAnchor": "n", "type": "integer"});
    let (text, number) = (json!({"v": "a"}), json!({"v": 1}));
    for name in ["default", "const", "enum", "examples", "other"] {
        check(&dynamic("$defs", json!({ name: anchor() })), &number, &text);
        check(&dynamic("definitions", json!({ name: anchor() })), &number, &text);
        check(&dynamic("properties", json!({ name: anchor() })), &number, &text);
    }
    check(&dynamic("else", anchor()), &number, &text);
    for data in [anchor(), json!({"$defs": {"a": anchor()}}), json!([anchor()])] {
        check(&dynamic("x-foo", data.clone()), &text, &number);
        check(&dynamic("default", data.clone()), &text, &number);
        check(&dynamic("properties", json!({"w": {"const": data}})), &text, &number);
    }
}

/// A pointer may lead anywhere; but only what stands where schemas do has a name, or a URI that other
/// references begin from.
#[test]
fn what_looks_like_a_schema_elsewhere_has_no_name() {
    let (text, number) = (json!("a"), json!(1));
    let other = || json!({"$anchor": "a", "type": "null"});
    for (keyword, data) in [("x-meta", other()), ("default", other()), ("examples", json!([other()]))] {
        let string = json!({"$anchor": "a", "type": "string"});
        check(&json!({"$defs": {"s": string}, keyword: data, "$ref": "#a"}), &text, &json!(null));
    }
    check_unknown(&json!({"x-meta": other(), "$ref": "#a"}), "");
    check_unknown(&json!({"x-meta": {"$id": "http://b/z"}, "$ref": "http://b/z"}), "");
    // Keywords of other drafts are unknown, too.
    let condition = json!({"if": {"$id": "#a"}, "allOf": [{"$ref": "#a"}]});
    check_unknown(&draft("draft-06/schema#", condition), "/allOf/0");
    let modern = json!({"$defs": {"a": {"$dynamicAnchor": "a"}}, "$ref": "#a"});
    check_unknown(&draft("draft/2019-09/schema", modern), "");

    check(&json!({"x-foo": {"a": {"type": "string"}}, "$ref": "#/x-foo/a"}), &text, &number);
    check(&json!({"examples": [{"type": "string"}], "$ref": "#/examples/0"}), &text, &number);
    let below = json!({"$id": "http://b/", "$defs": {"k": {"type": "integer"}}, "properties": {"p": {"$ref": "#/$defs/k"}}});
    let document =
        json!({"$id": "http://a/r", "x-foo": below, "$defs": {"k": {"type": "string"}}, "$ref": "#/x-foo"});
    check(&document, &json!({"p": "a"}), &json!({"p": 1}));
    // A definition that is called as identifiers are is none.
    let definitions =
        json!({"id": "http://x/defs", "a": {"items": {"$ref": "#/definitions/b"}}, "b": {"type": "string"}});
    let document = json!({"definitions": definitions, "allOf": [{"$ref": "#/definitions/a"}]});
    let schema = schema(&draft("draft-04/schema#", document));
    assert!(schema.admits(&json!(["a"])) && !schema.admits(&json!([1])));
}

/// A name, identifier or definition of the wrong form is refused where the dialect has the keyword, as
/// validators do; where it has not, or where a reference stands alone, it says nothing.
#[test]
fn what_names_schemas_has_the_right_form() {
    let wrong = |document: Value, keyword: &str| {
        assert!(jsonschema::validator_for(&document).is_err(), "{document}");
        check_error(&json!({"items": document}), SchemaErrorKind::Invalid, "/items", keyword);
    };
    for keyword in ["$schema", "$id", "$anchor", "$dynamicAnchor", "$defs", "definitions", "$vocabulary"] {
        wrong(json!({ keyword: 1 }), keyword);
    }
    for name in ["", "1bad", "a b", "a:b", "-a", "é"] {
        wrong(json!({"$anchor": name}), "$anchor");
    }
    let old = |rest: Value, keyword: &str| check_error(&rest, SchemaErrorKind::Invalid, "", keyword);
    old(draft("draft-04/schema#", json!({"id": 1})), "id");
    old(draft("draft/2019-09/schema", json!({"$recursiveAnchor": 1})), "$recursiveAnchor");
    old(draft("draft/2019-09/schema", json!({"$anchor": "_a"})), "$anchor");

    let (text, number) = (json!("a"), json!(1));
    let string = |rest: Value| draft("draft-07/schema#", rest);
    check(&json!({"type": "string", "id": 1}), &text, &number);
    check(&json!({"const": {"$id": 1}}), &json!({"$id": 1}), &number);
    check(&string(json!({"type": "string", "$defs": 1, "$anchor": 1, "$vocabulary": 1})), &text, &number);
    let alone =
        json!({"definitions": {"s": {"type": "string"}}, "allOf": [{"$ref": "#/definitions/s", "$id": 1}]});
    assert!(schema(&string(alone)).admits(&text));
    let colon = json!({"$anchor": "a:b", "type": "string"});
    check(&draft("draft/2019-09/schema", json!({"$defs": {"s": colon}, "$ref": "#a:b"})), &text, &number);
}

#[test]
fn references_that_lead_nowhere_say_why() {
    let check = |document: Value, reason: &str| {
        let error = read(&document).expect_err("a reference that leads nowhere");
        assert!(error.to_string().ends_with(reason), "{document}: {error}");
    };
    let (unknown, ambiguous) =
        ("nor in another one that was given", "the name of several schemas that differ");
    let twice = |keyword: &str, one: &str| {
        let named = |kind: &str| json!({keyword: one, "type": kind});
        json!({"a": named("string"), "b": named("null")})
    };
    for reference in ["#/$defs/c", "#c", "http://x.y/c", "#%", "c%zz:"] {
        check(json!({"$ref": reference}), unknown);
    }
    check(json!({"$defs": twice("$anchor", "a"), "$ref": "#a"}), ambiguous);
    check(json!({"$defs": twice("$id", "http://x.y/a"), "$ref": "http://x.y/a"}), ambiguous);
}

/// RFC 6901, section 4: an index is digits, and begins with a zero only where it is zero. RFC 3986, section
/// 2.1: a percent sign is followed by two digits.
#[test]
fn pointers_are_spelled_in_one_way() {
    let document = |pointer: &str| {
        let schemas: Vec<_> = (0..12).map(|number| json!({"minimum": number})).collect();
        json!({"$defs": {"\u{1}": {"type": "string"}}, "allOf": schemas, "properties": {"p": {"$ref": pointer}}})
    };
    for (pointer, least) in [("#/allOf/0", 0), ("#/allOf/9", 9), ("#/allOf/10", 10), ("#/%61llOf/1", 1)] {
        check(&document(pointer), &json!({"p": least}), &json!({"p": least - 1}));
    }
    check(&document("#/$defs/%01"), &json!({"p": "a"}), &json!({"p": 1}));
    for index in ["+0", "00", "01", "-0", "-1", "12", "1.0", "", "4294967296", " 1", "１"] {
        check_unknown(&document(&format!("#/allOf/{index}")), "/properties/p");
    }
    for name in ["%+1", "%1", "%", "%0x", "%é"] {
        check_unknown(&document(&format!("#/$defs/{name}")), "/properties/p");
    }
}
