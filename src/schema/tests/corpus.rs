//! Real schemas, where the corpus is at hand: verdicts on its instances.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use bumpalo::Bump;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::read::Tree;
use super::read;
use crate::limits::Limits;

/// Instances whose expected verdict is not that of the specification, with the reason.
const DISPUTED: [(&str, &str); 0] = [];

#[test]
fn maskbench_verdicts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/corpora/maskbench-dev");
    let Ok(files) = fs::read_dir(&folder) else {
        eprintln!("skipped: no corpus at {}", folder.display());
        return;
    };
    let mut paths: Vec<_> = files.map(|file| file.expect("a directory entry").path()).collect();
    paths.sort();
    let mut refused = BTreeMap::<String, usize>::new();
    let (mut compiled, mut verdicts, mut wrong) = (0, 0, Vec::new());
    for path in &paths {
        let text = fs::read_to_string(path).expect("a file");
        check_alike(&text);
        let file: Value = serde_json::from_str(&text).expect("JSON");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        match read(&file["schema"]) {
            Ok(schema) => {
                compiled += 1;
                for test in file["tests"].as_array().into_iter().flatten() {
                    verdicts += 1;
                    if Some(schema.admits(&test["data"])) != test["valid"].as_bool() && !is_disputed(&name) {
                        wrong.push(format!("{name}: {} is valid: {}", test["data"], test["valid"]));
                    }
                }
            }
            Err(error) => {
                let reason = format!("{:?} {}", error.kind(), error.keyword().unwrap_or_default());
                *refused.entry(reason).or_default() += 1;
            }
        }
    }
    eprintln!("{compiled} of {} schemas, {verdicts} verdicts; refused: {refused:#?}", paths.len());
    assert!(wrong.is_empty(), "{} wrong verdicts:\n{}", wrong.len(), wrong.join("\n"));
}

/// A schema is read alike from its text and from the value that `serde_json` makes of it.
fn check_alike(file: &str) {
    let parts: HashMap<&str, &RawValue> = serde_json::from_str(file).expect("JSON");
    let (text, arena, limits) = (parts["schema"].get(), Bump::new(), Limits::default());
    let value: Value = serde_json::from_str(text).expect("JSON");
    let trees = [text.into(), (&value).into()].map(|source| Tree::read(source, &arena, &limits));
    let [text, value] = trees.map(|tree| format!("{:?}", tree.map(|tree| tree.root)));
    assert_eq!(text, value);
}

fn is_disputed(name: &str) -> bool {
    DISPUTED.iter().any(|(disputed, _)| *disputed == name)
}
