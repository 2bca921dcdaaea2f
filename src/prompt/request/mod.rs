//! From a request to its conversation.
//!
//! `settings` reads what the system and developer messages say, `items` the messages of both OpenAI shapes,
//! `content` what is in them. The request itself is checked first, as it is for the masks.

mod content;
mod items;
mod settings;

use serde_json::Value;

use super::calls::OpenCalls;
use super::conversation::Conversation;
use super::error::ConversationError;
use super::unsaid;
use crate::harmony::node::Node;
use crate::harmony::{Request, RequestErrorKind, Tool};
use crate::recursion;

impl Conversation {
    /// Reads the conversation of a request in either OpenAI shape: `instructions` and `input` (Responses) or
    /// `messages` (Chat Completions), with `tools`, response formats, the reasoning effort, and
    /// `harmony.prompt` for what OpenAI has no field for.
    ///
    /// System and developer messages that come first become the instructions of the developer message, since
    /// Harmony's system message is for the model's own settings.
    ///
    /// # Errors
    /// Where the request or a message is wrong, with a JSON pointer.
    pub fn read(request: &Value) -> Result<Self, ConversationError> {
        recursion::with_room(recursion::JSON_ROOM, || Self::read_checked(request))
    }

    fn read_checked(request: &Value) -> Result<Self, ConversationError> {
        let checked = Request::read(request)?;
        let root = Node::root(request).object()?;
        let prompt = match root.get_object("harmony")? {
            Some(harmony) => harmony.get_object("prompt")?,
            None => None,
        };
        let mut recipients: Vec<String> = checked.tools().iter().map(Tool::recipient).collect();
        recipients.sort();
        let mut conversation = Self {
            system: settings::system(&root, prompt.as_ref())?,
            developer: settings::developer(&root)?,
            messages: Vec::new(),
            open_calls: OpenCalls::default(),
            recipients,
            style: settings::style(prompt.as_ref())?,
            unsaid: unsaid::of(&checked),
        };
        let (input, messages) = (root.get("input"), root.get("messages"));
        if let (Some(input), Some(_)) = (&input, &messages) {
            return Err(input.error(RequestErrorKind::Contradiction("/messages".to_owned())).into());
        }
        match input.or(messages) {
            Some(text) if text.value.is_string() => conversation.user(text.string()?),
            Some(items) => items::read(&items, &mut conversation)?,
            None => {}
        }
        Ok(conversation)
    }
}
