#![no_main]

use harmony_mask_checks::{PromptText, Target};

libfuzzer_sys::fuzz_target!(|input: PromptText| input.check());
