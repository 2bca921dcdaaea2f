//! A conversation: what a prompt says, and how it goes on.

use super::calls::OpenCalls;
use super::developer::Developer;
use super::error::ConversationError;
use super::history;
use super::message::{Author, ContentType, Message, Recipient};
use super::render::Prompt;
use super::system::System;
use super::unsaid::Unsaid;
use crate::prompt::error::ConversationErrorKind;
use crate::recursion;
use crate::special::SpecialToken;
use crate::transcript::{self, Transcript};

/// All that a prompt says, in order: the system message, the developer message, and what was said so far.
///
/// Every call in it is of a declared tool, and every result follows its call. The whole loop of an agent:
///
/// ```
/// use harmony_mask::prompt::Conversation;
/// use harmony_mask::{Compiler, Request, Vocabulary};
/// use serde_json::json;
///
/// let request = json!({
///     "input": "What time is it?",
///     "tools": [{"type": "function", "name": "get_time"}],
///     "tool_choice": "required"
/// });
/// let mut conversation = Conversation::read(&request)?;
/// let compiler = Compiler::new(Vocabulary::o200k_harmony());
/// let mut matcher = compiler.compile(&Request::read(&request)?)?.matcher();
/// let prompt = conversation.for_completion().tokens(compiler.vocabulary()).expect("it has an encoder");
/// // … here a model reads the prompt and samples under the masks. We take the shortest way …
/// assert_eq!(prompt[0], 200_006);
/// for token in matcher.shortest_completion() {
///     matcher.accept(token)?;
/// }
/// conversation.answer(&matcher.transcript())?;
/// conversation.result("functions.get_time", "12:15")?;
/// let next = conversation.for_completion().to_string();
/// assert!(next.contains("<|start|>functions.get_time to=assistant<|channel|>"));
/// assert!(next.ends_with("<|message|>12:15<|end|><|start|>assistant"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    pub(super) system: Option<System>,
    pub(super) developer: Developer,
    pub(super) messages: Vec<Message>,
    pub(super) open_calls: OpenCalls,
    /// What may be called, sorted.
    pub(super) recipients: Vec<String>,
    pub(super) style: Style,
    pub(super) unsaid: Vec<Unsaid>,
}

/// How headers are written, and what is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    /// Where the header of a call says what is called; see [`Recipient::after_channel`].
    pub(super) after_channel: bool,
    /// Whether `<|constrain|>` stands before the content type of a call.
    pub(super) is_marked: bool,
    /// Whether thoughts are forgotten once there is an answer.
    pub(super) drops_analysis: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { after_channel: false, is_marked: true, drops_analysis: true }
    }
}

impl Conversation {
    /// The system message, where there is one.
    #[must_use]
    pub fn system(&self) -> Option<&System> {
        self.system.as_ref()
    }

    /// The developer message.
    #[must_use]
    pub fn developer(&self) -> &Developer {
        &self.developer
    }

    /// What was said so far, thoughts included.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// What the request allows and the prompt cannot say; empty for a conversation that was read from a
    /// prompt.
    #[must_use]
    pub fn unsaid(&self) -> &[Unsaid] {
        &self.unsaid
    }

    /// Goes on with what a user says.
    pub fn user(&mut self, text: impl Into<String>) {
        self.messages.push(Message::new(Author::User(None), text));
    }

    /// Goes on with what the assistant answered: its thoughts, and its call or its answer.
    ///
    /// A turn may have begun in the prompt: then the conversation ends in thoughts, and the transcript of a
    /// matcher that was given the whole prompt ([`Grammar::matcher_after`](crate::Grammar::matcher_after))
    /// begins with these same thoughts. They are not added a second time.
    ///
    /// # Errors
    /// When its last message is not finished, or calls a tool that is not declared. Then nothing is added.
    pub fn answer(&mut self, answer: &Transcript) -> Result<(), ConversationError> {
        let (said, open_calls) = (self.messages.len(), self.open_calls.clone());
        let new = answer.messages.iter().skip(self.begun(answer));
        let added = new.into_iter().try_for_each(|message| {
            if message.end.is_none() {
                return Err(ConversationError::new("", ConversationErrorKind::Unfinished));
            }
            let message = self.answered(message);
            self.add(message, "")
        });
        if added.is_err() {
            self.messages.truncate(said);
            self.open_calls = open_calls;
        }
        added
    }

    /// How many of the answer's first messages are here already: the thoughts that the conversation ends
    /// with, where the answer begins with all of them.
    fn begun(&self, answer: &Transcript) -> usize {
        let thoughts = self.messages.iter().rev().take_while(|message| message.is_thought()).count();
        let held = &self.messages[self.messages.len() - thoughts..];
        let said = answer.messages.iter().take(thoughts);
        if said.len() == thoughts && held.iter().zip(said).all(|(held, said)| held.says(said)) {
            thoughts
        } else {
            0
        }
    }

    /// Goes on with what a tool returned, by the name that it was called by: `functions.get_weather`.
    ///
    /// # Errors
    /// When no call of this tool is open.
    pub fn result(&mut self, tool: &str, output: impl Into<String>) -> Result<(), ConversationError> {
        self.add(Message::result(tool, self.open_calls.channel(tool), output), "")
    }

    /// The prompt for the assistant's next turn: it ends in `<|start|>assistant`.
    #[must_use]
    pub fn for_completion(&self) -> Prompt {
        let mut prompt = self.settings();
        history::kept(&self.messages, !self.style.drops_analysis, false)
            .for_each(|message| message.write(&mut prompt));
        prompt.special(SpecialToken::Start);
        prompt.text("assistant");
        prompt
    }

    /// The conversation as an example to train on: an answer at its end ends in `<|return|>`, as the model is
    /// to say it, and keeps its thoughts.
    #[must_use]
    pub fn for_training(&self) -> Prompt {
        let mut prompt = self.settings();
        let mut messages = history::kept(&self.messages, !self.style.drops_analysis, true).peekable();
        while let Some(message) = messages.next() {
            if messages.peek().is_none() && message.is_final() {
                message.write_ended(&mut prompt, SpecialToken::Return);
            } else {
                message.write(&mut prompt);
            }
        }
        prompt
    }

    /// The two messages that carry settings.
    fn settings(&self) -> Prompt {
        let mut prompt = Prompt::default();
        if let Some(system) = &self.system {
            prompt.message("system", &system.text(!self.developer.functions.is_empty()));
        }
        if !self.developer.is_empty() {
            let text = recursion::with_room(recursion::JSON_ROOM, || self.developer.text());
            prompt.message("developer", &text);
        }
        prompt
    }

    /// Adds a message, where it may follow; `pointer` is where it comes from.
    pub(super) fn add(&mut self, message: Message, pointer: &str) -> Result<(), ConversationError> {
        let seen = self.open_calls.see(&message, &self.recipients);
        seen.map_err(|error| ConversationError::new(pointer, error))?;
        self.messages.push(message);
        Ok(())
    }

    /// A message of a transcript, which does not tell the forms of a header apart.
    fn answered(&self, message: &transcript::Message) -> Message {
        let content_type = message.content_type.as_ref();
        Message {
            author: Author::Assistant(None),
            recipient: message.recipient.as_deref().map(|name| self.style.recipient(name)),
            channel: message.channel.clone(),
            content_type: content_type.map(|name| self.style.content_type(name)),
            content: message.content.clone(),
        }
    }
}

impl Style {
    pub(super) fn recipient(self, name: &str) -> Recipient {
        Recipient { name: name.to_owned(), after_channel: self.after_channel }
    }

    pub(super) fn content_type(self, name: &str) -> ContentType {
        // The marker stands before `json`; of ` code`, which the model writes for `python`, no marked form
        // was seen.
        ContentType { name: name.to_owned(), is_marked: self.is_marked && name == "json" }
    }
}
