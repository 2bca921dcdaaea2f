//! Inputs that once failed, and the seeds of the fuzzer: none may fail again.

use std::fs;
use std::path::Path;

use harmony_mask_checks::Target;

#[expect(clippy::print_stderr, reason = "tells which input failed")]
fn check<T: Target>() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../regressions").join(T::NAME);
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} has no regressions", T::NAME);
    for file in files {
        let text = fs::read_to_string(&file).expect("text");
        // Shown where the check fails.
        eprintln!("{}", file.display());
        T::read(text.trim_end_matches('\n')).check();
    }
}

harmony_mask_checks::each_target!(check);
