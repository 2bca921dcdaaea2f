//! What a request is read as. Requests that are refused are data: `tests/cases/requests_bad.json`.

use serde_json::{Value, json};

use crate::harmony::{
    Builtin, Calls, Format, Options, Payload, Profile, Reasoning, Request, Strict, Syntax, Tool, ToolKind,
};
use crate::json::{Layout, PropertyOrder};
use crate::schema::Formats;

fn read(request: &serde_json::Value) -> Request {
    Request::read(request).expect("a request")
}

fn schema(tool: &Tool) -> &serde_json::Value {
    let Payload::Json(schema) = &tool.payload else { panic!("JSON arguments: {tool:?}") };
    schema
}

#[test]
fn both_shapes_of_tools_mean_the_same() {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let flat = read(&json!({"tools": [{"type": "function", "name": "f", "parameters": schema}]}));
    let nested =
        read(&json!({"tools": [{"type": "function", "function": {"name": "f", "parameters": schema}}]}));
    for (request, pointer) in [(&flat, "/tools/0/parameters"), (&nested, "/tools/0/function/parameters")] {
        let tool = &request.tools()[0];
        assert_eq!((tool.name.as_str(), tool.pointer.as_str()), ("f", pointer));
        assert_eq!(self::schema(tool), &schema);
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
        assert_eq!(*schema(tool), json!({"type": "object", "additionalProperties": false}));
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
    assert!(always.tools().iter().all(|tool| *self::schema(tool) == schema));
    let declared = read(&json!({"tools": tools, "harmony": {"strict": "as_declared"}}));
    let schemas: Vec<_> = declared.tools().iter().map(self::schema).collect();
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
        let Format::Json(formats) = request.format() else { panic!("a JSON format") };
        let format = &formats[0];
        assert_eq!((format.name.as_deref(), &format.schema), (Some("n"), &schema));
        assert_eq!(format.pointer, pointer);
    }
}

#[test]
fn json_mode_is_any_object() {
    let request = read(&json!({"response_format": {"type": "json_object"}}));
    let Format::Json(formats) = request.format() else { panic!("a JSON format") };
    let format = &formats[0];
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
        "whitespace": "any", "property_order": "any", "formats": "annotate", "strict": "as_declared", "forbid_spelled_tokens": true,
    }}));
    let options = Options {
        whitespace: Layout::Any,
        property_order: PropertyOrder::Any,
        formats: Formats::Annotate,
        strict: Strict::AsDeclared,
        forbids_spelled_tokens: true,
    };
    assert_eq!(*request.options(), options);
}

#[test]
fn other_fields_are_ignored() {
    let request = read(&json!({
        "model": "gpt-oss-20b", "input": [], "stream": true, "temperature": 0.7,
        "parallel_tool_calls": true, "reasoning": {"effort": "high"}, "reasoning_effort": "high",
    }));
    assert_eq!(request, read(&json!({})));
}

/// Fields of ours that do not exist are ignored like any other, but not in silence. `null` is what is not
/// set.
#[test]
fn fields_of_ours_that_are_not_known_are_warned_of() {
    for (harmony, pointers) in [
        (json!({"reasoning": {"max_token": 5}}), &["/harmony/reasoning/max_token"][..]),
        (json!({"profil": "history", "a/b~": 1, "unset": null}), &["/harmony/profil", "/harmony/a~1b~0"]),
        (
            json!({"recipients": [{"name": "a", "text": true}, {"name": "b", "text": true, "strict": true}]}),
            &["/harmony/recipients/1/strict"],
        ),
        (
            json!({
                "response_formats": [{"name": "n", "schema": {}, "striict": true}],
                "recipients": [{"name": "a", "grammar": {"syntax": "regex", "definition": "a", "flags": "i"}}],
            }),
            &["/harmony/recipients/0/grammar/flags", "/harmony/response_formats/0/striict"],
        ),
        (
            json!({"prompt": {"role": 1, "system": {"date": "2025-06-28"}}}),
            &["/harmony/prompt/role", "/harmony/prompt/system/date"],
        ),
        (json!({"reasoning": false, "prompt": {"system": false}}), &[]),
        (json!({"response_formats": [{"name": "n", "schema": {}, "type": "json_schema"}]}), &[]),
    ] {
        let request = read(&json!({"harmony": harmony, "other": {"max_token": 5}}));
        let expected: Vec<_> = pointers
            .iter()
            .map(|pointer| format!("{pointer}: there is no such field, so it is ignored"))
            .collect();
        assert_eq!(request.warnings(), expected, "{harmony}");
    }
}

/// All fields that cases and examples use are known.
#[test]
fn fields_that_are_read_are_known() {
    let of_cases = [
        include_str!("../../../tests/cases/harmony.json"),
        include_str!("../../../tests/cases/prompt/conversations.json"),
    ];
    let mut pending: Vec<Value> =
        of_cases.iter().map(|text| serde_json::from_str(text).expect("JSON")).collect();
    let mut seen = 0;
    while let Some(value) = pending.pop() {
        if let Some(harmony) = value.get("harmony").filter(|harmony| harmony.is_object()) {
            let request = Request::read(&json!({"harmony": harmony}));
            seen += usize::from(request.is_ok());
            assert_eq!(request.map(|request| request.warnings().to_vec()).unwrap_or_default(), [""; 0]);
        }
        match value {
            Value::Array(values) => pending.extend(values),
            Value::Object(members) => pending.extend(members.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn tools_of_all_kinds_have_recipients() {
    let request = read(&json!({
        "tools": [
            {"type": "custom", "name": "a"},
            {"type": "custom", "custom": {"name": "b", "format": {"type": "text"}}},
            {"type": "custom", "name": "c", "format": {"type": "grammar", "syntax": "lark", "definition": "start: \"x\""}},
            {"type": "custom", "custom": {"name": "d", "format": {"type": "grammar", "grammar": {"syntax": "regex", "definition": "x+"}}}},
            {"type": "web_search_preview_2025_03_11"},
        ],
        "harmony": {
            "builtin_tools": ["python"],
            "recipients": [
                {"name": "container.exec", "schema": {"type": "object"}},
                {"name": "notes", "text": true, "content_type": "markdown"},
            ],
        },
    }));
    let recipients: Vec<_> = request.tools().iter().map(Tool::recipient).collect();
    let browser = ["browser.search", "browser.open", "browser.find"];
    let expected = [
        &["functions.a", "functions.b", "functions.c", "functions.d"],
        &browser[..],
        &["python", "container.exec", "notes"],
    ];
    assert_eq!(recipients, expected.concat());
    let text = |content_type: &str| Payload::Text { content_type: content_type.to_owned() };
    let grammar = |syntax, definition: &str| Payload::Grammar {
        syntax,
        definition: definition.to_owned(),
        content_type: "text".to_owned(),
    };
    for (index, kind, payload) in [
        (0, ToolKind::Custom, text("text")),
        (1, ToolKind::Custom, text("text")),
        (2, ToolKind::Custom, grammar(Syntax::Lark, "start: \"x\"")),
        (3, ToolKind::Custom, grammar(Syntax::Regex, "x+")),
        (7, ToolKind::Builtin(Builtin::Python), Payload::Code),
        (8, ToolKind::Recipient, Payload::Json(json!({"type": "object"}))),
        (9, ToolKind::Recipient, text("markdown")),
    ] {
        let tool = &request.tools()[index];
        assert_eq!((tool.kind, &tool.payload), (kind, &payload));
    }
}

#[test]
fn every_kind_of_tool_can_be_chosen() {
    let tools = json!([
        {"type": "function", "name": "f"}, {"type": "custom", "name": "c"}, {"type": "web_search"}, {"type": "code_interpreter"},
    ]);
    let harmony = json!({"recipients": [{"name": "r.s", "text": true}]});
    for (choice, calls) in [
        (json!({"type": "custom", "name": "c"}), vec![1]),
        (json!({"type": "custom", "custom": {"name": "c"}}), vec![1]),
        (json!({"type": "web_search_preview"}), vec![2, 3, 4]),
        (json!({"type": "code_interpreter"}), vec![5]),
        (json!({"type": "recipient", "name": "r.s"}), vec![6]),
        (
            json!({"type": "allowed_tools", "mode": "required", "tools": [{"type": "code_interpreter"}, {"type": "custom", "name": "c"}]}),
            vec![1, 5],
        ),
    ] {
        let request = read(&json!({"tools": tools, "harmony": harmony, "tool_choice": choice}));
        assert_eq!(*request.calls(), Calls::Required(calls), "{choice}");
    }
}

/// The shapes of Responses and of Chat Completions, one in the other, where they say the same.
#[test]
fn what_is_said_twice_alike_is_read() {
    let schema = json!({"type": "object"});
    let request = read(&json!({
        "tools": [{"type": "function", "name": "f", "strict": true, "function": {"name": "f", "parameters": schema}}],
        "response_format": {"type": "json_schema", "schema": schema, "json_schema": {"name": "a", "schema": schema}},
        "reasoning": {"effort": "none"},
        "reasoning_effort": "none",
    }));
    assert_eq!(request.tools()[0].payload, Payload::Json(schema));
    assert!(request.reasoning().is_off());
}

#[test]
fn reasoning_is_limited_in_three_ways() {
    let off = Reasoning { max_tokens: Some(0), ..Reasoning::default() };
    for (request, reasoning) in [
        (json!({"harmony": {"reasoning": true}}), Reasoning::default()),
        (json!({"harmony": {"reasoning": false}, "reasoning": {"effort": "medium"}}), off),
        (json!({"reasoning": {"effort": "none"}}), off),
        (json!({"reasoning_effort": "none", "harmony": {"reasoning": {"max_tokens": 0}}}), off),
        (
            json!({"harmony": {"reasoning": {"max_tokens": 100, "max_messages": 2, "required": true}}}),
            Reasoning { is_required: true, max_tokens: Some(100), max_messages: Some(2) },
        ),
    ] {
        assert_eq!(*read(&request).reasoning(), reasoning, "{request}");
    }
}

#[test]
fn response_formats_may_be_several_or_one_by_name() {
    let formats = json!([{"name": "a", "schema": {}}, {"name": "b", "schema": {}}, {"schema": {}}]);
    for (choice, names) in [(json!(null), vec![Some("a"), Some("b"), None]), (json!("b"), vec![Some("b")])] {
        let request = read(&json!({"harmony": {"response_formats": formats, "response_format": choice}}));
        let Format::Json(formats) = request.format() else { panic!("JSON formats") };
        assert_eq!(formats.iter().map(|format| format.name.as_deref()).collect::<Vec<_>>(), names);
    }
}

#[test]
fn turn_options_have_defaults_and_words() {
    assert_eq!(read(&json!({"harmony": {}})).turn(), read(&json!({})).turn());
    for (word, profile) in
        [("canonical", Profile::Canonical), ("trained", Profile::Trained), ("history", Profile::History)]
    {
        assert_eq!(read(&json!({"harmony": {"profile": word}})).turn().profile, profile);
    }
    let turn = *read(&json!({"parallel_tool_calls": true})).turn();
    assert!(!turn.allows_parallel_calls, "a permission, not a wish");
    let flags = json!({"typed_answer": true, "parallel_tool_calls": true});
    let turn = *read(&json!({"harmony": flags})).turn();
    assert!(turn.allows_typed_answer && turn.allows_parallel_calls);
}

/// Names are compared with those before in a time that hardly grows with their number.
#[test]
fn many_tools_are_read() {
    let tool = |at: usize| json!({"type": "function", "name": format!("f{at}")});
    let mut tools: Vec<_> = (0..50_000).map(tool).collect();
    assert_eq!(read(&json!({"tools": tools})).tools().len(), 50_000);
    tools.push(tool(7));
    let error = Request::read(&json!({"tools": tools})).expect_err("a name twice");
    assert_eq!(
        (error.pointer(), error.to_string().contains("/tools/7/name")),
        ("/tools/50000/name", true),
        "{error}"
    );
}

/// Each reference is looked up, however many there are.
#[test]
fn many_tools_are_chosen() {
    const COUNT: usize = 50_000;
    let tool = |at: usize| json!({"type": "function", "name": format!("f{at}")});
    let tools: Vec<_> = (0..COUNT).map(tool).collect();
    let choose = |chosen: Vec<Value>| {
        let choice = json!({"type": "allowed_tools", "mode": "auto", "tools": chosen});
        Request::read(&json!({"tools": tools, "tool_choice": choice}))
    };
    let all = choose(tools.iter().rev().cloned().collect()).expect("a request");
    assert_eq!(*all.calls(), Calls::Allowed((0..COUNT).collect()));
    let error = choose(vec![tool(COUNT - 1), tool(COUNT)]).expect_err("a tool that is not declared");
    assert_eq!((error.pointer(), error.tool()), ("/tool_choice/tools/1/name", Some("f50000")));
}

/// So are the names of response formats.
#[test]
fn many_response_formats_are_read() {
    let format = |at: usize| json!({"name": format!("f{at}"), "schema": {}});
    let mut formats: Vec<_> = (0..50_000).map(format).collect();
    let request = |formats: &[Value]| Request::read(&json!({"harmony": {"response_formats": formats}}));
    let Format::Json(read) = request(&formats).expect("a request").format().clone() else { panic!("JSON") };
    assert_eq!(read.len(), 50_000);
    formats.push(format(7));
    let error = request(&formats).expect_err("a name twice");
    let first = "/harmony/response_formats/7/name";
    assert_eq!(error.pointer(), "/harmony/response_formats/50000/name");
    assert!(error.to_string().contains(first), "{error}");
}
