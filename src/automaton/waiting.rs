//! Rules that wait to be opened until nothing is left that may begin with them.
//!
//! Before anything is read, a rule may be met behind many others: of `a: b b?`, `b: c c?` and so on each level
//! would double how often the last one is opened. So rules that say [how high](crate::expression::Rule::height)
//! they stand wait, the highest one is opened first, and one that is met again waits on a join of its stacks.
//! A grammar of 146 bytes with 22 such levels took 18 s for its first mask, and takes 0.3 ms
//! (`harmony-mask compile --lark`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::{Hash, Hasher};
use std::mem;

use super::stack::Stack;
use super::tape::Tape;
use crate::each_once::Firsts;
use crate::expression::RuleRef;

/// A rule and where it stands. Two are equal where they are one on a join of their stacks.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) rule: RuleRef,
    pub(super) below: Stack,
    pub(super) tape: Tape,
}

impl Place {
    /// What is the same of two that are equal.
    fn key(&self) -> impl Eq + Hash {
        (&self.rule, &self.tape, self.below.kept())
    }
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Place {}

impl Hash for Place {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

/// Rules that wait, no two that are one.
#[derive(Default)]
pub(super) struct Waiting {
    places: Firsts<Place>,
    /// The stacks that each place waits on; none for those that were opened.
    stacks: Vec<Vec<Stack>>,
    /// Which place is next: of the highest the first.
    order: BinaryHeap<(u32, Reverse<usize>)>,
}

impl Waiting {
    /// Adds a rule, to one that it joins where there is one.
    pub(super) fn add(&mut self, place: Place) {
        let (height, below) = (place.rule.height(), place.below.clone());
        let at = self.places.add(place).unwrap_or_else(|(at, _)| at);
        if at == self.stacks.len() {
            self.stacks.push(Vec::new());
        }
        if self.stacks[at].is_empty() {
            self.order.push((height, Reverse(at)));
        }
        self.stacks[at].push(below);
    }

    /// The first of the highest.
    pub(super) fn next(&mut self) -> Option<Place> {
        let (_, Reverse(at)) = self.order.pop()?;
        let below = Stack::join(&mem::take(&mut self.stacks[at]));
        Some(Place { below, ..self.places[at].clone() })
    }
}
