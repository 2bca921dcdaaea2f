//! What an attacker sends: schemas, patterns, grammars and requests that want too much of somebody. Each is
//! compiled, or refused by a named error, within 512 MB; and what is compiled can be walked to its end.
//!
//! The cases are in `cases/hostile/`, each with its verdict: `compiled`, the kind of the error, or the limit.
//! Those that are large are made by `recipes` and `combinations`. No verdict depends on a clock; `cargo test
//! --release --test integration hostile -- --nocapture --test-threads 1` prints for each case how long the
//! compilation took, how long the slowest mask, and how many bytes were held.

mod combinations;
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
fn check(
    cases: impl IntoIterator<Item = (String, Value, String)>,
    compile: impl Fn(&Value) -> Result<Grammar, Error>,
) {
    let mut wrong = Vec::new();
    for (name, input, expected) in cases {
        let (mut verdict, mut compiling, mut masking) = (String::new(), Duration::ZERO, Duration::ZERO);
        let used = allocation_counter::measure(|| {
            let started = Instant::now();
            let compiled = compile(&input);
            compiling = started.elapsed();
            (verdict, masking) = judge(compiled);
        });
        let (compiling, masking) = (compiling.as_millis(), masking.as_millis());
        println!("{compiling:>6} ms {masking:>4} ms {:>4} MB  {name}: {verdict}", used.bytes_max >> 20);
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

/// The verdict on a compilation, and how long the slowest mask of a walk took.
fn judge(compiled: Result<Grammar, Error>) -> (String, Duration) {
    match compiled {
        Ok(grammar) => ("compiled".to_owned(), walk(grammar.matcher())),
        Err(error) => {
            let limit = error.limit().map(|limit| limit.what);
            (limit.unwrap_or(error.kind()).to_owned(), Duration::ZERO)
        }
    }
}

/// A few masks, of which it tells the slowest, and the shortest way to the end.
fn walk(mut matcher: Matcher) -> Duration {
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
    slowest
}

fn compiler() -> Compiler {
    Compiler::new(Vocabulary::o200k_harmony())
}

fn schema(document: &Value) -> Result<Grammar, Error> {
    compiler().compile_schema(document, &Options::default())
}

fn pattern(pattern: &Value) -> Result<Grammar, Error> {
    schema(&json!({"type": "string", "pattern": pattern}))
}

fn request(request: &Value) -> Result<Grammar, Error> {
    compiler().compile(&Request::read(request)?)
}

fn grammar(source: &Value) -> Result<Grammar, Error> {
    compiler().compile_lark(source.as_str().expect("a text"), &Options::default())
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
    check(recipes::schemas().into_iter().chain(combinations::combinations()), schema);
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
