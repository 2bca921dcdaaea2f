//! Keywords for strings.

use std::sync::Arc;

use super::{Keyword, Keywords, SchemaError, SchemaErrorKind, Status};
use crate::formats;
use crate::regular::{Dfa, Pattern, PatternError, PatternErrorKind};
use crate::schema::Formats;

type Outcome = Result<Status, SchemaError>;

pub(super) fn min_length<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let min = keyword.least()?;
    narrow(keywords, min, None);
    Ok(Status::Exact)
}

pub(super) fn max_length<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let max = keyword.count()?;
    narrow(keywords, 0, max);
    Ok(Status::Exact)
}

pub(super) fn pattern<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let text = keyword.value.as_str().ok_or_else(|| keyword.invalid("must be a string"))?;
    let language = language(keyword, text)?;
    keywords.languages.push((language, None));
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn format<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let name = keyword.value.as_str().ok_or_else(|| keyword.invalid("must be a string"))?;
    let format = match keyword.reader.formats {
        Formats::Assert => formats::format(name),
        Formats::Annotate => None,
    };
    let Some(format) = format else { return Ok(Status::Annotation) };
    keywords.languages.push((format.dfa.clone(), format.superset.clone()));
    narrow(keywords, format.min_length, format.max_length);
    Ok(Status::Exact)
}

/// A format may bound the length beside `minLength` and `maxLength`.
fn narrow(keywords: &mut Keywords<'_>, min: u32, max: Option<u32>) {
    let strings = &mut keywords.strings;
    strings.min_length = strings.min_length.max(min);
    strings.max_length = strings.max_length.into_iter().chain(max).min();
    keywords.constrains = true;
}

/// The language of a pattern; equal patterns share it.
pub(super) fn language<'d>(keyword: &mut Keyword<'_, 'd>, pattern: &'d str) -> Result<Arc<Dfa>, SchemaError> {
    if let Some(language) = keyword.reader.patterns.get(pattern) {
        return Ok(Arc::clone(language));
    }
    let states = keyword.reader.limits.dfa_states;
    let language = Pattern::parse(pattern).and_then(|pattern| pattern.to_dfa(states));
    let language = Arc::new(language.map_err(|error| refusal(keyword, error))?);
    keyword.reader.limits.charge_states(language.states()).map_err(|limit| keyword.limit(limit))?;
    keyword.reader.patterns.insert(pattern, Arc::clone(&language));
    Ok(language)
}

fn refusal(keyword: &Keyword<'_, '_>, error: PatternError) -> SchemaError {
    match error.kind {
        PatternErrorKind::TooLarge(limit) => keyword.limit(limit),
        PatternErrorKind::Lookaround | PatternErrorKind::Backreference => {
            keyword.error(SchemaErrorKind::Unsupported, error.to_string())
        }
        _ => keyword.error(SchemaErrorKind::Invalid, error.to_string()),
    }
}
