//! What an engine pays: compiling, the first mask, masks and tokens, cold and hot.
//!
//! Read ratios within one run: machines and their neighbours differ. `copy` is the floor: what writing a mask
//! that is known costs.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use harmony_mask::{
    Compiler, Grammar, Matcher, Options, Request, TokenId, TokenMask, TokenMaskMut, Vocabulary, fill_batch,
};

/// The width of gpt-oss' logits.
const WIDTH: usize = Vocabulary::HARMONY_LOGITS;

const COMPLETION: &str = "<|channel|>analysis<|message|>The user asks about Lisbon, so call the tool.<|end|><|start|>assistant\
    <|channel|>commentary to=functions.get_forecast <|constrain|>json<|message|>\
    {\"place\":{\"name\":\"Lisbon\",\"country\":\"PT\",\"coordinates\":[38.7,-9.1]},\"days\":3}<|call|>";

fn request() -> Request {
    include_str!("../examples/weather.json").parse().expect("a request")
}

fn grammar(compiler: &Compiler) -> Grammar {
    compiler.compile(&request()).expect("compiles")
}

fn completion(compiler: &Compiler) -> Vec<TokenId> {
    compiler.vocabulary().encode_with_special(COMPLETION).expect("it has an encoder")
}

/// Masks and tokens of a whole completion.
fn run(matcher: &mut Matcher, tokens: &[TokenId], mask: &mut TokenMask) {
    for token in tokens {
        matcher.fill_mask(mask);
        matcher.accept(*token).expect("accepted");
    }
}

fn compiling(c: &mut Criterion) {
    let compiler = Compiler::new(Vocabulary::o200k_harmony());
    let request = request();
    let mut mask = TokenMask::new(WIDTH);
    let mut group = c.benchmark_group("compile");
    group.bench_function("request", |b| b.iter(|| compiler.compile(black_box(&request)).expect("compiles")));
    group.bench_function("to the first mask", |b| {
        b.iter(|| compiler.compile(black_box(&request)).expect("compiles").matcher().fill_mask(&mut mask));
    });
    group.finish();
}

fn stepping(c: &mut Criterion) {
    let compiler = Compiler::new(Vocabulary::o200k_harmony());
    let tokens = completion(&compiler);
    let grammar = grammar(&compiler);
    let mut mask = TokenMask::new(WIDTH);
    run(&mut grammar.matcher(), &tokens, &mut mask);
    let words = mask.words().to_vec();
    let mut group = c.benchmark_group(format!("completion of {} tokens", tokens.len()));
    group.bench_function("copy", |b| {
        b.iter(|| {
            tokens.iter().for_each(|_| mask.copy_words(black_box(&words)));
        });
    });
    group.bench_function("masks and tokens, hot", |b| {
        b.iter(|| run(&mut grammar.matcher(), &tokens, &mut mask));
    });
    // The tables of leaf languages belong to the compiler and stay; the grammar is new each time.
    group.bench_function("masks and tokens, new grammar", |b| {
        let fresh = || compiler.compile(&request()).expect("compiles");
        b.iter_batched(
            fresh,
            |grammar| run(&mut grammar.matcher(), &tokens, &mut mask),
            BatchSize::PerIteration,
        );
    });
    group.bench_function("tokens alone, hot", |b| {
        b.iter(|| {
            tokens.iter().fold(grammar.matcher(), |mut matcher, token| {
                matcher.accept(*token).expect("accepted");
                matcher
            })
        });
    });
    group.bench_function("rollback of all", |b| {
        let mut matcher = grammar.matcher();
        tokens.iter().for_each(|token| matcher.accept(*token).expect("accepted"));
        b.iter_batched(
            || matcher.fork(),
            |mut matcher| matcher.rollback(tokens.len()),
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

/// The states where a model spends its time, each with what was said last.
const STATES: [(&str, &str); 5] = [
    ("header", "channel|>"),
    ("reasoning", "user asks"),
    ("recipient", "functions"),
    ("string", "Lis"),
    ("number", "38"),
];

fn matcher_after(grammar: &Grammar, last: &str) -> Matcher {
    let end = COMPLETION.find(last).expect("in the completion") + last.len();
    let mut matcher = grammar.matcher();
    let tokens = matcher.vocabulary().encode_with_special(&COMPLETION[..end]).expect("it has an encoder");
    tokens.iter().for_each(|token| matcher.accept(*token).expect("accepted"));
    matcher
}

/// One mask, hot: without a deadline, with one that is far, and with one that leaves hardly a choice; and one
/// that the mask has already.
fn masks(c: &mut Criterion) {
    let compiler = Compiler::new(Vocabulary::o200k_harmony());
    let grammar = grammar(&compiler);
    let mut mask = TokenMask::new(WIDTH);
    for (name, spare) in
        [("mask", None), ("mask, far deadline", Some(1_000)), ("mask, near deadline", Some(2))]
    {
        let mut group = c.benchmark_group(name);
        for (state, last) in STATES {
            let mut matcher = matcher_after(&grammar, last);
            if let Some(spare) = spare {
                let needed = matcher.shortest_completion().len();
                matcher.finish_within(needed + spare).expect("the shortest fits");
            }
            // `fill_mask` would find that the mask has these tokens already.
            group.bench_function(state, |b| b.iter(|| matcher.fill_row(&mut black_box(&mut mask).as_mut())));
        }
        group.finish();
    }
    let matcher = matcher_after(&grammar, "Lis");
    c.bench_function("mask, again", |b| b.iter(|| matcher.fill_mask(black_box(&mut mask))));
}

/// A step of many sequences, each on a schema of its own: their tables do not stay in the processor's caches.
/// `copy` writes as many known masks from as many places.
fn batches(c: &mut Criterion) {
    let compiler = Compiler::new(Vocabulary::o200k_harmony());
    let mut group = c.benchmark_group("batch");
    for count in [32, 256] {
        let matchers: Vec<Matcher> = (0..count).map(|number| in_a_string(&compiler, number)).collect();
        let row_words = WIDTH.div_ceil(32);
        let mut rows = vec![0; count * row_words];
        let fill_each = |rows: &mut [u32]| {
            for (row, matcher) in rows.chunks_mut(row_words).zip(&matchers) {
                matcher.fill_row(&mut TokenMaskMut::new(row, WIDTH));
            }
        };
        fill_each(&mut rows);
        let known = rows.clone();
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(format!("{count} rows, copy"), |b| {
            b.iter(|| rows.copy_from_slice(black_box(&known)));
        });
        group.bench_function(format!("{count} rows, one after the other"), |b| {
            b.iter(|| fill_each(&mut rows));
        });
        group.bench_function(format!("{count} rows, fill_batch"), |b| {
            b.iter(|| fill_batch(&matchers, &mut rows, WIDTH).expect("as many rows as matchers"));
        });
    }
    group.finish();
}

/// A matcher in the first member of an object that no other schema has.
fn in_a_string(compiler: &Compiler, number: usize) -> Matcher {
    let (name, least) = (format!("name_{number}"), number % 7);
    let schema = serde_json::json!({
        "type": "object",
        "properties": {name.clone(): {"type": "string", "minLength": least, "maxLength": 100 + number}, "other": {"type": "integer"}},
        "required": [name.clone()],
    });
    let mut matcher = compiler.compile_schema(&schema, &Options::default()).expect("compiles").matcher();
    let tokens =
        compiler.vocabulary().encode(&format!("{{\"{name}\": \"some text")).expect("it has an encoder");
    tokens.iter().for_each(|token| matcher.accept(*token).expect("accepted"));
    matcher
}

criterion_group!(benches, compiling, stepping, masks, batches);
criterion_main!(benches);
