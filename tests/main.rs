//! All integration tests.

mod arbitrary_tokens;
mod architecture;
mod budgets;
mod corpus;
mod drafts;
mod forced;
mod grammars;
mod harmony;
mod harness;
mod hostile;
mod laws;
mod layout;
mod masks;
mod memory;
mod prompt_loop;
mod prompt_reading;
mod prompt_rendering;
mod prompt_seeds;
mod prompts;
mod requests;
mod schemas;
mod spelled;
mod stream;
mod threads;
mod turns;
