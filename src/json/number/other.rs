//! The numerals of a set but those of some numbers, in an automaton that is never built.
//!
//! An element of an array with `uniqueItems` must be none of those before it, so each has a set of its own.
//! As soon as a numeral can be none of the excluded numbers any more, only its place in the automaton of all
//! numerals is remembered, and what was found for that is shared.

use std::any::Any;
use std::sync::Arc;

use foldhash::{HashSet, HashSetExt};

use super::CHARACTERS;
use super::points::{Part, Points, Reading};
use super::shortest::{Found, shortest};
use crate::expression::{Class, DfaLanguage, Label, Language, Leaf, State, fingerprint};
use crate::regular::{Dfa, StateId};

/// Excluded numbers are seldom longer.
const MOST_DIGITS: usize = 20;

/// See the module.
#[derive(Debug)]
pub(super) struct OtherNumerals {
    all: Leaf,
    dfa: Arc<Dfa>,
    excluded: Points,
    fingerprint: u64,
}

/// Where a numeral stands: in the automaton of all, and as an excluded number; `None` where it can be none.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Place {
    dfa: StateId,
    reading: Option<Reading>,
}

impl OtherNumerals {
    /// The numerals of a leaf but those of some numbers; `None` where none is left.
    pub(super) fn new(all: Leaf, excluded: Points) -> Option<Self> {
        let dfa = all.downcast_ref::<DfaLanguage>().expect("numerals are an automaton").dfa().clone();
        let fingerprint = fingerprint(&("other numerals", all.fingerprint(), &excluded));
        let others = Self { all, dfa, excluded, fingerprint };
        others.is_live(others.first()).then_some(others)
    }

    fn first(&self) -> Place {
        Place { dfa: self.dfa.start(), reading: self.excluded.start() }
    }

    pub(super) fn next(&self, place: Place, byte: u8) -> Option<Place> {
        let dfa = self.dfa.next(place.dfa, byte)?;
        Some(Place { dfa, reading: place.reading.and_then(|reading| self.excluded.next(reading, byte)) })
    }

    fn nexts(&self, place: Place) -> impl Iterator<Item = (u8, Place)> {
        CHARACTERS.iter().filter_map(move |byte| Some((*byte, self.next(place, *byte)?)))
    }

    /// The least length of a numeral from here, excluded or not.
    pub(super) fn least_len(&self, place: Place) -> u32 {
        self.dfa.least_chars()[place.dfa as usize]
    }

    pub(super) fn label(&self, place: Place) -> Option<Label> {
        let is_excluded = || place.reading.is_some_and(|reading| self.excluded.has(reading));
        self.dfa.label(place.dfa).filter(|_| !is_excluded())
    }

    /// Whether another number may follow.
    fn is_live(&self, place: Place) -> bool {
        let is_sure = |place: &Place| place.reading.is_none() || self.label(*place).is_some();
        // Most places are sure, or a few digits away from one that is.
        let nines = std::iter::successors(Some(place), |place| self.next(*place, b'9'));
        nines.take(MOST_DIGITS).any(|place| is_sure(&place)) || self.reaches(place, is_sure)
    }

    /// Whether one of some places may follow.
    fn reaches(&self, place: Place, is_wanted: impl Fn(&Place) -> bool) -> bool {
        let (mut pending, mut seen) = (vec![place], HashSet::new());
        while let Some(place) = pending.pop() {
            for (_, next) in self.nexts(place) {
                if is_wanted(&next) {
                    return true;
                }
                if seen.insert(next) {
                    pending.push(next);
                }
            }
        }
        false
    }
}

impl Language for OtherNumerals {
    fn start(&self) -> State {
        self.first().pack()
    }

    fn step(&self, state: State, byte: u8) -> Option<State> {
        let next = self.next(Place::from(state), byte)?;
        self.is_live(next).then(|| next.pack())
    }

    fn accepts(&self, state: State) -> Option<Label> {
        self.label(Place::from(state))
    }

    /// A shortest one: numerals have one label.
    fn completion(&self, state: State, _cost: &dyn Fn(Label) -> u32) -> (Vec<u8>, Label) {
        let place = Place::from(state);
        if place != self.first() {
            return shortest(self, place, &[]);
        }
        let (of, searched) = (self.all.fingerprint(), self.excluded.searched());
        let (text, label) = shortest(self, place, searched.text(of));
        searched.note(Found { of, text: text.as_slice().into() });
        (text, label)
    }

    /// Where the numeral can be none of the excluded numbers it is one of all.
    fn enough_from(&self, state: State) -> Option<u32> {
        self.all.enough_from_any().filter(|_| Place::from(state).reading.is_none())
    }

    fn is_complete(&self, state: State) -> bool {
        self.dfa.is_last(Place::from(state).dfa)
    }

    fn class(&self, state: State) -> Class {
        let place = Place::from(state);
        match place.reading {
            Some(_) => Class::of(state),
            None => Class { leaf: Some(self.all.clone()), ..Class::of(State(place.dfa.into())) },
        }
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.excluded.own_bytes()
    }

    fn expectation(&self, _state: State) -> String {
        self.all.expectation(self.all.start())
    }

    fn same(&self, other: &dyn Language) -> bool {
        (other as &dyn Any)
            .downcast_ref::<Self>()
            .is_some_and(|other| self.all == other.all && self.excluded == other.excluded)
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

/// From the lowest bit on: the automaton's state, then what was read, if it matters: weight, digits,
/// exponent, and the rest in a byte.
impl Place {
    fn pack(self) -> State {
        let reading = self.reading.map_or(0, |reading| {
            let Reading { is_negative, part, digits, has_more_zeros, weight, exponent } = reading;
            let flags = 1 | u8::from(is_negative) << 1 | u8::from(has_more_zeros) << 2 | (part as u8) << 3;
            let high = u128::from(flags) << 16 | u128::from(exponent.cast_unsigned());
            (high << 32 | u128::from(digits)) << 32 | u128::from(weight.cast_unsigned())
        });
        State(reading << 32 | u128::from(self.dfa))
    }
}

impl From<State> for Place {
    fn from(State(packed): State) -> Self {
        let flags = (packed >> 112) as u8;
        let reading = (flags & 1 == 1).then(|| Reading {
            is_negative: flags >> 1 & 1 == 1,
            has_more_zeros: flags >> 2 & 1 == 1,
            part: [Part::Integer, Part::Fraction, Part::Exponent, Part::NegativeExponent]
                [usize::from(flags >> 3)],
            exponent: ((packed >> 96) as u16).cast_signed(),
            digits: (packed >> 64) as StateId,
            weight: ((packed >> 32) as u32).cast_signed(),
        });
        Self { dfa: packed as StateId, reading }
    }
}
