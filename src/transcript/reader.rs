//! Reading a completion token by token.

use std::borrow::Cow;
use std::sync::Arc;

use super::{End, Message};
use crate::special::{SpecialToken, TokenId};
use crate::vocabulary::Vocabulary;

/// What a message's header says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Header {
    /// The channel.
    pub channel: Option<String>,
    /// The tool that is called.
    pub recipient: Option<String>,
    /// The content type as the header has it, without the token that may stand before it.
    pub content_type: Option<String>,
}

impl Header {
    /// Whether another message must follow: it is nobody's call, and not the answer.
    #[must_use]
    pub fn is_thought(&self) -> bool {
        self.recipient.is_none() && self.channel.as_deref() != Some("final")
    }

    /// Whether the message is reasoning: on `analysis`, and nobody's call.
    #[must_use]
    pub fn is_reasoning(&self) -> bool {
        self.channel.as_deref() == Some("analysis") && self.recipient.is_none()
    }

    fn place(&self) -> String {
        match (&self.recipient, &self.channel) {
            (Some(recipient), _) => format!("a call of {recipient}"),
            (None, Some(channel)) => format!("a message on channel {channel}"),
            (None, None) => String::new(),
        }
    }
}

/// Where the last token left a completion. Cheap to clone inside a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reader(Place);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// In the header, whose sections have these bytes.
    Header { section: Section, bytes: [Vec<u8>; 3] },
    /// In a body, after the first bytes of a character that is not complete.
    Body { header: Arc<Header>, begun: Begun },
    /// The same in a text without messages around it, where only `<|return|>` ends anything: a grammar may
    /// ask for the other special tokens.
    Text { header: Arc<Header>, begun: Begun },
    /// After the token that ended a message.
    After(End),
}

/// The sections of a header, in the order in which special tokens open them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Role,
    Channel,
    ContentType,
}

/// The first bytes of a character, at most three. Where it stands, so that reading a body allocates nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Begun {
    bytes: [u8; 3],
    len: usize,
}

impl Begun {
    fn new(begun: &[u8]) -> Self {
        let mut bytes = [0; 3];
        bytes[..begun.len()].copy_from_slice(begun);
        Self { bytes, len: begun.len() }
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// The whole characters after more bytes.
    fn read<'v>(&mut self, read: &'v [u8]) -> Cow<'v, str> {
        let (text, begun) = if self.len == 0 {
            let (whole, begun) = read.split_at(whole_characters(read));
            (String::from_utf8_lossy(whole), Self::new(begun))
        } else {
            let bytes = [self.bytes(), read].concat();
            let (whole, begun) = bytes.split_at(whole_characters(&bytes));
            (String::from_utf8_lossy(whole).into_owned().into(), Self::new(begun))
        };
        *self = begun;
        text
    }
}

/// What one token says; text is the vocabulary's own where a token has whole characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read<'v> {
    /// Nothing yet: a part of a header, or of a character.
    Nothing,
    /// The header is complete.
    Header(Arc<Header>),
    /// Text of the body, in whole characters.
    Text(Cow<'v, str>),
    /// The message ends.
    End(End),
}

impl Default for Reader {
    /// After `<|start|>assistant`.
    fn default() -> Self {
        Self(Place::Header { section: Section::Role, bytes: Default::default() })
    }
}

impl Reader {
    /// Before a message's `<|start|>`.
    #[must_use]
    pub fn between_messages() -> Self {
        Self(Place::After(End::End))
    }

    /// In a text without messages around it: in the body of a message whose header says nothing. Special
    /// tokens in it are text as they are spelled, but `<|return|>` ends it.
    #[must_use]
    pub fn in_text() -> Self {
        Self(Place::Text { header: Arc::default(), begun: Begun::default() })
    }

    /// Takes a token.
    pub fn read<'v>(&mut self, vocabulary: &'v Vocabulary, token: TokenId) -> Read<'v> {
        match vocabulary.token_bytes(token) {
            Some(bytes) => self.read_bytes(bytes),
            None => vocabulary.special(token).map_or(Read::Nothing, |special| self.read_special(special)),
        }
    }

    /// The header of the message whose body is being read.
    #[must_use]
    pub fn open(&self) -> Option<&Arc<Header>> {
        match &self.0 {
            Place::Body { header, .. } | Place::Text { header, .. } => Some(header),
            Place::Header { .. } | Place::After(_) => None,
        }
    }

    /// Whether a header is being read.
    #[must_use]
    pub fn is_in_header(&self) -> bool {
        matches!(self.0, Place::Header { .. })
    }

    /// Whether a header is being read of which something was said, beside who speaks.
    pub(super) fn has_begun(&self) -> bool {
        let Place::Header { section, bytes: [role, ..] } = &self.0 else { return false };
        *section != Section::Role || !Message::ROLE.as_bytes().starts_with(role)
    }

    /// Whether the last bytes are the beginning of a character.
    #[must_use]
    pub fn is_within_character(&self) -> bool {
        matches!(&self.0, Place::Body { begun, .. } | Place::Text { begun, .. } if begun.len > 0)
    }

    /// Where this is, in a user's words; empty where a completion may be over, and in a text without
    /// messages.
    #[must_use]
    pub fn place(&self) -> String {
        match &self.0 {
            Place::Body { header, .. } | Place::Text { header, .. } => header.place(),
            Place::Header { .. } | Place::After(End::End) => "a message header".to_owned(),
            Place::After(End::Call | End::Return) => String::new(),
        }
    }

    fn read_special(&mut self, special: SpecialToken) -> Read<'static> {
        if matches!(self.0, Place::Text { .. }) && special != SpecialToken::Return {
            return Read::Text(special.to_string().into());
        }
        let end = match special {
            SpecialToken::Start => {
                *self = Self::default();
                return Read::Nothing;
            }
            SpecialToken::Channel => return self.enter(Section::Channel),
            SpecialToken::Constrain => return self.enter(Section::ContentType),
            SpecialToken::Message => {
                let Place::Header { bytes, .. } = &self.0 else { return Read::Nothing };
                let header = Arc::new(header(bytes));
                self.0 = Place::Body { header: header.clone(), begun: Begun::default() };
                return Read::Header(header);
            }
            SpecialToken::Return => End::Return,
            SpecialToken::Call => End::Call,
            SpecialToken::End => End::End,
        };
        self.0 = Place::After(end);
        Read::End(end)
    }

    fn enter(&mut self, next: Section) -> Read<'static> {
        if let Place::Header { section, .. } = &mut self.0 {
            *section = next;
        }
        Read::Nothing
    }

    fn read_bytes<'v>(&mut self, read: &'v [u8]) -> Read<'v> {
        match &mut self.0 {
            Place::Header { section, bytes } => bytes[*section as usize].extend_from_slice(read),
            Place::Body { begun, .. } | Place::Text { begun, .. } => {
                let text = begun.read(read);
                if !text.is_empty() {
                    return Read::Text(text);
                }
            }
            Place::After(_) => {}
        }
        Read::Nothing
    }
}

/// The words of a header by their place.
fn header(bytes: &[Vec<u8>; 3]) -> Header {
    let [role, channel, constrained] = bytes.each_ref().map(|bytes| String::from_utf8_lossy(bytes));
    let recipient = role.split(' ').chain(channel.split(' ')).find_map(|word| word.strip_prefix("to="));
    let mut words = channel.split(' ').filter(|word| !word.is_empty() && !word.starts_with("to="));
    let name = words.next();
    let content_type = if constrained.is_empty() { words.next() } else { Some(&*constrained) };
    Header {
        channel: name.map(str::to_owned),
        recipient: recipient.map(str::to_owned),
        content_type: content_type.map(str::to_owned),
    }
}

/// The length of these bytes up to a character that is only begun. Every token is read here, and the end of
/// the bytes is enough to tell: there are at most three of such a character.
fn whole_characters(bytes: &[u8]) -> usize {
    if bytes.last().is_none_or(u8::is_ascii) {
        return bytes.len();
    }
    let is_begun = |begun: &[u8]| std::str::from_utf8(begun).is_err_and(|error| error.error_len().is_none());
    let starts = (bytes.len().saturating_sub(3)..bytes.len()).rev();
    starts.into_iter().find(|start| is_begun(&bytes[*start..])).unwrap_or(bytes.len())
}
