#![no_main]

use harmony_mask_checks::{Walk, Target};

libfuzzer_sys::fuzz_target!(|input: Walk| input.check());
