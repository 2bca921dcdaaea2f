//! Deadlines where what may follow depends on what was said: elements that must differ, names that are free.

use harmony_mask::{Grammar, Matcher, Options, TokenId, TokenMask};
use serde_json::{Value, json};

use crate::harness::{COMPILER, HABITS, Habit, Random, WIDTH, choose};

/// Schemas whose texts are captured while they are read, so that the length of the rest depends on them.
fn schemas() -> Vec<Value> {
    let unique = |items: Value, least: usize| json!({"type": "array", "items": items, "uniqueItems": true, "minItems": least});
    let long = "x".repeat(60);
    let person = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "is_new": {"type": "boolean"}},
        "required": ["name", "is_new"], "additionalProperties": false
    });
    vec![
        unique(json!({"type": "string"}), 0),
        unique(json!({"type": "string"}), 3),
        unique(json!({"type": "string", "maxLength": 1}), 4),
        unique(json!({"type": "integer", "minimum": 0, "maximum": 40}), 14),
        unique(json!({"enum": ["a", "b", long, 1]}), 4),
        unique(json!({"type": "boolean"}), 2),
        unique(person, 3),
        unique(json!({"type": "array", "items": {"enum": [0, 1, "two"]}, "maxItems": 2}), 3),
        // What the first says may leave only the long one for the second.
        json!({"type": "array", "prefixItems": [{"type": "string"}, {"enum": ["a", long]}], "minItems": 2, "items": false, "uniqueItems": true}),
        json!({"type": "object", "minProperties": 3, "additionalProperties": {"type": "integer"}}),
        unique(json!({"type": "object", "minProperties": 2, "additionalProperties": {"type": "boolean"}}), 2),
    ]
}

fn mask(matcher: &Matcher) -> TokenMask {
    let mut mask = TokenMask::new(WIDTH);
    matcher.fill_mask(&mut mask);
    mask
}

/// Every completion ends in time, whenever the deadline is set and however tight it is; masks and `accept` agree.
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

fn check(grammar: &Grammar, habit: Habit, random: &mut Random, schema: &Value) {
    let mut matcher = grammar.matcher();
    for _ in 0..random.below(12) {
        let allowed = mask(&matcher);
        if allowed.count() == 0 || (matcher.is_accepting() && random.below(2) == 0) {
            break;
        }
        matcher.accept(choose(&matcher, &allowed, habit, random)).expect("the mask allows it");
    }
    let spare = [0, random.below(4), random.below(40)][random.below(3)];
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
    assert!(jsonschema::is_valid(schema, &value), "{text}");
}
