//! `fuzz`: walks the grammar at random and verifies every completion.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use harmony_mask::sampler::{Coverage, minimise};
use harmony_mask::{Matcher, Sampler};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use crate::input::{self, Failure};
use crate::verify::{Opinion, Verifier};
use crate::{Verdict, output};

/// Walks the grammar at random and verifies every completion
///
/// Walks differ in what they prefer: any token, branches that were seldom taken, the longest tokens, escapes,
/// parts of characters, the shortest way out. Every completion is verified by other code than the masks. A
/// failure is made as small as it can be. The coverage tells which branches of the grammar (literals, special
/// tokens, kinds of text, each at its place) were offered and never taken.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Fuzz {
    /// The request
    request: PathBuf,
    /// How many completions to verify
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1_000)]
    count: u64,
    /// Where chance begins; the same seed gives the same completions
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0)]
    seed: u64,
    /// Choose at most so many tokens at random, then take the shortest way to the end
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 100)]
    max_tokens: usize,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Exit codes: 0 nothing is wrong with any completion, 1 some are not valid, 2 the input or the call is wrong.

Examples:
  harmony-mask fuzz examples/weather.json
  harmony-mask fuzz examples/tools_and_format.json --count 20000 --seed 7";

/// Failures that are kept and made small; more are only counted.
const KEPT: usize = 10;
/// How often the bar is drawn.
const REDRAW: Duration = Duration::from_millis(200);

impl Fuzz {
    pub(crate) fn run(&self) -> Result<Verdict, Failure> {
        let request = input::request(&self.request)?;
        let grammar = input::grammar(&self.request, &request)?;
        let verifier = Verifier::new(&request);
        let mut sampler = Sampler::new(&grammar, self.seed).with_max_steps(self.max_tokens);
        let mut findings = Findings::default();
        let (progress, started) = (self.progress(), Instant::now());
        for number in 0..self.count {
            let matcher = sampler.sample();
            findings.check(number, &matcher, &verifier);
            progress.inc(1);
            progress.set_message(state(sampler.coverage(), &findings));
        }
        progress.finish_and_clear();
        let report = Report {
            count: self.count,
            spent: started.elapsed(),
            coverage: sampler.coverage(),
            findings: &findings,
        };
        if self.json {
            output::print_json(&report.document())?;
        } else {
            output::print(|out| report.write(out))?;
        }
        Ok(Verdict::of(findings.count == 0))
    }

    /// A bar on a terminal, nothing in a pipe.
    fn progress(&self) -> ProgressBar {
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len}, {per_sec}, {eta} left, {msg}");
        let bar = ProgressBar::new(self.count).with_style(style.expect("the template is well formed"));
        bar.enable_steady_tick(REDRAW);
        bar
    }
}

fn state(coverage: &Coverage, findings: &Findings) -> String {
    format!("{} of {} branches, {} failures", coverage.taken(), coverage.offered(), findings.count)
}

/// The completions that are not valid.
#[derive(Default)]
struct Findings {
    count: u64,
    kept: Vec<Finding>,
    /// How many could not be verified, in which nothing else is wrong, and why the first of them.
    unverified: u64,
    reason: Option<String>,
}

struct Finding {
    /// Which completion it was, from 0.
    number: u64,
    problems: Vec<String>,
    /// What is left of it.
    completion: Matcher,
}

impl Findings {
    fn check(&mut self, number: u64, matcher: &Matcher, verifier: &Verifier) {
        let opinion =
            |matcher: &Matcher| verifier.opinion(&matcher.transcript().messages, matcher.is_accepting());
        let problems = |matcher: &Matcher| opinion(matcher).problems;
        let Opinion { problems: found, unverified } = opinion(matcher);
        if found.is_empty() {
            self.unverified += u64::from(!unverified.is_empty());
            self.reason = self.reason.take().or(unverified.into_iter().next());
            return;
        }
        self.count += 1;
        if self.kept.len() < KEPT {
            let completion = minimise(matcher, |smaller| !problems(smaller).is_empty());
            self.kept.push(Finding { number, problems: problems(&completion), completion });
        }
    }
}

struct Report<'a> {
    count: u64,
    spent: Duration,
    coverage: &'a Coverage,
    findings: &'a Findings,
}

impl Report<'_> {
    fn rate(&self) -> f64 {
        self.count as f64 / self.spent.as_secs_f64().max(1e-9)
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for finding in &self.findings.kept {
            let matcher = &finding.completion;
            let problems = output::shown(finding.problems.join("; "));
            writeln!(out, "completion {} is not valid: {problems}", finding.number)?;
            let text = matcher.vocabulary().decode(matcher.tokens());
            writeln!(out, "  text    {}", output::shown(text))?;
            writeln!(out, "  tokens  {:?}\n", matcher.tokens())?;
        }
        for branch in self.coverage.missing() {
            let place = if branch.place.is_empty() { "the turn" } else { &branch.place };
            writeln!(out, "never taken: {}", output::shown(format!("{} in {place}", branch.text)))?;
        }
        if let Some(reason) = &self.findings.reason {
            let reason = output::shown(reason);
            writeln!(out, "not verified: {} completions, such as {reason}", self.findings.unverified)?;
        }
        let spent = output::duration(self.spent);
        write!(out, "{} completions in {spent}, {:.0} a second: ", self.count, self.rate())?;
        writeln!(out, "{} taken, {}", branches(self.coverage), failures(self.findings.count))
    }

    fn document(&self) -> Value {
        let failure = |finding: &Finding| {
            let matcher = &finding.completion;
            json!({
                "number": finding.number,
                "problems": finding.problems,
                "tokens": matcher.tokens(),
                "text": matcher.vocabulary().decode(matcher.tokens()),
            })
        };
        let missing =
            self.coverage.missing().map(|branch| json!({"place": branch.place, "text": branch.text}));
        json!({
            "completions": self.count,
            "per_second": self.rate(),
            "branches": {
                "offered": self.coverage.offered(),
                "taken": self.coverage.taken(),
                "missing": missing.collect::<Vec<_>>(),
            },
            "failed": self.findings.count,
            "failures": self.findings.kept.iter().map(failure).collect::<Vec<_>>(),
            "unverified": {"completions": self.findings.unverified, "reason": self.findings.reason},
        })
    }
}

fn branches(coverage: &Coverage) -> String {
    match (coverage.taken(), coverage.offered()) {
        (taken, offered) if taken == offered => format!("all {offered} branches"),
        (taken, offered) => format!("{taken} of {offered} branches"),
    }
}

fn failures(count: u64) -> String {
    match count {
        0 => "no failure".to_owned(),
        1 => "1 failure".to_owned(),
        more => format!("{more} failures"),
    }
}
