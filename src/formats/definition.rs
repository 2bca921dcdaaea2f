//! What defines each format: patterns, turned into automata.
//!
//! The definitions are data (`grammars/formats.json`): patterns with the clause that each follows, examples
//! of both kinds, and in words what a pattern leaves out. `<part>` stands for a named part, so that the
//! patterns read like the grammars of their RFCs; `all` are further patterns that every word matches, and
//! `none` those that no word does, where one pattern would have to count two things at once.
//!
//! Only `build.rs` and tests need them: programs find the automata in an [image](super::image).

use std::sync::LazyLock;

use serde_json::Value;

use crate::regular::{Dfa, Pattern, PatternError};

/// States that a format may need; `email` comes nearest, with its counted local part.
const STATES: usize = 100_000;

static DATA: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../grammars/formats.json")).expect("formats.json is JSON")
});

/// An entry of the data.
#[derive(Clone, Copy)]
pub(crate) struct Definition(&'static Value);

impl Definition {
    /// All of them, in the order of the data.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        list(&DATA["formats"]).iter().map(Self)
    }

    pub(crate) fn name(self) -> &'static str {
        text(&self.0["name"])
    }

    /// The least number of characters.
    pub(crate) fn min_length(self) -> u32 {
        self.length("min_length").unwrap_or(0)
    }

    /// The greatest number of characters.
    pub(crate) fn max_length(self) -> Option<u32> {
        self.length("max_length")
    }

    fn length(self, key: &str) -> Option<u32> {
        self.0[key].as_u64().and_then(|length| u32::try_from(length).ok())
    }

    /// The words.
    pub(crate) fn words(self) -> Result<Dfa, PatternError> {
        let mut dfa = compile(text(&self.0["pattern"]))?;
        for all in list(&self.0["all"]) {
            dfa = dfa.intersection(&compile(text(all))?, STATES).expect("within the limit");
        }
        for none in list(&self.0["none"]) {
            dfa = dfa.difference(&compile(text(none))?, STATES).expect("within the limit");
        }
        Ok(dfa)
    }

    /// A language with all valid strings, where the words are not all of them.
    pub(crate) fn superset(self) -> Result<Option<Dfa>, PatternError> {
        self.0["superset"].as_str().map(compile).transpose()
    }

    /// Texts that are words of the format, or that are none.
    pub(crate) fn examples(self, accepted: bool) -> impl Iterator<Item = &'static str> {
        list(&self.0[if accepted { "accept" } else { "reject" }]).iter().map(text)
    }
}

fn compile(pattern: &str) -> Result<Dfa, PatternError> {
    Pattern::parse(&expanded(pattern))?.to_dfa(STATES)
}

/// The pattern with its `<part>`s written out.
fn expanded(pattern: &str) -> String {
    let Some((before, rest)) = pattern.split_once('<') else { return pattern.to_owned() };
    let (part, after) = rest.split_once('>').expect("`<part>` is closed");
    [before, &expanded(text(&DATA["parts"][part])), &expanded(after)].concat()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("formats.json has text here")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
