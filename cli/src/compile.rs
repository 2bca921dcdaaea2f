//! `compile`: what compiling costs, what is enforced, and what the automaton looks like.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use harmony_mask::schema::{Coverage, Status};
use harmony_mask::{CoverageEntry, Grammar};
use serde_json::{Value, json};

use crate::input::{self, Failure};
use crate::{Verdict, dot, output};

/// Compiles a request, a schema or a grammar and says what is enforced
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[command(override_usage = "harmony-mask compile [OPTIONS] <REQUEST>
       harmony-mask compile [OPTIONS] --schema <SCHEMA>
       harmony-mask compile [OPTIONS] --lark <GRAMMAR>")]
pub(crate) struct Compile {
    /// The request
    #[arg(required_unless_present_any = ["schema", "lark"], conflicts_with_all = ["schema", "lark"])]
    request: Option<PathBuf>,
    /// Compile a bare JSON Schema instead
    #[arg(long, value_name = "SCHEMA")]
    schema: Option<PathBuf>,
    /// Compile a Lark grammar instead
    #[arg(long, value_name = "GRAMMAR", conflicts_with = "schema")]
    lark: Option<PathBuf>,
    /// Draw the automaton into a file, for Graphviz: its first states, byte by byte; `-` is standard output,
    /// instead of the report
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  harmony-mask compile examples/tools_and_format.json
  harmony-mask compile --schema schema.json --json
  harmony-mask compile --lark grammar.lark --dot - | dot -Tsvg > grammar.svg";

impl Compile {
    pub(crate) fn run(&self) -> Result<Verdict, Failure> {
        let draws_to_stdout = self.dot.as_ref().is_some_and(|path| path.as_os_str() == "-");
        if draws_to_stdout && self.json {
            let message = "--json and --dot - both write to standard output: draw into a file";
            return Err(Failure::Usage(message.to_owned()));
        }
        let report = self.report()?;
        if let Some(path) = &self.dot {
            let drawing = dot::drawing(&report.grammar);
            if draws_to_stdout {
                output::print_exactly(|out| out.write_all(drawing.as_bytes()))?;
                return Ok(Verdict::Accepted);
            }
            fs::write(path, drawing)
                .map_err(|source| Failure::WriteFile { name: input::name(path), source })?;
        }
        if self.json {
            output::print_json(&report.document())?;
        } else {
            output::print(|out| report.write(out))?;
        }
        Ok(Verdict::Accepted)
    }

    fn report(&self) -> Result<Report, Failure> {
        match (&self.request, &self.schema, &self.lark) {
            (Some(path), ..) => {
                let request = input::quiet_request(path)?;
                Report::of(|| input::grammar(path, &request))
            }
            (None, Some(path), _) => {
                let schema = input::schema(path)?;
                Report::of(|| input::schema_grammar(path, &schema))
            }
            (None, None, Some(path)) => {
                let grammar = input::text(path)?;
                Report::of(|| input::lark_grammar(path, &grammar))
            }
            (None, None, None) => unreachable!("clap requires one of them"),
        }
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
                writeln!(out, "\n{}", output::shown(entry.tool.as_deref().unwrap_or("response format")))?;
                tool = Some(&entry.tool);
            }
            let Coverage { pointer, keyword, status } = &entry.coverage;
            writeln!(out, "  {:<11} {}", word(*status), output::shown(format!("{pointer}/{keyword}")))?;
        }
        let mut warnings = self.grammar.warnings().iter().map(output::shown);
        warnings.try_for_each(|warning| writeln!(out, "\nwarning: {warning}"))
    }
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Exact => "exact",
        Status::Annotation => "annotation",
    }
}
