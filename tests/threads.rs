//! Matchers of one grammar on many threads: the same results as on one, whatever the others are doing and
//! whatever the tables forget.

use std::hash::{DefaultHasher, Hash, Hasher};

use harmony_mask::{
    BatchError, Compiler, Grammar, Limits, Matcher, TokenId, TokenMask, Vocabulary, fill_batch,
};

use crate::harness::{EXAMPLES, HABITS, Random, WIDTH, example, example_text, walk};

const THREADS: usize = 8;
/// Walks of each thread; all threads walk the same ones, each in an order of its own.
const WALKS: usize = 24;

/// A grammar whose tables hardly hold anything, so that threads compute and drop the same entries all the
/// time.
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

/// Matchers in different states of all examples.
fn matchers(count: usize) -> Vec<Matcher> {
    let grammars = EXAMPLES.map(example);
    let start = |number: usize| {
        let mut random = Random::new(number as u64);
        let mut matcher = grammars[number % grammars.len()].matcher();
        let mut mask = TokenMask::new(WIDTH);
        for _ in 0..random.below(30) {
            matcher.fill_mask(&mut mask);
            let allowed: Vec<TokenId> = mask.iter().collect();
            if !allowed.is_empty() {
                matcher.accept(allowed[random.below(allowed.len())]).expect("in the mask");
            }
        }
        matcher
    };
    (0..count).map(start).collect()
}

#[test]
fn a_batch_is_its_rows() {
    let (matchers, row_words) = (matchers(50), WIDTH.div_ceil(32));
    let mut words = vec![u32::MAX; matchers.len() * row_words];
    fill_batch(&matchers, &mut words, WIDTH).expect("as many rows as matchers");
    let mut mask = TokenMask::new(WIDTH);
    for (matcher, row) in matchers.iter().zip(words.chunks(row_words)) {
        matcher.fill_mask(&mut mask);
        assert!(row == mask.words(), "the row after {:?}", matcher.tokens());
    }
}

#[test]
fn a_batch_needs_a_row_for_each_matcher() {
    let matchers = matchers(2);
    let mut words = vec![7; 100];
    let error = BatchError { matchers: 2, row_words: 6284, words: 100 };
    assert_eq!(fill_batch(&matchers, &mut words, WIDTH), Err(error));
    assert!(words.iter().all(|word| *word == 7), "nothing is written");
    assert_eq!(fill_batch(&matchers, &mut [], 0), Ok(()), "rows without bits");
    // 2^59 words in a row: those of 32 rows are 2^64, which is 0 where numbers wrap.
    let (many, row_words) = (vec![&matchers[0]; 32], usize::MAX.div_ceil(32));
    let error = BatchError { matchers: 32, row_words, words: 0 };
    assert_eq!(fill_batch(&many, &mut [], usize::MAX), Err(error), "more words than can be counted");
    assert_eq!(fill_batch::<Matcher>(&[], &mut [], WIDTH), Ok(()), "no rows");
}
