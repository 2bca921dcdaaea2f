//! Tails: the tokens that go on after some ways and are read by the frames of a stack.
//!
//! Most states of one text stand on the same stack and are left in the same ways: each position of a string with a pattern, each beginning of a
//! name. What they go on with is found once, and so is what lies further down, whatever led there.

use std::sync::Arc;

use super::expansions::Expansions;
use super::stack::Stack;
use super::thread::{Tape, Thread, open};
use super::token_set::TokenSet;
use super::ways::Ways;
use crate::cache::{Bounded, Weighed, bounded, known};
use crate::special::TokenId;

/// What goes on beyond a frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Tail {
    /// Tokens that are many, in sets that others share.
    pub(super) sets: Vec<Arc<TokenSet>>,
    /// The others.
    pub(super) tokens: Vec<TokenId>,
    /// Nodes at which what all captured texts have in common ends. What follows there is each text's own.
    pub(super) captured: Vec<u32>,
}

/// Fewer tokens than this are copied, not shared: a reference is two lines of memory away.
const FEW: usize = 32;

impl Tail {
    pub(super) fn add(&mut self, set: &Arc<TokenSet>) {
        match set.at_most(FEW) {
            Some(tokens) => self.tokens.extend(tokens),
            None => self.share(set),
        }
    }

    pub(super) fn append(&mut self, other: &Self) {
        other.sets.iter().for_each(|set| self.share(set));
        self.tokens.extend(&other.tokens);
        self.captured.extend(&other.captured);
    }

    fn share(&mut self, set: &Arc<TokenSet>) {
        if !self.sets.iter().any(|known| Arc::ptr_eq(known, set)) {
            self.sets.push(set.clone());
        }
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + self.sets.capacity() * size_of::<Arc<TokenSet>>()
            + self.tokens.capacity() * size_of::<TokenId>()
            + self.captured.capacity() * size_of::<u32>()
    }
}

/// The tails of an automaton, and the threads of the stacks that they begin on. The tape of a key holds no bytes.
pub(super) struct Tails {
    tails: Bounded<(Stack, Tape, Ways), Weighed<Tail>>,
    opened: Bounded<(Stack, Tape), Weighed<Vec<Thread>>>,
}

impl Tails {
    pub(super) fn new(bytes: usize) -> Self {
        Self { tails: bounded(bytes / 2), opened: bounded(bytes / 2) }
    }

    pub(super) fn get(&self, key: &(Stack, Tape, Ways)) -> Option<Arc<Tail>> {
        self.tails.get(key).map(|known| known.value)
    }

    pub(super) fn insert(&self, key: (Stack, Tape, Ways), tail: Arc<Tail>) {
        let bytes = tail.memory_bytes() + key.2.memory_bytes();
        self.tails.insert(key, Weighed { value: tail, bytes });
    }

    /// The threads on a stack, with what is common to all texts where one is being captured.
    pub(super) fn opened(&self, stack: &Stack, tape: Tape, rules: &Expansions) -> Arc<Vec<Thread>> {
        let make = |(stack, tape): &(Stack, Tape)| {
            let mut threads = Vec::new();
            open(stack.clone(), tape.clone(), rules, &mut threads);
            // A text whose capture begins here is not known: it begins with a token that goes on.
            threads.iter_mut().for_each(|thread| thread.tape = thread.tape.forgotten());
            threads
        };
        let bytes = |_: &(Stack, Tape), threads: &Vec<Thread>| threads.len() * Thread::WEIGHT;
        known(&self.opened, (stack.clone(), tape), make, bytes)
    }

    pub(super) fn bytes(&self) -> usize {
        usize::try_from(self.tails.weight() + self.opened.weight()).unwrap_or(usize::MAX)
    }
}
