//! `hm_grammar`: what may be said under one request.

use harmony_mask::Grammar;
use serde_json::json;

use crate::failure::Slot;
use crate::guard::{given, guard, quiet};
use crate::memory::Text;

/// What a request's author should know, as a JSON array of strings.
#[unsafe(no_mangle)]
pub extern "C" fn hm_grammar_warnings(grammar: Option<&Grammar>, error: Slot<'_>) -> Text {
    guard(error, Text::NONE, || {
        let warnings = given(grammar, "grammar")?.warnings();
        Ok(Text::new(&json!(warnings).to_string()))
    })
}

/// Frees a grammar; its matchers stay.
#[unsafe(no_mangle)]
pub extern "C" fn hm_grammar_free(grammar: Option<Box<Grammar>>) {
    quiet((), || drop(grammar));
}
