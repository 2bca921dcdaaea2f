//! One message of a conversation: who speaks to whom, on which channel, and what.

use super::render::Prompt;
use crate::special::SpecialToken;
use crate::transcript::{self, End};

/// A message of a conversation, apart from the two that carry settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub author: Author,
    /// Whom it is for, where the header says so: the tool that is called, or `assistant` for what a tool
    /// returned.
    pub recipient: Option<Recipient>,
    /// The channel. Only the assistant's messages and those of tools have one.
    pub channel: Option<String>,
    /// How the content is written.
    pub content_type: Option<ContentType>,
    /// What is said.
    pub content: String,
}

/// Who speaks in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Author {
    /// The developer, after the message that opens the prompt. The content is the message's whole text,
    /// headings included.
    Developer,
    /// A user, who may have a name.
    User(Option<String>),
    /// The assistant, which may have a name.
    Assistant(Option<String>),
    /// A tool, by the name that it is called by: `functions.get_weather`.
    Tool(String),
}

/// Whom a message is for, and where its header says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient {
    /// The name.
    pub name: String,
    /// Whether it stands after the channel (`<|channel|>commentary to=…`), as gpt-oss writes it, and not
    /// after the role (`<|start|>assistant to=…`), as renderers do.
    pub after_channel: bool,
}

/// How a content is written, as the header says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentType {
    /// The word: `json`.
    pub name: String,
    /// Whether `<|constrain|>` stands before it.
    pub is_marked: bool,
}

impl Message {
    /// A message with nothing in its header but the author.
    pub(super) fn new(author: Author, content: impl Into<String>) -> Self {
        Self { author, recipient: None, channel: None, content_type: None, content: content.into() }
    }

    /// What the assistant says on a channel.
    pub(super) fn assistant(channel: &str, content: impl Into<String>) -> Self {
        Self { channel: Some(channel.to_owned()), ..Self::new(Author::Assistant(None), content) }
    }

    /// What a tool returned, on the channel of its call.
    pub(super) fn result(tool: &str, channel: Option<String>, content: impl Into<String>) -> Self {
        let recipient = Recipient { name: "assistant".to_owned(), after_channel: false };
        Self { recipient: Some(recipient), channel, ..Self::new(Author::Tool(tool.to_owned()), content) }
    }

    /// The tool that the assistant calls with this message.
    #[must_use]
    pub fn called(&self) -> Option<&str> {
        match (&self.author, &self.recipient) {
            (Author::Assistant(_), Some(recipient)) => Some(&recipient.name),
            _ => None,
        }
    }

    /// Whether this is an answer of the assistant.
    pub(super) fn is_final(&self) -> bool {
        matches!(self.author, Author::Assistant(_)) && self.is_on("final")
    }

    /// Whether the assistant goes on after this message: it is nobody's call, and no answer.
    pub(super) fn is_thought(&self) -> bool {
        self.author == Author::Assistant(None) && self.recipient.is_none() && !self.is_on("final")
    }

    /// Whether this thought is one of a transcript.
    pub(super) fn says(&self, said: &transcript::Message) -> bool {
        let content_type = self.content_type.as_ref().map(|content_type| &content_type.name);
        let header = (&self.channel, None, content_type);
        header == (&said.channel, said.recipient.as_ref(), said.content_type.as_ref())
            && self.content == said.content
            && said.end == Some(End::End)
    }

    pub(super) fn is_on(&self, channel: &str) -> bool {
        self.channel.as_deref() == Some(channel)
    }

    /// Writes the message, ended as messages of a history are.
    pub(super) fn write(&self, prompt: &mut Prompt) {
        let end = if self.called().is_some() { SpecialToken::Call } else { SpecialToken::End };
        self.write_ended(prompt, end);
    }

    pub(super) fn write_ended(&self, prompt: &mut Prompt, end: SpecialToken) {
        prompt.special(SpecialToken::Start);
        match &self.author {
            Author::Developer => prompt.text("developer"),
            Author::User(name) => write_role("user", name.as_deref(), prompt),
            Author::Assistant(name) => write_role("assistant", name.as_deref(), prompt),
            Author::Tool(name) => prompt.text(name),
        }
        let after_role = self.recipient.as_ref().filter(|recipient| !recipient.after_channel);
        write_recipient(after_role, prompt);
        if let Some(channel) = &self.channel {
            prompt.special(SpecialToken::Channel);
            prompt.text(channel);
        }
        write_recipient(self.recipient.as_ref().filter(|recipient| recipient.after_channel), prompt);
        if let Some(content_type) = &self.content_type {
            prompt.text(" ");
            if content_type.is_marked {
                prompt.special(SpecialToken::Constrain);
            }
            prompt.text(&content_type.name);
        }
        prompt.special(SpecialToken::Message);
        prompt.text(&self.content);
        prompt.special(end);
    }
}

fn write_role(role: &str, name: Option<&str>, prompt: &mut Prompt) {
    prompt.text(role);
    if let Some(name) = name {
        prompt.text(":");
        prompt.text(name);
    }
}

fn write_recipient(recipient: Option<&Recipient>, prompt: &mut Prompt) {
    if let Some(recipient) = recipient {
        prompt.text(" to=");
        prompt.text(&recipient.name);
    }
}
