//! From types to JSON Schema, as strict as the notation is.

use serde_json::{Map, Value, json};

use super::comments;
use super::parse::{Member, Type};
use crate::recursion;

/// The schema of a function's arguments. An object without members has none: the function takes nothing.
pub(super) fn arguments(found: &Type) -> Value {
    match found {
        Type::Object(description, members) => object(description.as_deref(), members),
        other => schema(other),
    }
}

fn schema(found: &Type) -> Value {
    recursion::one_level(|| schema_of(found))
}

fn schema_of(found: &Type) -> Value {
    match found {
        Type::Any => json!({}),
        // Lists of one, which the notation writes as the bare name again.
        Type::Named(name @ ("null" | "object" | "array")) => json!({"type": [name]}),
        Type::Named(name) => json!({"type": name}),
        Type::Literal(value) => literals(std::slice::from_ref(&value)),
        // Nothing is said of its members: any object.
        Type::Object(description, members) if members.is_empty() => {
            annotated(json!({"type": "object"}), description.as_deref())
        }
        Type::Object(description, members) => object(description.as_deref(), members),
        Type::Array(None) => json!({"type": "array"}),
        Type::Array(Some(items)) => json!({"type": "array", "items": schema(items)}),
        Type::Inline(types) => inline(types),
        Type::Listed(variants) => listed(variants),
    }
}

fn object(description: Option<&str>, members: &[Member]) -> Value {
    let properties: Map<String, Value> =
        members.iter().map(|member| (member.name.clone(), member_schema(member))).collect();
    let required: Vec<&str> =
        members.iter().filter(|member| !member.is_optional).map(|member| &*member.name).collect();
    let mut object = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    object["additionalProperties"] = json!(false);
    annotated(object, description)
}

fn member_schema(member: &Member) -> Value {
    let notes = &member.notes;
    let mut value = schema(&member.value);
    let mut annotate = |name: &str, annotation: Option<Value>| {
        if let Some(annotation) = annotation {
            value[name] = annotation;
        }
    };
    annotate("title", notes.title.clone().map(Value::from));
    annotate("description", notes.description.clone().map(Value::from));
    annotate("examples", (!notes.examples.is_empty()).then(|| json!(notes.examples)));
    annotate("default", notes.default.clone());
    value
}

/// `A | B`: one `type` for names, one `enum` for values, else `anyOf`.
fn inline(types: &[Type]) -> Value {
    let mut names: Vec<&str> = Vec::new();
    for name in types.iter().filter_map(plain_name) {
        // `integer` and `number` are both written `number`.
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let values: Vec<&Value> = types.iter().filter_map(value_of).collect();
    if types.contains(&Type::Any) {
        json!({})
    } else if types.iter().all(|found| plain_name(found).is_some()) {
        json!({"type": names})
    } else if values.len() == types.len() {
        literals(&values)
    } else {
        let rest = types.iter().filter(|found| value_of(found).is_none()).map(schema);
        let values = (!values.is_empty()).then(|| literals(&values));
        json!({"anyOf": values.into_iter().chain(rest).collect::<Vec<_>>()})
    }
}

fn plain_name(found: &Type) -> Option<&'static str> {
    match found {
        Type::Named(name) => Some(name),
        _ => None,
    }
}

fn value_of(found: &Type) -> Option<&Value> {
    match found {
        Type::Literal(value) => Some(value),
        _ => None,
    }
}

fn literals(values: &[&Value]) -> Value {
    if values.iter().all(|value| value.is_string()) {
        json!({"type": "string", "enum": values})
    } else {
        json!({"enum": values})
    }
}

/// A line for each type is how `oneOf` is written.
fn listed(variants: &[(Type, Option<String>)]) -> Value {
    let variants = variants.iter().map(|(found, remark)| {
        let mut variant = schema(found);
        if let Some(remark) = remark {
            let (description, default) = comments::of_variant(remark, found);
            variant = annotated(variant, description.as_deref());
            if let Some(default) = default {
                variant["default"] = default;
            }
        }
        variant
    });
    json!({"oneOf": variants.collect::<Vec<_>>()})
}

fn annotated(mut schema: Value, description: Option<&str>) -> Value {
    if let Some(description) = description {
        schema["description"] = json!(description);
    }
    schema
}
