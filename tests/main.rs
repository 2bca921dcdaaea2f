//! All integration tests.

mod architecture;
mod corpus;
mod harmony;
mod harness;
mod laws;
mod layout;
mod masks;
mod requests;
mod schemas;
