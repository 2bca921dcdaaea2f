//! `suite`: the official JSON Schema test suite, each instance in its compact spelling.
//!
//! Schemas without `$schema` are given that of their draft. Formats are annotations, as the required tests
//! have it, or, with `--optional-formats`, the tests of formats are run with formats asserted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use harmony_mask::{Compiler, Formats, Grammar, Options, PropertyOrder, Vocabulary};
use serde_json::{Value, json};

use crate::corpus::{self, BenchError, Group};
use crate::{progress, report};

/// Runs the official JSON Schema test suite
#[derive(Args)]
pub(crate) struct Suite {
    /// The suite's folder, with `tests/` in it
    path: PathBuf,
    /// Drafts to run
    #[arg(long = "draft", value_name = "DRAFT", value_enum, required = true, num_args = 1..)]
    drafts: Vec<Draft>,
    /// Run the optional tests of formats instead, with formats asserted
    #[arg(long)]
    optional_formats: bool,
    /// Write the full result to a file; `-` prints it instead of the summary
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Draft {
    #[value(name = "draft4", alias = "4")]
    Four,
    #[value(name = "draft6", alias = "6")]
    Six,
    #[value(name = "draft7", alias = "7")]
    Seven,
    #[value(name = "draft2019-09", alias = "2019-09")]
    Y2019,
    #[value(name = "draft2020-12", alias = "2020-12")]
    Y2020,
}

impl Draft {
    fn folder(self) -> &'static str {
        match self {
            Self::Four => "draft4",
            Self::Six => "draft6",
            Self::Seven => "draft7",
            Self::Y2019 => "draft2019-09",
            Self::Y2020 => "draft2020-12",
        }
    }

    fn uri(self) -> &'static str {
        match self {
            Self::Four => "http://json-schema.org/draft-04/schema#",
            Self::Six => "http://json-schema.org/draft-06/schema#",
            Self::Seven => "http://json-schema.org/draft-07/schema#",
            Self::Y2019 => "https://json-schema.org/draft/2019-09/schema",
            Self::Y2020 => "https://json-schema.org/draft/2020-12/schema",
        }
    }
}

impl Suite {
    pub(crate) fn run(&self) -> Result<(), BenchError> {
        let compiler = Compiler::new(Vocabulary::o200k_harmony()).with_resources(self.remotes()?);
        let formats = if self.optional_formats { Formats::Assert } else { Formats::Annotate };
        let options = Options { formats, property_order: PropertyOrder::Any, ..Options::default() };
        let mut drafts = BTreeMap::new();
        for &draft in &self.drafts {
            let mut run = Run { compiler: &compiler, options: &options, draft, tally: Tally::default() };
            run.files(&self.files(draft)?)?;
            drafts.insert(draft.folder(), run.tally);
        }
        let document: Value = drafts.iter().map(|(draft, tally)| (*draft, tally.document())).collect();
        let lines: Vec<String> = drafts.iter().map(|(draft, tally)| tally.line(draft)).collect();
        report(self.json.as_deref(), &document, &lines.join("\n"))
    }

    /// The documents that references of the tests lead into.
    fn remotes(&self) -> Result<Vec<(String, Value)>, BenchError> {
        let folder = self.path.join("remotes");
        let mut remotes = Vec::new();
        for file in corpus::files(std::slice::from_ref(&folder))? {
            let name = file.strip_prefix(&folder).unwrap_or(&file).display().to_string();
            remotes.push((format!("http://localhost:1234/{name}"), corpus::read(&file)?));
        }
        Ok(remotes)
    }

    fn files(&self, draft: Draft) -> Result<Vec<PathBuf>, BenchError> {
        let tests = self.path.join("tests").join(draft.folder());
        if self.optional_formats {
            return corpus::files(&[tests.join("optional/format")]);
        }
        let optional = tests.join("optional");
        let mut files = corpus::files(&[tests])?;
        files.retain(|file| !file.starts_with(&optional));
        Ok(files)
    }
}

#[derive(Default)]
struct Tally {
    groups: usize,
    compile_errors: usize,
    tests: usize,
    passed: usize,
    failures: Vec<Value>,
}

impl Tally {
    fn document(&self) -> Value {
        json!({
            "groups": self.groups,
            "compile_errors": self.compile_errors,
            "tests": self.tests,
            "passed": self.passed,
            "failures": self.failures,
        })
    }

    fn line(&self, draft: &str) -> String {
        let Self { groups, compile_errors, tests, passed, .. } = self;
        format!(
            "{draft:<13} {passed} of {tests} tests passed, {compile_errors} of {groups} schemas not compiled"
        )
    }
}

struct Run<'a> {
    compiler: &'a Compiler,
    options: &'a Options,
    draft: Draft,
    tally: Tally,
}

impl Run<'_> {
    fn files(&mut self, files: &[PathBuf]) -> Result<(), BenchError> {
        let progress = progress::bar(files.len(), self.draft.folder());
        for file in files {
            let groups: Vec<Group> = corpus::read(file)?;
            groups.iter().for_each(|group| self.group(file, group));
            progress.inc(1);
        }
        progress.finish_and_clear();
        Ok(())
    }

    fn group(&mut self, file: &Path, group: &Group) {
        self.tally.groups += 1;
        self.tally.tests += group.tests.len();
        let schema = with_dialect(&group.schema, self.draft.uri());
        let grammar = match self.compiler.compile_schema(&schema, self.options) {
            Ok(grammar) => Some(grammar),
            // That nothing is allowed is an error to a user, and a verdict on every instance.
            Err(error) if matches!(error.kind(), "unsatisfiable" | "no_base_case") => None,
            Err(error) => {
                self.tally.compile_errors += 1;
                return self.fail(file, group, None, &error.to_string());
            }
        };
        for case in &group.tests {
            let rejection = match &grammar {
                Some(grammar) => self.rejection(grammar, &case.data),
                None => Some("no value is allowed".to_owned()),
            };
            match (rejection, case.valid) {
                (None, true) | (Some(_), false) => self.tally.passed += 1,
                (None, false) => self.fail(file, group, Some(&case.description), "accepted"),
                (Some(why), true) => self.fail(file, group, Some(&case.description), &why),
            }
        }
    }

    /// Why an instance is not accepted, if it is not.
    fn rejection(&self, grammar: &Grammar, instance: &Value) -> Option<String> {
        let tokens =
            self.compiler.vocabulary().encode(&instance.to_string()).expect("o200k_harmony has an encoder");
        let mut matcher = grammar.matcher();
        if let Some(error) = tokens.into_iter().find_map(|token| matcher.accept(token).err()) {
            return Some(error.to_string());
        }
        (!matcher.is_accepting()).then(|| "the end is not an accepting state".to_owned())
    }

    fn fail(&mut self, file: &Path, group: &Group, test: Option<&str>, detail: &str) {
        let file = file.file_name().map(|name| name.to_string_lossy());
        let failure = json!({"file": file, "group": group.description, "test": test, "detail": detail});
        self.tally.failures.push(failure);
    }
}

/// The schema, saying which dialect it is written in.
fn with_dialect(schema: &Value, uri: &str) -> Value {
    let mut schema = schema.clone();
    if let Some(keywords) = schema.as_object_mut().filter(|keywords| !keywords.contains_key("$schema")) {
        keywords.shift_insert(0, "$schema".to_owned(), uri.into());
    }
    schema
}
