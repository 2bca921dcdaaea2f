#![no_main]

use harmony_mask_checks::{LarkText, Target};

libfuzzer_sys::fuzz_target!(|input: LarkText| input.check());
