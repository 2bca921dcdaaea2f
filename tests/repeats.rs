//! Arrays with two equal elements: what negates `uniqueItems`.
//!
//! The elements are few, so that whatever is repeated comes again soon; each array of them is read, and all
//! that may be read is ended from there.

use harmony_mask::Matcher;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::distinct::{ELEMENTS, check_most, contains, items, some};
use crate::schemas::{accepts, check, oracle, read};

/// Arrays in which something is repeated, or which fail otherwise.
fn document() -> impl Strategy<Value = Value> {
    let all = (items(), prop::collection::vec(contains(), 0..2), prop::option::of(items()));
    (all, 0_u32..4, prop::option::of(2_u32..6), some()).prop_map(
        |((items, mut all, not), least, most, only)| {
            let mut negated = not.unwrap_or(json!({}));
            negated["uniqueItems"] = true.into();
            negated["minItems"] = least.into();
            all.push(items);
            all.extend(most.map(|most| json!({ "maxItems": most })));
            json!({"type": "array", "items": only, "allOf": all, "not": negated})
        },
    )
}

/// Reads each element behind a text, and all that may follow: it is read where it can be completed to what
/// the oracle allows, and is that where it ends.
fn walk(
    matcher: &Matcher,
    elements: &[&str],
    allowed: &impl Fn(&Value) -> bool,
) -> Result<bool, TestCaseError> {
    let text = format!("[{}", elements.join(","));
    let whole = format!("{text}]");
    let is_array = allowed(&serde_json::from_str(&whole).expect("an array"));
    prop_assert_eq!(accepts(matcher, whole.as_bytes()), is_array, "{}", whole);
    let at = read(matcher, text.as_bytes());
    if let Some(at) = &at {
        let units = matcher.automaton().shortest_completion(at);
        prop_assert!(matcher.automaton().completes(at, &units), "{} has no completion", text);
    }
    let mut leads_on = is_array;
    for element in ELEMENTS.iter().filter(|_| elements.len() < 4) {
        leads_on |= walk(matcher, &[elements, &[element]].concat(), allowed)?;
    }
    prop_assert!(at.is_some() || !leads_on, "{} is not read", text);
    Ok(leads_on)
}

#[test]
fn two_elements_are_equal() {
    check_most(1_000, document(), |matcher, document| walk(matcher, &[], &oracle(document)).map(drop));
}

#[test]
fn values_are_equal_however_they_are_written() {
    let repeating = json!({"type": "array", "not": {"uniqueItems": true}});
    let (equal, different) = (
        [
            "[0,0]",
            "[0, 0.0]",
            "[0,-0]",
            "[1,1e0]",
            "[9007199254740993,9007199254740993.0]",
            r#"["a",1,"\u0061"]"#,
            r#"[{"a":1,"b":2},{"b":2,"a":1.0}]"#,
            "[[],[[]],null,[[]]]",
        ],
        ["[]", "[0]", "[0,1]", r#"["0",0]"#, "[[],[[]]]", "[false,0,null]", "[0.1,0.10000000000000000001]"],
    );
    check(repeating.clone(), &equal, &different);
    let allowed = oracle(&repeating);
    let agrees = |text: &&str| allowed(&serde_json::from_str(text).expect("JSON"));
    assert!(equal.iter().all(agrees) && !different.iter().any(agrees));
}
