//! harmony-mask compiles what a gpt-oss model may say next into token masks.
//!
//! # The pipeline
//!
//! ```text
//! tiktoken-rs -> Vocabulary (trie, token bytes, special ids) ------------------------------+
//! schema JSON -> schema::Schema -> json -> expression::Expression -> automaton -> Matcher -> TokenMask
//! grammars/*.lark -> lark::Template -+        ^                                    +-> Transcript
//! request JSON -> harmony::Request --+--------+
//! ```
//!
//! [`Compiler::compile`] is that pipeline in one call; each stage is public, for those who want to enter in
//! the middle, but only what is re-exported here is meant to stay as it is. ARCHITECTURE.md tells the whole
//! story.

pub mod automaton;
mod cache;
mod compiler;
mod each_once;
mod error;
pub mod expression;
pub mod formats;
pub mod harmony;
pub mod json;
pub mod lark;
pub mod limits;
pub mod matcher;
pub mod prompt;
mod recursion;
pub mod regular;
pub mod sampler;
pub mod schema;
pub mod special;
pub mod token_mask;
pub mod transcript;
pub mod vocabulary;

pub use automaton::MaskId;
pub use compiler::{Compiler, CoverageEntry, Grammar};
pub use error::Error;
pub use harmony::{Options, Request, RequestError};
pub use json::{Layout, PropertyOrder};
pub use limits::{Cancellation, LimitExceeded, Limits};
pub use matcher::{
    AcceptError, Cause, DeadlineError, Delta, Deltas, DraftNode, Matcher, PromptError, RollbackError,
};
#[cfg(feature = "rayon")]
pub use matcher::{BatchError, fill_batch};
pub use sampler::Sampler;
pub use schema::{Formats, SchemaSource};
pub use special::{SpecialToken, TokenId};
pub use token_mask::{TokenMask, TokenMaskMut};
pub use transcript::{End, Message, Transcript};
pub use vocabulary::{Vocabulary, VocabularyError};
