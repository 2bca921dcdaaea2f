//! From text to tokens and back.
//!
//! Encoding needs the merge order of a vocabulary, which its byte strings do not tell, so it is offered for `o200k_harmony`
//! only, by tiktoken-rs. Its encoder is built on first use, once per process; programs that only mask never pay for it.

use std::iter;

use tiktoken_rs::o200k_harmony_singleton;

use super::Vocabulary;
use crate::special::{SpecialToken, TokenId};

/// Where a run of white space is cut, in characters. tiktoken-rs 0.12 panics where one outgrows the stack of its pattern,
/// which holds a million.
const LONGEST_WHITE_SPACE: usize = 500_000;

impl Vocabulary {
    /// Encodes ordinary text, in which `<|end|>` is seven characters; `None` where the vocabulary has no merge order.
    ///
    /// The first call in a process builds the encoder, which takes about 0.4 s.
    ///
    /// ```
    /// # use harmony_mask::Vocabulary;
    /// let vocabulary = Vocabulary::o200k_harmony();
    /// assert_eq!(vocabulary.encode("Hello world"), Some(vec![13_225, 2_375]));
    /// ```
    #[must_use]
    pub fn encode(&self, text: &str) -> Option<Vec<TokenId>> {
        let encode = |text| o200k_harmony_singleton().encode_ordinary(text);
        self.0.is_harmony.then(|| encodable_parts(text).flat_map(encode).collect())
    }

    /// Encodes text in which the spellings of the seven special tokens stand for them; for tools, never for untrusted text.
    ///
    /// ```
    /// # use harmony_mask::Vocabulary;
    /// let vocabulary = Vocabulary::o200k_harmony();
    /// assert_eq!(vocabulary.encode_with_special("Hello<|end|>"), Some(vec![13_225, 200_007]));
    /// ```
    #[must_use]
    pub fn encode_with_special(&self, text: &str) -> Option<Vec<TokenId>> {
        let mut tokens = Vec::new();
        let mut rest = text;
        while let Some((before, special, after)) = split_at_special(rest) {
            tokens.extend(self.encode(before)?);
            tokens.push(self.special_id(special));
            rest = after;
        }
        tokens.extend(self.encode(rest)?);
        Some(tokens)
    }

    /// Decodes tokens for people to read: special tokens spelled out, unknown ids as `<|123|>`, invalid UTF-8 replaced.
    ///
    /// ```
    /// # use harmony_mask::Vocabulary;
    /// assert_eq!(Vocabulary::o200k_harmony().decode(&[13_225, 200_007, 200_018]), "Hello<|end|><|200018|>");
    /// ```
    #[must_use]
    pub fn decode(&self, tokens: &[TokenId]) -> String {
        let mut text = Vec::new();
        for &token in tokens {
            match (self.token_bytes(token), self.special(token)) {
                (Some(bytes), _) => text.extend_from_slice(bytes),
                (None, Some(special)) => text.extend_from_slice(special.to_string().as_bytes()),
                (None, None) => text.extend_from_slice(format!("<|{token}|>").as_bytes()),
            }
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// The text, cut inside white space that tiktoken-rs could not take whole.
fn encodable_parts(mut rest: &str) -> impl Iterator<Item = &str> {
    iter::from_fn(move || {
        let mut run = 0;
        let cut = rest.char_indices().find_map(|(at, char)| {
            run = if char.is_whitespace() { run + 1 } else { 0 };
            (run > LONGEST_WHITE_SPACE).then_some(at)
        });
        let (part, after) = rest.split_at(cut.unwrap_or(rest.len()));
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

/// The first special token spelled in `text`, with what stands before and after it.
fn split_at_special(text: &str) -> Option<(&str, SpecialToken, &str)> {
    text.match_indices("<|").find_map(|(start, bar)| {
        let name_and_rest = &text[start + bar.len()..];
        let after = |special: SpecialToken| name_and_rest.strip_prefix(special.name())?.strip_prefix("|>");
        SpecialToken::ALL.into_iter().find_map(|special| Some((&text[..start], special, after(special)?)))
    })
}
