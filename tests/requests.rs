//! Requests that are refused: each names what is wrong, where, and with which tool.
//!
//! `cases/requests_bad.json` is a list of `{name, request, kind, pointer, tool?}`. A request that is a string
//! is the text of a request; any other value is the request itself.

use harmony_mask::{Compiler, Error, Grammar, Limits, Request};
use serde_json::{Value, json};

use crate::harness::COMPILER;

fn compile(request: &Value) -> Result<Grammar, Error> {
    let request = match request.as_str() {
        Some(text) => text.parse()?,
        None => Request::read(request)?,
    };
    COMPILER.compile(&request)
}

fn check(case: &Value) {
    let name = &case["name"];
    let error = compile(&case["request"]).expect_err(&name.to_string());
    assert_eq!(
        (error.kind(), error.tool()),
        (case["kind"].as_str().expect("a kind"), case["tool"].as_str()),
        "{name}: {error}"
    );
    // Which part of an unsatisfiable schema is to blame is a matter of words, so its cases name no place.
    if let Some(pointer) = case["pointer"].as_str() {
        assert_eq!(error.pointer(), pointer, "{name}: {error}");
    }
}

#[test]
fn bad_requests_are_refused() {
    let cases: Value = serde_json::from_str(include_str!("cases/requests_bad.json")).expect("JSON");
    cases.as_array().expect("a list").iter().for_each(check);
}

#[test]
fn messages_say_what_is_wrong() {
    for (request, message) in [
        ("{\"tools\":\n x}", "not JSON: expected value at line 2 column 2"),
        (r#"{"tools": {}}"#, "/tools: expected an array, found an object"),
        (
            r#"{"tools": [{"type": "function", "name": "a b"}]}"#,
            "/tools/0/name: the name \"a b\" is not 1 to 64 of the characters A-Z a-z 0-9 _ -",
        ),
        (r#"{"tools": [{"type": "function"}]}"#, "/tools/0: `name` is missing"),
        (
            r#"{"tools": [{"type": "function", "name": "f", "parameters": 1}]}"#,
            "/tools/0/parameters: tool `f`: expected an object, found a number",
        ),
        (
            r#"{"harmony": {"property_order": "sorted"}}"#,
            "/harmony/property_order: unknown value \"sorted\": expected one of declared, any",
        ),
        (
            r#"{"tool_choice": {"type": "web_search"}}"#,
            "/tool_choice: tool `web_search`: no tool of this name is declared",
        ),
        (
            r#"{"harmony": {"recipients": [{"name": "a", "text": true, "content_type": "b c"}]}}"#,
            "/harmony/recipients/0/content_type: tool `a`: the name \"b c\" is not 1 to 64 of the characters A-Z a-z 0-9 _ -",
        ),
        (r#"{"tools": [{"type": "mcp"}]}"#, "/tools/0/type: not available yet: tools of type `mcp`"),
        (
            r#"{"harmony": {"recipients": [{"name": "a..b"}]}}"#,
            "/harmony/recipients/0/name: the recipient \"a..b\" is not one or more names with dots between them, or means somebody who is no tool",
        ),
        (
            r#"{"harmony": {"reasoning": {"max_tokens": 0, "required": true}}}"#,
            "/harmony/reasoning/max_tokens: contradicts /harmony/reasoning/required",
        ),
        (
            r#"{"text": {"format": {"type": "json_object"}}, "response_format": {"type": "json_object"}}"#,
            "/response_format: contradicts /text/format",
        ),
    ] {
        assert_eq!(request.parse::<Request>().expect_err(request).to_string(), message);
    }
}

/// What is found only when compiling has its place in the request, too.
#[test]
fn messages_of_compiling_say_where() {
    let of = |tool: Value| compile(&json!({"tools": [{"type": "web_search"}, tool]}));
    let function = |schema: Value| of(json!({"type": "function", "name": "f", "parameters": schema}));
    let lark = json!({"type": "grammar", "syntax": "lark", "definition": "start: a"});
    let format = json!({"type": "json_schema", "json_schema": {"schema": {"minItems": "1"}}});
    for (outcome, begins) in [
        (
            function(json!({"properties": {"x": {"minimum": "3"}}})),
            "/tools/1/parameters: tool `f`: at /properties/x: keyword `minimum` must be",
        ),
        (function(json!({"type": "array"})), "/tools/1/parameters: tool `f`: the schema allows no object"),
        (
            of(json!({"type": "custom", "name": "c", "format": lark})),
            "/tools/1/format/definition: tool `c`: ",
        ),
        (compile(&json!({"response_format": format})), "/response_format/json_schema/schema: at the top"),
    ] {
        let message = outcome.expect_err(begins).to_string();
        assert!(message.starts_with(begins), "{message}");
    }
}

/// A limit that is reached deep inside of a schema has the place and keyword that led there.
#[test]
fn limits_say_where_they_were_reached() {
    let check = |schema: Value, keyword: &str| {
        let parameters = json!({"type": "object", "properties": {"x": schema}, "required": ["x"]});
        let tool = json!({"type": "function", "name": "f", "parameters": parameters});
        let error = compile(&json!({"tools": [tool]})).expect_err("too large");
        let expected = ("limit", "/tools/0/parameters/properties/x", Some(keyword));
        assert_eq!((error.kind(), &*error.pointer(), error.keyword()), expected, "{error}");
        assert!(error.to_string().contains(" needs "), "{error}");
    };
    let many = "^(a|b)*a(a|b){12}$";
    check(json!({"type": "string", "pattern": "^(a|b)*a(a|b){20}$"}), "pattern");
    check(json!({"type": "integer", "multipleOf": 1_234_567, "minimum": 3}), "multipleOf");
    check(json!({"type": "number", "multipleOf": 0.000_012_345_67}), "multipleOf");
    check(json!({"type": "string", "minLength": 200_000}), "minLength");
    check(json!({"type": "array", "minItems": 2_000, "uniqueItems": true}), "uniqueItems");
    check(json!({"type": "array", "minItems": 100_000}), "minItems");
    check(json!({"type": "object", "minProperties": 100_000}), "minProperties");
    check(json!({"type": "object", "propertyNames": {"pattern": many, "minLength": 70}}), "propertyNames");
}

/// A list that is too long is named, whichever the elements are declared in.
#[test]
fn limits_on_lists_name_the_list() {
    let limits = Limits { tools: 2, response_formats: 2, ..Limits::default() };
    let compiler = Compiler::with_limits(COMPILER.vocabulary().clone(), limits);
    let names = ["a", "b", "c"];
    let tools = names.map(|name| json!({"type": "function", "name": name, "parameters": {}}));
    let recipients = names.map(|name| json!({"name": name, "schema": {}}));
    let formats = names.map(|name| json!({"name": name, "schema": {}}));
    for (request, pointer, what) in [
        (json!({"tools": tools}), "/tools", "tools"),
        (json!({"tools": tools[1..], "harmony": {"recipients": recipients}}), "/harmony/recipients", "tools"),
        (json!({"tools": [{"type": "web_search"}]}), "/tools", "tools"),
        (json!({"harmony": {"builtin_tools": ["browser"]}}), "/harmony/builtin_tools", "tools"),
        (json!({"harmony": {"response_formats": formats}}), "/harmony/response_formats", "response_formats"),
    ] {
        let error = compiler.compile(&Request::read(&request).expect("a request")).expect_err("too many");
        let limit = error.limit().map(|limit| limit.what);
        assert_eq!((&*error.pointer(), limit), (pointer, Some(what)), "{request}: {error}");
    }
}

/// However long a name is, its message is not.
#[test]
fn long_names_are_shortened_in_messages() {
    let long = "ü".repeat(100_000);
    let path = vec!["part"; 20_000].join(".");
    for request in [
        json!({"tools": [{"type": "function", "name": long}]}),
        json!({"tools": [{"type": long}]}),
        json!({"tool_choice": {"type": "recipient", "name": path}}),
        json!({"harmony": {"recipients": [{"name": long}]}}),
        json!({"harmony": {"recipients": [{"name": path, "schema": {"type": "array"}}]}}),
        json!({"harmony": {"response_format": long, "response_formats": [{"name": "a", "schema": {}}]}}),
    ] {
        let message = compile(&request).expect_err("a name that is no name").to_string();
        assert!(message.contains('…') && message.len() < 400, "{message}");
    }
}

#[test]
fn the_examples_are_requests() {
    for text in [
        include_str!("../examples/weather.json"),
        include_str!("../examples/shopping.json"),
        include_str!("../examples/tools_and_format.json"),
        include_str!("../examples/grammars.json"),
    ] {
        text.parse::<Request>().expect("a request");
    }
}
