//! A prompt taken apart: control tokens, and the text after each of them.

use std::borrow::Cow;

use super::Excerpt;
use crate::prompt::error::{Fault, ReadErrorKind};
use crate::special::{SpecialToken, TokenId};
use crate::vocabulary::Vocabulary;

/// A prompt, with its control tokens spelled out.
pub(super) struct Source<'a> {
    text: Cow<'a, str>,
    segments: Vec<Segment>,
    /// Where each token begins, where tokens were given.
    tokens: Vec<usize>,
}

/// A control token, and the text after it.
struct Segment {
    special: SpecialToken,
    at: usize,
    end: usize,
}

/// A control token, where it stands, and the text after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    pub(super) special: SpecialToken,
    pub(super) at: usize,
    pub(super) text: Excerpt<'a>,
}

impl<'a> Source<'a> {
    /// Every spelling of a control token is one.
    pub(super) fn of_text(text: &'a str) -> Self {
        let special = |(at, _): (usize, &str)| {
            let is_spelled = |special: &SpecialToken| text[at..].starts_with(&special.to_string());
            let special = SpecialToken::ALL.into_iter().find(is_spelled)?;
            Some(Segment { special, at, end: at + special.to_string().len() })
        };
        let segments = text.match_indices("<|").filter_map(special).collect();
        Self { text: Cow::Borrowed(text), segments, tokens: Vec::new() }
    }

    /// Only control tokens are control tokens. Text that is not UTF-8 has its broken characters replaced.
    pub(super) fn of_tokens(vocabulary: &Vocabulary, tokens: &[TokenId]) -> Result<Source<'static>, Fault> {
        let mut source = Source { text: Cow::Owned(String::new()), segments: Vec::new(), tokens: Vec::new() };
        let (mut text, mut bytes) = (String::new(), Vec::new());
        for &token in tokens {
            source.tokens.push(text.len() + bytes.len());
            match (vocabulary.token_bytes(token), vocabulary.special(token)) {
                (Some(more), _) => bytes.extend_from_slice(more),
                (None, Some(special)) => {
                    text.push_str(&String::from_utf8_lossy(&std::mem::take(&mut bytes)));
                    let at = text.len();
                    text.push_str(&special.to_string());
                    source.segments.push(Segment { special, at, end: text.len() });
                }
                (None, None) => {
                    let at = text.len() + bytes.len();
                    return Err(Fault { at, kind: ReadErrorKind::UnknownToken(token) });
                }
            }
        }
        text.push_str(&String::from_utf8_lossy(&bytes));
        source.text = Cow::Owned(text);
        Ok(source)
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The text before the first control token.
    pub(super) fn before(&self) -> Excerpt<'_> {
        let end = self.segments.first().map_or(self.text.len(), |segment| segment.at);
        Excerpt { text: &self.text[..end], at: 0 }
    }

    pub(super) fn parts(&self) -> Vec<Part<'_>> {
        let ends = self.segments.iter().skip(1).map(|segment| segment.at).chain([self.text.len()]);
        let part = |(segment, end): (&Segment, usize)| Part {
            special: segment.special,
            at: segment.at,
            text: Excerpt { text: &self.text[segment.end..end], at: segment.end },
        };
        self.segments.iter().zip(ends).map(part).collect()
    }

    /// The number of the token that begins at this byte.
    pub(super) fn token_at(&self, at: usize) -> Result<usize, Fault> {
        if at == self.text.len() {
            return Ok(self.tokens.len());
        }
        self.tokens.binary_search(&at).map_err(|_| {
            let rest = Excerpt { text: &self.text[at..], at };
            rest.expected("a token that begins here")
        })
    }
}
