//! Keywords for every type, and those that apply other schemas to the same value.

use referencing::Draft;

use super::{
    Applied, Condition, Json, Keyword, Keywords, Listed, Location, Reference, SchemaError, SchemaErrorKind,
    Status, member,
};
use crate::schema::reference::Unresolved;

type Outcome = Result<Status, SchemaError>;

/// A set of JSON types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schema) struct Types(u8);

impl Types {
    pub(in crate::schema) const NULL: Self = Self(1);
    pub(in crate::schema) const BOOLEAN: Self = Self(2);
    pub(in crate::schema) const INTEGER: Self = Self(4);
    /// Includes the integers.
    pub(in crate::schema) const NUMBER: Self = Self(8 | 4);
    pub(in crate::schema) const STRING: Self = Self(16);
    pub(in crate::schema) const ARRAY: Self = Self(32);
    pub(in crate::schema) const OBJECT: Self = Self(64);

    /// Whether all of these types are in the set.
    pub(in crate::schema) fn include(self, types: Self) -> bool {
        self.0 & types.0 == types.0
    }

    fn named(name: &str) -> Option<Self> {
        match name {
            "null" => Some(Self::NULL),
            "boolean" => Some(Self::BOOLEAN),
            "integer" => Some(Self::INTEGER),
            "number" => Some(Self::NUMBER),
            "string" => Some(Self::STRING),
            "array" => Some(Self::ARRAY),
            "object" => Some(Self::OBJECT),
            _ => None,
        }
    }
}

impl Default for Types {
    fn default() -> Self {
        Self(127)
    }
}

pub(super) fn types<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let names = match keyword.value {
        Json::Array(names) => names,
        name => std::slice::from_ref(name),
    };
    let mut types = Types(0);
    for name in names {
        let named = name.as_str().and_then(Types::named);
        types.0 |=
            named.ok_or_else(|| keyword.invalid("must be the name of a JSON type, or an array of them"))?.0;
    }
    keywords.types = types;
    keywords.integers_are_digits = keyword.draft == Draft::Draft4;
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn enumeration<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let values = keyword.value.as_array().ok_or_else(|| keyword.invalid("must be an array"))?;
    keywords.listed.push(Listed::Enum(keyword.value_location(), values));
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn constant<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keywords.listed.push(Listed::Const(keyword.value_location()));
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn reference<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let (target, _) = target(keyword)?;
    keywords.applied.push(Applied::Reference(Reference { target, dynamic: None }));
    Ok(Status::Exact)
}

/// Leads elsewhere only from an anchor that is dynamic.
pub(super) fn dynamic_reference<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let (target, text) = target(keyword)?;
    let anchor = text.split_once('#').map_or("", |(_, fragment)| fragment);
    let is_dynamic =
        keyword.reader.document.value(target).get("$dynamicAnchor").and_then(|name| name.as_str())
            == Some(anchor);
    keywords.applied.push(Applied::Reference(Reference { target, dynamic: is_dynamic.then_some(anchor) }));
    Ok(Status::Exact)
}

/// As draft 2019-09 has it: an anchor without a name.
pub(super) fn recursive_reference<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let (target, _) = target(keyword)?;
    let is_dynamic = keyword.reader.document.value(target).get("$recursiveAnchor") == Some(&Json::Bool(true));
    keywords.applied.push(Applied::Reference(Reference { target, dynamic: is_dynamic.then_some("") }));
    Ok(Status::Exact)
}

fn target<'d>(keyword: &mut Keyword<'_, 'd>) -> Result<(Location, &'d str), SchemaError> {
    let reference = keyword.value.as_str().ok_or_else(|| keyword.invalid("must be a string"))?;
    let message = match keyword.reader.document.resolve(keyword.location, reference) {
        Ok(target) => return Ok((target, reference)),
        Err(Unresolved::Unreadable(error)) => {
            let pointer = keyword.reader.document.pointer(keyword.location);
            return Err(error.behind(pointer, keyword.name, reference));
        }
        Err(Unresolved::Unknown) => "names no schema in the document, nor in another one that was given",
        Err(Unresolved::Ambiguous) => "is the name of several schemas that differ",
    };
    Err(keyword.error(SchemaErrorKind::UnknownReference, format!("refers to `{reference}`, which {message}")))
}

pub(super) fn all_of<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keywords.applied.extend(keyword.schemas()?.into_iter().map(Applied::All));
    Ok(Status::Exact)
}

pub(super) fn any_of<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let schemas = keyword.schemas()?;
    if schemas.is_empty() {
        return Err(keyword.invalid("must have at least one element"));
    }
    keywords.applied.push(Applied::Any(schemas));
    Ok(Status::Exact)
}

pub(super) fn one_of<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let schemas = keyword.schemas()?;
    if schemas.is_empty() {
        return Err(keyword.invalid("must have at least one element"));
    }
    keywords.applied.push(Applied::One(schemas));
    Ok(Status::Exact)
}

pub(super) fn not<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keywords.applied.push(Applied::Not(keyword.schema()?));
    Ok(Status::Exact)
}

/// Says something only with `then` or `else`.
pub(super) fn condition<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let when = keyword.schema()?;
    let (then, otherwise) = (keyword.sibling("then")?, keyword.sibling("else")?);
    keywords.applied.push(Applied::If(Condition { when, then, otherwise }));
    Ok(Status::Exact)
}

/// Read with the `if` beside it, without which it says nothing.
pub(super) fn part_of_condition<'d>(_: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keyword.schema()?;
    Ok(if member(keyword.siblings, "if").is_some() { Status::Exact } else { Status::Annotation })
}
