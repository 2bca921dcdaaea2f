//! The laws of ARCHITECTURE.md on real requests and the real vocabulary.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Map, Value, json};

use crate::harness::{COMPILER, EXAMPLES, HABITS, Random, WIDTH, brute_force, example, walk};
use harmony_mask::automaton::{Residual, Unit};
use harmony_mask::{Compiler, Layout, Limits, Matcher, Options, PropertyOrder, TokenId, TokenMask};

/// Law 1: the mask is the brute force over all ids, on at least 100 different states of each example.
#[test]
fn masks_equal_brute_force() {
    let check = |name: &str| {
        let grammar = example(name);
        let mut seen = HashSet::new();
        let mut random = Random::new(1);
        while seen.len() < 110 {
            let habit = HABITS[random.below(HABITS.len())];
            walk(&grammar, habit, 60, &mut random, |matcher, mask| {
                // Every third new state, so that the states lie apart.
                let state = format!("{:?}", matcher.residual());
                if !matcher.is_finished() && random_third(matcher) && seen.insert(state) {
                    assert_same(matcher, mask, &brute_force(matcher));
                }
            });
        }
    };
    std::thread::scope(|scope| {
        for thread in EXAMPLES.map(|name| scope.spawn(move || check(name))) {
            thread.join().expect("law 1");
        }
    });
}

fn random_third(matcher: &Matcher) -> bool {
    matcher.tokens().iter().sum::<TokenId>() % 3 == 0
}

fn assert_same(matcher: &Matcher, mask: &TokenMask, expected: &TokenMask) {
    let text = || matcher.vocabulary().decode(matcher.tokens());
    let name = |id: TokenId| format!("{id} {:?}", matcher.vocabulary().decode(&[id]));
    let wrong = mask.iter().filter(|id| !expected.contains(*id)).map(|id| format!("allowed: {}", name(id)));
    let missing = expected.iter().filter(|id| !mask.contains(*id)).map(|id| format!("missing: {}", name(id)));
    let differences: Vec<String> = wrong.chain(missing).take(10).collect();
    assert!(differences.is_empty(), "after {:?}: {differences:#?}", text());
}

/// Law 2: no dead end on any walk, and the shortest completion is one (checked inside [`walk`]).
#[test]
fn every_state_has_a_completion() {
    for (name, seed) in EXAMPLES.iter().zip(10..) {
        let grammar = example(name);
        let mut random = Random::new(seed);
        for round in 0..30 {
            let matcher = walk(&grammar, HABITS[round % 3], 1 + random.below(80), &mut random, |_, _| {});
            assert!(matcher.is_finished() && matcher.is_accepting());
            assert!(matcher.shortest_completion().is_empty());
        }
    }
}

/// Where texts are a few constants, the completion of each place on the way is as short as any, in any order
/// of the members too: one way is followed of those that look shortest.
#[test]
fn completions_are_shortest() {
    let object = |members: &[(&str, u64)], required: &[&str]| {
        let members: Map<String, Value> =
            members.iter().map(|(name, value)| (name.to_string(), json!({"const": value}))).collect();
        json!({"type": "object", "properties": members, "required": required, "additionalProperties": false})
    };
    let letters = [("a", 1), ("bb", 22), ("c", 333), ("d", 4)];
    let one = object(&letters, &["bb", "c"]);
    let with = |more: Value| json!({"allOf": [one, more]});
    for schema in [
        with(json!({})),
        with(json!({"minProperties": 3})),
        with(json!({"dependentRequired": {"a": ["d"], "c": ["a"]}})),
        json!({"anyOf": [one, object(&[("a", 7), ("bb", 8)], &["a", "bb"]), object(&[("e", 987_654_321)], &["e"])]}),
        json!({"anyOf": [object(&[("a", 1), ("b", 2)], &["a"]), object(&[("a", 1), ("c", 3), ("d", 4)], &["c", "d"])]}),
        json!({"oneOf": [object(&letters, &["a"]), object(&letters, &["c", "d"])]}),
        json!({"type": "object", "patternProperties": {"^x{1,3}$": {"const": 5}}, "additionalProperties": false, "minProperties": 2}),
        json!({"type": "array", "items": one, "minItems": 2, "maxItems": 2}),
    ] {
        check_shortest_in(&COMPILER, &schema);
    }
    // Of each other branch some member is missing, and not as kinds of objects of their own.
    let limits = Limits { alternatives: 8, ..Limits::default() };
    let compiler = Compiler::with_limits(COMPILER.vocabulary().clone(), limits);
    let branch = |names: &[(&str, u64)], required: &[&str]| {
        let names: Map<String, Value> =
            names.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        let members: Map<String, Value> =
            names.into_iter().map(|(name, value)| (name, json!({"const": value}))).collect();
        json!({"properties": members, "required": required})
    };
    let branches = [
        branch(&[("a", 1), ("d", 4)], &["a"]),
        branch(&[("bb", 22), ("c", 333), ("d", 4)], &["bb", "c", "d"]),
        branch(&[("a", 1), ("e", 7)], &["c", "d", "e"]),
    ];
    let letters = object(&[("a", 1), ("bb", 22), ("c", 333), ("d", 4), ("e", 7)], &[]);
    check_shortest_in(&compiler, &json!({"allOf": [letters, {"oneOf": branches}]}));
}

fn check_shortest_in(compiler: &Compiler, schema: &Value) {
    for property_order in [PropertyOrder::Any, PropertyOrder::Declared] {
        let options = Options { property_order, whitespace: Layout::Compact, ..Options::default() };
        let grammar = compiler.compile_schema(schema, &options).expect("compiles");
        check_shortest(&grammar.matcher(), schema);
    }
}

/// Each place of a finite language.
fn check_shortest(matcher: &Matcher, schema: &Value) {
    let automaton = matcher.automaton();
    let (places, befores) = places(matcher);
    assert!(places.len() > 20, "{schema}");
    let ends = (0..places.len()).filter(|at| automaton.accepts(&places[*at]));
    let mut queue: VecDeque<(usize, usize)> = ends.map(|at| (at, 0)).collect();
    let mut least = vec![None; places.len()];
    while let Some((at, len)) = queue.pop_front() {
        if least[at].is_none() {
            least[at] = Some(len);
            queue.extend(befores[at].iter().map(|before| (*before, len + 1)));
        }
    }
    for (place, least) in places.iter().zip(least) {
        let units = automaton.shortest_completion(place);
        assert!(automaton.completes(place, &units), "{units:?} in {schema}");
        assert_eq!(Some(units.len()), least, "{units:?} in {schema}");
    }
}

/// All places, and for each those from which a byte leads there.
fn places(matcher: &Matcher) -> (Vec<Residual>, Vec<Vec<usize>>) {
    let (mut places, mut befores) = (vec![matcher.residual().clone()], vec![Vec::new()]);
    #[expect(clippy::mutable_key_type, reason = "what is filled in later is neither hashed nor compared")]
    let mut numbers = HashMap::from([(places[0].clone(), 0)]);
    let mut at = 0;
    while let Some(place) = places.get(at).cloned() {
        for byte in b' '..=b'~' {
            let Some(next) = matcher.automaton().step(&place, Unit::Byte(byte)) else { continue };
            let number = *numbers.entry(next.clone()).or_insert(places.len());
            if number == places.len() {
                places.push(next);
                befores.push(Vec::new());
            }
            befores[number].push(at);
        }
        at += 1;
    }
    (places, befores)
}

/// Law 2, where a member or an element may be of the very kind that it is in: the way straight ahead would
/// open them without end.
#[test]
fn values_that_may_hold_their_own_kind_are_completed() {
    let check = |schema: Value, longest: usize| {
        let options = Options { property_order: PropertyOrder::Any, ..Options::default() };
        let matcher = COMPILER.compile_schema(&schema, &options).expect("a grammar").matcher();
        let text = matcher.vocabulary().decode(&matcher.shortest_completion());
        assert!(text.len() <= longest, "{schema}: {text}");
    };
    let own = json!({ "$ref": "#" });
    check(json!({ "type": "object", "minProperties": 3, "properties": { "b": own } }), 20);
    check(json!({ "type": "object", "minProperties": 5, "properties": { "b": own, "cd": own } }), 36);
    check(
        json!({ "type": "object", "minProperties": 2, "properties": { "b": own }, "patternProperties": { "^x": own }, "additionalProperties": { "type": "null" } }),
        20,
    );
    check(
        json!({ "type": "object", "minProperties": 2, "properties": { "a": own, "b": own, "long": true, "longer": true }, "additionalProperties": false }),
        24,
    );
    check(
        json!({ "type": ["object", "null"], "minProperties": 3, "additionalProperties": { "type": "object", "minProperties": 1, "properties": { "b": own } } }),
        4,
    );
    let unique = |items: Value, least: usize| json!({ "type": "array", "uniqueItems": true, "minItems": least, "items": items });
    check(unique(json!({ "type": ["array", "object"] }), 60), 800);
    check(
        unique(json!({ "anyOf": [{ "type": "string" }, { "type": "array", "prefixItems": [own] }] }), 3),
        40,
    );
    check(unique(json!({ "anyOf": [{ "const": 7 }, { "type": "array", "prefixItems": [own] }] }), 2), 20);
    // Each element is much longer than the empty one, and within it elements must differ, too.
    let pairs = |kinds: Value| unique(json!({ "type": kinds, "prefixItems": [true, own] }), 4);
    let lists = |items: Value| unique(json!({ "type": "array", "items": items }), 4);
    check(lists(pairs(json!(["array", "string"]))), 110);
    check(lists(pairs(json!("array"))), 150);
    check(
        unique(json!({ "type": "object", "additionalProperties": pairs(json!(["array", "string"])) }), 4),
        140,
    );
    let repeating = |items: Value| json!({ "type": "array", "items": items, "not": { "uniqueItems": true } });
    check(json!({ "anyOf": [repeating(own.clone()), { "const": "long" }] }), 6);
    check(repeating(json!({ "anyOf": [own, { "type": "string" }] })), 7);
    check(repeating(json!({ "type": ["array", "object"], "minItems": 1, "minProperties": 1 })), 40);
    // Elements that are nested too deep to be compared as values are repeated, too.
    let nested = |inner: Value| json!({ "type": "array", "items": inner, "minItems": 1, "maxItems": 1 });
    let links = (0..140)
        .map(|depth| (depth.to_string(), nested(json!({ "$ref": format!("#/$defs/{}", depth + 1) }))));
    let mut deep = repeating(json!({ "$ref": "#/$defs/0" }));
    deep["$defs"] = links.collect();
    deep["$defs"]["140"] = json!({ "const": 0 });
    check(deep, 600);
}

/// Law 5: rollback is the inverse of accept, forks do not see each other, errors change nothing.
#[test]
fn rollback_fork_and_errors_leave_no_trace() {
    for (name, seed) in EXAMPLES.iter().zip(20..) {
        let grammar = example(name);
        let mut random = Random::new(seed);
        let complete = walk(&grammar, HABITS[0], 40, &mut random, |_, _| {});
        let masks = replay(&complete);
        for _ in 0..20 {
            let mut matcher = complete.fork();
            let back = random.below(complete.tokens().len() + 1);
            matcher.rollback(back).expect("that many were accepted");
            let at = complete.tokens().len() - back;
            assert_eq!(mask(&matcher), masks[at], "{name}: rollback by {back}");
            let mut fork = matcher.fork();
            for token in &complete.tokens()[at..] {
                fork.accept(*token).expect("accepted before");
            }
            assert_eq!(fork.residual(), complete.residual());
            assert_eq!(mask(&matcher), masks[at], "{name}: the fork moved, this did not");
            refuse_everything_else(&mut matcher, &masks[at], &mut random);
            assert_eq!(mask(&matcher), masks[at], "{name}: errors change nothing");
            assert!(matcher.rollback(at + 1).is_err());
            assert_eq!(matcher.tokens(), &complete.tokens()[..at]);
        }
    }
}

fn replay(matcher: &Matcher) -> Vec<TokenMask> {
    let mut again = matcher.fork();
    again.reset();
    let mut masks = vec![mask(&again)];
    for token in matcher.tokens() {
        again.accept(*token).expect("accepted before");
        masks.push(mask(&again));
    }
    masks
}

fn mask(matcher: &Matcher) -> TokenMask {
    let mut mask = TokenMask::new(WIDTH);
    matcher.fill_mask(&mut mask);
    mask
}

fn refuse_everything_else(matcher: &mut Matcher, allowed: &TokenMask, random: &mut Random) {
    for token in [199_998, 199_999, 200_018, 201_087, 201_088, TokenId::MAX] {
        assert!(matcher.accept(token).is_err(), "{token} is never allowed");
    }
    for _ in 0..50 {
        let token = TokenId::try_from(random.below(WIDTH)).expect("fits");
        if !allowed.contains(token) {
            assert!(matcher.accept(token).is_err(), "the mask forbids {token}");
        }
    }
}

/// Law 7: the same input gives the same masks, whatever was asked before, on whatever thread.
#[test]
fn results_do_not_depend_on_history_or_threads() {
    let grammar = example("tools_and_format");
    let complete = walk(&grammar, HABITS[2], 60, &mut Random::new(30), |_, _| {});
    let masks = replay(&complete);
    let check = |grammar: harmony_mask::Grammar| {
        let mut matcher = grammar.matcher();
        for (token, expected) in complete.tokens().iter().zip(&masks) {
            assert_eq!(&mask(&matcher), expected);
            matcher.accept(*token).expect("accepted before");
        }
    };
    std::thread::scope(|scope| {
        (0..4).for_each(|_| drop(scope.spawn(|| check(grammar.clone()))));
        scope.spawn(|| check(example("tools_and_format")));
    });
}

/// Masks of any width hold the same bits; ids past the width are left out.
#[test]
fn the_caller_chooses_the_width() {
    let matcher = COMPILER.compile(&"{}".parse().expect("a request")).expect("compiles").matcher();
    let wide = mask(&matcher);
    for width in [0, 1, 31, 33, 200_005, 200_006, 200_013, 300_000] {
        let mut narrow = TokenMask::new(width);
        matcher.fill_mask(&mut narrow);
        let expected: Vec<TokenId> = wide.iter().filter(|token| (*token as usize) < width).collect();
        assert_eq!(narrow.iter().collect::<Vec<_>>(), expected, "width {width}");
    }
}
