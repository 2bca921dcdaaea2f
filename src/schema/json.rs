//! A JSON document that is only read: all of it in slices, strings as they stand in its text.
//!
//! Of a schema hardly anything is kept once it was compiled, so a `serde_json::Value`, in which each string
//! and each object is an allocation and each key is hashed, takes longer to make than most schemas to
//! compile.

use crate::recursion;

/// The most members of an object that are looked at one by one for a name, or compared with each other.
pub(super) const FEW: usize = 16;

/// A value of a document. Its parts live as long as the document's text and the [arena](super::read) that it
/// was read into.
#[derive(Clone, Copy, Debug)]
pub(super) enum Json<'d> {
    Null,
    Bool(bool),
    /// A number as it is written.
    Number(&'d str),
    String(&'d str),
    Array(&'d [Self]),
    /// Members in the order of the text; their names differ.
    Object(&'d [Member<'d>]),
}

/// A member of an object: its name and its value.
pub(super) type Member<'d> = (&'d str, Json<'d>);

impl<'d> Json<'d> {
    pub(super) fn as_bool(self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(value) } else { None }
    }

    pub(super) fn as_str(self) -> Option<&'d str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    pub(super) fn as_array(self) -> Option<&'d [Self]> {
        if let Self::Array(elements) = self { Some(elements) } else { None }
    }

    pub(super) fn as_object(self) -> Option<&'d [Member<'d>]> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// Whether it has parts.
    pub(super) fn is_container(self) -> bool {
        matches!(self, Self::Array(_) | Self::Object(_))
    }

    /// Whether it has the form of a schema.
    pub(super) fn is_schema(self) -> bool {
        matches!(self, Self::Bool(_) | Self::Object(_))
    }

    /// The member with this name, where it is an object that has one.
    pub(super) fn get(self, name: &str) -> Option<&'d Self> {
        member(self.as_object()?, name)
    }

    /// The length of its text without spaces.
    pub(super) fn text_len(self) -> usize {
        let list = |len: usize, count: usize| 2 + len + count.saturating_sub(1);
        match self {
            Self::Null | Self::Bool(true) => 4,
            Self::Bool(false) => 5,
            Self::Number(number) => number.len(),
            Self::String(text) => spelled_len(text),
            Self::Array(elements) => {
                let lens = elements.iter().map(|value| recursion::one_level(|| value.text_len()));
                list(lens.sum(), elements.len())
            }
            Self::Object(members) => {
                let len = |value: &Self| recursion::one_level(|| value.text_len());
                let lens = members.iter().map(|(name, value)| spelled_len(name) + 1 + len(value));
                list(lens.sum(), members.len())
            }
        }
    }
}

/// The same value, numbers written alike, whatever the order of members.
impl PartialEq for Json<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (*self, *other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(one), Self::Bool(other)) => one == other,
            (Self::Number(one), Self::Number(other)) | (Self::String(one), Self::String(other)) => {
                one == other
            }
            (Self::Array(one), Self::Array(other)) => recursion::one_level(|| one == other),
            (Self::Object(one), Self::Object(other)) => {
                one.len() == other.len() && recursion::one_level(|| by_name(one) == by_name(other))
            }
            _ => false,
        }
    }
}

fn by_name<'d>(members: &'d [Member<'d>]) -> Vec<Member<'d>> {
    let mut members = members.to_vec();
    members.sort_unstable_by_key(|&(name, _)| name);
    members
}

/// The member with this name. They are looked at one by one: most schemas have few, and hashing a name takes
/// longer.
pub(super) fn member<'d>(members: &'d [Member<'d>], name: &str) -> Option<&'d Json<'d>> {
    members.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// The length of a text as a JSON string, with the escapes that JSON needs.
pub(super) fn spelled_len(text: &str) -> usize {
    2 + text.bytes().map(|byte| 1 + escape_len(byte)).sum::<usize>()
}

/// By how much a byte grows when it is spelled.
pub(super) fn escape_len(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | 0x08 | 0x0c | b'\n' | b'\r' | b'\t' => 1,
        0x00..0x20 => 5,
        _ => 0,
    }
}
