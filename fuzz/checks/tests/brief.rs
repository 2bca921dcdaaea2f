//! Each fuzz target for a moment, without a fuzzer: seeds that are mutilated, and bytes at random. It finds
//! what a change breaks at once; the fuzzer (`fuzz/run`) finds the rest.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use arbitrary::{Arbitrary, Unstructured};
use fastrand::Rng;
use harmony_mask_checks::Target;

/// Inputs of each target.
const INPUTS: usize = 1_000;
/// The longest input that is not made of a seed.
const BYTES: usize = 400;

/// The words of `fuzz/dictionary`.
static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let lines = include_str!("../../dictionary").lines();
    let quoted = lines.filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'));
    quoted.map(|word| word.replace("\\\"", "\"").replace("\\\\", "\\")).collect()
});

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../seeds").join(target);
    // Targets whose inputs are drawn from bytes have none.
    let Ok(folder) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = folder.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    files.into_iter().map(|file| fs::read(file).expect("a seed")).collect()
}

fn bytes(random: &mut Rng, seeds: &[Vec<u8>]) -> Vec<u8> {
    let Some(seed) = random.choice(seeds) else {
        let len = random.usize(..BYTES);
        return (0..len).map(|_| random.u8(..)).collect();
    };
    let mut bytes = seed.clone();
    for _ in 0..random.usize(..4) {
        mutilate(&mut bytes, random, seeds);
    }
    bytes
}

/// Puts something else in the place of a few bytes.
fn mutilate(bytes: &mut Vec<u8>, random: &mut Rng, seeds: &[Vec<u8>]) {
    let from = random.usize(..=bytes.len());
    let to = bytes.len().min(from + random.usize(..8));
    let other = random.choice(seeds).expect("there is one");
    let put: Vec<u8> = match random.u8(..5) {
        0 => Vec::new(),
        1 => vec![random.u8(..)],
        2 => bytes[from..to].repeat(random.usize(..30)),
        3 => other[random.usize(..=other.len())..].to_vec(),
        _ => random.choice(&*WORDS).expect("there are words").clone().into_bytes(),
    };
    bytes.splice(from..to, put);
}

#[expect(clippy::print_stderr, reason = "tells which input failed")]
fn run<T: Target + for<'b> Arbitrary<'b>>() {
    let seeds = seeds(T::NAME);
    for number in 0..INPUTS {
        let bytes = bytes(&mut Rng::with_seed(number as u64), &seeds);
        let Ok(input) = T::arbitrary_take_rest(Unstructured::new(&bytes)) else { continue };
        if let Err(panic) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| input.check())) {
            eprintln!("{}", input.write());
            std::panic::resume_unwind(panic);
        }
    }
}

harmony_mask_checks::each_target!(run);
