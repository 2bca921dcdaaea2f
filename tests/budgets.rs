//! What is counted in tokens: reasoning, messages before the answer, and deadlines.

use harmony_mask::matcher::Cause;
use harmony_mask::{Grammar, Matcher, TokenId, TokenMask};

use crate::harness::{COMPILER, EXAMPLES, HABITS, Random, WIDTH, choose, example, walk};

fn grammar(request: &str) -> Grammar {
    COMPILER.compile(&request.parse().expect("a request")).expect("compiles")
}

fn after(grammar: &Grammar, text: &str) -> Matcher {
    let mut matcher = grammar.matcher();
    for token in COMPILER.vocabulary().encode_with_special(text).expect("it has an encoder") {
        matcher.accept(token).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    matcher
}

fn mask(matcher: &Matcher) -> TokenMask {
    let mut mask = TokenMask::new(WIDTH);
    matcher.fill_mask(&mut mask);
    mask
}

/// What a mask allows, spelled.
fn allowed(matcher: &Matcher) -> Vec<String> {
    mask(matcher).iter().map(|token| matcher.vocabulary().decode(&[token])).collect()
}

const TWO_TOKENS: &str = r#"{"harmony": {"reasoning": {"max_tokens": 2}}}"#;

#[test]
fn at_the_cap_only_the_end_of_the_message_remains() {
    let matcher = after(&grammar(TWO_TOKENS), "<|channel|>analysis<|message|>One two");
    assert_eq!(allowed(&matcher), ["<|end|>"]);
    assert_eq!(matcher.expected(), ["<|end|>"]);
    assert_eq!(
        COMPILER.vocabulary().decode(&matcher.forced_tokens()),
        "<|end|><|start|>assistant<|channel|>"
    );
    let error = matcher.fork().accept(13).expect_err("a full stop");
    assert_eq!(error.cause, Cause::ReasoningCap);
    assert!(error.to_string().contains("reasoning has no tokens left"), "{error}");
}

#[test]
fn a_character_is_completed_before_the_message_ends() {
    let grammar = grammar(r#"{"harmony": {"reasoning": {"max_tokens": 1}}}"#);
    let byte =
        |byte: u8| COMPILER.vocabulary().trie().longest_match(&[byte]).expect("every byte is a token").0;
    let mut matcher = after(&grammar, "<|channel|>analysis<|message|>");
    let smile = "🙂".as_bytes();
    for (read, next) in smile.iter().enumerate() {
        if read > 0 {
            let only_continues = mask(&matcher).iter().all(|token| {
                let bytes = COMPILER.vocabulary().token_bytes(token).expect("no special token");
                bytes.iter().all(|byte| (0x80..0xc0).contains(byte))
            });
            assert!(only_continues && !mask(&matcher).iter().collect::<Vec<_>>().is_empty());
        }
        matcher.accept(byte(*next)).expect("the rest of the character");
    }
    assert_eq!(allowed(&matcher), ["<|end|>"]);
}

#[test]
fn reasoning_that_is_used_up_does_not_begin_again() {
    let header = "<|channel|>analysis<|message|>One two<|end|><|start|>assistant<|channel|>";
    let mut matcher = after(&grammar(TWO_TOKENS), header);
    let analysis = COMPILER.vocabulary().encode("analysis").expect("it has an encoder")[0];
    assert!(matcher.accept(analysis).is_err() && !mask(&matcher).contains(analysis));
    after(&grammar(TWO_TOKENS), &format!("{header}commentary<|message|>A preamble.<|end|>"));
    after(&grammar(TWO_TOKENS), &format!("{header}final<|message|>Done.<|return|>"));
}

/// A request, and headers that it allows and forbids after `<|start|>assistant<|channel|>`.
#[test]
fn reasoning_may_be_off_required_or_few_messages() {
    let thought = "<|channel|>analysis<|message|>A<|end|><|start|>assistant";
    for (reasoning, before, allowed, forbidden) in [
        ("false", "", &["final", "commentary"][..], &["analysis"][..]),
        (r#"{"max_tokens": 0}"#, "", &["final", "commentary"], &["analysis"]),
        (r#"{"max_messages": 0}"#, "", &["final"], &["analysis", "commentary"]),
        (r#"{"max_messages": 1}"#, "", &["final", "analysis", "commentary"], &[]),
        (r#"{"max_messages": 1}"#, thought, &["final"], &["analysis", "commentary"]),
        (r#"{"required": true}"#, "", &["analysis"], &["final", "commentary"]),
        (r#"{"required": true}"#, thought, &["final", "analysis", "commentary"], &[]),
        (r#"{"required": true, "max_messages": 1}"#, thought, &["final"], &["analysis", "commentary"]),
    ] {
        let grammar = grammar(&format!(r#"{{"harmony": {{"reasoning": {reasoning}}}}}"#));
        let matcher = after(&grammar, &format!("{before}<|channel|>"));
        for (names, holds) in [(allowed, true), (forbidden, false)] {
            for name in names {
                let tokens =
                    COMPILER.vocabulary().encode_with_special(&format!("{name}<|message|>")).expect("tokens");
                assert_eq!(
                    matcher.validate_tokens(&tokens) == tokens.len(),
                    holds,
                    "{reasoning}: {before}{name}"
                );
            }
        }
    }
}

/// However tight the deadline and whenever it is set, the completion ends in time, masks and `accept` agree,
/// and a rollback changes nothing.
#[test]
fn completions_end_in_time() {
    let object =
        grammar(r#"{"response_format": {"type": "json_object"}, "harmony": {"builtin_tools": ["python"]}}"#);
    let grammars: Vec<Grammar> = EXAMPLES.iter().map(|name| example(name)).chain([object]).collect();
    let mut random = Random::new(110);
    for round in 0..60 {
        let begun = walk(
            &grammars[round % grammars.len()],
            HABITS[round % 3],
            random.below(25),
            &mut random,
            |_, _| {},
        );
        let mut matcher = begun.fork();
        matcher.rollback(random.below(begun.tokens().len() + 1)).expect("that many were accepted");
        let needed = matcher.shortest_completion().len();
        if needed > 0 {
            let error = matcher.finish_within(needed - 1).expect_err("too few");
            assert_eq!((error.requested, error.needed), (needed - 1, needed));
        }
        let limit = matcher.tokens().len() + needed + [random.below(10), random.below(300)][random.below(2)];
        matcher.finish_within(limit - matcher.tokens().len()).expect("the shortest fits");
        finish(&mut matcher, HABITS[(round / 3) % 3], &mut random);
        assert!(matcher.is_finished() && matcher.tokens().len() <= limit, "{limit}");
    }
}

fn finish(matcher: &mut Matcher, habit: crate::harness::Habit, random: &mut Random) {
    while !matcher.is_finished() {
        let allowed = mask(matcher);
        let before = matcher.tokens().len();
        for token in (0..20).map(|_| TokenId::try_from(random.below(WIDTH)).expect("fits")) {
            assert_eq!(
                matcher.validate_tokens(&[token]) == 1,
                allowed.contains(token),
                "mask and accept agree on {token}"
            );
        }
        matcher.accept(choose(matcher, &allowed, habit, random)).expect("the mask allows it");
        if random.below(4) == 0 {
            let back = 1 + random.below(matcher.tokens().len());
            let retaken = matcher.tokens()[matcher.tokens().len() - back..].to_vec();
            let now = mask(matcher);
            matcher.rollback(back).expect("that many were accepted");
            assert!(matcher.tokens_left().is_some(), "a rollback keeps the deadline");
            retaken.iter().for_each(|token| matcher.accept(*token).expect("accepted before"));
            assert_eq!(mask(matcher), now);
            assert_eq!(matcher.tokens().len(), before + 1);
        }
    }
}
