//! Grammars of one's own: Lark and regular expressions, over the cases in `tests/cases/grammars`.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::earley::Earley;
use crate::harness::{COMPILER, HABITS, Random, WIDTH, walk};
use crate::masks::check_state;
use harmony_mask::automaton::{Residual, Unit};
use harmony_mask::{
    Cancellation, Compiler, Error, Grammar, Layout, Limits, Matcher, Options, TokenMask, Vocabulary,
};
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/grammars")
}

struct Case {
    name: String,
    source: String,
    grammar: Grammar,
    texts: Value,
}

fn cases() -> Vec<Case> {
    let texts = fs::read_to_string(folder().join("cases.json")).expect("the cases");
    let texts: serde_json::Map<String, Value> = serde_json::from_str(&texts).expect("JSON");
    let case = |(name, texts): (String, Value)| {
        let source = fs::read_to_string(folder().join(format!("{name}.lark"))).expect("a grammar");
        let grammar = compile(&source).unwrap_or_else(|error| panic!("{name}: {error}"));
        Case { name, source, grammar, texts }
    };
    texts.into_iter().map(case).collect()
}

fn compile(source: &str) -> Result<Grammar, harmony_mask::Error> {
    COMPILER.compile_lark(source, &Options::default())
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// How many bytes of a text are the beginning of one of the language, and whether it is one.
fn read(grammar: &Grammar, text: &str) -> (usize, bool) {
    let matcher = grammar.matcher();
    let automaton = matcher.automaton();
    let mut residual = automaton.start().clone();
    for (at, byte) in text.bytes().enumerate() {
        match automaton.step(&residual, Unit::Byte(byte)) {
            Some(next) => residual = next,
            None => return (at, false),
        }
    }
    (text.len(), automaton.accepts(&residual))
}

#[test]
fn texts_are_accepted_and_rejected() {
    let mut wrong = Vec::new();
    for Case { name, source, grammar, texts } in cases() {
        let oracle = Earley::read(&source);
        let mut check = |text: &str, expected: (usize, bool)| {
            let found = read(&grammar, text);
            if found != expected {
                wrong.push(format!("{name}: {text:?} gives {found:?}, not {expected:?}"));
            }
            if oracle.as_ref().is_some_and(|oracle| oracle.accepts(text.as_bytes()) != expected.1) {
                wrong.push(format!("{name}: the oracle does not agree on {text:?}"));
            }
        };
        for accepted in texts["accepted"].as_array().expect("a list").iter().map(text) {
            check(accepted, (accepted.len(), true));
        }
        for rejected in texts["rejected"].as_array().expect("a list") {
            let (before, after) = (text(&rejected[0]), text(&rejected[1]));
            check(&format!("{before}{after}"), (before.len(), false));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Law 1 over all ids, and that every completion is one of the language.
#[test]
fn masks_equal_brute_force_and_completions_are_texts() {
    let (mut states, mut random) = (0, Random::new(6));
    for Case { name, source, grammar, .. } in cases() {
        let oracle = Earley::read(&source);
        #[expect(clippy::mutable_key_type, reason = "what is filled in later is neither hashed nor compared")]
        let mut seen: HashSet<Residual> = HashSet::new();
        for round in 0..15 {
            let matcher = walk(&grammar, HABITS[round % 3], 12, &mut random, |matcher, mask| {
                if seen.len() < 48 && seen.insert(matcher.residual().clone()) {
                    check_state(matcher, mask, 0, &name);
                }
            });
            assert!(matcher.is_accepting(), "{name}: {:?} is not complete", said(&matcher));
            let bytes = bytes(&matcher);
            let is_text = oracle.as_ref().is_none_or(|oracle| oracle.accepts(&bytes));
            assert!(is_text, "the oracle rejects {:?} of {name}", String::from_utf8_lossy(&bytes));
        }
        states += seen.len();
    }
    assert!(states >= 1_000, "{states} states");
}

fn said(matcher: &Matcher) -> String {
    matcher.vocabulary().decode(matcher.tokens())
}

/// What was read, without the token that ended it.
fn bytes(matcher: &Matcher) -> Vec<u8> {
    let vocabulary = matcher.vocabulary();
    matcher.tokens().iter().filter_map(|token| vocabulary.token_bytes(*token)).flatten().copied().collect()
}

/// Objects of at most one member, since a grammar cannot ask for distinct names.
const JSON: &str = r#"
    start: value
    value: "null" | "true" | "false" | NUMBER | STRING | "[" (value (COMMA value)*)? "]" | "{" (STRING COLON value)? "}"
    NUMBER: /-?(0|[1-9][0-9]{0,307})(\.[0-9]+)?/ | /-?(0(\.0+)?|[1-9](\.[0-9]+)?)[eE]/ EXPONENT
    EXPONENT: /\+?([0-9]{1,2}|[0-2][0-9]{2}|30[0-7])|-([0-9]{1,2}|[0-3][0-9]{2})/
    STRING: "\"" CHARACTER* "\""
    CHARACTER: /[^"\\\x00-\x1f]/ | "\\" (/["\\\/bfnrt]/ | "u" (PLAIN | HIGH "\\u" LOW))
    PLAIN: /[0-9a-cA-CefEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2}/
    HIGH: /[dD][89abAB][0-9a-fA-F]{2}/
    LOW: /[dD][c-fC-F][0-9a-fA-F]{2}/
"#;

fn json_schema() -> Value {
    serde_json::json!({"anyOf": [
        {"type": ["null", "boolean", "number", "string"]},
        {"type": "array", "items": {"$ref": "#"}},
        {"type": "object", "maxProperties": 1, "additionalProperties": {"$ref": "#"}},
    ]})
}

/// Texts of several kinds, written compactly.
const TEXTS: [&str; 8] = [
    r#"[null,true,false,"",{},[]]"#,
    r#"{"a":{"b c":[{"é":-0.5},"\n\u00e9\ud83d\ude00/"]}}"#,
    r#"[0,-1,20.05,[["deep"]],"12"]"#,
    r#"[1e5,-1.25E-7,0.0e0,3.0,123456789012345678901234567890]"#,
    r#"["Grüße, 世界 👋","tab\there","back\\slash \"quoted\"","</script>"]"#,
    r#"{"query":"SELECT name FROM users WHERE id = 12 AND note LIKE '%x%';"}"#,
    r#"[[[[[[[[[[[[[[[[{"k":[[[[[[[[]]]]]]]]}]]]]]]]]]]]]]]]]"#,
    r#""The quick brown fox, jumping: [over] {lazy} dogs.""#,
];

/// JSON by a grammar allows what JSON by a schema does: compactly, and with or without a space after each
/// comma and colon.
#[test]
fn json_by_grammar_is_json_by_schema() {
    let spaced = |text: &str| text.replace("\",", "\", ").replace("],", "], ").replace("\":", "\": ");
    for (layout, space) in [(Layout::Compact, ""), (Layout::Single, r#" " "?"#)] {
        let options = Options { whitespace: layout, ..Options::default() };
        let by_grammar =
            compile(&format!("{JSON}\nCOMMA: \",\"{space}\nCOLON: \":\"{space}")).expect("a grammar");
        let by_schema = COMPILER.compile_schema(&json_schema(), &options).expect("a schema");
        for text in TEXTS {
            check_same_masks(&by_grammar, &by_schema, text);
            if layout == Layout::Single {
                check_same_masks(&by_grammar, &by_schema, &spaced(text));
            }
        }
    }
}

/// Both allow the same tokens along a text, and accept it.
fn check_same_masks(by_grammar: &Grammar, by_schema: &Grammar, text: &str) {
    let (mut left, mut right) = (by_grammar.matcher(), by_schema.matcher());
    let (mut mine, mut other) = (TokenMask::new(WIDTH), TokenMask::new(WIDTH));
    for token in COMPILER.vocabulary().encode(text).expect("it has an encoder") {
        left.fill_mask(&mut mine);
        right.fill_mask(&mut other);
        let is_one_sided = |id: &u32| mine.contains(*id) != other.contains(*id);
        let ids: Vec<u32> = (0..WIDTH as u32).filter(is_one_sided).collect();
        let some: Vec<String> = ids.iter().take(5).map(|id| left.vocabulary().decode(&[*id])).collect();
        assert!(ids.is_empty(), "{} tokens after {:?}: {some:?}", ids.len(), said(&left));
        left.accept(token).expect("JSON");
        right.accept(token).expect("JSON");
    }
    assert!(left.is_accepting() && right.is_accepting(), "{text}");
}

#[test]
fn bad_grammars_are_refused_with_their_place() {
    let cases = fs::read_to_string(folder().join("bad.json")).expect("the cases");
    for case in serde_json::from_str::<Vec<Value>>(&cases).expect("JSON") {
        let error = match &case["regex"] {
            Value::String(pattern) => {
                COMPILER.compile_regex(pattern, &Options::default()).expect_err("an error")
            }
            _ => compile(text(&case["lark"])).expect_err("an error"),
        };
        let position = error.position().map(|at| vec![at.line, at.column]);
        let found = serde_json::json!({"kind": error.kind(), "at": position});
        assert_eq!(found, serde_json::json!({"kind": case["kind"], "at": case["at"]}), "{case}: {error}");
        assert!(error.to_string().contains(text(&case["says"])), "{case}: {error}");
    }
}

#[test]
fn regular_expressions_match_whole_texts() {
    for (pattern, accepted, rejected) in [
        ("[0-9]{4}-[0-9]{2}", &["2025-08"][..], &["2025-8", "2025-081", ""][..]),
        ("(?i)yes|no", &["YES", "no"], &["yesno", "n"]),
        ("^a*$", &["", "aaa"], &["b"]),
        (r"\p{Lu}\w+", &["Éa", "Ab1"], &["éa", "A"]),
        ("", &[""], &["a"]),
        (r"(?s:.){2}", &["\n\n", "日本"], &["a", "日本語"]),
    ] {
        let grammar = COMPILER.compile_regex(pattern, &Options::default()).expect(pattern);
        for text in accepted {
            assert!(read(&grammar, text).1, "{pattern}: {text:?}");
        }
        for text in rejected {
            assert!(!read(&grammar, text).1, "{pattern}: {text:?}");
        }
    }
}

#[test]
fn ten_thousand_rules_compile() {
    let rules = (0..10_000).map(|rule| format!("r{rule}: \"{rule},\" r{} | \"x\"\n", rule + 1));
    let grammar = compile(&format!("start: r0\n{}r10000: r0\n", rules.collect::<String>()));
    let grammar = grammar.expect("within the limits");
    let mut mask = TokenMask::new(WIDTH);
    grammar.matcher().fill_mask(&mut mask);
    assert!(mask.iter().count() > 1);
    assert_eq!(read(&grammar, "0,1,2,3,x"), (9, true));
}

/// The examples of `grammars/README.md`: a grammar, then its texts; `¦` stands where one is rejected.
#[test]
fn documented_examples_hold() {
    let page = include_str!("../grammars/README.md");
    let block = |after: &str| after.split("```").next().expect("a block").to_owned();
    let mut count = 0;
    for part in page.split("```lark\n").skip(1) {
        let grammar = compile(&block(part)).expect("a grammar");
        let texts = block(part.split("```texts\n").nth(1).expect("texts after each grammar"));
        for line in texts.lines() {
            let (before, after) = line.split_once('¦').unwrap_or((line, ""));
            let expected = if line.contains('¦') { (before.len(), false) } else { (line.len(), true) };
            assert_eq!(read(&grammar, &format!("{before}{after}")), expected, "{line}");
            count += 1;
        }
    }
    assert!(count >= 10);
}

/// A grammar is a compilation like any other: whoever cancels it is told so.
#[test]
fn cancelled_grammars_are_given_up() {
    let cancellation = Cancellation::default();
    let compiler = Compiler::new(Vocabulary::o200k_harmony()).with_cancellation(&cancellation);
    cancellation.cancel();
    let lark = compiler.compile_lark("start: \"a\"", &Options::default());
    assert!(matches!(lark, Err(Error::Cancelled)), "{lark:?}");
    let regex = compiler.compile_regex("a", &Options::default());
    assert!(matches!(regex, Err(Error::Cancelled)), "{regex:?}");
    // What would have failed without that is not said to be cancelled.
    let limits = Limits { work: 0, ..Limits::default() };
    let limited = Compiler::with_limits(Vocabulary::o200k_harmony(), limits).with_cancellation(&cancellation);
    let regex = limited.compile_regex("a", &Options::default());
    assert!(
        regex.as_ref().is_err_and(|error| error.limit().is_some_and(|limit| limit.what == "work")),
        "{regex:?}"
    );
}

/// Grammars in which everything may be read in many ways, with a text that asks for all of them.
fn slow_grammars() -> Vec<(&'static str, String, String)> {
    let many = |rule: &dyn Fn(usize) -> String| (0..10_000).map(rule).collect::<String>();
    let choice = (0..10_000).map(|rule| format!("r{rule}")).collect::<Vec<_>>().join(" | ");
    let two_next = |rule: usize| format!("r{rule}: r{} r{}\n", rule + 1, rule + 2);
    let around = |rule: usize| format!("r{rule}: r{rule} r{0} | r{0} r{rule} | r{0}\n", rule + 1);
    let two_ways = |rule: usize| format!("r{rule}: r{0} r{0} | r{0}? \"b\"? r{0}?\n", rule + 1);
    let nested = |depth: usize| format!("{}x{}", "(".repeat(depth), ")".repeat(depth));
    vec![
        (
            "ambiguous at every level",
            "start: \"(\" start \")\" | \"(\" a \")\" | start start | \"x\"\na: start | start a".to_owned(),
            nested(1_000).repeat(2),
        ),
        (
            "closed in two ways at every level",
            "start: a | b\na: \"(\" start \")\" | \"x\"\nb: \"(\" start \")\" | \"x\"".to_owned(),
            nested(2_000),
        ),
        ("every tree over one text", "start: start start | \"a\"".to_owned(), "a".repeat(2_000)),
        ("every division into words", "start: W+\nW: /[a-z]+/".to_owned(), "word".repeat(500)),
        (
            "22 levels that may be empty",
            format!("start: {}\"a\"{}", "(".repeat(22), "){0,2}".repeat(22)),
            "a".repeat(100),
        ),
        (
            "60 rules of the next two, all of which may be empty",
            format!("start: r0\n{}r60: \"a\"?\nr61: \"a\"?", (0..60).map(two_next).collect::<String>()),
            "a".repeat(100),
        ),
        (
            "20 rules that begin and end with themselves and may be empty",
            format!("start: r0\n{}r20: \"a\"?", (0..20).map(around).collect::<String>()),
            "a".repeat(60),
        ),
        (
            "40 rules in two ways of the next, all of which may be empty",
            format!("start: r0\n{}r40: \"a\"?", (0..40).map(two_ways).collect::<String>()),
            "a".repeat(60),
        ),
        (
            "three rules, each of which may be the last one of each other",
            "start: b* \"b\" | \"a\" a?\na: b \"b\" | start* b~0..2\nb: a a".to_owned(),
            "a".repeat(80),
        ),
        ("a loop around what may be empty", "start: (/x*/)*".to_owned(), "x".repeat(1_000)),
        (
            "10,000 alternatives through unit rules",
            format!(
                "start: {choice}\n{}",
                many(&|rule| format!("r{rule}: s{rule}\ns{rule}: \"x\" \"{rule}\"\n"))
            ),
            "x9999".to_owned(),
        ),
        (
            "10,000 unit rules in a row",
            format!("start: r0\n{}r10000: \"x\"", many(&|rule| format!("r{rule}: r{}\n", rule + 1))),
            "x".to_owned(),
        ),
    ]
}

/// Tokens as long as they get: within one, too, it must be seen that ways come to the same place.
fn long_tokens() -> Vec<(&'static str, String, String)> {
    vec![
        (
            "every division of long tokens",
            "start: /.+/+".to_owned(),
            ["-", "/", " "].map(|rule| rule.repeat(72)).concat(),
        ),
        (
            "words of three kinds in long tokens",
            "start: (w \" \"?)+\nw: /[a-z]+/ | /[a-z0-9]+/ | /[A-Za-z]+/".to_owned(),
            "international abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ".to_owned(),
        ),
        (
            "text between tags, in long tokens",
            "start: (TEXT | \"<b>\" start \"</b>\")*\nTEXT: /[^<]+/".to_owned(),
            format!("Title\n{0}\n<b>{0}</b>\n", "=".repeat(64)),
        ),
    ]
}

/// What is read in many ways is followed once: none of these would end otherwise.
#[test]
fn ambiguity_costs_no_more_than_the_text() {
    for (name, source, text) in slow_grammars().into_iter().chain(long_tokens()) {
        let grammar = compile(&source).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read(&grammar, &text), (text.len(), true), "{name}");
        let (mut matcher, mut mask) = (grammar.matcher(), TokenMask::new(WIDTH));
        for token in COMPILER.vocabulary().encode(&text).expect("it has an encoder") {
            matcher.fill_mask(&mut mask);
            assert!(mask.contains(token), "{name}");
            matcher.accept(token).expect("the mask has it");
        }
        assert!(matcher.is_accepting(), "{name}");
    }
}

/// As many rules that begin with each other are refused by a limit, not read for minutes.
#[test]
fn ten_thousand_rules_that_begin_with_each_other_are_too_many() {
    let rules: String =
        (0..10_000).map(|rule| format!("r{rule}: r{} \"a\" | \"b\"\n", (rule + 1) % 10_000)).collect();
    let error = compile(&format!("start: r0\n{rules}")).expect_err("too many");
    assert_eq!(error.limit().map(|limit| limit.what), Some("left_recursive_rules"));
}
