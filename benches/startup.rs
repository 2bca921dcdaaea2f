//! What a program pays to have the vocabulary: the first use in a process, ours beside tiktoken-rs; and one
//! walk of the trie.
//!
//! The first use differs from all others (tables are built or pages are mapped), so each sample is a new
//! process: this program, started again with [`FIRST_USE`], times itself and prints nanoseconds.
//! `cargo bench --bench startup`

#![allow(clippy::print_stdout, reason = "the report is the purpose")]

use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use criterion::Criterion;
use harmony_mask::{TokenId, TokenMask, Vocabulary, vocabulary::Node};

/// The argument that makes this program time one first use: the next argument says of what.
const FIRST_USE: &str = "--first-use";

const PROCESSES: usize = 21;

/// What can be used first.
const USES: [(&str, fn()); 3] = [
    ("harmony-mask", || assert_eq!(ours().token_bytes(13_225), Some("Hello".as_bytes()))),
    ("harmony-mask, with a walk of the whole trie", || assert_eq!(walk(&ours(), |_| true), 199_998)),
    ("tiktoken-rs", || {
        let ranks = tiktoken_rs::o200k_harmony().expect("the ranks are in the crate");
        assert_eq!(ranks.decode_bytes(&[13_225]).expect("a token"), b"Hello");
    }),
];

fn main() {
    match std::env::args().skip_while(|argument| argument != FIRST_USE).nth(1) {
        Some(name) => time_first_use(&name),
        None => {
            compare_first_uses();
            measure_walks();
        }
    }
}

fn ours() -> Vocabulary {
    black_box(Vocabulary::o200k_harmony())
}

/// The number of tokens all of whose bytes are `alive`, found by a walk that is written as a mask is.
fn walk(vocabulary: &Vocabulary, alive: impl Fn(u8) -> bool) -> usize {
    let mut mask = TokenMask::new(vocabulary.width());
    let mut target = mask.as_mut();
    let mut states = vec![true; vocabulary.longest_token() + 1];
    let trie = vocabulary.trie();
    let mut at = 0;
    while at < trie.len() {
        let node @ Node { byte, depth, token, end } = trie.node(at);
        if states[node.parent_depth()] && alive(byte) {
            states[depth as usize] = true;
            target.insert(token.unwrap_or(TokenId::MAX));
            at += 1;
        } else {
            at = end;
        }
    }
    mask.count()
}

fn time_first_use(name: &str) {
    let (_, first_use) = USES.iter().find(|(known, _)| *known == name).expect("a known use");
    let start = Instant::now();
    first_use();
    println!("{}", start.elapsed().as_nanos());
}

/// One first use, in a process of its own.
fn first_use(name: &str) -> Duration {
    let this = std::env::current_exe().expect("the path of this program");
    let output = Command::new(this).args([FIRST_USE, name]).output().expect("this program starts again");
    let nanoseconds = String::from_utf8_lossy(&output.stdout);
    Duration::from_nanos(nanoseconds.trim().parse().expect("the child prints nanoseconds"))
}

/// Prints medians and their ratios. Criterion would choose the number of processes by the time they report,
/// and start millions.
fn compare_first_uses() {
    let median = |name| {
        let mut times: Vec<_> = (0..PROCESSES).map(|_| first_use(name)).collect();
        times.sort();
        times[PROCESSES / 2]
    };
    let medians = USES.map(|(name, _)| (name, median(name)));
    let [.., (base, slowest)] = medians;
    println!("first use in a process, median of {PROCESSES} processes:");
    for (name, median) in medians {
        println!("  {name}: {median:?}, {:.6} of {base}", median.as_secs_f64() / slowest.as_secs_f64());
    }
}

fn measure_walks() {
    let vocabulary = Vocabulary::o200k_harmony();
    let mut criterion = Criterion::default().sample_size(30).configure_from_args();
    let table = |alive: fn(u8) -> bool| black_box((0..=u8::MAX).map(alive).collect::<Vec<_>>());
    for (name, alive) in [("all", table(|_| true)), ("[a-z]+", table(|byte| byte.is_ascii_lowercase()))] {
        criterion.bench_function(&format!("walk: {name}"), |bencher| {
            bencher.iter(|| walk(&vocabulary, |byte| alive[usize::from(byte)]));
        });
    }
}
