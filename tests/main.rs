//! All integration tests.

mod architecture;
mod corpus;
mod harmony;
mod harness;
mod hostile;
mod laws;
mod masks;
mod requests;
mod schemas;
