//! The threads at the top of a stack, opened once, whatever state the frame above was in and wherever it
//! ended.

use std::sync::{Arc, OnceLock, Weak};

use super::expansions::Expansions;
use super::stack::Stack;
use super::summary::{Summaries, summaries};
use super::tape::Tape;
use super::thread::{Thread, open};
use super::threads::Threads;
use crate::cache::{Bounded, Parts, Weighed, bounded, known};

/// The threads of the stacks that were reached, with the rules that they are opened by, and what expressions
/// do with tokens. The tape of a key holds no bytes.
pub(super) struct Openings {
    rules: Expansions,
    threads: Bounded<(Stack, Tape), Weighed<[Thread]>>,
    summaries: Summaries,
}

/// What a stack knows of its own threads, as long as the table has them.
///
/// A mask asks for a handful of stacks, and six times of seven for those that were asked for before. With
/// this look before that at the table, mean and p90 of mask + accept are 0.95 of what they were (500 files of
/// maskbench-dev, old and new in turn, eight times).
#[derive(Default)]
pub(super) struct Opened {
    outside: OnceLock<Weak<[Thread]>>,
    any: OnceLock<Weak<[Thread]>>,
}

impl Opened {
    /// Where those with a tape are noted that holds no bytes.
    fn with(&self, tape: &Tape) -> &OnceLock<Weak<[Thread]>> {
        if *tape == Tape::Outside { &self.outside } else { &self.any }
    }
}

impl Openings {
    /// Nothing is known yet; rules, threads and summaries will hold at most so many bytes each.
    pub(super) fn new(bytes: usize) -> Self {
        Self { rules: Expansions::new(bytes), threads: bounded(bytes), summaries: summaries(bytes) }
    }

    pub(super) fn rules(&self) -> &Expansions {
        &self.rules
    }

    /// What expressions do with tokens that go on after some ways, as far as it was found.
    pub(super) fn summaries(&self) -> &Summaries {
        &self.summaries
    }

    /// The threads on a stack; what is captured is remembered of no text, so they are opened anew where one
    /// is being captured.
    pub(super) fn threads(&self, stack: &Stack, tape: Tape) -> Arc<[Thread]> {
        match tape {
            Tape::Read(_) => self.open(stack, &tape).into(),
            Tape::Outside | Tape::Any => self.known(stack, tape),
        }
    }

    /// The threads on a stack, with what is common to all texts where one is being captured.
    pub(super) fn common(&self, stack: &Stack, tape: &Tape) -> Arc<[Thread]> {
        self.known(stack, tape.forgotten())
    }

    fn known(&self, stack: &Stack, tape: Tape) -> Arc<[Thread]> {
        let noted = stack.opened().map(|opened| opened.with(&tape));
        if let Some(threads) = noted.and_then(|noted| noted.get()?.upgrade()) {
            return threads;
        }
        let make = |(stack, tape): &(Stack, Tape)| self.open(stack, tape);
        let bytes = |(stack, _): &(Stack, Tape), threads: &[Thread]| {
            stack.held_bytes() + threads.len() * Thread::WEIGHT
        };
        let threads = known(&self.threads, &Parts((stack, &tape)), make, bytes);
        if let Some(noted) = noted {
            noted.get_or_init(|| Arc::downgrade(&threads));
        }
        threads
    }

    /// The threads on a stack, of which nothing is remembered.
    pub(super) fn open(&self, stack: &Stack, tape: &Tape) -> Vec<Thread> {
        let mut threads = Threads::default();
        open(stack.clone(), tape.clone(), &self.rules, &mut threads);
        threads.into_vec()
    }

    /// Bytes held by rules, threads and summaries.
    pub(super) fn bytes(&self) -> usize {
        self.rules.bytes() + self.threads.weight() + self.summaries.weight()
    }
}
