//! Grammars of one's own: Lark and regular expressions, over the cases in `tests/cases/grammars`.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::earley::Earley;
use crate::harness::{COMPILER, HABITS, Random, walk};
use crate::masks::check_state;
use harmony_mask::automaton::{Residual, Unit};
use harmony_mask::{Grammar, Matcher, Options};
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
        let began = std::time::Instant::now();
        let mut seen: HashSet<Residual> = HashSet::new();
        for round in 0..9 {
            let matcher = walk(&grammar, HABITS[round % 3], 12, &mut random, |matcher, mask| {
                if seen.len() < 20 && seen.insert(matcher.residual().clone()) {
                    check_state(matcher, mask, 0, &name);
                }
            });
            assert!(matcher.is_accepting(), "{name}: {:?} is not complete", said(&matcher));
            let bytes = bytes(&matcher);
            let is_text = oracle.as_ref().is_none_or(|oracle| oracle.accepts(&bytes));
            assert!(is_text, "the oracle rejects {:?} of {name}", String::from_utf8_lossy(&bytes));
        }
        eprintln!("{name}: {} states, {:?}", seen.len(), began.elapsed());
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

#[test]
fn probe() {
    let text = std::env::var("PROBE_TEXT").unwrap();
    let source =
        fs::read_to_string(folder().join(format!("{}.lark", std::env::var("PROBE").unwrap()))).unwrap();
    let grammar = compile(&source).unwrap();
    let matcher = grammar.matcher();
    let automaton = matcher.automaton();
    let mut residual = automaton.start().clone();
    for byte in text.bytes() {
        let began = std::time::Instant::now();
        residual = automaton.step(&residual, Unit::Byte(byte)).unwrap();
        eprintln!("{} {:?} {}", char::from(byte), began.elapsed(), format!("{residual:?}").len());
    }
}
