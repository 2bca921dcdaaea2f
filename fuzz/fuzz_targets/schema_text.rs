#![no_main]

use harmony_mask_checks::{SchemaText, Target};

libfuzzer_sys::fuzz_target!(|input: SchemaText| input.check());
