//! Real schemas with valid and invalid instances: MaskBench, where it is unpacked below `target/corpora`.
//!
//! A sample, or the whole with `HARMONY_MASK_CORPORA=whole`. What fails is compared with
//! `tests/baselines/maskbench-dev.json`.

use std::path::{Path, PathBuf};

use crate::harness::baseline::{Outcomes, corpus, is_whole, json_files, read_json};
use crate::harness::{COMPILER, WIDTH, python};
use harmony_mask::{Grammar, Options, PropertyOrder, TokenMask};

/// Schemas taken where the corpus is not run whole, evenly over it.
const SAMPLE: usize = 400;

#[test]
fn maskbench_is_no_worse_than_its_baseline() {
    let Some(files) = files() else { return };
    let mut outcomes = Outcomes::default();
    let count = if is_whole() { files.len() } else { SAMPLE };
    spread(&files).take(count).for_each(|file| run(file, &mut outcomes));
    outcomes.compare("maskbench-dev");
}

fn run(file: &Path, outcomes: &mut Outcomes) {
    let name = file.file_name().expect("a name").to_string_lossy();
    let document = read_json(file);
    let options = Options { property_order: PropertyOrder::Any, ..Options::default() };
    let grammar = match COMPILER.compile_schema(&document["schema"], &options) {
        Ok(grammar) => grammar,
        Err(error) => return outcomes.failed(name.into(), &format!("not compiled: {}", error.kind())),
    };
    outcomes.passed(name.clone().into());
    for (number, test) in document["tests"].as_array().into_iter().flatten().enumerate() {
        let accepted = accepts(&grammar, &python::dumps(&test["data"]));
        outcomes.verdict(format!("{name}#{number}"), test["valid"].as_bool().expect("a verdict"), accepted);
    }
}

/// MaskBench's files, where they are unpacked.
pub(crate) fn files() -> Option<Vec<PathBuf>> {
    Some(json_files(&corpus("maskbench-dev")?))
}

/// All files, so that the first ones are taken evenly from the corpus.
pub(crate) fn spread(files: &[PathBuf]) -> impl Iterator<Item = &Path> {
    // A stride that is prime to their number leads to each file once.
    (0..files.len()).map(|at| files[at * 7919 % files.len()].as_path())
}

/// Whether each token is allowed by the mask and the end is an accepting state.
pub(crate) fn accepts(grammar: &Grammar, text: &str) -> bool {
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
