//! Keywords for objects.

use super::{Applied, Json, Keyword, Keywords, Requirement, SchemaError, Status, Step, string};

type Outcome = Result<Status, SchemaError>;

pub(super) fn properties<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keywords.objects.properties = keyword.named_schemas()?;
    keywords.applied_before_members = keywords.applied.len();
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn pattern_properties<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    for (pattern, schema) in keyword.named_schemas()? {
        let names = string::names(keyword, pattern)?;
        keywords.objects.patterns.push((names, schema));
    }
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn additional_properties<'d>(
    keywords: &mut Keywords<'d>,
    keyword: &mut Keyword<'_, 'd>,
) -> Outcome {
    keywords.objects.additional = Some(keyword.schema()?);
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn required<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keywords.objects.required =
        names(keyword.value).ok_or_else(|| keyword.invalid("must be an array of names"))?;
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn min_properties<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keywords.objects.min_members = keyword.least()?;
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn max_properties<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keywords.objects.max_members = keyword.count()?;
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn property_names<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keywords.applied.push(Applied::Names(keyword.schema()?));
    Ok(Status::Exact)
}

pub(super) fn unevaluated_properties<'d>(
    keywords: &mut Keywords<'d>,
    keyword: &mut Keyword<'_, 'd>,
) -> Outcome {
    keywords.unevaluated.properties = Some(keyword.schema()?);
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn dependent_required<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let members = keyword.value.as_object().ok_or_else(|| keyword.invalid("must be an object"))?;
    for (name, needed) in members {
        let needed = names(needed).ok_or_else(|| keyword.invalid("must have arrays of names as members"))?;
        keywords.applied.push(Applied::Dependent(name, Requirement::Members(needed)));
    }
    Ok(Status::Exact)
}

pub(super) fn dependent_schemas<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let schemas = keyword.named_schemas()?.into_iter();
    keywords
        .applied
        .extend(schemas.map(|(name, schema)| Applied::Dependent(name, Requirement::Schema(schema))));
    Ok(Status::Exact)
}

/// As the older drafts have it: names or a schema.
pub(super) fn dependencies<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let members = keyword.value.as_object().ok_or_else(|| keyword.invalid("must be an object"))?;
    let map = keyword.value_location();
    for (name, needed) in members {
        let requirement = match names(needed) {
            Some(names) => Requirement::Members(names),
            None if needed.is_schema() => {
                Requirement::Schema(keyword.reader.document.child(map, Step::Key(name), needed))
            }
            None => return Err(keyword.invalid("must have schemas or arrays of names as members")),
        };
        keywords.applied.push(Applied::Dependent(name, requirement));
    }
    Ok(Status::Exact)
}

fn names<'d>(value: &Json<'d>) -> Option<Vec<&'d str>> {
    value.as_array()?.iter().map(|name| name.as_str()).collect()
}
