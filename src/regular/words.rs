//! The minimal automaton of a list of words, made in its final form.
//!
//! Lists of words were a sixth of the compile time of slow schemas, most of it spent on tables that were made
//! only to be minimised and numbered again.

use std::sync::Arc;

use super::build::too_many;
use super::dfa::{DEAD, Dfa, NO_LABEL};
use crate::limits::LimitExceeded;

/// A byte, and the state that it leads to.
type Edge = (u8, u32);

/// Room for so many states is made at once.
const ROOM: usize = 32;

/// Adds sorted words to a minimal automaton: when a word leaves the path of its predecessor, the states that
/// were left are final and are shared with equal ones. Nothing is allocated for a single state: schemas list
/// thousands of words.
#[derive(Default)]
pub(super) struct WordBuilder {
    /// The states on the path of the last word: the label of each, and where its edges begin among the `open`
    /// ones.
    path: Vec<(u32, usize)>,
    /// The edges of the path so far. A state gets one when the state behind it is final, so those of deeper
    /// states stand behind.
    open: Vec<Edge>,
    last: Vec<u8>,
    states: States,
    /// Final states, each at the first free place from its hash on. The length is a power of two, and more
    /// than twice that of the states.
    index: Vec<u32>,
    limit: usize,
}

/// States with their edges, in one list.
#[derive(Default)]
struct States {
    labels: Vec<u32>,
    /// Where the edges of each state end; they begin where those of the one before end.
    ends: Vec<usize>,
    edges: Vec<Edge>,
}

impl States {
    fn with_room(states: usize, edges: usize) -> Self {
        let (labels, ends) = (Vec::with_capacity(states), Vec::with_capacity(states));
        Self { labels, ends, edges: Vec::with_capacity(edges) }
    }

    fn len(&self) -> u32 {
        u32::try_from(self.labels.len()).expect("states fit 32 bits")
    }

    fn push(&mut self, label: u32, edges: impl IntoIterator<Item = Edge>) {
        self.edges.extend(edges);
        self.labels.push(label);
        self.ends.push(self.edges.len());
    }

    fn edges(&self, state: u32) -> &[Edge] {
        let state = state as usize;
        let begin = state.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.edges[begin..self.ends[state]]
    }

    fn rows(&self) -> impl Iterator<Item = (u32, &[Edge])> {
        (0..self.len()).map(|state| (state, self.edges(state)))
    }

    /// A class for all bytes that lead from the same states to the same states, numbered by their first byte;
    /// and how many there are.
    fn classes(&self) -> (Box<[u8; 256]>, usize) {
        let (mut hashes, mut used) = ([0_u64; 256], [false; 256]);
        for (state, edges) in self.rows() {
            for (byte, next) in edges {
                used[usize::from(*byte)] = true;
                let hash = &mut hashes[usize::from(*byte)];
                *hash = mixed(*hash, u64::from(state) << 32 | u64::from(*next));
            }
        }
        let column = |byte: u8| {
            let of_byte = move |(_, edges): (u32, &[Edge])| {
                edges.iter().find(|(own, _)| *own == byte).map(|edge| edge.1)
            };
            self.rows().map(of_byte)
        };
        let is_same = |one: u8, other: u8| {
            hashes[usize::from(one)] == hashes[usize::from(other)] && column(one).eq(column(other))
        };
        let mut firsts: Vec<u8> = Vec::new();
        let mut classes = Box::new([0; 256]);
        // Bytes in no word are many, and need no look.
        let mut unused = None;
        for byte in 0..=u8::MAX {
            let is_used = used[usize::from(byte)];
            let known = if is_used { firsts.iter().position(|first| is_same(*first, byte)) } else { unused };
            let class = known.unwrap_or_else(|| {
                firsts.push(byte);
                firsts.len() - 1
            });
            if !is_used {
                unused = Some(class);
            }
            classes[usize::from(byte)] = u8::try_from(class).expect("at most 256 classes");
        }
        (classes, firsts.len())
    }
}

fn mixed(hash: u64, more: u64) -> u64 {
    (hash ^ more).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

impl WordBuilder {
    pub(super) fn new(limit: usize) -> Self {
        let (states, index) = (States::with_room(ROOM, ROOM), vec![DEAD; 2 * ROOM]);
        Self { path: vec![(NO_LABEL, 0)], states, index, limit, ..Self::default() }
    }

    pub(super) fn add(&mut self, word: &[u8], label: u32) -> Result<(), LimitExceeded> {
        let shared = self.last.iter().zip(word).take_while(|(a, b)| a == b).count();
        self.close(shared)?;
        self.path.resize(word.len() + 1, (NO_LABEL, self.open.len()));
        self.path[word.len()].0 = label;
        self.last.truncate(shared);
        self.last.extend_from_slice(&word[shared..]);
        Ok(())
    }

    /// Closes the states of the last word after `len` bytes.
    fn close(&mut self, len: usize) -> Result<(), LimitExceeded> {
        for depth in (len + 1..=self.last.len()).rev() {
            let state = self.intern()?;
            self.open.push((self.last[depth - 1], state));
        }
        Ok(())
    }

    /// Makes the last state of the path final.
    fn intern(&mut self) -> Result<u32, LimitExceeded> {
        let (label, begin) = self.path.pop().expect("the start is made final last");
        let content = (label, &self.open[begin..]);
        let mut place = place_of(content, self.index.len());
        loop {
            match self.index[place] {
                DEAD => break,
                known if (self.states.labels[known as usize], self.states.edges(known)) == content => {
                    self.open.truncate(begin);
                    return Ok(known);
                }
                _ => place = (place + 1) & (self.index.len() - 1),
            }
        }
        if self.states.labels.len() >= self.limit {
            return Err(too_many(self.limit));
        }
        self.index[place] = self.states.len();
        self.states.push(label, self.open.drain(begin..));
        if 2 * self.states.labels.len() >= self.index.len() {
            self.grow();
        }
        Ok(self.states.len() - 1)
    }

    fn grow(&mut self) {
        let len = 4 * self.index.len();
        self.index = vec![DEAD; len];
        for (state, edges) in self.states.rows() {
            let mut place = place_of((self.states.labels[state as usize], edges), len);
            while self.index[place] != DEAD {
                place = (place + 1) & (len - 1);
            }
            self.index[place] = state;
        }
    }

    /// The automaton, its states numbered breadth-first. The table is written where it stays: that of
    /// thousands of words has megabytes.
    pub(super) fn finish(mut self) -> Result<Dfa, LimitExceeded> {
        self.close(0)?;
        let start = self.intern()?;
        let states = self.states;
        let (classes, width) = states.classes();
        let mut table: Arc<[u32]> = std::iter::repeat_n(DEAD, width * states.labels.len()).collect();
        let rows = Arc::get_mut(&mut table).expect("no one shares it yet").chunks_mut(width);
        let (mut numbers, mut order) = (vec![DEAD; states.labels.len()], vec![start]);
        numbers[start as usize] = 0;
        for (place, row) in rows.enumerate() {
            for (byte, next) in states.edges(order[place]) {
                let number = &mut numbers[*next as usize];
                if *number == DEAD {
                    *number = u32::try_from(order.len()).expect("states fit 32 bits");
                    order.push(*next);
                }
                row[usize::from(classes[usize::from(*byte)])] = *number;
            }
        }
        let labels = order.iter().map(|state| states.labels[*state as usize]).collect();
        Ok(Dfa::from_parts(classes, width, table, labels))
    }
}

/// Where a state is looked for first among so many places, a power of two.
fn place_of((label, edges): (u32, &[Edge]), len: usize) -> usize {
    let hash = edges
        .iter()
        .fold(u64::from(label), |hash, (byte, next)| mixed(hash, u64::from(*next) << 8 | u64::from(*byte)));
    mixed(hash, 0) as usize & (len - 1)
}
