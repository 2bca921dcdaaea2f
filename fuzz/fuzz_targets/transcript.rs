#![no_main]

use harmony_mask_checks::{TranscriptWalk, Target};

libfuzzer_sys::fuzz_target!(|input: TranscriptWalk| input.check());
