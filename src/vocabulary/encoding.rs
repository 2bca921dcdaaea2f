//! From text to tokens and back.
//!
//! Encoding needs the merge order of a vocabulary, which its byte strings do not tell, so it is offered for
//! `o200k_harmony` only, by tiktoken-rs. Its encoder is built on first use, once per process; programs that
//! only mask never pay for it.

use std::iter;
use std::ops::Range;

use tiktoken_rs::o200k_harmony_singleton;

use super::Vocabulary;
use crate::special::{SpecialToken, TokenId};

/// Where a run of white space is cut, in characters. tiktoken-rs 0.12 panics where one outgrows the stack of
/// its pattern, which holds a million.
const LONGEST_WHITE_SPACE: usize = 500_000;

impl Vocabulary {
    /// Encodes ordinary text, in which `<|end|>` is seven characters; `None` where the vocabulary has no
    /// merge order.
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

    /// Encodes text in which the spellings of special tokens stand for them, also of those that no grammar
    /// allows; for tools, never for untrusted text.
    ///
    /// ```
    /// # use harmony_mask::Vocabulary;
    /// let vocabulary = Vocabulary::o200k_harmony();
    /// assert_eq!(vocabulary.encode_with_special("Hello<|end|>"), Some(vec![13_225, 200_007]));
    /// assert_eq!(vocabulary.encode_with_special("<|endoftext|>"), Some(vec![199_999]));
    /// ```
    #[must_use]
    pub fn encode_with_special(&self, text: &str) -> Option<Vec<TokenId>> {
        let mut tokens = Vec::new();
        for (ordinary, special) in self.split_at_specials(text) {
            tokens.extend(self.encode(ordinary)?);
            tokens.extend(special);
        }
        Some(tokens)
    }

    /// The same for any vocabulary, where it matters only that the tokens say the text: without an encoder
    /// they are the longest that fit.
    pub(crate) fn spell_with_special(&self, text: &str) -> Vec<TokenId> {
        self.encode_with_special(text).unwrap_or_else(|| {
            let pieces = self.split_at_specials(text);
            pieces.flat_map(|(ordinary, special)| self.longest_tokens(ordinary).chain(special)).collect()
        })
    }

    /// The tokens of ordinary text, the longest that fits first. They say all of it, since each byte is a
    /// token.
    fn longest_tokens(&self, text: &str) -> impl Iterator<Item = TokenId> {
        let mut rest = text.as_bytes();
        iter::from_fn(move || {
            let (token, len) = self.trie().longest_match(rest)?;
            rest = &rest[len..];
            Some(token)
        })
    }

    /// Decodes tokens for people to read: special tokens spelled out, ids that are no tokens as `<|300000|>`,
    /// invalid UTF-8 replaced.
    ///
    /// ```
    /// # use harmony_mask::Vocabulary;
    /// assert_eq!(Vocabulary::o200k_harmony().decode(&[13_225, 200_007, 200_018]), "Hello<|end|><|endofprompt|>");
    /// ```
    #[must_use]
    pub fn decode(&self, tokens: &[TokenId]) -> String {
        let mut text = Vec::new();
        for &token in tokens {
            match self.token_bytes(token) {
                Some(bytes) => text.extend_from_slice(bytes),
                None => text.extend_from_slice(format!("<|{}|>", self.special_name(token)).as_bytes()),
            }
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The length in bytes of tokens as [`decode`](Self::decode) spells them.
    #[must_use]
    pub fn spelled_len(&self, tokens: &[TokenId]) -> usize {
        let len = |token: &TokenId| match self.token_bytes(*token) {
            Some(bytes) => bytes.len(),
            None => self.special_name(*token).len() + "<||>".len(),
        };
        tokens.iter().map(len).sum()
    }

    /// The text as pieces of ordinary text, each with the special token that is spelled behind it. Only the
    /// last piece has none; any may be empty.
    fn split_at_specials<'t>(&self, text: &'t str) -> impl Iterator<Item = (&'t str, Option<TokenId>)> {
        let mut rest = Some(text);
        iter::from_fn(move || {
            let text = rest?;
            let Some((before, special, after)) = self.split_at_special(text) else {
                rest = None;
                return Some((text, None));
            };
            rest = Some(after);
            Some((before, Some(special)))
        })
    }

    /// The first special token spelled in `text`, with what stands before and after it.
    fn split_at_special<'t>(&self, text: &'t str) -> Option<(&'t str, TokenId, &'t str)> {
        text.match_indices("<|").find_map(|(start, bar)| {
            let inside = &text[start + bar.len()..];
            // Not further: in a text of many bars each would look for its end to the end of the text.
            let end = inside.as_bytes().windows(2).take(LONGEST_NAME + 1).position(|end| end == b"|>")?;
            Some((&text[..start], self.special_named(&inside[..end])?, &inside[end + 2..]))
        })
    }

    /// The special token with this name between the bars.
    fn special_named(&self, name: &str) -> Option<TokenId> {
        if let Some(special) = SpecialToken::from_name(name) {
            return Some(self.special_id(special));
        }
        let (id, _) = PROMPT_ONLY.iter().find(|(_, other)| *other == name).copied().or_else(|| {
            let id = name.strip_prefix("reserved_")?.parse().ok()?;
            (self.special_name(id) == name).then_some((id, name))
        })?;
        self.0.is_harmony.then_some(id)
    }

    /// The name of a special token between the bars; the number of what is no token.
    fn special_name(&self, token: TokenId) -> String {
        let prompt_only = PROMPT_ONLY.iter().find(|(id, _)| *id == token);
        match (self.special(token), prompt_only) {
            (Some(special), _) => special.name().to_owned(),
            (None, Some((_, name))) if self.0.is_harmony => (*name).to_owned(),
            _ if self.0.is_harmony && RESERVED.contains(&token) => format!("reserved_{token}"),
            _ => token.to_string(),
        }
    }
}

/// Bytes of the longest name of a special token: `reserved_201087`.
const LONGEST_NAME: usize = 15;

/// The special tokens of `o200k_harmony` that have a meaning but are never generated.
const PROMPT_ONLY: [(TokenId, &str); 3] =
    [(199_998, "startoftext"), (199_999, "endoftext"), (200_018, "endofprompt")];

/// The ids of the model's vocabulary past the ordinary tokens: those without a meaning are reserved.
const RESERVED: Range<TokenId> = 200_000..Vocabulary::HARMONY_LOGITS as TokenId;

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
