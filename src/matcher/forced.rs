//! From forced text to forced tokens.
//!
//! Forced bytes are not forced tokens: after `{"loc` the bytes `ation` may be forced, and yet the model would
//! rather have said `location` in one token; and a forced quote may merge with what is free after it. A token
//! is safe to append only where the vocabulary's own encoder would produce it whatever comes later. That is
//! known at a *seam*: a place in the text where the encoder's pre-tokenisation always splits, so that what
//! stands before it is encoded independently of what follows.

use crate::automaton::Unit;
use crate::special::{SpecialToken, TokenId};
use crate::vocabulary::Vocabulary;

/// Whether o200k's pre-tokenisation splits between these bytes in every context: a run of ASCII letters or
/// digits ends where another ASCII character follows, and only an apostrophe can continue a word (`it's`).
fn is_seam(before: u8, after: u8) -> bool {
    before.is_ascii_alphanumeric() && after.is_ascii() && !after.is_ascii_alphanumeric() && after != b'\''
}

/// The tokens at the beginning of `units` that the encoder would produce after `accepted`, whatever follows.
pub(super) fn canonical(vocabulary: &Vocabulary, accepted: &[TokenId], units: &[Unit]) -> Vec<TokenId> {
    let mut tokens = Vec::new();
    let mut context = tail(vocabulary, accepted);
    for (text, special) in segments(units) {
        let encoded = encode(vocabulary, &context, &text, special.is_some());
        let complete = encoded.is_some();
        tokens.extend(encoded.unwrap_or_default());
        match special {
            Some(special) if complete => tokens.push(vocabulary.special_id(special)),
            _ => break,
        }
        context.clear();
    }
    tokens
}

/// Units as runs of text, each with the special token that ends it; the last may have none.
fn segments(units: &[Unit]) -> Vec<(Vec<u8>, Option<SpecialToken>)> {
    let mut segments = vec![(Vec::new(), None)];
    for unit in units {
        let last = segments.last_mut().expect("never empty");
        match unit {
            Unit::Byte(byte) => last.0.push(*byte),
            Unit::Special(token) => {
                last.1 = Some(*token);
                segments.push((Vec::new(), None));
            }
        }
    }
    segments
}

/// The tokens since the last seam (or special token): all that the encoding of what follows can depend on.
fn tail(vocabulary: &Vocabulary, accepted: &[TokenId]) -> Vec<TokenId> {
    let mut start = accepted.len();
    let mut next: Option<u8> = None;
    while start > 0 {
        let Some(bytes) = vocabulary.token_bytes(accepted[start - 1]) else { break };
        let last = bytes[bytes.len() - 1];
        if next.is_some_and(|next| is_seam(last, next)) {
            break;
        }
        (start, next) = (start - 1, Some(bytes[0]));
    }
    accepted[start..].to_vec()
}

/// The tokens of `text` after `context`, as far as they are settled: to the end where a special token
/// follows, else to the last seam. `None` where the encoder would not have produced the context, so that
/// nothing is known.
fn encode(vocabulary: &Vocabulary, context: &[TokenId], text: &[u8], closed: bool) -> Option<Vec<TokenId>> {
    if text.is_empty() {
        return closed.then(Vec::new);
    }
    let mut bytes: Vec<u8> =
        context.iter().filter_map(|token| vocabulary.token_bytes(*token)).flatten().copied().collect();
    let before = bytes.len();
    bytes.extend_from_slice(text);
    let end = if closed { bytes.len() } else { last_seam(&bytes).filter(|seam| *seam > before)? };
    // Cutting at a seam does not change the tokens before it.
    let encoded = vocabulary.encode(std::str::from_utf8(&bytes[..end]).ok()?)?;
    encoded.strip_prefix(context).map(<[TokenId]>::to_vec)
}

fn last_seam(bytes: &[u8]) -> Option<usize> {
    (1..bytes.len()).rev().find(|at| is_seam(bytes[at - 1], bytes[*at]))
}

/// Tokens that spell `units`, the longest first: not the encoder's choice, but the grammar accepts any
/// spelling.
pub(super) fn spell(vocabulary: &Vocabulary, units: &[Unit]) -> Vec<TokenId> {
    let mut tokens = Vec::new();
    for (text, special) in segments(units) {
        let mut rest = text.as_slice();
        while !rest.is_empty() {
            let (token, len) = vocabulary.trie().longest_match(rest).expect("every byte is a token");
            tokens.push(token);
            rest = &rest[len..];
        }
        tokens.extend(special.map(|token| vocabulary.special_id(token)));
    }
    tokens
}
