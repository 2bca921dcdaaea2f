//! Arrays that count: how short they can be, and what finding out costs.

use serde_json::{Value, json};

use super::super::{ArrayPlan, Arrays, Kind, PlannedKind, Schema, SchemaOptions};
use super::schema;
use crate::limits::{Budget, Limits};

/// Arrays with a schema for each of these formulas of which some element must be.
fn all_of(count: usize, part: impl Fn(usize) -> Value) -> Value {
    json!({"type": "array", "allOf": (0..count).map(part).collect::<Vec<_>>()})
}

fn contains(count: usize) -> Value {
    all_of(count, |at| json!({"contains": {"required": [format!("k{at}")]}}))
}

fn first(count: usize, element: impl Fn(usize) -> Value) -> Value {
    json!((0..count).map(element).collect::<Vec<_>>())
}

/// The least length by the plan of what was read, which is made when all lengths are known.
fn planned_len(schema: &Schema, arrays: &Arrays) -> u64 {
    let planned =
        |kind: &Kind| PlannedKind { counts_for: kind.counts_for, len: schema.least_len(kind.schema).into() };
    let kinds = |kinds: &Vec<Kind>| kinds.iter().map(planned).collect::<Vec<_>>();
    let positions: Vec<_> = arrays.prefix.iter().map(kinds).collect();
    let budget = Budget::from(&Limits::default());
    let plan = ArrayPlan::new(&positions, &kinds(&arrays.rest), arrays.bounds(), &budget)
        .expect("it was made before");
    let least = plan.least_len(ArrayPlan::start()).expect("there are arrays");
    1 + plan.least_repeating_len(ArrayPlan::start()).unwrap_or(least)
}

#[test]
fn lengths_are_those_of_the_plan() {
    let repeats = json!({"not": {"uniqueItems": true}});
    let long = |at: usize| json!({"const": "x".repeat(at)});
    let cases = [
        json!({"type": "array", "contains": {"type": "string"}, "minContains": 3}),
        json!({"type": "array", "contains": {"type": "null"}, "minContains": 2, "maxContains": 4, "minItems": 7}),
        json!({"type": "array", "contains": {"type": "null"}, "minContains": 0, "maxContains": 1, "minItems": 3, "items": {"enum": [null, "abcdef"]}}),
        json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "boolean"}], "contains": {"const": true}, "maxItems": 4}),
        json!({"type": "array", "prefixItems": first(9, long), "contains": {"pattern": "^x*$"}, "maxContains": 6, "minContains": 5}),
        json!({"type": "array", "prefixItems": first(5, long), "unevaluatedItems": {"type": "null"}, "contains": {"maxLength": 1}, "minItems": 8}),
        json!({"$defs": {"tree": {"type": "array", "items": {"anyOf": [{"type": "boolean"}, {"$ref": "#/$defs/tree"}]}, "contains": {"type": "boolean"}, "minContains": 2}}, "$ref": "#/$defs/tree"}),
        json!({"type": "array", "items": {"anyOf": [{"$ref": "#"}, {"const": "a long text"}]}, "contains": {"type": "array"}, "minContains": 0, "maxContains": 2, "minItems": 2}),
        json!({"type": "array", "allOf": [repeats], "items": {"enum": ["ab", "abcd"]}}),
        json!({"type": "array", "allOf": [repeats], "prefixItems": [{"const": 1}, {"const": "b"}], "items": {"type": "string", "minLength": 3}}),
        json!({"type": "array", "allOf": [repeats, {"contains": {"type": "null"}}], "items": {"enum": ["ab", null]}, "minItems": 4}),
        json!({"type": "array", "allOf": [repeats], "contains": {"type": "null"}, "minContains": 0, "maxContains": 1, "items": {"enum": ["abcd", null]}}),
        contains(1),
        contains(4),
        all_of(
            5,
            |at| json!({"contains": {"multipleOf": 2 * at + 1, "minimum": 1}, "minContains": 1 + at % 2, "maxContains": 3}),
        ),
    ];
    for document in cases {
        let schema = schema(&document);
        let [arrays] = &schema.values(schema.root()).arrays[..] else {
            panic!("{document} has alternatives")
        };
        assert!(arrays.is_planned(), "{document} counts nothing");
        assert_eq!(u64::from(schema.least_len(schema.root())), planned_len(&schema, arrays), "{document}");
    }
}

/// What must be equal and is not known to come twice is refused by name later on, and until then such arrays
/// are.
#[test]
fn arrays_that_cannot_be_known_to_repeat_have_a_length() {
    let elements = json!([{"const": 1}, {"const": 1}]);
    let document =
        json!({"type": "array", "not": {"uniqueItems": true}, "prefixItems": elements, "items": false});
    let schema = schema(&document);
    assert_eq!(schema.least_len(schema.root()), 5);
}

/// The limit that a schema reaches, and what is given then.
fn reached(document: &Value, limits: &Limits) -> Option<(&'static str, usize, usize)> {
    let error = Schema::read(document, &SchemaOptions::default(), limits).err()?;
    error.limit().map(|limit| (limit.what, limit.limit, limit.given))
}

/// Ten elements must be there: 2,048 states, and as many kinds of elements. Each pair of them is looked at
/// twice, and paid for.
#[test]
fn states_and_kinds_are_work() {
    let within = |document: &Value, work: usize| {
        reached(document, &Limits { work, ..Limits::default() }).map(|(what, ..)| what)
    };
    let many = json!({"type": "array", "prefixItems": first(900, |at| json!({"minimum": at % 7})), "contains": {"type": "integer"}, "maxContains": 810});
    for (document, enough) in [(contains(10), 200_000), (many, 200_000)] {
        assert_eq!(within(&document, enough), None);
        assert_eq!(within(&document, enough / 20), Some("work"));
    }
}

/// However high the limit is set, no more are told apart than there is room for.
#[test]
fn counts_are_few() {
    let limits = Limits { counts: 64, ..Limits::default() };
    let wish = |at: usize| json!({"not": {"patternProperties": {format!("^{at}x"): {"type": "null"}}}});
    let wishes = |count: usize| json!({"type": "object", "allOf": (0..count).map(wish).collect::<Vec<_>>()});
    for (document, expected) in [
        (contains(17), Some(("counts", 16, 17))),
        (contains(33), Some(("counts", 16, 33))),
        (wishes(16), None),
        (wishes(17), Some(("counts", 16, 17))),
        (wishes(40), Some(("counts", 16, 40))),
    ] {
        assert_eq!(reached(&document, &limits), expected, "{document}");
    }
}
