//! Any text as a prompt, and the same as tokens: read or refused with a place in it, and what is read can be
//! written and read again.

use harmony_mask::prompt::{Piece, Prompt};
use harmony_mask::{Request, SpecialToken, TokenId};

use crate::reproduction::text_target;
use crate::vocabulary::SMALL;

text_target! {
    /// A text that may be a prompt.
    ///
    /// As tokens, each byte is one, and the spelling of a control token is that token, but after a NUL, where
    /// it is what a user wrote. U+FFFD is a byte that no text has.
    PromptText, "prompt", check
}

fn check(text: &str) {
    check_text(text);
    check_tokens(&tokens_of_text(text));
}

fn check_text(text: &str) {
    match Request::from_prompt(text) {
        Ok(read) => {
            assert!(text[..read.position].ends_with("<|start|>assistant"));
            let prompt = read.conversation.for_completion();
            let again =
                Request::from_prompt(&prompt.to_string()).unwrap_or_else(|error| panic!("{error}: {prompt}"));
            assert_eq!(again.conversation.for_completion(), prompt);
        }
        Err(error) => assert!(error.line() <= text.lines().count() + 1, "{error}"),
    }
}

fn check_tokens(tokens: &[TokenId]) {
    let Ok(read) = Request::from_prompt_tokens(SMALL.vocabulary(), tokens) else { return };
    assert!(read.position <= tokens.len());
    let prompt = read.conversation.for_completion();
    let again = Request::from_prompt_tokens(SMALL.vocabulary(), &tokens_of_prompt(&prompt))
        .unwrap_or_else(|error| panic!("{error}: {prompt}"));
    assert_eq!(again.conversation.for_completion(), prompt);
}

fn tokens_of_prompt(prompt: &Prompt) -> Vec<TokenId> {
    let tokens = prompt.pieces().iter().map(|piece| match piece {
        Piece::Special(special) => vec![SMALL.vocabulary().special_id(*special)],
        Piece::Text(text) => bytes(text).collect(),
    });
    tokens.flatten().collect()
}

fn tokens_of_text(text: &str) -> Vec<TokenId> {
    let (mut tokens, mut rest) = (Vec::new(), text);
    while let Some(next) = rest.chars().next() {
        let len = match (next, control(rest), control(&rest[next.len_utf8()..])) {
            (_, Some((special, len)), _) => {
                tokens.push(SMALL.vocabulary().special_id(special));
                len
            }
            ('\0', _, Some((_, len))) => {
                tokens.extend(bytes(&rest[1..=len]));
                1 + len
            }
            (char::REPLACEMENT_CHARACTER, ..) => {
                tokens.push(0xff);
                next.len_utf8()
            }
            _ => {
                tokens.extend(bytes(&rest[..next.len_utf8()]));
                next.len_utf8()
            }
        };
        rest = &rest[len..];
    }
    tokens
}

/// The control token that a text begins with, and the length of its spelling.
fn control(text: &str) -> Option<(SpecialToken, usize)> {
    let spelled = &text[..text.strip_prefix("<|")?.find("|>")? + "<||>".len()];
    let special = SpecialToken::ALL.into_iter().find(|special| special.to_string() == spelled)?;
    Some((special, spelled.len()))
}

/// The tokens of single bytes have the bytes as their ids.
fn bytes(text: &str) -> impl Iterator<Item = TokenId> + '_ {
    text.bytes().map(TokenId::from)
}
