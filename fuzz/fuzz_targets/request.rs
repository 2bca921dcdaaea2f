#![no_main]

use harmony_mask_checks::{RequestText, Target};

libfuzzer_sys::fuzz_target!(|input: RequestText| input.check());
