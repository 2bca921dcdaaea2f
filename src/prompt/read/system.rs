//! The system message, line by line.

use super::Excerpt;
use crate::harmony::Builtin;
use crate::prompt::error::{Fault, ReadErrorKind};
use crate::prompt::system::{
    self as settings, BUILTINS, CHANNEL_REQUIRED, CHANNELS, Effort, FUNCTION_CALLS, System,
};
use crate::prompt::typescript;

/// Reads the message.
pub(super) fn read(content: Excerpt<'_>) -> Result<System, Fault> {
    let mut system = System {
        identity: None,
        knowledge_cutoff: None,
        current_date: None,
        effort: None,
        tools: Vec::new(),
        channels: Vec::new(),
        is_channel_required: false,
    };
    let mut rest = identity(content, &mut system);
    while !rest.text.is_empty() {
        let (line, after) = rest.line();
        rest = after;
        if line.text == "# Tools" {
            rest = tools(after, &mut system)?;
        } else if !line.text.is_empty() {
            setting(line, &mut system)?;
        }
    }
    Ok(system)
}

/// The text up to the first line that says something else.
fn identity<'a>(content: Excerpt<'a>, system: &mut System) -> Excerpt<'a> {
    let mut rest = content;
    while !rest.text.is_empty() && !is_setting(rest.text) {
        rest = rest.line().1;
    }
    let identity = content.text[..rest.at - content.at].trim_end_matches('\n');
    system.identity = (!identity.is_empty()).then(|| identity.to_owned());
    rest
}

const CUTOFF: &str = "Knowledge cutoff: ";
const DATE: &str = "Current date: ";
const REASONING: &str = "Reasoning: ";
const VALID_CHANNELS: &str = "# Valid channels: ";

fn is_setting(text: &str) -> bool {
    [CUTOFF, DATE, REASONING, VALID_CHANNELS, "# Tools\n"].iter().any(|start| text.starts_with(start))
}

fn setting(line: Excerpt<'_>, system: &mut System) -> Result<(), Fault> {
    if let Some(month) = line.skip(CUTOFF) {
        system.knowledge_cutoff = Some(month.text.to_owned());
    } else if let Some(date) = line.skip(DATE) {
        system.current_date = Some(date.text.to_owned());
    } else if let Some(word) = line.skip(REASONING) {
        let effort = Effort::ALL.into_iter().find(|effort| effort.name() == word.text);
        system.effort = Some(effort.ok_or_else(|| word.expected("low, medium or high"))?);
    } else if let Some(list) = line.skip(VALID_CHANNELS) {
        channels(list, system)?;
    } else if line.text != FUNCTION_CALLS {
        return Err(line.expected("a line of a system message"));
    }
    Ok(())
}

/// `analysis, commentary, final.` and the sentence after it.
fn channels(list: Excerpt<'_>, system: &mut System) -> Result<(), Fault> {
    let (names, sentence) =
        list.text.split_once('.').ok_or_else(|| list.expected("a list that ends in a dot"))?;
    system.is_channel_required = sentence == CHANNEL_REQUIRED;
    if !system.is_channel_required && !sentence.is_empty() {
        return Err(list.from(names.len() + 1).expected(format!("{CHANNEL_REQUIRED:?}")));
    }
    system.channels = names.split(", ").map(str::to_owned).collect();
    let is_known = |name: &String| CHANNELS.contains(&&**name);
    let has_final = system.channels.iter().any(|name| name == "final");
    if !system.channels.iter().all(is_known) || !has_final {
        return Err(list.fault(ReadErrorKind::Channels(names.to_owned())));
    }
    Ok(())
}

/// The sections of built-in tools, after `# Tools`.
fn tools<'a>(rest: Excerpt<'a>, system: &mut System) -> Result<Excerpt<'a>, Fault> {
    let mut rest = rest.after("\n")?;
    while let Some(named) = rest.skip("## ") {
        let (name, after) = named.line();
        let tool = BUILTINS.into_iter().find(|tool| settings::builtin_name(*tool) == name.text);
        let tool = tool.ok_or_else(|| name.fault(ReadErrorKind::UnknownTool(name.text.to_owned())))?;
        if system.tools.contains(&tool) {
            return Err(name.fault(ReadErrorKind::Duplicate(name.text.to_owned())));
        }
        system.tools.push(tool);
        rest = section(tool, after)?;
    }
    if system.tools.is_empty() { Err(rest.expected("\"## \" and a tool's name")) } else { Ok(rest) }
}

/// What follows the section of a tool. Its words are not compared, but what may be called is.
fn section(tool: Builtin, section: Excerpt<'_>) -> Result<Excerpt<'_>, Fault> {
    match tool {
        Builtin::Browser => browser(section),
        Builtin::Python => python(section),
    }
}

/// A comment, and a namespace with the functions that gpt-oss knows.
fn browser(section: Excerpt<'_>) -> Result<Excerpt<'_>, Fault> {
    let types = skip_lines(section, |line| line.is_empty() || line.starts_with("//"));
    let (declared, after) = signatures(Builtin::Browser, types)?;
    let known = Excerpt { text: settings::builtin_section(Builtin::Browser), at: 0 };
    let start = known.text.find("namespace").expect("our own section");
    if declared != signatures(Builtin::Browser, known.from(start))?.0 {
        return Err(types.fault(unknown(Builtin::Browser)));
    }
    Ok(skip_lines(after, str::is_empty))
}

/// Any text, but no functions: what is written to `python` is source code.
fn python(section: Excerpt<'_>) -> Result<Excerpt<'_>, Fault> {
    let is_heading = |line: &str| line.starts_with("# ") || line.starts_with("## ");
    let rest = skip_lines(section, |line| !is_heading(line) && !line.starts_with("namespace "));
    if rest.text.starts_with("namespace ") { Err(rest.fault(unknown(Builtin::Python))) } else { Ok(rest) }
}

fn unknown(tool: Builtin) -> ReadErrorKind {
    ReadErrorKind::UnknownTool(settings::builtin_name(tool).to_owned())
}

/// What follows the lines of a kind.
fn skip_lines(text: Excerpt<'_>, is_skipped: impl Fn(&str) -> bool) -> Excerpt<'_> {
    let mut rest = text;
    while !rest.text.is_empty() && is_skipped(rest.line().0.text) {
        rest = rest.line().1;
    }
    rest
}

type Signatures = Vec<(String, Option<serde_json::Value>)>;

/// The functions of a namespace, and what follows it.
fn signatures(tool: Builtin, text: Excerpt<'_>) -> Result<(Signatures, Excerpt<'_>), Fault> {
    let (declarations, after) = typescript::namespace(settings::builtin_name(tool), text)?;
    let signature = |declaration: typescript::Declaration| {
        (declaration.name, declaration.parameters.map(|parameters| parameters.arguments()))
    };
    Ok((declarations.into_iter().map(signature).collect(), after))
}
