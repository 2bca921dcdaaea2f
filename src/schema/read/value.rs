//! From a `serde_json::Value`: its strings and numbers are pointed to where they are.

use serde_json::Value;

use super::super::document::Step;
use super::super::json::Json;
use super::{Fault, Reading};
use crate::recursion;

impl<'d> Reading<'d> {
    /// Reads a value that may be nested this much deeper.
    pub(super) fn value(&mut self, value: &'d Value, levels: usize) -> Result<Json<'d>, Fault> {
        let arena = self.arena;
        Ok(match value {
            Value::Null => self.null(),
            Value::Bool(value) => self.bool(*value),
            Value::Number(number) => self.number(number.as_str()),
            Value::String(text) => self.string(text),
            Value::Array(elements) => {
                let element = |(index, element)| self.part(Step::Index(index), element, levels);
                let elements = (0..u32::MAX).zip(elements).map(element);
                let elements = arena.alloc_slice_try_fill_iter(elements)?;
                self.array(elements)
            }
            Value::Object(members) => {
                let member = |(name, value): (&'d String, &'d Value)| {
                    self.part(Step::Key(name), value, levels).map(|value| (name.as_str(), value))
                };
                let members = arena.alloc_slice_try_fill_iter(members.iter().map(member))?;
                self.object(members)
            }
        })
    }

    fn part(&mut self, step: Step<'d>, part: &'d Value, levels: usize) -> Result<Json<'d>, Fault> {
        let read = match levels.checked_sub(1) {
            Some(levels) => recursion::one_level(|| self.value(part, levels)),
            None => Err(Fault::TooDeep),
        };
        read.map_err(|fault| self.through(step, fault))
    }
}
