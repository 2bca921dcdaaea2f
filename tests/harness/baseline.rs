//! Baselines: what is known to fail on a corpus, with the reason. They may only improve.
//!
//! A baseline is a list in `tests/baselines`, each entry a case, how it fails and why. A failure that is not
//! listed fails the test; to list it, a person has to write its reason. What is listed and no longer fails is
//! left out of the file by a run with `HARMONY_MASK_BASELINES=write`.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// Whether corpora are to be run whole, which takes minutes: `HARMONY_MASK_CORPORA=whole`.
pub(crate) fn is_whole() -> bool {
    env::var("HARMONY_MASK_CORPORA").is_ok_and(|extent| extent == "whole")
}

/// A folder below `target/corpora`; `None`, and a line that says so, where it is not unpacked.
#[expect(clippy::print_stdout, reason = "who runs the tests should know what was left out")]
pub(crate) fn corpus(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/corpora").join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: {name} is not unpacked at target/corpora/{name}");
    None
}

/// The `.json` files of a folder, sorted; without those of its folders.
pub(crate) fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    files.sort();
    files
}

pub(crate) fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("readable")).expect("JSON")
}

/// What was seen of a corpus.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    /// Each case that was run: how it failed, if it did.
    cases: BTreeMap<String, Option<String>>,
}

impl Outcomes {
    pub(crate) fn passed(&mut self, case: String) {
        self.cases.entry(case).or_default();
    }

    pub(crate) fn failed(&mut self, case: String, failure: &str) {
        self.cases.insert(case, Some(failure.to_owned()));
    }

    pub(crate) fn verdict(&mut self, case: String, valid: bool, accepted: bool) {
        match (valid, accepted) {
            (true, false) => self.failed(case, "valid, rejected"),
            (false, true) => self.failed(case, "invalid, accepted"),
            _ => self.passed(case),
        }
    }

    /// Fails where something fails that the baseline does not list, or in another way.
    pub(crate) fn compare(&self, name: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/baselines/{name}.json"));
        let Value::Array(entries) = read_json(&path) else { panic!("{name} is a list") };
        let listed: BTreeSet<_> =
            entries.iter().map(|entry| (text(entry, "case"), text(entry, "failure"))).collect();
        let worse: Vec<_> = self.failures().filter(|failure| !listed.contains(failure)).collect();
        assert!(
            worse.is_empty(),
            "{} of {} cases fail, and tests/baselines/{name}.json does not list them: {worse:#?}",
            worse.len(),
            self.cases.len()
        );
        assert!(
            entries.iter().all(|entry| !text(entry, "reason").is_empty()),
            "{name}: a failure has its reason"
        );
        self.improve(&path, &entries);
    }

    fn failures(&self) -> impl Iterator<Item = (&str, &str)> {
        self.cases.iter().filter_map(|(case, failure)| Some((case.as_str(), failure.as_deref()?)))
    }

    /// Leaves out of the file what was run and did not fail, where that is asked for.
    #[expect(clippy::print_stdout, reason = "an improvement should be seen")]
    fn improve(&self, path: &Path, entries: &[Value]) {
        let fails = |entry: &&Value| self.cases.get(text(entry, "case")).is_none_or(Option::is_some);
        let left: Vec<_> = entries.iter().filter(fails).collect();
        if left.len() == entries.len() {
            return;
        }
        if env::var("HARMONY_MASK_BASELINES").is_ok_and(|mode| mode == "write") {
            fs::write(path, format!("{:#}\n", json!(left))).expect("the baseline can be written");
            println!("{}: {} fewer", path.display(), entries.len() - left.len());
        } else {
            println!(
                "{}: {} failures are no more; HARMONY_MASK_BASELINES=write leaves them out of the file",
                path.display(),
                entries.len() - left.len()
            );
        }
    }
}

fn text<'a>(entry: &'a Value, key: &str) -> &'a str {
    entry[key].as_str().unwrap_or_else(|| panic!("an entry of a baseline has its `{key}`: {entry}"))
}
