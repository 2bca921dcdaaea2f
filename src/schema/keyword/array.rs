//! Keywords for arrays.

use referencing::Draft;

use super::{Contains, Keyword, Keywords, SchemaError, Status, member};

type Outcome = Result<Status, SchemaError>;

/// One schema for the elements after the prefix; or, up to draft 2019-09, the prefix itself. The list means
/// the same in every dialect that has it, so it is taken in all of them: real schemas have it without saying
/// their dialect.
pub(super) fn items<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    if keyword.value.as_array().is_some() {
        if keyword.draft > Draft::Draft201909 && member(keyword.siblings, "prefixItems").is_some() {
            return Err(keyword.invalid("must be one schema beside `prefixItems`"));
        }
        keywords.arrays.prefix = keyword.schemas()?;
    } else {
        keywords.arrays.items = Some(keyword.schema()?);
    }
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn prefix_items<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keywords.arrays.prefix = keyword.schemas()?;
    keywords.constrains = true;
    Ok(Status::Exact)
}

/// Says something only beside a list of `items`.
pub(super) fn additional_items<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let schema = keyword.schema()?;
    if member(keyword.siblings, "items").is_some_and(|items| items.as_array().is_some()) {
        keywords.arrays.additional = Some(schema);
        keywords.constrains = true;
    }
    Ok(Status::Exact)
}

pub(super) fn min_items<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keywords.arrays.min_items = keyword.least()?;
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn max_items<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keywords.arrays.max_items = keyword.count()?;
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn unique_items<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keywords.arrays.unique =
        keyword.value.as_bool().ok_or_else(|| keyword.invalid("must be `true` or `false`"))?;
    keywords.constrains |= keywords.arrays.unique;
    Ok(Status::Exact)
}

/// With `minContains` and `maxContains`, where the dialect has them.
pub(super) fn contains<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let schema = keyword.schema()?;
    let has_counts = keyword.draft > Draft::Draft7;
    let min = keyword.beside("minContains").filter(|_| has_counts).map_or(Ok(1), |min| min.least())?;
    let max = keyword.beside("maxContains").filter(|_| has_counts).map_or(Ok(None), |max| max.count())?;
    keywords.arrays.contains = Some(Contains { schema, min, max });
    keywords.constrains = true;
    Ok(Status::Exact)
}

/// Read with the `contains` beside it, without which it says nothing.
pub(super) fn part_of_contains<'d>(_: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keyword.count()?;
    Ok(if member(keyword.siblings, "contains").is_some() { Status::Exact } else { Status::Annotation })
}

pub(super) fn unevaluated_items<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keywords.unevaluated.items = Some(keyword.schema()?);
    keywords.constrains = true;
    Ok(Status::Exact)
}
