//! A schema document as locations: a place in it, with the dialect and the resource that hold there.
//!
//! A location is made once per place, however it is reached, so it can stand for the schema found there.

use foldhash::{HashMap, HashMapExt};
use referencing::Draft;
use serde_json::Value;

use super::pointer::Pointers;
use super::reference::{DYNAMIC_ANCHORS, Index};

/// A place in the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Location(u32);

/// From a value to one inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step<'d> {
    Key(&'d str),
    Index(u32),
}

pub(super) struct Document<'d> {
    places: Vec<Place<'d>>,
    children: HashMap<(Location, Step<'d>), Location>,
    /// Documents that references may lead into, by URI.
    pub(super) given: &'d [(String, Value)],
    /// Names of resources and anchors; made when a reference first needs it.
    pub(super) index: Option<Index<'d>>,
}

/// What is known of a location.
#[derive(Clone, Copy)]
pub(super) struct Place<'d> {
    pub value: &'d Value,
    /// The location around it and the step from there; `None` for a root.
    pub origin: Option<(Location, Step<'d>)>,
    /// What the schema here calls itself: a URI, or an anchor (`#name`) in the drafts that spell anchors so.
    pub identifier: Option<&'d str>,
    /// Where the innermost schema with a URI of its own begins.
    pub resource: Location,
    pub draft: Draft,
}

impl Location {
    pub(super) const ROOT: Self = Self(0);

    pub(super) fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer locations than bytes of the document"))
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl<'d> Document<'d> {
    pub(super) fn new(value: &'d Value, given: &'d [(String, Value)]) -> Self {
        let mut document = Self { places: Vec::new(), children: HashMap::new(), given, index: None };
        document.add_root(value);
        if has_dynamic_anchors(value) {
            document.build_index();
        }
        document
    }

    /// Another document that references may lead into.
    pub(super) fn add_root(&mut self, value: &'d Value) -> Location {
        // A document that does not say its dialect has that of the one that leads to it.
        let around = self.places.first().map_or_else(Draft::default, |root| root.draft);
        let draft = dialect(value, around);
        let identifier = identifier(value, draft);
        self.push(Place { value, origin: None, identifier, resource: self.next(), draft })
    }

    pub(super) fn place(&self, location: Location) -> &Place<'d> {
        &self.places[location.index()]
    }

    pub(super) fn value(&self, location: Location) -> &'d Value {
        self.place(location).value
    }

    /// The location of `value`, which is one step inside `parent`.
    pub(super) fn child(&mut self, parent: Location, step: Step<'d>, value: &'d Value) -> Location {
        let next = self.next();
        let location = *self.children.entry((parent, step)).or_insert(next);
        if location == next {
            let Place { resource, draft, .. } = *self.place(parent);
            // The dialect around a schema says how it is identified; its own `$schema` counts only where it is a resource.
            let identifier = identifier(value, draft);
            let is_resource = identifier.is_some_and(|id| !id.starts_with('#'));
            let (resource, draft) =
                if is_resource { (next, dialect(value, draft)) } else { (resource, draft) };
            self.push(Place { value, origin: Some((parent, step)), identifier, resource, draft });
        }
        location
    }

    /// The location one step inside `parent`, where there is one.
    pub(super) fn descend(&mut self, parent: Location, segment: &str) -> Option<Location> {
        match self.value(parent) {
            Value::Object(members) => {
                let (key, value) = members.get_key_value(segment)?;
                Some(self.child(parent, Step::Key(key), value))
            }
            Value::Array(elements) => {
                let index: u32 = segment.parse().ok()?;
                Some(self.child(parent, Step::Index(index), elements.get(index as usize)?))
            }
            _ => None,
        }
    }

    /// The JSON pointer of a location.
    pub(super) fn pointer(&self, location: Location) -> String {
        let origins =
            std::iter::successors(self.place(location).origin, |(parent, _)| self.place(*parent).origin);
        let segments: Vec<_> = origins.map(|(_, step)| step.segment()).collect();
        segments.iter().rev().flat_map(|segment| ["/", &**segment]).collect()
    }

    /// All locations as JSON pointers that outlive the document.
    pub(super) fn pointers(&self) -> Pointers {
        Pointers::new(self.places.iter().map(|place| place.origin))
    }

    fn next(&self) -> Location {
        Location::new(self.places.len())
    }

    fn push(&mut self, place: Place<'d>) -> Location {
        let location = self.next();
        self.places.push(place);
        location
    }
}

/// Whether an anchor may be dynamic somewhere inside.
fn has_dynamic_anchors(value: &Value) -> bool {
    match value {
        Value::Object(members) => members
            .iter()
            .any(|(key, inner)| DYNAMIC_ANCHORS.contains(&key.as_str()) || has_dynamic_anchors(inner)),
        Value::Array(elements) => elements.iter().any(has_dynamic_anchors),
        _ => false,
    }
}

/// The dialect that `$schema` names, or the one around it.
fn dialect(value: &Value, around: Draft) -> Draft {
    match around.detect(value) {
        Draft::Unknown => around,
        known => known,
    }
}

fn identifier(value: &Value, draft: Draft) -> Option<&str> {
    let schema = value.as_object()?;
    let hidden = draft <= Draft::Draft7 && schema.contains_key("$ref");
    if hidden { None } else { schema.get(draft.id_keyword())?.as_str() }
}

/// The length of a value's text without spaces, where it is more than `limit`.
pub(super) fn too_long(value: &Value, limit: usize) -> Option<usize> {
    // An escape is six bytes at most, so most documents are short enough without a look at each character.
    let longest = |text: &str| 2 + 6 * text.len();
    if text_len(value, &longest) <= limit {
        return None;
    }
    Some(text_len(value, &string_len)).filter(|len| *len > limit)
}

fn text_len(value: &Value, string: &impl Fn(&str) -> usize) -> usize {
    let list = |len: usize, count: usize| 2 + len + count.saturating_sub(1);
    match value {
        Value::Null | Value::Bool(true) => 4,
        Value::Bool(false) => 5,
        Value::Number(number) => number.as_str().len(),
        Value::String(text) => string(text),
        Value::Array(elements) => {
            list(elements.iter().map(|element| text_len(element, string)).sum(), elements.len())
        }
        Value::Object(members) => {
            let lens = members.iter().map(|(name, value)| string(name) + 1 + text_len(value, string));
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

/// The steps to the first value that is nested deeper than `levels`.
pub(super) fn too_deep(value: &Value, levels: usize) -> Option<Vec<Step<'_>>> {
    let deeper = |step, inner| {
        let mut steps = match levels {
            0 => Vec::new(),
            _ => too_deep(inner, levels - 1)?,
        };
        steps.push(step);
        Some(steps)
    };
    match value {
        Value::Object(members) => members.iter().find_map(|(key, inner)| deeper(Step::Key(key), inner)),
        Value::Array(elements) => {
            (0..).zip(elements).find_map(|(index, inner)| deeper(Step::Index(index), inner))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lengths_are_those_of_texts() {
        let check = |value: Value| {
            let len = value.to_string().len();
            assert_eq!(too_long(&value, len), None, "{value}");
            assert_eq!(too_long(&value, len - 1), Some(len), "{value}");
        };
        check(json!(null));
        check(json!([]));
        check(json!([true, false, 1.5e300, -0.1, {}]));
        check(json!({"a\"\\/": "\u{0}\u{8}\t\n\u{c}\r\u{1f} \u{7f}é€😀", "b": [[], {"c": null}]}));
    }
}
