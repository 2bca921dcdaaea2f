//! Deadlines where what may follow depends on what was said: elements that must differ, names that are free.

use harmony_mask::automaton::{Judge, Unit};
use harmony_mask::{Grammar, Layout, Matcher, Options, TokenId, TokenMask};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::distinct::{contains, items};
use crate::harness::schemas::document;
use crate::harness::{COMPILER, EXAMPLES, HABITS, Habit, Random, WIDTH, choose, example, walk};
use crate::schemas::{grammar, oracle, run};
use crate::wishes::untold;

/// Schemas in which the length of the rest depends on what was said; most texts are captured while they are
/// read.
fn schemas() -> Vec<Value> {
    let unique = |items: Value, least: usize| json!({"type": "array", "items": items, "uniqueItems": true, "minItems": least});
    let pair = |first: Value, second: Value| json!({"type": "array", "prefixItems": [first, second], "minItems": 2, "items": false, "uniqueItems": true});
    let strings = json!({"type": "array", "items": {"type": "string", "maxLength": 1}});
    let (long, longer) = ("x".repeat(60), "x1y2".repeat(40));
    let person = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "is_new": {"type": "boolean"}},
        "required": ["name", "is_new"], "additionalProperties": false
    });
    // Of many names one asks for more than all others.
    let names = ('a'..='i').map(|name| (name.to_string(), json!({"type": "boolean"})));
    let names: Map<String, Value> = names.chain([("other".to_owned(), json!({"enum": [longer]}))]).collect();
    vec![
        contained(),
        json!({"type": "object", "properties": names, "additionalProperties": false}),
        json!({"type": "object", "properties": names}),
        unique(json!({"type": "string"}), 0),
        unique(json!({"type": "string"}), 3),
        unique(json!({"type": "string", "maxLength": 1}), 4),
        unique(json!({"type": "integer", "minimum": 0, "maximum": 40}), 14),
        unique(json!({"enum": ["a", "b", long, 1]}), 4),
        unique(json!({"type": "boolean"}), 2),
        unique(person, 3),
        unique(json!({"type": "array", "items": {"enum": [0, 1, "two"]}, "maxItems": 2}), 3),
        // What the first says may leave only the long one for the second.
        pair(json!({"type": "string"}), json!({"enum": ["a", long]})),
        pair(json!({"type": "string", "maxLength": 1}), json!({"enum": ["q", longer]})),
        pair(json!({"type": "integer"}), json!({"enum": [7, 10, longer]})),
        pair(
            strings,
            json!({"type": "array", "items": {"enum": ["a", longer]}, "minItems": 1, "maxItems": 1}),
        ),
        pair(
            json!({"type": "object", "additionalProperties": {"type": "boolean"}}),
            json!({"type": "object", "properties": {"a": {"enum": [true, longer]}}, "required": ["a"], "additionalProperties": false}),
        ),
        unique(unique(json!({"type": "string", "maxLength": 1}), 2), 2),
        json!({"type": "array", "items": {"type": "string"}, "not": {"uniqueItems": true}}),
        json!({"type": "object", "minProperties": 3, "additionalProperties": {"type": "integer"}}),
        unique(json!({"type": "object", "minProperties": 2, "additionalProperties": {"type": "boolean"}}), 2),
        untold(5, 4),
        unique(untold(5, 4), 2),
    ]
    .into_iter()
    .chain(kinds())
    .collect()
}

/// Schemas of elements that must differ, of kinds that are followed by different ones: what may follow one
/// need not be able to follow the value of another, and perhaps nothing is.
fn kinds() -> Vec<Value> {
    let contains = |element: Value, most: usize| json!({"type": "array", "uniqueItems": true, "contains": {"const": element}, "maxItems": most});
    vec![
        json!({"uniqueItems": true, "enum": [[1, []]]}),
        json!({"type": "array", "uniqueItems": true, "prefixItems": [{"type": "number"}, {"const": "a"}], "minItems": 2, "maxItems": 2}),
        contains(json!([]), 2),
        contains(json!("a"), 9),
        json!({"type": "array", "uniqueItems": true, "contains": {"const": "a"}}),
        json!({"type": "array", "uniqueItems": true, "contains": {"const": {}}}),
        json!({"type": "array", "uniqueItems": true, "contains": {"const": []}}),
        json!({"type": "array", "uniqueItems": true, "contains": {"enum": ["a", [], 7]}, "minContains": 2, "maxContains": 2}),
        json!({"type": "object", "properties": {"list": contains(json!({}), 3)}, "required": ["list"]}),
        contains(json!(["a"]), 2),
        json!({"type": "array", "uniqueItems": true, "contains": contains(json!("a"), 2), "items": {"type": "array"}}),
    ]
}

/// An array whose elements are of fifteen kinds of texts: more leaves than are walked.
fn contained() -> Value {
    let contains = |pattern| json!({"contains": {"type": "string", "pattern": pattern}});
    let all = ["a", "b", "c$", "^d"].map(contains);
    json!({"type": "array", "maxItems": 3, "allOf": all})
}

fn mask(matcher: &Matcher) -> TokenMask {
    let mut mask = TokenMask::new(WIDTH);
    matcher.fill_mask(&mut mask);
    mask
}

/// Every completion ends in time, whenever the deadline is set and however tight it is; masks and `accept`
/// agree.
#[test]
fn completions_that_depend_on_what_was_said_end_in_time() {
    let mut random = Random::new(130);
    for schema in schemas() {
        let grammar = COMPILER.compile_schema(&schema, &Options::default()).expect("compiles");
        for round in 0..6 {
            check(&grammar, HABITS[round % 3], &mut random, &schema);
        }
    }
}

/// The same for random schemas, and for arrays of such values that must differ.
#[test]
fn random_schemas_are_completed_in_time() {
    run(120, &(document(), 0..3, any::<u64>()), |(document, shape, seed)| {
        let [root, defs] = [&document["allOf"][0], &document["$defs"]];
        let distinct = |items: Value, rest: Value| json!({"type": "array", "prefixItems": items, "items": rest, "uniqueItems": true, "minItems": 2, "$defs": defs});
        let schema = match shape {
            0 => document.clone(),
            1 => distinct(json!([root]), root.clone()),
            _ => distinct(json!([root, {"$ref": "#/$defs/a"}]), json!(false)),
        };
        let Some(grammar) = grammar(&schema)? else { return Ok(()) };
        let mut random = Random::new(seed);
        HABITS.iter().for_each(|habit| check(&grammar, *habit, &mut random, &schema));
        Ok(())
    });
}

/// The same for elements that must differ, of which some count.
#[test]
fn random_counted_elements_are_completed_in_time() {
    let counting = (prop::collection::vec(contains(), 1..3), items(), 0_u32..3, any::<u64>());
    run(60, &counting, |(mut all, items, least, seed)| {
        all.push(items);
        let schema = json!({"type": "array", "uniqueItems": true, "minItems": least, "allOf": all});
        let Some(grammar) = grammar(&schema)? else { return Ok(()) };
        let mut random = Random::new(seed);
        HABITS.iter().for_each(|habit| check(&grammar, *habit, &mut random, &schema));
        Ok(())
    });
}

/// Of the tokens of one byte those are allowed after which the shortest completion is in time, and hardly any
/// of them is left out.
#[test]
fn what_follows_another_kind_is_judged_by_what_may_follow_it() {
    let mut found = Judged::default();
    for schema in kinds() {
        let grammar = COMPILER.compile_schema(&schema, &Options::default()).expect("compiles");
        for (habit, seed) in HABITS.into_iter().zip(160..) {
            walk(&grammar, habit, 6, &mut Random::new(seed), |matcher, all| {
                if !matcher.is_finished() {
                    found.add(matcher, all, &schema);
                }
            });
        }
    }
    assert!(found.left_out * 100 < found.kept, "{found:?}");
}

/// How many of the tokens that are in time were kept.
#[derive(Debug, Default)]
struct Judged {
    kept: usize,
    left_out: usize,
}

impl Judged {
    fn add(&mut self, matcher: &Matcher, all: &TokenMask, schema: &Value) {
        let needed = needed(matcher, all);
        let least = matcher.shortest_completion().len();
        for within in (least..least + 6).chain([5_000]) {
            let mut hurried = matcher.fork();
            hurried.finish_within(within).expect("the shortest fits");
            let allowed = mask(&hurried);
            let (in_time, late): (Vec<_>, Vec<_>) = needed.iter().partition(|(_, needed)| *needed <= within);
            let wrong = late.iter().find(|(token, _)| allowed.contains(*token));
            let text = || matcher.vocabulary().decode(matcher.tokens());
            assert!(wrong.is_none(), "{wrong:?} after {} within {within} of {schema}", text());
            let kept = in_time.iter().filter(|(token, _)| allowed.contains(*token)).count();
            self.kept += kept;
            self.left_out += in_time.len() - kept;
        }
    }
}

/// The allowed tokens of one byte, each with how many tokens it and the shortest completion after it are.
fn needed(matcher: &Matcher, all: &TokenMask) -> Vec<(TokenId, usize)> {
    let bytes = |token: &TokenId| matcher.vocabulary().token_bytes(*token);
    let tokens = all.iter().filter(|token| bytes(token).is_none_or(|bytes| bytes.len() == 1));
    let with_rest = |token: TokenId| {
        let mut next = matcher.fork();
        next.accept(token).expect("the mask allows it");
        (token, 1 + next.shortest_completion().len())
    };
    tokens.map(with_rest).collect()
}

fn check(grammar: &Grammar, habit: Habit, random: &mut Random, schema: &Value) {
    let mut matcher = grammar.matcher();
    for _ in 0..random.below(12) {
        let allowed = mask(&matcher);
        check_enough(&matcher, &allowed, 4, random, schema);
        if allowed.count() == 0 || (matcher.is_accepting() && random.below(2) == 0) {
            break;
        }
        matcher.accept(choose(&matcher, &allowed, habit, random)).expect("the mask allows it");
    }
    let spare = [0, random.below(4), random.below(40), random.below(400)][random.below(4)];
    let limit = matcher.tokens().len() + matcher.shortest_completion().len() + spare;
    matcher.finish_within(limit - matcher.tokens().len()).expect("the shortest fits");
    loop {
        let allowed = mask(&matcher);
        if allowed.count() == 0 {
            break;
        }
        for token in (0..20).map(|_| TokenId::try_from(random.below(WIDTH)).expect("fits")) {
            assert_eq!(matcher.validate_tokens(&[token]) == 1, allowed.contains(token));
        }
        matcher.accept(choose(&matcher, &allowed, habit, random)).expect("the mask allows it");
    }
    let text = matcher.vocabulary().decode(matcher.tokens());
    assert!(matcher.is_accepting(), "stops amid {text}");
    assert!(
        matcher.tokens().len() <= limit,
        "{} tokens for {limit}: {text} of {schema}",
        matcher.tokens().len()
    );
    let body = text.strip_suffix("<|return|>").unwrap_or(&text);
    let value: Value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert!(oracle(schema)(&value), "{text} of {schema}");
}

/// A deadline means the same wherever it was set, if it could be set here: of two texts, one has fewer bytes
/// and the other fewer tokens.
#[test]
fn a_rollback_leaves_no_trace_of_where_a_deadline_was_set() {
    let grammar = COMPILER.compile_regex("x(zqxjk| international)|a", &Options::default()).expect("compiles");
    let mask = |matcher: &Matcher| {
        let mut mask = TokenMask::new(WIDTH);
        matcher.fill_mask(&mut mask);
        mask
    };
    for within in [3, 4, 5, 1000] {
        let mut here = grammar.matcher();
        here.finish_within(within).expect("there is a shorter one");
        let mut later = grammar.matcher();
        for token in ["x", " international"] {
            later.accept(COMPILER.vocabulary().encode(token).expect("an encoder")[0]).expect("allowed");
        }
        later.finish_within(within - 2).expect("one token is left");
        later.rollback(2).expect("two were accepted");
        assert_eq!(mask(&here).words(), mask(&later).words(), "{within}");
        assert_eq!(here.shortest_completion(), later.shortest_completion(), "{within}");
    }
}

/// What is called enough after any token is: no completion after one of some allowed tokens is longer.
fn check_enough(matcher: &Matcher, allowed: &TokenMask, tokens: usize, random: &mut Random, schema: &Value) {
    let automaton = matcher.automaton();
    let is_enough = |units: &usize| automaton.are_enough_after_any(matcher.residual(), *units);
    let powers = (0..16).map(|power| 1 << power);
    let Some(enough) = powers.into_iter().find(is_enough) else { return };
    let enough = Vec::from_iter(0..=enough).partition_point(|units| !is_enough(units));
    let allowed: Vec<TokenId> = allowed.iter().collect();
    for _ in 0..tokens.min(allowed.len()) {
        let mut next = matcher.fork();
        next.accept(allowed[random.below(allowed.len())]).expect("the mask allows it");
        let units = automaton.shortest_completion(next.residual());
        let text = || matcher.vocabulary().decode(next.tokens());
        assert!(units.len() <= enough, "{} for {enough} units after {} of {schema}", units.len(), text());
    }
}

/// The same for long arrays, where it is added up from what is enough for elements.
#[test]
fn what_is_enough_for_elements_that_differ_is_enough() {
    let unique = |items: Value, least: u32| json!({"type": "array", "items": items, "uniqueItems": true, "minItems": least});
    let schemas = [
        unique(json!({"type": "string", "pattern": "^(a|[a-z]{20})$"}), 4),
        unique(json!({"type": "string", "pattern": "^[\\\\\"\n]+$"}), 7),
        unique(json!({"type": "string", "minLength": 2, "maxLength": 9}), 30),
        unique(json!({"type": "integer"}), 40),
        unique(json!({"type": "integer", "minimum": 95, "multipleOf": 5}), 20),
        unique(json!({"type": "number", "maximum": -9.5, "multipleOf": 0.25}), 12),
        unique(json!({"type": "integer", "minimum": -3, "maximum": 20}), 20),
        unique(json!({"type": ["string", "number", "boolean", "null"]}), 12),
        unique(json!({"enum": ["a", "\n\u{e9}", 1, 2.5, null, true, "bcd"]}), 6),
        json!({
            "type": "array", "uniqueItems": true, "minItems": 9, "prefixItems": [{"type": "boolean"}, {"type": "string"}],
            "items": {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^x"}]},
        }),
        json!({"type": "object", "additionalProperties": unique(json!({"type": "integer"}), 9), "minProperties": 2}),
        json!({
            "properties": {"a": unique(json!({"type": "string"}), 5), "b": {"type": "object", "required": ["c", "d"]}},
            "required": ["a", "b"], "type": "object", "patternProperties": {"^x": {"type": "object", "required": ["long name"]}},
        }),
    ];
    let mut random = Random::new(140);
    let layouts = [Layout::Compact, Layout::Single, Layout::Pretty, Layout::Any];
    for (schema, whitespace) in schemas.iter().zip(layouts.into_iter().cycle()) {
        let options = Options { whitespace, ..Options::default() };
        let grammar = COMPILER.compile_schema(schema, &options).expect("compiles");
        walk(&grammar, HABITS[random.below(3)], 30, &mut Random::new(141), |matcher, all| {
            check_enough(matcher, all, 6, &mut random, schema);
        });
    }
}

/// Texts that have as many tokens as bytes: what is left is known in tokens.
#[test]
fn a_deadline_leaves_out_what_would_be_late() {
    let grammar = COMPILER
        .compile_regex("\u{1}?(\u{2}\u{1}\u{3}|\u{3}\u{2}\u{1}\u{4}\u{1})", &Options::default())
        .expect("compiles");
    let free = grammar.matcher();
    assert_eq!(free.automaton().enough_after_any(free.residual()), Some(4));
    for (within, first) in [(3, "\u{2}"), (4, "\u{1}\u{2}"), (5, "\u{1}\u{2}\u{3}"), (6, "\u{1}\u{2}\u{3}")] {
        let mut hurried = grammar.matcher();
        hurried.finish_within(within).expect("the shortest has three");
        let allowed: Vec<TokenId> = mask(&hurried).iter().collect();
        assert_eq!(free.vocabulary().decode(&allowed), first, "within {within}");
        assert_eq!(hurried.mask_id(), free.mask_id().filter(|_| within > 4));
    }
}

/// While a deadline is far, masks and their numbers are those of the grammar, and every token is in time.
#[test]
fn far_deadlines_change_nothing() {
    let mut random = Random::new(150);
    let compile = |schema| COMPILER.compile_schema(&schema, &Options::default()).expect("compiles");
    let mut seen = 0;
    for (round, grammar) in schemas().into_iter().map(compile).chain(EXAMPLES.map(example)).enumerate() {
        walk(&grammar, HABITS[round % HABITS.len()], 40, &mut Random::new(151), |matcher, all| {
            let (automaton, residual) = (matcher.automaton(), matcher.residual());
            let is_enough = |tokens: usize| automaton.are_enough_after_any(residual, tokens);
            // Where texts are told apart, or leaves are many, tokens are left out whatever is left.
            let Some(enough) = automaton.enough_after_any(residual) else { return };
            assert!(is_enough(enough) && (enough == 0 || !is_enough(enough - 1)));
            seen += 1;
            assert_eq!(judged(matcher, enough), *all);
            check_far(matcher, enough + 1, all, &mut random);
        });
    }
    assert!(seen > 300, "{seen} states");
}

/// The tokens after which `most` tokens are enough, if each unit takes one.
fn judged(matcher: &Matcher, most: usize) -> TokenMask {
    let mut mask = TokenMask::new(WIDTH);
    let fits = |rest: &[Unit]| rest.len() <= most;
    let judge = Judge { fits: &fits, surely_below: 0 };
    matcher.automaton().keep_fitting(matcher.residual(), &mut mask.as_mut(), judge);
    mask
}

fn check_far(matcher: &Matcher, within: usize, all: &TokenMask, random: &mut Random) {
    let mut hurried = matcher.fork();
    hurried.finish_within(within).expect("enough after any token");
    assert_eq!((&mask(&hurried), hurried.mask_id()), (all, matcher.mask_id()));
    let tokens: Vec<TokenId> = all.iter().collect();
    for _ in 0..tokens.len().min(8) {
        let mut next = hurried.fork();
        next.accept(tokens[random.below(tokens.len())]).expect("the mask allows it");
        assert!(next.shortest_completion().len() < within);
    }
}

/// Where more leaves are open than are walked, masks and `accept` still agree.
#[test]
fn tokens_of_many_leaves_are_judged_alike() {
    let grammar = COMPILER.compile_schema(&contained(), &Options::default()).expect("compiles");
    let mut matcher = grammar.matcher();
    let begun = matcher.vocabulary().trie().longest_match(b"[\"").expect("a token").0;
    matcher.accept(begun).expect("a beginning");
    let mut random = Random::new(170);
    let tokens: Vec<TokenId> = mask(&matcher).iter().collect();
    let least = matcher.shortest_completion().len();
    let mut kept = 0;
    for within in least..least + 8 {
        let mut hurried = matcher.fork();
        hurried.finish_within(within).expect("the shortest fits");
        let allowed = mask(&hurried);
        for token in (0..100).map(|_| tokens[random.below(tokens.len())]) {
            let is_allowed = allowed.contains(token);
            assert_eq!(hurried.validate_tokens(&[token]) == 1, is_allowed, "{token} within {within}");
            kept += usize::from(is_allowed);
        }
    }
    assert!((1..800).contains(&kept), "{kept}");
}

/// A text that takes the only short choice of what follows is left out in time, and others that lead to the
/// same place of its leaf are not.
#[test]
fn texts_that_ask_for_more_are_told_apart() {
    let long = "x1y2".repeat(40);
    let then = |first: Value, second: Value| {
        let prefix = [first, second];
        json!({"type": "array", "prefixItems": prefix, "minItems": 2, "items": false, "uniqueItems": true})
    };
    let one = |items: Value| json!({"type": "array", "items": items, "minItems": 1, "maxItems": 1});
    let letter = json!({"type": "string", "pattern": "^[ab]$"});
    let lettered = json!({
        "type": "object", "patternProperties": {"^[ab]+$": {"const": 0}}, "additionalProperties": false,
        "minProperties": 1, "maxProperties": 1
    });
    let b = json!({"type": "object", "properties": {"b": {"enum": [0, long]}}, "required": ["b"], "additionalProperties": false});
    check_apart(&then(letter.clone(), json!({"enum": ["b", long]})), "[\"", "a", "b");
    check_apart(&then(json!({"enum": [6, 7]}), json!({"enum": [7, long]})), "[", "6", "7");
    check_apart(&then(one(letter), one(json!({"enum": ["b", long]}))), "[ [\"", "a", "b");
    check_apart(&then(lettered, b), "[ {\"", "a", "b");
}

fn check_apart(schema: &Value, begins: &str, other: &str, taken: &str) {
    let grammar = COMPILER.compile_schema(schema, &Options::default()).expect("compiles");
    let mut matcher = grammar.matcher();
    let vocabulary = matcher.vocabulary().clone();
    let token = |text: &str| vocabulary.trie().longest_match(text.as_bytes()).expect("a token").0;
    begins.split_inclusive(' ').for_each(|text| matcher.accept(token(text.trim())).expect("a beginning"));
    let [least, most] = [other, taken].map(|first| {
        let mut next = matcher.fork();
        next.accept(token(first)).expect("a first element");
        1 + next.shortest_completion().len()
    });
    assert!(least < 16 && most > 90, "{least} and {most} tokens");
    for within in least..=most {
        let mut hurried = matcher.fork();
        hurried.finish_within(within).expect("time for the other");
        let allowed = [other, taken].map(|first| mask(&hurried).contains(token(first)));
        assert_eq!(allowed, [true, within == most], "{other} and {taken} within {within} of {schema}");
    }
}
