//! Real schemas with valid and invalid instances: MaskBench, where it is unpacked below `target/corpora`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{COMPILER, WIDTH, python};
use harmony_mask::{Grammar, Options, PropertyOrder, TokenMask};
use serde_json::Value;

/// Schemas that compile, taken evenly over the corpus.
const SCHEMAS: usize = 400;

#[test]
fn valid_instances_are_accepted_and_invalid_ones_are_not() {
    let Some(files) = files() else {
        println!("skipped: MaskBench is not unpacked at target/corpora/maskbench-dev");
        return;
    };
    let options = Options { property_order: PropertyOrder::Any, ..Options::default() };
    let (mut compiled, mut instances, mut wrong) = (0, 0, Vec::new());
    // A stride that is prime to the number of files spreads the sample over all splits.
    for file in (0..files.len()).map(|at| &files[at * 7919 % files.len()]) {
        let document: Value =
            serde_json::from_str(&fs::read_to_string(file).expect("readable")).expect("JSON");
        let Ok(grammar) = COMPILER.compile_schema(&document["schema"], &options) else { continue };
        for test in document["tests"].as_array().into_iter().flatten() {
            let accepted = accepts(&grammar, &python::dumps(&test["data"]));
            instances += 1;
            if accepted != test["valid"].as_bool().expect("a verdict") {
                wrong.push(format!("{}: {}", file.display(), test["data"]));
            }
        }
        compiled += 1;
        if compiled == SCHEMAS {
            break;
        }
    }
    assert!(wrong.is_empty(), "{} of {instances} instances: {wrong:#?}", wrong.len());
    println!("{instances} instances of {compiled} schemas");
    assert_eq!(compiled, SCHEMAS);
}

/// MaskBench's files, where they are unpacked.
pub(crate) fn files() -> Option<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/corpora/maskbench-dev");
    let mut files: Vec<_> = fs::read_dir(folder).ok()?.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    Some(files)
}

/// Whether each token is allowed by the mask and the end is an accepting state.
fn accepts(grammar: &Grammar, text: &str) -> bool {
    let mut matcher = grammar.matcher();
    let mut mask = TokenMask::new(WIDTH);
    for token in COMPILER.vocabulary().encode(text).expect("it has an encoder") {
        matcher.fill_mask(&mut mask);
        let accepted = matcher.accept(token).is_ok();
        assert_eq!(mask.contains(token), accepted, "mask and accept agree");
        if !accepted {
            return false;
        }
    }
    matcher.is_accepting()
}
