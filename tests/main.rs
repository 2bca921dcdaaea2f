//! All integration tests.

mod corpus;
mod harmony;
mod harness;
mod laws;
mod requests;
