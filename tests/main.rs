//! All integration tests.

mod architecture;
mod corpus;
mod grammars;
mod harmony;
mod harness;
mod laws;
mod layout;
mod masks;
mod prompt_loop;
mod prompt_reading;
mod prompt_rendering;
mod prompt_seeds;
mod requests;
mod schemas;
