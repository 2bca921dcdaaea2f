//! The header declares what the sources define, and the programs in `tests/` call all of it.

use std::fs;
use std::path::{Path, PathBuf};

use harmony_mask::Vocabulary;

/// What each Rust type of a parameter or result is in C.
const TYPES: [(&str, &str); 21] = [
    ("Option<Box<Compiler>>", "hm_compiler *"),
    ("Option<Box<Grammar>>", "hm_grammar *"),
    ("Option<Box<Matcher>>", "hm_matcher *"),
    ("Option<Box<Failure>>", "hm_error *"),
    ("Option<&Compiler>", "const hm_compiler *"),
    ("Option<&Grammar>", "const hm_grammar *"),
    ("Option<&Matcher>", "const hm_matcher *"),
    ("Option<&mut Matcher>", "hm_matcher *"),
    ("Option<&Failure>", "const hm_error *"),
    ("Slot<'_>", "hm_error **"),
    ("Number<'_>", "size_t *"),
    ("Input<u8>", "const char *"),
    ("Input<u32>", "const uint32_t *"),
    ("Output<u32>", "uint32_t *"),
    ("Output<f32>", "float *"),
    ("Text", "char *"),
    ("*const c_char", "const char *"),
    ("usize", "size_t "),
    ("u32", "uint32_t "),
    ("bool", "bool "),
    ("", "void "),
];

#[test]
fn the_header_declares_what_is_defined() {
    let (mut defined, mut declared) = (definitions(), declarations());
    defined.sort();
    declared.sort();
    assert!(defined.len() > 20, "the functions are found");
    assert_eq!(declared, defined);
}

#[test]
fn the_tests_in_c_call_every_function() {
    let programs: String = files("tests").iter().map(|file| read(file)).collect();
    let names = definitions().into_iter().map(|declaration| name(&declaration).to_owned());
    let unused: Vec<_> = names.filter(|name| !programs.contains(&format!("{name}("))).collect();
    assert!(unused.is_empty(), "{unused:?}");
}

/// Compilers warn where the result of a function that may fail is not used.
#[test]
fn what_may_fail_is_checked() {
    for declaration in code().split(';').filter(|declaration| declaration.contains("hm_error **")) {
        assert!(declaration.contains("HM_CHECKED"), "{declaration}");
    }
}

#[test]
fn the_width_is_that_of_the_model() {
    let logits = format!("HM_LOGITS = {},", Vocabulary::HARMONY_LOGITS);
    assert!(code().contains(&logits), "{logits}");
    assert_eq!(Vocabulary::HARMONY_LOGITS % 32, 0);
}

/// The functions of the sources, as C declares them.
fn definitions() -> Vec<String> {
    let signature = |function: &String| declaration(function.split_once(" {\n").expect("a body").0);
    functions().iter().map(signature).collect()
}

/// What C can call, from its name to the end of its body.
pub(crate) fn functions() -> Vec<String> {
    let sources: String = files("src").iter().map(|file| read(file)).collect();
    let functions = sources.split("#[unsafe(no_mangle)]\npub extern \"C\" fn ").skip(1);
    functions.map(|function| function.split_once("\n}\n").expect("an end").0.to_owned()).collect()
}

/// `hm_f(a: usize, b: Text) -> bool` in C.
fn declaration(signature: &str) -> String {
    let signature = line(signature);
    let (call, result) = signature.split_once(" -> ").unwrap_or((&signature, ""));
    let (name, parameters) = call.trim_end_matches(')').split_once('(').expect("parameters");
    let parameters = parameters.split(", ").map(|parameter| {
        let (name, of) = parameter.trim_matches([' ', ',']).split_once(": ").expect("a type");
        format!("{}{}", in_c(of), name.trim_start_matches("mut "))
    });
    format!("{}{name}({})", in_c(result), parameters.collect::<Vec<_>>().join(", "))
}

fn in_c(of: &str) -> &'static str {
    TYPES.iter().find(|(rust, _)| *rust == of).unwrap_or_else(|| panic!("no type in C for {of}")).1
}

/// The declarations of the header.
fn declarations() -> Vec<String> {
    let code = code();
    let statements = code.split([';', '{', '}']).map(|statement| line(statement).replace("HM_CHECKED ", ""));
    let functions = statements.filter(|statement| statement.contains(" hm_") && statement.ends_with(')'));
    functions.map(|function| function.replace("extern \"C\" ", "")).collect()
}

/// The header without comments and lines of the preprocessor.
fn code() -> String {
    let header = read(&root().join("include/harmony_mask.h"));
    let mut code = String::new();
    for (at, part) in header.split("/*").enumerate() {
        code += if at == 0 { part } else { part.split_once("*/").expect("the end of a comment").1 };
    }
    let lines = code.lines().filter(|line| !line.starts_with('#'));
    lines.collect::<Vec<_>>().join("\n")
}

fn name(declaration: &str) -> &str {
    let (before, _) = declaration.split_once('(').expect("parameters");
    before.rsplit([' ', '*']).next().unwrap_or_default()
}

/// In one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(").replace(" )", ")")
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The files in a folder, without those below it.
pub(crate) fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.is_file()).collect()
}
