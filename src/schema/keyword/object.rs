//! Keywords for objects.

use serde_json::Value;

use super::{Keyword, Keywords, SchemaError, Status, general, string};

type Outcome = Result<Status, SchemaError>;

pub(super) fn properties<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    keywords.objects.properties = keyword.named_schemas()?;
    keywords.applied_before_members = keywords.applied.len();
    keywords.constrains = true;
    Ok(Status::Exact)
}

pub(super) fn pattern_properties<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    for (pattern, schema) in keyword.named_schemas()? {
        let language = string::language(keyword, pattern)?;
        keywords.objects.patterns.push((language, schema));
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
    let names = keyword.value.as_array().and_then(|names| names.iter().map(Value::as_str).collect());
    keywords.objects.required = names.ok_or_else(|| keyword.invalid("must be an array of names"))?;
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

pub(super) fn dependencies<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    match keyword.value {
        Value::Object(members) if members.is_empty() => Ok(Status::Exact),
        Value::Object(_) => general::unsupported(keywords, keyword),
        _ => Err(keyword.invalid("must be an object")),
    }
}
