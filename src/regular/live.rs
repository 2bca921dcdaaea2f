//! What of an automaton a mask can see.
//!
//! A mask asks whether a text may go on, never which state it is in. Made to accept wherever a character is complete, and minimised, an
//! automaton keeps only that; an unanchored pattern, for one, may always go on, and becomes the language of every text.
//!
//! That is worth it where states become one, so it is found only where they do.

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

/// Automata of more states are not minimised for it: of 13 such in the patterns of 1,500 schemas (`maskbench-dev`) none became smaller, after 0.75 ms each.
const MANY: usize = 1_000;

impl Live {
    /// The beginnings, where they are an automaton of fewer states.
    pub(super) fn of(dfa: &Dfa) -> Option<Self> {
        let is_smaller = |live: &Dfa| live.states() < dfa.states();
        if let Some(states) = in_text(dfa) {
            let text = Dfa::text();
            return is_smaller(&text).then_some(Self { dfa: text, states });
        }
        if dfa.states() > MANY {
            return None;
        }
        let live = beginnings(dfa);
        is_smaller(&live).then(|| Self { states: follow(dfa, &live), dfa: Arc::new(live) })
    }
}

/// Where in the automaton of all texts each state is, where any text may be read.
fn in_text(dfa: &Dfa) -> Option<Box<[StateId]>> {
    let text = Dfa::text();
    let mut states = vec![DEAD; dfa.states()];
    states[0] = text.start();
    let mut pending = vec![dfa.start()];
    while let Some(state) = pending.pop() {
        let at = states[state as usize];
        if dfa.next_bytes(state) != text.next_bytes(at) {
            return None;
        }
        for (byte, next) in dfa.edges(state) {
            if states[next as usize] == DEAD {
                states[next as usize] = text.next(at, byte)?;
                pending.push(next);
            }
        }
    }
    Some(states.into())
}

fn beginnings(dfa: &Dfa) -> Dfa {
    let label = |state| if dfa.is_within_character(state) { NO_LABEL } else { 0 };
    let labels: Vec<u32> = (0..).take(dfa.states()).map(label).collect();
    let classes = Box::new(*dfa.classes);
    Raw { classes, width: dfa.width, table: dfa.table.to_vec(), labels, start: 0 }.finish()
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
