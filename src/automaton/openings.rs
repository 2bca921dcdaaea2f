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

    /// The threads on a stack; what is captured is remembered of no text, so they are opened anew where one is being captured.
    pub(super) fn threads(&self, stack: &Stack, tape: Tape, rules: &Expansions) -> Arc<Vec<Thread>> {
        match tape {
            Tape::Read(_) => Arc::new(opened((stack, &tape), rules)),
            Tape::Outside | Tape::Any => self.known((stack.clone(), tape), rules),
        }
    }

    /// The threads on a stack, with what is common to all texts where one is being captured.
    pub(super) fn common(&self, stack: &Stack, tape: &Tape, rules: &Expansions) -> Arc<Vec<Thread>> {
        self.known((stack.clone(), tape.forgotten()), rules)
    }

    fn known(&self, key: (Stack, Tape), rules: &Expansions) -> Arc<Vec<Thread>> {
        let make = |(stack, tape): &(Stack, Tape)| opened((stack, tape), rules);
        let bytes = |_: &(Stack, Tape), threads: &Vec<Thread>| threads.len() * Thread::WEIGHT;
        known(&self.0, key, make, bytes)
    }

    pub(super) fn bytes(&self) -> usize {
        usize::try_from(self.0.weight()).unwrap_or(usize::MAX)
    }
}

fn opened((stack, tape): (&Stack, &Tape), rules: &Expansions) -> Vec<Thread> {
    let mut threads = Vec::new();
    open(stack.clone(), tape.clone(), rules, &mut threads);
    threads
}
