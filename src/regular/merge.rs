//! Merging of states with equal futures.
//!
//! Most automata here are mostly paths: the words of an enumeration, counted characters, the digits of a
//! number. Where no cycle leads to a state, it comes before all that follows it; so such states are told
//! apart from the last to the first, each by one look at its row. Only what is left, cycles and what they
//! lead to, needs a [partition](super::partition). That halves the time of the schemas whose time products of
//! automata are, and takes 6 % off all of `maskbench-dev`.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::dfa::{DEAD, NO_LABEL};
use super::partition::Transitions;

/// An automaton in which no two states have equal futures and each leads to a word, and its start; `None`
/// where there is no word.
pub(super) fn merge(states: &Transitions, start: u32) -> Option<(Transitions, u32)> {
    let (ahead, rest) = divide(states);
    let mut merging = Merging::new(states);
    merging.add_rest(&rest);
    ahead.iter().rev().for_each(|state| merging.add(*state));
    let start = merging.blocks[start as usize];
    (start != DEAD).then_some((merging.merged, start))
}

/// The states that no cycle leads to, each before those that it leads to, and the other states.
fn divide(states: &Transitions) -> (Vec<u32>, Vec<u32>) {
    let all = 0..u32::try_from(states.labels.len()).expect("states fit 32 bits");
    // Edges from states that are not yet known to be ahead.
    let mut edges = vec![0_u32; states.labels.len()];
    states.table.iter().filter(|next| **next != DEAD).for_each(|next| edges[*next as usize] += 1);
    let mut ahead: Vec<u32> = all.clone().filter(|state| edges[*state as usize] == 0).collect();
    let mut at = 0;
    while let Some(state) = ahead.get(at).copied() {
        at += 1;
        for next in states.row(state).iter().filter(|next| **next != DEAD) {
            edges[*next as usize] -= 1;
            if edges[*next as usize] == 0 {
                ahead.push(*next);
            }
        }
    }
    let rest = all.filter(|state| edges[*state as usize] > 0).collect();
    (ahead, rest)
}

struct Merging<'s> {
    states: &'s Transitions,
    /// One state for each block.
    merged: Transitions,
    /// The block of each state that was added, [`DEAD`] where it leads to no word.
    blocks: Vec<u32>,
    /// Blocks, each at the first free place from its hash on. The length is a power of two.
    index: Vec<u32>,
}

impl<'s> Merging<'s> {
    fn new(states: &'s Transitions) -> Self {
        let count = states.labels.len();
        Self {
            states,
            merged: Transitions { width: states.width, table: Vec::new(), labels: Vec::new() },
            blocks: vec![DEAD; count],
            index: vec![DEAD; (2 * count).next_power_of_two()],
        }
    }

    /// Adds the states on cycles, and those after them.
    fn add_rest(&mut self, rest: &[u32]) {
        let mut kept = Vec::new();
        let mut numbers = vec![DEAD; rest.len()];
        for (state, block) in rest.iter().zip(self.states.only(rest).blocks()) {
            if block == DEAD {
                continue;
            }
            let number = &mut numbers[block as usize];
            if *number == DEAD {
                *number = u32::try_from(kept.len()).expect("states fit 32 bits");
                kept.push(*state);
            }
            self.blocks[*state as usize] = *number;
        }
        for state in kept {
            self.push(state);
            let place = self.place().expect_err("blocks differ");
            self.keep(place);
        }
    }

    /// Adds a state, after those that it leads to.
    fn add(&mut self, state: u32) {
        let row = self.push(state);
        let is_dead = self.states.labels[state as usize] == NO_LABEL
            && self.merged.table[row..].iter().all(|next| *next == DEAD);
        self.blocks[state as usize] = match if is_dead { Ok(DEAD) } else { self.place() } {
            Err(free) => self.keep(free),
            Ok(block) => {
                self.merged.table.truncate(row);
                self.merged.labels.pop();
                block
            }
        };
    }

    /// Puts a state behind the blocks that there are; answers where its row begins.
    fn push(&mut self, state: u32) -> usize {
        let row = self.merged.table.len();
        let block = |next: &u32| if *next == DEAD { DEAD } else { self.blocks[*next as usize] };
        self.merged.table.extend(self.states.row(state).iter().map(block));
        self.merged.labels.push(self.states.labels[state as usize]);
        row
    }

    /// The block that is the same as the last one, or the place for it in the index.
    fn place(&self) -> Result<u32, usize> {
        let last = self.last();
        let content = |block: u32| (self.merged.labels[block as usize], self.merged.row(block));
        let mask = self.index.len() - 1;
        let mut place = FixedState::default().hash_one(content(last)) as usize & mask;
        loop {
            match self.index[place] {
                DEAD => return Err(place),
                block if content(block) == content(last) => return Ok(block),
                _ => place = (place + 1) & mask,
            }
        }
    }

    /// Keeps the last block as a new one.
    fn keep(&mut self, place: usize) -> u32 {
        self.index[place] = self.last();
        self.last()
    }

    fn last(&self) -> u32 {
        u32::try_from(self.merged.labels.len() - 1).expect("states fit 32 bits")
    }
}
