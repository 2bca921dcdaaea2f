//! Keywords for strings.

use std::sync::Arc;

use super::{Keyword, Keywords, SchemaError, SchemaErrorKind, Status};
use crate::regular::{self, Dfa, Pattern};
use crate::schema::Formats;

type Outcome = Result<Status, SchemaError>;

pub(super) fn min_length<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keywords.strings.min_length = keyword.least()?;
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn max_length<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keywords.strings.max_length = keyword.count()?;
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn pattern<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let text = keyword.value.as_str().ok_or_else(|| keyword.invalid("must be a string"))?;
    let language = language(keyword, text)?;
    keywords.languages.push(language);
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn format<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let name = keyword.value.as_str().ok_or_else(|| keyword.invalid("must be a string"))?;
    let format = match keyword.reader.formats {
        Formats::Assert => regular::format(name),
        Formats::Annotate => None,
    };
    let Some(format) = format else { return Ok(Status::Annotation) };
    keywords.languages.push(format.dfa);
    keywords.constrains = true;
    Ok(Status::Exact)
}

/// The language of a pattern; equal patterns share it.
pub(super) fn language<'d>(keyword: &mut Keyword<'_, 'd>, pattern: &'d str) -> Result<Arc<Dfa>, SchemaError> {
    if let Some(language) = keyword.reader.patterns.get(pattern) {
        return Ok(Arc::clone(language));
    }
    let parsed = Pattern::parse(pattern)
        .map_err(|error| keyword.error(SchemaErrorKind::Invalid, error.to_string()))?;
    let states = keyword.reader.limits.dfa_states;
    let language = Arc::new(parsed.to_dfa(states).map_err(|limit| keyword.limit(limit))?);
    keyword.reader.patterns.insert(pattern, Arc::clone(&language));
    Ok(language)
}
