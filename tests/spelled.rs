//! Text that spells a special token: never the token itself, and forbidden on request.

use harmony_mask::transcript::End;
use harmony_mask::{Grammar, Request};
use serde_json::{Value, json};

use crate::harness::COMPILER;

/// A completion with a text in an answer, in arguments, under a name of arguments, and in source code.
const BODIES: [(&str, &str, &str); 4] = [
    ("<|channel|>final<|message|>", "a TEXT b", "<|return|>"),
    ("<|channel|>commentary to=functions.f<|message|>", r#"{"a":"TEXT"}"#, "<|call|>"),
    ("<|channel|>commentary to=functions.f<|message|>", r#"{"TEXT":1}"#, "<|call|>"),
    ("<|channel|>analysis to=python<|message|>", "print('TEXT')", "<|call|>"),
];

fn grammar(forbids: bool) -> Grammar {
    let tool = json!({"type": "function", "name": "f", "parameters": {"type": "object", "additionalProperties": {"type": ["string", "integer"]}}});
    let harmony = json!({"builtin_tools": ["python"], "forbid_spelled_tokens": forbids});
    let request = Request::read(&json!({"tools": [tool], "harmony": harmony})).expect("a request");
    COMPILER.compile(&request).expect("compiles")
}

/// Whether the completion is accepted whose body is tokenised as ordinary text.
fn accepts(grammar: &Grammar, (header, body, end): (&str, &str, &str)) -> bool {
    let special = |text| COMPILER.vocabulary().encode_with_special(text).expect("it has an encoder");
    let body = COMPILER.vocabulary().encode(body).expect("it has an encoder");
    let tokens = [special(header), body, special(end)].concat();
    let mut matcher = grammar.matcher();
    if !tokens.iter().all(|token| matcher.accept(*token).is_ok()) {
        return false;
    }
    let messages = matcher.transcript().messages;
    assert!(
        messages.len() == 1 && messages[0].end.is_some_and(|end| end != End::End),
        "one message: {messages:?}"
    );
    matcher.is_finished()
}

#[test]
fn spelled_tokens_are_text_unless_forbidden() {
    let (free, strict) = (grammar(false), grammar(true));
    let spelled = ["<|end|>", "<|channel|>", "<|call|>", "<|endoftext|>", "<|reserved_200001|>"];
    let harmless = ["<|", "<|end", "<|ending|>", "|end|>", "< |end|>", "<|End|>"];
    for (texts, is_allowed) in [(&spelled[..], false), (&harmless[..], true)] {
        for text in texts {
            for (header, body, end) in BODIES {
                let body = body.replace("TEXT", text);
                assert!(accepts(&free, (header, &body, end)), "{header}{body}");
                assert_eq!(accepts(&strict, (header, &body, end)), is_allowed, "{header}{body}");
            }
        }
    }
    let escaped = r#"{"a":"<\u007cend|>"}"#;
    assert!(
        !accepts(&strict, (BODIES[1].0, escaped, BODIES[1].2)),
        "an escape spells it too, once it is decoded"
    );
}

#[test]
fn a_schema_that_needs_a_spelled_token_is_refused() {
    let request = |schema: Value| {
        let formats = json!([{"name": "a", "schema": schema}]);
        let document = json!({"harmony": {"response_formats": formats, "forbid_spelled_tokens": true}});
        COMPILER.compile(&Request::read(&document).expect("a request"))
    };
    for schema in [json!({"const": "<|end|>"}), json!({"type": "object", "required": ["<|end|>"]})] {
        let error = request(schema).expect_err("it asks for a spelled token");
        assert_eq!(error.kind(), "unsatisfiable");
        assert!(error.to_string().ends_with("the schema itself, no text spells a special token"), "{error}");
    }
    assert!(request(json!({"enum": ["<|end|>", "end"]})).is_ok());
}

/// A request whose answer is a text of this grammar and that forbids spelled tokens; the kind of the error,
/// where there is one.
fn answers(syntax: &str, definition: &str) -> Result<Grammar, &'static str> {
    let format = json!({"type": "grammar", "syntax": syntax, "definition": definition});
    let document = json!({"text": {"format": format}, "harmony": {"forbid_spelled_tokens": true}});
    COMPILER.compile(&Request::read(&document).expect("a request")).map_err(|error| error.kind())
}

#[test]
fn grammars_are_confined_to_texts_that_spell_no_token() {
    for (syntax, definition) in [
        ("regex", "[^\"]*"),
        ("lark", "start: TEXT\nTEXT: /[^\"]*/"),
        ("lark", "start: line (\"\\n\" line)*\nline: /[^\\n]+/ | %json {\"type\": \"string\"}"),
        ("lark", "start: (NAME | \"<\" | \"|\" \" \" | \">\")+\nNAME: /[a-z]+/"),
    ] {
        let grammar = answers(syntax, definition).expect(definition);
        let accepts = |text| accepts(&grammar, (BODIES[0].0, text, BODIES[0].2));
        assert!(accepts("end < | >end") || accepts("end"), "{definition}");
        assert!(!accepts("<|end|>"), "{definition}");
        assert!(!accepts("a<|start|>b"), "{definition}");
    }
}

#[test]
fn grammars_that_may_spell_a_token_across_terminals_are_refused() {
    for (definition, kind) in [
        ("start: \"a\" | \"<|end|>\"", "unsatisfiable"),
        ("start: \"<|\" \"end\" \"|>\"", "unsupported"),
        ("start: (\"<\" | \"|\" | \">\" | NAME)*\nNAME: /[a-z]+/", "unsupported"),
        ("start: x\nx: \"(\" x \")\" | \"<\" y\ny: \"|end\" z\nz: \"x\" | \"|>\"", "unsupported"),
        ("start: \"<|en\" \"d|>\"\n%ignore /~+/", "unsupported"),
        ("start: \"<|reserved_\" %json {\"type\": \"integer\"} \"|>\"", "unsupported"),
    ] {
        assert_eq!(answers("lark", definition).err(), Some(kind), "{definition}");
    }
    for definition in [
        "start: \"<|\" \"en\" \"x\" \"d|>\"",
        "start: (\"<\" NAME | \"|\" NAME | \">\" NAME)*\nNAME: /[a-z]+/",
        "start: x\nx: \"(\" x \")\" | \"<|en\" \" \" | \"d|>\"",
        "start: (\"<\" %json {\"type\": \"string\"} \">\")*",
    ] {
        assert_eq!(answers("lark", definition).err(), None, "{definition}");
    }
}
