//! All integration tests.

mod architecture;
mod budgets;
mod corpus;
mod drafts;
mod forced;
mod grammars;
mod harmony;
mod harness;
mod laws;
mod layout;
mod masks;
mod prompts;
mod requests;
mod schemas;
mod spelled;
mod stream;
mod turns;
