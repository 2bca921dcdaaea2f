#![no_main]

use harmony_mask_checks::{PatternText, Target};

libfuzzer_sys::fuzz_target!(|input: PatternText| input.check());
