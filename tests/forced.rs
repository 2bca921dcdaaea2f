//! Forced tokens are the encoder's own: a text reads the same whether they were appended or sampled.

use std::ops::AddAssign;
use std::{fmt, fs};

use harmony_mask::{Grammar, Matcher, Options, TokenId};
use serde_json::Value;

use crate::corpus::files;
use crate::harness::{COMPILER, EXAMPLES, HABITS, Random, example, python, walk};

/// How many of the tokens that were gone through were forced.
#[derive(Clone, Copy, Default)]
struct Share {
    forced: usize,
    all: usize,
}

impl AddAssign for Share {
    fn add_assign(&mut self, other: Self) {
        self.forced += other.forced;
        self.all += other.all;
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} tokens forced, {} %", self.forced, self.all, self.forced * 100 / self.all.max(1))
    }
}

/// Turns of all examples, tokenised by the encoder: at every step the forced tokens are the next of them.
#[test]
fn forced_tokens_are_those_of_the_encoder() {
    let grammars: Vec<Grammar> = EXAMPLES.iter().map(|name| example(name)).collect();
    let mut random = Random::new(120);
    let (mut headers, mut bodies) = (Share::default(), Share::default());
    for round in 0..500 {
        let sampled = walk(&grammars[round % 3], HABITS[round % 3], random.below(40), &mut random, |_, _| {});
        let text = COMPILER.vocabulary().decode(sampled.tokens());
        // A body may spell a special token, and then the text does not say which it was.
        if text.matches("<|").count() > sampled.tokens().iter().filter(|token| is_special(**token)).count() {
            continue;
        }
        let tokens = COMPILER.vocabulary().encode_with_special(&text).expect("it has an encoder");
        let (header, body) = check(grammars[round % 3].matcher(), &tokens);
        headers += header;
        bodies += body;
    }
    println!("headers of the examples: {headers}");
    println!("bodies of the examples, at random: {bodies}");
    assert!(headers.forced * 3 > headers.all && bodies.forced > 0);
}

/// The same for instances of real schemas, where they are unpacked below `target/corpora`.
#[test]
fn forced_tokens_of_real_schemas_are_those_of_the_encoder() {
    let Some(files) = files() else {
        println!("skipped: MaskBench is not unpacked at target/corpora/maskbench-dev");
        return;
    };
    let (mut share, mut bodies) = (Share::default(), 0);
    // A stride that is prime to the number of files spreads the sample over all splits.
    for file in (0..files.len()).map(|at| &files[at * 7907 % files.len()]) {
        let document: Value =
            serde_json::from_str(&fs::read_to_string(file).expect("readable")).expect("JSON");
        let Ok(grammar) = COMPILER.compile_schema(&document["schema"], &Options::default()) else { continue };
        for test in document["tests"].as_array().into_iter().flatten().filter(|test| test["valid"] == true) {
            let tokens =
                COMPILER.vocabulary().encode(&python::dumps(&test["data"])).expect("it has an encoder");
            // Instances may have their names in another order than the schema.
            if grammar.matcher().validate_tokens(&tokens) == tokens.len() {
                share += check(grammar.matcher(), &tokens).1;
                bodies += 1;
            }
        }
        if bodies >= 500 {
            break;
        }
    }
    println!("instances of MaskBench: {share}");
    assert!(bodies >= 500 && share.forced > 0);
}

fn is_special(token: TokenId) -> bool {
    COMPILER.vocabulary().token_bytes(token).is_none()
}

/// Follows a text, appending what is forced; the shares outside of bodies and inside. A text without messages
/// is a body.
fn check(mut matcher: Matcher, tokens: &[TokenId]) -> (Share, Share) {
    let (mut outside, mut inside) = (Share::default(), Share::default());
    while matcher.tokens().len() < tokens.len() {
        let at = matcher.tokens().len();
        let forced = matcher.forced_tokens();
        assert_eq!(
            forced[..],
            tokens[at..tokens.len().min(at + forced.len())],
            "after {:?}",
            matcher.vocabulary().decode(matcher.tokens())
        );
        let next = if forced.is_empty() { &tokens[at..=at] } else { &forced[..] };
        for token in next {
            let share = if matcher.open_message().is_some() { &mut inside } else { &mut outside };
            *share += Share { forced: usize::from(!forced.is_empty()), all: 1 };
            matcher.accept(*token).expect("the text is a completion");
        }
    }
    assert!(matcher.is_accepting());
    (outside, inside)
}
