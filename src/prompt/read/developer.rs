//! The developer message: its sections, and what is in them.

use std::collections::BTreeSet;

use serde_json::{Deserializer, Value};

use super::Excerpt;
use crate::harmony::is_name;
use crate::prompt::developer::{Developer, Function, Parameters, ResponseFormat};
use crate::prompt::error::{Fault, ReadErrorKind};
use crate::prompt::typescript::{self, Declaration, Type};

const INSTRUCTIONS: &str = "# Instructions\n\n";
const TOOLS: &str = "# Tools\n";
const FORMATS: &str = "# Response Formats\n";

/// Reads the message.
pub(super) fn read(content: Excerpt<'_>) -> Result<Developer, Fault> {
    let mut developer = Developer::default();
    let mut rest = content;
    if let Some(text) = rest.skip(INSTRUCTIONS) {
        let (instructions, after) = instructions(text)?;
        developer.instructions = Some(instructions.to_owned());
        rest = after;
    }
    if rest.text.starts_with(TOOLS) {
        (developer.functions, rest) = tools(rest)?;
    }
    if rest.text.starts_with(FORMATS) {
        developer.formats = formats(rest)?;
    } else if !rest.text.is_empty() {
        return Err(rest.expected("`# Instructions`, `# Tools` or `# Response Formats`"));
    }
    Ok(developer)
}

/// Checks a message amid the conversation: it has instructions, but declares nothing.
pub(super) fn check_later(content: Excerpt<'_>) -> Result<(), Fault> {
    let developer = read(content)?;
    if developer.functions.is_empty() && developer.formats.is_empty() {
        return Ok(());
    }
    Err(content.expected(
        "instructions alone: tools and formats stand in the developer message that opens the prompt",
    ))
}

/// The instructions, and the section that follows them. A heading in the instructions themselves is told from
/// that of a section by what follows: a section has a second heading.
fn instructions(text: Excerpt<'_>) -> Result<(&str, Excerpt<'_>), Fault> {
    let mut rest = text;
    loop {
        if is_section(rest) {
            let instructions = &text.text[..rest.at - text.at];
            return Ok((instructions.strip_suffix("\n\n").unwrap_or(instructions), rest));
        }
        if rest.text.starts_with("namespace functions {") {
            return Err(rest.expected("`# Tools` before the functions"));
        }
        if rest.text.is_empty() {
            return Ok((text.text, rest));
        }
        rest = rest.line().1;
    }
}

fn is_section(text: Excerpt<'_>) -> bool {
    let section = text.skip(TOOLS).or_else(|| text.skip(FORMATS));
    section.is_some_and(|section| {
        let next = section.text.trim_start_matches('\n');
        next.starts_with("##") || next.starts_with("namespace ")
    })
}

/// The functions, and what follows them.
fn tools(section: Excerpt<'_>) -> Result<(Vec<Function>, Excerpt<'_>), Fault> {
    let rest = section.after(TOOLS)?.after("\n")?.after("## functions\n")?.after("\n")?;
    let (declarations, rest) = typescript::namespace("functions", rest)?;
    let functions = declarations.into_iter().map(function).collect::<Result<_, _>>()?;
    Ok((functions, rest.skip("\n\n").unwrap_or(rest)))
}

fn function(declaration: Declaration) -> Result<Function, Fault> {
    let Declaration { name, at, description, parameters } = declaration;
    if !is_name(&name) {
        return Err(Fault { at, kind: ReadErrorKind::BadName(name) });
    }
    let parameters = match parameters {
        None => Parameters::None,
        Some(Type::Named("string")) => Parameters::Text,
        Some(parameters) => Parameters::Json(parameters.arguments()),
    };
    Ok(Function { name, description, parameters })
}

fn formats(section: Excerpt<'_>) -> Result<Vec<ResponseFormat>, Fault> {
    let mut rest = section.after(FORMATS)?.after("\n")?;
    let (mut formats, mut names) = (Vec::new(), BTreeSet::new());
    loop {
        let (name, after) = rest.after("## ")?.line();
        if !is_name(name.text) {
            return Err(name.fault(ReadErrorKind::BadName(name.text.to_owned())));
        }
        if !names.insert(name.text) {
            return Err(name.fault(ReadErrorKind::Duplicate(name.text.to_owned())));
        }
        let (description, schema) = comment(after.after("\n")?);
        let (schema, after) = json(schema)?;
        formats.push(ResponseFormat { name: name.text.to_owned(), description, schema });
        if after.text.trim().is_empty() {
            return Ok(formats);
        }
        rest = after.after("\n\n")?;
    }
}

/// The lines of a comment, and what follows them.
fn comment(text: Excerpt<'_>) -> (Option<String>, Excerpt<'_>) {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(comment) = rest.skip("//") {
        let (line, after) = comment.line();
        lines.push(line.text.strip_prefix(' ').unwrap_or(line.text));
        rest = after;
    }
    ((!lines.is_empty()).then(|| lines.join("\n")), rest)
}

/// A JSON text, and what follows it.
fn json(text: Excerpt<'_>) -> Result<(Value, Excerpt<'_>), Fault> {
    let mut values = Deserializer::from_str(text.text).into_iter::<Value>();
    match values.next() {
        Some(Ok(value)) if value.is_object() => Ok((value, text.from(values.byte_offset()))),
        Some(Err(error)) => {
            let lines = text.text.split_inclusive('\n').take(error.line().saturating_sub(1));
            let at = lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
            Err(Fault { at: text.at + at, kind: ReadErrorKind::NotJson(message(&error)) })
        }
        _ => Err(text.expected("a JSON Schema, an object")),
    }
}

/// What is wrong, without the place, which counts from the wrong line.
fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}
