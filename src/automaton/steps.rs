//! How much work a mask may be before all threads are walked at once.
//!
//! A grammar that reads keywords in the middle of names would go on for seconds thread by thread, while all threads at once are few sets. Where texts are
//! captured it is the other way round: no two texts lead to one set, so going thread by thread is the quicker way for long. In
//! `Github_medium---o46145` of MaskBench a mask takes 6,029 steps and 7 ms that way, the most of the 765,488 masks that maskbench-dev makes (counted), and
//! 50 s at once. What comes when the steps are used up there has no limit of its own, so they are 66 times as many as that.

use super::thread::{Tape, Thread};

/// Threads that may be gone through for one mask.
const STEPS: usize = 4_000;

/// The same where a text is being captured.
const STEPS_CAPTURING: usize = 400_000;

/// What is left of them.
pub(super) struct Steps {
    left: usize,
    /// What is added when a captured text is met.
    reserve: usize,
}

impl Steps {
    /// For a mask of these threads.
    pub(super) fn new(threads: &[Thread]) -> Self {
        let mut steps = Self { left: STEPS, reserve: STEPS_CAPTURING - STEPS };
        steps.meet(threads);
        steps
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
            self.left += std::mem::take(&mut self.reserve);
        }
    }
}
