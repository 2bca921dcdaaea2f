//! A prompt as what it is made of: control tokens, and text that cannot contain any.

use std::fmt;

use crate::special::{SpecialToken, TokenId};
use crate::vocabulary::Vocabulary;

/// A prompt: control tokens and the text between them.
///
/// Its tokens are exact. Its text, which `Display` gives, is for people: there a user's `<|end|>` looks like
/// the token.
///
/// ```
/// use harmony_mask::{SpecialToken, Vocabulary, prompt::Conversation};
/// use serde_json::json;
///
/// let request = json!({"input": "<|end|>", "harmony": {"prompt": {"system": false}}});
/// let prompt = Conversation::read(&request)?.for_completion();
/// let tokens = prompt.tokens(&Vocabulary::o200k_harmony()).expect("it has an encoder");
/// let ends = tokens.iter().filter(|token| **token == SpecialToken::End.harmony_id());
/// assert_eq!(ends.count(), 1);
/// # Ok::<(), harmony_mask::prompt::ConversationError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    pieces: Vec<Piece>,
}

/// A part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A control token.
    Special(SpecialToken),
    /// Ordinary text, whatever it spells. Not empty, and never next to another text.
    Text(String),
}

impl Prompt {
    /// Its parts, in order.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Its tokens; `None` where the vocabulary cannot encode text.
    #[must_use]
    pub fn tokens(&self, vocabulary: &Vocabulary) -> Option<Vec<TokenId>> {
        let mut tokens = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Special(special) => tokens.push(vocabulary.special_id(*special)),
                Piece::Text(text) => tokens.extend(vocabulary.encode(text)?),
            }
        }
        Some(tokens)
    }

    pub(super) fn special(&mut self, special: SpecialToken) {
        self.pieces.push(Piece::Special(special));
    }

    pub(super) fn text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    /// A message without a channel.
    pub(super) fn message(&mut self, role: &str, content: &str) {
        self.special(SpecialToken::Start);
        self.text(role);
        self.special(SpecialToken::Message);
        self.text(content);
        self.special(SpecialToken::End);
    }
}

impl fmt::Display for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| match piece {
            Piece::Special(special) => special.fmt(f),
            Piece::Text(text) => f.write_str(text),
        })
    }
}
