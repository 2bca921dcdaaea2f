//! The notation of function tools: types in the manner of TypeScript, from JSON Schema and back.
//!
//! `write` gives the bytes of `openai-harmony`, which is what the format's guide refers to, wherever these
//! can be read back. The notation is poorer than JSON Schema: bounds, patterns, `anyOf` and references are
//! not written. `namespace` takes what is written at its word: an object has the members that are listed and no
//! others.

mod comments;
mod lexer;
mod parse;
mod schema;
mod write;

pub(super) use parse::{Declaration, Type, namespace};
pub(super) use write::write;
