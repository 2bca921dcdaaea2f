//! All integration tests.

mod architecture;
mod budgets;
mod corpus;
mod differential;
mod drafts;
mod forced;
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
mod prompts;
mod requests;
mod schemas;
mod spelled;
mod stream;
mod suite;
mod turns;
