//! What a prompt says, as the request that would have said it.

use serde_json::{Map, Value, json};

use crate::prompt::developer::{Developer, Function, Parameters, ResponseFormat};
use crate::prompt::system::{System, builtin_name};

/// The request, as far as it bears on what may be answered.
pub(super) fn request(system: Option<&System>, developer: &Developer) -> Value {
    let tools: Vec<Value> = developer.functions.iter().map(tool).collect();
    let mut harmony = json!({});
    if let Some(system) = system {
        let names: Vec<&str> = system.tools.iter().map(|tool| builtin_name(*tool)).collect();
        if !names.is_empty() {
            harmony["builtin_tools"] = json!(names);
        }
        let channels = &system.channels;
        if !channels.is_empty() && !channels.iter().any(|channel| channel == "analysis") {
            harmony["reasoning"] = json!(false);
        }
    }
    let mut request = json!({"tools": tools});
    match &developer.formats[..] {
        [] => {}
        [only] => {
            let mut format = response_format(only);
            format["type"] = json!("json_schema");
            request["text"] = json!({"format": format});
        }
        several => {
            harmony["response_formats"] = several.iter().map(response_format).collect();
        }
    }
    request["harmony"] = harmony;
    request
}

fn tool(function: &Function) -> Value {
    let (kind, parameters) = match &function.parameters {
        Parameters::None => ("function", None),
        Parameters::Json(schema) => ("function", Some(any_listed(schema))),
        Parameters::Text => ("custom", None),
    };
    json!({"type": kind, "name": function.name, "description": function.description, "parameters": parameters})
}

/// A schema of which values of several listed types are values, too. A prompt lists the branches of a `oneOf`,
/// without what its notation has no words for: of two that a constant told apart, nothing would be left.
fn any_listed(schema: &Value) -> Value {
    let Value::Object(schema) = schema else { return schema.clone() };
    let all_of = |schemas: &Map<String, Value>| {
        schemas.iter().map(|(name, schema)| (name.clone(), any_listed(schema))).collect()
    };
    let keyword = |(keyword, value): (&String, &Value)| match (&**keyword, value) {
        ("oneOf" | "anyOf", Value::Array(branches)) => {
            ("anyOf".to_owned(), branches.iter().map(any_listed).collect())
        }
        ("properties", Value::Object(properties)) => (keyword.clone(), Value::Object(all_of(properties))),
        ("items", items) => (keyword.clone(), any_listed(items)),
        _ => (keyword.clone(), value.clone()),
    };
    Value::Object(schema.iter().map(keyword).collect())
}

fn response_format(format: &ResponseFormat) -> Value {
    json!({"name": format.name, "schema": format.schema})
}
