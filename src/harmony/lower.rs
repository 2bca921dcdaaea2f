//! From a request to the expressions of a whole turn.

use std::sync::{Arc, LazyLock};

use super::choice::Calls;
use super::format::{Format, GrammarFormat, JsonFormat};
use super::profile::Profile;
use super::request::Request;
use super::tools::{Payload, Syntax, Tool, ToolKind};
use crate::expression::{DfaLanguage, Expression, Leaf};
use crate::limits::{LimitExceeded, Limits};
use crate::regular::{Dfa, Pattern};

/// A body that the message grammar leaves open.
#[derive(Clone, Copy, Debug)]
pub enum Body<'a> {
    /// The arguments of a tool. Always an object, whatever the schema says.
    Arguments(&'a Tool, &'a serde_json::Value),
    /// The text of a tool that declares a grammar.
    Grammar(&'a Tool, Syntax, &'a str),
    /// The answer, in JSON.
    Answer(&'a JsonFormat),
    /// The answer, a text of a grammar.
    TextAnswer(&'a GrammarFormat),
}

/// What the assistant may say in its turn, up to and with the `<|call|>` or `<|return|>` that ends it.
#[derive(Clone, Debug)]
pub struct Turn {
    /// All of it, after `<|start|>assistant`.
    pub start: Expression,
    /// All of it, before `<|start|>assistant`.
    pub whole: Expression,
    /// What follows the `<|end|>` of a thought when reasoning is used up.
    pub after_reasoning: Expression,
    /// What follows the `<|end|>` of a thought when no further one is allowed.
    pub after_thoughts: Expression,
    /// Whether one call may follow another.
    pub may_call_often: bool,
    /// The body of each response format by itself, in the order of the request, with its name or, where it
    /// has none, its JSON pointer.
    pub formats: Vec<(String, Expression)>,
}

/// A limit of a request, and where it was exceeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitAt {
    /// The list that is too long, as a JSON pointer; empty for the request as a whole.
    pub pointer: String,
    /// The limit.
    pub limit: LimitExceeded,
}

impl From<LimitExceeded> for LimitAt {
    /// Of the request as a whole.
    fn from(limit: LimitExceeded) -> Self {
        Self { pointer: String::new(), limit }
    }
}

/// The expressions of a request's turn.
///
/// The caller compiles schemas and grammars: `body` is asked once for each body that can be reached, in
/// declared order, answers last. A tool that may not be called costs nothing.
///
/// # Errors
/// What `body` returns, and a [`LimitAt`] where there are too many tools or response formats, or the names of
/// tools need too many states.
pub fn lower<E: From<LimitAt>>(
    request: &Request,
    limits: &Limits,
    body: &mut dyn FnMut(Body<'_>) -> Result<Expression, E>,
) -> Result<Turn, E> {
    check(request, limits)?;
    let profile = request.turn().profile;
    let text = text(request.options().forbids_spelled_tokens);
    let calls = match request.calls() {
        Calls::Forbidden => None,
        Calls::Allowed(callable) | Calls::Required(callable) => {
            let tools = callable.iter().map(|&index| &request.tools()[index]).collect();
            let call = calls(profile, tools, &text, limits, body)?;
            let parallel = request.turn().allows_parallel_calls;
            Some(if parallel { profile.turn("calls", &[("ending", call)]) } else { call })
        }
    };
    let (answer, formats) = if matches!(request.calls(), Calls::Required(_)) {
        (None, Vec::new())
    } else {
        let formats = formats(request.format(), body)?;
        (Some(answer(request, &formats, &text)), formats)
    };
    let ending = Expression::choice(answer.into_iter().chain(calls)).expect("an answer or a call");
    let holes = [("ending", ending), ("text", text)];
    let start = profile.turn(start_rule(request), &holes);
    Ok(Turn {
        whole: profile.turn("whole", &[("turn", start.clone())]),
        start,
        after_reasoning: profile.turn("next_without_reasoning", &holes),
        after_thoughts: profile.turn("next_without_thoughts", &holes),
        may_call_often: request.turn().allows_parallel_calls,
        formats,
    })
}

/// Checks how much is declared, before `body` is asked for any of it.
fn check(request: &Request, limits: &Limits) -> Result<(), LimitAt> {
    let tools = request.tools().iter().map(|tool| &*tool.pointer);
    check_list("tools", limits.tools, tools)?;
    let formats: &[_] = if let Format::Json(formats) = request.format() { formats } else { &[] };
    let formats = formats.iter().map(|format| &*format.pointer);
    check_list("response_formats", limits.response_formats, formats)
}

fn check_list<'a>(
    what: &'static str,
    limit: usize,
    mut elements: impl ExactSizeIterator<Item = &'a str>,
) -> Result<(), LimitAt> {
    let given = elements.len();
    let too_long =
        |element| LimitAt { pointer: list_of(element), limit: LimitExceeded { what, limit, given } };
    elements.nth(limit).map_or(Ok(()), |element| Err(too_long(element)))
}

/// Where the outermost list stands that an element is in.
fn list_of(element: &str) -> String {
    let is_list_index = |segment: &&str| segment.bytes().all(|byte| byte.is_ascii_digit());
    let list = element.split('/').skip(1).take_while(|segment| !is_list_index(segment));
    list.flat_map(|segment| ["/", segment]).collect()
}

fn start_rule(request: &Request) -> &'static str {
    let reasoning = request.reasoning();
    match reasoning.max_messages {
        Some(0) => "without_thoughts",
        _ if reasoning.is_off() => "without_reasoning",
        _ if reasoning.is_required => "reasoned",
        _ => "free",
    }
}

/// The bodies of the response formats, each with its title.
fn formats<E>(
    format: &Format,
    body: &mut dyn FnMut(Body<'_>) -> Result<Expression, E>,
) -> Result<Vec<(String, Expression)>, E> {
    match format {
        Format::Text => Ok(Vec::new()),
        Format::Json(declared) => declared
            .iter()
            .map(|format| Ok((format.title().to_owned(), body(Body::Answer(format))?)))
            .collect(),
        Format::Grammar(format) => Ok(vec![(format.pointer.clone(), body(Body::TextAnswer(format))?)]),
    }
}

/// The message that answers.
fn answer(request: &Request, formats: &[(String, Expression)], text: &Expression) -> Expression {
    let body =
        Expression::choice(formats.iter().map(|(_, body)| body.clone())).unwrap_or_else(|| text.clone());
    let options = request.turn();
    if options.allows_typed_answer && matches!(request.format(), Format::Json(_)) {
        let json = Expression::literal("json");
        return options.profile.turn("typed_answer", &[("body", body), ("type", json)]);
    }
    options.profile.turn("answer", &[("body", body)])
}

/// Where a header can name the recipient, with the form of a call that does it there.
const PLACES: [(&str, &str); 3] = [
    ("on_commentary", "call_on_commentary"),
    ("on_analysis", "call_on_analysis"),
    ("in_role", "call_in_role"),
];

/// A call of one of these tools. All names are one language whose label is the tool, so that reading a name
/// costs the same however many tools there are, and `get` and `get_all` are told apart by what follows.
fn calls<E: From<LimitAt>>(
    profile: Profile,
    tools: Vec<&Tool>,
    text: &Expression,
    limits: &Limits,
    body: &mut dyn FnMut(Body<'_>) -> Result<Expression, E>,
) -> Result<Expression, E> {
    let mut bodies = Vec::new();
    for tool in &tools {
        bodies.push(match &tool.payload {
            Payload::Json(schema) => body(Body::Arguments(tool, schema))?,
            Payload::Grammar { syntax, definition, .. } => body(Body::Grammar(tool, *syntax, definition))?,
            Payload::Code | Payload::Text { .. } => text.clone(),
        });
    }
    let mut forms = Vec::new();
    for (place, form) in PLACES {
        let (mut names, mut rests) = (Vec::new(), Vec::new());
        for (tool, body) in tools.iter().zip(&bodies) {
            let holes = [("body", body.clone()), ("type", Expression::literal(content_type(tool)))];
            if let Some(rest) = profile.form(&format!("{}_{place}", kind(tool)), &holes) {
                names.push(tool.recipient());
                rests.push(rest);
            }
        }
        if !names.is_empty() {
            let callee = Expression::switch(recipients(&names, limits).map_err(LimitAt::from)?, rests);
            forms.push(profile.turn(form, &[("callee", callee)]));
        }
    }
    Ok(Expression::choice(forms).expect("every tool can be called on commentary"))
}

/// What the grammars call the tool's kind.
fn kind(tool: &Tool) -> &'static str {
    match (&tool.payload, tool.kind) {
        (Payload::Json(_), ToolKind::Function) => "function",
        (Payload::Json(_), _) => "builtin",
        (Payload::Code, _) => "code",
        (Payload::Text { .. } | Payload::Grammar { .. }, _) => "text",
    }
}

fn content_type(tool: &Tool) -> &str {
    match &tool.payload {
        Payload::Json(_) => "json",
        Payload::Code => "code",
        Payload::Text { content_type } | Payload::Grammar { content_type, .. } => content_type,
    }
}

fn recipients(names: &[String], limits: &Limits) -> Result<Leaf, LimitExceeded> {
    let dfa = Dfa::words(names.iter().zip(0..), limits.dfa_states)?;
    Ok(Leaf::new(DfaLanguage::new(Arc::new(dfa), format!("a declared tool: {}", listed(names)))))
}

/// As many names as a message can bear.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN { format!("{shown} and {} more", names.len() - SHOWN) } else { shown }
}

/// Every text, or every text that spells no special token.
fn text(forbids_spelled_tokens: bool) -> Expression {
    let dfa = if forbids_spelled_tokens { unspelled() } else { Dfa::text() };
    Expression::leaf(Leaf::new(DfaLanguage::new(dfa, "text".to_owned())))
}

/// Texts that spell no special token.
pub(crate) fn unspelled() -> Arc<Dfa> {
    static UNSPELLED: LazyLock<Arc<Dfa>> = LazyLock::new(|| {
        const STATES: usize = 1_000;
        let spelled =
            Pattern::parse(SPELLED).expect("our own pattern").to_dfa(STATES).expect("a small automaton");
        Arc::new(spelled.complement(STATES).expect("a small automaton"))
    });
    UNSPELLED.clone()
}

/// A special token's spelling somewhere in a text.
const SPELLED: &str = r"<\|(return|constrain|channel|start|end|message|call|startoftext|endoftext|endofprompt|reserved_[0-9]+)\|>";
