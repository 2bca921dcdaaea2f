//! harmony-mask for C and C++.
//!
//! `include/harmony_mask.h` documents every function; a test compares it with the signatures here. Handles
//! are boxes and references, for which Rust and C agree on what NULL is, so only pointers to memory of the
//! caller are dereferenced by hand: in [`memory`], which has all `unsafe` code.

pub mod compiler;
pub mod failure;
pub mod grammar;
mod guard;
pub mod matcher;
pub mod memory;

#[cfg(test)]
mod tests;
