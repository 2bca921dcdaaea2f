//! `peers`: the short table, ours beside each peer that this program was built with, as Markdown.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use harmony_mask::{Options, PropertyOrder};

use crate::corpus::{BenchError, Sample};
use crate::engine::Setup;
use crate::maskbench::{self, PeerResult, Repetition, Results};
use crate::stats::Durations;
use crate::tally::Pair;
use crate::{peers, plot};

/// Prints the short table of ours beside the peers
#[derive(Args)]
pub(crate) struct Peers {
    #[command(flatten)]
    sample: Sample,
    /// Draw the distributions as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

impl Peers {
    pub(crate) fn run(&self) -> Result<(), BenchError> {
        let options = Options { property_order: PropertyOrder::Any, ..Options::default() };
        let results = maskbench::run(&self.sample, &peers::built()?, Setup::new(options), Repetition::USUAL)?;
        if let Some(path) = &self.plot {
            plot::write(path, &results)?;
        }
        let tables: Vec<String> = results.peers.iter().map(|peer| table(&results, peer)).collect();
        write!(io::stdout(), "{}", tables.join("\n")).map_err(|error| BenchError::write("-", error))
    }
}

fn table(results: &Results, peer: &PeerResult) -> String {
    let (ours, theirs) = (&results.ours, &peer.tally);
    let Pair { ours: our_times, theirs: their_times, .. } = &peer.pair;
    let mut text = format!("| | harmony-mask | {} | ratio |\n|---|---:|---:|---:|\n", peer.name);
    text.push_str(&row("start-up, ms", &[Some(ours.startup_ms)], &[Some(theirs.startup_ms)]));
    let kinds = [
        ("text to first mask", &our_times.to_first_mask, &their_times.to_first_mask),
        ("mask + accept, first pass", &our_times.cold, &their_times.cold),
        ("mask + accept, second pass", &our_times.hot, &their_times.hot),
    ];
    for (what, ours, theirs) in kinds {
        let what = format!("{what}, µs (p50 / p90 / p99 / p99.9)");
        text.push_str(&row(&what, &shown(ours), &shown(theirs)));
    }
    let (ours, theirs) = (&ours.footprint, &theirs.footprint);
    text.push_str(&row("memory after start-up, MiB", &[ours.resident_mb], &[theirs.resident_mb]));
    text.push_str(&row("peak memory, MiB", &[ours.peak_rss_mb], &[theirs.peak_rss_mb]));
    text
}

/// The middle of a distribution and its tail.
fn shown(durations: &Durations) -> [Option<f64>; 4] {
    let summary = durations.summary();
    [0.5, 0.9, 0.99, 0.999].map(|share| summary.percentile(share))
}

fn row(what: &str, ours: &[Option<f64>], theirs: &[Option<f64>]) -> String {
    let ratios: Vec<_> = ours.iter().zip(theirs).map(|(ours, theirs)| Some((*theirs)? / (*ours)?)).collect();
    format!("| {what} | {} | {} | {} × |\n", cell(ours), cell(theirs), cell(&ratios))
}

fn cell(values: &[Option<f64>]) -> String {
    values.iter().map(|value| short(*value)).collect::<Vec<_>>().join(" / ")
}

/// Two or three digits, which is what measurements on a shared machine are good for.
fn short(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value < 1.0 => format!("{value:.2}"),
        Some(value) if value < 10.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.0}"),
    }
}
