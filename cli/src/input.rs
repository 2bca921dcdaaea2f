//! Reading what a command is given, and what can go wrong with it.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use harmony_mask::harmony::RequestError;
use harmony_mask::prompt::{ConversationError, ReadError};
use harmony_mask::{Compiler, Grammar, Options, PromptError, Request, SpecialToken, TokenId, Vocabulary};
use serde_json::{Value, json};

use crate::output;

/// Why a command could not do its work. The exit code is 2 for all of them.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error("cannot read {name}: {source}{}", hint(.name))]
    Read { name: String, source: io::Error },
    #[error("{name} is not UTF-8 at byte {offset}")]
    NotText { name: String, offset: usize },
    #[error("{name} is not JSON: {source}")]
    NotJson { name: String, source: serde_json::Error },
    #[error("{name} is nested too deeply: more than 128 levels ({source})")]
    TooDeep { name: String, source: serde_json::Error },
    #[error("{name}: {source}")]
    Refused { name: String, source: Box<harmony_mask::Error> },
    #[error("{name}: {source}")]
    Conversation { name: String, source: Box<ConversationError> },
    #[error("{name}: {source}")]
    Prompt { name: String, source: Box<ReadError> },
    #[error("{name}: {source}")]
    Answer { name: String, source: Box<PromptError> },
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
    #[error("cannot write {name}: {source}")]
    WriteFile { name: String, source: io::Error },
}

/// What helps somebody who wrote JSON in place of a file's name.
fn hint(name: &str) -> &'static str {
    if name.trim_start().starts_with('{') {
        "; a file is named here: write the JSON into one, or give `-` and the JSON on standard input"
    } else {
        ""
    }
}

impl Failure {
    fn kind(&self) -> String {
        match self {
            Self::Usage(_) => "usage".to_owned(),
            Self::Read { .. } => "read".to_owned(),
            Self::NotText { .. } => "not_text".to_owned(),
            Self::NotJson { .. } => "not_json".to_owned(),
            Self::TooDeep { .. } => "too_deep".to_owned(),
            Self::Refused { source, .. } => source.kind().to_owned(),
            Self::Conversation { source, .. } => source.kind().name().to_owned(),
            Self::Prompt { source, .. } => source.kind().name().to_owned(),
            Self::Answer { .. } => "answer".to_owned(),
            Self::Write(_) | Self::WriteFile { .. } => "write".to_owned(),
        }
    }

    /// The failure as `--json` reports it.
    pub(crate) fn document(&self) -> Value {
        let mut error = json!({
            "kind": self.kind(),
            "message": self.to_string(),
            "tool": null,
            "pointer": null,
            "keyword": null,
            "limit": null,
        });
        match self {
            Self::Refused { source, .. } => {
                error["tool"] = json!(source.tool());
                error["pointer"] = json!(source.pointer());
                error["keyword"] = json!(source.keyword());
                error["limit"] = json!(source.limit().map(|limit| limit.what));
            }
            Self::Conversation { source, .. } => {
                error["tool"] = json!(source.tool());
                error["pointer"] = json!(source.pointer());
            }
            Self::Prompt { source, .. } => {
                error["line"] = json!(source.line());
                error["column"] = json!(source.column());
            }
            _ => {}
        }
        json!({"error": error})
    }
}

/// The bytes of a file, or of standard input for `-`.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let read = || {
        if path.as_os_str() != "-" {
            return fs::read(path);
        }
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|source| Failure::Read { name: name(path), source })
}

/// Refuses two inputs from standard input, of which the second would be empty.
pub(crate) fn one_from_stdin(first: &Path, second: &Path) -> Result<(), Failure> {
    match (first.to_str(), second.to_str()) {
        (Some("-"), Some("-")) => {
            Err(Failure::Usage("only one input can come from standard input".to_owned()))
        }
        _ => Ok(()),
    }
}

/// The bytes of a completion. The line end that editors add after its last token is not one of them.
pub(crate) fn completion(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = bytes(path)?;
    let lines = [&b"\n"[..], b"\r\n"];
    let ended = lines.iter().find_map(|line| bytes.strip_suffix(*line).filter(|text| is_ended(text)));
    let len = ended.map_or(bytes.len(), <[u8]>::len);
    bytes.truncate(len);
    Ok(bytes)
}

fn is_ended(text: &[u8]) -> bool {
    [SpecialToken::Call, SpecialToken::Return]
        .iter()
        .any(|token| text.ends_with(token.to_string().as_bytes()))
}

/// The text of a file, without the byte order mark that some editors put before it, which parsers of JSON may
/// ignore (RFC 8259, section 8.1).
pub(crate) fn text(path: &Path) -> Result<String, Failure> {
    let mut text = String::from_utf8(bytes(path)?)
        .map_err(|error| Failure::NotText { name: name(path), offset: error.utf8_error().valid_up_to() })?;
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    Ok(text)
}

pub(crate) fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() }
}

/// The request in a file. What it says in vain is noted on standard error, since most commands show nothing
/// else of it.
pub(crate) fn request(path: &Path) -> Result<Request, Failure> {
    let request = quiet_request(path)?;
    request.warnings().iter().for_each(output::note);
    Ok(request)
}

/// The request in a file, for who shows the warnings of its grammar, which has these, too.
pub(crate) fn quiet_request(path: &Path) -> Result<Request, Failure> {
    text(path)?.parse().map_err(|error: RequestError| refused(path, error))
}

/// The grammar of the request that was in this file.
pub(crate) fn grammar(path: &Path, request: &Request) -> Result<Grammar, Failure> {
    compiler().compile(request).map_err(|error| refused(path, error))
}

/// The JSON Schema in a file.
pub(crate) fn schema(path: &Path) -> Result<Value, Failure> {
    json(path, &text(path)?)
}

/// The JSON that was in this file.
pub(crate) fn json(path: &Path, text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|source| match is_too_deep(&source) {
        true => Failure::TooDeep { name: name(path), source },
        false => Failure::NotJson { name: name(path), source },
    })
}

/// Whether the text may be JSON, but goes deeper than `serde_json` follows; only its words tell that.
pub(crate) fn is_too_deep(error: &serde_json::Error) -> bool {
    error.to_string().starts_with("recursion limit exceeded")
}

/// The grammar of the schema that was in this file.
pub(crate) fn schema_grammar(path: &Path, schema: &Value) -> Result<Grammar, Failure> {
    compiler().compile_schema(schema, &Options::default()).map_err(|error| refused(path, error))
}

/// The grammar whose text was in this file.
pub(crate) fn lark_grammar(path: &Path, grammar: &str) -> Result<Grammar, Failure> {
    compiler().compile_lark(grammar, &Options::default()).map_err(|error| refused(path, error))
}

pub(crate) fn refused(path: &Path, error: impl Into<harmony_mask::Error>) -> Failure {
    Failure::Refused { name: name(path), source: Box::new(error.into()) }
}

pub(crate) fn refused_conversation(path: &Path, source: ConversationError) -> Failure {
    Failure::Conversation { name: name(path), source: Box::new(source) }
}

pub(crate) fn refused_prompt(path: &Path, source: ReadError) -> Failure {
    Failure::Prompt { name: name(path), source: Box::new(source) }
}

pub(crate) fn refused_answer(path: &Path, source: PromptError) -> Failure {
    Failure::Answer { name: name(path), source: Box::new(source) }
}

fn compiler() -> Compiler {
    Compiler::new(Vocabulary::o200k_harmony())
}

/// The tokens of a completion, in which `<|end|>` and its like stand for the special tokens.
///
/// Bytes that are not UTF-8 become single-byte tokens, so that it is the grammar that judges them.
pub(crate) fn completion_tokens(vocabulary: &Vocabulary, bytes: &[u8]) -> Vec<TokenId> {
    tokens(vocabulary, bytes, Vocabulary::encode_with_special)
}

/// The tokens of a text without special tokens.
pub(crate) fn text_tokens(vocabulary: &Vocabulary, bytes: &[u8]) -> Vec<TokenId> {
    tokens(vocabulary, bytes, Vocabulary::encode)
}

fn tokens(
    vocabulary: &Vocabulary,
    bytes: &[u8],
    encode: fn(&Vocabulary, &str) -> Option<Vec<TokenId>>,
) -> Vec<TokenId> {
    let single = |byte: &u8| vocabulary.trie().longest_match(&[*byte]).expect("every byte is a token").0;
    let mut tokens = Vec::new();
    for chunk in bytes.utf8_chunks() {
        tokens.extend(encode(vocabulary, chunk.valid()).expect("o200k_harmony has an encoder"));
        tokens.extend(chunk.invalid().iter().map(single));
    }
    tokens
}
