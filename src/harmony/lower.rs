//! From a request to the expression of a whole turn.

use std::sync::{Arc, LazyLock};

use super::choice::Calls;
use super::format::{Format, JsonFormat};
use super::request::Request;
use super::tools::Tool;
use crate::expression::{DfaLanguage, Expression, Leaf};
use crate::lark::Template;
use crate::limits::{LimitExceeded, Limits};
use crate::regular::Dfa;

static TRAINED: LazyLock<Template> = LazyLock::new(|| {
    Template::parse(include_str!("../../grammars/harmony/trained.lark")).expect("our own grammar")
});

/// A JSON body that the message grammar leaves open.
#[derive(Clone, Copy, Debug)]
pub enum Body<'a> {
    /// The arguments of a tool. Always an object, whatever the schema says.
    Arguments(&'a Tool),
    /// The answer.
    Answer(&'a JsonFormat),
}

/// What the assistant may say after `<|start|>assistant`, up to and with the `<|call|>` or `<|return|>` that ends its turn.
///
/// The caller compiles schemas: `body` is asked once for each body that can be reached, in declared order, the answer last. A tool that may
/// not be called costs nothing.
///
/// # Errors
/// What `body` returns, and a [`LimitExceeded`] where there are too many tools or their names need too many states.
pub fn lower<E: From<LimitExceeded>>(
    request: &Request,
    limits: &Limits,
    body: &mut dyn FnMut(Body<'_>) -> Result<Expression, E>,
) -> Result<Expression, E> {
    let (given, limit) = (request.tools().len(), limits.tools);
    if given > limit {
        return Err(LimitExceeded { what: "tools", limit, given }.into());
    }
    let mut holes = vec![("text", text())];
    let start = match request.calls() {
        Calls::Forbidden => "none",
        Calls::Allowed(_) => "auto",
        Calls::Required(_) => "required",
    };
    if let Calls::Allowed(callable) | Calls::Required(callable) = request.calls() {
        let tools = callable.iter().map(|&index| &request.tools()[index]);
        holes.extend(calls(tools.collect(), limits, body)?);
    }
    if !matches!(request.calls(), Calls::Required(_)) {
        holes.push(("answer", answer(request.format(), body)?));
    }
    Ok(TRAINED.fill(start, &holes).expect("the message grammar fits the holes"))
}

fn answer<E>(
    format: &Format,
    body: &mut dyn FnMut(Body<'_>) -> Result<Expression, E>,
) -> Result<Expression, E> {
    match format {
        Format::Text => Ok(text()),
        Format::Json(format) => body(Body::Answer(format)),
    }
}

/// The holes for calls. All names are one language whose label is the tool, so that reading a name costs the same
/// however many tools there are, and `get` and `get_all` are told apart by what follows.
fn calls<E: From<LimitExceeded>>(
    tools: Vec<&Tool>,
    limits: &Limits,
    body: &mut dyn FnMut(Body<'_>) -> Result<Expression, E>,
) -> Result<[(&'static str, Expression); 2], E> {
    let recipients = recipients(&tools, limits)?;
    let (mut in_channel, mut in_role) = (Vec::new(), Vec::new());
    for tool in tools {
        let holes = [("arguments", body(Body::Arguments(tool))?)];
        let rest = |start| TRAINED.fill(start, &holes).expect("the message grammar fits the hole");
        in_channel.push(rest("call_body"));
        in_role.push(rest("channel_and_body"));
    }
    Ok([
        ("called_in_channel", Expression::switch(recipients.clone(), in_channel)),
        ("called_in_role", Expression::switch(recipients, in_role)),
    ])
}

fn recipients(tools: &[&Tool], limits: &Limits) -> Result<Leaf, LimitExceeded> {
    let names: Vec<String> = tools.iter().map(|tool| tool.recipient()).collect();
    let labelled = names.iter().zip(0..).map(|(name, label)| (name.as_bytes(), label));
    let dfa = Dfa::words(labelled, limits.dfa_states)?;
    Ok(Leaf::new(DfaLanguage::new(Arc::new(dfa), format!("a declared tool: {}", listed(&names)))))
}

/// As many names as a message can bear.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN { format!("{shown} and {} more", names.len() - SHOWN) } else { shown }
}

fn text() -> Expression {
    Expression::leaf(Leaf::new(DfaLanguage::new(Dfa::text(), "text".to_owned())))
}
