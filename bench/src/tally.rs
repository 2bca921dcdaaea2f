//! What an engine did with the files of MaskBench: counts, times and failures, and those of two engines side
//! by side.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::engine::OURS;
use crate::memory::Footprint;
use crate::stats::{Durations, Summary, title};

/// The times of one engine.
#[derive(Default)]
pub(crate) struct Times {
    pub(crate) to_first_mask: Durations,
    pub(crate) cold: Durations,
    pub(crate) hot: Durations,
}

impl Times {
    fn append(&mut self, other: &Self) {
        self.to_first_mask.append(&other.to_first_mask);
        self.cold.append(&other.cold);
        self.hot.append(&other.hot);
    }

    /// Takes the least of each call, which both made in the same order.
    fn lower(&mut self, other: &Self) {
        self.to_first_mask.lower(&other.to_first_mask);
        self.cold.lower(&other.cold);
        self.hot.lower(&other.hot);
    }

    /// The kinds of calls: how each is called in documents and in print.
    fn kinds(&self) -> [(&'static str, &'static str, &Durations); 3] {
        [
            ("tbm_us", "mask + accept, cold", &self.cold),
            ("tbm_hot_us", "mask + accept, hot ", &self.hot),
            ("ttfm_us", "text to first mask ", &self.to_first_mask),
        ]
    }

    fn document(&self) -> Map<String, Value> {
        self.kinds()
            .map(|(key, _, durations)| (key.to_owned(), durations.summary().document()))
            .into_iter()
            .collect()
    }
}

/// What an engine did with one file.
#[derive(Default)]
pub(crate) struct Outcome {
    /// Why the schema was not compiled.
    pub(crate) refused: Option<String>,
    pub(crate) times: Times,
    pub(crate) verdicts: Vec<Verdict>,
}

impl Outcome {
    /// Takes the least times of this and another round. What was refused in one round (a limit on time may be
    /// met by chance) counts as refused.
    pub(crate) fn lower(&mut self, other: &Self) {
        if let Some(reason) = self.refused.take().or_else(|| other.refused.clone()) {
            *self = Self { refused: Some(reason), ..Self::default() };
        } else {
            self.times.lower(&other.times);
        }
    }
}

/// What an engine said of one instance.
pub(crate) struct Verdict {
    pub(crate) is_valid: bool,
    pub(crate) description: String,
    /// Why it was rejected, if it was.
    pub(crate) rejection: Option<String>,
    /// Whether it is rejected only for the order of its members.
    pub(crate) is_for_order: bool,
}

/// What an engine did with all files.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) startup_ms: f64,
    pub(crate) footprint: Footprint,
    pub(crate) times: Times,
    compile_errors: usize,
    valid: usize,
    valid_rejected: usize,
    valid_rejected_for_order: usize,
    invalid: usize,
    invalid_accepted: usize,
    slowest: Slowest,
    failures: Vec<Value>,
}

impl Tally {
    pub(crate) fn new(startup_ms: f64, footprint: Footprint) -> Self {
        Self { startup_ms, footprint, ..Self::default() }
    }

    pub(crate) fn add(&mut self, path: &Path, outcome: &Outcome) {
        let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let mut fail = |kind: &str, detail: &str| {
            self.failures.push(json!({"file": file, "kind": kind, "detail": detail}));
        };
        if let Some(reason) = &outcome.refused {
            self.compile_errors += 1;
            fail("compile_error", reason);
        }
        for Verdict { is_valid, description, rejection, is_for_order } in &outcome.verdicts {
            let (kind, count, wrong) = match is_valid {
                true => ("valid_rejected", &mut self.valid, &mut self.valid_rejected),
                false => ("invalid_accepted", &mut self.invalid, &mut self.invalid_accepted),
            };
            *count += 1;
            if *is_valid != rejection.is_none() {
                *wrong += 1;
                self.valid_rejected_for_order += usize::from(*is_for_order);
                let why = if *is_for_order { "only for its order: " } else { "" };
                fail(kind, &format!("{description}: {why}{}", rejection.as_deref().unwrap_or_default()));
            }
        }
        self.times.append(&outcome.times);
        let Times { to_first_mask, cold, .. } = &outcome.times;
        self.slowest.0.push(Slow { file, to_first_mask: to_first_mask.longest(), cold: cold.longest() });
    }

    /// Counts of verdicts.
    pub(crate) fn counts(&self) -> Map<String, Value> {
        let counts = [
            ("compile_errors", self.compile_errors),
            ("valid", self.valid),
            ("valid_rejected", self.valid_rejected),
            ("valid_rejected_for_order", self.valid_rejected_for_order),
            ("invalid", self.invalid),
            ("invalid_accepted", self.invalid_accepted),
        ];
        counts.map(|(key, count)| (key.to_owned(), json!(count))).into_iter().collect()
    }

    /// Times and memory.
    pub(crate) fn costs(&self) -> Map<String, Value> {
        let mut costs = self.times.document();
        costs.insert("startup_ms".to_owned(), json!(self.startup_ms));
        costs.insert("resident_mb".to_owned(), json!(self.footprint.resident_mb));
        costs.insert("peak_rss_mb".to_owned(), json!(self.footprint.peak_rss_mb));
        costs
    }

    /// The files with the longest calls.
    pub(crate) fn slowest(&self) -> Value {
        json!({
            "tbm": self.slowest.by(|slow| slow.cold),
            "ttfm": self.slowest.by(|slow| slow.to_first_mask),
        })
    }

    pub(crate) fn failures(&self) -> &[Value] {
        &self.failures
    }

    pub(crate) fn summary(&self) -> String {
        let Self {
            compile_errors,
            valid,
            valid_rejected,
            valid_rejected_for_order,
            invalid,
            invalid_accepted,
            ..
        } = self;
        let mut lines = vec![
            format!("{compile_errors} schemas not compiled"),
            format!(
                "{valid} valid instances, {valid_rejected} rejected, {valid_rejected_for_order} only for their order"
            ),
            format!("{invalid} invalid instances, {invalid_accepted} accepted"),
        ];
        let times = self.times.kinds();
        lines.extend(times.map(|(_, title, durations)| format!("{title}  {}", durations.summary().line())));
        lines.push(format!("start-up {:.1} ms; {}", self.startup_ms, self.footprint.line()));
        lines.join("\n")
    }
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

/// Our times and a peer's on the files that both compiled: what one of them refuses would make the other look
/// slow or quick.
#[derive(Default)]
pub(crate) struct Pair {
    files: usize,
    pub(crate) ours: Times,
    pub(crate) theirs: Times,
}

impl Pair {
    pub(crate) fn add(&mut self, ours: &Outcome, theirs: &Outcome) {
        if ours.refused.is_none() && theirs.refused.is_none() {
            self.files += 1;
            self.ours.append(&ours.times);
            self.theirs.append(&theirs.times);
        }
    }

    pub(crate) fn document(&self) -> Value {
        let ratios = |(key, _, ours, theirs): (&str, &str, Summary, Summary)| {
            let columns = ours.ratios(&theirs).into_iter();
            let columns: Map<String, Value> =
                columns.map(|(column, ratio)| (column.to_owned(), json!(ratio))).collect();
            (key.to_owned(), Value::Object(columns))
        };
        json!({
            "files": self.files,
            "ours": self.ours.document(),
            "theirs": self.theirs.document(),
            "ratios": self.kinds().map(ratios).collect::<Map<String, Value>>(),
        })
    }

    pub(crate) fn summary(&self, peer: &str) -> String {
        let mut lines = vec![format!("{OURS} and {peer}, on the {} schemas that both compile", self.files)];
        for (_, kind, ours, theirs) in self.kinds() {
            let number = |ratio: Option<f64>| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
            let ratios = ours.ratios(&theirs).into_iter();
            let ratios = ratios.map(|(column, ratio)| format!("{} {}", title(column), number(ratio)));
            lines.push(kind.to_owned());
            lines.push(format!("  {OURS:<10}  {}", ours.line()));
            lines.push(format!("  {peer:<10}  {}", theirs.line()));
            lines.push(format!("  ÷           {}", ratios.collect::<Vec<_>>().join(", ")));
        }
        lines.join("\n")
    }

    /// The kinds of calls, ours and theirs.
    fn kinds(&self) -> impl Iterator<Item = (&'static str, &'static str, Summary, Summary)> {
        let kinds = self.ours.kinds().into_iter().zip(self.theirs.kinds());
        kinds.map(|((key, title, ours), (_, _, theirs))| (key, title, ours.summary(), theirs.summary()))
    }
}
