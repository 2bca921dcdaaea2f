//! The command line of harmony-mask.
//!
//! One file per command; `input` reads, `output` writes, and neither knows the other. A command returns its
//! [`Verdict`], which becomes the exit code: 0 accepted or done, 1 rejected, 2 when the input or the call is
//! wrong. In the last case nothing is written to standard output.

mod check;
mod compile;
mod dot;
mod draft;
mod fuzz;
mod generate;
mod input;
mod mask;
mod output;
mod prompt;
mod sampler;
mod verify;
mod view;

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use input::Failure;

/// Masks that let gpt-oss say only valid Harmony.
#[derive(Parser)]
#[command(name = "harmony-mask", version, arg_required_else_help = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
A REQUEST is the JSON body of an OpenAI request, Responses or Chat Completions. `-` reads standard input.
Exit codes: 0 accepted or done, 1 rejected, 2 the input or the call is wrong.

Examples:
  harmony-mask generate examples/weather.json
  harmony-mask check examples/weather.json completion.txt
  harmony-mask mask examples/weather.json --prefix '<|channel|>'
  harmony-mask compile examples/weather.json --json
  harmony-mask prompt examples/weather.json
  harmony-mask fuzz examples/weather.json";

#[derive(Subcommand)]
enum Command {
    Generate(generate::Generate),
    Check(check::Check),
    Mask(mask::Mask),
    Compile(compile::Compile),
    Prompt(prompt::Prompt),
    Fuzz(fuzz::Fuzz),
}

impl Command {
    fn run(&self) -> Result<Verdict, Failure> {
        match self {
            Self::Generate(command) => command.run(),
            Self::Check(command) => command.run(),
            Self::Mask(command) => command.run(),
            Self::Compile(command) => command.run(),
            Self::Prompt(command) => command.run(),
            Self::Fuzz(command) => command.run(),
        }
    }
}

/// What a command found, which its exit code tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Accepted,
    Rejected,
}

impl Verdict {
    fn of(accepted: bool) -> Self {
        if accepted { Self::Accepted } else { Self::Rejected }
    }
}

fn main() -> ExitCode {
    // Whether errors are JSON must be known even where the arguments cannot be parsed.
    let json = env::args_os().any(|argument| argument == "--json");
    let outcome = match Cli::try_parse() {
        Ok(cli) => cli.command.run(),
        Err(help) if !help.use_stderr() => {
            output::print(|out| write!(out, "{}", help.render().ansi())).map(|_| Verdict::Accepted)
        }
        Err(error) if json => Err(usage(&error)),
        Err(error) => {
            // What is wrong with the call has no other place to go.
            let _ = error.print();
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(Verdict::Accepted) => ExitCode::SUCCESS,
        Ok(Verdict::Rejected) => ExitCode::from(1),
        Err(failure) => {
            let text = if json {
                failure.document().to_string()
            } else {
                output::shown(format!("error: {failure}"))
            };
            // An error that cannot be shown still has its exit code.
            let _ = writeln!(io::stderr(), "{text}");
            ExitCode::from(2)
        }
    }
}

/// What clap says, without its prefix and without the help that follows.
fn usage(error: &clap::Error) -> Failure {
    let text = error.to_string();
    let message = text.split("\n\n").next().unwrap_or_default();
    Failure::Usage(message.trim_start_matches("error: ").to_owned())
}
