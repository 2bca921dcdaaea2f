//! `maskbench`: real schemas with valid and invalid instances, for correctness and speed.
//!
//! The protocol is MaskBench's: each instance is spelled as Python's `json.dumps` does, tokenised, and then, token by token, a mask is filled and the token
//! accepted. An instance counts as accepted when every token is allowed and the end is an accepting state. Times are wall time per
//! call on one thread. All schemas are compiled by one compiler, as in a server; the first pass over a file's instances is cold, later ones are hot.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use harmony_mask::{Compiler, Grammar, Options, PropertyOrder, TokenId, TokenMask, Vocabulary};
use serde_json::{Value, json};

use crate::corpus::{self, BenchError, Case, Group};
use crate::stats::{self, Durations};
use crate::{progress, report, spelling};

/// The number of logits that gpt-oss has.
const LOGITS: usize = 201_088;

/// Runs the MaskBench protocol over folders of its files
#[derive(Args)]
pub(crate) struct MaskBench {
    /// Folders or files of MaskBench
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Times that each instance is gone through; all but the first are hot
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    passes: u32,
    /// Measure only so many files, drawn at random
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Where chance begins; the same seed draws the same files
    #[arg(long, value_name = "S", default_value_t = 0, requires = "sample")]
    seed: u64,
    /// The order of an object's members. Instances are not told to follow their schema's
    #[arg(long, value_enum, default_value = "any")]
    order: Order,
    /// Write the full result to a file; `-` prints it instead of the summary
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Order {
    Declared,
    Any,
}

impl MaskBench {
    pub(crate) fn run(&self) -> Result<(), BenchError> {
        let files = self.sampled(corpus::files(&self.paths)?);
        let mut bench = Bench::new(self.order, self.passes);
        let progress = progress::bar(files.len(), "files");
        for file in &files {
            bench.file(file)?;
            progress.inc(1);
        }
        progress.finish_and_clear();
        report(self.json.as_deref(), &bench.document(), &bench.summary())
    }

    fn sampled(&self, mut files: Vec<PathBuf>) -> Vec<PathBuf> {
        if let Some(count) = self.sample {
            fastrand::Rng::with_seed(self.seed).shuffle(&mut files);
            files.truncate(count);
            files.sort();
        }
        files
    }
}

struct Bench {
    compiler: Compiler,
    options: Options,
    passes: u32,
    mask: TokenMask,
    startup_ms: f64,
    times: Times,
    counts: Counts,
    slowest: Slowest,
    failures: Vec<Value>,
}

/// For each file the longest calls, in microseconds.
#[derive(Default)]
struct Slowest(Vec<Slow>);

struct Slow {
    file: String,
    to_first_mask: f64,
    cold: f64,
}

impl Slowest {
    /// Files in the report, for each kind of call.
    const SHOWN: usize = 20;

    fn by(&self, time: impl Fn(&Slow) -> f64) -> Vec<Value> {
        let mut times: Vec<_> = self.0.iter().map(|slow| (time(slow), &slow.file)).collect();
        times.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        times.iter().take(Self::SHOWN).map(|(us, file)| json!({"file": file, "us": us})).collect()
    }
}

#[derive(Default)]
struct Times {
    to_first_mask: Durations,
    cold: Durations,
    hot: Durations,
}

#[derive(Default)]
struct Counts {
    files: usize,
    compile_errors: usize,
    valid: usize,
    valid_rejected: usize,
    /// Of these, the ones that would be accepted with their members in any order.
    valid_rejected_for_order: usize,
    invalid: usize,
    invalid_accepted: usize,
}

impl Bench {
    fn new(order: Order, passes: u32) -> Self {
        let started = Instant::now();
        let compiler = Compiler::new(Vocabulary::o200k_harmony());
        let startup_ms = started.elapsed().as_secs_f64() * 1e3;
        let property_order = match order {
            Order::Declared => PropertyOrder::Declared,
            Order::Any => PropertyOrder::Any,
        };
        Self {
            compiler,
            options: Options { property_order, ..Options::default() },
            passes,
            mask: TokenMask::new(LOGITS),
            startup_ms,
            times: Times::default(),
            counts: Counts::default(),
            slowest: Slowest::default(),
            failures: Vec::new(),
        }
    }

    fn file(&mut self, path: &Path) -> Result<(), BenchError> {
        let group: Group = corpus::read(path)?;
        self.counts.files += 1;
        let (first_masks, cold) = (self.times.to_first_mask.len(), self.times.cold.len());
        match self.compile(&group.schema.to_string()) {
            Ok(grammar) => group.tests.iter().for_each(|case| self.case(path, &group.schema, &grammar, case)),
            Err(error) => {
                self.counts.compile_errors += 1;
                self.fail(path, "compile_error", &error.to_string());
            }
        }
        let Times { to_first_mask, cold: colds, .. } = &self.times;
        let (to_first_mask, cold) = (to_first_mask.longest_since(first_masks), colds.longest_since(cold));
        self.slowest.0.push(Slow { file: name(path), to_first_mask, cold });
        Ok(())
    }

    /// From a schema's text to the first mask.
    fn compile(&mut self, schema: &str) -> Result<Grammar, harmony_mask::Error> {
        let started = Instant::now();
        let schema: Value = serde_json::from_str(schema).expect("it was JSON before");
        let grammar = self.compiler.compile_schema(&schema, &self.options)?;
        grammar.matcher().fill_mask(&mut self.mask);
        self.times.to_first_mask.push(started.elapsed());
        Ok(grammar)
    }

    fn case(&mut self, path: &Path, schema: &Value, grammar: &Grammar, case: &Case) {
        let text = spelling::python(&case.data);
        let tokens = self.compiler.vocabulary().encode(&text).expect("o200k_harmony has an encoder");
        let rejection = self.pass(grammar, &tokens, true);
        (1..self.passes).for_each(|_| drop(self.pass(grammar, &tokens, false)));
        let (count, wrong) = match case.valid {
            true => (&mut self.counts.valid, &mut self.counts.valid_rejected),
            false => (&mut self.counts.invalid, &mut self.counts.invalid_accepted),
        };
        *count += 1;
        if case.valid != rejection.is_none() {
            *wrong += 1;
            let kind = if case.valid { "valid_rejected" } else { "invalid_accepted" };
            let mut detail = format!("{}: {}", case.description, rejection.unwrap_or_default());
            if case.valid && self.is_for_order(schema, &tokens) {
                self.counts.valid_rejected_for_order += 1;
                detail.push_str(" (only for the order of its members)");
            }
            self.fail(path, kind, &detail);
        }
    }

    /// Whether an instance that is rejected would not be if its members might come in any order.
    fn is_for_order(&self, schema: &Value, tokens: &[TokenId]) -> bool {
        let any = Options { property_order: PropertyOrder::Any, ..self.options.clone() };
        self.options.property_order == PropertyOrder::Declared
            && self.compiler.compile_schema(schema, &any).is_ok_and(|grammar| {
                let mut matcher = grammar.matcher();
                tokens.iter().all(|token| matcher.accept(*token).is_ok()) && matcher.is_accepting()
            })
    }

    /// Goes through the tokens; why they were rejected, if they were.
    fn pass(&mut self, grammar: &Grammar, tokens: &[TokenId], is_cold: bool) -> Option<String> {
        let times = if is_cold { &mut self.times.cold } else { &mut self.times.hot };
        let mut matcher = grammar.matcher();
        for &token in tokens {
            let started = Instant::now();
            matcher.fill_mask(&mut self.mask);
            let is_allowed = self.mask.contains(token);
            let accepted = is_allowed.then(|| matcher.accept(token));
            times.push(started.elapsed());
            match accepted {
                Some(Ok(())) => {}
                Some(Err(error)) => return Some(format!("the mask allows it, and yet: {error}")),
                None => return Some(matcher.accept(token).err()?.to_string()),
            }
        }
        (!matcher.is_accepting()).then(|| "the end is not an accepting state".to_owned())
    }

    fn fail(&mut self, path: &Path, kind: &str, detail: &str) {
        self.failures.push(json!({"file": name(path), "kind": kind, "detail": detail}));
    }

    fn document(&self) -> Value {
        let Counts {
            files,
            compile_errors,
            valid,
            valid_rejected,
            valid_rejected_for_order,
            invalid,
            invalid_accepted,
        } = self.counts;
        json!({
            "files": files,
            "compile_errors": compile_errors,
            "valid": valid,
            "valid_rejected": valid_rejected,
            "valid_rejected_for_order": valid_rejected_for_order,
            "invalid": invalid,
            "invalid_accepted": invalid_accepted,
            "ours": {
                "tbm_us": self.times.cold.summary().document(),
                "tbm_hot_us": self.times.hot.summary().document(),
                "ttfm_us": self.times.to_first_mask.summary().document(),
                "startup_ms": self.startup_ms,
                "peak_rss_mb": stats::peak_rss_mb(),
            },
            "peers": {},
            "slowest": {
                "tbm": self.slowest.by(|slow| slow.cold),
                "ttfm": self.slowest.by(|slow| slow.to_first_mask),
            },
            "failures": self.failures,
        })
    }

    fn summary(&self) -> String {
        let Counts {
            files,
            compile_errors,
            valid,
            valid_rejected,
            valid_rejected_for_order,
            invalid,
            invalid_accepted,
        } = self.counts;
        let Times { to_first_mask, cold, hot } = &self.times;
        let rss = stats::peak_rss_mb().map_or("unknown".to_owned(), |mb| format!("{mb:.0} MiB"));
        [
            format!("{files} schemas, {compile_errors} not compiled"),
            format!("{valid} valid instances, {valid_rejected} rejected, {valid_rejected_for_order} of them only for their order"),
            format!("{invalid} invalid instances, {invalid_accepted} accepted"),
            format!("mask + accept, cold  {}", cold.summary().line()),
            format!("mask + accept, hot   {}", hot.summary().line()),
            format!("text to first mask   {}", to_first_mask.summary().line()),
            format!(
                "start-up {:.1} ms, peak memory {rss} (with the encoder, which masks do not need)",
                self.startup_ms
            ),
        ]
        .join("\n")
    }
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy()).into_owned()
}
