//! From tokens to messages.
//!
//! The tokens are those that the grammar accepted after `<|start|>assistant`, so reading them cannot fail:
//! special tokens say where a header, a body and a message end, and the words of a header say what they are
//! by their place. Bodies are joined from bytes, since a character may be spread over several tokens.

mod reader;
#[cfg(test)]
mod tests;

pub use reader::{Header, Read, Reader};

use serde_json::{Value, json};

use crate::special::{SpecialToken, TokenId};
use crate::vocabulary::Vocabulary;

/// What an assistant said, message by message.
///
/// ```
/// use harmony_mask::Vocabulary;
/// use harmony_mask::transcript::{End, Transcript};
///
/// let vocabulary = Vocabulary::o200k_harmony();
/// let text = "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>";
/// let tokens = vocabulary.encode_with_special(text).expect("o200k_harmony has an encoder");
/// let transcript = Transcript::read(&vocabulary, &tokens);
/// let call = &transcript.messages[0];
/// assert_eq!(call.recipient.as_deref(), Some("functions.f"));
/// assert_eq!((call.content_type.as_deref(), call.content.as_str()), (Some("json"), "{}"));
/// assert_eq!(call.end, Some(End::Call));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// The messages in order. The last may be unfinished.
    pub messages: Vec<Message>,
}

/// One message of the assistant.
///
/// Of an unfinished header nothing is told: what stands there may still be the beginning of a longer name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The channel.
    pub channel: Option<String>,
    /// The tool that is called.
    pub recipient: Option<String>,
    /// The content type as the header has it, without the token that may stand before it.
    pub content_type: Option<String>,
    /// The body. Of an unfinished one, without the first bytes of a character that is still to be completed.
    pub content: String,
    /// How it ended; `None` while it is unfinished.
    pub end: Option<End>,
}

impl Message {
    /// Who speaks. Only the assistant does.
    pub const ROLE: &'static str = "assistant";

    /// The message as a JSON object with its fields and `role`; what it does not have is `null`, and `end` is the
    /// [name](End::name) of its end.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "role": Self::ROLE,
            "channel": self.channel,
            "recipient": self.recipient,
            "content_type": self.content_type,
            "content": self.content,
            "end": self.end.map(End::name),
        })
    }

    fn new(header: &Header) -> Self {
        let Header { channel, recipient, content_type } = header.clone();
        Self { channel, recipient, content_type, content: String::new(), end: None }
    }
}

/// How a message ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// With `<|return|>`: an answer.
    Return,
    /// With `<|call|>`: a tool call.
    Call,
    /// With `<|end|>`: another message follows.
    End,
}

impl End {
    /// The name of its token between the bars.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Return => SpecialToken::Return.name(),
            Self::Call => SpecialToken::Call.name(),
            Self::End => SpecialToken::End.name(),
        }
    }
}

impl Transcript {
    /// Reads the tokens that an assistant wrote after `<|start|>assistant`.
    #[must_use]
    pub fn read(vocabulary: &Vocabulary, tokens: &[TokenId]) -> Self {
        Self::read_from(Reader::default(), vocabulary, tokens)
    }

    /// Reads tokens from another place of a turn. Where that is in a body, the first message is the rest of
    /// it.
    #[must_use]
    pub fn read_from(mut reader: Reader, vocabulary: &Vocabulary, tokens: &[TokenId]) -> Self {
        let mut messages: Vec<Message> =
            reader.open().map(|header| Message::new(header)).into_iter().collect();
        for &token in tokens {
            let read = reader.read(vocabulary, token);
            match (read, messages.last_mut()) {
                (Read::Header(header), _) => messages.push(Message::new(&header)),
                (Read::Text(text), Some(last)) => last.content.push_str(&text),
                (Read::End(end), Some(last)) => last.end = last.end.or(Some(end)),
                _ => {}
            }
        }
        if reader.has_begun() {
            messages.push(Message::default());
        }
        Self { messages }
    }

    /// Where the last of these tokens stands, in a user's words; empty before the first token.
    ///
    /// ```
    /// use harmony_mask::{Transcript, Vocabulary};
    ///
    /// let vocabulary = Vocabulary::o200k_harmony();
    /// let tokens = vocabulary.encode_with_special("<|channel|>analysis<|message|>Hm").expect("it has an encoder");
    /// assert_eq!(Transcript::place(&vocabulary, &tokens), "a message on channel analysis");
    /// ```
    #[must_use]
    pub fn place(vocabulary: &Vocabulary, tokens: &[TokenId]) -> String {
        let mut reader = Reader::default();
        for token in tokens {
            reader.read(vocabulary, *token);
        }
        if tokens.is_empty() { String::new() } else { reader.place() }
    }
}
