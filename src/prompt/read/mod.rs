//! From a prompt to the conversation and the request that it was made of.
//!
//! `source` finds control tokens and the text between them, `message` reads headers, `system` and `developer`
//! the two messages that carry settings, and `document` says these as a request, which is then read like any
//! other. What cannot be read is an error with its line and column.

mod developer;
mod document;
mod excerpt;
mod message;
mod source;
mod system;

pub(in crate::prompt) use excerpt::Excerpt;

use super::calls::OpenCalls;
use super::conversation::{Conversation, Style};
use super::developer::Developer;
use super::error::{Fault, ReadError, ReadErrorKind};
use super::system::System;
use crate::harmony::{Request, Tool};
use crate::recursion;
use crate::special::TokenId;
use crate::vocabulary::Vocabulary;
use message::Draft;
use source::Source;

/// What a prompt says: what may follow, what was said, and how far the answer is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FromPrompt {
    /// What may follow `<|start|>assistant`.
    pub request: Request,
    /// What the prompt says.
    pub conversation: Conversation,
    /// Where the last message begins, after the last `<|start|>assistant`: a byte of the text, or the number
    /// of tokens. What follows there is already said. Matchers want the whole prompt all the same
    /// ([`Grammar::matcher_after`](crate::Grammar::matcher_after)): thoughts before it count for their caps.
    pub position: usize,
}

impl Request {
    /// Reads the request that a prompt was made of, from text in which the spelling of a control token stands
    /// for it.
    ///
    /// It recovers built-in tools, function tools with the types of their arguments, response formats, and
    /// the place where the answer begins. A prompt does not tell a tool choice, bounds of numbers, and
    /// whatever else the notation of its tools has no words for: what comes back is as strict as the
    /// notation.
    ///
    /// Text may hold a user's `<|end|>` that was not the token; where the tokens are at hand,
    /// [`from_prompt_tokens`](Self::from_prompt_tokens) tells them apart.
    ///
    /// ```
    /// use harmony_mask::Request;
    /// use harmony_mask::harmony::Calls;
    ///
    /// let prompt = "<|start|>developer<|message|># Tools\n\n## functions\n\nnamespace functions {\n\n\
    ///     type get_weather = (_: {\ncity: string,\n}) => any;\n\n} // namespace functions<|end|><|start|>assistant<|channel|>";
    /// let read = Request::from_prompt(prompt)?;
    /// assert_eq!(read.request.tools()[0].recipient(), "functions.get_weather");
    /// assert_eq!(&prompt[read.position..], "<|channel|>");
    /// # Ok::<(), harmony_mask::prompt::ReadError>(())
    /// ```
    ///
    /// # Errors
    /// Where something is not written as the format says, with line and column.
    pub fn from_prompt(prompt: &str) -> Result<FromPrompt, ReadError> {
        let source = Source::of_text(prompt);
        let (request, conversation, open) = read(&source).map_err(|fault| fault.located(prompt))?;
        let nothing = || Fault { at: prompt.len(), kind: ReadErrorKind::NothingToComplete }.located(prompt);
        Ok(FromPrompt { request, conversation, position: open.ok_or_else(nothing)? })
    }

    /// Reads the request that a prompt was made of, from its tokens.
    ///
    /// # Errors
    /// As [`from_prompt`](Self::from_prompt). Lines and columns are those of the decoded text.
    pub fn from_prompt_tokens(vocabulary: &Vocabulary, prompt: &[TokenId]) -> Result<FromPrompt, ReadError> {
        let decoded = vocabulary.decode(prompt);
        let source = Source::of_tokens(vocabulary, prompt).map_err(|fault| fault.located(&decoded))?;
        let text = source.text();
        let (request, conversation, open) = read(&source).map_err(|fault| fault.located(text))?;
        let nothing = || Fault { at: text.len(), kind: ReadErrorKind::NothingToComplete }.located(text);
        let position = source.token_at(open.ok_or_else(nothing)?).map_err(|fault| fault.located(text))?;
        Ok(FromPrompt { request, conversation, position })
    }
}

impl Conversation {
    /// Reads the conversation of a prompt, from text in which the spelling of a control token stands for it.
    /// It need not end in `<|start|>assistant`; what follows there is not part of the conversation.
    ///
    /// # Errors
    /// As [`Request::from_prompt`].
    pub fn from_prompt(prompt: &str) -> Result<Self, ReadError> {
        let read = read(&Source::of_text(prompt)).map_err(|fault| fault.located(prompt));
        read.map(|(_, conversation, _)| conversation)
    }
}

/// The request, the conversation, and the byte where the answer begins, if it does.
type Read = (Request, Conversation, Option<usize>);

fn read(source: &Source<'_>) -> Result<Read, Fault> {
    recursion::with_room(recursion::JSON_ROOM, || read_messages(source))
}

fn read_messages(source: &Source<'_>) -> Result<Read, Fault> {
    let (drafts, open) = message::drafts(source)?;
    let mut rest = &drafts[..];
    let system = take(&mut rest, "system").map(|draft| system::read(draft.content)).transpose()?;
    let developed = take(&mut rest, "developer");
    let developer = developed.map_or(Ok(Developer::default()), |draft| developer::read(draft.content))?;
    check_channels(system.as_ref(), &developer, developed)?;
    let document = document::request(system.as_ref(), &developer);
    let request = Request::read(&document).map_err(|error| {
        let at = developed.or(drafts.first()).map_or(0, |draft| draft.author.at);
        Fault { at, kind: ReadErrorKind::Request(error.kind().clone()) }
    })?;
    let mut recipients: Vec<String> = request.tools().iter().map(Tool::recipient).collect();
    recipients.sort();
    let mut conversation = Conversation {
        system,
        developer,
        messages: Vec::new(),
        open_calls: OpenCalls::default(),
        recipients,
        style: Style::default(),
        unsaid: Vec::new(),
    };
    for draft in rest {
        let message = draft.message(&conversation.recipients)?;
        let seen = conversation.open_calls.see(&message, &conversation.recipients);
        seen.map_err(|error| draft.author.fault(ReadErrorKind::Call(error)))?;
        conversation.messages.push(message);
    }
    Ok((request, conversation, open))
}

/// Functions are called on `commentary`, so where they are declared the channel must be valid.
fn check_channels(
    system: Option<&System>,
    developer: &Developer,
    developed: Option<&Draft<'_>>,
) -> Result<(), Fault> {
    let channels = system.map_or(&[][..], |system| &system.channels);
    let has_commentary = channels.is_empty() || channels.iter().any(|name| name == "commentary");
    match developed {
        Some(draft) if !has_commentary && !developer.functions.is_empty() => {
            Err(draft.author.fault(ReadErrorKind::Channels(channels.join(", "))))
        }
        _ => Ok(()),
    }
}

/// The next message, if it is of this role.
fn take<'d, 'a>(drafts: &mut &'d [Draft<'a>], role: &str) -> Option<&'d Draft<'a>> {
    let (first, rest) = drafts.split_first().filter(|(first, _)| first.author.text == role)?;
    *drafts = rest;
    Some(first)
}
