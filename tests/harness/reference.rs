//! The reference parser of the Harmony format, `openai-harmony`, offline.
//!
//! It reads its vocabulary from the folder that `.cargo/config.toml` names; we write the file there from our
//! own vocabulary, and the reference checks its hash.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::{env, fs, process};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use harmony_mask::{TokenId, Vocabulary};
use openai_harmony::chat::{Content, Message, Role};
use openai_harmony::{
    HarmonyEncoding, HarmonyEncodingName, ParseOptions, StreamableParser, load_harmony_encoding,
};

static ENCODING: LazyLock<HarmonyEncoding> = LazyLock::new(|| {
    let folder = PathBuf::from(env::var_os("TIKTOKEN_ENCODINGS_BASE").expect("set by .cargo/config.toml"));
    let file = folder.join("o200k_base.tiktoken");
    if !file.exists() {
        fs::create_dir_all(&folder).expect("the folder below target");
        // Renamed into place, since several test binaries may do this at once.
        let part = folder.join(format!("{}.part", process::id()));
        fs::write(&part, ranks(&Vocabulary::o200k_harmony())).expect("the ranks");
        fs::rename(part, file).expect("the ranks in place");
    }
    load_harmony_encoding(HarmonyEncodingName::HarmonyGptOss).expect("the reference's vocabulary")
});

fn ranks(vocabulary: &Vocabulary) -> String {
    let tokens = (0..).map_while(|id| vocabulary.token_bytes(id).map(|bytes| (id, bytes)));
    tokens.fold(String::new(), |mut text, (id, bytes)| {
        writeln!(text, "{} {id}", STANDARD.encode(bytes)).expect("writing to a string");
        text
    })
}

/// What the reference makes of a completion that follows `<|start|>assistant`, strictly parsed.
pub(crate) fn parse(tokens: &[TokenId]) -> Result<Vec<Message>, String> {
    let options = ParseOptions { strict: true };
    ENCODING
        .parse_messages_from_completion_tokens_with_options(
            tokens.iter().copied(),
            Some(Role::Assistant),
            options,
        )
        .map_err(|error| error.to_string())
}

/// The reference's streaming parser of what follows `<|start|>assistant`.
pub(crate) fn streaming() -> StreamableParser {
    StreamableParser::new(ENCODING.clone(), Some(Role::Assistant)).expect("the reference's own tokens")
}

/// A message as our transcript would have it: channel, recipient, content type, content.
pub(crate) fn fields(message: &Message) -> (Option<&str>, Option<&str>, Option<&str>, String) {
    let content = message.content.iter().map(|content| match content {
        Content::Text(text) => text.text.as_str(),
        other => panic!("an assistant's content is text, not {other:?}"),
    });
    let content_type = message.content_type.as_deref().map(|name| name.trim_start_matches("<|constrain|>"));
    (message.channel.as_deref(), message.recipient.as_deref(), content_type, content.collect())
}

/// How a conversation is rendered.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// For the assistant to go on.
    Completion,
    /// As an example to train on.
    Training,
}

/// The tokens that the reference renders. Its type of settings has no public name, so only its default can be
/// passed, which drops analysis.
pub(crate) fn render(messages: &[Message], form: Form, auto_drop_analysis: bool) -> Vec<TokenId> {
    let default = Default::default();
    let config = auto_drop_analysis.then_some(&default);
    match form {
        Form::Completion => ENCODING.render_conversation_for_completion(messages, Role::Assistant, config),
        Form::Training => ENCODING.render_conversation_for_training(messages, config),
    }
    .expect("renders")
}
