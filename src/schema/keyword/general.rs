//! Keywords for every type, and those that apply other schemas to the same value.

use serde_json::Value;

use super::{Applied, Keyword, Keywords, SchemaError, SchemaErrorKind, Status};

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
        Value::Array(names) => &names[..],
        name => std::slice::from_ref(name),
    };
    let nullable = keyword.siblings.get("nullable") == Some(&Value::Bool(true));
    let mut types = Types(if nullable { Types::NULL.0 } else { 0 });
    for name in names {
        let named = name.as_str().and_then(Types::named);
        types.0 |=
            named.ok_or_else(|| keyword.invalid("must be the name of a JSON type, or an array of them"))?.0;
    }
    keywords.types = types;
    keywords.constrains = true;
    Ok(Status::Exact)
}

/// OpenAPI: adds `null` to the `type` beside it, and is read with that.
pub(super) fn nullable<'d>(_: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    if !keyword.value.is_boolean() {
        return Err(keyword.invalid("must be `true` or `false`"));
    }
    Ok(Status::Exact)
}

pub(super) fn enumeration<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    if !keyword.value.is_array() {
        return Err(keyword.invalid("must be an array"));
    }
    keywords.enumerations.push(keyword.value_location());
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn constant<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keywords.constants.push(keyword.value_location());
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn reference<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let reference = keyword.value.as_str().ok_or_else(|| keyword.invalid("must be a string"))?;
    let target = keyword.reader.document.resolve(keyword.location, reference).ok_or_else(|| {
        let message = format!("refers to `{reference}`, which is not in the document");
        keyword.error(SchemaErrorKind::UnknownReference, message)
    })?;
    keywords.applied.push(Applied::Reference(target));
    Ok(Status::Exact)
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

pub(super) fn unsupported<'d>(_: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    Err(keyword.error(SchemaErrorKind::Unsupported, "is not supported yet"))
}
