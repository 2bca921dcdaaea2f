#![no_main]

use harmony_mask_checks::{History, Target};

libfuzzer_sys::fuzz_target!(|input: History| input.check());
