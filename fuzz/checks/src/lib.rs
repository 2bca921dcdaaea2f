//! What the fuzz targets check: each target is an input and a check of it.
//!
//! The checks are a crate of their own so that they do not need a fuzzer: `cargo test` runs them on every
//! input below `fuzz/regressions/`, which are the inputs that once failed. An input is written there as it
//! prints itself ([`Reproduction`]), so a finding becomes a test by copying the report into a file.

mod history;
mod lark;
mod pattern;
mod prompt;
#[expect(dead_code, reason = "the integration tests use the rest")]
#[path = "../../../tests/harness/reference.rs"]
mod reference;
mod reproduction;
mod request;
mod schema;
mod schema_text;
mod tokens;
mod transcript;
#[path = "../../../tests/harness/unique.rs"]
mod unique;
mod vocabulary;
mod walk;

pub use history::History;
pub use lark::LarkText;
pub use pattern::PatternText;
pub use prompt::PromptText;
pub use reproduction::Reproduction;
pub use request::RequestText;
pub use schema_text::SchemaText;
pub use tokens::Tokens;
pub use transcript::TranscriptWalk;
pub use walk::Walk;

/// An input of a fuzz target.
pub trait Target: Reproduction {
    /// The target, and its folder of regressions.
    const NAME: &'static str;

    /// Panics where something is not as promised.
    fn check(&self);
}

/// A test of each target, which calls a function with the target's type.
///
/// `each_target!(run)` makes `#[test] fn pattern() { run::<PatternText>(); }`, and so on.
#[macro_export]
macro_rules! each_target {
    ($run:ident) => {
        $crate::each_target! {
            $run
            schema_text: SchemaText;
            pattern: PatternText;
            lark: LarkText;
            prompt: PromptText;
            request: RequestText;
            walk: Walk;
            tokens: Tokens;
            history: History;
            transcript: TranscriptWalk;
        }
    };
    ($run:ident $($name:ident: $target:ident;)*) => {
        $(#[test] fn $name() { $run::<$crate::$target>(); })*
    };
}
