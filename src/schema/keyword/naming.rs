//! Keywords that say how a schema is read and what it is called: they constrain no value.
//!
//! What looks for names passes over those of a wrong form, so that they are refused is up to these.

use referencing::Draft;

use super::{Keyword, Keywords, SchemaError, Status};

type Outcome = Result<Status, SchemaError>;

/// `$schema` and identifiers. A text that is no URI names nothing.
pub(super) fn text<'d>(_: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keyword.value.as_str().ok_or_else(|| keyword.invalid("must be a string"))?;
    Ok(Status::Annotation)
}

pub(super) fn anchor<'d>(_: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let name = keyword.value.as_str().ok_or_else(|| keyword.invalid("must be a string"))?;
    if !is_anchor(name, keyword.draft) {
        return Err(keyword.invalid("must be a name: a letter, then letters, digits, `-`, `_` and `.`"));
    }
    Ok(Status::Annotation)
}

/// Draft 2019-09 has colons in anchors; later ones have none, but may begin with `_`.
fn is_anchor(name: &str, draft: Draft) -> bool {
    let is_old = draft <= Draft::Draft201909;
    let is_first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_' && !is_old;
    let is_next = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) || byte == b':' && is_old;
    name.bytes().next().is_some_and(is_first) && name.bytes().skip(1).all(is_next)
}

pub(super) fn recursive_anchor<'d>(_: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keyword.value.as_bool().ok_or_else(|| keyword.invalid("must be `true` or `false`"))?;
    Ok(Status::Annotation)
}

/// Definitions and vocabularies. A definition is read where a reference leads to it, and what else stands
/// among definitions in real documents does no harm; which vocabularies count is up to the dialect.
pub(super) fn members<'d>(_: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keyword.value.as_object().ok_or_else(|| keyword.invalid("must be an object"))?;
    Ok(Status::Annotation)
}
