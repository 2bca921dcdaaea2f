//! What an attacker sends: schemas, patterns, grammars and requests that want too much of somebody. Each is compiled, or refused by a named
//! error, within 512 MB; and what is compiled can be walked to its end.
//!
//! The cases are in `cases/hostile/`, each with its verdict: `compiled`, the kind of the error, or the limit. Those that are large are made by
//! `recipes`. Nothing here looks at a clock: `cargo test --release --test integration hostile -- --nocapture` prints how long each took.

mod recipes;

use std::time::{Duration, Instant};

use harmony_mask::{Compiler, Error, Grammar, Matcher, Options, Request, TokenMask, Vocabulary};
use serde_json::{Value, json};

use crate::harness::WIDTH;

/// What a compilation may hold at any time, and its masks.
const MEMORY: u64 = 512 << 20;
/// Longest walk of a compiled case, in tokens.
const STEPS: usize = 12;

/// Runs cases of one kind: a name, what is sent, and the verdict.
#[expect(clippy::print_stdout, reason = "for readers of `--nocapture`")]
fn check(cases: impl IntoIterator<Item = (String, Value, String)>, compile: impl Fn(&Value) -> String) {
    let mut wrong = Vec::new();
    for (name, input, expected) in cases {
        let (mut verdict, started) = (String::new(), Instant::now());
        let used = allocation_counter::measure(|| verdict = compile(&input));
        println!("{:>6} ms {:>4} MB  {name}: {verdict}", started.elapsed().as_millis(), used.bytes_max >> 20);
        if used.bytes_max > MEMORY {
            wrong.push(format!("{name}: {} MB", used.bytes_max >> 20));
        }
        if verdict != expected {
            wrong.push(format!("{name}: {verdict}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn cases(file: &str) -> Vec<(String, Value, String)> {
    let cases: Vec<(String, Value, String)> = serde_json::from_str(file).expect("cases");
    cases
}

/// The verdict on a compilation; a grammar is walked first.
fn verdict(compiled: Result<Grammar, Error>) -> String {
    match compiled {
        Ok(grammar) => walk(grammar.matcher()),
        Err(error) => error.limit().map_or_else(|| error.kind().to_owned(), |limit| limit.what.to_owned()),
    }
}

/// A few masks, and the shortest way to the end.
#[expect(clippy::print_stdout, reason = "for readers of `--nocapture`")]
fn walk(mut matcher: Matcher) -> String {
    let (mut mask, mut slowest) = (TokenMask::new(WIDTH), Duration::ZERO);
    for step in 0..STEPS {
        let started = Instant::now();
        matcher.fill_mask(&mut mask);
        slowest = slowest.max(started.elapsed());
        let count = mask.count();
        assert!(count > 0 || matcher.is_finished(), "a dead end");
        let Some(token) = mask.iter().nth((step * 31) % count.max(1)) else { break };
        matcher.accept(token).expect("the mask allows it");
    }
    let completion = matcher.shortest_completion();
    for token in completion.into_iter().take(STEPS) {
        matcher.accept(token).expect("the shortest completion is accepted");
    }
    println!("{:>6} ms for the slowest mask of", slowest.as_millis());
    "compiled".to_owned()
}

fn compiler() -> Compiler {
    Compiler::new(Vocabulary::o200k_harmony())
}

fn schema(document: &Value) -> String {
    verdict(compiler().compile_schema(document, &Options::default()))
}

fn pattern(pattern: &Value) -> String {
    schema(&json!({"type": "string", "pattern": pattern}))
}

fn request(request: &Value) -> String {
    verdict(Request::read(request).map_err(Error::from).and_then(|request| compiler().compile(&request)))
}

fn grammar(source: &Value) -> String {
    verdict(compiler().compile_lark(source.as_str().expect("a text"), &Options::default()))
}

#[test]
fn patterns() {
    check(cases(include_str!("../cases/hostile/patterns.json")), pattern);
}

#[test]
fn schemas() {
    check(cases(include_str!("../cases/hostile/schemas.json")), schema);
}

#[test]
fn grammars() {
    check(cases(include_str!("../cases/hostile/grammars.json")), grammar);
}

#[test]
fn requests() {
    check(cases(include_str!("../cases/hostile/requests.json")), request);
}

#[test]
fn large_schemas() {
    check(recipes::schemas(), schema);
}

#[test]
fn large_patterns() {
    check(recipes::patterns(), pattern);
}

#[test]
fn large_grammars() {
    check(recipes::grammars(), grammar);
}

#[test]
fn large_requests() {
    check(recipes::requests(), request);
}
