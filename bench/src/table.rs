//! `peers`: the short table, ours beside each peer that this program was built with, as Markdown.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use harmony_mask::{Options, PropertyOrder};

use crate::corpus::{BenchError, Sample};
use crate::maskbench::{self, PeerResult, Results};
use crate::stats::Durations;
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
        let results = maskbench::run(&self.sample, &peers::built()?, options, 2)?;
        if let Some(path) = &self.plot {
            plot::write(path, &results)?;
        }
        let tables: Vec<String> = results.peers.iter().map(|peer| table(&results, peer)).collect();
        write!(io::stdout(), "{}", tables.join("\n")).map_err(|error| BenchError::write("-", error))
    }
}

fn table(results: &Results, peer: &PeerResult) -> String {
    let (ours, theirs) = (&results.ours, &peer.tally);
    let mut text = format!("| | harmony-mask | {} | ratio |\n|---|---:|---:|---:|\n", peer.name);
    text.push_str(&row("start-up, ms", Some(ours.startup_ms), Some(theirs.startup_ms)));
    let kinds = [
        ("time to first mask", &peer.pair.ours.to_first_mask, &peer.pair.theirs.to_first_mask),
        ("mask + accept", &peer.pair.ours.cold, &peer.pair.theirs.cold),
        ("mask + accept, second pass", &peer.pair.ours.hot, &peer.pair.theirs.hot),
    ];
    kinds.iter().for_each(|(what, ours, theirs)| text.push_str(&rows(what, ours, theirs)));
    let (ours, theirs) = (&ours.footprint, &theirs.footprint);
    text.push_str(&row("memory after start-up, MiB", ours.resident_mb, theirs.resident_mb));
    text.push_str(&row("peak memory, MiB", ours.peak_rss_mb, theirs.peak_rss_mb));
    text
}

/// The middle of a distribution and its tail.
fn rows(what: &str, ours: &Durations, theirs: &Durations) -> String {
    let (ours, theirs) = (ours.summary(), theirs.summary());
    [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)]
        .map(|(column, share)| {
            row(&format!("{what}, {column}, µs"), ours.percentile(share), theirs.percentile(share))
        })
        .concat()
}

fn row(what: &str, ours: Option<f64>, theirs: Option<f64>) -> String {
    let ratio = ours.zip(theirs).map(|(ours, theirs)| theirs / ours);
    let ratio = ratio.map_or("-".to_owned(), |ratio| format!("{} ×", short(Some(ratio))));
    format!("| {what} | {} | {} | {ratio} |\n", short(ours), short(theirs))
}

/// Two or three digits, which is what measurements on a shared machine are good for.
fn short(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value < 10.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.0}"),
    }
}
