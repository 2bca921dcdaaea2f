//! `grammars`: Lark grammars with texts, for verdicts and speed; beside llguidance where this package is built with that feature.
//!
//! The folder holds `NAME.lark` and a `cases.json` that gives each name its accepted and rejected texts, as `tests/cases/grammars` does. Each text is
//! tokenised, and for each token a mask is filled and the token accepted, engine after engine on the same text, so that both meet the
//! same noise. The first pass over a grammar's texts is cold, later ones are hot.

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
use crate::engine::{self, Engine, Sequence};
use crate::stats::Durations;
use crate::{peers, report};

/// Measures Lark grammars with their texts
#[derive(Args)]
pub(crate) struct Grammars {
    /// The folder with `cases.json` and the grammars
    folder: PathBuf,
    /// Times that each text is gone through; all but the first are hot
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
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
    refused: Option<String>,
    compile_us: f64,
    cold: Durations,
    hot: Durations,
    verdicts: Vec<bool>,
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
            let outcomes: Vec<Outcome> = self.outcomes(&engines, &source, texts, &vocabulary);
            lines.extend(
                engines.iter().zip(&outcomes).map(|(engine, outcome)| line(name, engine.as_ref(), outcome)),
            );
            lines.extend(
                differences(texts, &outcomes)
                    .into_iter()
                    .map(|text| format!("  verdicts differ on {text:?}")),
            );
            rows.push(row(name, &engines, &outcomes, texts));
        }
        report(self.json.as_deref(), &json!({"grammars": rows}), &lines.join("\n"))
    }

    fn outcomes(
        &self,
        engines: &[Box<dyn Engine>],
        source: &str,
        texts: &Texts,
        vocabulary: &Vocabulary,
    ) -> Vec<Outcome> {
        let mut outcomes: Vec<Outcome> = engines.iter().map(|_| Outcome::default()).collect();
        let mut starts = Vec::new();
        for (engine, outcome) in engines.iter().zip(&mut outcomes) {
            let began = Instant::now();
            let start = engine.lark(source);
            outcome.compile_us = began.elapsed().as_nanos() as f64 / 1e3;
            starts.push(start.map_err(|error| outcome.refused = Some(error)).ok());
        }
        for text in all(texts) {
            let tokens = vocabulary.encode(&text).expect("o200k_harmony has an encoder");
            for pass in 0..self.passes {
                for (start, outcome) in starts.iter().zip(&mut outcomes) {
                    let Some(start) = start else { continue };
                    let times = if pass == 0 { &mut outcome.cold } else { &mut outcome.hot };
                    let verdict = read(&mut *start(), &tokens, times);
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

fn read(sequence: &mut dyn Sequence, tokens: &[TokenId], times: &mut Durations) -> bool {
    for &token in tokens {
        let began = Instant::now();
        let taken = sequence.takes(token);
        times.push(began.elapsed());
        if !taken {
            return false;
        }
    }
    sequence.is_whole()
}

/// The texts on which engines that compiled the grammar do not agree.
fn differences(texts: &Texts, outcomes: &[Outcome]) -> Vec<String> {
    let verdicts: Vec<&[bool]> = outcomes
        .iter()
        .filter(|outcome| outcome.refused.is_none())
        .map(|outcome| &outcome.verdicts[..])
        .collect();
    let differs = |at: &usize| verdicts.iter().any(|engine| engine[*at] != verdicts[0][*at]);
    let all = all(texts);
    (0..all.len()).filter(differs).map(|at| all[at].clone()).collect()
}

fn line(name: &str, engine: &dyn Engine, outcome: &Outcome) -> String {
    match &outcome.refused {
        Some(error) => {
            format!("{name}, {}: refused: {}", engine.name(), error.lines().next().unwrap_or_default())
        }
        None => format!(
            "{name}, {}: compiled in {:.0} µs; cold {}; hot {}",
            engine.name(),
            outcome.compile_us,
            outcome.cold.summary().line(),
            outcome.hot.summary().line()
        ),
    }
}

fn row(name: &str, engines: &[Box<dyn Engine>], outcomes: &[Outcome], texts: &Texts) -> Value {
    let document = |outcome: &Outcome| {
        json!({
            "refused": outcome.refused,
            "compile_us": outcome.compile_us,
            "tbm_us": outcome.cold.summary().document(),
            "tbm_hot_us": outcome.hot.summary().document(),
        })
    };
    let names = engines.iter().map(|engine| engine.name().to_owned());
    let engines: serde_json::Map<String, Value> = names.zip(outcomes.iter().map(document)).collect();
    json!({"name": name, "engines": engines, "verdicts_differ": differences(texts, outcomes)})
}

/// Ours, and each peer that this program was built with.
fn engines(vocabulary: &Vocabulary) -> Vec<Box<dyn Engine>> {
    let peers = peers::built().unwrap_or_default();
    let starters = peers.into_iter().filter_map(|peer| peer.starter().ok());
    iter::once(engine::ours(vocabulary, Options::default()))
        .chain(starters.map(|start| start(vocabulary)))
        .collect()
}
