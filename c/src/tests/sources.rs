//! Rules for the sources that no compiler keeps.

use crate::tests::header::{files, functions, read};

/// An `extern` function without the guard would end the process where it panics.
#[test]
fn each_function_goes_through_the_guard() {
    let guarded = ["guard(", "quiet(", "list(", "words("];
    for function in functions() {
        let body = function.split_once(" {\n").expect("a body").1.trim_start();
        assert!(guarded.iter().any(|guard| body.starts_with(guard)), "{function}");
    }
}

#[test]
fn unsafe_code_is_in_one_module() {
    for file in files("src").iter().filter(|file| !file.ends_with("memory.rs")) {
        let code = read(file).replace("#[unsafe(no_mangle)]", "");
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let found: Vec<_> = lines.filter(|line| line.contains("unsafe")).collect();
        assert!(found.is_empty(), "{}: {found:?}", file.display());
    }
}

/// With another attribute, or as something else than `pub extern "C"`, a function would not be compared with
/// the header.
#[test]
fn every_exported_function_is_found() {
    let sources: String = files("src").iter().map(|file| read(file)).collect();
    let count = |what: &str| sources.matches(what).count();
    assert_eq!(functions().len(), count("no_mangle"));
    assert_eq!(functions().len(), count("extern \"C\""));
    assert_eq!(count("export_name"), 0);
}
