//! ARCHITECTURE.md, checked: the layers of modules, and what every file promises.

use std::fs;
use std::path::{Path, PathBuf};

/// Lines of code that a file may have; comments and blank lines are free.
const LONGEST_FILE: usize = 600;

/// The modules in the order of ARCHITECTURE.md's table, which is the only place that states it.
fn modules() -> Vec<String> {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the page");
    let is_row = |line: &&str| {
        line.strip_prefix("| ").is_some_and(|line| line.starts_with(|c: char| c.is_ascii_digit()))
    };
    let names = page.lines().filter(is_row).flat_map(|row| row.split('`').skip(1).step_by(2));
    names.map(str::to_owned).collect()
}

#[test]
fn modules_use_only_modules_above_them() {
    let order = modules();
    let rank = |module: &str| order.iter().position(|name| name == module);
    let mut wrong = Vec::new();
    for file in sources() {
        let name = name(&file);
        let module = name.split(['/', '.']).next().expect("a name");
        if module == "lib" {
            continue;
        }
        let own = rank(module).unwrap_or_else(|| panic!("ARCHITECTURE.md has no layer for `{module}`"));
        for used in uses(&code(&file)) {
            match rank(&used) {
                Some(other) if other <= own => {}
                Some(_) => wrong.push(format!("{name} uses `{used}`, which is below it")),
                None => wrong.push(format!("{name} uses `crate::{used}`, which is no module")),
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_table_lists_the_modules_that_there_are() {
    let code = code(&root().join("src/lib.rs"));
    let declared = code
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'));
    let (mut declared, mut listed) = (declared.map(str::to_owned).collect::<Vec<_>>(), modules());
    declared.sort();
    listed.sort();
    assert_eq!(listed, declared);
}

#[test]
fn files_say_what_they_are_and_stay_small() {
    let mut wrong = Vec::new();
    for file in sources() {
        let name = name(&file);
        if !fs::read_to_string(&file).expect("a source file").starts_with("//!") {
            wrong.push(format!("{name} does not open with `//!`"));
        }
        let lines = code(&file).lines().filter(|line| !line.trim().is_empty()).count();
        if lines > LONGEST_FILE {
            wrong.push(format!("{name} has {lines} lines of code"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file's name below `src/`.
fn name(file: &Path) -> String {
    file.strip_prefix(root().join("src")).expect("below src").display().to_string()
}

fn sources() -> Vec<PathBuf> {
    let mut sources = Vec::new();
    let mut open = vec![root().join("src")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                open.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                sources.push(entry);
            }
        }
    }
    sources.sort();
    sources
}

/// A file without its comment lines.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("a source file");
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.collect::<Vec<_>>().join("\n")
}

/// The modules behind each `crate::`, also in groups: `crate::{a, b::c}` uses `a` and `b`.
fn uses(code: &str) -> Vec<String> {
    code.match_indices("crate::").flat_map(|(at, path)| heads(&code[at + path.len()..])).collect()
}

/// The first names of a path, or of each path in a group.
fn heads(path: &str) -> Vec<String> {
    let Some(group) = path.strip_prefix('{') else {
        return vec![path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()];
    };
    let mut depth = 0;
    let mut heads = vec![String::new()];
    for char in group.chars() {
        match char {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => heads.push(String::new()),
            _ if depth == 0 => heads.last_mut().expect("never empty").push(char),
            _ => {}
        }
    }
    let first = |path: String| path.split("::").next().unwrap_or_default().trim().to_owned();
    heads.into_iter().map(first).filter(|head| !head.is_empty()).collect()
}

#[test]
fn uses_are_found() {
    let cases = [
        ("use crate::a::B;", vec!["a"]),
        ("use crate::{a, b::{c, d}, e::F};", vec!["a", "b", "e"]),
        ("fn f(x: crate::a::B) -> crate::c::D {}", vec!["a", "c"]),
    ];
    for (code, expected) in cases {
        assert_eq!(uses(code), expected);
    }
}
