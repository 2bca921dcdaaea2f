//! `prompt`: what the model is told, and reading that back for the other commands.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::Args;
use harmony_mask::harmony::document;
use harmony_mask::prompt::{Author, Conversation, FromPrompt, ReadError, ReadErrorKind};
use harmony_mask::{Matcher, Request, TokenId, Vocabulary};
use serde_json::{Value, json};

use crate::input::{self, Failure};
use crate::{Verdict, output};

/// Writes the prompt of a request
///
/// Its text ends in `<|start|>assistant`, without a line end where it goes into a file. A text in the request
/// that spells a control token is not told apart from the token there; the tokens are exact, and commands
/// that take a prompt take what --json prints.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Prompt {
    /// The request
    request: PathBuf,
    /// Print the ids of its tokens
    #[arg(long)]
    tokens: bool,
    /// Write an example to train on: without the beginning of another turn, and with `<|return|>` after a
    /// final answer
    #[arg(long)]
    training: bool,
    /// Print one JSON document, with text and tokens
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  harmony-mask prompt examples/weather.json
  harmony-mask prompt examples/weather.json --json > prompt.json
  harmony-mask generate --prompt prompt.json";

impl Prompt {
    pub(crate) fn run(&self) -> Result<Verdict, Failure> {
        let text = input::text(&self.request)?;
        let request = document(&text).map_err(|error| input::refused(&self.request, error))?;
        let conversation = Conversation::read(&request)
            .map_err(|error| input::refused_conversation(&self.request, error))?;
        conversation.unsaid().iter().for_each(output::note);
        let prompt = if self.training { conversation.for_training() } else { conversation.for_completion() };
        let tokens = prompt.tokens(&Vocabulary::o200k_harmony()).expect("o200k_harmony has an encoder");
        if self.json {
            output::print_json(&json!({"text": prompt.to_string(), "tokens": tokens}))?;
        } else if self.tokens {
            let ids: Vec<String> = tokens.iter().map(ToString::to_string).collect();
            output::print(|out| writeln!(out, "{}", ids.join(" ")))?;
        } else {
            let end = if std::io::stdout().is_terminal() { "\n" } else { "" };
            output::print_exactly(|out| write!(out, "{prompt}{end}"))?;
        }
        Ok(Verdict::Accepted)
    }
}

/// What a request or a prompt allows.
pub(crate) struct Prompted {
    pub(crate) request: Request,
    /// A matcher at the start of a completion, or where the prompt ends.
    pub(crate) matcher: Matcher,
    /// Whether it is right behind `<|start|>assistant`, where completions begin.
    pub(crate) is_at_start: bool,
}

/// What the request or the prompt in a file allows; there is one of them.
pub(crate) fn allowed(request: Option<&Path>, prompt: Option<&Path>) -> Result<Prompted, Failure> {
    match (request, prompt) {
        (_, Some(prompt)) => read(prompt),
        (Some(path), None) => {
            let request = input::request(path)?;
            let matcher = input::grammar(path, &request)?.matcher();
            Ok(Prompted { request, matcher, is_at_start: true })
        }
        (None, None) => Err(Failure::Usage("a request or a prompt is needed".to_owned())),
    }
}

/// Reads a prompt: its text, a list of token ids, or what `prompt --json` prints.
pub(crate) fn read(path: &Path) -> Result<Prompted, Failure> {
    let text = input::text(path)?;
    let vocabulary = Vocabulary::o200k_harmony();
    let (read, len, tokens) = if text.trim_start().starts_with(['[', '{']) {
        let tokens = token_ids(path, &text)?;
        let start = input::completion_tokens(&vocabulary, START.as_bytes());
        let read = |tokens: &[TokenId]| Request::from_prompt_tokens(&vocabulary, tokens);
        (started(read(&tokens), || read(&[&tokens[..], &start].concat())), tokens.len(), tokens)
    } else {
        let text = without_line_end(&text);
        let tokens = input::completion_tokens(&vocabulary, text.as_bytes());
        let with_start = || Request::from_prompt(&format!("{text}{START}"));
        (started(Request::from_prompt(text), with_start), text.len(), tokens)
    };
    let FromPrompt { request, position, .. } = read.map_err(|error| input::refused_prompt(path, error))?;
    let grammar = input::grammar(path, &request)?;
    let matcher = grammar.matcher_after(&tokens).map_err(|error| input::refused_answer(path, error))?;
    Ok(Prompted { request, matcher, is_at_start: position == len })
}

/// What the assistant's messages begin with.
const START: &str = "<|start|>assistant";

/// What a prompt was read as; where it ends behind a whole message, what it is read as with the start of
/// another. Matchers take such a prompt as it is, and the start is part of the completion.
fn started(
    read: Result<FromPrompt, ReadError>,
    with_start: impl FnOnce() -> Result<FromPrompt, ReadError>,
) -> Result<FromPrompt, ReadError> {
    match read {
        Err(error) if *error.kind() == ReadErrorKind::NothingToComplete => {
            with_start().ok().filter(|read| assistant_goes_on(&read.conversation)).ok_or(error)
        }
        read => read,
    }
}

/// Whether the assistant speaks next: not after its answer, nor after a call.
fn assistant_goes_on(conversation: &Conversation) -> bool {
    conversation.messages().last().is_some_and(|last| match last.author {
        Author::Assistant(_) => last.called().is_none() && last.channel.as_deref() != Some("final"),
        _ => true,
    })
}

/// The line end that editors add behind a prompt is not part of it.
fn without_line_end(text: &str) -> &str {
    let line = text.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    line.filter(|line| line.ends_with(START) || line.ends_with("<|end|>")).unwrap_or(text)
}

fn token_ids(path: &Path, text: &str) -> Result<Vec<TokenId>, Failure> {
    let document: Value = input::json(path, text)?;
    let ids = document.get("tokens").unwrap_or(&document).as_array();
    let id = |id: &Value| id.as_u64().and_then(|id| TokenId::try_from(id).ok());
    ids.and_then(|ids| ids.iter().map(id).collect()).ok_or_else(|| {
        let name = input::name(path);
        Failure::Usage(format!("{name} is JSON, but neither a list of token ids nor an object with `tokens`"))
    })
}
