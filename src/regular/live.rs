//! What of an automaton a mask can see.
//!
//! A mask asks whether a text may go on, never which state it is in. Made to accept wherever a character is
//! complete, and minimised, an automaton keeps only that; an unanchored pattern, for one, may always go on,
//! and becomes the language of every text.
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

/// Automata of more states are not minimised for it: of 13 such in the patterns of 1,500 schemas
/// (`maskbench-dev`) none became smaller, after 0.75 ms each.
const MANY: usize = 1_000;

impl Live {
    /// The beginnings, where they are an automaton of fewer states.
    pub(super) fn of(dfa: &Dfa) -> Option<Self> {
        let text = Dfa::text();
        let reads_any = |state, at| dfa.next_bytes(state) == text.next_bytes(at);
        let live = if let Some(states) = follow(dfa, &text, reads_any) {
            Self { dfa: text, states }
        } else if dfa.states() > MANY {
            return None;
        } else {
            let live = Arc::new(beginnings(dfa));
            Self { states: follow(dfa, &live, |_, _| true)?, dfa: live }
        };
        (live.dfa.states() < dfa.states()).then_some(live)
    }
}

fn beginnings(dfa: &Dfa) -> Dfa {
    let label = |state| if dfa.is_within_character(state) { NO_LABEL } else { 0 };
    let labels: Vec<u32> = (0..).take(dfa.states()).map(label).collect();
    let classes = Box::new(*dfa.classes);
    Raw { classes, width: dfa.width, table: dfa.table.to_vec(), labels, start: 0 }.finish()
}

/// Where each state of an automaton is in another one that reads at least as much; `None` where one is not as
/// it should be there.
fn follow(dfa: &Dfa, other: &Dfa, is_right: impl Fn(StateId, StateId) -> bool) -> Option<Box<[StateId]>> {
    let mut states = vec![DEAD; dfa.states()];
    states[0] = other.start();
    let mut pending = vec![dfa.start()];
    while let Some(state) = pending.pop() {
        let at = states[state as usize];
        if !is_right(state, at) {
            return None;
        }
        for (byte, next) in dfa.edges(state) {
            if states[next as usize] == DEAD {
                states[next as usize] = other.next(at, byte).expect("it reads as much");
                pending.push(next);
            }
        }
    }
    Some(states.into())
}
