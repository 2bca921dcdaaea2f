//! `maskbench`: real schemas with valid and invalid instances, for correctness and speed.
//!
//! The protocol is MaskBench's: each instance is spelled as Python's `json.dumps` does, tokenised, and then,
//! token by token, a mask is filled and the token accepted. An instance counts as accepted when every token
//! is allowed and the end is an accepting state. Times are wall time per call on one thread. All schemas are
//! compiled by one compiler, as in a server; the first pass over a file's instances is cold, later ones are
//! hot.
//!
//! Peers go through the same files in the same process, file after file in turn, so that all meet the same
//! noise; which one begins changes with each file. On a shared machine some 200 interruptions a second, of 20
//! µs and more, meet whoever is running: with `--rounds` all files are gone through several times, each time
//! by engines that start anew and know nothing, and of each call the least is taken. What deadlines cost
//! shows with `--within`: they are ours alone.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use harmony_mask::{Options, PropertyOrder, TokenId, Vocabulary};
use indicatif::ProgressBar;
use serde_json::{Map, Value, json};

use crate::corpus::{self, BenchError, Case, Group, Sample};
use crate::engine::{self, Engine, OURS, Sequence, Setup};
use crate::memory::{self, Footprint};
use crate::peers::Peer;
use crate::stats::{self, Durations};
use crate::tally::{Outcome, Pair, Tally, Times, Verdict};
use crate::{plot, progress, report, spelling};

/// Runs the MaskBench protocol over folders of its files
#[derive(Args)]
pub(crate) struct MaskBench {
    #[command(flatten)]
    sample: Sample,
    /// Engines to measure beside ours, each a feature that this program must be built with
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PEER,...")]
    peer: Vec<Peer>,
    #[command(flatten)]
    repetition: Repetition,
    /// The order of an object's members. Instances are not told to follow their schema's
    #[arg(long, value_enum, default_value = "any")]
    order: Order,
    /// Let ours set a deadline for each sequence, in tokens: longer instances are rejected
    #[arg(long, value_name = "TOKENS")]
    within: Option<usize>,
    /// Draw the distributions of the cold pass and of the time to the first mask, as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Write the full result to a file; `-` prints it instead of the summary
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// How often what is measured is done.
#[derive(Args, Clone, Copy)]
pub(crate) struct Repetition {
    /// Times that each instance is gone through; all but the first are hot
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = Self::USUAL.passes, value_parser = clap::value_parser!(u32).range(1..))]
    passes: u32,
    /// Times that all files are gone through, each time by engines that start anew; the least of each call
    /// counts
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = Self::USUAL.rounds, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
}

impl Repetition {
    /// A first and a second pass, once.
    pub(crate) const USUAL: Self = Self { passes: 2, rounds: 1 };
}

#[derive(Clone, Copy, ValueEnum)]
enum Order {
    Declared,
    Any,
}

impl MaskBench {
    pub(crate) fn run(&self) -> Result<(), BenchError> {
        let property_order = match self.order {
            Order::Declared => PropertyOrder::Declared,
            Order::Any => PropertyOrder::Any,
        };
        let options = Options { property_order, ..Options::default() };
        let setup = Setup { options, within: self.within };
        let result = run(&self.sample, &self.peer, setup, self.repetition)?;
        if let Some(path) = &self.plot {
            plot::write(path, &result)?;
        }
        report(self.json.as_deref(), &result.document(), &result.summary())
    }
}

/// What all engines did with the files.
pub(crate) struct Results {
    files: usize,
    pub(crate) ours: Tally,
    pub(crate) peers: Vec<PeerResult>,
}

/// What a peer did, and what both did where both could.
pub(crate) struct PeerResult {
    pub(crate) name: &'static str,
    pub(crate) tally: Tally,
    pub(crate) pair: Pair,
}

/// Measures ours and the peers on the files.
pub(crate) fn run(
    sample: &Sample,
    peers: &[Peer],
    setup: Setup,
    Repetition { passes, rounds }: Repetition,
) -> Result<Results, BenchError> {
    let starters = peers.iter().map(|peer| peer.starter()).collect::<Result<Vec<_>, _>>()?;
    let files = sample.files()?;
    let mut ours = Tally::default();
    let began = Instant::now();
    let vocabulary = Vocabulary::o200k_harmony();
    let mut engines = vec![engine::ours(&vocabulary, setup)];
    ours.startup_ms = began.elapsed().as_secs_f64() * 1e3;
    let resident_mb = stats::rss_mb();
    let mut results = Results { files: files.len(), ours, peers: Vec::new() };
    for (peer, start) in peers.iter().zip(&starters) {
        let began = Instant::now();
        engines.push(start(&vocabulary));
        let startup_ms = began.elapsed().as_secs_f64() * 1e3;
        let footprint = memory::of(peer.name(), sample)?;
        let tally = Tally::new(startup_ms, footprint);
        results.peers.push(PeerResult { name: peer.name(), tally, pair: Pair::default() });
    }
    let progress = progress::bar(files.len() * rounds as usize, "files");
    let round = Round { files: &files, vocabulary: &vocabulary, setup, passes, progress };
    let mut least = Vec::new();
    round.go(&engines, &mut least)?;
    for _ in 1..rounds {
        engines = vec![engine::ours(&vocabulary, setup)];
        engines.extend(starters.iter().map(|start| start(&vocabulary)));
        round.go(&engines, &mut least)?;
    }
    round.progress.finish_and_clear();
    files.iter().zip(least).for_each(|(path, outcomes)| results.add(path, &outcomes));
    results.ours.footprint = match peers {
        [] => Footprint { resident_mb, peak_rss_mb: stats::peak_rss_mb() },
        _ => memory::of(OURS, sample)?,
    };
    Ok(results)
}

/// Going through all files once.
struct Round<'r> {
    files: &'r [PathBuf],
    vocabulary: &'r Vocabulary,
    setup: Setup,
    passes: u32,
    progress: ProgressBar,
}

impl Round<'_> {
    /// Lowers what each engine did with each file before, where there is such, to what it does now; which one
    /// begins changes.
    fn go(&self, engines: &[Box<dyn Engine>], least: &mut Vec<Vec<Outcome>>) -> Result<(), BenchError> {
        let options = Options { property_order: PropertyOrder::Any, ..self.setup.options };
        let any_order = (options != self.setup.options)
            .then(|| engine::ours(self.vocabulary, Setup { options, ..self.setup }));
        for (turn, path) in self.files.iter().enumerate() {
            let file = File::read(path, self.vocabulary)?;
            let mut outcomes: Vec<Outcome> = engines.iter().map(|_| Outcome::default()).collect();
            for at in (0..engines.len()).map(|at| (at + turn) % engines.len()) {
                outcomes[at] = file.outcome(engines[at].as_ref(), self.passes);
            }
            if let Some(any_order) = &any_order {
                file.note_order(any_order.as_ref(), &mut outcomes[0]);
            }
            match least.get_mut(turn) {
                None => least.push(outcomes),
                Some(least) => least.iter_mut().zip(&outcomes).for_each(|(least, own)| least.lower(own)),
            }
            self.progress.inc(1);
        }
        Ok(())
    }
}

/// A schema's text, and its instances in tokens.
pub(crate) struct File {
    schema: String,
    cases: Vec<(Case, Vec<TokenId>)>,
}

impl File {
    pub(crate) fn read(path: &Path, vocabulary: &Vocabulary) -> Result<Self, BenchError> {
        let group: Group = corpus::read(path)?;
        let tokens = |case: &Case| {
            vocabulary.encode(&spelling::python(&case.data)).expect("o200k_harmony has an encoder")
        };
        let cases = group.tests.into_iter().map(|case| (tokens(&case), case));
        Ok(Self {
            schema: group.schema.to_string(),
            cases: cases.map(|(tokens, case)| (case, tokens)).collect(),
        })
    }

    /// What the engine does with it. An engine that panics has not compiled the file, and goes on with the
    /// next.
    pub(crate) fn outcome(&self, engine: &dyn Engine, passes: u32) -> Outcome {
        let measure = AssertUnwindSafe(|| self.measure(engine, passes));
        panic::catch_unwind(measure).unwrap_or_else(|payload| {
            let refused = Some(format!("panicked: {}", said(payload.as_ref())));
            Outcome { refused, ..Outcome::default() }
        })
    }

    fn measure(&self, engine: &dyn Engine, passes: u32) -> Outcome {
        let mut outcome = Outcome::default();
        let began = Instant::now();
        let grammar = match engine.schema(&self.schema) {
            Ok(grammar) => grammar,
            Err(reason) => return Outcome { refused: Some(reason), ..outcome },
        };
        grammar.sequence().fill();
        outcome.times.to_first_mask.push(began.elapsed());
        let Times { cold, hot, .. } = &mut outcome.times;
        for (case, tokens) in &self.cases {
            let rejection = pass(grammar.sequence().as_mut(), tokens, cold);
            (1..passes).for_each(|_| drop(pass(grammar.sequence().as_mut(), tokens, hot)));
            let description = case.description.clone();
            outcome.verdicts.push(Verdict {
                is_valid: case.valid,
                description,
                rejection,
                is_for_order: false,
            });
        }
        outcome
    }

    /// Notes which instances were rejected only for the order of their members: with any order they are
    /// accepted.
    fn note_order(&self, any_order: &dyn Engine, outcome: &mut Outcome) {
        let verdicts = outcome.verdicts.iter_mut().zip(&self.cases);
        let rejected: Vec<_> =
            verdicts.filter(|(verdict, _)| verdict.is_valid && verdict.rejection.is_some()).collect();
        if rejected.is_empty() {
            return;
        }
        let Ok(grammar) = any_order.schema(&self.schema) else { return };
        for (verdict, (_, tokens)) in rejected {
            let rejection = pass(grammar.sequence().as_mut(), tokens, &mut Durations::default());
            verdict.is_for_order = rejection.is_none();
        }
    }
}

/// The message of a panic.
fn said(payload: &(dyn Any + Send)) -> &str {
    let formatted = payload.downcast_ref::<String>().map(String::as_str);
    formatted.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}

/// Goes through the tokens; why they were rejected, if they were.
fn pass(sequence: &mut dyn Sequence, tokens: &[TokenId], times: &mut Durations) -> Option<String> {
    for &token in tokens {
        let started = Instant::now();
        let is_taken = sequence.takes(token);
        times.push(started.elapsed());
        if !is_taken {
            return Some(sequence.refusal(token));
        }
    }
    (!sequence.is_whole()).then(|| "the end is not an accepting state".to_owned())
}

impl Results {
    /// Ours come first, then the peers in their order.
    fn add(&mut self, path: &Path, outcomes: &[Outcome]) {
        let (ours, theirs) = outcomes.split_first().expect("ours is measured");
        self.ours.add(path, ours);
        for (peer, outcome) in self.peers.iter_mut().zip(theirs) {
            peer.tally.add(path, outcome);
            peer.pair.add(ours, outcome);
        }
    }

    fn document(&self) -> Value {
        let peer = |peer: &PeerResult| {
            let mut document = peer.tally.counts();
            document.extend(peer.tally.costs());
            document.insert("both".to_owned(), peer.pair.document());
            document.insert("slowest".to_owned(), peer.tally.slowest());
            document.insert("failures".to_owned(), json!(peer.tally.failures()));
            (peer.name.to_owned(), Value::Object(document))
        };
        let mut document = Map::from_iter([("files".to_owned(), json!(self.files))]);
        document.extend(self.ours.counts());
        document.insert(OURS.to_owned(), Value::Object(self.ours.costs()));
        document.insert("peers".to_owned(), self.peers.iter().map(peer).collect());
        document.insert("slowest".to_owned(), self.ours.slowest());
        document.insert("failures".to_owned(), json!(self.ours.failures()));
        Value::Object(document)
    }

    fn summary(&self) -> String {
        let mut parts = vec![format!("{} schemas", self.files), format!("{OURS}\n{}", self.ours.summary())];
        for PeerResult { name, tally, pair } in &self.peers {
            parts.push(format!("{name}\n{}", tally.summary()));
            parts.push(pair.summary(name));
        }
        parts.join("\n\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Compiled;

    struct Broken;

    impl Engine for Broken {
        fn name(&self) -> &'static str {
            "broken"
        }

        fn lark(&self, source: &str) -> Result<Box<dyn Compiled>, String> {
            Err(source.to_owned())
        }

        fn schema(&self, text: &str) -> Result<Box<dyn Compiled>, String> {
            panic!("no state for {text}")
        }
    }

    #[test]
    fn an_engine_that_panics_has_not_compiled() {
        let file = File { schema: "{}".to_owned(), cases: Vec::new() };
        assert_eq!(file.outcome(&Broken, 1).refused.as_deref(), Some("panicked: no state for {}"));
    }
}
