//! A request: what the caller allows the assistant to say.

use std::str::FromStr;

use serde_json::Value;

use super::choice::{self, Calls};
use super::document;
use super::error::RequestError;
use super::format::{self, Format};
use super::node::Node;
use super::options::{self, Options, TurnOptions};
use super::reasoning::{self, Reasoning};
use super::tools::{self, Tool};
use super::unknown;
use crate::recursion;

/// A request in either OpenAI shape (Responses or Chat Completions), read and checked.
///
/// Names are valid and distinct, and the tool choice is resolved to the tools that may be called. Schemas are
/// still documents: whether they compile is not known here. Fields that do not bear on the completion's form
/// are ignored; of those in the `harmony` object, which only this crate reads, [`warnings`](Self::warnings)
/// tells.
///
/// ```
/// use harmony_mask::harmony::{Calls, Request};
///
/// let request: Request = r#"{
///     "tools": [{"type": "function", "function": {"name": "get_time"}}],
///     "tool_choice": "required"
/// }"#.parse()?;
/// assert_eq!(*request.calls(), Calls::Required(vec![0]));
/// assert_eq!(request.tools()[0].recipient(), "functions.get_time");
/// # Ok::<(), harmony_mask::harmony::RequestError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    tools: Vec<Tool>,
    calls: Calls,
    format: Format,
    reasoning: Reasoning,
    options: Options,
    turn: TurnOptions,
    warnings: Vec<String>,
}

impl Request {
    /// Reads a request.
    ///
    /// # Errors
    /// Where a field has a wrong type or value, or fields contradict each other.
    pub fn read(request: &Value) -> Result<Self, RequestError> {
        recursion::with_room(recursion::JSON_ROOM, || Self::read_fields(Node::root(request).object()?))
    }

    fn read_fields(root: Node<'_>) -> Result<Self, RequestError> {
        let harmony = root.get_object("harmony")?;
        let harmony = harmony.as_ref();
        let options = harmony.map_or_else(|| Ok(Options::default()), options::read)?;
        let turn = options::read_turn(&root, harmony)?;
        let reasoning = reasoning::read(&root, harmony)?;
        let tools = tools::read(&root, harmony, options.strict)?;
        let calls = choice::read(&root, &tools)?;
        let format = format::read(&root, harmony)?;
        let warnings = harmony.map(unknown::warnings).unwrap_or_default();
        Ok(Self { tools, calls, format, reasoning, options, turn, warnings })
    }

    /// All declared tools, in declared order: those of `tools`, then built-in ones, then further recipients.
    #[must_use]
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Which of them may be called, and whether one must be.
    #[must_use]
    pub fn calls(&self) -> &Calls {
        &self.calls
    }

    /// What the final message carries.
    #[must_use]
    pub fn format(&self) -> &Format {
        &self.format
    }

    /// How much the assistant may think.
    #[must_use]
    pub fn reasoning(&self) -> &Reasoning {
        &self.reasoning
    }

    /// How JSON is written and formats are read.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Which messages a turn may have.
    #[must_use]
    pub fn turn(&self) -> &TurnOptions {
        &self.turn
    }

    /// The fields of the `harmony` object that are not known, in words, each with its JSON pointer. The
    /// grammar's own warnings have them, too.
    ///
    /// ```
    /// use harmony_mask::Request;
    ///
    /// let request: Request = r#"{"harmony": {"reasoning": {"max_token": 5}}}"#.parse()?;
    /// assert_eq!(request.warnings(), ["/harmony/reasoning/max_token: there is no such field, so it is ignored"]);
    /// # Ok::<(), harmony_mask::harmony::RequestError>(())
    /// ```
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl FromStr for Request {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<Self, RequestError> {
        recursion::with_room(recursion::JSON_ROOM, || Self::read(&document::document(text)?))
    }
}
