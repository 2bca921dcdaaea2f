#![no_main]

use harmony_mask_checks::{Tokens, Target};

libfuzzer_sys::fuzz_target!(|input: Tokens| input.check());
