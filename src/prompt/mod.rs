//! Prompts: what the model is told before it speaks, written and read back.
//!
//! A [`Conversation`] is everything that a prompt says: the system message, the developer message with its
//! tools and response formats, and what was said so far. It is read from a request ([`Conversation::read`])
//! or from a prompt ([`Conversation::from_prompt`]), goes on with what the assistant answered and what its
//! tools returned, and is written as a [`Prompt`].
//!
//! The same document gives the masks ([`Request`](crate::Request)) and the prompt, so the two cannot
//! disagree. An engine that sees only the prompt gets its request from
//! [`Request::from_prompt`](crate::Request::from_prompt).
//!
//! ```
//! use harmony_mask::prompt::Conversation;
//! use serde_json::json;
//!
//! let mut conversation = Conversation::read(&json!({
//!     "messages": [{"role": "user", "content": "What is 2 + 2?"}],
//!     "harmony": {"prompt": {"system": false}}
//! }))?;
//! assert_eq!(conversation.for_completion().to_string(), "<|start|>user<|message|>What is 2 + 2?<|end|><|start|>assistant");
//! # Ok::<(), harmony_mask::prompt::ConversationError>(())
//! ```

mod calls;
mod conversation;
mod developer;
mod error;
mod history;
mod message;
mod read;
mod render;
mod request;
mod system;
mod typescript;
mod unsaid;

/// The page on prompts, whose example is run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/prompts.md")]
struct Page;

pub use calls::CallError;
pub use conversation::Conversation;
pub use developer::{Developer, Function, Parameters, ResponseFormat};
pub use error::{ConversationError, ConversationErrorKind, ReadError, ReadErrorKind};
pub use message::{Author, ContentType, Message, Recipient};
pub use read::FromPrompt;
pub use render::{Piece, Prompt};
pub use system::{Effort, System};
pub use unsaid::{Unsaid, UnsaidKind};
