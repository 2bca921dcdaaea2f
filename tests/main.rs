//! All integration tests.

mod arbitrary_tokens;
mod architecture;
mod corpus;
mod harmony;
mod harness;
mod hostile;
mod laws;
mod layout;
mod masks;
mod memory;
mod requests;
mod schemas;
mod threads;
