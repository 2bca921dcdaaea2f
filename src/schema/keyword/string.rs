//! Keywords for strings.

use std::sync::Arc;

use super::{Keyword, Keywords, SchemaError, SchemaErrorKind, Status};
use crate::formats;
use crate::regular::{Counted, Dfa, Pattern, PatternError, PatternErrorKind};
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
    let Texts { language, min_length, max_length } = texts(keyword, text)?;
    keywords.languages.push((language, None));
    narrow(keywords, min_length, max_length);
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

/// The texts of a pattern: those of a language within bounds.
#[derive(Clone)]
pub(super) struct Texts {
    language: Arc<Dfa>,
    min_length: u32,
    max_length: Option<u32>,
}

/// The texts of a pattern; equal patterns share them.
fn texts<'d>(keyword: &mut Keyword<'_, 'd>, source: &'d str) -> Result<Texts, SchemaError> {
    if let Some(known) = keyword.reader.texts.get(source) {
        return Ok(known.clone());
    }
    let pattern = parse(keyword, source)?;
    let counted = pattern.counted().unwrap_or(Counted { pattern, min_length: 0, max_length: None });
    let Counted { pattern, min_length, max_length } = counted;
    let texts = Texts { language: automaton(keyword, &pattern)?, min_length, max_length };
    keyword.reader.texts.insert(source, texts.clone());
    Ok(texts)
}

/// The names that match a pattern; equal patterns share them. Names are told apart by languages only.
pub(super) fn names<'d>(keyword: &mut Keyword<'_, 'd>, source: &'d str) -> Result<Arc<Dfa>, SchemaError> {
    if let Some(known) = keyword.reader.names.get(source) {
        return Ok(known.clone());
    }
    let pattern = parse(keyword, source)?;
    let names = automaton(keyword, &pattern)?;
    keyword.reader.names.insert(source, names.clone());
    Ok(names)
}

fn parse(keyword: &Keyword<'_, '_>, source: &str) -> Result<Pattern, SchemaError> {
    Pattern::parse_within(source, &keyword.reader.budget).map_err(|error| refusal(keyword, error))
}

fn automaton(keyword: &mut Keyword<'_, '_>, pattern: &Pattern) -> Result<Arc<Dfa>, SchemaError> {
    let states = keyword.reader.budget.limits().dfa_states;
    let language = pattern.to_dfa(states).map_err(|error| refusal(keyword, error))?;
    keyword.reader.budget.charge_states(language.states()).map_err(|limit| keyword.limit(limit))?;
    Ok(Arc::new(language))
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
