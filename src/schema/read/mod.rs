//! Reading a document into an arena, from its text or from a `serde_json::Value`; and what is seen of all of
//! it on the way, as a large document is far from the caches each time that it is gone through.
//!
//! The two are read by code of their own: a visitor for both took as long for a `Value` as for a text.

mod text;
mod value;

use bumpalo::Bump;
use serde_json::Value;

use super::document::Step;
use super::error::{SchemaError, SchemaErrorKind};
use super::json::{Json, Member};
use super::reference::DYNAMIC_ANCHORS;
use crate::limits::{LimitExceeded, Limits};

/// The most schemas that room is made for ahead.
const ROOM: usize = 65_536;

/// What a schema is read from.
///
/// From its text is faster: hardly anything of a schema outlives the compilation, so a `Value`, each of whose
/// strings is an allocation, is made for nothing. With what it takes to make and to free the `Value`,
/// compiling from the text takes 0.85 of the time (MaskBench, mean).
///
/// ```
/// # use harmony_mask::{Limits, schema::{Schema, SchemaErrorKind, SchemaOptions}};
/// let read = |text: &str| Schema::read(text, &SchemaOptions::default(), &Limits::default());
/// assert!(read(r#"{"type": "string"}"#)?.admits(&"text".into()));
/// assert_eq!(read(r#"{"type": "#).unwrap_err().kind(), SchemaErrorKind::NotJson);
/// # Ok::<(), harmony_mask::schema::SchemaError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum SchemaSource<'s> {
    /// A value that was read before.
    Value(&'s Value),
    /// JSON. Of members with one name the last one counts, as `serde_json` has it.
    Text(&'s str),
}

impl<'s> From<&'s Value> for SchemaSource<'s> {
    fn from(value: &'s Value) -> Self {
        Self::Value(value)
    }
}

impl<'s> From<&'s str> for SchemaSource<'s> {
    fn from(text: &'s str) -> Self {
        Self::Text(text)
    }
}

impl<'s> From<&'s String> for SchemaSource<'s> {
    fn from(text: &'s String) -> Self {
        Self::Text(text)
    }
}

/// A document, and what was seen of it.
#[derive(Clone, Copy)]
pub(super) struct Tree<'d> {
    pub root: &'d Json<'d>,
    seen: Seen,
}

/// What was seen of a document.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// How many objects it has: roughly as many as there are schemas.
    objects: usize,
    /// Whether an anchor may be dynamic somewhere.
    has_dynamic_anchors: bool,
    /// Its text is no longer than this, without spaces.
    longest: usize,
}

/// Why a document was not read.
enum Fault {
    NotJson(serde_json::Error),
    TooDeep,
}

impl<'d> Tree<'d> {
    /// Reads a document, whose nesting and length have ceilings: everything that follows the nesting of a
    /// document may then do so on the stack.
    pub(super) fn read(
        source: SchemaSource<'d>,
        arena: &'d Bump,
        limits: &Limits,
    ) -> Result<Self, SchemaError> {
        let mut reading = Reading { arena, seen: Seen::default(), way: Vec::new() };
        let root = match source {
            SchemaSource::Value(value) => reading.value(value, limits.schema_depth),
            SchemaSource::Text(text) => reading.text(text, limits.schema_depth),
        };
        let root = root.map_err(|fault| reading.refusal(&fault, limits))?;
        let tree = Self { root: arena.alloc(root), seen: reading.seen };
        tree.check_length(limits.schema_bytes)?;
        Ok(tree)
    }

    /// For how many schemas room is made ahead. A document can be all objects and no schema, so there is an
    /// end to it.
    pub(super) fn room(&self) -> usize {
        self.seen.objects.min(ROOM)
    }

    /// Whether an anchor may be dynamic somewhere.
    pub(super) fn has_dynamic_anchors(&self) -> bool {
        self.seen.has_dynamic_anchors
    }

    /// Most documents are short enough without a look at each character.
    fn check_length(&self, limit: usize) -> Result<(), SchemaError> {
        let given = if self.seen.longest <= limit { 0 } else { self.root.text_len() };
        if given <= limit {
            return Ok(());
        }
        let limit = LimitExceeded { what: "schema_bytes", limit, given };
        Err(SchemaError::limit_exceeded(String::new(), None, limit))
    }
}

/// A document that is being read.
struct Reading<'d> {
    arena: &'d Bump,
    seen: Seen,
    /// The steps to where reading ended early, the last one first.
    way: Vec<Step<'d>>,
}

impl<'d> Reading<'d> {
    fn null(&mut self) -> Json<'d> {
        self.seen.longest += 4;
        Json::Null
    }

    fn bool(&mut self, value: bool) -> Json<'d> {
        self.seen.longest += 5;
        Json::Bool(value)
    }

    fn number(&mut self, written: &'d str) -> Json<'d> {
        self.seen.longest += written.len();
        Json::Number(written)
    }

    fn string(&mut self, text: &'d str) -> Json<'d> {
        self.seen.longest += longest(text);
        Json::String(text)
    }

    fn array(&mut self, elements: &'d [Json<'d>]) -> Json<'d> {
        self.seen.longest += 2 + elements.len();
        Json::Array(elements)
    }

    fn object(&mut self, members: &'d [Member<'d>]) -> Json<'d> {
        self.seen.objects += 1;
        self.seen.longest += 2;
        for (name, _) in members {
            self.seen.longest += longest(name) + 2;
            self.seen.has_dynamic_anchors |= DYNAMIC_ANCHORS.contains(name);
        }
        Json::Object(members)
    }

    /// Notes the way to an error.
    fn through<E>(&mut self, step: Step<'d>, error: E) -> E {
        self.way.push(step);
        error
    }

    fn refusal(&self, fault: &Fault, limits: &Limits) -> SchemaError {
        if let Fault::NotJson(error) = fault {
            return SchemaError::new(
                SchemaErrorKind::NotJson,
                String::new(),
                None,
                format!("not JSON: {error}"),
            );
        }
        let limit = limits.schema_depth;
        let segments = self.way.iter().rev().map(|step| step.segment());
        let pointer = segments.flat_map(|segment| ["/".into(), segment.into_string()]).collect();
        let limit = LimitExceeded { what: "schema_depth", limit, given: limit + 1 };
        SchemaError::limit_exceeded(pointer, None, limit)
    }
}

/// The most that a string can take: an escape is six bytes.
fn longest(text: &str) -> usize {
    2 + 6 * text.len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::json::member;
    use super::*;

    fn read<'d>(source: impl Into<SchemaSource<'d>>, arena: &'d Bump) -> Result<Tree<'d>, SchemaError> {
        Tree::read(source.into(), arena, &Limits::default())
    }

    /// A text and the value that `serde_json` makes of it are read alike, members in the same order.
    #[track_caller]
    fn check_alike(text: &str) {
        let value: Value = serde_json::from_str(text).expect("JSON");
        let arena = Bump::new();
        let (text, value) = (read(text, &arena).expect("a text"), read(&value, &arena).expect("a value"));
        assert_eq!(format!("{:?}", text.root), format!("{:?}", value.root));
        assert_eq!(text.root, value.root);
    }

    #[test]
    fn texts_and_values_are_read_alike() {
        check_alike("null");
        check_alike(" [ true , false, [ ], { } ] ");
        check_alike(r#"["", "a", "\"\\\/\b\f\n\r\t\u0041\ud83c\udf89", "é€😀"]"#);
        check_alike(r#"[0, -0, 1.0, -0.10, 1e5, 1E5, 1E+5, 1.5e300, 1e400, -1e-400]"#);
        check_alike("[18446744073709551615, -9223372036854775808, 340282366920938463463374607431768211456]");
        check_alike(r#"{"b": 1, "a": {"b": 2}, "": [{"$dynamicAnchor": "a"}]}"#);
        check_alike(r#"{"a": 1, "b": 2, "\u0061": 3, "c": 4, "b": {"d": 5, "d": 6}}"#);
        let members: Vec<_> = (0..48).map(|number| format!("\"{}\": {number}", number % (32))).collect();
        check_alike(&format!("{{{}}}", members[..17].join(",")));
        check_alike(&format!("{{{}}}", members.join(",")));
    }

    #[test]
    fn numbers_are_those_that_were_made_as_well() {
        let check = |value: Value, written: &str| {
            let arena = Bump::new();
            assert_eq!(read(&value, &arena).expect("a number").root, &Json::Number(written));
        };
        check(json!(7), "7");
        check(json!(-7_i64), "-7");
        check(json!(u64::MAX), "18446744073709551615");
        check(json!(0.5), "0.5");
        check(json!(1e300), "1e+300");
    }

    #[test]
    fn of_members_with_one_name_the_last_one_counts() {
        let arena = Bump::new();
        let tree = read(r#"{"a": 1, "b": 2, "a": 3}"#, &arena).expect("JSON");
        let expected = [("a", Json::Number("3")), ("b", Json::Number("2"))];
        assert_eq!(tree.root.as_object().expect("an object"), expected);
    }

    #[test]
    fn values_are_equal_whatever_the_order_of_members() {
        let arena = Bump::new();
        let tree = read(r#"[{"a": [1], "b": {}}, {"b": {}, "a": [1]}, {"a": [1], "c": {}}]"#, &arena);
        let elements = tree.expect("JSON").root.as_array().expect("an array");
        assert_eq!(elements[0], elements[1]);
        assert_ne!(elements[0], elements[2]);
        assert_eq!(member(elements[0].as_object().expect("an object"), "c"), None);
    }

    /// What is no JSON is refused where it stands in the text.
    #[test]
    fn what_is_no_json() {
        let check = |text: &str, place: &str| {
            let arena = Bump::new();
            let error = read(text, &arena).err().unwrap_or_else(|| panic!("{text} was read"));
            assert_eq!((error.kind(), error.pointer()), (SchemaErrorKind::NotJson, ""), "{text}");
            assert!(error.to_string().ends_with(place), "{error}");
        };
        check("", "line 1 column 0");
        check("{\n\"a\" 1}", "line 2 column 5");
        check("{} {}", "line 1 column 4");
        check("[1,]", "line 1 column 4");
        check("[01]", "line 1 column 3");
        check("['a']", "line 1 column 2");
        check(r#"["\ud83c"]"#, "line 1 column 9");
        check("\"a\nb\"", "line 2 column 0");
        check(&"[".repeat(100), "line 1 column 100");
        // `serde_json` itself takes this name for its own.
        check(r#"{"$serde_json::private::Number": {}}"#, "line 1 column 33");
    }

    /// The ceiling of levels is the one that was set, not that of `serde_json`.
    #[test]
    fn what_is_nested_too_deeply() {
        let nested =
            |levels: usize| format!("{}0{}", "{\"a/b\": [".repeat(levels / 2), "]}".repeat(levels / 2));
        let check = |levels: usize, limit: usize| {
            let (arena, text) = (Bump::new(), nested(levels));
            let limits = Limits { schema_depth: limit, ..Limits::default() };
            let mut reader = serde_json::Deserializer::from_str(&text);
            reader.disable_recursion_limit();
            let value = serde::Deserialize::deserialize(&mut reader).expect("JSON");
            for source in [SchemaSource::Text(&text), SchemaSource::Value(&value)] {
                let outcome = Tree::read(source, &arena, &limits);
                if levels <= limit {
                    assert!(outcome.is_ok(), "{levels} of {limit}");
                    continue;
                }
                let error = outcome.err().expect("too deep");
                let steps = ["/a~1b", "/0"].iter().cycle().take(limit + 1);
                assert_eq!(error.pointer(), steps.copied().collect::<String>());
                let expected = LimitExceeded { what: "schema_depth", limit, given: limit + 1 };
                assert_eq!(error.limit(), Some(&expected));
            }
        };
        check(200, 200);
        check(200, 199);
        check(2_000, 256);
        check(2, 1);
        check(2, 0);
    }

    #[test]
    fn lengths_are_those_of_texts() {
        let check = |value: Value| {
            let (arena, len) = (Bump::new(), value.to_string().len());
            let tree = read(&value, &arena).expect("within the limits");
            assert!(tree.seen.longest >= len, "{value}");
            assert!(tree.check_length(len).is_ok(), "{value}");
            let error = tree.check_length(len - 1).expect_err("longer");
            let expected = LimitExceeded { what: "schema_bytes", limit: len - 1, given: len };
            assert_eq!(error.limit(), Some(&expected), "{value}");
        };
        check(json!(null));
        check(json!([]));
        check(json!([true, false, 1.5e300, -0.1, {}]));
        check(json!({"a\"\\/": "\u{0}\u{8}\t\n\u{c}\r\u{1f} \u{7f}é€😀", "b": [[], {"c": null}]}));
    }
}
