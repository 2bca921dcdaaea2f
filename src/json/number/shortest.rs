//! The shortest numeral that denotes none of the excluded numbers.
//!
//! Numerals are tried by their lengths, and those of one length in the order of [`CHARACTERS`]. The first that
//! is not excluded stays behind all that come before it when more numbers are excluded, so an array whose
//! elements must differ goes on from [where the element before was found](Found). A completion of 200 integers
//! that asks for the shortest one after each of its 560 tokens (`harmony-mask generate`) took 11.7 s when each
//! element was searched among all before it, and takes 0.5.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use foldhash::{HashSet, HashSetExt};

use super::CHARACTERS;
use super::other::{OtherNumerals, Place};
use crate::expression::Label;

/// A numeral before which all of an automaton are excluded.
#[derive(Debug)]
pub(super) struct Found {
    /// The automaton's fingerprint.
    pub(super) of: u64,
    pub(super) text: Box<[u8]>,
}

/// What was found without some numbers, or without fewer of them. It is no part of what the numbers are.
#[derive(Clone, Debug, Default)]
pub(super) struct Searched {
    with_fewer: Option<Arc<Found>>,
    with_these: OnceLock<Arc<Found>>,
}

impl Searched {
    fn latest(&self) -> Option<&Arc<Found>> {
        self.with_these.get().or(self.with_fewer.as_ref())
    }

    /// For one number more.
    pub(super) fn grown(&self) -> Self {
        Self { with_fewer: self.latest().cloned(), with_these: OnceLock::new() }
    }

    /// The last numeral of an automaton that was found.
    pub(super) fn text(&self, of: u64) -> &[u8] {
        self.latest().filter(|found| found.of == of).map_or(&[], |found| &found.text)
    }

    pub(super) fn note(&self, found: Found) {
        self.with_these.get_or_init(|| Arc::new(found));
    }
}

impl PartialEq for Searched {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Searched {}

impl Hash for Searched {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// The first of the shortest texts from a place, of which all before `from` are excluded; with its label.
pub(super) fn shortest(others: &OtherNumerals, place: Place, from: &[u8]) -> (Vec<u8>, Label) {
    let least = (others.least_len(place) as usize).max(from.len());
    let of_len = |len| OfLength::new(others, len).first(place, if len == from.len() { from } else { &[] });
    (least..).find_map(of_len).expect("every state can be completed")
}

/// Texts of one length, where all shorter ones are excluded.
struct OfLength<'o> {
    others: &'o OtherNumerals,
    len: usize,
    text: Vec<u8>,
    /// Places from which there is no text, with how much of it was read; those at the end of one are not
    /// noted.
    dead: HashSet<(Place, usize)>,
}

impl<'o> OfLength<'o> {
    fn new(others: &'o OtherNumerals, len: usize) -> Self {
        Self { others, len, text: Vec::with_capacity(len), dead: HashSet::new() }
    }

    /// The first text that does not come before `from`. Without recursion: a numeral may have thousands of
    /// digits.
    fn first(mut self, place: Place, from: &[u8]) -> Option<(Vec<u8>, Label)> {
        let mut path = vec![(place, self.choices(from), true)];
        while let Some((place, choices, is_along)) = path.last_mut() {
            let read = self.text.len();
            if read == self.len
                && let Some(label) = self.others.label(*place)
            {
                return Some((self.text, label));
            }
            if let Some((byte, next)) = choices.find_map(|byte| self.next(*place, *byte)) {
                let goes_along = *is_along && from.get(read) == Some(&byte);
                self.text.push(byte);
                let choices = self.choices(if goes_along { &from[read + 1..] } else { &[] });
                path.push((next, choices, goes_along));
            } else {
                if read < self.len {
                    self.dead.insert((*place, read));
                }
                path.pop();
                self.text.pop();
            }
        }
        None
    }

    /// The characters to try where the rest of a text does not come before `from`.
    fn choices(&self, from: &[u8]) -> std::slice::Iter<'static, u8> {
        let before = |first: &u8| CHARACTERS.iter().position(|byte| byte == first);
        let skipped = from.first().and_then(before).unwrap_or(0);
        CHARACTERS[skipped..].iter()
    }

    /// The place after a character, if a text of this length may go through it.
    fn next(&self, place: Place, byte: u8) -> Option<(u8, Place)> {
        let left = self.len.checked_sub(self.text.len() + 1)?;
        let next = self.others.next(place, byte)?;
        let may_go_on =
            self.others.least_len(next) as usize <= left && !self.dead.contains(&(next, self.text.len() + 1));
        may_go_on.then_some((byte, next))
    }
}
