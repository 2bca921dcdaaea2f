//! What of an automaton a mask can see.
//!
//! A mask asks whether a text may go on, never which state it is in. Made to accept wherever a character is complete, and minimised, an
//! automaton keeps only that; an unanchored pattern, for one, may always go on, and becomes the language of every text.

use std::sync::Arc;

use super::dfa::{DEAD, Dfa, NO_LABEL, StateId};
use super::minimize::Raw;

/// The beginnings of an automaton's words, as an automaton.
#[derive(Debug)]
pub struct Live {
    /// The automaton: it accepts each beginning that ends with a character.
    pub dfa: Arc<Dfa>,
    /// For each state of the original, the state of the same beginnings.
    pub states: Box<[StateId]>,
}

impl Live {
    /// Whether states of the original are one state here.
    #[must_use]
    pub fn is_smaller(&self) -> bool {
        self.dfa.states() < self.states.len()
    }

    pub(super) fn of(dfa: &Dfa) -> Self {
        let label = |state| if dfa.is_within_character(state) { NO_LABEL } else { 0 };
        let labels: Vec<u32> = (0..).take(dfa.states()).map(label).collect();
        let raw = Raw {
            classes: Box::new(*dfa.classes),
            width: dfa.width,
            table: dfa.table.to_vec(),
            labels,
            start: 0,
        };
        let live = raw.finish();
        let states = follow(dfa, &live);
        let text = Dfa::text();
        let live = if live == *text { text } else { Arc::new(live) };
        Self { dfa: live, states }
    }
}

/// Where each state of an automaton is in another one that reads at least as much.
fn follow(dfa: &Dfa, other: &Dfa) -> Box<[StateId]> {
    let mut states = vec![DEAD; dfa.states()];
    states[0] = other.start();
    let mut pending = vec![dfa.start()];
    while let Some(state) = pending.pop() {
        for (byte, next) in dfa.edges(state) {
            if states[next as usize] == DEAD {
                states[next as usize] = other.next(states[state as usize], byte).expect("it reads as much");
                pending.push(next);
            }
        }
    }
    states.into()
}
