//! `compile`: what compiling costs, and what is enforced.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use harmony_mask::schema::{Coverage, Status};
use harmony_mask::{CoverageEntry, Grammar};
use serde_json::{Value, json};

use crate::input::{self, Failure};
use crate::{Verdict, output};

/// Compiles a request or a schema and says what is enforced
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[command(override_usage = "harmony-mask compile [OPTIONS] <REQUEST>
       harmony-mask compile [OPTIONS] --schema <SCHEMA>")]
pub(crate) struct Compile {
    /// The request
    #[arg(required_unless_present = "schema", conflicts_with = "schema")]
    request: Option<PathBuf>,
    /// Compile a bare JSON Schema instead
    #[arg(long, value_name = "SCHEMA")]
    schema: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  harmony-mask compile examples/tools_and_format.json
  harmony-mask compile --schema schema.json --json";

impl Compile {
    pub(crate) fn run(&self) -> Result<Verdict, Failure> {
        let report = match (&self.request, &self.schema) {
            (Some(path), _) => {
                let request = input::request(path)?;
                Report::of(|| input::grammar(path, &request))?
            }
            (None, Some(path)) => {
                let schema = input::schema(path)?;
                Report::of(|| input::schema_grammar(path, &schema))?
            }
            (None, None) => unreachable!("clap requires one of them"),
        };
        if self.json {
            output::print_json(&report.document())?;
        } else {
            output::print(|out| report.write(out))?;
        }
        Ok(Verdict::Accepted)
    }
}

struct Report {
    time: Duration,
    grammar: Grammar,
}

impl Report {
    fn of(compile: impl FnOnce() -> Result<Grammar, Failure>) -> Result<Self, Failure> {
        let started = Instant::now();
        let grammar = compile()?;
        Ok(Self { time: started.elapsed(), grammar })
    }

    fn document(&self) -> Value {
        let entry = |entry: &CoverageEntry| {
            let Coverage { pointer, keyword, status } = &entry.coverage;
            json!({"tool": entry.tool, "pointer": pointer, "keyword": keyword, "status": word(*status)})
        };
        json!({
            "compile_us": self.time.as_nanos() as f64 / 1e3,
            "bytes": self.grammar.memory_bytes(),
            "coverage": self.grammar.coverage().iter().map(entry).collect::<Vec<_>>(),
            "warnings": self.grammar.warnings(),
        })
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let size = output::byte_size(self.grammar.memory_bytes());
        writeln!(out, "compiled in {}, {size}", output::duration(self.time))?;
        let mut tool = None;
        for entry in self.grammar.coverage() {
            if tool != Some(&entry.tool) {
                writeln!(out, "\n{}", entry.tool.as_deref().unwrap_or("response format"))?;
                tool = Some(&entry.tool);
            }
            let Coverage { pointer, keyword, status } = &entry.coverage;
            writeln!(out, "  {:<11} {pointer}/{keyword}", word(*status))?;
        }
        self.grammar.warnings().iter().try_for_each(|warning| writeln!(out, "\nwarning: {warning}"))
    }
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Exact => "exact",
        Status::Annotation => "annotation",
    }
}
