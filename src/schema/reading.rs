//! How objects that fail to be something are told apart, and which way is tried when.
//!
//! What is not in an object cell fails somewhere: a member is missing, or has another value, or is there and
//! must not be. As cells of their own these parts exclude each other, so branches with a tag add up; but where
//! any of several members may be missing, they multiply. As one cell with a [wish](super::granted) they do not
//! multiply, but what told the next branch apart is forgotten: no way is best for all. So a schema is read
//! with the parts as cells while these are few, else with wishes, and with any number of cells where that is
//! too much, too.

use super::Schema;
use super::SchemaOptions;
use super::error::SchemaError;
use super::read::SchemaSource;
use crate::limits::{Budget, Limits};

/// How objects are told apart that fail to be something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Each part that may fail is a cell of its own, while objects have no more alternatives than `most`.
    Apart { most: usize },
    /// The parts that may fail are one cell, while it has room for wishes.
    Together,
}

/// More alternatives are made only where there is no other way: each makes masks slower. Many of those that are
/// made exclude each other, which is seen a little later: 280 become 47 in `Github_trivial---o63308` of
/// MaskBench.
const MOST_APART: usize = 384;

/// What is exceeded where a reading is given up for another one. No field of [`Limits`]: the last reading has
/// no such ceiling.
pub(super) const ALTERNATIVES_APART: &str = "alternatives_apart";

impl Schema {
    /// Reads a document in the first way that does not make too much of it.
    pub(super) fn read_anyhow(
        document: SchemaSource<'_>,
        options: &SchemaOptions,
        budget: &Budget,
    ) -> Result<Self, SchemaError> {
        let most = MOST_APART.min(budget.limits().alternatives);
        let few = Self::read_in(Reading::Apart { most }, document, options, budget);
        let is_given_up =
            |error: &SchemaError| error.limit().is_some_and(|limit| limit.what == ALTERNATIVES_APART);
        if !few.as_ref().is_err_and(is_given_up) {
            return few;
        }
        // What is done in vain counts, too, so there must be something left for the last reading.
        let limits = budget.limits();
        let nodes = Limits { schema_nodes: limits.schema_nodes.div_ceil(2), ..limits.clone() };
        let half = budget.with_limits(Limits { work: budget.spent() + budget.left() / 2, ..nodes });
        let together = Self::read_in(Reading::Together, document, options, &half);
        match together.as_ref().is_err_and(|error| error.limit().is_some()) {
            true => Self::read_in(Reading::Apart { most: usize::MAX }, document, options, budget),
            false => together,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;

    const NAMES: [&str; 3] = ["a", "b", "c"];

    fn value() -> impl Strategy<Value = Value> {
        prop::sample::select(vec![
            json!({"type": "integer"}),
            json!({"type": "string"}),
            json!({"pattern": "x", "type": "string"}),
            json!({"enum": [0, "x"]}),
            json!({"anyOf": [{"const": "y"}, {"items": {"type": ["integer", "string"]}, "type": "array"}]}),
            json!(true),
            json!(false),
        ])
    }

    fn branch() -> impl Strategy<Value = Value> {
        let members = prop::collection::vec((value(), any::<bool>()), NAMES.len());
        let others = prop_oneof![3 => Just(json!(true)), 1 => value()];
        let names = prop::sample::subsequence(NAMES.to_vec(), 0..=NAMES.len());
        (names, members, others).prop_map(|(names, members, others)| {
            let required: Vec<_> = names.iter().zip(&members).filter(|(_, member)| member.1).collect();
            let required: Vec<_> = required.into_iter().map(|(name, _)| *name).collect();
            let properties = names.into_iter().zip(members).map(|(name, member)| (name.to_owned(), member.0));
            json!({"properties": Map::from_iter(properties), "required": required, "additionalProperties": others})
        })
    }

    fn schema() -> impl Strategy<Value = Value> {
        let branches = || prop::collection::vec(branch(), 2..5);
        let implication =
            (branch(), branch()).prop_map(|(condition, then)| json!({"if": condition, "then": then}));
        let schema = prop_oneof![
            3 => branches().prop_map(|branches| json!({"oneOf": branches})),
            1 => branches().prop_map(|branches| json!({"not": {"anyOf": branches}})),
            1 => prop::collection::vec(implication, 2..5).prop_map(|all| json!({"allOf": all})),
        ];
        (schema, 0_u32..3).prop_map(|(mut schema, least)| {
            schema["type"] = json!("object");
            if least > 0 {
                schema["minProperties"] = json!(least);
            }
            schema
        })
    }

    /// Objects of three names, one of them no branch's, that are missing or have one of some values.
    fn objects() -> Vec<Value> {
        let values = [None, Some(json!(0)), Some(json!("x")), Some(json!("y")), Some(json!(["x", 1]))];
        let mut objects = vec![Map::new()];
        for name in ["a", "b", "d"] {
            let with = |object: &Map<String, Value>, value: &Option<Value>| {
                let mut object = object.clone();
                object.extend(value.clone().map(|value| (name.to_owned(), value)));
                object
            };
            objects =
                objects.iter().flat_map(|object| values.iter().map(|value| with(object, value))).collect();
        }
        objects.into_iter().map(Value::from).collect()
    }

    fn read(reading: Reading, document: &Value) -> Result<Schema, SchemaError> {
        Schema::read_in(reading, document.into(), &SchemaOptions::default(), &(&Limits::default()).into())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]
        /// Which reading it was can be told neither from what is allowed, nor from how short that is, nor from
        /// what is wrong.
        #[test]
        fn both_readings_allow_the_same(document in schema()) {
            let apart = read(Reading::Apart { most: usize::MAX }, &document);
            let together = read(Reading::Together, &document);
            match (&apart, &together) {
                (Ok(apart), Ok(together)) => {
                    // Where members are counted, lengths are only such as surely suffice.
                    let lens = [&apart, &together].map(|schema| schema.least_len(schema.root()));
                    prop_assert!(lens[0] == lens[1] || document.get("minProperties").is_some(), "{:?}", lens);
                    for object in objects() {
                        prop_assert_eq!(apart.admits(&object), together.admits(&object), "{}", object);
                    }
                }
                (Err(apart), Err(together)) => prop_assert_eq!(apart.kind(), together.kind()),
                _ => prop_assert!(false, "{:?} apart, {:?} together", apart.err(), together.err()),
            }
        }
    }

    /// A reading is given up for the sake of objects that are told apart, and for nothing else.
    #[test]
    fn other_alternatives_are_no_reason_to_read_again() {
        let numbers = json!({"enum": (0..MOST_APART + 1).collect::<Vec<_>>()});
        let few = read(Reading::Apart { most: MOST_APART }, &json!({"properties": {"a": numbers}}));
        assert!(few.is_ok());
        let either =
            |name: &str| json!({"anyOf": [{"required": [name]}, {"properties": {name: {"type": "null"}}}]});
        let names: Vec<String> = (0..9).map(|name| name.to_string()).collect();
        let document =
            json!({"type": "object", "allOf": names.iter().map(|name| either(name)).collect::<Vec<_>>()});
        let error = read(Reading::Apart { most: MOST_APART }, &document).expect_err("512 alternatives");
        assert_eq!(error.limit().map(|limit| limit.what), Some(ALTERNATIVES_APART));
        assert!(read(Reading::Together, &document).is_ok());
    }

    /// What the second reading finds out is not laid to the number of alternatives.
    #[test]
    fn verdicts_of_the_second_reading_are_kept() {
        let branch = |number: usize| {
            let names = (0..5).map(|member| format!("m{number}{member}"));
            let properties = names.clone().map(|name| (name, json!({"type": "string"})));
            let itself = ("itself".to_owned(), json!({"$ref": "#"}));
            let properties = Map::from_iter(properties.chain([itself]));
            json!({"properties": properties, "required": Vec::from_iter(names.chain(["itself".to_owned()]))})
        };
        let document = json!({"type": "object", "oneOf": Vec::from_iter((0..8).map(branch))});
        let options = SchemaOptions::default();
        let error = Schema::read(&document, &options, &Limits::default()).expect_err("without end");
        assert_eq!(error.kind(), crate::schema::SchemaErrorKind::NoBaseCase, "{error}");
    }
}
