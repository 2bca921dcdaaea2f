//! The steps that an algorithm for masks may take before the other one is tried.
//!
//! There are two: thread by thread, and all threads at once. Thread by thread most masks are cheap, but a
//! grammar that reads keywords in the middle of names would go on for seconds, while all threads at once are
//! few sets. Where texts are captured, or many alternatives are open, it is the other way round: no two texts
//! lead to one set. In `Github_medium---o46145` of MaskBench a mask takes 6,029 steps and 7 ms thread by
//! thread, the most of the 765,488 masks that maskbench-dev makes (counted), and 50 s at once. Nothing
//! predicts which is better, so they take turns, each time with more steps: that takes a few times as long as
//! the better one alone.

use super::tape::Tape;
use super::thread::Thread;

/// Steps of the first turn: threads that are gone through, or stepped. One takes about a microsecond.
const FIRST: usize = 4_000;

/// How many times as many each further turn has.
const GROWTH: usize = 8;

/// The steps of the turns, the last ones without end.
pub(super) fn turns() -> impl Iterator<Item = usize> {
    std::iter::successors(Some(FIRST), |steps| Some(steps.saturating_mul(GROWTH)))
}

/// What is left of the steps of a turn.
pub(super) struct Steps {
    left: usize,
    /// What is added when a captured text is met: then this is the better way more often than not.
    reserve: usize,
}

impl Steps {
    pub(super) fn new(steps: usize) -> Self {
        Self { left: steps, reserve: steps.saturating_mul(GROWTH - 1) }
    }

    pub(super) fn are_used_up(&self) -> bool {
        self.left == 0
    }

    pub(super) fn spend(&mut self, steps: usize) {
        self.left = self.left.saturating_sub(steps);
    }

    /// Threads were come upon.
    pub(super) fn meet(&mut self, threads: &[Thread]) {
        if self.reserve > 0 && threads.iter().any(|thread| matches!(thread.tape, Tape::Read(_))) {
            self.left = self.left.saturating_add(std::mem::take(&mut self.reserve));
        }
    }
}
