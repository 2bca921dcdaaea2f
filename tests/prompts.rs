//! Matchers that begin where a prompt ends.

use harmony_mask::{Grammar, Matcher, TokenId, TokenMask};

use crate::harness::{COMPILER, EXAMPLES, HABITS, Random, WIDTH, example, walk};

fn mask(matcher: &Matcher) -> TokenMask {
    let mut mask = TokenMask::new(WIDTH);
    matcher.fill_mask(&mut mask);
    mask
}

fn tokens(text: &str) -> Vec<TokenId> {
    COMPILER.vocabulary().encode_with_special(text).expect("it has an encoder")
}

fn grammar(request: &str) -> Grammar {
    COMPILER.compile(&request.parse().expect("a request")).expect("compiles")
}

/// What stands before a completion in a prompt.
const BEFORE: [&str; 4] = [
    "",
    "<|start|>assistant",
    "<|start|>user<|message|>What is 2 + 2?<|end|><|start|>assistant",
    "Hello<|end|><|start|>assistant<|channel|>analysis<|message|>Look.<|end|><|start|>assistant<|channel|>commentary \
     to=functions.f <|constrain|>json<|message|>{}<|call|><|start|>functions.f to=assistant<|channel|>commentary\
     <|message|>{}<|end|><|start|>assistant",
];

/// Calls follow each other, with a thought before the first one only.
const PARALLEL: &str = r#"{
    "tools": [{"type": "function", "name": "f", "parameters": {"enum": [{}]}}],
    "harmony": {"parallel_tool_calls": true, "reasoning": {"required": true, "max_messages": 1}}
}"#;

/// Starting at every token of 50 completions gives the same masks for the rest as stepping from the
/// beginning.
#[test]
fn starting_anywhere_equals_stepping_there() {
    let mut random = Random::new(70);
    let capped =
        r#"{"harmony": {"reasoning": {"max_tokens": 4, "max_messages": 2}, "builtin_tools": ["python"]}}"#;
    let grammars = EXAMPLES.iter().map(|name| example(name)).chain([grammar(capped), grammar(PARALLEL)]);
    let grammars: Vec<Grammar> = grammars.collect();
    for round in 0..50 {
        let before = tokens(BEFORE[round % BEFORE.len()]);
        let grammar = &grammars[round % grammars.len()];
        let mut masks = Vec::new();
        let complete = walk(grammar, HABITS[round % 3], random.below(30), &mut random, |_, mask| {
            masks.push(mask.clone());
        });
        // A walk that ran into the end has shown it already.
        masks.resize_with(complete.tokens().len() + 1, || mask(&complete));
        for (at, expected) in masks.iter().enumerate() {
            let prompt = [&before[..], &complete.tokens()[..at]].concat();
            let matcher = grammar.matcher_after(&prompt).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(mask(&matcher), *expected, "after {:?}", COMPILER.vocabulary().decode(&prompt));
            assert!(matcher.tokens().is_empty(), "the prompt cannot be rolled back");
            assert_eq!(matcher.is_finished(), complete.is_finished() && at == complete.tokens().len());
            if at == complete.tokens().len() {
                assert_eq!(matcher.transcript(), complete.transcript());
            }
        }
    }
}

/// A request, the end of a prompt, and what may come next in words.
const GOES_ON: [(&str, &str, &[&str]); 13] = [
    ("{}", "", &["<|channel|>"]),
    ("{}", "<|start|>user<|message|>Hi<|end|>", &["<|start|>"]),
    ("{}", "<|start|>user<|message|>Hi<|end|><|start|>", &["`assistant`"]),
    ("{}", "<|start|>user<|message|>Hi<|end|><|start|>assist", &["`ant`"]),
    ("{}", "<|start|>assistant<|channel|>fin", &["`al`"]),
    ("{}", "<|start|>assistant<|channel|>analysis<|message|>Hm", &["text", "<|end|>"]),
    ("{}", "<|start|>assistant<|channel|>analysis<|message|>Hm<|end|><|start|>", &["`assistant`"]),
    ("{}", "<|channel|>final<|message|>Prefilled", &["text", "<|return|>"]),
    ("{}", "of a message<|end|><|start|>assistant<|channel|>final", &["<|message|>"]),
    (
        r#"{"response_format": {"type": "json_object"}}"#,
        "<|start|>assistant<|channel|>final<|message|>{\"a\"",
        &["`:`"],
    ),
    (
        r#"{"tools": [{"type": "function", "name": "f"}]}"#,
        "<|start|>assistant<|channel|>commentary to=func",
        &["a declared tool: functions.f"],
    ),
    (
        "{}",
        "<|start|>python to=assistant<|channel|>analysis<|message|>55<|end|><|start|>assistant",
        &["<|channel|>"],
    ),
    (
        PARALLEL,
        "<|channel|>analysis<|message|>Two.<|end|><|start|>assistant<|channel|>commentary to=functions.f<|message|>{}<|call|>\
         <|start|>assistant<|channel|>commentary to=",
        &["a declared tool: functions.f"],
    ),
];

#[test]
fn prompts_may_end_anywhere() {
    for (request, prompt, expected) in GOES_ON {
        let matcher = grammar(request)
            .matcher_after(&tokens(prompt))
            .unwrap_or_else(|error| panic!("{prompt}: {error}"));
        let from_text =
            grammar(request).matcher_after_text(prompt).unwrap_or_else(|error| panic!("{prompt}: {error}"));
        assert_eq!(from_text.expected(), matcher.expected(), "{prompt}");
        for expected in expected {
            assert!(
                matcher.expected().iter().any(|known| known == expected),
                "{prompt}: {:?}",
                matcher.expected()
            );
        }
    }
}

/// A request, a prompt whose turn is not the beginning of a completion, and what of the prompt can be read.
const BREAKS: [(&str, &str, &str); 8] = [
    ("{}", "Hello", ""),
    ("{}", "<|start|>assistant<|channel|>summary", "<|start|>assistant<|channel|>"),
    ("{}", "<|start|>user", "<|start|>"),
    (
        r#"{"tools": [{"type": "function", "name": "f"}], "harmony": {"parallel_tool_calls": true}}"#,
        "<|channel|>commentary to=functions.f<|message|>{}<|call|><|start|>assistant<|channel|>final",
        "<|channel|>commentary to=functions.f<|message|>{}<|call|><|start|>assistant<|channel|>",
    ),
    (
        "{}",
        "<|start|>user<|message|>Hi<|end|><|start|>assistant<|message|>",
        "<|start|>user<|message|>Hi<|end|><|start|>assistant",
    ),
    (
        r#"{"tools": [{"type": "function", "name": "f"}]}"#,
        "<|start|>assistant<|channel|>commentary to=functions.g",
        "<|start|>assistant<|channel|>commentary to=functions.",
    ),
    (
        r#"{"response_format": {"type": "json_object"}}"#,
        "<|start|>assistant<|channel|>final<|message|>[1]",
        "<|start|>assistant<|channel|>final<|message|>",
    ),
    (
        r#"{"harmony": {"reasoning": {"max_tokens": 1}}}"#,
        "<|start|>assistant<|channel|>analysis<|message|>One two",
        "<|start|>assistant<|channel|>analysis<|message|>One",
    ),
];

#[test]
fn prompts_that_break_the_grammar_are_refused_with_the_place() {
    for (request, prompt, read) in BREAKS {
        let error = grammar(request).matcher_after(&tokens(prompt)).expect_err(prompt);
        assert_eq!(&prompt[..error.offset], read, "{error}");
        assert!(!error.source.expected.is_empty(), "{error}");
    }
}
