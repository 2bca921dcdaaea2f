//! The command as its users call it: exit codes, what goes to which stream, and the documents of `--json`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

struct Outcome {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Outcome {
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.stdout, self.stderr))
    }
}

/// Starts the command in the project's root.
fn start(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_harmony-mask"))
        .args(arguments)
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts")
}

/// Runs the command in the project's root with a standard input.
fn run(arguments: &[&str], stdin: &[u8]) -> Outcome {
    let mut child = start(arguments);
    // A command that fails early does not read its input.
    let _ = child.stdin.take().expect("piped").write_all(stdin);
    let output = child.wait_with_output().expect("the command ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Outcome { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

fn drafts() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("examples/drafts")).expect("the drafts");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    files
}

#[test]
fn bad_requests_are_refused_with_their_place() {
    let cases = fs::read_to_string(root().join("tests/cases/requests_bad.json")).expect("the cases");
    let cases: Vec<Value> = serde_json::from_str(&cases).expect("JSON");
    for case in cases {
        let request = match &case["request"] {
            Value::String(text) => text.clone(),
            request => request.to_string(),
        };
        let outcome = run(&["compile", "-", "--json"], request.as_bytes());
        let name = &case["name"];
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{name}");
        let error = serde_json::from_str::<Value>(&outcome.stderr).expect("JSON")["error"].take();
        assert_eq!(error["kind"], case["kind"], "{name}");
        assert!(case["pointer"].is_null() || error["pointer"] == case["pointer"], "{name}: {error}");
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{name}");
    }
}

#[test]
fn wrong_calls_print_nothing_to_stdout() {
    let calls: [&[&str]; 11] = [
        &["compile", "examples/weather.json", "--dot", "-", "--json"],
        &[],
        &["check"],
        &["check", "no/such/file", "-"],
        &["check", "-", "-"],
        &["compile", "examples/weather.json", "--schema", "examples/weather.json"],
        &["generate", "examples/weather.json", "--temperature", "-1"],
        &["generate", "examples/weather.json", "--seed", "-1"],
        &["prompt"],
        &["mask", "examples/weather.json", "--prompt", "examples/weather.json"],
        &["generate", "--prompt", "examples/weather.json"],
    ];
    for arguments in calls {
        let outcome = run(arguments, b"");
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(!outcome.stderr.is_empty(), "{arguments:?}");
        assert!(!outcome.stderr.contains("-- -1"), "{arguments:?}: {}", outcome.stderr);
    }
}

/// Help that cannot be written is a failure, as any other output.
#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error() {
    for arguments in [&["--help"][..], &["--version"], &["check", "--help"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
        let output = Command::new(env!("CARGO_BIN_EXE_harmony-mask")).args(arguments).stdout(full).output();
        let output = output.expect("the command ends");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write"), "{arguments:?}");
        let shown = run(arguments, b"");
        assert_eq!((shown.code, shown.stdout.is_empty()), (Some(0), false), "{arguments:?}");
    }
}

/// What a prompt can be given in place of is not shown as if it could be left out.
#[test]
fn usages_have_the_prompt() {
    for command in ["generate", "mask", "check"] {
        let help = run(&[command, "--help"], b"").stdout;
        let usage = format!("harmony-mask {command} [OPTIONS] --prompt <PROMPT>");
        assert!(help.contains(&usage), "{help}");
    }
}

#[test]
fn a_drawing_that_cannot_be_written_is_an_error() {
    let outcome = run(&["compile", "examples/weather.json", "--dot", "no/such/folder/a.dot"], b"");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
    assert!(outcome.stderr.contains("cannot write no/such/folder/a.dot: "), "{}", outcome.stderr);
}

/// What is nested too deeply is JSON all the same.
#[test]
fn schemas_that_are_nested_too_deeply_are_refused() {
    let nested = |levels: usize| format!("{}true{}", "{\"not\":".repeat(levels), "}".repeat(levels));
    for arguments in [&["compile", "--schema", "-"][..], &["check", "--schema", "-", "a"]] {
        let outcome = run(&[arguments, &["--json"]].concat(), nested(200).as_bytes());
        let error = &serde_json::from_str::<Value>(&outcome.stderr).expect("JSON")["error"];
        assert_eq!((outcome.code, error["kind"].as_str()), (Some(2), Some("too_deep")), "{error}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains("128 levels")), "{error}");
    }
}

/// Some editors begin a file with a byte order mark.
#[test]
fn byte_order_marks_are_ignored() {
    let marked = |text: &str| format!("\u{feff}{text}").into_bytes();
    let request = fs::read_to_string(root().join("examples/weather.json")).expect("an example");
    for arguments in [&["compile", "-"][..], &["prompt", "-"], &["mask", "-"], &["check", "--lark", "-", "a"]]
    {
        let text = if arguments.contains(&"--lark") { "start: \"a\"" } else { &request };
        let outcome = run(arguments, &marked(text));
        assert_eq!(outcome.code, Some(0), "{arguments:?}: {}", outcome.stderr);
    }
    let schema = run(&["compile", "--schema", "-"], &marked("{}"));
    assert_eq!(schema.code, Some(0), "{}", schema.stderr);
}

/// JSON in place of a file's name is told from a file that is not there.
#[test]
fn json_in_place_of_a_file_is_told_how_to_come() {
    for (arguments, is_json) in [
        (&["check", "--schema", r#"{"type":"string"}"#, "-"][..], true),
        (&["check", "--schema", "-", r#" {"a": 1}"#], true),
        (&["compile", "--schema", r#"{"type":"string"}"#], true),
        (&["compile", r#"{"tools":[]}"#], true),
        (&["check", "--schema", "no/such/file", "-"], false),
    ] {
        let outcome = run(arguments, b"{}");
        assert_eq!(outcome.code, Some(2), "{arguments:?}");
        let is_told = outcome.stderr.contains("give `-` and the JSON on standard input");
        assert_eq!(is_told, is_json, "{arguments:?}: {}", outcome.stderr);
    }
}

/// The second of two inputs from standard input would be empty.
#[test]
fn one_input_comes_from_standard_input() {
    let request = fs::read(root().join("examples/weather.json")).expect("an example");
    let prompt = run(&["prompt", "examples/weather.json"], b"").stdout;
    let calls: [(&[&str], &[u8]); 3] = [
        (&["check", "-", "-", "--json"], &request),
        (&["generate", "-", "--draft", "-", "--json"], &request),
        (&["generate", "--prompt", "-", "--draft", "-", "--json"], prompt.as_bytes()),
    ];
    for (arguments, stdin) in calls {
        let outcome = run(arguments, stdin);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        let error: Value = serde_json::from_str(&outcome.stderr).expect("JSON");
        assert_eq!(error["error"]["kind"], "usage", "{arguments:?}: {error}");
    }
}

/// The verdict is the exit code, whether anybody reads what is printed or not.
#[test]
fn verdicts_do_not_depend_on_who_reads() {
    let code = |arguments: &[&str], stdin: &[u8]| {
        let mut child = start(arguments);
        // Nothing is printed before all of the input was read.
        drop(child.stdout.take());
        child.stdin.take().expect("piped").write_all(stdin).expect("the command reads");
        let output = child.wait_with_output().expect("the command ends");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
        output.status.code()
    };
    let request = fs::read(root().join("examples/weather.json")).expect("an example");
    for more in [&[][..], &["--json"]] {
        let check = [&["check", "examples/weather.json", "-"], more].concat();
        assert_eq!(code(&check, b"zzz<|return|>"), Some(1));
        assert_eq!(code(&check, b"<|channel|>final<|message|>Hi<|return|>"), Some(0));
        assert_eq!(code(&[&["generate", "-", "--count", "3"], more].concat(), &request), Some(0));
    }
}

/// A turn that may go on after a call may also end there.
#[test]
fn turns_that_end_in_one_of_several_calls_are_verified() {
    let parallel = r#"{"tools": [{"type": "function", "name": "f", "parameters": {}}], "tool_choice": "required", "harmony": {"parallel_tool_calls": true}}"#;
    let fuzzed = run(&["fuzz", "-", "--count", "20", "--json"], parallel.as_bytes());
    assert_eq!((fuzzed.code, &fuzzed.json()["failed"]), (Some(0), &Value::from(0)), "{}", fuzzed.stdout);
}

/// A list in `items` is taken without and with the draft that has another keyword for it, and verified as the
/// drafts before have it.
#[test]
fn lists_of_items_are_verified() {
    let tuple = |dialect: &str, element: &str| {
        let list = format!(
            r#"{{"type": "array", "items": [{{"type": "string"}}, {element}], "additionalItems": false, "minItems": 2}}"#
        );
        let parameters = format!(
            r#"{{{dialect} "type": "object", "properties": {{"p": {list}}}, "required": ["p"], "additionalProperties": false}}"#
        );
        format!(
            r#"{{"tools": [{{"type": "function", "name": "f", "parameters": {parameters}}}], "tool_choice": "required"}}"#
        )
    };
    let newest = r#""$schema": "https://json-schema.org/draft/2020-12/schema","#;
    for dialect in ["", newest] {
        let request = tuple(dialect, r#"{"enum": [1, 2]}"#);
        let fuzzed = run(&["fuzz", "-", "--count", "50", "--json"], request.as_bytes());
        assert_eq!((fuzzed.code, &fuzzed.json()["failed"]), (Some(0), &Value::from(0)), "{}", fuzzed.stdout);
    }
    // No draft has both the list and this keyword.
    assert_not_verified(&tuple("", r#"{"prefixItems": [true]}"#));
}

/// What a string holds is an annotation in all drafts.
#[test]
fn contents_of_strings_are_not_verified() {
    for content in [r#""contentEncoding": "base64""#, r#""contentMediaType": "application/json""#] {
        let schema = format!(
            r#"{{"$schema": "http://json-schema.org/draft-07/schema#", "type": "string", "minLength": 3, {content}}}"#
        );
        let request = format!(r#"{{"harmony": {{"response_formats": [{{"schema": {schema}}}]}}}}"#);
        let fuzzed = run(&["fuzz", "-", "--count", "20"], request.as_bytes());
        assert_eq!(fuzzed.code, Some(0), "{}", fuzzed.stdout);
    }
}

/// A completion of a schema that `jsonschema` refuses is not called wrong.
#[test]
fn what_cannot_be_verified_is_not_called_invalid() {
    assert_not_verified(
        r#"{"harmony": {"response_formats": [{"schema": {"type": "object", "examples": 1}}]}}"#,
    );
}

#[track_caller]
fn assert_not_verified(request: &str) {
    let generated = run(&["generate", "-", "--json"], request.as_bytes());
    assert_eq!(generated.code, Some(0), "{}", generated.stdout);
    let completion = &generated.json()["completions"][0];
    assert_eq!(
        (&completion["verified"], &completion["problems"]),
        (&false.into(), &Value::Array(Vec::new()))
    );
    assert!(completion["unverified"].to_string().contains("jsonschema refuses the schema"), "{completion}");
    let text = run(&["generate", "-", "--count", "2"], request.as_bytes());
    assert!(text.stdout.contains("2 completions, 0 not valid, 2 not verified"), "{}", text.stdout);
    let fuzzed = run(&["fuzz", "-", "--count", "3", "--json"], request.as_bytes());
    assert_eq!((fuzzed.code, &fuzzed.json()["unverified"]["completions"]), (Some(0), &3.into()));
}

/// Arguments, standard input, exit code, offset.
type CheckCase = (&'static [&'static str], &'static [u8], i32, Option<u64>);

#[test]
fn completions_are_checked() {
    let cases: [CheckCase; 8] = [
        (&[], b"<|channel|>final<|message|>Hi<|return|>", 0, None),
        (&["-"], b"<|channel|>final<|message|>Hi<|return|>\n", 0, None),
        (&["<|channel|>final<|message|>Hi<|return|>"], b"", 0, None),
        (&[], b"<|channel|>final<|message|>Hi", 1, Some(29)),
        (&["-", "--prefix-ok"], b"<|channel|>final<|message|>Hi", 0, None),
        (&[], b"<|channel|>comments", 1, Some(18)),
        (&[], b"<|channel|>final<|message|>\xff", 1, Some(27)),
        (&[], b"<|channel|>final<|message|>Hi<|endoftext|>", 1, Some(29)),
    ];
    for (arguments, stdin, code, offset) in cases {
        let all = [&["check", "examples/weather.json", "--json"], arguments].concat();
        let outcome = run(&all, stdin);
        let document = outcome.json();
        assert_eq!(
            (outcome.code, document["offset"].as_u64()),
            (Some(code), offset),
            "{arguments:?} {document}"
        );
        assert_eq!(document["accepted"], code == 0);
    }
}

#[test]
fn json_texts_are_checked_against_bare_schemas() {
    let schema = Path::new(env!("CARGO_TARGET_TMPDIR")).join("schema.json");
    fs::write(&schema, r#"{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}"#)
        .expect("written");
    let schema = schema.to_str().expect("UTF-8");
    let cases = [(r#"{"a": 1}"#, 0), (r#"{"a":1}"#, 0), (r#"{"a": "1"}"#, 1), (r#"{"a": 1"#, 1), ("", 1)];
    for (instance, code) in cases {
        let outcome = run(&["check", "--schema", schema, "-", "--json"], instance.as_bytes());
        assert_eq!(
            (outcome.code, &outcome.json()["accepted"]),
            (Some(code), &Value::Bool(code == 0)),
            "{instance}"
        );
    }
}

#[test]
fn drafts_are_rejected_by_check_and_repaired_by_generate() {
    for draft in drafts() {
        let draft = draft.to_str().expect("UTF-8");
        assert_eq!(run(&["check", "examples/weather.json", draft], b"").code, Some(1), "{draft}");
        let outcome = run(&["generate", "examples/weather.json", "--draft", draft, "--json"], b"");
        let completion = &outcome.json()["completions"][0];
        assert_eq!((outcome.code, &completion["verified"]), (Some(0), &Value::Bool(true)), "{draft}");
        let text = completion["text"].as_str().expect("text");
        let call = completion["messages"].as_array().and_then(|messages| messages.last()).expect("a message");
        assert!(text.contains("Lisbon") && call["recipient"].is_string(), "{draft}: {text}");
        assert_eq!(
            run(&["check", "examples/weather.json"], text.as_bytes()).code,
            Some(0),
            "{draft}: {text}"
        );
    }
}

#[test]
fn the_seed_decides_and_the_budget_holds() {
    let sample = |seed: &str, max_tokens: &str| {
        let arguments = [
            "generate",
            "examples/shopping.json",
            "--count",
            "5",
            "--seed",
            seed,
            "--max-tokens",
            max_tokens,
            "--json",
        ];
        run(&arguments, b"").json()["completions"].take()
    };
    assert_eq!(sample("7", "120"), sample("7", "120"));
    assert_ne!(sample("7", "120"), sample("8", "120"));
    for completion in sample("9", "40").as_array().expect("a list") {
        let tokens = completion["tokens"].as_array().expect("tokens");
        assert!(
            tokens.len() <= 40 && completion["finished"] == true && completion["verified"] == true,
            "{completion}"
        );
    }
}

#[test]
fn masks_are_listed_the_most_telling_first() {
    let ids = |prefix: &str| {
        let document = run(&["mask", "examples/weather.json", "--prefix", prefix, "--json"], b"").json();
        let ids = document["tokens"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|token| token["id"].as_u64().expect("an id"));
        (ids.collect::<Vec<_>>(), document["finished"] == true)
    };
    assert_eq!(ids("").0.first(), Some(&200_005), "<|channel|>");
    assert_eq!(ids("<|channel|>final").0, [200_008], "<|message|>");
    assert_eq!(ids("<|channel|>final<|message|>Hi").0.first(), Some(&200_002), "<|return|>");
    assert_eq!(ids("<|channel|>final<|message|>Hi<|return|>"), (vec![], true));
    assert_eq!(run(&["mask", "examples/weather.json", "--prefix", "no"], b"").code, Some(1));
}

/// A prompt has no form for the grammar of a custom tool; that is said beside it.
#[test]
fn what_a_prompt_does_not_say_is_noted() {
    let request = r#"{"tools": [{"type": "custom", "name": "sum", "format": {"type": "grammar", "syntax": "regex", "definition": "[0-9]+"}}]}"#;
    let outcome = run(&["prompt", "-"], request.as_bytes());
    assert_eq!(outcome.code, Some(0));
    assert_eq!(
        outcome.stderr,
        "note: the prompt does not say the grammar of `sum` (/tools/0/format/definition)\n"
    );
    assert_eq!(run(&["prompt", "examples/weather.json"], b"").stderr, "");
}

/// A cap that is misspelt is no cap: the field is ignored as unknown fields are, and that is said beside the
/// result.
#[test]
fn fields_of_ours_that_do_not_exist_are_noted() {
    let request = r#"{"future": 1, "harmony": {"reasoning": {"max_token": 5}}}"#;
    let warning = "/harmony/reasoning/max_token: there is no such field, so it is ignored";
    let outcome = run(&["mask", "-"], request.as_bytes());
    assert_eq!((outcome.code, &outcome.stderr), (Some(0), &format!("note: {warning}\n")));
    let outcome = run(&["compile", "-", "--json"], request.as_bytes());
    assert_eq!((outcome.code, &*outcome.stderr), (Some(0), ""), "the report has it");
    assert_eq!(outcome.json()["warnings"], serde_json::json!([warning]));
    assert_eq!(run(&["mask", "examples/weather.json"], b"").stderr, "");
}

#[test]
fn prompts_are_written_and_taken_instead_of_requests() {
    let text = run(&["prompt", "examples/weather.json"], b"").stdout;
    assert!(text.starts_with("<|start|>system") && text.ends_with("<|end|><|start|>assistant"), "{text}");
    let document = run(&["prompt", "examples/weather.json", "--json"], b"");
    assert_eq!(document.json()["text"], text);
    let ids = run(&["prompt", "examples/weather.json", "--tokens"], b"").stdout;
    let ids: Vec<Value> = ids.split_whitespace().map(|id| id.parse::<u64>().expect("an id").into()).collect();
    assert_eq!(document.json()["tokens"], Value::Array(ids.clone()));

    let line = format!("{text}\n");
    let begun = format!("{text}<|channel|>final<|message|>Hi");
    let list = Value::Array(ids).to_string();
    for (prompt, completion, code) in [
        (&text, "<|channel|>final<|message|>Hi<|return|>", 0),
        (&line, "<|channel|>final<|message|>Hi<|return|>", 0),
        (&list, "<|channel|>final<|message|>Hi<|return|>", 0),
        (
            &document.stdout,
            "<|channel|>commentary to=functions.get_current_weather json<|message|>{\"location\":\"X\"}<|call|>",
            0,
        ),
        (
            &document.stdout,
            "<|channel|>commentary to=functions.get_current_weather json<|message|>{\"place\"",
            1,
        ),
        (&begun, ", <|b|><|return|>", 0),
        (&begun, "<|channel|>final", 1),
    ] {
        let outcome = run(&["check", "--prompt", "-", completion], prompt.as_bytes());
        assert_eq!(outcome.code, Some(code), "{completion}: {} {}", outcome.stdout, outcome.stderr);
    }
    let mask = run(&["mask", "--prompt", "-", "--json"], begun.as_bytes()).json();
    assert_eq!(mask["tokens"][0]["id"], 200_002, "<|return|>");
    let generated = run(&["generate", "--prompt", "-", "--count", "3", "--json"], document.stdout.as_bytes());
    assert_eq!(generated.code, Some(0), "{}", generated.stderr);
    let drafted =
        run(&["generate", "--prompt", "-", "--draft", "examples/drafts/unbalanced.txt"], begun.as_bytes());
    assert_eq!(drafted.code, Some(2), "{}", drafted.stdout);
}

/// Control characters of an input reach programs as they are, and people's terminals spelled out.
#[test]
fn control_characters_are_not_lost() {
    let said = "see \u{1b}]0;title \u{1b}P~ and all \u{7f} the rest\u{0}";
    let request = json!({ "input": said }).to_string();
    let prompt = run(&["prompt", "-"], request.as_bytes()).stdout;
    assert!(prompt.contains(said) && prompt.ends_with("<|start|>assistant"), "{prompt:?}");
    assert_eq!(run(&["prompt", "-", "--json"], request.as_bytes()).json()["text"], prompt);

    let schema =
        json!({"properties": {"a\u{1b}P\u{7f}b": {"type": "integer"}, "c": {"maxLength": 3}}}).to_string();
    let report = run(&["compile", "--schema", "-"], schema.as_bytes()).stdout;
    assert!(report.contains("/properties/a\\u{1b}P\\u{7f}b/type"), "{report:?}");
    assert!(report.contains("/properties/c/maxLength"), "{report:?}");
    let report = run(&["compile", "--schema", "-", "--json"], schema.as_bytes()).json();
    assert_eq!(report["coverage"][1]["pointer"], "/properties/a\u{1b}P\u{7f}b");
}

/// What the prompt says already is not shown again, and each message stands under its own heading.
#[test]
fn messages_after_a_thought_have_their_headings() {
    let thought =
        "<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>analysis<|message|>Hm<|end|>";
    let shown = run(&["generate", "--prompt", "-", "--seed", "1"], thought.as_bytes());
    let json = run(&["generate", "--prompt", "-", "--seed", "1", "--json"], thought.as_bytes()).json();
    let messages = json["completions"][0]["messages"].as_array().expect("messages")[1..].to_vec();
    let headings: Vec<&str> = shown.stdout.lines().filter_map(|line| line.strip_prefix("── ")).collect();
    let channels =
        messages.iter().map(|message| format!("{} ──", message["channel"].as_str().unwrap_or_default()));
    assert_eq!(headings, Vec::from_iter(channels));
    assert!(headings.last().is_some_and(|last| last.starts_with("final")), "{}", shown.stdout);
}

/// An empty text is a text, not a file without a name.
#[test]
fn empty_texts_are_checked() {
    let checked = run(&["check", "--lark", "-", ""], b"start: \"a\"*");
    assert_eq!((checked.code, checked.stdout.as_str()), (Some(0), "accepted\n"), "{}", checked.stderr);
    assert_eq!(run(&["check", "--lark", "-", ""], b"start: \"a\"").code, Some(1));
}

/// Nothing is told twice.
#[test]
fn unknown_fields_are_warned_of_once() {
    let outcome = run(&["compile", "-"], br#"{"harmony": {"profil": "history"}}"#);
    let told = [outcome.stdout, outcome.stderr].concat();
    assert_eq!((outcome.code, told.matches("/harmony/profil").count()), (Some(0), 1), "{told}");
}

/// A prompt may end behind a whole message; then the completion begins with the start of the next one.
#[test]
fn prompts_may_end_behind_a_message() {
    let asked = "<|start|>user<|message|>Hi<|end|>";
    let thought = format!("{asked}<|start|>assistant<|channel|>analysis<|message|>Hm<|end|>");
    let answered = format!("{asked}<|start|>assistant<|channel|>final<|message|>Ho<|end|>");
    let start = "<|start|>assistant<|channel|>final<|message|>Hi<|return|>";
    let code = |arguments: &[&str], prompt: &str| {
        let outcome = run(arguments, prompt.as_bytes());
        (outcome.code, outcome.stderr.contains("there is nothing to complete"))
    };
    for prompt in [asked, &thought, &format!("{thought}\n")] {
        assert_eq!(code(&["check", "--prompt", "-", start], prompt), (Some(0), false), "{prompt}");
        let without_start = start.trim_start_matches("<|start|>assistant");
        assert_eq!(code(&["check", "--prompt", "-", without_start], prompt), (Some(1), false), "{prompt}");
        assert_eq!(code(&["generate", "--prompt", "-"], prompt), (Some(0), false), "{prompt}");
    }
    for over in ["", &answered, &answered.replace("Ho<|end|>", "Ho<|return|>")] {
        assert_eq!(code(&["check", "--prompt", "-", start], over), (Some(2), true), "{over}");
    }
    let document = run(&["prompt", "examples/weather.json", "--json"], b"").json();
    let mut tokens = document["tokens"].as_array().expect("ids").clone();
    tokens.truncate(tokens.len() - 2);
    let tokens = Value::Array(tokens).to_string();
    assert_eq!(code(&["check", "--prompt", "-", start], &tokens), (Some(0), false), "{tokens}");
}

#[test]
fn bad_prompts_and_conversations_are_refused_with_their_place() {
    let error = |arguments: &[&str], stdin: &str| {
        let outcome = run(arguments, stdin.as_bytes());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{stdin}");
        serde_json::from_str::<Value>(&outcome.stderr).expect("JSON")["error"].take()
    };
    let read =
        error(&["mask", "--prompt", "-", "--json"], "<|start|>user<|message|>Hi<|end|>\n<|start|>asistant");
    assert_eq!((&read["kind"], &read["line"], &read["column"]), (&"expected".into(), &2.into(), &10.into()));
    let begun = error(&["mask", "--prompt", "-", "--json"], "<|start|>assistant<|channel|>secret");
    assert_eq!(begun["kind"], "answer", "{begun}");
    let ids = error(&["mask", "--prompt", "-", "--json"], r#"{"tokens": ["x"]}"#);
    assert_eq!(ids["kind"], "usage", "{ids}");
    let result = r#"{"messages": [{"role": "tool", "tool_call_id": "1", "content": "x"}]}"#;
    let result = error(&["prompt", "-", "--json"], result);
    assert_eq!(
        (&result["kind"], &result["pointer"]),
        (&"result_without_call".into(), &"/messages/0/tool_call_id".into())
    );
}

#[test]
fn grammars_are_checked_and_drawn() {
    let grammar = "tests/cases/grammars/calculator.lark";
    let accepted = run(&["check", "--lark", grammar, "1 + 2 * (3 - 4)"], b"");
    assert_eq!((accepted.code, accepted.stdout.as_str()), (Some(0), "accepted\n"), "{}", accepted.stderr);
    let from_stdin = run(&["check", "--lark", grammar, "-", "--json"], b"1 + * 2");
    assert_eq!((from_stdin.code, &from_stdin.json()["offset"]), (Some(1), &Value::from(4)));
    let small = "tests/cases/grammars/literal.lark";
    let drawn = run(&["compile", "--lark", small, "--dot", "-"], b"");
    assert_eq!(drawn.code, Some(0));
    assert!(
        drawn.stdout.starts_with("digraph automaton {") && drawn.stdout.contains("[label=\"y\"]"),
        "{}",
        drawn.stdout
    );
    let wrong = run(&["compile", "--lark", "-", "--json"], b"start: other");
    let error: Value = serde_json::from_str(&wrong.stderr).expect("JSON");
    assert_eq!((wrong.code, &error["error"]["kind"]), (Some(2), &Value::from("undefined")));
    assert!(error["error"]["message"].as_str().is_some_and(|message| message.contains("line 1, column 8")));
}

#[test]
fn fuzzing_takes_every_branch_and_finds_nothing() {
    let outcome =
        run(&["fuzz", "examples/tools_and_format.json", "--count", "20000", "--seed", "3", "--json"], b"");
    let document = outcome.json();
    assert_eq!((outcome.code, &document["failed"]), (Some(0), &Value::from(0)), "{document}");
    assert_eq!(document["branches"]["missing"], Value::Array(Vec::new()));
    assert!(document["branches"]["offered"].as_u64() > Some(40), "{document}");
    let text = run(&["fuzz", "examples/weather.json", "--count", "20"], b"").stdout;
    assert!(text.contains("20 completions in ") && text.ends_with(", no failure\n"), "{text}");
}
