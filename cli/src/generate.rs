//! `generate`: samples completions under the mask and checks each of them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use harmony_mask::{Matcher, Vocabulary};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use crate::draft::{self, Plan};
use crate::input::{self, Failure};
use crate::output::Durations;
use crate::prompt::{self, Prompted};
use crate::sampler::{self, Sample, StandIn};
use crate::verify::{Opinion, Verifier};
use crate::{Verdict, output, view};

/// Samples completions under the mask, with a stand-in for the model
///
/// There are no weights: the stand-in scores tokens at random, or so as to say a draft. Every completion is
/// verified by other code than the masks: messages, JSON, unique names, and the schema under `jsonschema`.
/// Where that crate refuses the schema, or takes too long for it, the completion is called not verified, which
/// does not change the exit code.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[command(override_usage = "harmony-mask generate [OPTIONS] <REQUEST>
       harmony-mask generate [OPTIONS] --prompt <PROMPT>")]
pub(crate) struct Generate {
    /// The request
    #[arg(required_unless_present = "prompt", conflicts_with = "prompt")]
    request: Option<PathBuf>,
    /// A prompt, which says what is allowed, instead of a request
    #[arg(long, value_name = "PROMPT")]
    prompt: Option<PathBuf>,
    /// Where the stand-in's chance begins; the same seed gives the same completions
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0)]
    seed: u64,
    /// Finish each completion within so many tokens, or within as many as the shortest needs
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 400)]
    max_tokens: usize,
    /// How much is left to chance; 0 takes the token with the highest score
    #[arg(long, value_name = "T", allow_negative_numbers = true, default_value_t = 1.0, value_parser = temperature)]
    temperature: f64,
    /// A completion to follow as far as the mask allows, and to repair where it does not
    #[arg(long, value_name = "FILE")]
    draft: Option<PathBuf>,
    /// How many completions to sample
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1)]
    count: u64,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  harmony-mask generate examples/weather.json
  harmony-mask generate examples/weather.json --draft examples/drafts/unbalanced.txt
  harmony-mask generate examples/tools_and_format.json --count 200 --seed 1 --json";

fn temperature(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if (0.0..=100.0).contains(&value) => Ok(value),
        _ => Err("must be a number from 0 to 100".to_owned()),
    }
}

impl Generate {
    pub(crate) fn run(&self) -> Result<Verdict, Failure> {
        let Prompted { request, matcher, is_at_start } = self.allowed()?;
        if !is_at_start && self.draft.is_some() {
            let message = "--draft is what follows `<|start|>assistant`, but the prompt does not end there";
            return Err(Failure::Usage(message.to_owned()));
        }
        let plan = self.draft.as_deref().map(|draft| plan(draft, &matcher)).transpose()?;
        let verifier = Verifier::new(&request);
        let vocabulary = Vocabulary::o200k_harmony();
        let mut stand_in = StandIn::new(&vocabulary, self.seed, self.temperature, plan.as_ref());

        let mut report = Report { json: self.json, ..Report::default() };
        report.begin(plan.as_ref())?;
        let progress = self.progress();
        for _ in 0..self.count {
            let sample = sampler::sample(matcher.fork(), &mut stand_in, self.max_tokens);
            let messages = sample.matcher.transcript().messages;
            let opinion = verifier.opinion(&messages, sample.matcher.is_accepting());
            if !progress.suspend(|| report.add(&sample, &opinion))? {
                break;
            }
            progress.inc(1);
        }
        progress.finish_and_clear();
        report.end(self.count)?;
        Ok(Verdict::of(report.bad == 0))
    }

    /// What may be said. The draft, if there is one, is another input.
    fn allowed(&self) -> Result<Prompted, Failure> {
        let (request, prompt) = (self.request.as_deref(), self.prompt.as_deref());
        if let (Some(first), Some(draft)) = (request.or(prompt), &self.draft) {
            input::one_from_stdin(first, draft)?;
        }
        prompt::allowed(request, prompt)
    }

    /// A bar on a terminal for more than one completion, nothing otherwise.
    fn progress(&self) -> ProgressBar {
        if self.count < 2 {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} completions, {per_sec}, {eta} left");
        ProgressBar::new(self.count).with_style(style.expect("the template is well formed"))
    }
}

fn plan(draft: &Path, matcher: &Matcher) -> Result<Plan, Failure> {
    let vocabulary = matcher.vocabulary();
    let units = draft::units(vocabulary, &input::completion_tokens(vocabulary, &input::completion(draft)?));
    Ok(Plan::new(vocabulary, draft::repair(matcher.automaton(), &units)))
}

/// What is printed, while it comes or, as JSON, at the end.
#[derive(Default)]
struct Report {
    json: bool,
    completions: Vec<Value>,
    mask_times: Durations,
    bad: usize,
    unverified: usize,
}

impl Report {
    fn begin(&self, plan: Option<&Plan>) -> Result<bool, Failure> {
        if self.json {
            return Ok(true);
        }
        output::print(|out| {
            view::write_legend(out)?;
            plan.map_or(Ok(()), |plan| view::write_edits(out, plan.edits()))
        })
    }

    /// Says whether anybody reads on: if not, those so far are enough.
    fn add(&mut self, sample: &Sample, opinion: &Opinion) -> Result<bool, Failure> {
        self.mask_times.extend(&sample.mask_times);
        self.bad += usize::from(!opinion.problems.is_empty());
        self.unverified += usize::from(opinion.problems.is_empty() && !opinion.is_verified());
        if self.json {
            self.completions.push(document(sample, opinion));
            return Ok(true);
        }
        output::print(|out| {
            view::write_transcript(out, sample)?;
            view::write_footer(out, sample, opinion)?;
            writeln!(out)
        })
    }

    fn end(&mut self, count: u64) -> Result<bool, Failure> {
        if self.json {
            let completions = std::mem::take(&mut self.completions);
            let document = json!({"completions": completions, "mask_us": self.mask_times.document()});
            return output::print_json(&document);
        }
        if count < 2 {
            return Ok(true);
        }
        output::print(|out| self.write_summary(out, count))
    }

    fn write_summary(&self, out: &mut dyn Write, count: u64) -> io::Result<()> {
        write!(out, "{count} completions, {} not valid", self.bad)?;
        if self.unverified > 0 {
            write!(out, ", {} not verified", self.unverified)?;
        }
        write!(out, " · ")?;
        view::write_times(out, &self.mask_times)?;
        writeln!(out)
    }
}

fn document(sample: &Sample, opinion: &Opinion) -> Value {
    json!({
        "tokens": sample.matcher.tokens(),
        "text": sample.matcher.vocabulary().decode(sample.matcher.tokens()),
        "finished": sample.matcher.is_accepting(),
        "forced": sample.forced(),
        "messages": output::messages(&sample.matcher),
        "verified": opinion.is_verified(),
        "problems": opinion.problems,
        "unverified": opinion.unverified,
    })
}
