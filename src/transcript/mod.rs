//! From tokens to messages.
//!
//! The tokens are those that the grammar accepted after `<|start|>assistant`, so reading them cannot fail: special tokens say where a
//! header, a body and a message end, and the words of a header say what they are by their place. Bodies are joined from
//! bytes, since a character may be spread over several tokens.

#[cfg(test)]
mod tests;

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
        let mut messages = Vec::new();
        let mut open = Draft::default();
        for &token in tokens {
            match vocabulary.special(token) {
                Some(SpecialToken::Start) => open = Draft::default(),
                Some(special) => {
                    if let Some(end) = open.read_special(special) {
                        messages.push(std::mem::take(&mut open).message(Some(end)));
                    }
                }
                None => open.section().extend(vocabulary.token_bytes(token).unwrap_or_default()),
            }
        }
        if open != Draft::default() {
            messages.push(open.message(None));
        }
        Self { messages }
    }

    /// Where the last of these tokens stands, in a user's words; empty before the first special token.
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
        let Some(last) = tokens.iter().rposition(|token| vocabulary.special(*token).is_some()) else {
            return String::new();
        };
        match vocabulary.special(tokens[last]) {
            Some(SpecialToken::Message) => {}
            Some(SpecialToken::Return | SpecialToken::Call) => return String::new(),
            _ => return "a message header".to_owned(),
        }
        let message = Self::read(vocabulary, tokens).messages.pop().unwrap_or_default();
        match (message.recipient, message.channel) {
            (Some(recipient), _) => format!("a call of {recipient}"),
            (None, Some(channel)) => format!("a message on channel {channel}"),
            (None, None) => "a message".to_owned(),
        }
    }
}

/// The sections of a message, in the order in which special tokens open them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Section {
    #[default]
    Role,
    Channel,
    ContentType,
    Body,
}

/// A message being read: the bytes of each section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Draft {
    at: Section,
    bytes: [Vec<u8>; 4],
}

impl Draft {
    fn section(&mut self) -> &mut Vec<u8> {
        &mut self.bytes[self.at as usize]
    }

    fn text(&self, section: Section) -> String {
        complete_characters(&self.bytes[section as usize])
    }

    /// Goes on to the section that a special token opens; says how the message ended if it did.
    fn read_special(&mut self, special: SpecialToken) -> Option<End> {
        match special {
            SpecialToken::Channel => self.at = Section::Channel,
            SpecialToken::Constrain => self.at = Section::ContentType,
            SpecialToken::Message => self.at = Section::Body,
            SpecialToken::Return => return Some(End::Return),
            SpecialToken::Call => return Some(End::Call),
            SpecialToken::End => return Some(End::End),
            SpecialToken::Start => {}
        }
        None
    }

    fn message(self, end: Option<End>) -> Message {
        if self.at != Section::Body {
            return Message { end, ..Message::default() };
        }
        let (role, channel) = (self.text(Section::Role), self.text(Section::Channel));
        let recipient = role.split(' ').chain(channel.split(' ')).find_map(|word| word.strip_prefix("to="));
        let mut words = channel.split(' ').filter(|word| !word.is_empty() && !word.starts_with("to="));
        let name = words.next();
        let constrained = self.text(Section::ContentType);
        let content_type = if constrained.is_empty() { words.next() } else { Some(constrained.as_str()) };
        Message {
            channel: name.map(str::to_owned),
            recipient: recipient.map(str::to_owned),
            content_type: content_type.map(str::to_owned),
            content: self.text(Section::Body),
            end,
        }
    }
}

/// The text of these bytes, up to a character that is only begun.
fn complete_characters(bytes: &[u8]) -> String {
    let begun = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    let is_begun = std::str::from_utf8(begun).is_err_and(|error| error.error_len().is_none());
    let end = if is_begun { bytes.len() - begun.len() } else { bytes.len() };
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
