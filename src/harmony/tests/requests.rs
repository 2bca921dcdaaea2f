//! What a request is read as. Requests that are refused are data: `tests/cases/requests_bad.json`.

use serde_json::json;

use crate::harmony::{Calls, Format, Options, Request, Strict};
use crate::json::{Layout, PropertyOrder};
use crate::schema::Formats;

fn read(request: &serde_json::Value) -> Request {
    Request::read(request).expect("a request")
}

#[test]
fn both_shapes_of_tools_mean_the_same() {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let flat = read(&json!({"tools": [{"type": "function", "name": "f", "parameters": schema}]}));
    let nested =
        read(&json!({"tools": [{"type": "function", "function": {"name": "f", "parameters": schema}}]}));
    for (request, pointer) in [(&flat, "/tools/0/parameters"), (&nested, "/tools/0/function/parameters")] {
        let tool = &request.tools()[0];
        assert_eq!((tool.name.as_str(), &tool.schema, tool.pointer.as_str()), ("f", &schema, pointer));
        assert_eq!(*request.calls(), Calls::Allowed(vec![0]));
    }
}

#[test]
fn a_tool_without_parameters_takes_the_empty_object() {
    let request = read(&json!({"tools": [
        {"type": "function", "name": "a"},
        {"type": "function", "function": {"name": "b", "parameters": null}},
    ]}));
    for (tool, pointer) in request.tools().iter().zip(["/tools/0", "/tools/1/function"]) {
        assert_eq!(tool.schema, json!({"type": "object", "additionalProperties": false}));
        assert_eq!(tool.pointer, pointer);
    }
}

#[test]
fn strict_false_counts_only_as_declared() {
    let schema = json!({"type": "object", "required": ["x"]});
    let tools: Vec<_> = [Some(false), Some(true), None]
        .into_iter()
        .enumerate()
        .map(|(i, strict)| json!({"type": "function", "name": format!("f{i}"), "parameters": schema, "strict": strict}))
        .collect();
    let any = json!({"type": "object"});
    let always = read(&json!({"tools": tools}));
    assert!(always.tools().iter().all(|tool| tool.schema == schema));
    let declared = read(&json!({"tools": tools, "harmony": {"strict": "as_declared"}}));
    let schemas: Vec<_> = declared.tools().iter().map(|tool| &tool.schema).collect();
    assert_eq!(schemas, [&any, &schema, &schema]);
}

#[track_caller]
fn check_choice(choice: &serde_json::Value, calls: &Calls) {
    let tools = ["a", "b", "c"].map(|name| json!({"type": "function", "name": name}));
    assert_eq!(*read(&json!({"tools": tools, "tool_choice": choice})).calls(), *calls, "{choice}");
}

#[test]
fn tool_choices_are_resolved() {
    let reference = |name: &str| json!({"type": "function", "name": name});
    let nested = |name: &str| json!({"type": "function", "function": {"name": name}});
    check_choice(&json!(null), &Calls::Allowed(vec![0, 1, 2]));
    check_choice(&json!("auto"), &Calls::Allowed(vec![0, 1, 2]));
    check_choice(&json!("none"), &Calls::Forbidden);
    check_choice(&json!("required"), &Calls::Required(vec![0, 1, 2]));
    check_choice(&reference("b"), &Calls::Required(vec![1]));
    check_choice(&nested("b"), &Calls::Required(vec![1]));
    let list = [reference("c"), reference("a"), reference("c")];
    check_choice(
        &json!({"type": "allowed_tools", "mode": "auto", "tools": list}),
        &Calls::Allowed(vec![0, 2]),
    );
    check_choice(
        &json!({"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [nested("c")]}}),
        &Calls::Required(vec![2]),
    );
}

#[test]
fn without_tools_nothing_is_called() {
    for request in [json!({}), json!({"tools": []}), json!({"tools": null, "tool_choice": "auto"})] {
        assert_eq!(*read(&request).calls(), Calls::Forbidden, "{request}");
    }
}

#[test]
fn response_formats_are_found_in_every_place() {
    let schema = json!({"type": "object"});
    for (request, pointer) in [
        (
            json!({"text": {"format": {"type": "json_schema", "name": "n", "schema": schema}}}),
            "/text/format/schema",
        ),
        (
            json!({"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}}),
            "/response_format/json_schema/schema",
        ),
        (
            json!({"harmony": {"response_formats": [{"name": "n", "schema": schema}]}}),
            "/harmony/response_formats/0/schema",
        ),
    ] {
        let request = read(&request);
        let Format::Json(format) = request.format() else { panic!("a JSON format") };
        assert_eq!((format.name.as_deref(), &format.schema), (Some("n"), &schema));
        assert_eq!(format.pointer, pointer);
    }
}

#[test]
fn json_mode_is_any_object() {
    let request = read(&json!({"response_format": {"type": "json_object"}}));
    let Format::Json(format) = request.format() else { panic!("a JSON format") };
    assert_eq!((&format.schema, format.pointer.as_str()), (&json!({"type": "object"}), "/response_format"));
}

#[test]
fn text_is_the_default_format() {
    for request in [
        json!({"text": {"verbosity": "low"}}),
        json!({"text": {"format": {"type": "text"}}}),
        json!({"response_format": {"type": "text"}, "text": {"format": {"type": "text"}}}),
    ] {
        assert_eq!(*read(&request).format(), Format::Text, "{request}");
    }
}

#[test]
fn options_have_defaults_and_words() {
    assert_eq!(*read(&json!({"harmony": {"profile": "trained"}})).options(), Options::default());
    let request = read(&json!({"harmony": {
        "whitespace": "any", "property_order": "any", "formats": "annotate", "strict": "as_declared",
    }}));
    let options = Options {
        whitespace: Layout::Any,
        property_order: PropertyOrder::Any,
        formats: Formats::Annotate,
        strict: Strict::AsDeclared,
    };
    assert_eq!(*request.options(), options);
}

#[test]
fn other_fields_are_ignored() {
    let request = read(&json!({
        "model": "gpt-oss-20b", "input": [], "stream": true, "temperature": 0.7,
        "parallel_tool_calls": true, "reasoning": {"effort": "high"}, "reasoning_effort": "low",
    }));
    assert_eq!(request, read(&json!({})));
}
