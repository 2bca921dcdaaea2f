//! Grammars in Lark's notation: those of users, and our own grammar files.
//!
//! ```text
//! // a comment
//! start:    greeting ("," NAME)* ending
//! greeting: "hello"i | "good" /morning|evening/
//! ending:   "!"
//!         | <|end|>
//! NAME:     LETTER+
//! %import common.LETTER
//! %ignore " "
//! ```
//!
//! The dialect is that of OpenAI's grammar tools; `grammars/README.md` describes it. Our own files use one
//! thing more: `@name` is a **hole**, a place that the caller fills with an [`Expression`]. `%json` is such a
//! place too, with a schema that says what it is filled with.
//!
//! Each step has its own type, and keeps the position of what it read, so an error found late still says
//! where:
//!
//! 1. `lexer` gives tokens, `parser` the syntax tree;
//! 2. `rules` replaces names by numbers and operators by rules; what is in capitals, `terminal` makes one
//!    automaton each;
//! 3. `normal` finds out what may be empty and what matches nothing, and `left` replaces left recursion;
//! 4. `filled` gives the [`Expression`], whose rules are made when reached.
//!
//! Any context-free grammar is read. There is no lexer in the sense of Lark: a text is accepted when there is
//! *some* way to divide it into terminals, not only the one in which each is as long as possible. A mask must
//! admit the beginning of every text in any case, and no grammar that is written for a lexer loses a text by
//! it.
//!
//! [`Expression`]: crate::expression::Expression

mod confined;
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
mod rests;
mod rules;
mod syntax;
mod template;
mod terminal;
#[cfg(test)]
mod tests;
mod token;

pub use error::{LarkError, LarkErrorKind, Position};
pub use template::{Template, regex};
