//! Objects that must have members under names that are few, or lack some of several: of all objects of three
//! names exactly the valid ones are accepted, and no walk uses a name up without which the object could not be
//! completed.

use std::cell::Cell;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::corpus::accepts;
use crate::harness::{COMPILER, HABITS, Random, text, walk};
use crate::schemas::run;
use harmony_mask::{Compiler, Grammar, Limits, Options, PropertyOrder};

const NAMES: [&str; 3] = ["a", "b", "c"];
const VALUES: [&str; 3] = ["0", "\"\"", "null"];

/// Every object with different ones of the names, in every order, each with any of the values.
fn objects() -> Vec<String> {
    let mut all: Vec<Vec<(usize, &str)>> = vec![Vec::new()];
    let mut at = 0;
    while let Some(members) = all.get(at).cloned() {
        for name in (0..NAMES.len()).filter(|name| members.iter().all(|(used, _)| used != name)) {
            all.extend(VALUES.iter().map(|value| [&*members, &[(name, *value)]].concat()));
        }
        at += 1;
    }
    let spelled = |members: &Vec<(usize, &str)>| {
        let members: Vec<_> =
            members.iter().map(|(name, value)| format!("\"{}\": {value}", NAMES[*name])).collect();
        format!("{{{}}}", members.join(", "))
    };
    all.iter().map(spelled).collect()
}

/// Compilers that tell ever fewer objects apart by cells of their own: of a schema that one refuses for that,
/// nothing is checked.
static COMPILERS: LazyLock<Vec<Compiler>> = LazyLock::new(|| {
    let with = |alternatives| {
        let limits = Limits { alternatives, ..Limits::default() };
        Compiler::with_limits(COMPILER.vocabulary().clone(), limits)
    };
    [4_096, 20, 3, 1].map(with).into()
});

/// The grammar of a schema; `None` where it is refused as it has no value, or needs too many alternatives.
fn grammar(compiler: &Compiler, schema: &Value, options: &Options, is_satisfiable: bool) -> Option<Grammar> {
    match compiler.compile_schema(schema, options) {
        Ok(grammar) => {
            assert!(is_satisfiable, "{schema} is not refused");
            Some(grammar)
        }
        Err(error) => {
            let is_empty =
                ["no value", "more distinct elements"].iter().any(|why| error.to_string().contains(why));
            let is_limited = error.to_string().contains("(limit `alternatives`)")
                && !std::ptr::eq(compiler, &raw const COMPILERS[0]);
            assert!(is_limited || !is_satisfiable && is_empty, "{schema}: {error}");
            None
        }
    }
}

/// Checks a schema that nothing, or something, satisfies; says by how many compilers.
fn check(schema: &Value, is_satisfiable: bool) -> usize {
    let oracle = jsonschema::validator_for(schema).expect("a schema");
    let is_valid = |text: &str| oracle.is_valid(&serde_json::from_str(text).expect("JSON"));
    assert_eq!(objects().iter().any(|text| is_valid(text)), is_satisfiable, "{schema}");
    check_walks(schema, is_satisfiable);
    let options = Options { property_order: PropertyOrder::Any, ..Options::default() };
    let grammars =
        COMPILERS.iter().filter_map(|compiler| grammar(compiler, schema, &options, is_satisfiable));
    let check = |grammar: Grammar| {
        for text in objects() {
            assert_eq!(accepts(&grammar, &text), is_valid(&text), "{text} for {schema}");
        }
    };
    grammars.map(check).count()
}

/// Checks that only a schema that nothing satisfies is refused, and that walks find values of any other.
fn check_walks(schema: &Value, is_satisfiable: bool) {
    let oracle = jsonschema::validator_for(schema).expect("a schema");
    for (at, compiler) in COMPILERS.iter().enumerate() {
        for property_order in [PropertyOrder::Any, PropertyOrder::Declared] {
            let options = Options { property_order, ..Options::default() };
            let Some(grammar) = grammar(compiler, schema, &options, is_satisfiable) else { continue };
            let mut random = Random::new(7);
            for round in 0..60 >> at {
                let matcher = walk(&grammar, HABITS[round % 3], 1 + random.below(30), &mut random, |_, _| {});
                let text = text(&matcher);
                assert!(oracle.is_valid(&serde_json::from_str(&text).expect("JSON")), "{text} for {schema}");
            }
        }
    }
}

/// A member under one of these names.
fn some_of(names: Value) -> Value {
    json!({"propertyNames": {"not": {"enum": names}}})
}

/// A member with such a value.
fn some_value(schema: Value) -> Value {
    json!({"additionalProperties": {"not": schema}})
}

#[test]
fn names_that_wishes_need_are_kept() {
    let names = json!({"enum": ["a", "b", "c"]});
    let (ab, bc, c) = (some_of(json!(["a", "b"])), some_of(json!(["b", "c"])), some_of(json!(["c"])));
    check(&json!({"type": "object", "not": {"anyOf": [ab, bc]}, "maxProperties": 2}), true);
    check(&json!({"type": "object", "not": {"anyOf": [ab, bc]}, "maxProperties": 1}), true);
    check(
        &json!({"type": "object", "not": {"anyOf": [ab, bc, c]}, "propertyNames": names, "maxProperties": 2}),
        true,
    );
    check(&json!({"type": "object", "not": c, "propertyNames": names, "minProperties": 3}), true);
    check(
        &json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"],
        "additionalProperties": {"type": ["string", "null"]}, "not": {"anyOf": [ab, bc, c]}, "maxProperties": 3}),
        true,
    );
    check(
        &json!({"type": "object", "maxProperties": 2, "propertyNames": names, "not": {"anyOf": [
        {"patternProperties": {"^[ab]$": {"not": {"type": "integer"}}}},
        {"patternProperties": {"^[bc]$": {"not": {"type": "string"}}}}]}}),
        true,
    );
    check(
        &json!({"anyOf": [
        {"type": "object", "properties": {"a": {}, "q": false}, "not": ab, "maxProperties": 1},
        {"type": "object", "propertyNames": {"enum": ["b", "c"]}, "maxProperties": 2, "not": {"anyOf": [c, bc]}}]}),
        true,
    );
}

#[test]
fn values_that_wishes_need_have_names_of_their_own() {
    let (number, text, null) =
        (json!({"type": "integer"}), json!({"type": "string"}), json!({"type": "null"}));
    let two = json!({"anyOf": [some_value(number.clone()), some_value(text.clone())]});
    let three = json!({"anyOf": [some_value(number), some_value(text), some_value(null)]});
    check(&json!({"type": "object", "propertyNames": {"enum": ["a", "b"]}, "not": two}), true);
    check(
        &json!({"type": "object", "propertyNames": {"enum": ["a", "b", "c"]}, "minProperties": 3, "not": two}),
        true,
    );
    check(&json!({"type": "object", "propertyNames": {"enum": ["a", "b", "c"]}, "not": three}), true);
    check(&json!({"type": "object", "propertyNames": {"enum": ["a"]}, "not": two}), false);
    check(&json!({"type": "object", "propertyNames": {"enum": ["a", "b"]}, "not": three}), false);
    check(&json!({"type": "object", "maxProperties": 2, "not": three}), false);
}

#[test]
fn names_that_grant_wishes_are_counted_once() {
    let a = some_of(json!(["a"]));
    check(
        &json!({"type": "object", "propertyNames": {"enum": ["a", "c"]}, "not": a, "minProperties": 2}),
        true,
    );
    check(
        &json!({"type": "object", "propertyNames": {"enum": ["a", "c"]}, "not": a, "minProperties": 3}),
        false,
    );
}

#[test]
fn distinct_objects_have_names_for_what_they_wish_for() {
    let check = |element: &Value, (least, most): (u32, u32), is_satisfiable| {
        check_walks(
            &json!({"type": "array", "items": element, "uniqueItems": true, "minItems": least, "maxItems": most}),
            is_satisfiable,
        );
    };
    let one_of = |names: Value| json!({"type": "object", "not": some_of(names), "maxProperties": 1, "additionalProperties": {"enum": [1]}});
    check(&one_of(json!(["a"])), (2, 2), false);
    check(&one_of(json!(["a", "b"])), (0, 3), true);
    let beside_any = json!({"type": "object", "not": some_of(json!(["a"])), "maxProperties": 2});
    check(&beside_any, (3, 3), true);
    let in_two = json!({"type": "object", "maxProperties": 2, "additionalProperties": {"enum": [1]},
        "not": {"anyOf": [some_of(json!(["a", "b"])), some_of(json!(["c"]))]}});
    check(&in_two, (0, 3), true);
    let but_a = json!({"type": "object", "not": {"propertyNames": {"enum": ["a"]}}, "maxProperties": 1});
    check(&but_a, (3, 3), true);
    // The second includes the first, but names of its class are not counted.
    let same = json!({"$ref": "#/items/anyOf/0/properties/a"});
    let fewer = json!({"anyOf": [
        {"type": "object", "properties": {"a": {"type": "boolean"}}, "additionalProperties": false},
        {"type": "object", "patternProperties": {"^[ab]$": same}, "additionalProperties": false}]});
    check(&fewer, (3, 3), true);
}

/// The shortest way takes the object, though it begins like others that are shorter and may come as often as
/// one likes.
#[test]
fn arrays_that_must_contain_what_wishes_can_be_completed() {
    let (ab, text) = (json!({"enum": ["a", "b"]}), json!({"type": "string"}));
    let two =
        json!({"type": "object", "not": {"anyOf": [some_of(json!(["a", "b"])), {"propertyNames": ab}]}});
    let three = json!({"type": "object", "required": ["z"], "propertyNames": {"maxLength": 1},
        "not": {"anyOf": [some_of(json!(["a", "b"])), some_of(json!(["b", "c"])), some_value(text)]}});
    for element in [two, three] {
        check_walks(&json!({"type": "array", "contains": element}), true);
        check_walks(
            &json!({"type": "array", "contains": element, "minContains": 2, "items": {"type": "object"}}),
            true,
        );
    }
}

/// A `oneOf` of so many kinds of objects with so many members each, and a tag that may be missing.
pub(crate) fn untold(branches: usize, members: usize) -> Value {
    let branch = |number: usize| {
        let names = (0..members).map(|member| format!("{}{member}", char::from(b'a' + number as u8)));
        let tag = ("kind".to_owned(), json!({"const": number}));
        let properties = names.clone().map(|name| (name, json!({"type": "string"}))).chain([tag]);
        json!({"type": "object", "properties": Map::from_iter(properties), "required": Vec::from_iter(names)})
    };
    json!({"oneOf": Vec::from_iter((0..branches).map(branch))})
}

/// Objects of which no member says for sure which they are.
fn branch() -> impl Strategy<Value = Value> {
    let member = prop::sample::select(vec![
        json!({"type": "integer"}),
        json!({"type": "string"}),
        json!({"type": ["null", "string"]}),
        json!({"enum": [0, null]}),
        json!({"const": ""}),
        json!(true),
        json!(false),
    ]);
    let members = prop::collection::vec((member, any::<bool>()), NAMES.len());
    let others =
        prop::sample::select(vec![json!(true), json!(true), json!(false), json!({"type": "string"})]);
    (prop::sample::subsequence(NAMES.to_vec(), 1..=NAMES.len()), members, others).prop_map(
        |(names, members, others)| {
            let members: Vec<_> = names.into_iter().zip(members).collect();
            let required = members.iter().filter(|(_, (_, required))| *required).map(|(name, _)| *name);
            let required = Vec::from_iter(required);
            let properties = members.iter().map(|(name, (schema, _))| ((*name).to_owned(), schema.clone()));
            json!({"properties": Map::from_iter(properties), "required": required, "additionalProperties": others})
        },
    )
}

/// Objects that must not be as several branches are, or as exactly one of them is.
fn lacking() -> impl Strategy<Value = Value> {
    let branches = || prop::collection::vec(branch(), 2..5);
    let more = prop_oneof![
        3 => Just(None),
        1 => (0_u32..3).prop_map(|least| Some(("minProperties", json!(least)))),
        1 => (1_u32..4).prop_map(|most| Some(("maxProperties", json!(most)))),
        1 => branch().prop_map(|branch| Some(("not", branch))),
        1 => branches().prop_map(|branches| Some(("not", json!({"oneOf": branches})))),
    ];
    let of = prop::sample::select(vec!["oneOf", "oneOf", "anyOf", "not"]);
    (of, branches(), more).prop_map(|(of, branches, more)| {
        let branches = if of == "not" { json!({"anyOf": branches}) } else { json!(branches) };
        // No others than those of which all are looked at.
        let all = json!({"propertyNames": {"enum": NAMES}, "additionalProperties": {"enum": [0, "", null]}});
        let mut schema = json!({"type": "object", "allOf": [all, {of: branches}]});
        more.into_iter().for_each(|(keyword, value)| schema[keyword] = value);
        schema
    })
}

/// Many kinds of objects, each with or without something: multiplied, they would be more than are told apart.
fn implying() -> impl Strategy<Value = Value> {
    let name = || prop::sample::select(NAMES.to_vec());
    let requires = move || name().prop_map(|name| json!({"required": [name]}));
    let implication = prop_oneof![
        (branch(), branch()).prop_map(|(when, then)| json!({"if": when, "then": then})),
        (requires(), branch(), branch())
            .prop_map(|(when, then, otherwise)| json!({"if": when, "then": then, "else": otherwise})),
        (name(), prop::sample::subsequence(NAMES.to_vec(), 1..3))
            .prop_map(|(name, needed)| json!({"dependentRequired": {name: needed}})),
        (name(), branch()).prop_map(|(name, schema)| json!({"dependentSchemas": {name: schema}})),
        prop::collection::vec(requires(), 2..4).prop_map(|branches| json!({"anyOf": branches})),
        prop::collection::vec(requires(), 2..4).prop_map(|branches| json!({"oneOf": branches})),
        prop::collection::vec(branch(), 2..4).prop_map(|branches| json!({"anyOf": branches})),
    ];
    prop::collection::vec(implication, 3..9).prop_map(|mut all| {
        all.push(json!({"propertyNames": {"enum": NAMES}, "additionalProperties": {"enum": [0, "", null]}}));
        json!({"type": "object", "allOf": all})
    })
}

#[test]
fn many_kinds_of_objects_are_told_by_all_members() {
    check_random(&implying());
}

#[test]
fn what_lacks_some_of_several_members_is_told_by_all_of_them() {
    check_random(&lacking());
}

/// Checks random schemas, of which most are read in more than one way.
fn check_random(schemas: &impl Strategy<Value = Value>) {
    const CASES: u32 = 400;
    let checked = Cell::new(0);
    run(CASES, schemas, |schema| {
        let oracle = jsonschema::validator_for(&schema).expect("a schema");
        let is_satisfiable =
            objects().iter().any(|text| oracle.is_valid(&serde_json::from_str(text).expect("JSON")));
        checked.set(checked.get() + check(&schema, is_satisfiable));
        Ok(())
    });
    assert!(checked.get() > CASES as usize / 2, "{} are read", checked.get());
}
