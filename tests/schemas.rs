//! Random schemas: our verdict is that of the `jsonschema` crate, on values and on texts.

use std::cell::Cell;
use std::collections::BTreeMap;

use harmony_mask::automaton::{Residual, Unit};
use harmony_mask::schema::{Schema, SchemaErrorKind, SchemaOptions};
use harmony_mask::{Error, Grammar, Limits, Matcher, Options, PropertyOrder};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};

use crate::harness::schemas::{document, doubtful_document, is_sure, value};
use crate::harness::unique::Unique;
use crate::harness::{COMPILER, Random};

/// Whether the oracle allows the value.
pub(crate) fn oracle(document: &Value) -> impl Fn(&Value) -> bool {
    let validator = jsonschema::options().should_validate_formats(true).build(document).expect("a schema");
    move |value| validator.is_valid(value)
}

/// Runs a check on random schemas, always the same ones.
pub(crate) fn run<S: Strategy>(
    cases: u32,
    strategy: &S,
    check: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let config = ProptestConfig {
        cases,
        max_global_rejects: 100_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    if let Err(error) = runner.run(strategy, check) {
        panic!("{error}");
    }
}

/// What is left of a schema that was refused: nothing, where it has no values; otherwise the case says
/// nothing.
fn refused(document: &Value, kind: SchemaErrorKind, error: &dyn std::fmt::Display) -> TestCaseError {
    match kind {
        SchemaErrorKind::CircularReference => TestCaseError::reject("circular"),
        // Combinations at random contradict each other less than those that mean something.
        SchemaErrorKind::Limit => TestCaseError::reject("too large"),
        // Distinct elements are counted from below.
        SchemaErrorKind::TooFewDistinct => TestCaseError::reject("too few distinct elements are known"),
        // What negates `uniqueItems` is refused where arrays cannot go on without end.
        SchemaErrorKind::Unsupported => TestCaseError::reject("not supported"),
        _ => TestCaseError::fail(format!("{document}: {error}")),
    }
}

fn is_empty(kind: SchemaErrorKind) -> bool {
    matches!(kind, SchemaErrorKind::Unsatisfiable | SchemaErrorKind::NoBaseCase)
}

/// What a document allows; `None` where that is nothing.
fn read_schema(document: &Value) -> Result<Option<Schema>, TestCaseError> {
    match Schema::read(document, &SchemaOptions::default(), &Limits::default()) {
        Ok(schema) => Ok(Some(schema)),
        Err(error) if is_empty(error.kind()) => Ok(None),
        Err(error) => Err(refused(document, error.kind(), &error)),
    }
}

#[test]
fn verdicts_are_those_of_jsonschema() {
    let (allowed_count, refused_count) = (Cell::new(0_u32), Cell::new(0_u32));
    run(6_000, &(document(), prop::collection::vec(value(), 20)), |(document, values)| {
        let schema = read_schema(&document)?;
        let allowed = oracle(&document);
        for value in &values {
            let admitted = schema.as_ref().filter(|schema| schema.admits(value));
            prop_assert_eq!(admitted.is_some(), allowed(value), "{} {}", document, value);
            let count = if admitted.is_some() { &allowed_count } else { &refused_count };
            count.set(count.get() + 1);
            if let Some(schema) = admitted {
                let least = schema.least_len(schema.root()) as usize;
                prop_assert!(least <= value.to_string().len(), "{} {} {}", document, value, least);
            }
        }
        Ok(())
    });
    // A test of verdicts that are nearly all the same would say little.
    assert!(allowed_count.get().min(refused_count.get()) > 10_000, "{allowed_count:?} {refused_count:?}");
}

/// A union of objects that may hold values of the same union, and need not say which they are.
fn recursive_union() -> impl Strategy<Value = Value> {
    let itself = || json!({"$ref": "#/$defs/E"});
    let value = prop::sample::select(vec![
        itself(),
        json!({"anyOf": [itself(), {"type": "null"}]}),
        json!({"type": "array", "items": itself()}),
        json!({"not": itself()}),
        json!({"type": "integer"}),
        json!({"type": "string"}),
        json!({"const": "x"}),
        json!(true),
    ]);
    let members = prop::collection::vec((value, any::<bool>()), 3);
    let branch = (prop::sample::subsequence(vec!["k", "v", "w"], 1..=3), members, 0..6);
    let branch = branch.prop_map(|(names, members, more)| {
        let named: Vec<_> = names.into_iter().zip(members).collect();
        let required: Vec<_> =
            named.iter().filter(|(_, (_, required))| *required).map(|(name, _)| *name).collect();
        let properties: Map<_, _> =
            named.iter().map(|(name, (schema, _))| ((*name).to_owned(), schema.clone())).collect();
        let mut branch = json!({"type": "object", "properties": properties, "required": required});
        match more {
            0 => branch["additionalProperties"] = json!(false),
            1 => branch["additionalProperties"] = json!({"$ref": "#/$defs/E"}),
            _ => {}
        }
        branch
    });
    let scalar = prop::sample::select(vec![json!({"type": "string"}), json!({"type": ["null", "integer"]})]);
    (prop::collection::vec(branch, 2..4), prop::option::of(scalar)).prop_map(move |(mut branches, scalar)| {
        branches.extend(scalar);
        json!({"$defs": {"E": {"oneOf": branches}}, "$ref": "#/$defs/E"})
    })
}

/// Values that nest, of the members that the branches of a [`recursive_union`] have.
fn nested_value() -> impl Strategy<Value = Value> {
    let scalar = prop::sample::select(vec![json!(null), json!(0), json!("x"), json!("")]);
    scalar.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            4 => prop::collection::btree_map(prop::sample::select(vec!["k", "v", "w"]), inner, 0..4)
                .prop_map(|members| json!(members)),
        ]
    })
}

/// Scalars, some of which are equal, and some written otherwise.
fn tag() -> impl Strategy<Value = Value> {
    let numbers = vec![json!(0), json!(0.0), json!(1), json!(1.5), json!(null), json!(true), json!("")];
    prop_oneof![1 => prop::sample::select(numbers), 2 => "[a-f]".prop_map(Value::from)]
}

/// So many branches that they are not all compared: most have tags, and some of these are alike.
fn tagged_union() -> impl Strategy<Value = Value> {
    let kind = prop_oneof![
        8 => tag().prop_map(|tag| json!({"const": tag})),
        2 => prop::collection::vec(tag(), 1..4).prop_map(|tags| json!({"enum": tags})),
        1 => Just(json!({"type": "string", "minLength": 1})),
    ];
    let member =
        prop::sample::select(vec![json!({"type": "integer"}), json!({"type": "string"}), json!(true)]);
    let object = (kind, member, prop::sample::subsequence(vec!["kind", "v"], 0..=2), 0..8);
    let object = object.prop_map(|(kind, v, required, more)| {
        let required = if more == 0 { required } else { vec!["kind"] };
        json!({"type": "object", "properties": {"kind": kind, "v": v}, "required": required})
    });
    let constant = (tag(), tag()).prop_map(|(kind, v)| json!({"const": {"kind": kind, "v": v}}));
    let either = (object.clone(), object.clone()).prop_map(|(one, other)| json!({"anyOf": [one, other]}));
    let branch = prop_oneof![8 => object, 4 => constant, 1 => either, 1 => Just(json!({"type": "null"}))];
    prop::collection::vec(branch, 9..16).prop_map(|branches| json!({"oneOf": branches}))
}

fn tagged_value() -> impl Strategy<Value = Value> {
    let member = |name: &'static str| prop::option::weighted(0.9, tag().prop_map(move |value| (name, value)));
    let object = (member("kind"), member("v"));
    let object = object.prop_map(|(kind, v)| json!(kind.into_iter().chain(v).collect::<BTreeMap<_, _>>()));
    prop_oneof![8 => object, 1 => Just(json!(null))]
}

#[test]
fn tagged_unions_are_read_as_jsonschema_reads_them() {
    check_unions(600, tagged_union(), tagged_value());
}

#[test]
fn unions_that_hold_themselves_are_read_as_jsonschema_reads_them() {
    check_unions(1_000, recursive_union(), nested_value());
}

/// Values of random unions are valid where the oracle says so; many are, and many are not.
#[track_caller]
fn check_unions(cases: u32, documents: impl Strategy<Value = Value>, value: impl Strategy<Value = Value>) {
    let (allowed_count, refused_count) = (Cell::new(0_u32), Cell::new(0_u32));
    run(cases, &(documents, prop::collection::vec(value, 40)), |(document, values)| {
        let schema = read_schema(&document)?;
        let allowed = oracle(&document);
        for value in &values {
            let admits = schema.as_ref().is_some_and(|schema| schema.admits(value));
            prop_assert_eq!(admits, allowed(value), "{} {}", document, value);
            let count = if admits { &allowed_count } else { &refused_count };
            count.set(count.get() + 1);
        }
        Ok(())
    });
    assert!(allowed_count.get().min(refused_count.get()) > 1_000, "{allowed_count:?} {refused_count:?}");
}

/// A grammar of the texts of a schema; `None` where it has no values.
pub(crate) fn grammar(document: &Value) -> Result<Option<Grammar>, TestCaseError> {
    let options = Options { property_order: PropertyOrder::Any, ..Options::default() };
    match COMPILER.compile_schema(document, &options) {
        Ok(grammar) => Ok(Some(grammar)),
        Err(Error::Schema { source, .. }) if is_empty(source.kind()) => Ok(None),
        Err(Error::Schema { source, .. }) => Err(refused(document, source.kind(), &source)),
        Err(Error::Limit { .. }) => Err(TestCaseError::reject("too large")),
        Err(error) => Err(TestCaseError::fail(format!("{document}: {error}"))),
    }
}

pub(crate) fn read(matcher: &Matcher, text: &[u8]) -> Option<Residual> {
    let start = matcher.residual().clone();
    text.iter().try_fold(start, |residual, byte| matcher.automaton().step(&residual, Unit::Byte(*byte)))
}

pub(crate) fn accepts(matcher: &Matcher, text: &[u8]) -> bool {
    read(matcher, text).is_some_and(|residual| matcher.automaton().accepts(&residual))
}

/// Texts of random values are accepted where the values are valid, at least those that are sure.
fn check_values(cases: u32, documents: impl Strategy<Value = Value>, is_sure: fn(&str) -> bool) {
    run(cases, &(documents, prop::collection::vec(value(), 12)), |(document, values)| {
        let grammar = grammar(&document)?;
        let allowed = oracle(&document);
        for value in &values {
            let text = value.to_string();
            let accepted =
                grammar.as_ref().is_some_and(|grammar| accepts(&grammar.matcher(), text.as_bytes()));
            let must_agree = accepted || is_sure(&text);
            prop_assert!(!must_agree || accepted == allowed(value), "{} {}", document, value);
        }
        Ok(())
    });
}

/// Law 4, and the other half of law 3: a text is accepted exactly where its value is valid.
#[test]
fn texts_are_accepted_where_values_are_valid() {
    check_values(5_000, document(), |_| true);
}

/// The same where of some values it is not sure what they are: those are accepted only where it does not
/// matter.
#[test]
fn doubtful_texts_are_accepted_only_where_values_are_valid() {
    check_values(3_000, doubtful_document(), is_sure);
}

/// Checks texts of a document byte by byte.
pub(crate) fn check(document: Value, accepted: &[&str], refused: &[&str]) {
    let grammar = grammar(&document).expect("compiles").expect("has values");
    let matcher = grammar.matcher();
    let accepts = |text: &&&str| accepts(&matcher, text.as_bytes());
    let wrong: Vec<_> = accepted.iter().filter(|text| !accepts(text)).collect();
    let wrongly: Vec<_> = refused.iter().filter(accepts).collect();
    assert!(wrong.is_empty() && wrongly.is_empty(), "{document} refuses {wrong:?}, accepts {wrongly:?}");
}

/// What is not surely a value nor surely none is accepted neither as it is nor where it is negated, however
/// often.
#[test]
fn chosen_doubtful_texts() {
    let draft_4 = |keyword: &str, value: Value| json!({"$schema": "http://json-schema.org/draft-04/schema#", keyword: value});
    let (integer, even) = (json!({"type": "integer"}), json!({"multipleOf": 2}));
    check(draft_4("allOf", json!([integer, {"not": even}])), &["1", "-3"], &["1.0", "2", "3.000"]);
    // Whether `1.0` is an integer, validators do not agree, so it is neither where that matters.
    check(draft_4("not", integer.clone()), &["1.5", "null"], &["1", "1.0"]);
    check(
        draft_4("not", json!({"oneOf": [integer, {"type": "number"}]})),
        &["1", "null"],
        &["1.0", "1.5", "1e2"],
    );
    check(
        draft_4("not", json!({"anyOf": [{"not": integer}, {"enum": [7, 8]}]})),
        &["6"],
        &["7", "7.0", "6.0", "1.5"],
    );
    check(draft_4("enum", json!([1, 1.5])), &["1", "1.0", "1.5"], &["2"]);
    // Nor is it known of all texts whether they are regular expressions.
    let named = json!({"enum": ["(?<n>a)", "a"]});
    check(
        json!({"not": {"allOf": [named, {"format": "regex"}]}}),
        &[r#""b""#, "1"],
        &[r#""a""#, r#""(?<n>a)""#],
    );
    check(
        json!({"not": {"type": "string", "not": {"format": "regex"}}}),
        &[r#""a""#, "1"],
        &[r#""(""#, r#""(?<n>a)""#],
    );
    check(json!({"not": {"pattern": "^[(]", "format": "regex"}}), &[r#""a""#], &[r#""(?<n>a)""#, r#""(a)""#]);
}

/// What once went wrong, and what the random schemas seldom reach.
#[test]
fn chosen_texts() {
    check(json!({"maxProperties": 1}), &[r#"{"a":1}"#], &[r#"{"a":1,"b":2}"#, r#"{"a":1,"b":2,"c":3}"#]);
    let unique = json!({"type": "array", "uniqueItems": true});
    check(
        unique,
        &["[1,2]", "[1,\"1\"]", r#"[{"a":1,"b":2},{"a":1}]"#, "[[],[[]]]", "[0.5,5e-2]"],
        &[
            "[1,1.0]",
            "[10,1e1]",
            "[0,-0.0]",
            r#"[{"a":1,"b":2},{"b":2,"a":1}]"#,
            r#"["a","\u0061"]"#,
            "[[1],[1.00]]",
        ],
    );
    let listed = json!({"type": "array", "uniqueItems": true, "items": {"enum": ["a", "ab", "b", 1]}});
    check(listed, &[r#"["ab","b","a",1]"#], &[r#"["a","a"]"#, r#"["b","ab","b"]"#, r#"["ab","a","ab"]"#]);
    let short = json!({"type": "array", "uniqueItems": true, "items": {"type": "string", "maxLength": 1}});
    check(short, &[r#"["","a","b"]"#], &[r#"["","a",""]"#, r#"["a","b","a"]"#]);
    let pair = json!({"type": "array", "uniqueItems": true, "items": {"type": "object", "additionalProperties": false,
        "properties": {"a": {"type": "boolean"}, "b": {"enum": [1]}}, "required": ["a"]}});
    check(
        pair,
        &[r#"[{"a":true},{"a":false},{"a":true,"b":1},{"a":false,"b":1}]"#],
        &[r#"[{"a":true},{"a":true}]"#, r#"[{"a":true,"b":1},{"b":1,"a":true}]"#],
    );
    // Integers of draft 4 are not written as `1.0`, but are equal to it.
    let written = json!({"$schema": "http://json-schema.org/draft-04/schema#", "type": "array", "uniqueItems": true,
        "items": [{}, {"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]});
    check(written, &["[1.0,2,[]]", "[[1.5],1,[1]]"], &["[1.0,1]", "[10e-1,1]", "[[1.0],1,[1]]", "[2,1.0]"]);
    let one = json!({"oneOf": [{"const": 1}, {"enum": [1, 2, 5]}, {"type": "integer", "minimum": 2, "maximum": 4}, {"const": null},
        {"enum": [null, true]}, {"enum": [false, 3, "a", "c"]}, {"type": "string", "pattern": "^[abd]$"}, {"enum": ["d"]}]});
    check(
        one,
        &["5", "4", "true", "false", r#""b""#, r#""c""#],
        &["1", "2", "3", "null", r#""a""#, r#""d""#, "6", "[]"],
    );
    let contains = json!({"type": "array", "contains": {"type": "string"}, "minContains": 1, "maxContains": 2, "maxItems": 3});
    check(contains, &[r#"[1,"a"]"#, r#"["a","b",1]"#], &["[]", "[1,2,3]", r#"["a","b","c"]"#]);
    let integer = json!({"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"});
    check(integer, &["1", "-12"], &["1.0", "1e3"]);
    check(json!({"type": "number", "not": {"multipleOf": 1}}), &["0.5", "-1.25"], &["1", "1.0", "2.00"]);
    let one = json!({"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "type": "object"});
    check(one, &[r#"{"a":1}"#, r#"{"c":1,"b":2}"#], &["{}", r#"{"a":1,"b":2}"#]);
    let some = json!({"type": "object", "anyOf": [{"required": ["a"]}, {"properties": {"b": {"type": "integer"}}, "required": ["b"]}]});
    check(
        some,
        &[r#"{"a":1}"#, r#"{"a":1,"b":"x"}"#, r#"{"b":1,"c":2}"#, r#"{"b":1,"a":2}"#],
        &["{}", r#"{"b":"x"}"#, r#"{"b":1,"b":1}"#, r#"{"a":1,"b":1,"b":1}"#],
    );
    let two = json!({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}], "minProperties": 2,
        "patternProperties": {"^[a-c]$": {"type": "null"}}, "additionalProperties": false});
    check(
        two,
        &[r#"{"a":null,"b":null}"#, r#"{"a":null,"b":null,"c":null}"#, r#"{"b":null,"c":null}"#],
        &[r#"{"a":null}"#, r#"{"c":null}"#, r#"{"a":null,"a":null}"#, r#"{"a":null,"d":null}"#],
    );
    let other = json!({"type": "object", "properties": {"a": {}}, "not": {"additionalProperties": {"type": "string"}, "properties": {"a": {}}}});
    check(other, &[r#"{"b":1}"#, r#"{"b":"x","c":null}"#], &["{}", r#"{"a":1}"#, r#"{"b":"x"}"#]);
}

/// Where one value is left it can be read to its end, and all that can be read of any can be completed.
fn check_last(matcher: &Matcher, mut at: Residual, (value, is_last): (&str, bool)) {
    let automaton = matcher.automaton();
    let accepted = value.bytes().chain([b']']).all(|byte| {
        let units = automaton.shortest_completion(&at);
        assert!(automaton.completes(&at, &units), "{at:?} has no completion");
        automaton.step(&at, Unit::Byte(byte)).map(|next| at = next).is_some()
    });
    assert_eq!(accepted, is_last, "{value}");
}

/// All values of a finite set, each once: none is missing near the end, and none comes twice.
#[test]
fn small_sets_can_be_used_up() {
    let arrays = |items: Value| json!({"type": "array", "uniqueItems": true, "items": items});
    let check_all = |items: Value, all: &[&str]| {
        let (first, text) = (all[0], |values: &[&str]| format!("[{}]", values.join(",")));
        let mut reversed = all.to_vec();
        reversed.reverse();
        let twice = [all, &[first]].concat();
        check(arrays(items.clone()), &[&text(all), &text(&reversed)], &[&text(&twice)]);
        let grammar = grammar(&arrays(items)).expect("compiles").expect("has values");
        let matcher = grammar.matcher();
        let more = format!("[{},", all.join(","));
        assert!(read(&matcher, more.as_bytes()).is_none(), "{more} leads nowhere");
        for last in all {
            let others: Vec<&str> = all.iter().copied().filter(|other| other != last).collect();
            let start = read(&matcher, format!("[{},", others.join(",")).as_bytes()).expect("one is left");
            all.iter().for_each(|value| check_last(&matcher, start.clone(), (value, value == last)));
        }
    };
    check_all(json!({"enum": [1, [2], {"a": 3}]}), &["1", "[2]", r#"{"a":3}"#]);
    check_all(
        arrays(json!({"enum": [1, 2, 3]})),
        &[
            "[1]", "[2]", "[1,2]", "[]", "[3,2,1]", "[2,1]", "[3]", "[1,3]", "[2,3]", "[3,1]", "[3,2]",
            "[1,2,3]", "[1,3,2]", "[2,1,3]", "[2,3,1]", "[3,1,2]",
        ],
    );
    check_all(
        json!({"type": "array", "items": {"enum": [1, 2]}, "contains": {"const": 1}, "maxItems": 2}),
        &["[1,2]", "[1]", "[2,1]", "[1,1]"],
    );
    check_all(
        json!({"type": "array", "items": {"const": 1}, "minItems": 1, "maxItems": 3}),
        &["[1,1]", "[1]", "[1,1,1]"],
    );
    let boolean = json!({"type": "boolean"});
    let names = json!({"enum": ["a", "b"]});
    check_all(
        json!({"type": "object", "propertyNames": names, "additionalProperties": boolean, "maxProperties": 1}),
        &["{}", r#"{"a":true}"#, r#"{"b":true}"#, r#"{"b":false}"#, r#"{"a":false}"#],
    );
    check_all(
        json!({"type": "object", "properties": {"a": boolean, "b": {"const": 1}, "c": {"const": 2}},
            "additionalProperties": false, "minProperties": 2}),
        &[
            r#"{"a":true,"b":1}"#,
            r#"{"b":1,"c":2}"#,
            r#"{"a":true,"b":1,"c":2}"#,
            r#"{"a":false,"c":2}"#,
            r#"{"a":true,"c":2}"#,
            r#"{"a":false,"b":1,"c":2}"#,
            r#"{"a":false,"b":1}"#,
        ],
    );
}

/// Of elements without end that are arrays which count something, or objects whose names are listed, none is
/// the last.
#[test]
fn elements_without_end_may_follow_each_other() {
    let number = json!({"type": "number"});
    let unique = |items: Value| json!({"type": "array", "uniqueItems": true, "items": items});
    check(
        unique(json!({"type": "array", "contains": number})),
        &["[[1,0.5],[1,1],[null,1]]"],
        &["[[1],[1.0]]", "[[1],[]]"],
    );
    check(
        unique(json!({"type": "array", "uniqueItems": true, "contains": number})),
        &["[[1],[2],[2,1]]"],
        &["[[1],[1]]", "[[1,1]]", "[[null]]"],
    );
    check(
        unique(
            json!({"type": "array", "contains": {"const": 1}, "maxContains": 1, "items": {"enum": [1, 2]}}),
        ),
        &["[[1],[1,2],[2,1],[2,1,2]]"],
        &["[[1],[1,1]]", "[[2]]", "[[1],[1]]"],
    );
    let listed = json!({"type": "object", "propertyNames": {"enum": ["a"]}});
    check(unique(listed), &[r#"[{"a":1},{"a":2},{},{"a":null}]"#], &[r#"[{"a":1},{"a":1}]"#, r#"[{"b":1}]"#]);
}

/// What an object is not has declared members, too, whichever of them fails.
#[test]
fn members_of_what_is_negated_come_in_their_order() {
    let text = json!({"type": "string"});
    let negated = json!({"properties": {"a": text, "b": text, "c": text}, "required": ["b"]});
    let options = Options { property_order: PropertyOrder::Declared, ..Options::default() };
    let grammar = COMPILER.compile_schema(&json!({"type": "object", "not": negated}), &options);
    let matcher = grammar.expect("compiles").matcher();
    let values = [None, Some(json!("x")), Some(json!(1))];
    for chosen in 0..27 {
        let of = |name: &str, place: usize| Some((name.to_owned(), values[chosen / place % 3].clone()?));
        let members = [("a", 1), ("b", 3), ("c", 9)].into_iter().filter_map(|(name, place)| of(name, place));
        let object = Value::Object(members.collect());
        let fails =
            object.get("b").is_none() || object.as_object().expect("one").values().any(Value::is_number);
        assert_eq!(accepts(&matcher, object.to_string().as_bytes()), fails, "{object}");
    }
}

/// In declared order a name may stand anywhere behind the declared ones where it is none, whatever another
/// alternative declares.
#[test]
fn a_name_that_another_alternative_declares_has_no_place() {
    let schema = json!({"type": "object", "anyOf": [
        {"properties": {"q": true, "a": true}, "maxProperties": 5},
        {"required": ["q"], "maxProperties": 5},
        {"required": ["b", "x"]},
    ]});
    let grammar = COMPILER.compile_schema(&schema, &Options::default()).expect("compiles");
    for (text, accepted) in [
        (r#"{"q":1,"a":1,"b":1}"#, true),
        (r#"{"q":1,"b":1,"a":1}"#, true),
        (r#"{"b":1,"x":1,"q":1}"#, true),
        (r#"{"a":1,"q":1}"#, false),
    ] {
        assert_eq!(accepts(&grammar.matcher(), text.as_bytes()), accepted, "{text}");
    }
}

/// Values that must differ may be nested deeper than anybody parses.
#[test]
fn depth_is_no_matter() {
    let grammar =
        grammar(&json!({"type": "array", "uniqueItems": true})).expect("compiles").expect("has values");
    let matcher = grammar.matcher();
    let text = format!("[1,{}{},2]", "[".repeat(300), "]".repeat(300));
    let residual = read(&matcher, text.as_bytes()).expect("every byte is allowed");
    assert!(matcher.automaton().accepts(&residual));
}

/// Laws 2 and 3 byte by byte: whatever is chosen, there is a way to the end, and what is read then is valid.
#[test]
fn random_texts_are_valid() {
    let document = prop_oneof![3 => document(), 1 => doubtful_document()];
    run(4_000, &(document, any::<u64>()), |(document, seed)| {
        let Some(grammar) = grammar(&document)? else { return Ok(()) };
        let allowed = oracle(&document);
        let mut random = Random::new(seed);
        for length in [5, 15, 40] {
            let text = random_text(&grammar.matcher(), length, &mut random);
            let Unique(value) = serde_json::from_slice(&text)
                .map_err(|error| TestCaseError::fail(format!("{document}: {error}: {text:?}")))?;
            prop_assert!(allowed(&value), "{} {}", document, value);
        }
        Ok(())
    });
}

/// Characters that texts of the random schemas are mostly made of, often the structural ones.
const BYTES: &[u8] = b"\"\",,::{}[][]{}0123456789.-eabxu\\nltrfs 24";

pub(crate) fn random_text(matcher: &Matcher, length: usize, random: &mut Random) -> Vec<u8> {
    let automaton = matcher.automaton();
    let (mut residual, mut text) = (matcher.residual().clone(), Vec::new());
    for _ in 0..length {
        let byte = BYTES[random.below(BYTES.len())];
        let tries = (0..BYTES.len()).map(|shift| BYTES[(shift + usize::from(byte)) % BYTES.len()]);
        let next =
            tries.into_iter().find_map(|byte| Some((byte, automaton.step(&residual, Unit::Byte(byte))?)));
        let Some((byte, next)) = next else { break };
        text.push(byte);
        residual = next;
    }
    for unit in automaton.shortest_completion(&residual).iter().copied() {
        residual = automaton.step(&residual, unit).expect("the shortest completion is a way to the end");
        if let Unit::Byte(byte) = unit {
            text.push(byte);
        }
    }
    assert!(automaton.accepts(&residual), "the shortest completion leads to the end");
    text
}
