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

/// How far back a seam is looked for. Texts of some scripts have none, and then each call would read and
/// encode all that was said.
const LONGEST_TAIL: usize = 256;

/// The tokens at the beginning of `units` that the encoder would produce, whatever follows, after some others:
/// `before` has them from the last one on.
pub(super) fn canonical(
    vocabulary: &Vocabulary,
    before: impl Iterator<Item = TokenId>,
    units: &[Unit],
) -> Vec<TokenId> {
    // Only text depends on what was said before.
    let is_text = matches!(units.first(), Some(Unit::Byte(_)));
    let context = if is_text { tail(vocabulary, before) } else { Some(Vec::new()) };
    let Some(mut context) = context else { return Vec::new() };
    let mut tokens = Vec::new();
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
/// `None` where it is too far back.
fn tail(vocabulary: &Vocabulary, before: impl Iterator<Item = TokenId>) -> Option<Vec<TokenId>> {
    let mut tail = Vec::new();
    let mut next: Option<u8> = None;
    for token in before {
        let Some(bytes) = vocabulary.token_bytes(token) else { break };
        if next.is_some_and(|next| is_seam(bytes[bytes.len() - 1], next)) {
            break;
        }
        if tail.len() == LONGEST_TAIL {
            return None;
        }
        tail.push(token);
        next = Some(bytes[0]);
    }
    tail.reverse();
    Some(tail)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What is forced next, and how many of the tokens before were looked at; there is no end of them.
    fn looked_at(said: &str, units: &[Unit]) -> (String, usize) {
        let vocabulary = Vocabulary::o200k_harmony();
        let said = vocabulary.encode(said).expect("it has an encoder");
        let mut looked_at = 0;
        let before = said.iter().rev().copied().cycle().inspect(|_| looked_at += 1);
        (vocabulary.decode(&canonical(&vocabulary, before, units)), looked_at)
    }

    fn bytes(text: &str) -> Vec<Unit> {
        text.bytes().map(Unit::Byte).collect()
    }

    #[test]
    fn what_was_said_is_read_to_the_last_seam_and_not_far() {
        let end = [bytes("\"}"), vec![Unit::Special(SpecialToken::Return)]].concat();
        assert_eq!(looked_at("a few, words", &end), ("\"}<|return|>".to_owned(), 3));
        assert_eq!(looked_at("一二。", &end), (String::new(), LONGEST_TAIL + 1), "no seam");
        for units in [&[][..], &[Unit::Special(SpecialToken::Return)]] {
            assert_eq!(looked_at("一二。", units).1, 0, "no text is forced");
        }
    }
}
