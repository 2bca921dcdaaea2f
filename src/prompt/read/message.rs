//! Headers, contents and ends of messages.

use super::source::{Part, Source};
use super::{Excerpt, developer};
use crate::prompt::error::{Fault, ReadErrorKind};
use crate::prompt::message::{Author, ContentType, Message, Recipient};
use crate::prompt::system::CHANNELS;
use crate::special::SpecialToken;

/// A message as it stands in a prompt.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    /// Who speaks.
    pub(super) author: Excerpt<'a>,
    /// What is said.
    pub(super) content: Excerpt<'a>,
    recipient: Option<(Excerpt<'a>, bool)>,
    channel: Option<Excerpt<'a>>,
    content_type: Option<(&'a str, bool)>,
    end: SpecialToken,
    end_at: usize,
}

/// All whole messages, and the byte after a last `<|start|>assistant` that opens another.
pub(super) fn drafts<'a>(source: &'a Source<'_>) -> Result<(Vec<Draft<'a>>, Option<usize>), Fault> {
    let parts = source.parts();
    blank(source.before(), "`<|start|>`")?;
    let mut drafts = Vec::new();
    let mut rest = &parts[..];
    while let [first, ..] = rest {
        if first.special != SpecialToken::Start {
            return Err(unexpected(first, "`<|start|>`"));
        }
        let Some(len) = rest.iter().position(is_end) else {
            if let Some(again) = rest[1..].iter().find(|part| part.special == SpecialToken::Start) {
                return Err(unexpected(again, "the end of the message before"));
            }
            return Ok((drafts, Some(opened(first)?)));
        };
        let (message, after) = rest.split_at(len + 1);
        blank(message[len].text, "`<|start|>`")?;
        drafts.push(draft(message)?);
        rest = after;
    }
    Ok((drafts, None))
}

fn is_end(part: &Part<'_>) -> bool {
    matches!(part.special, SpecialToken::End | SpecialToken::Call | SpecialToken::Return)
}

/// The byte after `assistant`. How the message goes on is for the grammar to say.
fn opened(start: &Part<'_>) -> Result<usize, Fault> {
    match start.text.skip("assistant") {
        Some(rest) if rest.text.is_empty() || rest.text.starts_with(' ') => Ok(rest.at),
        _ => Err(start.text.expected("`assistant` in a message that is to be completed")),
    }
}

/// Between messages there may be line ends, as the format's documents print them.
fn blank(text: Excerpt<'_>, expected: &str) -> Result<(), Fault> {
    let rest = text.text.trim_start();
    if rest.is_empty() { Ok(()) } else { Err(text.from(text.text.len() - rest.len()).expected(expected)) }
}

/// A message from `<|start|>` to its end.
fn draft<'a>(parts: &[Part<'a>]) -> Result<Draft<'a>, Fault> {
    let mut parts = parts.iter().peekable();
    let mut next = |special| parts.next_if(|part: &&Part<'_>| part.special == special);
    let start = next(SpecialToken::Start).expect("checked by the caller");
    let channel = next(SpecialToken::Channel);
    let constrain = next(SpecialToken::Constrain);
    let Some(message) = next(SpecialToken::Message) else {
        let at = parts.next().expect("the end");
        return Err(unexpected(at, "`<|message|>`"));
    };
    let end = parts.next().expect("the end");
    if !is_end(end) {
        return Err(unexpected(end, "the end of the message"));
    }
    let mut header =
        Header { author: word(start.text).0, recipient: None, channel: None, content_type: None };
    header.read_words(word(start.text).1, false)?;
    if let Some(channel) = channel {
        let (name, rest) = word(channel.text);
        if !CHANNELS.contains(&name.text) {
            return Err(name.expected("analysis, commentary or final"));
        }
        header.channel = Some(name);
        header.read_words(rest, true)?;
    }
    if let Some(constrain) = constrain {
        if header.content_type.is_some() {
            return Err(unexpected(constrain, "`<|message|>`"));
        }
        header.content_type = Some((constrain.text.text.trim(), true));
    }
    let Header { author, recipient, channel, content_type } = header;
    Ok(Draft {
        author,
        content: message.text,
        recipient,
        channel,
        content_type,
        end: end.special,
        end_at: end.at,
    })
}

struct Header<'a> {
    author: Excerpt<'a>,
    recipient: Option<(Excerpt<'a>, bool)>,
    channel: Option<Excerpt<'a>>,
    content_type: Option<(&'a str, bool)>,
}

impl<'a> Header<'a> {
    /// `to=…` and, after a channel, a content type.
    fn read_words(&mut self, mut rest: Excerpt<'a>, after_channel: bool) -> Result<(), Fault> {
        while !rest.text.is_empty() {
            let (found, after) = word(rest);
            match found.skip("to=") {
                Some(name) if self.recipient.is_none() => self.recipient = Some((name, after_channel)),
                None if found.text.is_empty() => {}
                None if after_channel && self.content_type.is_none() => {
                    self.content_type = Some((found.text, false));
                }
                _ => return Err(found.expected("the end of the header")),
            }
            rest = after;
        }
        Ok(())
    }
}

/// The text up to a space, and what comes after the space.
fn word(text: Excerpt<'_>) -> (Excerpt<'_>, Excerpt<'_>) {
    let len = text.text.find(' ').unwrap_or(text.text.len());
    let (word, rest) = text.split_at(len);
    (word, rest.skip(" ").unwrap_or(rest))
}

impl Draft<'_> {
    /// The message, one of a conversation with these tools, which are sorted.
    pub(super) fn message(&self, tools: &[String]) -> Result<Message, Fault> {
        let author = self.author(tools)?;
        self.check_end(&author)?;
        if author == Author::Developer {
            developer::check_later(self.content)?;
        }
        let recipient = self
            .recipient
            .map(|(name, after_channel)| Recipient { name: name.text.to_owned(), after_channel });
        let content_type =
            self.content_type.map(|(name, is_marked)| ContentType { name: name.to_owned(), is_marked });
        Ok(Message {
            author,
            recipient,
            channel: self.channel.map(|channel| channel.text.to_owned()),
            content_type,
            content: self.content.text.to_owned(),
        })
    }

    fn author(&self, tools: &[String]) -> Result<Author, Fault> {
        let (role, name) = match self.author.text.split_once(':') {
            Some((role, name)) => (role, Some(name.to_owned())),
            None => (self.author.text, None),
        };
        match (role, &name) {
            ("user", _) => Ok(Author::User(name)),
            ("assistant", _) => Ok(Author::Assistant(name)),
            ("developer", None) => Ok(Author::Developer),
            ("system", None) => Err(self.author.expected("another role: the system message comes first")),
            (tool, None) if tools.binary_search_by(|known| known.as_str().cmp(tool)).is_ok() => {
                Ok(Author::Tool(tool.to_owned()))
            }
            _ => Err(self.author.fault(ReadErrorKind::UnknownRole(self.author.text.to_owned()))),
        }
    }

    /// A call ends in `<|call|>`, all else in `<|end|>`; an answer also in `<|return|>`, which the history
    /// has as `<|end|>`.
    fn check_end(&self, author: &Author) -> Result<(), Fault> {
        let is_assistant = matches!(author, Author::Assistant(_));
        let is_answer = is_assistant && self.channel.is_some_and(|channel| channel.text == "final");
        let expected =
            if is_assistant && self.recipient.is_some() { SpecialToken::Call } else { SpecialToken::End };
        if self.end == expected || (self.end == SpecialToken::Return && is_answer) {
            return Ok(());
        }
        let (expected, found) = (format!("`{expected}`"), format!("`{}`", self.end));
        Err(Fault { at: self.end_at, kind: ReadErrorKind::Expected { expected, found } })
    }
}

fn unexpected(part: &Part<'_>, expected: &str) -> Fault {
    let (expected, found) = (expected.to_owned(), format!("`{}`", part.special));
    Fault { at: part.at, kind: ReadErrorKind::Expected { expected, found } }
}
