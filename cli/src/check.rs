//! `check`: is this completion, or JSON text, one that the masks allow?

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use harmony_mask::{Matcher, TokenId};
use serde_json::{Value, json};

use crate::input::{self, Failure};
use crate::{Verdict, output, prompt};

/// Says whether a completion is accepted, and if not, where and why
///
/// COMPLETION is what follows `<|start|>assistant`: a file, `-` (also the default) for standard input, or the
/// text itself where it contains `<|`. Its bytes are taken as they are, but for the line end that editors add
/// behind a last `<|return|>` or `<|call|>`; text between `<|` and `|>` that names a special token means that
/// token.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[command(override_usage = "harmony-mask check [OPTIONS] <REQUEST> [COMPLETION]
       harmony-mask check [OPTIONS] --prompt <PROMPT> [COMPLETION]
       harmony-mask check [OPTIONS] --schema <SCHEMA> [INSTANCE]
       harmony-mask check [OPTIONS] --lark <GRAMMAR> [TEXT]")]
pub(crate) struct Check {
    /// The request, or with --prompt the completion, with --schema the JSON text to check, with --lark the
    /// text: a file, or the text itself where no file has this name
    #[arg(value_name = "REQUEST", required_unless_present_any = ["prompt", "schema", "lark"], value_parser = any_path())]
    first: Option<PathBuf>,
    /// The completion
    #[arg(value_name = "COMPLETION", conflicts_with_all = ["prompt", "schema", "lark"])]
    completion: Option<PathBuf>,
    /// Check what follows a prompt, which says what is allowed, instead of a request
    #[arg(long, value_name = "PROMPT", conflicts_with_all = ["schema", "lark"])]
    prompt: Option<PathBuf>,
    /// Check a JSON text against a bare JSON Schema, without messages around it
    #[arg(long, value_name = "SCHEMA")]
    schema: Option<PathBuf>,
    /// Check a text against a Lark grammar, without messages around it
    #[arg(long, value_name = "GRAMMAR", conflicts_with = "schema")]
    lark: Option<PathBuf>,
    /// Also accept a text that is not complete yet
    #[arg(long)]
    prefix_ok: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  harmony-mask check examples/weather.json completion.txt
  harmony-mask check examples/weather.json '<|channel|>final<|message|>Take an umbrella.<|return|>'
  harmony-mask check --prompt prompt.txt completion.txt
  harmony-mask check --schema schema.json instance.json
  harmony-mask check --lark grammar.lark '1 + 2'
  printf '{\"a\":' | harmony-mask check --schema schema.json - --prefix-ok";

/// Takes a text for a path, an empty one too.
fn any_path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

impl Check {
    pub(crate) fn run(&self) -> Result<Verdict, Failure> {
        let (mut matcher, tokens) = self.input()?;
        let outcome = Outcome::of(&mut matcher, &tokens);
        let accepted = outcome.token.is_none() && (outcome.finished || self.prefix_ok);
        let is_bare = self.schema.is_some() || self.lark.is_some();
        let messages = if is_bare { Vec::new() } else { output::messages(&matcher) };
        if self.json {
            output::print_json(&outcome.document(accepted, &messages))?;
        } else {
            output::print(|out| outcome.write(out, accepted))?;
        }
        Ok(Verdict::of(accepted))
    }

    /// The matcher to ask, and the tokens to check.
    fn input(&self) -> Result<(Matcher, Vec<TokenId>), Failure> {
        let stdin = PathBuf::from("-");
        let first = self.first.as_ref().unwrap_or(&stdin);
        if let Some(prompt) = &self.prompt {
            input::one_from_stdin(prompt, first)?;
            let matcher = prompt::read(prompt)?.matcher;
            let tokens = input::completion_tokens(matcher.vocabulary(), &completion_bytes(first)?);
            Ok((matcher, tokens))
        } else if let Some(schema) = &self.schema {
            input::one_from_stdin(schema, first)?;
            let matcher = input::schema_grammar(schema, &input::schema(schema)?)?.matcher();
            let tokens = input::text_tokens(matcher.vocabulary(), &input::bytes(first)?);
            Ok((matcher, tokens))
        } else if let Some(lark) = &self.lark {
            input::one_from_stdin(lark, first)?;
            let matcher = input::lark_grammar(lark, &input::text(lark)?)?.matcher();
            let tokens = input::completion_tokens(matcher.vocabulary(), &text_bytes(first)?);
            Ok((matcher, tokens))
        } else {
            let completion = self.completion.as_ref().unwrap_or(&stdin);
            input::one_from_stdin(first, completion)?;
            let matcher = input::grammar(first, &input::request(first)?)?.matcher();
            let tokens = input::completion_tokens(matcher.vocabulary(), &completion_bytes(completion)?);
            Ok((matcher, tokens))
        }
    }
}

/// A completion in a file or in the argument itself: it is full of `<|`, which no sensible file name
/// contains.
fn completion_bytes(argument: &Path) -> Result<Vec<u8>, Failure> {
    match argument.to_str() {
        Some(text) if text.contains("<|") && !argument.exists() => Ok(text.as_bytes().to_vec()),
        _ => input::completion(argument),
    }
}

/// A text in a file or in the argument itself.
fn text_bytes(argument: &Path) -> Result<Vec<u8>, Failure> {
    match argument.to_str() {
        Some(text) if text != "-" && !argument.exists() => Ok(text.as_bytes().to_vec()),
        _ => input::bytes(argument),
    }
}

/// What became of a text.
pub(crate) struct Outcome {
    /// Whether the text may end where it does.
    finished: bool,
    /// How many of its bytes were accepted; a special token counts as its spelling.
    offset: usize,
    /// The token that was rejected, with its spelling.
    token: Option<(TokenId, String)>,
    /// What may come at that place, in a user's words.
    expected: Vec<String>,
    /// The rule at that place.
    place: String,
}

impl Outcome {
    /// Takes the tokens one after the other, as far as they are accepted.
    pub(crate) fn of(matcher: &mut Matcher, tokens: &[TokenId]) -> Self {
        let mut offset = 0;
        for &token in tokens {
            if let Err(error) = matcher.accept(token) {
                return Self {
                    finished: false,
                    offset: offset + error.valid_bytes,
                    token: Some((token, error.spelling)),
                    expected: error.expected,
                    place: error.place,
                };
            }
            offset += match matcher.vocabulary().token_bytes(token) {
                Some(bytes) => bytes.len(),
                None => output::token_text(matcher.vocabulary(), token).len(),
            };
        }
        let finished = matcher.is_accepting();
        let (expected, place) = (matcher.expected(), matcher.place());
        Self { finished, offset, token: None, expected, place }
    }

    /// The rejected token, if one was.
    pub(crate) fn is_rejected(&self) -> bool {
        self.token.is_some()
    }

    /// The outcome as `--json` prints it.
    pub(crate) fn document(&self, accepted: bool, messages: &[Value]) -> Value {
        json!({
            "accepted": accepted,
            "finished": self.finished,
            "offset": (!accepted).then_some(self.offset),
            "token": self.token.as_ref().map(|(token, _)| token),
            "expected": if accepted && self.finished { &[] } else { &self.expected[..] },
            "messages": messages,
        })
    }

    /// The outcome in a sentence.
    pub(crate) fn write(&self, out: &mut dyn Write, accepted: bool) -> io::Result<()> {
        match &self.token {
            _ if accepted && self.finished => return writeln!(out, "accepted"),
            None if accepted => write!(out, "accepted so far")?,
            None => write!(out, "rejected: ends at byte {} before it is complete", self.offset)?,
            Some((token, spelling)) => {
                let spelling = output::shown(spelling);
                write!(out, "rejected at byte {}: token {token} ({spelling})", self.offset)?;
            }
        }
        write!(out, "\n  expected {}", output::shown(output::alternatives(&self.expected)))?;
        if self.place.is_empty() {
            writeln!(out)
        } else {
            writeln!(out, "\n  in {}", output::shown(&self.place))
        }
    }
}
