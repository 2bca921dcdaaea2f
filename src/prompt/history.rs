//! What is forgotten of a conversation.
//!
//! Thoughts serve one answer. Once the answer was given they are dropped, and with them the calls of built-in
//! tools that were part of them, which stand on the same channel; thoughts after the last answer, around
//! calls that are still pending, are kept.
//!
//! `openai-harmony` keeps the thoughts between two answers, and all thoughts while a call is pending. The
//! format's guide does neither, and neither does the chat template of the published weights.

use super::message::Message;

/// The messages that remain. `last_is_target` says that the last message is not history but what a model is
/// to be trained on, with its thoughts.
pub(super) fn kept(
    messages: &[Message],
    keeps_all: bool,
    last_is_target: bool,
) -> impl Iterator<Item = &Message> {
    let past = messages.len() - usize::from(last_is_target && !messages.is_empty());
    let answered = messages[..past].iter().rposition(Message::is_final).unwrap_or(0);
    let is_kept =
        move |(at, message): &(usize, &Message)| keeps_all || *at >= answered || !message.is_on("analysis");
    messages.iter().enumerate().filter(is_kept).map(|(_, message)| message)
}
