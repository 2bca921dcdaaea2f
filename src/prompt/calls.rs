//! Calls and what they returned, followed through a conversation.

use std::collections::{BTreeMap, VecDeque};

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

/// The channels of the calls without a result, in order, by the tool that is called. A result is of the
/// first open call of its tool, so tools with many open calls do not slow down each other's results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OpenCalls(BTreeMap<String, VecDeque<Option<String>>>);

impl OpenCalls {
    /// Takes the next message, where it may follow; `declared` is sorted.
    pub(super) fn see(&mut self, message: &Message, declared: &[String]) -> Result<(), CallError> {
        if let Some(tool) = message.called() {
            if declared.binary_search_by(|name| name.as_str().cmp(tool)).is_err() {
                return Err(CallError::UndeclaredTool(tool.to_owned()));
            }
            self.0.entry(tool.to_owned()).or_default().push_back(message.channel.clone());
        }
        if let Author::Tool(tool) = &message.author {
            self.close(tool)?;
        }
        Ok(())
    }

    /// Takes the first open call of a tool. A tool without any is forgotten, so that equal calls are open in
    /// equal conversations.
    fn close(&mut self, tool: &str) -> Result<(), CallError> {
        let open = self.0.get_mut(tool).ok_or_else(|| CallError::ResultWithoutCall(tool.to_owned()))?;
        open.pop_front();
        if open.is_empty() {
            self.0.remove(tool);
        }
        Ok(())
    }

    /// The channel on which this tool was called.
    pub(super) fn channel(&self, tool: &str) -> Option<String> {
        self.0.get(tool)?.front()?.clone()
    }
}
