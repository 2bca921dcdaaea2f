//! Arrays of different elements that also count: nothing leads where no element is left.
//!
//! The elements are few, so that any may be used up; each array of them is read to where the grammar allows it, and ended from there.

use std::cell::Cell;

use harmony_mask::{Matcher, Options};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::harness::COMPILER;
use crate::schemas::{accepts, check, grammar, oracle, read, run};

pub(crate) const ELEMENTS: [&str; 5] = ["null", "1", "2", r#""a""#, r#""b""#];

pub(crate) fn some() -> impl Strategy<Value = Value> {
    let elements = ELEMENTS.map(|element| serde_json::from_str::<Value>(element).expect("JSON")).to_vec();
    prop::sample::subsequence(elements, 1..=5).prop_map(|elements| json!({ "enum": elements }))
}

pub(crate) fn contains() -> impl Strategy<Value = Value> {
    let most = prop::option::of(0_u32..4);
    (some(), 0_u32..3, most).prop_map(|(element, least, most)| {
        let mut contains = json!({"contains": element, "minContains": least});
        most.into_iter().for_each(|most| contains["maxContains"] = most.into());
        contains
    })
}

/// Items, behind some of a prefix.
pub(crate) fn items() -> impl Strategy<Value = Value> {
    let rest = prop_oneof![3 => some(), 1 => Just(json!(false)), 1 => Just(json!(true))];
    (prop::collection::vec(some(), 0..3), rest).prop_map(|(prefix, rest)| match prefix.is_empty() {
        true => json!({ "items": rest }),
        false => json!({ "prefixItems": prefix, "items": rest }),
    })
}

fn document() -> impl Strategy<Value = Value> {
    let all = (items(), prop::collection::vec(contains(), 0..3), prop::option::of(items()));
    (all, 0_u32..5, prop::option::of(0_u32..6), some()).prop_map(
        |((items, mut all, not), least, most, only)| {
            all.push(items);
            all.extend(not.map(|not| json!({ "not": not })));
            all.extend(most.map(|most| json!({ "maxItems": most })));
            json!({"type": "array", "uniqueItems": true, "minItems": least, "items": only, "allOf": all})
        },
    )
}

/// Reads each element behind a text, and all that may follow: whatever is read can be completed, and to what the oracle allows.
fn walk(matcher: &Matcher, text: &str, allowed: &impl Fn(&Value) -> bool) -> Result<(), TestCaseError> {
    let Some(at) = read(matcher, text.as_bytes()) else { return Ok(()) };
    let units = matcher.automaton().shortest_completion(&at);
    prop_assert!(matcher.automaton().completes(&at, &units), "{} has no completion", text);
    for end in ["", "]"].map(|end| format!("{text}{end}")) {
        let is_allowed = || serde_json::from_str(&end).is_ok_and(|value| allowed(&value));
        prop_assert!(!accepts(matcher, end.as_bytes()) || is_allowed(), "{}", end);
    }
    let before = if text == "[" { "" } else { "," };
    ELEMENTS.iter().try_for_each(|element| walk(matcher, &format!("{text}{before}{element}"), allowed))
}

/// Checks the grammars of random schemas, of which some may be refused but not most.
pub(crate) fn check_most(
    cases: u32,
    documents: impl Strategy<Value = Value>,
    check: impl Fn(&Matcher, &Value) -> Result<(), TestCaseError>,
) {
    let (compiled, refused) = (Cell::new(0_u32), Cell::new(0_u32));
    run(cases, &documents, |document| {
        let grammar = grammar(&document).inspect_err(|_| refused.set(refused.get() + 1))?;
        compiled.set(compiled.get() + 1);
        let verdict = grammar.map_or(Ok(()), |grammar| check(&grammar.matcher(), &document));
        verdict.map_err(|error| TestCaseError::fail(format!("{document}: {error}")))
    });
    assert!(refused.get() < compiled.get(), "{refused:?} refused, {compiled:?} compiled");
}

#[test]
fn no_element_leads_to_where_none_is_left() {
    check_most(3_000, document(), |matcher, document| walk(matcher, "[", &oracle(document)));
}

/// An element that must come may be used up where it does not count: then nothing is compiled that could not be ended.
#[test]
fn elements_that_count_are_not_used_up() {
    let array = |of: Value| {
        let negated = json!({"prefixItems": [true], "items": {"enum": [100]}});
        json!({"type": "array", "uniqueItems": true, "items": of, "not": negated})
    };
    let refused = COMPILER.compile_schema(&array(json!({"type": "null"})), &Options::default());
    assert!(refused.expect_err("one null is not two").to_string().contains("uniqueItems"));
    check(array(json!({"type": "boolean"})), &["[true,false]", "[false,true]"], &["[]", "[true]"]);
    check(array(json!({"type": "string"})), &[r#"["a","b"]"#], &["[]", r#"["a"]"#, r#"["a","a"]"#]);
}

/// Elements of a tuple use each other up only where they can be equal.
#[test]
fn elements_of_other_values_are_not_used_up() {
    let tuple = |items: Value, least: u32| {
        let (rest, all) = (json!(false), true);
        json!({"type": "array", "prefixItems": items, "items": rest, "uniqueItems": all, "minItems": least})
    };
    check(
        tuple(json!([{"const": "a"}, {"const": "b"}]), 2),
        &[r#"["a","b"]"#],
        &["[]", r#"["a"]"#, r#"["b","a"]"#],
    );
    check(
        tuple(json!([{"type": "string"}, {"type": "null"}, {"enum": [1, "x", 2.0]}, {"enum": [null, 2]}]), 3),
        &[r#"["x",null,1]"#, r#"["",null,2]"#, r#"["",null,1,2]"#],
        &[r#"["x",null,"x"]"#, r#"["",null,2.0,2]"#, r#"["",null]"#],
    );
    let taken =
        COMPILER.compile_schema(&tuple(json!([{"type": "string"}, {"const": "b"}]), 2), &Options::default());
    assert!(taken.expect_err("the first may be `b`").to_string().contains("uniqueItems"));
}
