//! The cheapest way to a word from every state, where bytes have prices.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::dfa::{DEAD, Dfa, NO_LABEL, StateId};
use super::partition::Inverse;

/// What completes a word, from each state of one automaton.
#[derive(Debug)]
pub(crate) struct Rests {
    /// The price of the cheapest rest from each state.
    least: Box<[u32]>,
    /// One byte of each class and its price, in the order in which bytes are tried.
    bytes: Box<[(u8, u32)]>,
}

impl Rests {
    /// Of an automaton, with all bytes and their prices, the cheapest ones first.
    pub(crate) fn new(dfa: &Dfa, bytes: impl Iterator<Item = (u8, u32)>) -> Self {
        let mut prices = vec![None; dfa.width];
        let is_first = |(byte, price): &(u8, u32)| {
            let of_class = &mut prices[usize::from(dfa.class_of(*byte))];
            of_class.is_none() && of_class.replace(*price).is_none()
        };
        let bytes = bytes.filter(is_first).collect();
        let prices: Vec<u32> = prices.into_iter().flatten().collect();
        Self { least: least(dfa, &prices).into(), bytes }
    }

    /// The price of the cheapest rest from a state.
    pub(crate) fn least(&self, state: StateId) -> u32 {
        self.least[state as usize]
    }

    /// The price of the dearest of these rests.
    pub(crate) fn most(&self) -> u32 {
        self.least.iter().copied().max().unwrap_or_default()
    }

    /// The first of the cheapest rests, straight on: a mask under a deadline asks for one from hundreds of
    /// states, and an automaton of numerals may have thousands.
    pub(crate) fn rest(&self, dfa: &Dfa, mut state: StateId) -> Vec<u8> {
        let mut rest = Vec::new();
        while self.least(state) > 0 {
            let nearer = |(byte, price): &(u8, u32)| {
                let next = dfa.next(state, *byte)?;
                (self.least(next) + price == self.least(state)).then_some((*byte, next))
            };
            let (byte, next) = self.bytes.iter().find_map(nearer).expect("the way goes on");
            rest.push(byte);
            state = next;
        }
        rest
    }

    /// Bytes held for an automaton.
    pub(crate) fn memory_bytes(dfa: &Dfa) -> usize {
        size_of::<Self>() + dfa.states() * size_of::<u32>() + dfa.width * size_of::<(u8, u32)>()
    }
}

/// Dijkstra's search backwards from all words.
fn least(dfa: &Dfa, prices: &[u32]) -> Vec<u32> {
    let edges = || dfa.table.iter().enumerate().filter(|(_, next)| **next != DEAD);
    let before = Inverse::new(dfa.states(), || edges().map(|(edge, next)| (edge, *next as usize)));
    let is_word = |label: &u32| *label != NO_LABEL;
    let mut least: Vec<u32> =
        dfa.labels.iter().map(|label| if is_word(label) { 0 } else { u32::MAX }).collect();
    let words = (0..).zip(&*dfa.labels).filter(|(_, label)| is_word(label));
    let mut pending: BinaryHeap<_> = words.map(|(state, _)| Reverse((0, state))).collect();
    while let Some(Reverse((price, state))) = pending.pop() {
        if price > least[state] {
            continue;
        }
        for edge in before.of(state) {
            let (source, class) = (*edge as usize / dfa.width, *edge as usize % dfa.width);
            let longer = price + prices[class];
            if longer < least[source] {
                least[source] = longer;
                pending.push(Reverse((longer, source)));
            }
        }
    }
    least
}
