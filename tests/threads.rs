//! Matchers of one grammar on many threads: the same results as on one, whatever the others are doing and whatever the tables forget.

use std::hash::{DefaultHasher, Hash, Hasher};

use harmony_mask::{Compiler, Grammar, Limits, TokenId, TokenMask, Vocabulary};

use crate::harness::{EXAMPLES, HABITS, Random, WIDTH, example_text, walk};

const THREADS: usize = 8;
/// Walks of each thread; all threads walk the same ones, each in an order of its own.
const WALKS: usize = 24;

/// A grammar whose tables hardly hold anything, so that threads compute and drop the same entries all the time.
fn grammar(name: &str) -> Grammar {
    let limits = Limits { cache_bytes: 1 << 20, grammar_cache_bytes: 1 << 16, ..Limits::default() };
    let compiler = Compiler::with_limits(Vocabulary::o200k_harmony(), limits);
    compiler.compile(&example_text(name).parse().expect("a request")).expect("compiles")
}

/// A walk: its tokens, and a hash of all masks on the way.
fn walked(grammar: &Grammar, number: usize) -> (Vec<TokenId>, u64) {
    let mut random = Random::new(number as u64);
    let (steps, mut hasher) = (random.below(50), DefaultHasher::new());
    let habit = HABITS[number % HABITS.len()];
    let visit = |_: &_, mask: &TokenMask| mask.words().hash(&mut hasher);
    let matcher = walk(grammar, habit, steps, &mut random, visit);
    let mut mask = TokenMask::new(WIDTH);
    matcher.fork().fill_mask(&mut mask);
    assert_eq!(mask.count(), 0, "nothing follows the end");
    (matcher.tokens().to_vec(), hasher.finish())
}

#[test]
fn eight_threads_agree_with_one() {
    for name in EXAMPLES {
        let alone = grammar(name);
        let expected: Vec<_> = (0..WALKS).map(|number| walked(&alone, number)).collect();
        let shared = grammar(name);
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (shared, expected) = (&shared, &expected);
                scope.spawn(move || {
                    for round in 0..WALKS {
                        let number = (round * 5 + thread * 3) % WALKS;
                        assert_eq!(walked(shared, number), expected[number], "{name}, walk {number}");
                    }
                });
            }
        });
    }
}
