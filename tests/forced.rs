//! Forced tokens are the encoder's own: a text reads the same whether they were appended or sampled.

use harmony_mask::{Grammar, Matcher, TokenId};

use crate::harness::{COMPILER, EXAMPLES, HABITS, Random, example, walk};

/// Bodies of all examples, tokenised by the encoder: at every step the forced tokens are the next of them.
#[test]
fn forced_tokens_are_those_of_the_encoder() {
    let grammars: Vec<Grammar> = EXAMPLES.iter().map(|name| example(name)).collect();
    let mut random = Random::new(120);
    let (mut forced, mut all) = (0, 0);
    for round in 0..500 {
        let sampled = walk(&grammars[round % 3], HABITS[round % 3], random.below(40), &mut random, |_, _| {});
        let text = COMPILER.vocabulary().decode(sampled.tokens());
        // A body may spell a special token, and then the text does not say which it was.
        if text.matches("<|").count() > sampled.tokens().iter().filter(|token| is_special(**token)).count() {
            continue;
        }
        let tokens = COMPILER.vocabulary().encode_with_special(&text).expect("it has an encoder");
        forced += check(grammars[round % 3].matcher(), &tokens);
        all += tokens.len();
    }
    println!("{forced} of {all} tokens were forced");
    assert!(forced * 5 > all, "{forced} of {all}");
}

fn is_special(token: TokenId) -> bool {
    COMPILER.vocabulary().token_bytes(token).is_none()
}

/// Follows a completion, appending what is forced; how many tokens that were.
fn check(mut matcher: Matcher, tokens: &[TokenId]) -> usize {
    let mut count = 0;
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
        next.iter().for_each(|token| matcher.accept(*token).expect("the text is a completion"));
        count += forced.len();
    }
    assert!(matcher.is_finished());
    count
}
