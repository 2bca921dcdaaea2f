//! `hm_matcher`: one sequence.

use std::mem::MaybeUninit;

use harmony_mask::{Grammar, MaskId, Matcher, Message, TokenId, TokenMaskMut};
use serde_json::{Value, json};

use crate::failure::{Failure, Slot};
use crate::guard::{given, guard, quiet};
use crate::memory::{Input, Output, Text};

/// Where a number goes, if the caller wants it.
pub type Number<'a> = Option<&'a mut MaybeUninit<usize>>;

/// A matcher that goes on where a prompt ends; without a prompt, at the start.
#[unsafe(no_mangle)]
pub extern "C" fn hm_matcher_new(
    grammar: Option<&Grammar>,
    prompt: Input<u32>,
    prompt_len: usize,
    error: Slot<'_>,
) -> Option<Box<Matcher>> {
    guard(error, None, || {
        let matcher = given(grammar, "grammar")?.matcher_after(prompt.slice(prompt_len)?)?;
        Ok(Some(Box::new(matcher)))
    })
}

/// An independent matcher in the same state.
#[unsafe(no_mangle)]
pub extern "C" fn hm_matcher_fork(matcher: Option<&Matcher>, error: Slot<'_>) -> Option<Box<Matcher>> {
    guard(error, None, || Ok(Some(Box::new(given(matcher, "matcher")?.fork()))))
}

/// Frees a matcher.
#[unsafe(no_mangle)]
pub extern "C" fn hm_matcher_free(matcher: Option<Box<Matcher>>) {
    quiet((), || drop(matcher));
}

/// Sets the bits of the tokens that may come next and clears the others.
#[unsafe(no_mangle)]
pub extern "C" fn hm_matcher_fill_mask(
    matcher: Option<&Matcher>,
    mut row: Output<u32>,
    words: usize,
    error: Slot<'_>,
) -> bool {
    guard(error, false, || {
        let matcher = given(matcher, "matcher")?;
        has_room(matcher, words.saturating_mul(32))?;
        fill(matcher, row.zeroed(words)?);
        Ok(true)
    })
}

/// Sets the logits of the tokens that may not come next to minus infinity.
#[unsafe(no_mangle)]
pub extern "C" fn hm_matcher_apply(
    matcher: Option<&Matcher>,
    mut logits: Output<f32>,
    count: usize,
    error: Slot<'_>,
) -> bool {
    guard(error, false, || {
        let matcher = given(matcher, "matcher")?;
        has_room(matcher, count)?;
        let logits = logits.slice_mut(count)?;
        let mut row = vec![0; count.div_ceil(32)];
        fill(matcher, &mut row);
        if row.iter().all(|word| *word == 0) {
            return Err(Failure::new("nothing_follows", "no token may come next: the text is at its end"));
        }
        keep(&row, logits);
        Ok(true)
    })
}

/// The number of the mask that would be filled now.
#[unsafe(no_mangle)]
pub extern "C" fn hm_matcher_mask_id(matcher: Option<&Matcher>, id: Number<'_>) -> bool {
    quiet(false, || {
        let matcher = matcher.filter(|matcher| !matcher.is_finished());
        tell(matcher.and_then(Matcher::mask_id).map(MaskId::index), id)
    })
}

/// Takes a token.
#[unsafe(no_mangle)]
pub extern "C" fn hm_matcher_accept(matcher: Option<&mut Matcher>, token: u32, error: Slot<'_>) -> bool {
    guard(error, false, || {
        given(matcher, "matcher")?.accept(token)?;
        Ok(true)
    })
}

/// How many of these tokens could be taken, one after the other.
#[unsafe(no_mangle)]
pub extern "C" fn hm_matcher_validate_tokens(
    matcher: Option<&Matcher>,
    tokens: Input<u32>,
    count: usize,
) -> usize {
    quiet(0, || match (matcher, tokens.slice(count)) {
        (Some(matcher), Ok(tokens)) => matcher.validate_tokens(tokens),
        _ => 0,
    })
}

/// Takes back the last tokens.
#[unsafe(no_mangle)]
pub extern "C" fn hm_matcher_rollback(matcher: Option<&mut Matcher>, count: usize, error: Slot<'_>) -> bool {
    guard(error, false, || {
        given(matcher, "matcher")?.rollback(count)?;
        Ok(true)
    })
}

/// Takes back everything, and the deadline.
#[unsafe(no_mangle)]
pub extern "C" fn hm_matcher_reset(matcher: Option<&mut Matcher>) {
    quiet((), || matcher.into_iter().for_each(Matcher::reset));
}

/// Whether nothing can follow. Loops run until then, so it is so where there is no matcher.
#[unsafe(no_mangle)]
pub extern "C" fn hm_matcher_is_finished(matcher: Option<&Matcher>) -> bool {
    quiet(true, || matcher.is_none_or(Matcher::is_finished))
}

/// Whether the text may stop here.
#[unsafe(no_mangle)]
pub extern "C" fn hm_matcher_is_accepting(matcher: Option<&Matcher>) -> bool {
    quiet(false, || matcher.is_some_and(Matcher::is_accepting))
}

/// The tokens that may come next and after which the text may stop.
#[unsafe(no_mangle)]
pub extern "C" fn hm_matcher_stop_tokens(
    matcher: Option<&Matcher>,
    tokens: Output<u32>,
    capacity: usize,
) -> usize {
    list(matcher, Matcher::stop_tokens, tokens, capacity)
}

/// The tokens that must come next.
#[unsafe(no_mangle)]
pub extern "C" fn hm_matcher_forced_tokens(
    matcher: Option<&Matcher>,
    tokens: Output<u32>,
    capacity: usize,
) -> usize {
    list(matcher, Matcher::forced_tokens, tokens, capacity)
}

/// Narrows the masks so that the text ends within so many tokens.
#[unsafe(no_mangle)]
pub extern "C" fn hm_matcher_finish_within(
    matcher: Option<&mut Matcher>,
    count: usize,
    error: Slot<'_>,
) -> bool {
    guard(error, false, || {
        given(matcher, "matcher")?.finish_within(count)?;
        Ok(true)
    })
}

/// How many more tokens there may be, where there is a deadline.
#[unsafe(no_mangle)]
pub extern "C" fn hm_matcher_tokens_left(matcher: Option<&Matcher>, count: Number<'_>) -> bool {
    quiet(false, || tell(matcher.and_then(Matcher::tokens_left), count))
}

/// The messages so far, as a JSON array.
#[unsafe(no_mangle)]
pub extern "C" fn hm_matcher_transcript(matcher: Option<&Matcher>, error: Slot<'_>) -> Text {
    guard(error, Text::NONE, || {
        let messages = given(matcher, "matcher")?.transcript().messages;
        let messages: Vec<Value> = messages.iter().map(Message::to_json).collect();
        Ok(Text::new(&json!(messages).to_string()))
    })
}

/// Where the text stands, in words.
#[unsafe(no_mangle)]
pub extern "C" fn hm_matcher_status(matcher: Option<&Matcher>, error: Slot<'_>) -> Text {
    guard(error, Text::NONE, || Ok(Text::new(&given(matcher, "matcher")?.status().to_string())))
}

/// A mask without room for all tokens would be empty where a token may come.
fn has_room(matcher: &Matcher, tokens: usize) -> Result<(), Failure> {
    let width = matcher.vocabulary().width();
    if tokens < width {
        let message = format!("there is room for {tokens} tokens, and the vocabulary has {width}");
        return Err(Failure::new("too_narrow", message));
    }
    Ok(())
}

fn fill(matcher: &Matcher, row: &mut [u32]) {
    let width = row.len() * 32;
    matcher.fill_row(&mut TokenMaskMut::new(row, width));
}

/// Keeps the logits of the tokens in a row. In most words all bits are equal, which saves most of the time.
fn keep(row: &[u32], logits: &mut [f32]) {
    for (word, logits) in row.iter().zip(logits.chunks_mut(32)) {
        match *word {
            0 => logits.fill(f32::NEG_INFINITY),
            u32::MAX => {}
            word => keep_some(word, logits),
        }
    }
}

fn keep_some(word: u32, logits: &mut [f32]) {
    for (bit, logit) in logits.iter_mut().enumerate() {
        if word >> bit & 1 == 0 {
            *logit = f32::NEG_INFINITY;
        }
    }
}

/// Writes a number, if there is one and it is wanted; whether there is one.
fn tell(number: Option<usize>, wanted: Number<'_>) -> bool {
    if let (Some(number), Some(wanted)) = (number, wanted) {
        wanted.write(number);
    }
    number.is_some()
}

fn list(
    matcher: Option<&Matcher>,
    of: fn(&Matcher) -> Vec<TokenId>,
    mut tokens: Output<u32>,
    capacity: usize,
) -> usize {
    quiet(0, || tokens.write(capacity, &matcher.map(of).unwrap_or_default()))
}
