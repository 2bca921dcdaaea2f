//! Arrays of which elements that must come could use each other up: which values are left for those that
//! follow.
//!
//! Of `[1 or 2, 1]` the first element must not be 1. Where few values suit the places that must be filled,
//! and all of them are known, a place is filled only as long as the others can be, each with a value of its
//! own: they are matched. The values that are needed so are avoided like those that were read.

use std::sync::Arc;

use serde_json::Value;

use super::Count;
use crate::json::used::Used;
use crate::schema::{Arrays, NodeId, are_equal};

/// Arrays that must be longer are not looked at.
const PLACES: u32 = 64;

/// Values that suit a place, for all places.
const SUITING: usize = 512;

/// The places of an array that must be filled and that few values suit.
#[derive(Debug)]
pub(in crate::json) struct Scarce {
    values: Vec<Arc<Value>>,
    places: Vec<Place>,
}

#[derive(Debug)]
struct Place {
    position: u32,
    /// Where in the list of values those are that suit it.
    suiting: Vec<usize>,
}

impl Scarce {
    /// `list` tells all values of a node, where they are known. A place for which there are at least as many
    /// values as elements must come is always filled.
    pub(super) fn new(
        arrays: &Arrays,
        count: impl Fn(NodeId) -> Count,
        list: impl Fn(NodeId) -> Option<Vec<Value>>,
    ) -> Option<Self> {
        let mut scarce = Self { values: Vec::new(), places: Vec::new() };
        for position in 0..Some(arrays.min_items).filter(|least| *least <= PLACES)? {
            let kinds = arrays.kinds(position);
            let all = kinds.iter().map(|kind| count(kind.schema)).fold(0, Count::saturating_add);
            if all >= Count::from(arrays.min_items) {
                continue;
            }
            let lists = kinds.iter().map(|kind| list(kind.schema)).collect::<Option<Vec<_>>>()?;
            let suiting = lists.into_iter().flatten().map(|value| scarce.place_of(value)).collect();
            scarce.places.push(Place { position, suiting });
        }
        let suiting = scarce.places.iter().map(|place| place.suiting.len()).sum::<usize>();
        (suiting <= SUITING).then_some(scarce)
    }

    fn place_of(&mut self, value: Value) -> usize {
        self.values.iter().position(|known| are_equal(known, &value)).unwrap_or_else(|| {
            self.values.push(Arc::new(value));
            self.values.len() - 1
        })
    }

    /// Whether all places can be filled.
    pub(super) fn can_be_filled(&self) -> bool {
        self.filling(0, &Used::default()).is_some()
    }

    /// Of the values that were not seen those without one of which the places from a position on could not be
    /// filled.
    pub(in crate::json) fn needed(&self, from: u32, seen: &Used) -> Vec<Arc<Value>> {
        let mut filling = self.filling(from, seen);
        let is_needed = |at: &usize| filling.as_mut().is_some_and(|filling| !filling.can_spare(*at));
        (0..self.values.len()).filter(is_needed).map(|at| self.values[at].clone()).collect()
    }

    /// The values that suit some place from a position on.
    pub(in crate::json) fn suiting(&self, from: u32) -> impl Iterator<Item = &Value> {
        let suits = move |at: usize| self.places_from(from).iter().any(|place| place.suiting.contains(&at));
        self.values.iter().enumerate().filter(move |(at, _)| suits(*at)).map(|(_, value)| &**value)
    }

    fn places_from(&self, position: u32) -> &[Place] {
        &self.places[self.places.partition_point(|place| place.position < position)..]
    }

    /// The places from a position on, each filled with a value that was not seen; `None` where they cannot
    /// be.
    fn filling(&self, from: u32, seen: &Used) -> Option<Filling<'_>> {
        let places = self.places_from(from);
        let is_taken = |value: &Arc<Value>| seen.has(value);
        // Most often nothing must come any more.
        let taken = if places.is_empty() { Vec::new() } else { self.values.iter().map(is_taken).collect() };
        let mut filling = Filling { places, fills: vec![None; taken.len()], taken };
        (0..places.len()).all(|place| filling.fill(place)).then_some(filling)
    }
}

/// Places, and values for them.
struct Filling<'a> {
    places: &'a [Place],
    /// For each value whether it must not be used.
    taken: Vec<bool>,
    /// For each value the place that it fills.
    fills: Vec<Option<usize>>,
}

impl Filling<'_> {
    /// Fills a place, for which others may get another value.
    fn fill(&mut self, place: usize) -> bool {
        let mut tried = self.taken.clone();
        self.fill_with_untried(place, &mut tried)
    }

    fn fill_with_untried(&mut self, place: usize, tried: &mut [bool]) -> bool {
        for &value in &self.places[place].suiting {
            let is_tried = std::mem::replace(&mut tried[value], true);
            if !is_tried && self.fills[value].is_none_or(|other| self.fill_with_untried(other, tried)) {
                self.fills[value] = Some(place);
                return true;
            }
        }
        false
    }

    /// Whether all places can be filled without a value; then they are.
    fn can_spare(&mut self, value: usize) -> bool {
        let Some(place) = self.fills.get(value).copied().flatten() else { return true };
        self.taken[value] = true;
        let is_spared = self.fill(place);
        self.fills[value] = Some(place).filter(|_| !is_spared);
        self.taken[value] = false;
        is_spared
    }
}
