//! Calls and what they returned, followed through a conversation.

use std::collections::VecDeque;

use super::message::{Author, Message};

/// Why a message cannot stand where it does.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The assistant calls a tool that is not declared.
    #[error("`{0}` is called, but no tool of this name is declared")]
    UndeclaredTool(String),
    /// A tool returns something that was not asked for.
    #[error("a result of `{0}`, of which no call is open")]
    ResultWithoutCall(String),
}

/// The calls without a result, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OpenCalls(VecDeque<OpenCall>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct OpenCall {
    tool: String,
    channel: Option<String>,
}

impl OpenCalls {
    /// Takes the next message, where it may follow; `declared` is sorted.
    pub(super) fn see(&mut self, message: &Message, declared: &[String]) -> Result<(), CallError> {
        if let Some(tool) = message.called() {
            if declared.binary_search_by(|name| name.as_str().cmp(tool)).is_err() {
                return Err(CallError::UndeclaredTool(tool.to_owned()));
            }
            self.0.push_back(OpenCall { tool: tool.to_owned(), channel: message.channel.clone() });
        }
        if let Author::Tool(tool) = &message.author {
            let at = self.0.iter().position(|call| call.tool == *tool);
            self.0.remove(at.ok_or_else(|| CallError::ResultWithoutCall(tool.clone()))?);
        }
        Ok(())
    }

    /// The channel on which this tool was called.
    pub(super) fn channel(&self, tool: &str) -> Option<String> {
        self.0.iter().find(|call| call.tool == tool)?.channel.clone()
    }
}
