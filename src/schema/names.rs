//! The cheapest names that an object can add.

use super::cells::ObjectCell;
use super::json::spelled_len;
use super::strings::bound;
use crate::regular::{Dfa, StateId};
use foldhash::{HashMap, HashMapExt};

/// More prefixes than this are not followed.
const PREFIXES: usize = 4_096;

/// Lengths of names of a class that are no member's, with how many names there are of each, as far as
/// `needed`. Where the cheapest ones are not soon found, lengths that surely suffice.
pub(super) fn cheapest(names: Option<&Dfa>, object: &ObjectCell<'_>, needed: u64) -> Vec<(u64, u64)> {
    let Some(names) = names else { return vec![(free_len(needed + object.members.len() as u64), needed)] };
    let taken = object.members.iter().filter(|member| names.contains(member.name.as_bytes())).count() as u64;
    let left = names.count().map_or(u64::MAX, |all| all.saturating_sub(taken));
    let count = needed.min(left);
    let is_free = |name: &String| object.members.iter().all(|member| member.name != name.as_str());
    match usize::try_from(count + taken).ok().and_then(|enough| shortest(names, enough)) {
        Some(found) => {
            let free = found.iter().filter(|name| is_free(name));
            free.map(|name| (spelled_len(name) as u64, 1)).collect()
        }
        None => vec![(bound(names, 0).saturating_mul(needed.saturating_add(taken)), count)],
    }
}

/// The names of a class that are no member's, where they are at most so many.
pub(super) fn few(names: Option<&Dfa>, object: &ObjectCell<'_>, most: usize) -> Option<Vec<Vec<u8>>> {
    let names =
        names.filter(|names| names.count().is_some_and(|all| all <= (most + object.members.len()) as u64))?;
    let is_free = |name: &Vec<u8>| object.members.iter().all(|member| member.name.as_bytes() != name);
    let free: Vec<_> = names.words_from(names.start()).into_iter().filter(is_free).collect();
    (free.len() <= most).then_some(free)
}

/// A length of which there are so many names, of printable ASCII without the quote and the backslash.
fn free_len(count: u64) -> u64 {
    let length = (0..).find(|&length| 93_u64.saturating_pow(length) >= count).unwrap_or(0);
    2 + u64::from(length)
}

/// The `count` shortest words. For those it is enough to follow as many prefixes to each state, layer by
/// layer.
fn shortest(names: &Dfa, count: usize) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut layer: Vec<(StateId, Vec<u8>)> = vec![(names.start(), Vec::new())];
    let mut followed = 0;
    while !layer.is_empty() && words.len() < count {
        followed += layer.len();
        if followed > PREFIXES {
            return None;
        }
        let complete = layer.iter().filter(|(state, _)| names.label(*state).is_some());
        words.extend(complete.filter_map(|(_, word)| String::from_utf8(word.clone()).ok()));
        layer = extend(names, &layer, count);
    }
    words.truncate(count);
    Some(words)
}

fn extend(names: &Dfa, layer: &[(StateId, Vec<u8>)], count: usize) -> Vec<(StateId, Vec<u8>)> {
    let mut kept: HashMap<StateId, usize> = HashMap::new();
    let mut longer = Vec::new();
    for (state, word) in layer {
        // What needs an escape comes last.
        for byte in (b' '..=u8::MAX).chain(0..b' ') {
            let Some(next) = names.next(*state, byte) else { continue };
            let kept = kept.entry(next).or_default();
            if *kept < count {
                *kept += 1;
                longer.push((next, [word.as_slice(), &[byte]].concat()));
            }
        }
    }
    longer
}
