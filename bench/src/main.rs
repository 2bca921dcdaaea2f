//! Corpora and measurements for harmony-mask: correctness and speed on thousands of real schemas, and the
//! official suite.
//!
//! A command reads its corpus from folders given on the command line, so that nothing of it need be part of
//! the repository, and prints a summary; `--json` also writes the full result to a file, `-` to standard
//! output. Exit codes: 0 measured, 2 the call is wrong.

mod corpus;
mod engine;
mod grammars;
mod maskbench;
mod memory;
mod peers;
mod plot;
mod progress;
mod spelling;
mod stats;
mod suite;
mod table;
mod tally;

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;
use serde_json::Value;

use corpus::BenchError;

/// Of all engines: `Cargo.toml` says what it gains.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Measures harmony-mask on corpora.
#[derive(Parser)]
#[command(name = "harmony-mask-bench", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Grammars(grammars::Grammars),
    Maskbench(maskbench::MaskBench),
    Memory(memory::Memory),
    Peers(table::Peers),
    Suite(suite::Suite),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Grammars(command) => command.run(),
        Command::Maskbench(command) => command.run(),
        Command::Memory(command) => command.run(),
        Command::Peers(command) => command.run(),
        Command::Suite(command) => command.run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our output has seen enough.
        Err(BenchError::Write { source, .. }) if source.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // An error that cannot be shown still has its exit code.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Writes the document to the file of `--json`, and the summary to standard output unless the document goes
/// there.
fn report(json: Option<&Path>, document: &Value, summary: &str) -> Result<(), BenchError> {
    let print = |text: &str| writeln!(io::stdout(), "{text}").map_err(|error| BenchError::write("-", error));
    match json {
        Some(path) if path.as_os_str() == "-" => print(&document.to_string()),
        Some(path) => {
            fs::write(path, format!("{document:#}\n")).map_err(|error| BenchError::write(path, error))?;
            print(summary)
        }
        None => print(summary),
    }
}
