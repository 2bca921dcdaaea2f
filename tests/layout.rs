//! Pretty whitespace: a text is accepted exactly where a pretty printer would write it.

use harmony_mask::{Error, Grammar, Layout, Options, PropertyOrder};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::harness::schemas::{document, value};
use crate::harness::{COMPILER, Random};
use crate::schemas::{accepts, oracle, random_text, run};

fn pretty(document: &Value) -> Result<Grammar, TestCaseError> {
    let options =
        Options { whitespace: Layout::Pretty, property_order: PropertyOrder::Any, ..Options::default() };
    let compiled = COMPILER.compile_schema(document, &options);
    compiled.map_err(|error: Error| TestCaseError::reject(error.to_string()))
}

/// A compact text with a line for each element and member, as printers write it.
fn on_lines(compact: &str) -> String {
    let (mut out, mut level) = (String::new(), 0);
    let (mut is_text, mut is_escaped, mut before) = (false, false, ' ');
    let line = |level: usize| format!("\n{}", "  ".repeat(level));
    for character in compact.chars() {
        let opened = "[{".contains(before);
        match character {
            _ if is_text => {}
            ']' | '}' => {
                level -= 1;
                out.extend((!opened).then(|| line(level)));
            }
            _ => out.extend(match before {
                '[' | '{' | ',' => Some(line(level)),
                ':' => Some(" ".to_owned()),
                _ => None,
            }),
        }
        level += usize::from(!is_text && "[{".contains(character));
        out.push(character);
        (is_text, is_escaped) = match character {
            '"' if !is_escaped => (!is_text, false),
            '\\' => (is_text, is_text && !is_escaped),
            _ => (is_text, false),
        };
        before = if is_text { ' ' } else { character };
    }
    out
}

/// The text without whitespace outside of strings.
fn compact(text: &str) -> String {
    let (mut is_text, mut is_escaped) = (false, false);
    let keep = |character: &char| {
        let kept = is_text || !character.is_whitespace();
        (is_text, is_escaped) = match character {
            '"' if !is_escaped => (!is_text, false),
            '\\' => (is_text, is_text && !is_escaped),
            _ => (is_text, false),
        };
        kept
    };
    text.chars().filter(keep).collect()
}

#[test]
fn pretty_texts_are_those_of_a_pretty_printer() {
    run(500, &(document(), prop::collection::vec(value(), 12)), |(document, values)| {
        let grammar = pretty(&document)?;
        let allowed = oracle(&document);
        for value in values.iter().filter(|value| allowed(value)) {
            let text = serde_json::to_string_pretty(value).expect("a value");
            prop_assert!(accepts(&grammar.matcher(), text.as_bytes()), "{} {}", document, text);
            let compact = value.to_string();
            let is_flat = compact == text;
            prop_assert_eq!(accepts(&grammar.matcher(), compact.as_bytes()), is_flat, "{}", compact);
        }
        Ok(())
    });
}

#[test]
fn random_texts_are_pretty() {
    run(500, &(document(), any::<u64>()), |(document, seed)| {
        let grammar = pretty(&document)?;
        let text = random_text(&grammar.matcher(), 60, &mut Random::new(seed));
        let text = String::from_utf8(text).expect("UTF-8");
        prop_assert_eq!(on_lines(&compact(&text)), text.as_str(), "{}", document);
        Ok(())
    });
}

/// Lengths leave out the white space of lines: what an array must contain is not put off for elements without
/// lines of their own.
#[test]
fn pretty_arrays_contain_what_they_must() {
    let a = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "object", "required": ["b"]}}});
    let pair = json!({"type": "array", "contains": {"type": "array", "minItems": 1}, "minContains": 2});
    for (contained, expected) in [
        (json!({"type": "object", "required": ["a"]}), "[\n  {\n    \"a\": 0\n  }\n]"),
        (a, "[\n  {\n    \"a\": {\n      \"b\": 0\n    }\n  }\n]"),
        (json!({"type": "object", "minProperties": 1}), "[\n  {\n    \"\": 0\n  }\n]"),
        (json!({"type": "array", "minItems": 2}), "[\n  [\n    0,\n    0\n  ]\n]"),
        (pair, "[\n  [\n    [\n      0\n    ],\n    [\n      0\n    ]\n  ]\n]"),
    ] {
        let schema = json!({"type": "array", "contains": contained});
        let grammar = pretty(&schema).expect("compiles");
        let text = random_text(&grammar.matcher(), 0, &mut Random::new(1));
        assert_eq!(String::from_utf8_lossy(&text), expected, "{schema}");
    }
}
