//! The shortest way to finish a string.

use std::collections::{HashMap, VecDeque};

use super::StringLanguage;
use crate::expression::{Label, Language, State};

/// The order in which bytes are tried: the quote, then what reads well, then the rest.
fn bytes() -> impl Iterator<Item = u8> {
    let readable = b"\"".iter().copied().chain(b'a'..=b'z').chain(b'0'..=b'9');
    readable.chain((0..=u8::MAX).filter(|byte| !matches!(byte, b'"' | b'a'..=b'z' | b'0'..=b'9')))
}

/// Breadth-first over the spelling's own states, which are live, so that it ends.
pub(super) fn shortest(
    strings: &StringLanguage,
    start: State,
    cost: &dyn Fn(Label) -> u32,
) -> (Vec<u8>, Label) {
    let mut from: HashMap<State, Option<(State, u8)>> = HashMap::from([(start, None)]);
    let mut queue = VecDeque::from([(start, 0_u32)]);
    let mut best: Option<(u32, State, Label)> = None;
    while let Some((state, len)) = queue.pop_front() {
        if best.is_some_and(|(total, ..)| len >= total) {
            break;
        }
        if let Some(label) = strings.accepts(state) {
            let total = len.saturating_add(cost(label));
            if best.is_none_or(|(least, ..)| total < least) {
                best = Some((total, state, label));
            }
            continue;
        }
        for byte in bytes() {
            if let Some(next) = strings.step(state, byte)
                && let std::collections::hash_map::Entry::Vacant(entry) = from.entry(next)
            {
                entry.insert(Some((state, byte)));
                queue.push_back((next, len + 1));
            }
        }
    }
    let (_, end, label) = best.expect("every state of a string can be completed");
    let steps = std::iter::successors(from[&end], |(state, _)| from[state]);
    let mut text: Vec<u8> = steps.map(|(_, byte)| byte).collect();
    text.reverse();
    (text, label)
}
