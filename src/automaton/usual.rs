//! What follows most captured texts.
//!
//! A binder may know a few texts only, and give one continuation after all others: the value of a member
//! matters only if an object to avoid has it. A string can end at eighty nodes of the trie or more. Those
//! that end a text the binder knows are judged one by one, all others together.

use super::stack::{Frame, Stack};
use super::tape::Tape;
use super::thread::Thread;
use super::ways::Ways;
use crate::vocabulary::Vocabulary;

/// What follows where a captured text ends.
pub(super) struct Usual {
    /// What follows the texts that the binder does not know.
    pub(super) below: Stack,
    pub(super) tape: Tape,
    /// Where those end.
    pub(super) ways: Option<Ways>,
    /// Where the others end.
    pub(super) known: Vec<u32>,
}

impl Usual {
    /// Of a thread whose text ends at `ways`, above `below`; `read` gives what it reads up to a node. `None`
    /// where no text ends, or each is followed in its own way.
    pub(super) fn new<'v>(
        vocabulary: &'v Vocabulary,
        thread: &Thread,
        (below, ways): (&Stack, &Ways),
        read: impl Fn(u32) -> &'v [u8],
    ) -> Option<Self> {
        let (Frame::CaptureEnd { start, outermost, then, binder }, rest) = below.top()? else { return None };
        let Tape::Read(tape) = &thread.tape else { return None };
        let below = rest.push_expression(&binder.usual()?).push_expression(then);
        let mut text = tape.since(*start);
        let before = text.len();
        let is_known = |node: &u32| {
            text.truncate(before);
            text.extend(read(*node));
            binder.knows(&text)
        };
        let (known, others): (Vec<u32>, Vec<u32>) = ways.nodes().iter().copied().partition(is_known);
        let behind = thread.tape.behind(*outermost);
        Some(Self { below, tape: behind, ways: Ways::new(vocabulary, others), known })
    }
}
