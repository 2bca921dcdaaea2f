//! Starting anywhere: from what a prompt already says of the turn.
//!
//! A prompt may end after `<|start|>assistant`, inside a header, in the middle of reasoning or of arguments,
//! in a prefilled answer, or after the message of a tool. The turn that goes on there begins at the first of
//! the assistant's messages since somebody else spoke.

use std::ops::Range;

use super::error::AcceptError;
use crate::special::{SpecialToken, TokenId};
use crate::transcript::{End, Read, Reader};
use crate::vocabulary::Vocabulary;

/// A prompt whose turn is not the beginning of any completion.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the prompt breaks the grammar at token {token}, byte {offset}: {source}")]
pub struct PromptError {
    /// The index of the token that is not allowed.
    pub token: usize,
    /// How many bytes of the prompt can be read, special tokens counted as they are spelled.
    pub offset: usize,
    /// Why the token is not allowed.
    pub source: AcceptError,
}

/// Where the turn begins in a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TurnStart {
    /// These tokens follow `<|start|>assistant`.
    AfterStart(usize),
    /// Here is, or will be, a `<|start|>`.
    AtStart(usize),
}

/// Finds the turn that goes on at the end of a prompt, or of a part of one.
pub(super) fn turn_start(vocabulary: &Vocabulary, tokens: &[TokenId], may_call_often: bool) -> TurnStart {
    let messages = messages(vocabulary, tokens);
    let Some(last) = messages.last() else { return TurnStart::AfterStart(0) };
    if is_over(vocabulary, tokens, last) {
        return TurnStart::AtStart(tokens.len());
    }
    let mut first = messages.len() - 1;
    while first > 0 && goes_on(vocabulary, &tokens[messages[first - 1].clone()], may_call_often) {
        first -= 1;
    }
    let start = messages[first].start;
    let is_cut = tokens.get(start).and_then(|token| vocabulary.special(*token)) != Some(SpecialToken::Start);
    if is_cut { TurnStart::AfterStart(start) } else { TurnStart::AtStart(start) }
}

/// The messages of a prompt, each from its `<|start|>`; what stands before the first one is the rest of a
/// message.
fn messages(vocabulary: &Vocabulary, tokens: &[TokenId]) -> Vec<Range<usize>> {
    let start = vocabulary.special_id(SpecialToken::Start);
    let mut starts: Vec<usize> = (0..tokens.len()).filter(|at| tokens[*at] == start).collect();
    if starts.first() != Some(&0) && !tokens.is_empty() {
        starts.insert(0, 0);
    }
    let ends = starts.iter().skip(1).copied().chain([tokens.len()]);
    starts.iter().zip(ends).map(|(start, end)| *start..end).collect()
}

/// The role of a message, and what its last token said.
fn skim<'v>(vocabulary: &'v Vocabulary, tokens: &[TokenId]) -> (Role, Option<Reader>, Read<'v>) {
    let (mut reader, mut last, mut body) = (Reader::default(), Read::Nothing, None);
    for token in tokens {
        last = reader.read(vocabulary, *token);
        if matches!(last, Read::Header(_)) {
            body = Some(reader.clone());
        }
    }
    (Role::of(vocabulary, tokens), body, last)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Assistant,
    Other,
    /// The message is cut, and begins with its body or in the middle of a word.
    Unknown,
}

impl Role {
    fn of(vocabulary: &Vocabulary, tokens: &[TokenId]) -> Self {
        let is_cut = tokens.first().and_then(|token| vocabulary.special(*token)) != Some(SpecialToken::Start);
        let header = if is_cut { tokens } else { &tokens[1..] };
        let words = header.iter().map_while(|token| vocabulary.token_bytes(*token));
        let role = words.flatten().copied().collect::<Vec<u8>>();
        let is_channel =
            header.first().and_then(|token| vocabulary.special(*token)) == Some(SpecialToken::Channel);
        match is_cut {
            true if is_channel || role.starts_with(b" to=") => Self::Assistant,
            true => Self::Unknown,
            false if role == b"assistant" || role.starts_with(b"assistant ") => Self::Assistant,
            false => Self::Other,
        }
    }
}

/// Whether a message is complete that is not known to be the assistant's, so that the assistant speaks next.
fn is_over(vocabulary: &Vocabulary, tokens: &[TokenId], message: &Range<usize>) -> bool {
    let (role, _, last) = skim(vocabulary, &tokens[message.clone()]);
    role != Role::Assistant && matches!(last, Read::End(_))
}

/// Whether the turn goes on after a message: it is a complete thought of the assistant, or a call where
/// another one may follow.
fn goes_on(vocabulary: &Vocabulary, message: &[TokenId], may_call_often: bool) -> bool {
    let (role, body, last) = skim(vocabulary, message);
    let Some(header) = body.as_ref().and_then(|reader| reader.open()) else { return false };
    let goes_on = match last {
        Read::End(End::End) => header.is_thought(),
        Read::End(End::Call) => may_call_often && header.recipient.is_some(),
        _ => false,
    };
    role == Role::Assistant && goes_on
}
