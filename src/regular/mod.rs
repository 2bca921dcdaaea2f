//! Regular languages of text, closed under Boolean algebra.
mod algebra;
mod build;
mod dfa;
mod format;
mod length;
mod minimize;
mod pattern;
#[cfg(test)]
mod tests;
mod utf8;

pub use dfa::{Dfa, StateId};
pub use format::{Format, format, known_formats};
pub use length::{Window, begins_character};
pub use pattern::{Pattern, PatternError, PatternErrorKind};
