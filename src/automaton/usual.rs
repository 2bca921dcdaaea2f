//! What follows most captured texts.
//!
//! A captured text decides what follows it, but a binder may know few texts, and say the same after all others: the value of a member matters
//! where it is that of an object to avoid. A string may be left in eighty ways and more; those that end a text the binder knows are judged one by one, and
//! all others together.

use super::stack::{Frame, Stack};
use super::thread::{Tape, Thread};
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
    /// Of a thread whose text ends at `ways`, above `below`; `read` gives what it reads up to a node. `None` where no text ends, or each is followed in its
    /// own way.
    pub(super) fn new<'v>(
        vocabulary: &'v Vocabulary,
        thread: &Thread,
        (below, ways): (&Stack, &Ways),
        read: impl Fn(u32) -> &'v [u8],
    ) -> Option<Self> {
        let (Frame::CaptureEnd { start, outermost, then, binder }, rest) = below.top()? else { return None };
        let Tape::Read(tape) = &thread.tape else { return None };
        let below = rest.push_expression(&binder.usual()?).push_expression(then);
        let is_known = |node: &u32| binder.knows(&[&tape[*start..], read(*node)].concat());
        let (known, others): (Vec<u32>, Vec<u32>) = ways.nodes().iter().copied().partition(is_known);
        let behind = thread.tape.behind(*outermost);
        Some(Self { below, tape: behind, ways: Ways::new(vocabulary, others), known })
    }
}
