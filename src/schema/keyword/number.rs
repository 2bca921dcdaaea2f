//! Keywords for numbers.

use referencing::Draft;

use super::{Json, Keyword, Keywords, SchemaError, SchemaErrorKind, Status, member};
use crate::schema::decimal::Decimal;
use crate::schema::numbers;
use crate::schema::values::{Bound, Numbers};

type Outcome = Result<Status, SchemaError>;

pub(super) fn minimum<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let inclusive = !is_made_exclusive(keyword, "exclusiveMinimum");
    add_lower(keywords, keyword.number()?, inclusive);
    Ok(Status::Exact)
}

pub(super) fn maximum<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let inclusive = !is_made_exclusive(keyword, "exclusiveMaximum");
    add_upper(keywords, keyword.number()?, inclusive);
    Ok(Status::Exact)
}

pub(super) fn exclusive_minimum<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    if !is_draft4_flag(keyword)? {
        add_lower(keywords, keyword.number()?, false);
    }
    Ok(Status::Exact)
}

pub(super) fn exclusive_maximum<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    if !is_draft4_flag(keyword)? {
        add_upper(keywords, keyword.number()?, false);
    }
    Ok(Status::Exact)
}

pub(super) fn multiple_of<'d>(keywords: &mut Keywords<'d>, keyword: &mut Keyword<'_, 'd>) -> Outcome {
    let step = keyword.number()?;
    if step.is_negative() || step.is_zero() {
        return Err(keyword.error(SchemaErrorKind::Invalid, "must be greater than zero"));
    }
    keywords.numbers.multiple_of = Some(step);
    keywords.constrains = true;
    Ok(Status::Exact)
}

/// Draft 4: whether the flag beside a bound excludes the bound itself.
fn is_made_exclusive(keyword: &Keyword<'_, '_>, flag: &str) -> bool {
    keyword.draft == Draft::Draft4 && member(keyword.siblings, flag) == Some(&Json::Bool(true))
}

/// Draft 4: exclusive bounds are flags, read together with the bound beside them.
fn is_draft4_flag(keyword: &Keyword<'_, '_>) -> Result<bool, SchemaError> {
    match keyword.value {
        Json::Bool(_) if keyword.draft == Draft::Draft4 => Ok(true),
        Json::Bool(_) => {
            Err(keyword.invalid("must be a number (it is a flag only in draft 4: say so with `$schema`)"))
        }
        _ => Ok(false),
    }
}

fn add_lower(keywords: &mut Keywords<'_>, value: Decimal, inclusive: bool) {
    let bound = Some(Bound { value, inclusive });
    let Numbers { lower, .. } = &mut keywords.numbers;
    *lower = numbers::tighter(lower, &bound, |a, b| a.value > b.value);
    keywords.constrains = true;
}

fn add_upper(keywords: &mut Keywords<'_>, value: Decimal, inclusive: bool) {
    let bound = Some(Bound { value, inclusive });
    let Numbers { upper, .. } = &mut keywords.numbers;
    *upper = numbers::tighter(upper, &bound, |a, b| a.value < b.value);
    keywords.constrains = true;
}
