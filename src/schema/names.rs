//! The cheapest names that an object can add.

use std::collections::VecDeque;
use std::iter;

use foldhash::{HashMap, HashMapExt};

use super::cells::ObjectCell;
use super::json::{escape_len, spelled_len};
use super::strings::bound;
use crate::regular::{Dfa, StateId};

/// More states than this are not left while names are counted.
const STEPS: usize = 4_096;

/// A name is spelled between two quotes.
const QUOTES: u64 = 2;

/// Names of one spelled length: that length, and how many there are.
type Counted = (u64, u64);

/// Lengths of names of a class that are no member's, the least first, with how many names there are of each,
/// as far as `needed`. Where the cheapest ones are not soon found, lengths that surely suffice.
pub(super) fn cheapest(names: Option<&Dfa>, object: &ObjectCell<'_>, needed: u64) -> Vec<Counted> {
    let is_in_class = |name: &str| names.is_none_or(|names| names.contains(name.as_bytes()));
    let mut taken: HashMap<u64, u64> = HashMap::new();
    for member in object.members.iter().filter(|member| is_in_class(member.name)) {
        *taken.entry(spelled_len(member.name) as u64).or_default() += 1;
    }
    let Some(names) = names else { return free(all_names(), &taken, needed) };
    let mut steps = STEPS;
    let found = free(by_length(names, &mut steps), &taken, needed);
    if steps > 0 {
        return found;
    }
    let taken: u64 = taken.values().sum();
    let count = names.count().map_or(needed, |all| needed.min(all.saturating_sub(taken)));
    vec![(bound(names, 0).saturating_mul(needed.saturating_add(taken)), count)]
}

/// The first `needed` names that are not taken.
fn free(names: impl Iterator<Item = Counted>, taken: &HashMap<u64, u64>, mut needed: u64) -> Vec<Counted> {
    let mut found = Vec::new();
    for (len, count) in names {
        let count = count.saturating_sub(taken.get(&len).copied().unwrap_or(0)).min(needed);
        if count > 0 {
            found.push((len, count));
        }
        needed -= count;
        if needed == 0 {
            break;
        }
    }
    found
}

/// The names of a class that are no member's, where they are at most so many.
pub(super) fn few(names: Option<&Dfa>, object: &ObjectCell<'_>, most: usize) -> Option<Vec<Vec<u8>>> {
    let names =
        names.filter(|names| names.count().is_some_and(|all| all <= (most + object.members.len()) as u64))?;
    let is_free = |name: &Vec<u8>| object.members.iter().all(|member| member.name.as_bytes() != name);
    let free: Vec<_> = names.words_from(names.start()).into_iter().filter(is_free).collect();
    (free.len() <= most).then_some(free)
}

/// How many texts there are of each length, saturating.
fn all_names() -> impl Iterator<Item = Counted> {
    // Characters by the bytes that they take when spelled, without surrogates.
    const ESCAPED: u64 = 7;
    const CONTROL: u64 = 0x20 - 5;
    const CHARACTERS: [u64; 6] =
        [0x80 - 0x20 - 2, 0x800 - 0x80 + ESCAPED, 0x10000 - 0x800 - 0x800, 0x10_0000, 0, CONTROL];
    let mut shorter = VecDeque::from([1_u64, 0, 0, 0, 0, 0]);
    (QUOTES..).map(move |len| {
        let count = shorter[0];
        let ways = shorter.iter().zip(CHARACTERS).map(|(count, characters)| count.saturating_mul(characters));
        let next = ways.fold(0, u64::saturating_add);
        shorter.pop_back();
        shorter.push_front(next);
        (len, count)
    })
}

/// How many words there are of each length, saturating, as long as there are steps left.
fn by_length(names: &Dfa, steps: &mut usize) -> impl Iterator<Item = Counted> {
    // For this length and the next ones the states that are reached, and in how many ways.
    let mut reached: VecDeque<HashMap<StateId, u64>> = iter::repeat_with(HashMap::new).take(7).collect();
    reached[0].insert(names.start(), 1);
    (QUOTES..).map_while(move |len| {
        let states = reached.pop_front()?;
        reached.push_back(HashMap::new());
        *steps = steps.saturating_sub(states.len());
        if *steps == 0 || states.is_empty() && reached.iter().all(HashMap::is_empty) {
            return None;
        }
        let mut words = 0_u64;
        for (state, ways) in states {
            if names.label(state).is_some() {
                words = words.saturating_add(ways);
            }
            for byte in 0..=u8::MAX {
                let Some(next) = names.next(state, byte) else { continue };
                let after = reached[escape_len(byte)].entry(next).or_default();
                *after = after.saturating_add(ways);
            }
        }
        Some((len, words))
    })
}
