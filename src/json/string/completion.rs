//! The shortest way to finish a string.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use foldhash::{HashMap, HashMapExt};

use super::StringLanguage;
use super::escape::{cheapest_first, cheapest_spelling};
use super::state::{Phase, Position, Unpacked};
use crate::expression::{Label, Language, State};

/// What may finish an escape, in the order in which it is tried.
const ESCAPE_BYTES: &[u8] = b"\"\\/bfnrtu0123456789acdeABCDEF";

/// The rest of the string that is cheapest with the cost of its label. An escape that is under way is
/// finished in the first way that lives: searching all digits for the best would cost more than it could
/// save.
pub(super) fn shortest(
    strings: &StringLanguage,
    start: State,
    cost: &dyn Fn(Label) -> u32,
) -> (Vec<u8>, Label) {
    let (mut text, Unpacked { position, phase }) = finish_escape(strings, start);
    if phase == Phase::Closed {
        return (text, strings.label(position).expect("a closed string is a word"));
    }
    if phase == Phase::Opening {
        text.push(b'"');
    }
    let (rest, label) = search(strings, position, cost);
    text.extend(rest);
    text.push(b'"');
    (text, label)
}

fn finish_escape(strings: &StringLanguage, mut state: State) -> (Vec<u8>, Unpacked) {
    let mut text = Vec::new();
    loop {
        let unpacked = Unpacked::from(state);
        if matches!(unpacked.phase, Phase::Opening | Phase::Text | Phase::Closed) {
            return (text, unpacked);
        }
        let live = ESCAPE_BYTES.iter().find_map(|byte| Some((*byte, strings.step(state, *byte)?)));
        let (byte, next) = live.expect("every state of a string can be completed");
        text.push(byte);
        state = next;
    }
}

/// The rest of the decoded text after a position, spelled, with the label of the text.
fn search(strings: &StringLanguage, start: Position, cost: &dyn Fn(Label) -> u32) -> (Vec<u8>, Label) {
    if strings.is_free(start) {
        // Any text is as good as another: only the least length counts.
        let missing = strings.window.bounds().0.saturating_sub(start.chars);
        return (vec![b'a'; missing as usize], strings.dfa.label(start.dfa).expect("any text"));
    }
    if let Some(open) = &strings.open {
        return open.cheapest(start.dfa, cost);
    }
    straight(strings, start).unwrap_or_else(|| Search::new(strings, cost).run(start))
}

/// The cheapest rest of a word, where neither the bounds nor what is excluded forbid the text that it makes.
/// Words have one label.
fn straight(strings: &StringLanguage, start: Position) -> Option<(Vec<u8>, Label)> {
    let rest = strings.rests().rest(&strings.dfa, start.dfa);
    let label = strings.label(strings.read_all(start, &rest)?)?;
    Some((rest.into_iter().flat_map(cheapest_spelling).copied().collect(), label))
}

/// A* over positions in the decoded text: spellings need no states of their own, since the cheapest spelling
/// of a byte is known.
///
/// What the cheapest rest costs, and a byte for each character that must still come, is the least that is
/// left, so the way to a far end leads straight on. Without that, all that is no further from the start is
/// looked at: the shortest completion of 500 letters (`^\p{L}+$`) took 550 ms and takes 3, of 2,000 2.4 s and
/// 26 ms.
struct Search<'s> {
    strings: &'s StringLanguage,
    cost: &'s dyn Fn(Label) -> u32,
    /// The least that any label costs, as far as that is soon seen.
    least_cost: u32,
    reached: Vec<Reached>,
    least: HashMap<Position, u32>,
    pending: BinaryHeap<Reverse<Pending>>,
}

/// A position that was reached: after how many bytes, from which, and along which byte of the decoded text.
struct Reached {
    position: Position,
    len: u32,
    from: Option<(usize, u8)>,
}

/// What is looked at next: what is nearest to the end, and of that what is furthest on the way.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Pending {
    /// The bytes of the shortest text through here, or less.
    total: u32,
    /// The least that is left of them.
    left: u32,
    /// Its number among those that were reached.
    at: usize,
}

impl<'s> Search<'s> {
    fn new(strings: &'s StringLanguage, cost: &'s dyn Fn(Label) -> u32) -> Self {
        let least_cost = strings.dfa.only_label().map_or(0, cost);
        let (reached, least, pending) = (Vec::new(), HashMap::new(), BinaryHeap::new());
        Self { strings, cost, least_cost, reached, least, pending }
    }

    fn run(mut self, start: Position) -> (Vec<u8>, Label) {
        self.reach(Reached { position: start, len: 0, from: None });
        let mut best: Option<(u32, usize, Label)> = None;
        while let Some(Reverse(Pending { total, at, .. })) = self.pending.pop() {
            if best.is_some_and(|(least, ..)| total >= least) {
                break;
            }
            let Reached { position, len, .. } = self.reached[at];
            if self.least[&position] < len {
                continue;
            }
            if let Some(label) = self.strings.label(position) {
                let total = len.saturating_add((self.cost)(label));
                best = best.filter(|(least, ..)| *least <= total).or(Some((total, at, label)));
            }
            for (byte, spelled) in &*self.bytes(position) {
                if let Some(next) = self.strings.read(position, *byte) {
                    self.reach(Reached { position: next, len: len + spelled, from: Some((at, *byte)) });
                }
            }
        }
        let (_, end, label) = best.expect("every position can be completed");
        (spell(&self.reached, end), label)
    }

    /// The bytes to try next, with the lengths of their spellings. Of those that neither automaton nor bounds
    /// tell apart, the cheapest one that leads away from the excluded words is as good as any that is not
    /// cheaper.
    fn bytes(&self, position: Position) -> Cow<'s, [(u8, u32)]> {
        let strings = self.strings;
        let Some((state, excluded)) = position.excluded.zip(strings.excluded.as_ref()) else {
            return strings.cheapest_bytes().into();
        };
        let (listed, mut least) = (excluded.next_bytes(state), [u32::MAX; 512]);
        // Those that lead away first, so that of the others only cheaper ones are tried.
        let (away, along): (Vec<_>, Vec<_>) =
            cheapest_first().iter().partition(|(byte, _)| !listed.contains(*byte));
        let is_tried = |&(byte, spelled): &(u8, u32)| {
            let least = &mut least[strings.kind_of(byte)];
            let is_cheaper = spelled < *least;
            if is_cheaper && !listed.contains(byte) {
                *least = spelled;
            }
            is_cheaper
        };
        away.into_iter().chain(along).filter(is_tried).collect::<Vec<_>>().into()
    }

    /// Notes a position, unless it was reached by no more bytes before.
    fn reach(&mut self, reached: Reached) {
        let Reached { position, len, .. } = reached;
        if self.least.get(&position).is_some_and(|least| *least <= len) {
            return;
        }
        self.least.insert(position, len);
        let left = self.strings.least_left(position).saturating_add(self.least_cost);
        let total = len.saturating_add(left);
        self.pending.push(Reverse(Pending { total, left, at: self.reached.len() }));
        self.reached.push(reached);
    }
}

fn spell(reached: &[Reached], end: usize) -> Vec<u8> {
    let steps = std::iter::successors(reached[end].from, |(at, _)| reached[*at].from);
    let mut bytes: Vec<u8> = steps.map(|(_, byte)| byte).collect();
    bytes.reverse();
    bytes.into_iter().flat_map(cheapest_spelling).copied().collect()
}
