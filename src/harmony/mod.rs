//! Harmony: from a request to what an assistant may say.
//!
//! [`Request`] is the OpenAI request, read and checked. [`lower()`] turns it into one expression for the
//! whole turn: thoughts, then one call or one answer, with recipient, channel, content type, body and
//! terminator bound to each other. The message grammar itself is data, `grammars/harmony/*.lark`; the request
//! only decides what goes into its holes.

mod builtin;
mod choice;
mod document;
mod error;
mod format;
mod lower;
pub(crate) mod node;
mod options;
mod profile;
mod reasoning;
mod recipient;
mod request;
#[cfg(test)]
mod tests;
mod tools;
mod unknown;

pub use builtin::Builtin;
pub use choice::Calls;
pub use document::document;
pub(crate) use error::shown;
pub use error::{RequestError, RequestErrorKind};
pub use format::{Format, GrammarFormat, JsonFormat};
pub(crate) use lower::unspelled;
pub use lower::{Body, LimitAt, Turn, lower};
pub use options::{Options, Strict, TurnOptions};
pub use profile::Profile;
pub use reasoning::Reasoning;
pub use request::Request;
pub(crate) use tools::is_name;
pub use tools::{Payload, Syntax, Tool, ToolKind};
