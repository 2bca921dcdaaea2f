//! Regular languages of text, closed under Boolean algebra.
mod algebra;
mod build;
mod dfa;
mod length;
mod minimize;
#[cfg(test)]
mod tests;
mod utf8;

pub use dfa::{Dfa, StateId};
pub use length::{Window, begins_character};
mod stub; pub use stub::*;
