//! What is known of a completion at any step: which response format it answers in, and whether it is
//! finished.

use std::fmt;

use super::Matcher;
use crate::automaton::Residual;
use crate::special::{SpecialToken, TokenId};

/// Whether a completion is finished, and if not, why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is complete, and nothing can follow.
    Finished,
    /// It may stop here or go on.
    MayStop,
    /// Something is missing.
    Unfinished {
        /// Where it stands, in a user's words; empty at the very beginning.
        place: String,
        /// What may come next, in a user's words.
        expected: Vec<String>,
    },
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finished => f.write_str("finished"),
            Self::MayStop => f.write_str("may stop here"),
            Self::Unfinished { place, expected } => {
                let place = if place.is_empty() { "at the beginning" } else { place };
                write!(f, "unfinished: {place}, expecting {}", expected.join(" or "))
            }
        }
    }
}

impl Matcher {
    /// Whether the completion is finished, and if not, why not.
    #[must_use]
    pub fn status(&self) -> Status {
        if self.is_finished() {
            return Status::Finished;
        }
        if self.is_accepting() {
            return Status::MayStop;
        }
        Status::Unfinished { place: self.place(), expected: self.expected() }
    }

    /// The response formats that the answer is of, or while it is unfinished, may still become: by name, or
    /// by JSON pointer where a format has none, in the order of the request. None before the answer begins.
    ///
    /// ```
    /// use harmony_mask::{Compiler, Vocabulary};
    ///
    /// let compiler = Compiler::new(Vocabulary::o200k_harmony());
    /// let request = r#"{"harmony": {"response_formats": [
    ///     {"name": "count", "schema": {"type": "integer"}},
    ///     {"name": "names", "schema": {"type": "array", "items": {"type": "string"}}}
    /// ]}}"#;
    /// let mut matcher = compiler.compile(&request.parse()?)?.matcher();
    /// for token in compiler.vocabulary().encode_with_special("<|channel|>final<|message|>[").expect("an encoder") {
    ///     matcher.accept(token)?;
    /// }
    /// assert_eq!(matcher.matching_formats(), ["names"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn matching_formats(&self) -> Vec<&str> {
        let Some((body, is_complete)) = self.answer() else { return Vec::new() };
        let matches = |format: &Residual| {
            let end = body.iter().try_fold(format.clone(), |at, token| self.automaton().advance(&at, *token));
            end.is_some_and(|end| !is_complete || self.automaton().accepts(&end))
        };
        let formats = self.rules.formats().iter();
        formats.filter(|(_, start)| matches(start)).map(|(name, _)| &**name).collect()
    }

    /// The tokens of the answer's body, and whether these are all.
    fn answer(&self) -> Option<(Vec<TokenId>, bool)> {
        let said = self.said();
        let message = self.vocabulary().special_id(SpecialToken::Message);
        let start = said.iter().rposition(|token| *token == message)? + 1;
        if self.transcript().messages.last()?.channel.as_deref() != Some("final") {
            return None;
        }
        let body = said[start..].iter().take_while(|token| self.vocabulary().special(**token).is_none());
        let body: Vec<TokenId> = body.copied().collect();
        let is_complete = start + body.len() < said.len();
        Some((body, is_complete))
    }
}
