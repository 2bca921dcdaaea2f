//! The message grammar, read by a slow recogniser, with bodies of plain JSON in place of compiled schemas.

use std::path::Path;

use serde_json::{Value, json};

use crate::expression::Expression;
use crate::harmony::{Body, LimitAt, Request, Syntax, lower};
use crate::lark::recogniser::{Verdict, recognise};
use crate::lark::{self, Template};
use crate::limits::{LimitExceeded, Limits};

const OBJECT: &str = r#"
    object: "{" (member ("," " "? member)*)? "}"
    member: string ":" " "? value
    value:  object | string | "[" (value ("," " "? value)*)? "]" | letter+ | "null"
    string: "\"" (letter | " " | "." | "," | "_" | "/")* "\""
    letter: "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" | "k" | "l" | "m" | "n" | "o" | "p" | "q" | "r"
          | "s" | "t" | "u" | "v" | "w" | "x" | "y" | "z" | "C" | "F" | "R" | "S" | "T" | "I" | "0" | "1" | "2"
"#;

fn body(wanted: Body<'_>) -> Result<Expression, LimitAt> {
    let grammar = match wanted {
        Body::Grammar(_, syntax, definition) => Some((syntax, definition)),
        Body::TextAnswer(format) => Some((format.syntax, &*format.definition)),
        Body::Arguments(..) | Body::Answer(_) => None,
    };
    let text = match grammar {
        Some((Syntax::Regex, definition)) => lark::regex(definition, &Limits::default(), None),
        Some((Syntax::Lark, definition)) => Template::parse(definition).and_then(|text| text.text([])),
        None => Template::parse(OBJECT).and_then(|json| json.fill("object", &[])),
    };
    Ok(text.expect("a grammar"))
}

fn turn(request: &Value) -> Expression {
    let request = match request.as_str() {
        Some(path) => {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
            std::fs::read_to_string(path).expect("a request file").parse()
        }
        None => Request::read(request),
    };
    lower(&request.expect("a request"), &Limits::default(), &mut body).expect("a turn").start
}

/// Where the fault lies in a rejected completion.
fn fault(case: &Value) -> Option<(&str, &str)> {
    let completion = case["completion"].as_str().expect("a completion");
    let at = case["at"].as_str()?;
    let start = completion.find(at).expect("the text before the fault");
    Some(completion.split_at(start + at.len()))
}

/// Cases that this grammar cannot decide: a byte of a body is for the schema, and a token that no assistant
/// may write has no place in an expression.
fn is_decided_elsewhere(case: &Value) -> bool {
    let Some((before, after)) = fault(case) else { return false };
    let in_body = before.rsplit("<|").next().is_some_and(|rest| rest.starts_with("message|>"));
    (in_body && !after.starts_with("<|"))
        || after.starts_with("<|endoftext")
        || after.starts_with("<|reserved")
}

#[test]
fn cases_hold() {
    let cases = include_str!("../../../tests/cases/harmony.json");
    let cases: Vec<Value> = serde_json::from_str(cases).expect("JSON");
    for case in cases.iter().filter(|case| !is_decided_elsewhere(case)) {
        let verdict = match (case["verdict"].as_str(), fault(case)) {
            (Some("accepted"), None) => Verdict::Accepted,
            (Some("prefix"), None) => Verdict::Prefix,
            (Some("rejected"), Some((before, _))) => Verdict::RejectedAt(before.len()),
            _ => panic!("{case}"),
        };
        let completion = case["completion"].as_str().expect("a completion");
        assert_eq!(recognise(&turn(&case["request"]), completion), verdict, "{}: {completion}", case["name"]);
    }
}

#[test]
fn bodies_are_asked_for_in_order_and_only_where_reachable() {
    let asked = |request: &Value| {
        let mut asked = Vec::new();
        let request = Request::read(request).expect("a request");
        let turn: Result<_, LimitAt> = lower(&request, &Limits::default(), &mut |wanted| {
            asked.push(match wanted {
                Body::Arguments(tool, _) | Body::Grammar(tool, ..) => tool.name.clone(),
                Body::Answer(format) => format.pointer.clone(),
                Body::TextAnswer(format) => format.pointer.clone(),
            });
            body(wanted)
        });
        turn.expect("a turn");
        asked
    };
    let tools = ["a", "b", "c"].map(|name| json!({"type": "function", "name": name}));
    let format = json!({"type": "json_object"});
    let request = |choice: Value| json!({"tools": tools, "response_format": format, "tool_choice": choice});
    assert_eq!(asked(&request(json!("auto"))), ["a", "b", "c", "/response_format"]);
    assert_eq!(asked(&request(json!("none"))), ["/response_format"]);
    assert_eq!(asked(&request(json!({"type": "function", "name": "b"}))), ["b"]);
}

#[test]
fn tools_are_limited() {
    let tools = ["a", "b", "c"].map(|name| json!({"type": "function", "name": name}));
    let request = Request::read(&json!({"tools": tools})).expect("a request");
    let limits = Limits { tools: 2, ..Limits::default() };
    let error = lower(&request, &limits, &mut body).expect_err("too many tools");
    let limit = LimitExceeded { what: "tools", limit: 2, given: 3 };
    assert_eq!(error, LimitAt { pointer: "/tools".to_owned(), limit });
}

/// Before any of them is compiled.
#[test]
fn response_formats_are_limited() {
    let formats = ["a", "b", "c"].map(|name| json!({"name": name, "schema": {}}));
    let request =
        |choice: Value| json!({"harmony": {"response_formats": formats, "response_format": choice}});
    let lowered = |limit: usize, choice: Value| {
        let limits = Limits { response_formats: limit, ..Limits::default() };
        let mut asked = 0;
        let request = Request::read(&request(choice)).expect("a request");
        let turn = lower(&request, &limits, &mut |a_body| {
            asked += 1;
            body(a_body)
        });
        (turn.err(), asked)
    };
    let limit = LimitExceeded { what: "response_formats", limit: 2, given: 3 };
    let exceeded = LimitAt { pointer: "/harmony/response_formats".to_owned(), limit };
    assert_eq!(lowered(2, Value::Null), (Some(exceeded), 0));
    assert_eq!(lowered(3, Value::Null), (None, 3));
    assert_eq!(lowered(2, json!("b")), (None, 1), "those that are not chosen do not count");
}

#[test]
fn the_examples_of_the_readme_hold() {
    let readme = include_str!("../../../grammars/README.md");
    let examples = |kind: &str| {
        let (_, rest) = readme.split_once(&format!("```{kind}\n")).expect("a block of examples");
        rest.split_once("```").expect("its end").0.lines()
    };
    let turn = turn(&json!({"tools": [{"type": "function", "name": "get_weather"}]}));
    for completion in examples("accepted") {
        assert_eq!(recognise(&turn, completion), Verdict::Accepted, "{completion}");
    }
    for example in examples("rejected") {
        let (before, after) = example.split_once('¦').expect("a mark");
        let verdict = recognise(&turn, &[before, after].concat());
        assert_eq!(verdict, Verdict::RejectedAt(before.len()), "{example}");
    }
}
