//! Random requests: tools × tool choices × response formats × built-in tools × profiles × options.

use serde_json::{Map, Value, json};

use super::Random;

/// A request that compiles, in one of the two shapes.
pub(crate) fn request(random: &mut Random) -> Value {
    let is_chat = random.below(2) == 0;
    let mut harmony = Map::new();
    let mut tools = Vec::new();
    let mut references = Vec::new();
    for (name, kind) in some(random, &TOOLS) {
        let (tool, reference) = tool(name, kind, is_chat);
        tools.push(tool);
        references.push(reference);
    }
    if random.below(3) == 0 {
        let all = ["browser", "python"].map(Value::from);
        harmony.insert("builtin_tools".into(), some(random, &all).into());
    }
    if random.below(4) == 0 {
        harmony.insert("recipients".into(), some(random, &recipients()).into());
    }
    let mut request = json!({"tools": tools});
    let is_callable = !tools.is_empty()
        || ["builtin_tools", "recipients"].iter().any(|name| {
            harmony.get(*name).is_some_and(|list| list.as_array().is_some_and(|list| !list.is_empty()))
        });
    let choice = choice(random, is_callable, &references, is_chat);
    request["tool_choice"] = choice;
    answer(random, &mut request, &mut harmony, is_chat);
    options(random, &mut harmony);
    request["harmony"] = harmony.into();
    request
}

/// Each of these with even odds, in order.
fn some<T: Clone>(random: &mut Random, all: &[T]) -> Vec<T> {
    all.iter().filter(|_| random.below(2) == 0).cloned().collect()
}

fn one<T: Clone>(random: &mut Random, all: &[T]) -> T {
    all[random.below(all.len())].clone()
}

const TOOLS: [(&str, &str); 6] = [
    ("get", "function"),
    ("get_all", "function"),
    ("set-level", "function"),
    ("note", "text"),
    ("sum", "lark"),
    ("code", "regex"),
];

fn tool(name: &str, kind: &str, is_chat: bool) -> (Value, Value) {
    let word = if kind == "function" { "function" } else { "custom" };
    let grammar = |syntax: &str, definition: &str| {
        let grammar = json!({"syntax": syntax, "definition": definition});
        let mut format = if is_chat { json!({"grammar": grammar}) } else { grammar };
        format["type"] = "grammar".into();
        format
    };
    let mut described = json!({"name": name});
    match kind {
        "function" => described["parameters"] = parameters(name),
        "lark" => described["format"] = grammar("lark", "start: NUMBER (\" + \" NUMBER)*\nNUMBER: /[0-9]+/"),
        "regex" => described["format"] = grammar("regex", "[A-Z]{2}-[0-9]{3}"),
        _ => {}
    }
    let mut tool = if is_chat { json!({ word: described }) } else { described };
    tool["type"] = word.into();
    let reference = if is_chat {
        json!({"type": word, word: {"name": name}})
    } else {
        json!({"type": word, "name": name})
    };
    (tool, reference)
}

fn parameters(name: &str) -> Value {
    match name {
        "get" => {
            json!({"type": "object", "properties": {"id": {"type": "integer", "minimum": 0}}, "required": ["id"], "additionalProperties": false})
        }
        "get_all" => json!(null),
        _ => json!({"type": "object", "properties": {
            "level": {"enum": ["low", "high"]},
            "tags": {"type": "array", "items": {"type": "string", "maxLength": 8}, "maxItems": 2},
        }, "required": ["level"]}),
    }
}

fn recipients() -> [Value; 3] {
    [
        json!({"name": "container.exec", "schema": {"type": "object", "properties": {"cmd": {"type": "array", "items": {"type": "string"}}}, "required": ["cmd"]}}),
        json!({"name": "notes", "text": true, "content_type": "markdown"}),
        json!({"name": "lab.colour", "grammar": {"syntax": "regex", "definition": "#[0-9a-f]{6}"}}),
    ]
}

fn choice(random: &mut Random, is_callable: bool, references: &[Value], is_chat: bool) -> Value {
    let modes: &[&str] = if is_callable { &["none", "auto", "auto", "required"] } else { &["none", "auto"] };
    match random.below(if references.is_empty() { 2 } else { 4 }) {
        0 => json!(null),
        1 => json!(one(random, modes)),
        2 => one(random, references),
        _ => {
            let subset = json!({"mode": one(random, &["auto", "required"]), "tools": [one(random, references), one(random, references)]});
            let mut choice = if is_chat { json!({"allowed_tools": subset}) } else { subset };
            choice["type"] = "allowed_tools".into();
            choice
        }
    }
}

fn answer(random: &mut Random, request: &mut Value, harmony: &mut Map<String, Value>, is_chat: bool) {
    let schema = json!({"type": "object", "properties": {"title": {"type": "string"}, "count": {"type": "integer"}}, "required": ["title"]});
    match random.below(7) {
        0 => {}
        1 if is_chat => request["response_format"] = json!({"type": "json_object"}),
        1 => request["text"] = json!({"format": {"type": "json_object"}}),
        2 if is_chat => {
            request["response_format"] =
                json!({"type": "json_schema", "json_schema": {"name": "page", "schema": schema}});
        }
        2 => request["text"] = json!({"format": {"type": "json_schema", "name": "page", "schema": schema}}),
        3 if is_chat => request["response_format"] = json!({"type": "grammar", "grammar": ANSWER}),
        3 => request["text"] = json!({"format": {"type": "grammar", "syntax": "lark", "definition": ANSWER}}),
        _ => {
            let list = json!({"type": "array", "items": {"type": "number"}, "maxItems": 3});
            harmony.insert(
                "response_formats".into(),
                json!([{"name": "page", "schema": schema}, {"name": "list", "schema": list}]),
            );
            if random.below(2) == 0 {
                harmony.insert("response_format".into(), one(random, &["page", "list"]).into());
            }
        }
    }
}

/// A grammar with JSON in it, so that the options bear on it.
const ANSWER: &str = r#"start: "yes" | "no" (", " WORD)* | "see " %json {"type": "string", "maxLength": 9}
WORD: /[a-z]+/"#;

fn options(random: &mut Random, harmony: &mut Map<String, Value>) {
    let mut set = |name: &str, values: &[Value], random: &mut Random| {
        harmony.insert(name.into(), one(random, values));
    };
    set("profile", &["canonical", "trained", "history"].map(Value::from), random);
    set("whitespace", &["compact", "single", "any", "pretty"].map(Value::from), random);
    set("property_order", &["declared", "any"].map(Value::from), random);
    for flag in ["typed_answer", "parallel_tool_calls", "forbid_spelled_tokens"] {
        set(flag, &[json!(null), json!(false), json!(true)], random);
    }
    let reasoning = [
        json!(null),
        json!(false),
        json!({"max_tokens": 0}),
        json!({"max_tokens": 3}),
        json!({"max_tokens": 6, "max_messages": 2}),
        json!({"max_messages": 1}),
        json!({"max_messages": 0}),
        json!({"required": true}),
        json!({"required": true, "max_tokens": 4, "max_messages": 1}),
    ];
    set("reasoning", &reasoning, random);
}
