//! From JSON Schema to the notation.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::recursion;

/// The type of a schema's values.
pub(in crate::prompt) fn write(schema: &Value) -> String {
    let mut writer = Writer::default();
    writer.type_of(schema, "");
    writer.code("");
    writer.out
}

/// Text with comments in it. What is written after a comment at a line's end begins a new line, or it would
/// be part of the comment.
#[derive(Default)]
struct Writer {
    out: String,
    ends_in_comment: bool,
}

impl Writer {
    fn code(&mut self, code: &str) {
        if std::mem::take(&mut self.ends_in_comment) && !code.starts_with('\n') {
            self.out.push('\n');
        }
        self.out.push_str(code);
    }

    /// A comment above what it is about. Each line is one: a description with line breaks could otherwise
    /// declare members.
    fn comment(&mut self, indent: &str, text: &str) {
        for line in text.split('\n') {
            self.code(&format!("{indent}// {line}\n"));
        }
    }

    /// A comment at the end of a line.
    fn remark(&mut self, text: &str) {
        self.out.push_str(&format!(" // {}", text.replace('\n', " ")));
        self.ends_in_comment = true;
    }

    fn type_of(&mut self, schema: &Value, indent: &str) {
        if let Some(variants) = one_of(schema) {
            return recursion::one_level(|| self.variants(variants, indent));
        }
        match &schema["type"] {
            Value::Array(names) => self.code(&listed(names)),
            Value::String(name) => recursion::one_level(|| self.named(name, schema, indent)),
            _ => self.code("any"),
        }
    }

    fn named(&mut self, name: &str, schema: &Value, indent: &str) {
        match name {
            "object" => self.object(schema, indent),
            "array" => self.array(schema, indent),
            "string" => self.code(&literals(schema).unwrap_or_else(|| "string".to_owned())),
            "number" | "integer" => self.code("number"),
            "boolean" => self.code("boolean"),
            _ => self.code("any"),
        }
    }

    /// `string[]`. A type of several lines needs brackets, or the `[]` would belong to its last line.
    fn array(&mut self, schema: &Value, indent: &str) {
        let Some(items) = schema.get("items") else { return self.code("Array<any>") };
        let is_long = one_of(items).is_some();
        if is_long {
            self.code("(");
        }
        self.type_of(items, indent);
        if is_long {
            self.code(&format!("\n{indent})"));
        }
        self.code("[]");
    }

    fn object(&mut self, schema: &Value, indent: &str) {
        if let Some(description) = schema["description"].as_str() {
            self.comment(indent, description);
        }
        self.code("{\n");
        let required = schema["required"].as_array().into_iter().flatten();
        let required: BTreeSet<&str> = required.filter_map(Value::as_str).collect();
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            let is_required = required.contains(name.as_str());
            let name = format!("{indent}{}{}:", key(name), if is_required { "" } else { "?" });
            self.member(&name, member, indent);
        }
        self.code(&format!("{indent}}}"));
    }

    fn member(&mut self, name: &str, member: &Value, indent: &str) {
        if let Some(title) = member["title"].as_str() {
            self.comment(indent, title);
            self.code(&format!("{indent}//\n"));
        }
        let description = member["description"].as_str().filter(|_| member.get("oneOf").is_none());
        if let Some(description) = description {
            self.comment(indent, description);
        }
        self.examples(member, indent);
        if let Some(variants) = one_of(member) {
            return self.member_of_variants(name, member, variants, indent);
        }
        self.code(name);
        self.code(" ");
        self.type_of(member, &format!("{indent}    "));
        self.or_null(member);
        self.code(",");
        if let Some(default) = default(member) {
            self.remark(&default);
        }
        self.code("\n");
    }

    fn examples(&mut self, member: &Value, indent: &str) {
        let examples = member["examples"].as_array().map_or(&[][..], Vec::as_slice);
        if !examples.is_empty() {
            self.comment(indent, "Examples:");
        }
        for example in examples.iter().filter(|example| example.is_string()) {
            self.comment(indent, &format!("- {example}"));
        }
    }

    /// A member of several types, a line for each.
    fn member_of_variants(&mut self, name: &str, member: &Value, variants: &[Value], indent: &str) {
        let description = member["description"].as_str();
        let first = variants[0]["description"].as_str();
        let above = description.filter(|_| first != description);
        if let Some(description) = above {
            self.comment(indent, description);
        }
        if let Some(default) = default(member) {
            self.comment(indent, &default);
        }
        self.code(&format!("{name}\n"));
        for (at, variant) in variants.iter().enumerate() {
            self.code(&format!("{indent} | "));
            self.type_of(variant, &format!("{indent}   "));
            self.or_null(variant);
            let own = variant["description"].as_str();
            let own = own.filter(|own| Some(*own) != description && (at > 0 || above.is_none()));
            self.remarks(own, default(variant));
            self.code("\n");
        }
        self.code(&format!("{indent},\n"));
    }

    /// A type of several types where no member's name stands before it.
    fn variants(&mut self, variants: &[Value], indent: &str) {
        for variant in variants {
            self.code(&format!("\n{indent} | "));
            self.type_of(variant, &format!("{indent}   "));
            self.or_null(variant);
            let default = variant.get("default").map(|default| format!("default: {default}"));
            self.remarks(variant["description"].as_str(), default);
        }
    }

    fn remarks(&mut self, description: Option<&str>, default: Option<String>) {
        let remarks: Vec<String> = description.map(str::to_owned).into_iter().chain(default).collect();
        if !remarks.is_empty() {
            self.remark(&remarks.join(" "));
        }
    }

    /// `nullable`, which is OpenAPI's word for a type that may also be null.
    fn or_null(&mut self, schema: &Value) {
        let names = schema["type"].as_array().filter(|_| one_of(schema).is_none());
        let says_null = names.is_some_and(|names| names.iter().any(|name| name == "null"));
        if schema["nullable"] == true && !says_null {
            self.code(" | null");
        }
    }
}

fn one_of(schema: &Value) -> Option<&[Value]> {
    schema["oneOf"].as_array().map(Vec::as_slice).filter(|variants| !variants.is_empty())
}

/// The types of a list.
fn listed(names: &[Value]) -> String {
    let names = names.iter().filter_map(Value::as_str);
    let names: Vec<&str> = names.map(|name| if name == "integer" { "number" } else { name }).collect();
    if names.is_empty() { "any".to_owned() } else { names.join(" | ") }
}

/// The strings of an `enum`.
fn literals(schema: &Value) -> Option<String> {
    let literals = schema["enum"].as_array()?.iter().filter(|value| value.is_string());
    let literals: Vec<String> = literals.map(Value::to_string).collect();
    (!literals.is_empty()).then(|| literals.join(" | "))
}

/// What is assumed where a member is missing. Of a choice among words it is the bare word, wherever that
/// stays on one line.
fn default(schema: &Value) -> Option<String> {
    let default = schema.get("default")?;
    let is_choice = schema["enum"].as_array().is_some_and(|values| !values.is_empty());
    match default.as_str() {
        Some(word) if is_choice && !word.contains('\n') => Some(format!("default: {word}")),
        _ => Some(format!("default: {default}")),
    }
}

/// A member's name: bare where it can be told from what surrounds it, else a string.
fn key(name: &str) -> String {
    if !name.is_empty() && name.chars().all(super::lexer::is_word) {
        name.to_owned()
    } else {
        Value::from(name).to_string()
    }
}
