//! Arrays of different elements that also count: nothing leads where no element is left.
//!
//! The elements are few, so that any may be used up; each array of them is read to where the grammar allows
//! it, and ended from there.

use std::cell::Cell;

use harmony_mask::schema::SchemaErrorKind;
use harmony_mask::{Error, Matcher, Options};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::harness::{COMPILER, HABITS, Random, brute_force, walk as walk_tokens};
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

/// What is promised of the arrays that the oracle allows.
#[derive(Clone, Copy)]
enum Promise {
    /// No others are accepted.
    Sound,
    /// All of them are, and no others.
    Complete,
}

/// Reads each element behind a text, and all that may follow: whatever is read can be completed, and to what
/// the oracle allows.
fn walk(
    matcher: &Matcher,
    text: &str,
    (elements, promise): (&[&str], Promise),
    allowed: &impl Fn(&Value) -> bool,
) -> Result<(), TestCaseError> {
    let Some(at) = read(matcher, text.as_bytes()) else { return Ok(()) };
    let units = matcher.automaton().shortest_completion(&at);
    prop_assert!(matcher.automaton().completes(&at, &units), "{} has no completion", text);
    for end in ["", "]"].map(|end| format!("{text}{end}")) {
        let is_allowed = || serde_json::from_str(&end).is_ok_and(|value| allowed(&value));
        let accepted = accepts(matcher, end.as_bytes());
        prop_assert!(!accepted || is_allowed(), "{} is accepted", end);
        let is_missing = matches!(promise, Promise::Complete) && !accepted && is_allowed();
        prop_assert!(!is_missing, "{} is not accepted", end);
    }
    let before = if text == "[" { "" } else { "," };
    let next = |element: &&str| {
        let text = format!("{text}{before}{element}");
        let leads_nowhere = matches!(promise, Promise::Complete) && read(matcher, text.as_bytes()).is_none();
        if leads_nowhere {
            let found = completion(&text, elements, allowed);
            prop_assert!(found.is_none(), "{:?} is not accepted", found);
        }
        walk(matcher, &text, (elements, promise), allowed)
    };
    elements.iter().try_for_each(next)
}

/// An array that is allowed and begins so.
fn completion(text: &str, elements: &[&str], allowed: &impl Fn(&Value) -> bool) -> Option<String> {
    let closed = format!("{text}]");
    let array: Value = serde_json::from_str(&closed).expect("JSON");
    if allowed(&array) {
        return Some(closed);
    }
    let array = array.as_array().expect("an array");
    // A longer one would repeat an element.
    let repeats = (1..array.len()).any(|at| array[..at].contains(&array[at]));
    let before = if text == "[" { "" } else { "," };
    let longer = |element: &&str| completion(&format!("{text}{before}{element}"), elements, allowed);
    if repeats { None } else { elements.iter().find_map(longer) }
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
    let promise = (&ELEMENTS[..], Promise::Sound);
    check_most(3_000, document(), |matcher, document| walk(matcher, "[", promise, &oracle(document)));
}

/// Elements with parts, and one without.
const NESTED: [&str; 6] = ["null", "[1]", "[2]", r#"{"a":1}"#, r#"{"a":2}"#, r#"{"b":1}"#];

/// Some of these, as an `enum`, an `anyOf` of alternatives that exclude each other, or one of which several
/// are an alternative.
fn some_nested() -> impl Strategy<Value = Value> {
    let elements = NESTED.map(|element| serde_json::from_str::<Value>(element).expect("JSON")).to_vec();
    let one = json!({"enum": [1, 2]});
    let closed = json!(false);
    let object = json!({"type": "object", "properties": {"a": one}, "required": ["a"], "additionalProperties": closed});
    let array = json!({"type": "array", "prefixItems": [one], "items": closed, "minItems": 1});
    let several = [object, array].map(|several| json!({"anyOf": [several, {"const": null}]}));
    let listed = prop::sample::subsequence(elements, 1..=5);
    prop_oneof![
        4 => listed.clone().prop_map(|elements| json!({ "enum": elements })),
        2 => listed.prop_map(|elements| {
            let constants: Vec<_> = elements.into_iter().map(|element| json!({"const": element})).collect();
            json!({ "anyOf": constants })
        }),
        1 => prop::sample::select(several.to_vec()),
    ]
}

fn nested_document() -> impl Strategy<Value = Value> {
    let rest = prop_oneof![3 => some_nested(), 1 => Just(json!(false))];
    let prefix = prop::collection::vec(some_nested(), 0..4);
    (prefix, rest, 0_u32..5, prop::option::of(0_u32..6)).prop_map(|(prefix, rest, least, most)| {
        let mut array = json!({"type": "array", "uniqueItems": true, "minItems": least, "items": rest});
        most.into_iter().for_each(|most| array["maxItems"] = most.into());
        if !prefix.is_empty() {
            array["prefixItems"] = prefix.into();
        }
        array
    })
}

/// Of few elements, whatever their types, exactly the valid arrays are accepted, and what has one is not
/// refused.
#[test]
fn arrays_of_few_arrays_and_objects_are_complete() {
    let (compiled, refused) = (Cell::new(0_u32), Cell::new(0_u32));
    run(500, &nested_document(), |document| {
        let (allowed, promise) = (oracle(&document), (&NESTED[..], Promise::Complete));
        let fail = |error: &dyn std::fmt::Display| TestCaseError::fail(format!("{document}: {error}"));
        let count = |count: &Cell<u32>| count.set(count.get() + 1);
        match COMPILER.compile_schema(&document, &Options::default()) {
            Ok(grammar) => {
                count(&compiled);
                walk(&grammar.matcher(), "[", promise, &allowed).map_err(|error| fail(&error))
            }
            Err(error) => {
                count(&refused);
                completion("[", &NESTED, &allowed)
                    .map_or(Ok(()), |valid| Err(fail(&format!("{error}, but {valid}"))))
            }
        }
    });
    assert!(compiled.get() > 250 && refused.get() > 25, "{compiled:?} compiled, {refused:?} refused");
}

/// What must follow is not used up, and what is needed for it is told in the mask.
#[test]
fn few_elements_are_kept_for_where_they_are_needed() {
    let unique = |mut schema: Value| {
        schema["uniqueItems"] = true.into();
        schema
    };
    let array = |schema: Value| {
        let mut schema = unique(schema);
        schema["type"] = "array".into();
        schema
    };
    let objects = json!([{"a": 1}, {"b": 2}]);
    check(
        array(json!({"items": {"enum": objects}})),
        &["[]", r#"[{"a":1},{"b":2}]"#, r#"[{"b":2},{"a":1}]"#],
        &[r#"[{"a":1},{"a":1}]"#, r#"[{"a":1},{"b":2},{"b":2}]"#],
    );
    check(
        array(json!({"items": {"enum": [{}, {"b": 2}]}})),
        &[r#"[{},{"b":2}]"#, r#"[{"b":2},{}]"#],
        &["[{},{}]"],
    );
    check(array(json!({"items": {"enum": [[1], [2]]}})), &["[[1],[2]]", "[[2],[1]]"], &["[[1],[1]]"]);
    let tagged = |tag: &str| json!({"type": "object", "properties": {"t": {"const": tag}}, "required": ["t"], "additionalProperties": false});
    check(
        array(json!({"items": {"oneOf": [tagged("a"), tagged("b")]}, "minItems": 2})),
        &[r#"[{"t":"a"},{"t":"b"}]"#, r#"[{"t":"b"},{"t":"a"}]"#],
        &[r#"[{"t":"a"}]"#, r#"[{"t":"a"},{"t":"a"}]"#],
    );
    check(
        unique(json!({"enum": [[{"a": 1}, {"b": 2}]]})),
        &[r#"[{"a":1},{"b":2}]"#],
        &["[]", r#"[{"a":1}]"#],
    );
    check(unique(json!({"enum": [null, [[1], [2], [3]]]})), &["null", "[[1],[2],[3]]"], &["[[1],[2]]"]);
    let pairs = array(json!({"items": {"enum": [[1, 2], [1, 3]]}, "minItems": 2}));
    check(pairs, &["[[1,2],[1,3]]", "[[1,3],[1,2]]"], &["[[1,2]]", "[[1,2],[1,2]]"]);
    let pairs = unique(json!({"enum": [[1, 2], [1, 3]]}));
    check(array(json!({"items": pairs, "minItems": 2})), &["[[1,2],[1,3]]", "[[1,3],[1,2]]"], &["[[1,3]]"]);
    let tuple =
        |prefix: Value, least: u32| array(json!({"prefixItems": prefix, "items": false, "minItems": least}));
    check(tuple(json!([{"enum": [1, 2]}, {"const": 1}]), 2), &["[2,1]"], &["[1,1]", "[1,2]", "[2]"]);
    let three = json!([{"enum": [[1], [2], [3]]}, {"enum": [[1], [2]]}, {"enum": [[2], [3]]}]);
    check(
        tuple(three, 3),
        &["[[1],[2],[3]]", "[[3],[1],[2]]", "[[2],[1],[3]]"],
        &["[[1],[2],[2]]", "[[3],[2],[3]]", "[[1],[2]]"],
    );
    let integer = json!({"type": "integer", "minimum": 1, "maximum": 3});
    check(
        tuple(json!([integer, {"enum": [3, 2.0]}, {"const": 3}]), 3),
        &["[1,2,3]"],
        &["[2,2,3]", "[2,3,3]"],
    );
}

/// Masks are the brute force where an element may be needed later.
#[test]
fn masks_leave_what_is_needed() {
    let three = json!([{"enum": ["ab", "abc", "b"]}, {"enum": ["ab", "abc"]}, {"enum": ["abc", "b"]}]);
    for prefix in [three, json!([{"type": "string"}, {"enum": ["a", {"a": 1}]}, {"const": "a"}])] {
        let mut array = json!({"type": "array", "uniqueItems": true, "minItems": 3, "items": false});
        array["prefixItems"] = prefix;
        let grammar = COMPILER.compile_schema(&array, &Options::default()).expect("a schema");
        let mut random = Random::new(3);
        for habit in &HABITS[..2] {
            walk_tokens(&grammar, *habit, 8, &mut random, |matcher, mask| {
                let expected = if matcher.is_finished() { mask.clone() } else { brute_force(matcher) };
                assert!(mask.iter().eq(expected.iter()), "{array} after {:?}", matcher.tokens());
            });
        }
    }
}

/// Where not enough values are known, arrays are refused by name.
#[test]
fn too_few_values_are_refused() {
    let overlapping = json!({"anyOf": [
        {"type": "object", "properties": {"a": {"enum": [1, 2]}}, "required": ["a"], "additionalProperties": false},
        {"type": "object", "properties": {"a": {"enum": [2, 3]}}, "required": ["a"], "additionalProperties": false},
    ]});
    let arrays = json!({"type": "array", "items": overlapping, "minItems": 3, "uniqueItems": true});
    check_refused(&arrays, SchemaErrorKind::TooFewDistinct);
    check_refused(&json!({"anyOf": [arrays, {"enum": [["a", "a"], null]}]}), SchemaErrorKind::TooFewDistinct);
}

fn check_refused(schema: &Value, kind: SchemaErrorKind) {
    match COMPILER.compile_schema(schema, &Options::default()) {
        Err(Error::Schema { source, .. }) => {
            assert_eq!(source.kind(), kind, "{schema}: {source}");
            assert_eq!(source.keyword(), Some("uniqueItems"), "{schema}");
        }
        other => panic!("{schema}: {other:?}"),
    }
}

/// An element of which there is one value is none where that came before.
#[test]
fn elements_that_could_only_repeat_one_before_are_left_out() {
    let unique = |mut schema: Value| {
        schema["uniqueItems"] = true.into();
        schema
    };
    check(unique(json!({"enum": [["a", "a"], ["b"]]})), &[r#"["b"]"#], &[r#"["a","a"]"#, r#"["a"]"#]);
    let optional = json!({"properties": {"p": unique(json!({"const": [[1], [1.0]]})), "q": {}}});
    check(optional, &["{}", r#"{"q":1}"#], &[r#"{"p":[[1]]}"#, r#"{"p":[[1],[1]]}"#]);
    let same = json!({"prefixItems": [{"const": "a"}, {"enum": ["a"]}], "minItems": 2});
    check(unique(same), &["1", r#""a""#], &["[]", r#"["a"]"#, r#"["a","a"]"#, r#"["a","b"]"#]);
    let fewer =
        json!({"type": "array", "prefixItems": [{"const": {"b": [0]}}, true, {"const": {"b": [0.0]}}]});
    check(unique(fewer), &["[]", r#"[{"b":[0]},1]"#], &[r#"[{"b":[0]},1,{"b":[0]}]"#, "[1]"]);
    let rest = json!({"type": "array", "prefixItems": [{"const": null}], "items": {"const": null}});
    check(unique(rest), &["[]", "[null]"], &["[null,null]"]);
    let counted = unique(json!({"type": "array", "contains": {"const": {"b": 1}}, "minContains": 2}));
    check(json!({"items": counted}), &["[]"], &["[[]]", r#"[[{"b":1},{"b":1}]]"#]);
    let same = json!({"type": "array", "minItems": 2, "items": {"const": {"a": 1}}});
    for schema in [unique(json!({"const": ["a", "a"]})), unique(same.clone()), unique(counted)] {
        check_refused(&schema, SchemaErrorKind::Unsatisfiable);
    }
    check(unique(json!({"anyOf": [same, {"type": "null"}]})), &["null"], &[r#"[{"a":1},{"a":1}]"#]);
}

/// Lists of arrays are filtered by whether elements differ, or do not.
#[test]
fn listed_arrays_are_known_whole() {
    let element = || prop::sample::select([&ELEMENTS[..], &NESTED[..]].concat());
    let array =
        prop::collection::vec(element(), 0..4).prop_map(|elements| format!("[{}]", elements.join(",")));
    let document = (prop::collection::vec(array, 1..5), any::<bool>());
    run(300, &document, |(arrays, are_unique)| {
        let listed: Vec<Value> =
            arrays.iter().map(|array| serde_json::from_str(array).expect("JSON")).collect();
        let unique = json!({"uniqueItems": true});
        let condition = if are_unique { unique } else { json!({ "not": unique }) };
        let document = json!({"allOf": [condition, {"enum": listed}]});
        let allowed = oracle(&document);
        let grammar = match COMPILER.compile_schema(&document, &Options::default()) {
            Ok(grammar) => grammar,
            Err(error) => {
                prop_assert!(!listed.iter().any(allowed), "{}: {}", document, error);
                return Ok(());
            }
        };
        for (array, value) in arrays.iter().zip(&listed) {
            let is_accepted = accepts(&grammar.matcher(), array.as_bytes());
            prop_assert_eq!(is_accepted, allowed(value), "{} of {}", array, document);
        }
        Ok(())
    });
}

/// Where it is plain that no array has enough elements, what is no array is left.
#[test]
fn arrays_of_too_few_elements_are_left_out() {
    let unique = |items: Value, min: u32| json!({"items": items, "minItems": min, "uniqueItems": true});
    check(unique(json!({"type": "boolean"}), 3), &["1", "{}", r#""a""#], &["[]", "[true,false]"]);
    check(unique(json!({"type": "boolean"}), 2), &["1", "[true,false]"], &["[]", "[true]", "[true,true]"]);
    check(unique(json!({"enum": [1, 1.0, "a"]}), 3), &["null"], &[r#"[1,"a"]"#]);
    let bytes = json!({"type": "integer", "minimum": 0, "exclusiveMaximum": 2});
    check(unique(bytes.clone(), 3), &["null"], &["[0,1]"]);
    check(unique(bytes.clone(), 2), &["[0,1]", "[1,0]"], &["[0,2]"]);
    let mixed = json!({"anyOf": [bytes, {"type": "boolean"}, {"enum": ["a", "b"]}]});
    check(unique(mixed.clone(), 7), &["null"], &[r#"[0,1,true,false,"a","b"]"#]);
    check(unique(mixed.clone(), 6), &[r#"[0,1,true,false,"a","b"]"#], &[r#"[0,1,true,false,"a"]"#]);
    let tuple = |min: u32| json!({"prefixItems": [{}, true], "items": {"enum": [1, 2]}, "minItems": min, "uniqueItems": true});
    check(tuple(5), &["null"], &["[3,4,1,2]"]);
    check(json!({"anyOf": [unique(mixed, 7), {"const": [0]}], "type": "array"}), &["[0]"], &["[]"]);
    check(json!({"properties": {"a": unique(json!({"const": 1}), 2)}}), &[r#"{"a":1}"#], &[r#"{"a":[1]}"#]);
}
