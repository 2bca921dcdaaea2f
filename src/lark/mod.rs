//! Our grammar files: the message formats, written in Lark's notation.
//!
//! ```text
//! // a comment
//! greeting: "hello" (" " @name)* ending
//! ending:   "!"
//!         | <|end|>
//! ```
//!
//! A rule is a name, a colon and its alternatives; an alternative may go on in the next line if that line begins with `|`, or
//! inside parentheses. Strings are bytes, `<|end|>` is the special token and never its spelling, `? * +` repeat as usual,
//! and `@name` is a **hole**: a place that the caller fills with an [`Expression`] of its own.
//!
//! Three steps, each with its own type: `lexer` gives tokens, `parser` the syntax tree, and [`Template`] the rules with every
//! name resolved and every repetition turned into a rule. Each keeps the position of what it read, so an error found
//! late still says where.
//!
//! [`Expression`]: crate::expression::Expression

mod error;
mod filled;
mod left;
mod lengths;
mod lexer;
mod normal;
mod parser;
mod quoted;
#[cfg(test)]
pub(crate) mod recogniser;
mod regex;
mod rules;
mod syntax;
mod template;
mod terminal;
#[cfg(test)]
mod tests;
mod token;

pub use error::{LarkError, LarkErrorKind, Position};
pub use template::{Template, regex};
