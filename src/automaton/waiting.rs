//! Rules that wait to be opened until nothing is left that may begin with them.
//!
//! Before anything is read, a rule may be met behind many others: of `a: b b?`, `b: c c?` and so on each level
//! would double how often the last one is opened. So rules that say [how high](crate::expression::Rule::height)
//! they stand wait, the highest one is opened first, and one that is met again waits on a join of its stacks.
//! A grammar of 146 bytes with 22 such levels took 18 s for its first mask, and takes 0.3 ms
//! (`harmony-mask compile --lark`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::stack::Stack;
use super::tape::Tape;
use crate::expression::RuleRef;

/// A rule and where it stands.
pub(super) struct Place {
    pub(super) rule: RuleRef,
    pub(super) below: Stack,
    pub(super) tape: Tape,
}

impl Place {
    fn joins(&self, other: &Self) -> bool {
        self.rule == other.rule && self.tape == other.tape && self.below.kept() == other.below.kept()
    }

    /// The same for places that join. A join leaves it as it is.
    fn hash(&self) -> u64 {
        FixedState::default().hash_one((&self.rule, &self.tape, self.below.kept()))
    }
}

/// Rules that wait, no two that join.
#[derive(Default)]
pub(super) struct Waiting {
    /// In the order in which they came; `None` for those that were opened.
    places: Vec<Option<Place>>,
    /// Which place is next: of the highest the first.
    order: BinaryHeap<(u32, Reverse<usize>)>,
    /// Where each stands in the list, with its hash.
    numbers: HashTable<(u64, usize)>,
}

impl Waiting {
    /// Adds a rule, to one that it joins where there is one.
    pub(super) fn add(&mut self, place: Place) {
        let Self { places, order, numbers } = self;
        let hash = place.hash();
        let is_joined = |at: usize| places[at].as_ref().is_some_and(|known| known.joins(&place));
        let known = numbers.find(hash, |(own, at)| *own == hash && is_joined(*at)).copied();
        if let Some(known) = known.and_then(|(_, at)| places[at].as_mut()) {
            known.below = known.below.join(&place.below);
            return;
        }
        order.push((place.rule.height(), Reverse(places.len())));
        numbers.insert_unique(hash, (hash, places.len()), |(hash, _)| *hash);
        places.push(Some(place));
    }

    /// The first of the highest.
    pub(super) fn next(&mut self) -> Option<Place> {
        let (_, Reverse(at)) = self.order.pop()?;
        self.places[at].take()
    }
}
