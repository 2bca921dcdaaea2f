//! The messages of a request, in both OpenAI shapes.
//!
//! A message of Chat Completions may be several of Harmony: reasoning, text, and calls are one each. Calls
//! and results are matched by their ids, which Harmony does not have.

use std::collections::{BTreeMap, BTreeSet};

use super::content;
use crate::harmony::node::Node;
use crate::harmony::{RequestErrorKind, is_name};
use crate::prompt::conversation::Conversation;
use crate::prompt::developer;
use crate::prompt::error::{ConversationError, ConversationErrorKind};
use crate::prompt::message::{Author, ContentType, Message};
use crate::prompt::system::CHANNELS;

type Outcome<T = ()> = Result<T, ConversationError>;

/// Adds the messages of `input` or `messages`.
pub(super) fn read(items: &Node<'_>, conversation: &mut Conversation) -> Outcome {
    let texts = conversation.developer.functions.iter().filter(|function| function.is_text());
    let texts = texts.map(|function| function.name.clone()).collect();
    let mut reader = Reader { conversation, texts, called: BTreeMap::new() };
    items.elements()?.into_iter().try_for_each(|item| reader.item(&item.object()?))
}

struct Reader<'c> {
    conversation: &'c mut Conversation,
    /// The names of the functions that take text.
    texts: BTreeSet<String>,
    /// The tool that each call was of.
    called: BTreeMap<String, String>,
}

/// The members of an assistant's message in which engines put its thoughts.
const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];

impl Reader<'_> {
    fn item(&mut self, item: &Node<'_>) -> Outcome {
        match item.get("type") {
            Some(kind) if kind.string()? != "message" => self.typed(item, &kind),
            _ => self.message(item),
        }
    }

    /// An item of Responses that is no message.
    fn typed(&mut self, item: &Node<'_>, kind: &Node<'_>) -> Outcome {
        match kind.string()? {
            "reasoning" => self.reasoning(item),
            "function_call" => self.call(item, item, "arguments", item.get("call_id")),
            "custom_tool_call" => self.call(item, item, "input", item.get("call_id")),
            "function_call_output" | "custom_tool_call_output" => {
                self.result(item, "output", &item.require("call_id")?)
            }
            other => {
                Err(ConversationError::new(&*kind.pointer, ConversationErrorKind::NotText(other.to_owned())))
            }
        }
    }

    fn message(&mut self, item: &Node<'_>) -> Outcome {
        let role = item.require("role")?;
        match role.string()? {
            "system" | "developer" => self.developer(item),
            "user" => {
                let text = content::text(&item.require("content")?)?;
                self.add(Message::new(Author::User(name(item)?), text), item)
            }
            "assistant" => self.assistant(item),
            "tool" => match item.get("tool_call_id") {
                Some(id) => self.result(item, "content", &id),
                None => self.named_result(item),
            },
            other => Err(ConversationError::new(
                &*role.pointer,
                ConversationErrorKind::UnknownRole(other.to_owned()),
            )),
        }
    }

    /// Instructions: those of the developer message, or amid the conversation a message of their own.
    fn developer(&mut self, item: &Node<'_>) -> Outcome {
        let text = content::text(&item.require("content")?)?;
        if !self.conversation.messages.is_empty() {
            return self.add(Message::new(Author::Developer, developer::instructions(&text)), item);
        }
        let instructions = &mut self.conversation.developer.instructions;
        *instructions = Some(match instructions.take() {
            Some(first) => format!("{first}\n\n{text}"),
            None => text,
        });
        Ok(())
    }

    fn assistant(&mut self, item: &Node<'_>) -> Outcome {
        if item.get("channel").is_some() || item.get("recipient").is_some() {
            return self.harmony_message(item);
        }
        let calls = item.get_elements("tool_calls")?;
        let has_thoughts = self.thoughts(item)?;
        if calls.is_empty() && !has_thoughts {
            item.require("content")?;
        }
        self.said(item, !calls.is_empty())?;
        calls.into_iter().try_for_each(|call| self.tool_call(&call.object()?))
    }

    /// Adds the thoughts of an assistant's message; whether there are any.
    fn thoughts(&mut self, item: &Node<'_>) -> Outcome<bool> {
        let Some(thoughts) = REASONING.into_iter().find_map(|member| item.get(member)) else {
            return Ok(false);
        };
        let message = Message::assistant("analysis", content::text(&thoughts)?);
        self.add(Message { author: Author::Assistant(name(item)?), ..message }, item)?;
        Ok(true)
    }

    /// Adds the text of an assistant's message: an answer, or beside calls a preamble, which clients leave
    /// empty where there is none.
    fn said(&mut self, item: &Node<'_>, has_calls: bool) -> Outcome {
        let Some(text) = content::get(item, "content")? else { return Ok(()) };
        if has_calls && text.is_empty() {
            return Ok(());
        }
        let message = Message::assistant(if has_calls { "commentary" } else { "final" }, text);
        self.add(Message { author: Author::Assistant(name(item)?), ..message }, item)
    }

    /// A message that says what its header is, with OpenAI's names for its fields in Harmony.
    fn harmony_message(&mut self, item: &Node<'_>) -> Outcome {
        let words = CHANNELS.map(|name| (name, name));
        let channel = item.get("channel").map(|channel| channel.one_of(&words)).transpose()?;
        let recipient = content::get(item, "recipient")?;
        let author = Author::Assistant(name(item)?);
        let text = content::text(&item.require("content")?)?;
        let mut message = match &recipient {
            Some(recipient) => self.called(recipient, text),
            None => Message::new(author.clone(), text),
        };
        message.author = author;
        if let Some(channel) = channel {
            message.channel = Some(channel.to_owned());
        }
        if let Some(content_type) = content::get(item, "content_type")? {
            let name = content_type.strip_prefix("<|constrain|>").map(str::trim);
            message.content_type = Some(ContentType {
                is_marked: name.is_some(),
                name: name.unwrap_or(&content_type).to_owned(),
            });
        }
        self.add(message, item)
    }

    /// A call in Chat Completions.
    fn tool_call(&mut self, call: &Node<'_>) -> Outcome {
        let kind = call.get("type").map(|kind| kind.one_of(&[("function", false), ("custom", true)]));
        let is_custom = kind.transpose()?.unwrap_or(false);
        let (member, argument) = if is_custom { ("custom", "input") } else { ("function", "arguments") };
        self.call(call, &call.require(member)?.object()?, argument, call.get("id"))
    }

    /// A call of the tool that `called` names; `argument` is the member that holds what it is called with.
    fn call(
        &mut self,
        item: &Node<'_>,
        called: &Node<'_>,
        argument: &'static str,
        id: Option<Node<'_>>,
    ) -> Outcome {
        let recipient = format!("functions.{}", called.require("name")?.string()?);
        if let Some(id) = id {
            self.called.insert(id.string()?.to_owned(), recipient.clone());
        }
        let argument = called.require(argument)?;
        // Some clients send the arguments parsed.
        let text =
            if argument.value.is_object() { argument.value.to_string() } else { content::text(&argument)? };
        let message = self.called(&recipient, text);
        self.add(message, item)
    }

    /// A call with the header that is usual for its tool.
    fn called(&self, recipient: &str, text: String) -> Message {
        let style = self.conversation.style;
        let name = recipient.strip_prefix("functions.");
        let is_text = recipient == "python" || name.is_some_and(|name| self.texts.contains(name));
        Message {
            recipient: Some(style.recipient(recipient)),
            content_type: (!is_text).then(|| style.content_type("json")),
            ..Message::assistant(if name.is_some() { "commentary" } else { "analysis" }, text)
        }
    }

    fn result(&mut self, item: &Node<'_>, member: &'static str, id: &Node<'_>) -> Outcome {
        let found = id.string()?;
        let unknown =
            || ConversationError::new(&*id.pointer, ConversationErrorKind::UnknownCall(found.to_owned()));
        let tool = self.called.get(found).cloned().ok_or_else(unknown)?;
        self.returned(&tool, item, member)
    }

    /// A result that says its tool by name: a function's, or the whole recipient.
    fn named_result(&mut self, item: &Node<'_>) -> Outcome {
        let Some(name) = item.get("name") else {
            return Err(item.error(RequestErrorKind::Missing("tool_call_id")).into());
        };
        let name = name.string()?;
        let function = format!("functions.{name}");
        let is_function = self.conversation.recipients.binary_search(&function).is_ok();
        self.returned(if is_function { &function } else { name }, item, "content")
    }

    fn returned(&mut self, tool: &str, item: &Node<'_>, member: &'static str) -> Outcome {
        let channel = match content::get(item, "channel")? {
            Some(channel) => Some(channel),
            None => self.conversation.open_calls.channel(tool),
        };
        let output = content::text(&item.require(member)?)?;
        self.add(Message::result(tool, channel, output), item)
    }

    /// The text of an item of reasoning; its summary where the text itself is withheld, and nothing where
    /// both are.
    fn reasoning(&mut self, item: &Node<'_>) -> Outcome {
        let text = match content::get(item, "content")? {
            Some(text) => text,
            None => content::text(&item.require("summary")?)?,
        };
        if text.is_empty() {
            return Ok(());
        }
        self.add(Message::assistant("analysis", text), item)
    }

    fn add(&mut self, message: Message, item: &Node<'_>) -> Outcome {
        self.conversation.add(message, &item.pointer)
    }
}

/// The name of who speaks.
fn name(item: &Node<'_>) -> Outcome<Option<String>> {
    let Some(node) = item.get("name") else { return Ok(None) };
    let name = node.string()?;
    if !is_name(name) {
        return Err(node.error(RequestErrorKind::BadName(name.to_owned())).into());
    }
    Ok(Some(name.to_owned()))
}
