//! `docs/guarantees.md` names a test and a fuzz target for each law: they exist, and every target is built,
//! run briefly and has regressions.

use std::fs;
use std::path::{Path, PathBuf};

fn below(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

fn read(file: &str) -> String {
    fs::read_to_string(below(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn targets() -> Vec<String> {
    let files = fs::read_dir(below("fuzz/fuzz_targets")).expect("a folder");
    let names = files.map(|file| file.expect("a file").path().file_stem().expect("a name").to_owned());
    names.map(|name| name.into_string().expect("UTF-8")).collect()
}

/// `file.rs` or `folder/`, and the functions that are named after it until the next.
fn check_tests(cell: &str) {
    let mut source = String::new();
    for name in quoted(cell) {
        if name.ends_with(".rs") {
            source = read(&format!("tests/{name}"));
        } else if name.ends_with('/') {
            assert!(below("tests").join(name).is_dir(), "{name}");
        } else {
            assert!(source.contains(&format!("fn {name}()")), "{name} is no test");
        }
    }
}

#[test]
fn what_the_laws_name_exists() {
    let (page, targets) = (read("docs/guarantees.md"), targets());
    let rows: Vec<Vec<&str>> =
        page.lines().filter(|line| line.starts_with("| ")).map(|line| line.split('|').collect()).collect();
    let laws: Vec<_> = rows.iter().filter(|cells| cells[1].trim().parse::<u8>().is_ok()).collect();
    assert_eq!(laws.len(), 7);
    for cells in laws {
        check_tests(cells[3]);
        for target in quoted(cells[4]) {
            assert!(targets.iter().any(|known| known == target), "{target} is no fuzz target");
        }
    }
    for target in &targets {
        assert!(page.contains(&format!("`{target}`")), "{target} is not on the page");
    }
}

#[test]
fn every_fuzz_target_is_built_and_run() {
    let built = read("fuzz/Cargo.toml");
    let run = read("fuzz/checks/src/lib.rs");
    for target in targets() {
        assert!(built.contains(&format!("name = \"{target}\"")), "{target} is not built");
        assert!(run.contains(&format!("            {target}: ")), "{target} is not run");
        let regressions = fs::read_dir(below("fuzz/regressions").join(&target)).expect("a folder");
        assert!(regressions.count() > 0, "{target} has no regressions");
    }
}
