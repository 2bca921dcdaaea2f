//! `grammars`: Lark grammars with texts, for verdicts and speed; beside the peers that this package is built
//! with.
//!
//! The folder holds `NAME.lark` and a `cases.json` that gives each name its accepted and rejected texts, as
//! `tests/cases/grammars` does; a `NAME.schema.json` beside it describes the same JSON by a schema, and is
//! measured as one engine more. Each text is tokenised, and for each token a mask is filled and the token
//! accepted, engine after engine on the same text, so that all meet the same noise. The first pass over a
//! grammar's texts is cold, later ones are hot.

use std::collections::BTreeMap;
use std::fs;
use std::iter;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use harmony_mask::{Options, TokenId, Vocabulary};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::corpus::{self, BenchError};
use crate::engine::{self, Compiled, Engine, Sequence, Setup};
use crate::stats::Durations;
use crate::{peers, report};

/// Measures Lark grammars with their texts
#[derive(Args)]
pub(crate) struct Grammars {
    /// The folder with `cases.json` and the grammars
    folder: PathBuf,
    /// Times that each text is gone through; all but the first are hot
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    passes: u32,
    /// Write the full result to a file; `-` prints it instead of the summary
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Texts {
    accepted: Vec<String>,
    /// What is a beginning, and what may not follow it.
    rejected: Vec<(String, String)>,
}

/// What an engine did with one grammar.
#[derive(Default)]
struct Outcome {
    engine: &'static str,
    refused: Option<String>,
    compile_us: f64,
    cold: Durations,
    hot: Durations,
    verdicts: Vec<Verdict>,
}

/// What an engine said of one text.
struct Verdict {
    is_whole: bool,
    /// Tokens that it took.
    taken: usize,
}

/// A language to measure: an engine, and what it is to compile.
struct Candidate<'a> {
    engine: &'static str,
    compile: Box<dyn Fn() -> Result<Box<dyn Compiled>, String> + 'a>,
}

impl Grammars {
    pub(crate) fn run(&self) -> Result<(), BenchError> {
        let cases: BTreeMap<String, Texts> = corpus::read(&self.folder.join("cases.json"))?;
        let vocabulary = Vocabulary::o200k_harmony();
        let engines = engines(&vocabulary);
        let (mut rows, mut lines) = (Vec::new(), Vec::new());
        for (name, texts) in &cases {
            let path = self.folder.join(format!("{name}.lark"));
            let source = fs::read_to_string(&path).map_err(|source| BenchError::Read { path, source })?;
            let schema = fs::read_to_string(self.folder.join(format!("{name}.schema.json"))).ok();
            let candidates = candidates(&engines, &source, schema.as_deref());
            let outcomes = self.outcomes(&candidates, texts, &vocabulary);
            let differences = differences(texts, &outcomes, &vocabulary);
            lines.extend(outcomes.iter().map(|outcome| line(name, outcome)));
            lines.extend(differences.iter().map(|difference| format!("  {difference}")));
            rows.push(row(name, &outcomes, &differences));
        }
        report(self.json.as_deref(), &json!({"grammars": rows}), &lines.join("\n"))
    }

    fn outcomes(&self, candidates: &[Candidate<'_>], texts: &Texts, vocabulary: &Vocabulary) -> Vec<Outcome> {
        let (mut outcomes, mut grammars) = (Vec::new(), Vec::new());
        for Candidate { engine, compile } in candidates {
            let mut outcome = Outcome { engine, ..Outcome::default() };
            let began = Instant::now();
            let grammar = compile();
            outcome.compile_us = began.elapsed().as_nanos() as f64 / 1e3;
            grammars.push(grammar.map_err(|error| outcome.refused = Some(error)).ok());
            outcomes.push(outcome);
        }
        for text in all(texts) {
            let tokens = vocabulary.encode(&text).expect("o200k_harmony has an encoder");
            for pass in 0..self.passes {
                for (grammar, outcome) in grammars.iter().zip(&mut outcomes) {
                    let Some(grammar) = grammar else { continue };
                    let times = if pass == 0 { &mut outcome.cold } else { &mut outcome.hot };
                    let verdict = read(grammar.sequence().as_mut(), &tokens, times);
                    if pass == 0 {
                        outcome.verdicts.push(verdict);
                    }
                }
            }
        }
        outcomes
    }
}

/// All texts, the accepted ones first.
fn all(texts: &Texts) -> Vec<String> {
    let rejected = texts.rejected.iter().map(|(before, after)| format!("{before}{after}"));
    texts.accepted.iter().cloned().chain(rejected).collect()
}

/// The engines with a grammar, and harmony-mask with the schema of the same texts where there is one.
fn candidates<'a>(
    engines: &'a [Box<dyn Engine>],
    source: &'a str,
    schema: Option<&'a str>,
) -> Vec<Candidate<'a>> {
    let by_grammar = engines.iter().map(|engine| {
        let compile: Box<dyn Fn() -> _> = Box::new(|| engine.lark(source));
        Candidate { engine: engine.name(), compile }
    });
    let by_schema = schema.map(|schema| {
        let compile: Box<dyn Fn() -> _> = Box::new(|| engines[0].schema(schema));
        Candidate { engine: "ours by schema", compile }
    });
    by_grammar.chain(by_schema).collect()
}

fn read(sequence: &mut dyn Sequence, tokens: &[TokenId], times: &mut Durations) -> Verdict {
    for (taken, &token) in tokens.iter().enumerate() {
        let began = Instant::now();
        let is_taken = sequence.takes(token);
        times.push(began.elapsed());
        if !is_taken {
            return Verdict { is_whole: false, taken };
        }
    }
    Verdict { is_whole: sequence.is_whole(), taken: tokens.len() }
}

/// The texts on which engines that compiled the grammar do not agree, with how far each came.
fn differences(texts: &Texts, outcomes: &[Outcome], vocabulary: &Vocabulary) -> Vec<String> {
    let compiled: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.refused.is_none()).collect();
    let difference = |(at, text): (usize, String)| {
        let verdicts: Vec<&Verdict> = compiled.iter().map(|outcome| &outcome.verdicts[at]).collect();
        if verdicts.iter().all(|verdict| verdict.is_whole == verdicts[0].is_whole) {
            return None;
        }
        let tokens = vocabulary.encode(&text).expect("o200k_harmony has an encoder");
        let says = compiled.iter().zip(verdicts).map(|(outcome, verdict)| match verdict.is_whole {
            true => format!("{} accepts it", outcome.engine),
            false => format!("{} takes {:?}", outcome.engine, vocabulary.decode(&tokens[..verdict.taken])),
        });
        Some(format!("verdicts differ on {text:?}: {}", says.collect::<Vec<_>>().join(", ")))
    };
    all(texts).into_iter().enumerate().filter_map(difference).collect()
}

fn line(name: &str, outcome: &Outcome) -> String {
    let engine = outcome.engine;
    match &outcome.refused {
        Some(error) => format!("{name}, {engine}: refused: {}", error.lines().next().unwrap_or_default()),
        None => format!(
            "{name}, {engine}: compiled in {:.0} µs; cold {}; hot {}",
            outcome.compile_us,
            outcome.cold.summary().line(),
            outcome.hot.summary().line()
        ),
    }
}

fn row(name: &str, outcomes: &[Outcome], differences: &[String]) -> Value {
    let document = |outcome: &Outcome| {
        let document = json!({
            "refused": outcome.refused,
            "compile_us": outcome.compile_us,
            "tbm_us": outcome.cold.summary().document(),
            "tbm_hot_us": outcome.hot.summary().document(),
        });
        (outcome.engine.to_owned(), document)
    };
    let engines: serde_json::Map<String, Value> = outcomes.iter().map(document).collect();
    json!({"name": name, "engines": engines, "verdicts_differ": differences})
}

/// Ours, and each peer that this program was built with.
fn engines(vocabulary: &Vocabulary) -> Vec<Box<dyn Engine>> {
    let peers = peers::built().unwrap_or_default();
    let starters = peers.into_iter().filter_map(|peer| peer.starter().ok());
    iter::once(engine::ours(vocabulary, Setup::new(Options::default())))
        .chain(starters.map(|start| start(vocabulary)))
        .collect()
}
