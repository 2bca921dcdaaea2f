//! `memory`: what one engine keeps resident, alone in a process of its own.
//!
//! Times want all engines in one process, memory wants each in its own: `maskbench` with peers runs this
//! command once for each engine. Ours lets members come in any order, which is the larger grammar.

use std::env;
use std::io::{self, Write};
use std::process::Command;

use clap::Args;
use harmony_mask::{Options, PropertyOrder, Vocabulary};
use serde::{Deserialize, Serialize};

use crate::corpus::{BenchError, Sample};
use crate::engine::{self, OURS, Setup};
use crate::maskbench::File;
use crate::peers::Peer;
use crate::stats;

/// Measures the memory of one engine that goes once through the files
#[derive(Args)]
pub(crate) struct Memory {
    /// A peer; without it ours
    #[arg(long, value_enum)]
    peer: Option<Peer>,
    #[command(flatten)]
    sample: Sample,
}

/// In MiB, where the system tells. The encoder of the instances and our vocabulary are part of each engine's
/// peak.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Footprint {
    /// After start-up.
    pub(crate) resident_mb: Option<f64>,
    /// The most at any time.
    pub(crate) peak_rss_mb: Option<f64>,
}

impl Footprint {
    pub(crate) fn line(&self) -> String {
        let mb = |value: Option<f64>| value.map_or("unknown".to_owned(), |mb| format!("{mb:.0} MiB"));
        format!(
            "memory {} after it, at most {} (with the encoder, which masks do not need)",
            mb(self.resident_mb),
            mb(self.peak_rss_mb)
        )
    }
}

impl Memory {
    pub(crate) fn run(&self) -> Result<(), BenchError> {
        let vocabulary = Vocabulary::o200k_harmony();
        let engine = match self.peer {
            Some(peer) => peer.starter()?(&vocabulary),
            None => {
                let options = Options { property_order: PropertyOrder::Any, ..Options::default() };
                engine::ours(&vocabulary, Setup::new(options))
            }
        };
        let resident_mb = stats::rss_mb();
        for path in self.sample.files()? {
            File::read(&path, &vocabulary)?.outcome(engine.as_ref(), 1);
        }
        let footprint = Footprint { resident_mb, peak_rss_mb: stats::peak_rss_mb() };
        let document = serde_json::to_string(&footprint).expect("numbers are JSON");
        writeln!(io::stdout(), "{document}").map_err(|error| BenchError::write("-", error))
    }
}

/// Runs the command for an engine.
pub(crate) fn of(engine: &str, sample: &Sample) -> Result<Footprint, BenchError> {
    let failed = |reason: String| BenchError::Memory { engine: engine.to_owned(), reason };
    let program = env::current_exe().map_err(|error| failed(error.to_string()))?;
    let mut command = Command::new(program);
    command.arg("memory");
    if engine != OURS {
        command.args(["--peer", engine]);
    }
    if let Some(count) = sample.sample {
        command.args(["--sample", &count.to_string(), "--seed", &sample.seed.to_string()]);
    }
    command.arg("--").args(&sample.paths);
    let output = command.output().map_err(|error| failed(error.to_string()))?;
    serde_json::from_slice(&output.stdout)
        .map_err(|_| failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}
