//! Random schemas of all keywords, and small values that meet them.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Small values over few names and texts, so that they meet the schemas.
pub(crate) fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (-2..6).prop_map(Value::from),
        prop::sample::select(vec![json!(0.5), json!(1.5), json!(2.25), json!(1e2)]),
        text().prop_map(Value::from),
    ];
    scalar.prop_recursive(2, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "ab", "x1", "(?<n>a)"]).prop_map(str::to_owned)
}

/// Whether a text has no strings of which it is not known whether they are regular expressions, and no
/// integer that draft 4 may call none.
pub(crate) fn is_sure(text: &str) -> bool {
    !text.contains('(') && !text.contains(".0")
}

fn text() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "a", "b", "ab", "aab", "é", "x1", "2024-02-29", "(", "(?<n>a)"])
        .prop_map(str::to_owned)
}

fn pattern() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["^a", "b$", "^a+b$", "^x\\d$", "a", "^.$", "^(a|b)$"]).prop_map(str::to_owned)
}

fn type_names() -> impl Strategy<Value = Value> {
    let names = vec!["null", "boolean", "integer", "number", "string", "array", "object"];
    prop_oneof![
        3 => prop::sample::select(names.clone()).prop_map(Value::from),
        1 => prop::sample::subsequence(names, 1..5).prop_map(Value::from),
    ]
}

/// Objects that must have members under some names or with some values, of which there may be too few or room
/// for too few. Keywords at random seldom say so.
fn wishing() -> impl Strategy<Value = Value> {
    let names = || prop::collection::btree_set(name(), 1..4).prop_map(|names| json!({ "enum": names }));
    let unwanted = prop_oneof![
        names().prop_map(|names| json!({"propertyNames": {"not": names}})),
        names().prop_map(|names| json!({ "propertyNames": names })),
        type_names().prop_map(|types| json!({"additionalProperties": {"type": types}})),
        (pattern(), type_names())
            .prop_map(|(pattern, types)| json!({"patternProperties": {pattern: {"type": types}}})),
    ];
    let bound = |name: &'static str| (1_u32..4).prop_map(move |count| (name, json!(count)));
    let more = prop_oneof![
        names().prop_map(|names| ("propertyNames", names)),
        bound("minProperties"),
        bound("maxProperties"),
        type_names().prop_map(|types| ("additionalProperties", json!({ "type": types }))),
        prop::collection::vec(value(), 1..4)
            .prop_map(|values| ("additionalProperties", json!({ "enum": values }))),
        name().prop_map(|name| ("required", json!([name]))),
    ];
    (prop::collection::vec(unwanted, 1..4), prop::collection::vec(more, 0..4)).prop_map(|(unwanted, more)| {
        let mut schema = json!({"type": "object", "not": {"anyOf": unwanted}});
        more.into_iter().for_each(|(keyword, value)| schema[keyword] = value);
        schema
    })
}

/// One keyword with a value.
fn keyword(
    schema: &BoxedStrategy<Value>,
    formats: &[&'static str],
) -> impl Strategy<Value = (&'static str, Value)> + use<> {
    let count = || (0_u32..4).prop_map(Value::from);
    let number = || prop::sample::select(vec![json!(-1), json!(0), json!(0.5), json!(2), json!(3.5)]);
    let step = prop::sample::select(vec![json!(0.25), json!(0.5), json!(1), json!(2), json!(3)]);
    let named = |names: BoxedStrategy<String>| {
        prop::collection::vec((names, schema.clone()), 0..3)
            .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>()))
    };
    let list =
        |size: std::ops::Range<usize>| prop::collection::vec(schema.clone(), size).prop_map(Value::from);
    let scalars = prop_oneof![
        type_names().prop_map(|types| ("type", types)),
        prop::collection::vec(value(), 1..4).prop_map(|values| ("enum", values.into())),
        value().prop_map(|value| ("const", value)),
        number().prop_map(|bound| ("minimum", bound)),
        number().prop_map(|bound| ("exclusiveMaximum", bound)),
        step.prop_map(|step| ("multipleOf", step)),
        count().prop_map(|count| ("minLength", count)),
        count().prop_map(|count| ("maxLength", count)),
        pattern().prop_map(|pattern| ("pattern", pattern.into())),
        prop::sample::select(formats.to_vec()).prop_map(|format| ("format", format.into())),
        count().prop_map(|count| ("minItems", count)),
        count().prop_map(|count| ("maxItems", count)),
        count().prop_map(|count| ("minProperties", count)),
        count().prop_map(|count| ("maxProperties", count)),
        prop::collection::btree_set(name(), 0..3)
            .prop_map(|names| ("required", names.into_iter().collect::<Vec<_>>().into())),
    ];
    let nested = prop_oneof![
        named(name().boxed()).prop_map(|members| ("properties", members)),
        named(pattern().boxed()).prop_map(|members| ("patternProperties", members)),
        schema.clone().prop_map(|schema| ("additionalProperties", schema)),
        schema.clone().prop_map(|schema| ("items", schema)),
        list(1..3).prop_map(|schemas| ("prefixItems", schemas)),
        list(1..4).prop_map(|schemas| ("anyOf", schemas)),
        list(1..4).prop_map(|schemas| ("allOf", schemas)),
        list(1..4).prop_map(|schemas| ("oneOf", schemas)),
        schema.clone().prop_map(|schema| ("not", schema)),
        schema.clone().prop_map(|schema| ("if", schema)),
        schema.clone().prop_map(|schema| ("then", schema)),
        schema.clone().prop_map(|schema| ("else", schema)),
        schema.clone().prop_map(|schema| ("contains", schema)),
        count().prop_map(|count| ("minContains", count)),
        count().prop_map(|count| ("maxContains", count)),
        schema.clone().prop_map(|schema| ("propertyNames", schema)),
        named(name().boxed()).prop_map(|members| ("dependentSchemas", members)),
        (name(), name()).prop_map(|(name, needed)| ("dependentRequired", json!({ name: [needed] }))),
        any::<bool>().prop_map(|unique| ("uniqueItems", unique.into())),
        schema.clone().prop_map(|schema| ("unevaluatedProperties", schema)),
        schema.clone().prop_map(|schema| ("unevaluatedItems", schema)),
        prop::sample::select(vec!["#/$defs/a", "#/$defs/b"]).prop_map(|target| ("$ref", target.into())),
    ];
    prop_oneof![scalars, nested]
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => type_names().prop_map(|types| json!({ "type": types })),
        1 => any::<bool>().prop_map(Value::from),
        1 => wishing(),
    ];
    nested(leaf.boxed(), &["date"])
}

/// Schemas of keywords around these.
fn nested(leaf: BoxedStrategy<Value>, formats: &'static [&'static str]) -> impl Strategy<Value = Value> {
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop::collection::vec(keyword(&inner.boxed(), formats), 1..5).prop_map(|keywords| {
            Value::Object(keywords.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
        })
    })
}

/// A schema object with two definitions, which may refer to each other.
pub(crate) fn document() -> impl Strategy<Value = Value> {
    (schema(), schema(), schema())
        .prop_map(|(root, a, b)| json!({"allOf": [root], "$defs": {"a": a, "b": b}}))
}

/// The same with a format that is not wholly known, in draft 4, which has no booleans for schemas, and whose
/// integers are not written as `1.0`.
pub(crate) fn doubtful_document() -> impl Strategy<Value = Value> {
    let leaf = || type_names().prop_map(|types| json!({ "type": types })).boxed();
    let schema = || nested(leaf(), &["date", "regex", "regex"]).prop_map(fit_for_draft_4);
    (schema(), schema(), schema()).prop_map(|(root, a, b)| {
        let draft = "http://json-schema.org/draft-04/schema#";
        json!({"$schema": draft, "allOf": [root], "$defs": {"a": a, "b": b}})
    })
}

/// Without what draft 4 calls malformed: bounds that exclude are booleans beside the bound, and something
/// must be required.
fn fit_for_draft_4(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(members) => {
            members.remove("exclusiveMaximum");
            members.retain(|name, value| name != "required" || *value != json!([]));
            members.values_mut().for_each(|member| *member = fit_for_draft_4(member.take()));
        }
        Value::Array(elements) => {
            elements.iter_mut().for_each(|element| *element = fit_for_draft_4(element.take()));
        }
        _ => {}
    }
    schema
}
