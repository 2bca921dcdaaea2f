//! The tables of docs/harmony.md, checked: every test that they name exists, and every requirement has one.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/harmony.md")
}

/// The cells of the tables, row by row, of those tables whose last column is headed `test`.
fn rows() -> Vec<Vec<String>> {
    let text = fs::read_to_string(page()).expect("the page");
    let (mut rows, mut is_tests) = (Vec::new(), false);
    for line in text.lines() {
        let Some(row) = line.strip_prefix("| ").and_then(|line| line.strip_suffix('|')) else {
            // A row of dashes is part of its table.
            is_tests &= line.starts_with('|');
            continue;
        };
        let cells: Vec<String> = row.split(" | ").map(|cell| cell.trim().to_owned()).collect();
        match cells.last().map(String::as_str) {
            Some("test") => is_tests = true,
            _ if is_tests => rows.push(cells),
            _ => {}
        }
    }
    rows
}

/// The links of a cell: text and target.
fn links(cell: &str) -> impl Iterator<Item = (&str, &str)> {
    cell.split('[').skip(1).filter_map(|link| {
        let (text, rest) = link.split_once("](")?;
        Some((text, rest.split_once(')')?.0))
    })
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The names of functions in a cell that the file of its first link must have; `turns::…` names a whole file.
fn functions(cell: &str) -> Vec<String> {
    let last = |name: &str| name.rsplit("::").next().unwrap_or(name).to_owned();
    let is_function = |name: &String| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    quoted(cell).map(last).filter(is_function).collect()
}

#[test]
fn tests_that_are_named_exist() {
    let folder = page().parent().expect("a folder").to_owned();
    let mut wrong = Vec::new();
    let rows = rows();
    assert!(rows.len() > 50, "the tables are found");
    for row in &rows {
        let cell = row.last().expect("a cell");
        let files: Vec<String> = links(cell)
            .map(|(_, target)| {
                fs::read_to_string(folder.join(target)).unwrap_or_else(|error| panic!("{target}: {error}"))
            })
            .collect();
        for name in functions(cell) {
            if !files.iter().any(|file| file.contains(&format!("fn {name}("))) {
                wrong.push(format!("{}: no `{name}`", row[0]));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A row has a test, or none because it has nothing to test; cases of `harmony.json` are named by how they
/// begin.
#[test]
fn requirements_have_tests() {
    let cases: Value = serde_json::from_str(include_str!("cases/harmony.json")).expect("JSON");
    let cases: Vec<&str> =
        cases.as_array().into_iter().flatten().filter_map(|case| case["name"].as_str()).collect();
    let mut wrong = Vec::new();
    for row in rows() {
        let cell = row.last().expect("a cell");
        if cell.is_empty() && row[0] != "logprobs" {
            wrong.push(format!("{}: no test", row[0]));
        }
        let prefixes =
            quoted(cell).filter_map(|name| name.strip_suffix('…').filter(|name| !name.ends_with("::")));
        for prefix in prefixes {
            if !cases.iter().any(|case| case.starts_with(prefix.trim_end())) {
                wrong.push(format!("{}: no case `{prefix}`", row[0]));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
