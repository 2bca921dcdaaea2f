//! What stands on a stack: the threads that follow a frame, opened once for all states of the frame and all ways in which it ends.

use std::sync::Arc;

use super::expansions::Expansions;
use super::stack::Stack;
use super::thread::{Tape, Thread, open};
use crate::cache::{Bounded, Weighed, bounded, known};

/// The threads of the stacks that were reached. The tape of a key holds no bytes.
pub(super) struct Openings(Bounded<(Stack, Tape), Weighed<Vec<Thread>>>);

impl Openings {
    pub(super) fn new(bytes: usize) -> Self {
        Self(bounded(bytes))
    }

    /// The threads on a stack, with what is common to all texts where one is being captured.
    pub(super) fn threads(&self, stack: &Stack, tape: Tape, rules: &Expansions) -> Arc<Vec<Thread>> {
        let make = |(stack, tape): &(Stack, Tape)| {
            let mut threads = Vec::new();
            open(stack.clone(), tape.clone(), rules, &mut threads);
            // A text whose capture begins here is not known: it begins with a token that goes on.
            threads.iter_mut().for_each(|thread| thread.tape = thread.tape.forgotten());
            threads
        };
        let bytes = |_: &(Stack, Tape), threads: &Vec<Thread>| threads.len() * Thread::WEIGHT;
        known(&self.0, (stack.clone(), tape), make, bytes)
    }

    pub(super) fn bytes(&self) -> usize {
        usize::try_from(self.0.weight()).unwrap_or(usize::MAX)
    }
}
