//! A schema and a random walk, against `jsonschema` both ways: what is accepted is valid, and what is valid
//! is accepted.

use arbitrary::{Arbitrary, Unstructured};
use harmony_mask::automaton::Unit;
use harmony_mask::{Grammar, Matcher, Options, PropertyOrder};
use jsonschema::Validator;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::reproduction::json_target;
use crate::unique::Unique;
use crate::vocabulary::{SMALL, mask};
use crate::{schema, tokens};

/// A schema, values that may or may not be its, and choices of tokens.
#[derive(Serialize, Deserialize)]
pub struct Walk {
    schema: Value,
    values: Vec<Value>,
    choices: Vec<u16>,
}

json_target!(Walk, "walk");

impl Arbitrary<'_> for Walk {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> arbitrary::Result<Self> {
        let schema = schema::document(bytes)?;
        let values = (0..6).map(|_| schema::value(bytes, 2)).collect::<arbitrary::Result<_>>()?;
        Ok(Self { schema, values, choices: Vec::arbitrary(bytes)? })
    }
}

impl Walk {
    fn run(&self) {
        let Ok(validator) = jsonschema::options().should_validate_formats(true).build(&self.schema) else {
            return;
        };
        match grammar(&self.schema) {
            Verdict::Grammar(grammar) => {
                self.check_values(Some(&grammar), &validator);
                self.check_walk(&grammar, &validator);
            }
            Verdict::Empty => self.check_values(None, &validator),
            Verdict::Refused => {}
        }
    }

    /// Each value is accepted exactly where it is valid.
    fn check_values(&self, grammar: Option<&Grammar>, validator: &Validator) {
        for value in &self.values {
            let accepted =
                grammar.is_some_and(|grammar| accepts(&grammar.matcher(), value.to_string().as_bytes()));
            assert_eq!(accepted, validator.is_valid(value), "{value}");
        }
    }

    /// Every walk ends in a valid value.
    fn check_walk(&self, grammar: &Grammar, validator: &Validator) {
        let mut matcher = grammar.matcher();
        for choice in self.choices.iter().take(60) {
            let mask = mask(&matcher);
            assert!(mask.count() > 0 || matcher.is_finished(), "a dead end");
            let Some(token) = tokens::nth(&mask, *choice) else { break };
            matcher.accept(token).expect("the mask allows it");
        }
        for token in matcher.shortest_completion() {
            assert!(mask(&matcher).contains(token), "the shortest completion is not allowed");
            matcher.accept(token).expect("the shortest completion is accepted");
        }
        assert!(matcher.is_accepting());
        let text: Vec<u8> = matcher
            .tokens()
            .iter()
            .filter_map(|id| matcher.vocabulary().token_bytes(*id))
            .flatten()
            .copied()
            .collect();
        let text = String::from_utf8(text).expect("whole characters");
        let Unique(value) = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        if let Err(error) = validator.validate(&value) {
            panic!("{error}: {text}");
        }
    }
}

/// What became of a schema.
pub(crate) enum Verdict {
    Grammar(Grammar),
    /// It has no values.
    Empty,
    /// By a limit, or by the name of what is not supported.
    Refused,
}

pub(crate) fn grammar(schema: &Value) -> Verdict {
    let options = Options { property_order: PropertyOrder::Any, ..Options::default() };
    match SMALL.compile_schema(schema, &options) {
        Ok(grammar) => Verdict::Grammar(grammar),
        Err(error) => match error.kind() {
            "unsatisfiable" | "no_base_case" => Verdict::Empty,
            // Says nothing of values: distinct elements are counted from below, so there may be some where
            // too few are known. Where `uniqueItems` is to blame for anything else, such as having no value,
            // that is held against the schema as any other verdict is.
            "too_few_distinct" => Verdict::Refused,
            "limit" | "unsupported" | "circular_reference" => Verdict::Refused,
            _ => panic!("{error}"),
        },
    }
}

fn accepts(matcher: &Matcher, text: &[u8]) -> bool {
    let automaton = matcher.automaton();
    let start = matcher.residual().clone();
    let last = text.iter().try_fold(start, |residual, byte| automaton.step(&residual, Unit::Byte(*byte)));
    last.is_some_and(|residual| automaton.accepts(&residual))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Verdict, grammar};

    /// Only where it is not known whether there are enough elements is nothing compared: having no value is a
    /// verdict whatever keyword is to blame for it.
    #[test]
    fn what_unique_items_leaves_nothing_of_is_compared() {
        let contradiction = json!({"type": "array", "not": {"uniqueItems": true}, "uniqueItems": true});
        assert!(matches!(grammar(&contradiction), Verdict::Empty));
        // Two strings match, but strings of a pattern are only counted from below.
        let strings = json!({"type": "string", "pattern": "^[ab]$"});
        let too_few = json!({"type": "array", "items": strings, "minItems": 3, "uniqueItems": true});
        assert!(matches!(grammar(&too_few), Verdict::Refused));
    }
}
