//! Real schemas, where the corpus is at hand: verdicts on its instances.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::read;

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
        let file: Value = serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON");
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

fn is_disputed(name: &str) -> bool {
    DISPUTED.iter().any(|(disputed, _)| *disputed == name)
}
