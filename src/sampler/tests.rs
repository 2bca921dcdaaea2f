//! Walks end, say everything, and are repeated by their seed.

use serde_json::{Value, json};

use super::{Coverage, Habit, Sampler, minimise};
use crate::compiler::{Compiler, Grammar};
use crate::harmony::Options;
use crate::vocabulary::Vocabulary;

fn grammar(schema: &Value) -> Grammar {
    let compiler = Compiler::new(Vocabulary::o200k_harmony());
    compiler.compile_schema(schema, &Options::default()).expect("compiles")
}

fn shape() -> Value {
    json!({
        "type": "object",
        "properties": {
            "kind": {"enum": ["circle", "square"]},
            "text": {"type": "string", "maxLength": 5},
            "sizes": {"type": "array", "items": {"type": ["integer", "null"]}, "maxItems": 3}
        },
        "required": ["kind"],
        "additionalProperties": false
    })
}

#[test]
fn every_habit_ends() {
    for habit in Habit::ALL {
        let sampler = Sampler::new(&grammar(&shape()), 5).with_habits(&[habit]).with_max_steps(30);
        assert!(sampler.take(20).all(|matcher| matcher.is_accepting()), "{habit:?}");
    }
}

#[test]
fn all_branches_are_taken() {
    let mut sampler = Sampler::new(&grammar(&shape()), 1);
    sampler.by_ref().take(150).for_each(drop);
    let missing: Vec<_> = sampler.coverage().missing().collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(sampler.coverage().offered() > 8, "{:?}", sampler.coverage());
    assert_eq!(sampler.coverage().taken(), sampler.coverage().offered());
}

/// What a prompt says already was chosen by whoever wrote it, so only what is said after it counts.
#[test]
fn after_a_prompt_coverage_begins_where_the_matcher_does() {
    let format = json!({"type": "json_schema", "name": "weather", "schema": {"enum": ["rain", "snow"]}});
    let request = json!({"text": {"format": format}}).to_string().parse().expect("a request");
    let grammar = Compiler::new(Vocabulary::o200k_harmony()).compile(&request).expect("compiles");
    let thought = "<|start|>assistant<|channel|>analysis<|message|>Hm";
    for (said, offered) in [
        ("", true),
        // Another message may follow, which says its channel.
        (thought, true),
        (&format!("{thought}<|end|><|start|>assistant<|channel|>fin"), false),
        (&format!("{thought}<|end|><|start|>assistant<|channel|>final<|message|>\"ra"), false),
    ] {
        let mut matcher = grammar.matcher_after_text(said).expect("the beginning of an answer");
        for token in matcher.shortest_completion() {
            matcher.accept(token).expect("the shortest completion is accepted");
        }
        let mut coverage = Coverage::default();
        coverage.add(&matcher);
        let missing: Vec<_> = coverage.missing().map(|branch| &*branch.text).collect();
        assert_eq!(missing.contains(&"`analysis`"), offered, "{said}: {missing:?}");
        assert!(coverage.taken() > 0, "{said}: the answer's end, at least");
    }
}

#[test]
fn the_seed_decides() {
    let texts = |seed| -> Vec<Vec<u32>> {
        Sampler::new(&grammar(&shape()), seed).take(10).map(|matcher| matcher.tokens().to_vec()).collect()
    };
    assert_eq!(texts(3), texts(3));
    assert_ne!(texts(3), texts(4));
}

#[test]
fn failures_become_small() {
    let text = |tokens: &[u32]| Vocabulary::o200k_harmony().decode(tokens);
    let is_bad = |tokens: &[u32]| text(tokens).contains("null");
    let failing =
        Sampler::new(&grammar(&shape()), 2).find(|matcher| is_bad(matcher.tokens())).expect("one of them");
    let small = minimise(&failing, |matcher| is_bad(matcher.tokens()));
    assert!(small.is_accepting());
    assert!(is_bad(small.tokens()) && small.tokens().len() <= failing.tokens().len());
    // An empty `text` may stay: no run of tokens takes it out alone.
    let text = text(small.tokens()).replace([' ', '\n'], "").replace(r#""text":"","#, "");
    assert_eq!(text, r#"{"kind":"circle","sizes":[null]}"#);
}
