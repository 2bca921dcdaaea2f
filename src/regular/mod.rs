//! Regular languages of text, closed under Boolean algebra.
//!
//! A [`Dfa`] is a language of bytes as a minimal automaton. For schemas the bytes are the UTF-8 of *decoded*
//! text: patterns, [formats](crate::formats), names and enumerations are all automata of this one kind, so
//! their conjunctions, alternatives and negations are exact, and whether anything is left is a matter of
//! looking. Every operation takes a ceiling on states. Lengths are kept outside, in a [`Window`].

mod algebra;
mod build;
mod byte_set;
mod dfa;
mod length;
mod live;
mod merge;
mod minimize;
mod partition;
mod pattern;
mod rests;
#[cfg(test)]
mod tests;
mod utf8;
mod words;

pub use byte_set::ByteSet;
pub use dfa::{Dfa, StateId};
pub(crate) use length::counted;
pub use length::{Window, begins_character};
pub use live::Live;
pub(crate) use pattern::{Counted, white_space, whole_match};
pub use pattern::{Pattern, PatternError, PatternErrorKind};
pub(crate) use rests::Rests;
