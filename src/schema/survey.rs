//! What is seen of a whole document before any of it is read: one pass, as a large document is far from the caches each time.

use serde_json::Value;

use super::SchemaError;
use super::document::Step;
use super::reference::DYNAMIC_ANCHORS;
use crate::limits::{LimitExceeded, Limits};

/// The most schemas that room is made for ahead.
const ROOM: usize = 65_536;

/// What is known of a document.
#[derive(Default)]
pub(super) struct Survey {
    /// How many objects it has: roughly as many as there are schemas.
    objects: usize,
    /// Whether an anchor may be dynamic somewhere.
    pub has_dynamic_anchors: bool,
    /// Its text is no longer than this, without spaces.
    longest: usize,
}

impl Survey {
    /// Looks at all of a document, whose nesting and length have ceilings.
    pub(super) fn of(document: &Value, limits: &Limits) -> Result<Self, SchemaError> {
        let mut survey = Self::default();
        survey.look(document, limits.schema_depth).map_err(|steps| too_deep(steps, limits))?;
        let limit = limits.schema_bytes;
        match too_long(document, survey.longest, limit) {
            Some(given) => {
                let limit = LimitExceeded { what: "schema_bytes", limit, given };
                Err(SchemaError::limit_exceeded(String::new(), None, limit))
            }
            None => Ok(survey),
        }
    }

    /// For how many schemas room is made ahead. A document can be all objects and no schema, so there is an end to it.
    pub(super) fn room(&self) -> usize {
        self.objects.min(ROOM)
    }

    /// Looks at a value. Refuses what is nested deeper than `levels`, with the steps to it, the last one first: everything that
    /// follows the nesting of a document may then do so on the stack.
    fn look<'d>(&mut self, value: &'d Value, levels: usize) -> Result<(), Vec<Step<'d>>> {
        match value {
            Value::Object(members) => {
                self.objects += 1;
                self.longest += 2;
                for (key, inner) in members {
                    self.longest += longest(key) + 2;
                    self.has_dynamic_anchors |= DYNAMIC_ANCHORS.contains(&key.as_str());
                    self.inside(Step::Key(key), inner, levels)?;
                }
            }
            Value::Array(elements) => {
                self.longest += 2;
                for (index, inner) in (0..).zip(elements) {
                    self.longest += 1;
                    self.inside(Step::Index(index), inner, levels)?;
                }
            }
            Value::String(text) => self.longest += longest(text),
            Value::Number(number) => self.longest += number.as_str().len(),
            Value::Null | Value::Bool(_) => self.longest += 5,
        }
        Ok(())
    }

    fn inside<'d>(&mut self, step: Step<'d>, inner: &'d Value, levels: usize) -> Result<(), Vec<Step<'d>>> {
        let found = match levels {
            0 => Err(Vec::new()),
            _ => self.look(inner, levels - 1),
        };
        found.map_err(|mut steps| {
            steps.push(step);
            steps
        })
    }
}

/// The most that a string can take: an escape is six bytes.
fn longest(text: &str) -> usize {
    2 + 6 * text.len()
}

fn too_deep(steps: Vec<Step<'_>>, limits: &Limits) -> SchemaError {
    let limit = limits.schema_depth;
    let segments = steps.into_iter().rev().map(Step::segment);
    let pointer = segments.flat_map(|segment| ["/".into(), segment.into_string()]).collect();
    let limit = LimitExceeded { what: "schema_depth", limit, given: limit + 1 };
    SchemaError::limit_exceeded(pointer, None, limit)
}

/// The length of a value's text without spaces, where it is more than `limit`. Most documents are short enough without a look at each character.
fn too_long(value: &Value, longest: usize, limit: usize) -> Option<usize> {
    if longest <= limit { None } else { Some(text_len(value)).filter(|len| *len > limit) }
}

fn text_len(value: &Value) -> usize {
    let list = |len: usize, count: usize| 2 + len + count.saturating_sub(1);
    match value {
        Value::Null | Value::Bool(true) => 4,
        Value::Bool(false) => 5,
        Value::Number(number) => number.as_str().len(),
        Value::String(text) => string_len(text),
        Value::Array(elements) => list(elements.iter().map(text_len).sum(), elements.len()),
        Value::Object(members) => {
            let lens = members.iter().map(|(name, value)| string_len(name) + 1 + text_len(value));
            list(lens.sum(), members.len())
        }
    }
}

fn string_len(text: &str) -> usize {
    let escape = |byte: u8| match byte {
        b'"' | b'\\' | 0x08 | 0x0c | b'\n' | b'\r' | b'\t' => 1,
        0x00..0x20 => 5,
        _ => 0,
    };
    2 + text.len() + text.bytes().map(escape).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lengths_are_those_of_texts() {
        let check = |value: Value| {
            let len = value.to_string().len();
            let survey = Survey::of(&value, &Limits::default()).expect("within the limits");
            assert!(survey.longest >= len, "{value}");
            assert_eq!(too_long(&value, survey.longest, len), None, "{value}");
            assert_eq!(too_long(&value, survey.longest, len - 1), Some(len), "{value}");
        };
        check(json!(null));
        check(json!([]));
        check(json!([true, false, 1.5e300, -0.1, {}]));
        check(json!({"a\"\\/": "\u{0}\u{8}\t\n\u{c}\r\u{1f} \u{7f}é€😀", "b": [[], {"c": null}]}));
    }
}
