//! Values that must not be spelled again, by their kinds.
//!
//! An array whose elements must differ has more of them in each state. All kinds share what they can with the
//! state before; numbers and strings are read as automata as they are ([`Listed`]). Arrays and objects that
//! are still to be avoided are found anew when one begins.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::list::held_bytes;
use super::listed::{Listed, Word};
use super::number::Points;
use crate::schema::{Decimal, canonical};

/// Different values.
#[derive(Clone, Debug, Default, PartialEq, Hash)]
pub(super) struct Used {
    has_null: bool,
    has_false: bool,
    has_true: bool,
    numbers: Points,
    texts: Listed,
    nested: Listed<Nested>,
}

/// An array or object, by the text that equal values have. Whatever avoids it shares it: in an array of 1,000
/// objects that must differ, each has as many to avoid as there are before it.
#[derive(Clone, Debug)]
struct Nested {
    canonical: Arc<str>,
    parts: Parts,
    own_bytes: usize,
}

#[derive(Clone, Debug)]
enum Parts {
    Array(Arc<Vec<Value>>),
    Object(Arc<Map<String, Value>>),
}

impl Word for Nested {
    fn text(&self) -> &str {
        &self.canonical
    }

    fn own_bytes(&self) -> usize {
        self.own_bytes
    }
}

impl PartialEq for Nested {
    fn eq(&self, other: &Self) -> bool {
        self.canonical == other.canonical
    }
}

impl Eq for Nested {}

impl Hash for Nested {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.canonical.hash(state);
    }
}

impl Used {
    /// These values, which no state had before.
    pub(super) fn of<'v>(values: impl Iterator<Item = &'v Arc<Value>>) -> Self {
        let all = values.fold(Self::default(), |all, value| all.with(value));
        let (numbers, texts, nested) = (all.numbers.unshared(), all.texts.unshared(), all.nested.unshared());
        Self { numbers, texts, nested, ..all }
    }

    /// These and one more.
    pub(super) fn with(&self, value: &Arc<Value>) -> Self {
        let mut all = self.clone();
        let mut nest = |parts: Parts| {
            let canonical: Arc<str> = canonical(value).into();
            let own_bytes = canonical.len() + held_bytes(value);
            all.nested = self.nested.with(Nested { canonical, parts, own_bytes });
        };
        match &**value {
            Value::Array(elements) => nest(Parts::Array(Arc::new(elements.clone()))),
            Value::Object(members) => nest(Parts::Object(Arc::new(members.clone()))),
            Value::Null => all.has_null = true,
            Value::Bool(truth) => *(if *truth { &mut all.has_true } else { &mut all.has_false }) = true,
            Value::String(text) => all.texts = self.texts.with(text.as_str().into()),
            Value::Number(number) => all.numbers = self.numbers.with(&exactly(number)),
        }
        all
    }

    pub(super) fn has(&self, value: &Value) -> bool {
        match value {
            Value::Null => self.has_null,
            Value::Bool(truth) => self.has_bool(*truth),
            Value::String(text) => self.texts.find(text.as_bytes()).is_some(),
            Value::Number(number) => self.numbers.has_number(&exactly(number)),
            Value::Array(_) | Value::Object(_) => self.nested.find(canonical(value).as_bytes()).is_some(),
        }
    }

    pub(super) fn has_null(&self) -> bool {
        self.has_null
    }

    pub(super) fn has_bool(&self, truth: bool) -> bool {
        if truth { self.has_true } else { self.has_false }
    }

    pub(super) fn numbers(&self) -> &Points {
        &self.numbers
    }

    pub(super) fn texts(&self) -> &Listed {
        &self.texts
    }

    pub(super) fn arrays(&self) -> impl Iterator<Item = &Arc<Vec<Value>>> {
        self.nested.iter().filter_map(|nested| match &nested.parts {
            Parts::Array(elements) => Some(elements),
            Parts::Object(_) => None,
        })
    }

    pub(super) fn objects(&self) -> impl Iterator<Item = &Arc<Map<String, Value>>> {
        self.nested.iter().filter_map(|nested| match &nested.parts {
            Parts::Object(members) => Some(members),
            Parts::Array(_) => None,
        })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        let literals = [self.has_null, self.has_false, self.has_true].into_iter().filter(|has| *has).count();
        literals + self.numbers.len() + self.texts.len() + self.nested.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of memory that they do not share with those before the last value.
    pub(super) fn own_bytes(&self) -> usize {
        self.numbers.own_bytes() + self.texts.own_bytes() + self.nested.own_bytes()
    }
}

fn exactly(number: &serde_json::Number) -> Decimal {
    Decimal::from_number(number, usize::MAX)
        .expect("a numeral that was read has no exponent beyond all reason")
}
