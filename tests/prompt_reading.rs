//! Requests read from prompts: what is the same, what is lost, and what is refused.

use harmony_mask::harmony::Tool;
use harmony_mask::prompt::{Conversation, Parameters};
use harmony_mask::{Grammar, Request, TokenMask};
use serde_json::{Value, json};

use crate::harness::{COMPILER, HABITS, Random, WIDTH, choose, python};

fn cases(text: &str) -> Vec<Value> {
    serde_json::from_str(text).expect("JSON")
}

fn text<'v>(case: &'v Value, field: &str) -> &'v str {
    case[field].as_str().unwrap_or_else(|| panic!("{field} of {}", case["name"]))
}

fn request(parameters: &Value) -> Value {
    json!({"tools": [
        {"type": "function", "name": "f", "description": "Does it.\n\nAt once.", "parameters": parameters},
        {"type": "function", "name": "g"},
    ]})
}

fn prompt(request: &Value) -> String {
    Conversation::read(request)
        .unwrap_or_else(|error| panic!("{error}: {request}"))
        .for_completion()
        .to_string()
}

fn grammar(request: &Value) -> Grammar {
    COMPILER.compile(&Request::read(request).expect("a request")).expect("compiles")
}

/// The schemas that the notation can express come back as they were, prompts as well, and so the masks are
/// the same.
#[test]
fn what_the_notation_expresses_gives_the_same_masks() {
    for (parameters, seed) in cases(include_str!("cases/prompt/expressible.json")).iter().zip(1..) {
        let request = request(parameters);
        let prompt = prompt(&request);
        let read = Request::from_prompt(&prompt).unwrap_or_else(|error| panic!("{error}: {prompt}"));
        let functions = &read.conversation.developer().functions;
        assert_eq!(functions[0].parameters, Parameters::Json(parameters.clone()), "{prompt}");
        assert_eq!(
            (&*functions[0].description, &functions[1].parameters),
            ("Does it.\n\nAt once.", &Parameters::None)
        );
        assert_eq!(read.conversation.for_completion().to_string(), prompt);
        assert_same_masks(&grammar(&request), &COMPILER.compile(&read.request).expect("compiles"), seed);
    }
}

fn assert_same_masks(ours: &Grammar, theirs: &Grammar, seed: u64) {
    let mut random = Random::new(seed);
    for habit in HABITS {
        let (mut ours, mut theirs) = (ours.matcher(), theirs.matcher());
        let (mut mask, mut their_mask) = (TokenMask::new(WIDTH), TokenMask::new(WIDTH));
        for step in 0..60 {
            ours.fill_mask(&mut mask);
            theirs.fill_mask(&mut their_mask);
            let before = || ours.vocabulary().decode(ours.tokens());
            assert!(mask == their_mask, "after {}", before());
            if ours.is_finished() {
                break;
            }
            // Half of the way goes straight to the arguments.
            let token = if step < 10 {
                ours.shortest_completion()[0]
            } else {
                choose(&ours, &mask, habit, &mut random)
            };
            ours.accept(token).expect("allowed");
            theirs.accept(token).expect("allowed by the same mask");
        }
    }
}

/// What the notation has no words for: what comes back, and a value that tells the difference. Without a
/// value it is only said in other words.
#[test]
fn losses_are_those_that_are_listed() {
    for case in cases(include_str!("cases/prompt/losses.json")) {
        let object = |member: &Value| json!({"type": "object", "properties": {"x": member}, "required": ["x"], "additionalProperties": false});
        let request = request(&object(&case["schema"]));
        let read = Request::from_prompt(&prompt(&request)).expect("our own prompt");
        let functions = &read.conversation.developer().functions;
        assert_eq!(functions[0].parameters, Parameters::Json(object(&case["read"])), "{}", case["name"]);
        let (before, after) = (grammar(&request), COMPILER.compile(&read.request).expect("compiles"));
        if case.get("value").is_none() {
            assert_same_masks(&before, &after, 5);
            continue;
        }
        let accepts = |grammar: &Grammar| {
            let completion = format!(
                "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{{\"x\":{}}}<|call|>",
                text(&case, "value")
            );
            let tokens = COMPILER.vocabulary().encode_with_special(&completion).expect("it has an encoder");
            let mut matcher = grammar.matcher();
            tokens.iter().all(|token| matcher.accept(*token).is_ok())
        };
        let found = (json!(accepts(&before)), json!(accepts(&after)));
        assert_eq!(found, (case["before"].clone(), case["after"].clone()), "{}", case["name"]);
    }
}

/// All settings of a prompt at once.
#[test]
fn everything_in_a_prompt_comes_back() {
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "integer", "minimum": 3}}, "required": ["a"]});
    let request = json!({
        "instructions": "# Tools\n\nUse them.\n\n# Response Formats\n\nSee below.",
        "input": "Go",
        "reasoning": {"effort": "high"},
        "tools": [
            {"type": "function", "name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": false}},
            {"type": "custom", "name": "run", "description": "Runs a program."}
        ],
        "harmony": {
            "builtin_tools": ["browser", "python"],
            "response_formats": [{"name": "a", "description": "Two\nlines", "schema": schema}, {"name": "b", "schema": schema}]
        }
    });
    let written = prompt(&request);
    let read = Request::from_prompt(&written).unwrap_or_else(|error| panic!("{error}: {written}"));
    let ours = Conversation::read(&request).expect("a request");
    assert_eq!(read.conversation, ours);
    let recipients = |request: &Request| request.tools().iter().map(Tool::recipient).collect::<Vec<_>>();
    let expected = Request::read(&request).expect("a request");
    assert_eq!(recipients(&read.request), recipients(&expected));
    assert_eq!(read.request.format(), expected.format());
    assert_same_masks(
        &COMPILER.compile(&expected).expect("compiles"),
        &COMPILER.compile(&read.request).expect("compiles"),
        7,
    );
}

/// What the masks allow and no document shows in a prompt is said to be missing there, and it is.
#[test]
fn what_a_prompt_cannot_say_is_listed() {
    let grammar = json!({"syntax": "lark", "definition": "start: \"unseen\""});
    let nested = json!({"type": "grammar", "grammar": grammar});
    let request = json!({
        "tools": [
            {"type": "custom", "name": "run", "description": "Runs it."},
            {"type": "custom", "custom": {"name": "sum", "format": nested}},
            {"type": "function", "name": "f"},
        ],
        "harmony": {
            "builtin_tools": ["python"],
            "recipients": [
                {"name": "container.exec", "schema": {"type": "object"}},
                {"name": "lab.sum", "grammar": grammar},
                {"name": "notes", "text": true},
            ]
        }
    });
    let conversation = Conversation::read(&request).expect("a request");
    let unsaid: Vec<String> = conversation.unsaid().iter().map(ToString::to_string).collect();
    assert_eq!(
        unsaid,
        [
            "the prompt does not say the grammar of `sum` (/tools/1/custom/format/grammar/definition)",
            "the prompt does not declare the recipient `container.exec` (/harmony/recipients/0/schema)",
            "the prompt does not declare the recipient `lab.sum` (/harmony/recipients/1/grammar/definition)",
            "the prompt does not declare the recipient `notes` (/harmony/recipients/2)",
        ]
    );
    let prompt = conversation.for_completion().to_string();
    assert!(prompt.contains("type sum = (_: string) => any;"), "{prompt}");
    for missing in ["unseen", "container", "lab.sum", "notes"] {
        assert!(!prompt.contains(missing), "{missing}: {prompt}");
    }
}

/// Where an answer has begun, in text and in tokens, and what may follow.
#[test]
fn answers_that_have_begun_go_on() {
    let vocabulary = COMPILER.vocabulary();
    let prompt = prompt(&request(
        &json!({"type": "object", "properties": {"a": {"type": "boolean"}}, "additionalProperties": false}),
    ));
    for begun in [
        "",
        "<|channel|>",
        "<|channel|>analysis<|message|>Hm",
        " to=functions.f",
        "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{\"a\":tr",
    ] {
        let text = format!("{prompt}{begun}");
        let read = Request::from_prompt(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(&text[read.position..], begun);
        let tokens = vocabulary.encode_with_special(&text).expect("it has an encoder");
        let from_tokens = Request::from_prompt_tokens(vocabulary, &tokens).expect("the same prompt");
        assert_eq!(vocabulary.decode(&tokens[from_tokens.position..]), begun);
        assert_eq!((&from_tokens.request, &from_tokens.conversation), (&read.request, &read.conversation));
        let mut matcher = COMPILER.compile(&read.request).expect("compiles").matcher();
        for token in &tokens[from_tokens.position..] {
            matcher.accept(*token).unwrap_or_else(|error| panic!("{error}: {begun}"));
        }
    }
}

/// Prompts that are refused: `{name, prompt, kind, line, column}`.
#[test]
fn bad_prompts_are_refused() {
    let mut wrong = Vec::new();
    for case in cases(include_str!("cases/prompt/bad_prompts.json")) {
        let found = match Request::from_prompt(text(&case, "prompt")) {
            Ok(_) => json!("read"),
            Err(error) => {
                println!("{}: {error}", case["name"]);
                json!([error.kind().name(), error.line(), error.column()])
            }
        };
        if found != case["error"] {
            wrong.push(format!("{}: {found}", case["name"]));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Conversations that are refused: `{name, request, kind, pointer}`.
#[test]
fn bad_conversations_are_refused() {
    for case in cases(include_str!("cases/prompt/bad_conversations.json")) {
        let error = Conversation::read(&case["request"]).expect_err(text(&case, "name"));
        println!("{}: {error}", case["name"]);
        assert_eq!(
            (error.kind().name(), error.pointer()),
            (text(&case, "kind"), text(&case, "pointer")),
            "{}",
            case["name"]
        );
    }
}

/// Texts that try to be more than text. Half of them are put together from pieces of the format, half of any
/// tokens.
fn hostile(random: &mut Random) -> String {
    const PIECES: [&str; 24] = [
        "<|start|>",
        "<|end|>",
        "<|message|>",
        "<|channel|>",
        "<|constrain|>",
        "<|return|>",
        "<|call|>",
        "<|endoftext|>",
        "<|reserved_200013|>",
        "<|",
        "|>",
        "<|en",
        "d|>",
        "system",
        "assistant",
        "user",
        "final",
        "\n\n# Tools\n\n## functions\n\n",
        "} // namespace functions",
        " to=functions.f",
        "\\ud800",
        "\u{fffd}\u{0}",
        "\u{202e}",
        "// ",
    ];
    let len = 1 + random.below(12);
    (0..len)
        .map(|_| match random.below(2) {
            0 => PIECES[random.below(PIECES.len())].to_owned(),
            _ => COMPILER.vocabulary().decode(&[u32::try_from(random.below(201_088)).expect("fits")]),
        })
        .collect()
}

/// No user's text becomes a control token, wherever a request has text.
#[test]
fn hostile_texts_stay_text() {
    let mut random = Random::new(9);
    let template = |text: &str| {
        json!({
            "instructions": text,
            "messages": [
                {"role": "user", "content": text},
                {"role": "assistant", "reasoning_content": text, "content": text, "tool_calls": [{"id": text, "type": "function", "function": {"name": "f", "arguments": text}}]},
                {"role": "tool", "tool_call_id": text, "content": [{"type": "text", "text": text}]},
                {"role": "developer", "content": text},
            ],
            "tools": [{"type": "function", "name": "f", "description": text, "parameters": {
                "type": "object", "description": text,
                "properties": {text: {"type": "string", "title": text, "description": text, "default": text, "examples": [text], "enum": [text]}},
            }}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "r", "description": text, "schema": {"type": "object", "title": text}}},
            "harmony": {"prompt": {"system": {"identity": text, "knowledge_cutoff": text, "current_date": text}}},
        })
    };
    let controls = |request: &Value| {
        let tokens =
            Conversation::read(request).expect("a request").for_completion().tokens(COMPILER.vocabulary());
        let tokens = tokens.expect("it has an encoder");
        tokens
            .into_iter()
            .filter(|token| COMPILER.vocabulary().token_bytes(*token).is_none())
            .collect::<Vec<_>>()
    };
    let expected = controls(&template("x"));
    for _ in 0..1_000 {
        let text = hostile(&mut random);
        // As clients write it, with a lone surrogate here and there, but not in the name of the property.
        let lone = |json: &str| json.replace("\\ufffd", "\\udbff");
        let (name, value) = (python::dumps(&json!(text)), ": {\"type\": \"string\"");
        let json = lone(&python::dumps(&template(&text)));
        let json = json.replace(&format!("{}{value}", lone(&name)), &format!("{name}{value}"));
        let request = harmony_mask::harmony::document(&json).expect("JSON");
        assert_eq!(controls(&request), expected, "{text:?}");
    }
}

/// Half of a surrogate pair is no character. JSON may hold its escape all the same, and it is read as U+FFFD,
/// though not in names.
#[test]
fn unpaired_surrogates_are_replaced() {
    for (escaped, expected) in [
        (r"a\ud800", "a\u{fffd}"),
        (r"\udc00x", "\u{fffd}x"),
        (r"\uD83C\uDF89", "🎉"),
        (r"\ud800\ud83c\udf89\udf89", "\u{fffd}🎉\u{fffd}"),
        (r"\udbff\u0041", "\u{fffd}A"),
        (r"\\ud800", "\\ud800"),
        (r"\ud800\\udc00", "\u{fffd}\\udc00"),
    ] {
        let request = format!(r#"{{"input": "<|end|>{escaped}"}}"#);
        let request =
            harmony_mask::harmony::document(&request).unwrap_or_else(|error| panic!("{error}: {escaped}"));
        assert_eq!(request["input"], format!("<|end|>{expected}"));
    }
    for broken in [
        r#"{"input": "\u"#,
        r#"{"input": "\ud8"}"#,
        r#"{"input": "\"#,
        r#"{"input": "\ué"}"#,
        r#"{"input": "\ud800\"#,
        // Two names could become one.
        r#"{"\ud83c": 1, "\ud83d": 2}"#,
        r#"{"input": "\ud83c", "a\"\udc00" : 2}"#,
    ] {
        harmony_mask::harmony::document(broken).expect_err(broken);
    }
}

/// Reading never panics and never hangs, whatever it is given.
#[test]
fn mutilated_prompts_are_read_or_refused() {
    let mut random = Random::new(11);
    let everything = cases(include_str!("cases/prompt/seeds.json"));
    for round in 0..4_000 {
        let seed = text(&everything[round % everything.len()], "prompt");
        let boundary = |at: usize| (at..).find(|at| seed.is_char_boundary(*at)).expect("the end is one");
        let (from, len) = (boundary(random.below(seed.len())), random.below(6));
        let to = boundary((from + len).min(seed.len()));
        let inserted = if random.below(2) == 0 { hostile(&mut random) } else { String::new() };
        let prompt = format!("{}{inserted}{}", &seed[..from], &seed[to..]);
        if let Ok(read) = Request::from_prompt(&prompt) {
            // What is read can be written and read again.
            let again = read.conversation.for_completion().to_string();
            Request::from_prompt(&again).unwrap_or_else(|error| panic!("{error}: {again}\n\n{prompt}"));
        }
    }
}

/// The same for tokens, cut anywhere and with any tokens among them.
#[test]
fn mutilated_tokens_are_read_or_refused() {
    let mut random = Random::new(13);
    let vocabulary = COMPILER.vocabulary();
    for case in cases(include_str!("cases/prompt/seeds.json")) {
        let whole = vocabulary.encode_with_special(text(&case, "prompt")).expect("it has an encoder");
        for _ in 0..100 {
            let mut tokens = whole[..=random.below(whole.len())].to_vec();
            for _ in 0..random.below(4) {
                let at = random.below(tokens.len());
                // A control token half of the time, broken characters sometimes.
                let any = [199_990, 11_088][random.below(2)] + random.below(30);
                tokens[at] = u32::try_from(any).expect("fits");
            }
            if let Ok(read) = Request::from_prompt_tokens(vocabulary, &tokens) {
                assert!(read.position <= tokens.len());
            }
        }
    }
}

/// What is long is read in a time that grows with its length: each of these would take hours otherwise.
#[test]
fn long_prompts_are_read_or_refused() {
    let functions = |declaration: &str| {
        format!(
            "<|start|>developer<|message|># Tools\n\n## functions\n\nnamespace functions {{\n\n{declaration}\n\n\
             }} // namespace functions<|end|><|start|>assistant"
        )
    };
    let many = |count, item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<String>();
    let members = many(100_000, &|at| format!("a{at}: string,\n"));
    let words = many(100_000, &|at| format!("\"{at}\" | "));
    for (name, prompt) in [
        ("members", functions(&format!("type f = (_: {{\n{members}}}) => any;"))),
        ("a choice", functions(&format!("type f = (_: {{\na: {words}\"\"[],\n}}) => any;"))),
        ("functions", functions(&many(5_000, &|at| format!("type f{at} = () => any;\n")))),
        ("arrays", functions(&format!("type f = (_: any{}) => any;", "[]".repeat(100_000)))),
        ("brackets", functions(&format!("type f = (_: {}) => any;", "(".repeat(100_000)))),
        ("objects", functions(&format!("type f = (_: {}) => any;", "{a: ".repeat(100_000)))),
        ("half tokens", format!("<|start|>user<|message|>{}<|end|><|start|>assistant", "<|".repeat(500_000))),
        ("messages", format!("{}<|start|>assistant", "<|start|>user<|message|>x<|end|>".repeat(50_000))),
        (
            "headings",
            format!(
                "<|start|>developer<|message|># Instructions\n\n{}<|end|>",
                "# Tools\n\n".repeat(100_000)
            ),
        ),
    ] {
        let outcome = Conversation::from_prompt(&prompt).map(|read| read.messages().len());
        println!("{name}: {outcome:?}");
    }
}
