//! The official JSON Schema test suite, where it is unpacked below `target/corpora`: all required tests and
//! the optional ones of where identifiers and anchors count, with formats as annotations, and the optional
//! ones of formats, with formats asserted. What fails is compared with `tests/baselines/suite`.

use std::path::{Path, PathBuf};

use crate::corpus::accepts;
use crate::harness::COMPILER;
use crate::harness::baseline::{Outcomes, corpus, json_files, read_json};
use harmony_mask::{Compiler, Formats, Options, PropertyOrder};
use serde_json::Value;

const DRAFTS: [(&str, &str); 5] = [
    ("draft4", "http://json-schema.org/draft-04/schema#"),
    ("draft6", "http://json-schema.org/draft-06/schema#"),
    ("draft7", "http://json-schema.org/draft-07/schema#"),
    ("draft2019-09", "https://json-schema.org/draft/2019-09/schema"),
    ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
];

/// Files of optional tests: what names something, and what only looks so.
const NAMES: [&str; 4] = ["anchor.json", "id.json", "refOfUnknownKeyword.json", "unknownKeyword.json"];

#[test]
fn required_tests_are_no_worse_than_their_baselines() {
    check("", |_| true, "", Formats::Annotate);
}

#[test]
fn tests_of_names_are_no_worse_than_their_baselines() {
    check("optional", |file| NAMES.contains(&file), "", Formats::Annotate);
}

#[test]
fn tests_of_formats_are_no_worse_than_their_baselines() {
    check("optional/format", |_| true, "-formats", Formats::Assert);
}

fn check(folder: &str, is_asked: fn(&str) -> bool, baseline: &str, formats: Formats) {
    let Some(suite) = corpus("json-schema-test-suite") else { return };
    let compiler = COMPILER.clone().with_resources(remotes(&suite.join("remotes")));
    let options = Options { formats, property_order: PropertyOrder::Any, ..Options::default() };
    for (draft, dialect) in DRAFTS {
        let mut outcomes = Outcomes::default();
        for file in json_files(&suite.join("tests").join(draft).join(folder)) {
            let name = file.file_name().expect("a name").to_string_lossy().into_owned();
            if !is_asked(&name) {
                continue;
            }
            for group in read_json(&file).as_array().expect("a list of groups") {
                let schema = with_dialect(&group["schema"], dialect);
                run(&compiler, &options, &schema, group, &name, &mut outcomes);
            }
        }
        outcomes.compare(&format!("suite/{draft}{baseline}"));
    }
}

fn run(
    compiler: &Compiler,
    options: &Options,
    schema: &Value,
    group: &Value,
    file: &str,
    outcomes: &mut Outcomes,
) {
    let group_name = format!("{file}: {}", group["description"].as_str().expect("a text"));
    let grammar = match compiler.compile_schema(schema, options) {
        Ok(grammar) => Some(grammar),
        // That nothing is allowed is an error to a user, and a verdict on every instance.
        Err(error) if matches!(error.kind(), "unsatisfiable" | "no_base_case") => None,
        Err(error) => return outcomes.failed(group_name, &format!("not compiled: {}", error.kind())),
    };
    for test in group["tests"].as_array().expect("a list of tests") {
        let case = format!("{group_name}: {}", test["description"].as_str().expect("a text"));
        let accepted = grammar.as_ref().is_some_and(|grammar| accepts(grammar, &test["data"].to_string()));
        outcomes.verdict(case, test["valid"].as_bool().expect("a verdict"), accepted);
    }
    outcomes.passed(group_name);
}

/// The documents that references of the tests lead into, by URI.
fn remotes(root: &Path) -> Vec<(String, Value)> {
    let (mut open, mut remotes) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = open.pop() {
        let entries = folder.read_dir().expect("a folder").map(|entry| entry.expect("an entry").path());
        open.extend(entries.filter(|path: &PathBuf| path.is_dir()));
        for file in json_files(&folder) {
            let name = file.strip_prefix(root).expect("below it").display().to_string();
            remotes.push((format!("http://localhost:1234/{name}"), read_json(&file)));
        }
    }
    remotes
}

/// The schema, saying which dialect it is written in.
fn with_dialect(schema: &Value, dialect: &str) -> Value {
    let mut schema = schema.clone();
    if let Some(keywords) = schema.as_object_mut().filter(|keywords| !keywords.contains_key("$schema")) {
        keywords.shift_insert(0, "$schema".to_owned(), dialect.into());
    }
    schema
}
