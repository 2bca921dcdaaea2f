//! The shortest way to the end, and what is forced on the way.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::iter::successors;
use std::sync::Arc;

use super::expansions::{Expansions, Shortest};
use super::residual::{Unit, accepts, step};
use super::stack::Stack;
use super::tape::Tape;
use super::thread::{Head, Thread, open};
use super::threads::Threads;
use crate::expression::Label;

/// The longest forced run that is looked for, in units. A forced run ends by itself (the end can always be
/// reached); this bounds the work of one call.
const FORCED_UNITS: usize = 4096;

/// How much longer than the least length a completion may get, as a factor and in units, before it is
/// searched for.
const PATIENCE: (usize, usize) = (4, 256);

/// The weight of the estimated remaining length against the length read, as in weighted A*. Above one the
/// search goes deep first; as it is finite, a path whose estimate never shrinks is given up in the end.
const WEIGHT: u64 = 8;

/// What reads everything.
#[derive(Debug, Default)]
pub(super) struct Completion {
    pub(super) units: Vec<Unit>,
    /// The texts that were captured on the way, and perhaps some of alternatives.
    pub(super) captured: Vec<Arc<[u8]>>,
}

/// A cheapest completion, as far as the least lengths of what remains tell.
///
/// The least lengths are exact where only the grammar decides what follows; then the greedy path is the
/// shortest. Where the captured text matters they may be too small, and the greedy path may have no end: of
/// arrays that must differ from `[]` and `[[]]`, each opens another. So after [`PATIENCE`] the alternatives
/// that were passed over are searched, too, until the [next captured text](Search::settle) is complete.
pub(super) fn completion(threads: &[Thread], rules: &Expansions) -> Completion {
    let least = threads.iter().map(Thread::min_len).min().unwrap_or_default() as usize;
    let enough = least.saturating_mul(PATIENCE.0).saturating_add(PATIENCE.1);
    let straight = Search { patience: Some(enough), ..Search::new(threads) }.run(threads, rules);
    let searched = || Search::new(threads).run(threads, rules);
    straight.or_else(searched).expect("a residual can be completed")
}

/// How often a search settles for what it captured though the end is no nearer than where it last did.
const SETTLED: usize = 256;

/// Ways that were begun.
struct Search {
    /// Where only the best of what follows is looked at, the units after which that is given up.
    patience: Option<usize>,
    ways: BinaryHeap<Way>,
    /// How many ways were ever added.
    added: usize,
    pieces: Vec<Piece>,
    /// The captures that are open where a way was settled for, at most, and the least length of what remained
    /// there.
    open: usize,
    remained: u32,
    /// How often a way may still be settled for though the end is no nearer.
    spare: usize,
}

/// What was read between two threads.
struct Piece {
    read: Vec<Unit>,
    captured: Vec<Arc<[u8]>>,
    /// The one before it.
    before: Option<usize>,
    /// Units up to its end.
    len: usize,
}

/// A thread that was reached, and how.
struct Way {
    cost: u64,
    /// How many units were read.
    len: usize,
    order: usize,
    thread: Thread,
    /// The last piece that was read.
    last: Option<usize>,
    /// The labels by which its leaf was left before.
    taken: Vec<Label>,
}

impl Search {
    fn new(threads: &[Thread]) -> Self {
        let open = threads.iter().map(Thread::open_captures).min().unwrap_or_default();
        let (ways, pieces) = (BinaryHeap::new(), Vec::new());
        Self { patience: None, ways, added: 0, pieces, open, remained: u32::MAX, spare: SETTLED }
    }

    /// Once a captured text is complete, the rest can be completed whatever the text is. So alternatives that
    /// were found before are dropped; otherwise each would be combined with all captures that come later (six
    /// arrays of six different arrays each took more than 5 GB). Captures within another capture are still
    /// explored, as that may hold a text of its own kind.
    fn settle(&mut self, way: &Way) {
        let has_captured = way.last.is_some_and(|last| !self.pieces[last].captured.is_empty());
        if self.patience.is_some() || !has_captured || !way.taken.is_empty() {
            return;
        }
        let (open, remains) = (way.thread.open_captures(), way.thread.min_len());
        let is_nearer = remains < self.remained;
        if open <= self.open && (is_nearer || self.spare > 0) {
            self.spare -= usize::from(!is_nearer);
            (self.open, self.remained) = (open, remains.min(self.remained));
            self.ways.clear();
        }
    }

    /// A completion; `None` when it was given up.
    fn run(mut self, threads: &[Thread], rules: &Expansions) -> Option<Completion> {
        self.add(threads.to_vec(), None);
        loop {
            let way = self.ways.pop().filter(|way| self.patience.is_none_or(|enough| way.len <= enough))?;
            self.settle(&way);
            if way.thread.head == Head::End {
                return Some(self.completion(way.last));
            }
            if let Some((read, below, tape)) = self.read(&way) {
                let mut after = Threads::default();
                let captured = match self.patience {
                    Some(_) => open(below, tape, &Shortest(rules), &mut after),
                    None => open(below, tape, rules, &mut after),
                };
                self.pieces.push(Piece { len: way.len + read.len(), read, captured, before: way.last });
                self.add(after.into_vec(), Some(self.pieces.len() - 1));
            }
        }
    }

    fn add(&mut self, threads: Vec<Thread>, last: Option<usize>) {
        let len = last.map_or(0, |last| self.pieces[last].len);
        let is_straight = self.patience.is_some();
        let threads = match threads.len() {
            2.. if is_straight => Vec::from_iter(threads.into_iter().min_by_key(Thread::min_len)),
            _ => threads,
        };
        for thread in threads {
            // Where there is one way, nobody asks what it costs.
            let left = if is_straight { 0 } else { thread.min_len() };
            let cost = len as u64 + WEIGHT * u64::from(left);
            self.added += 1;
            self.ways.push(Way { cost, len, order: self.added, thread, last, taken: Vec::new() });
        }
    }

    /// What the head of a thread reads, and what follows. A leaf that may end with several labels is left by
    /// the cheapest one that was not taken before; `None` where there is none.
    fn read(&mut self, way: &Way) -> Option<(Vec<Unit>, Stack, Tape)> {
        let Way { thread, taken, .. } = way;
        let bytes = |bytes: &[u8]| bytes.iter().copied().map(Unit::Byte).collect();
        match &thread.head {
            Head::End => unreachable!("a way that is at the end is not followed"),
            Head::Special(token) => {
                Some((vec![Unit::Special(*token)], thread.below.clone(), thread.tape.clone()))
            }
            Head::Literal { bytes: literal, at } => {
                let left = &literal[*at..];
                Some((bytes(left), thread.below.clone(), thread.tape.extended(left)))
            }
            Head::Leaf { leaf, state } => {
                let (read, label) = leaf.completion(*state, &|label| way.cost_of(label));
                if taken.contains(&label) {
                    return None;
                }
                if self.patience.is_none() && thread.arms().count() > taken.len() + 1 {
                    self.added += 1;
                    self.ways.push(way.without(label, self.added));
                }
                Some((bytes(&read), thread.below_leaf(label), thread.tape.extended(&read)))
            }
        }
    }

    /// What was read up to a piece.
    fn completion(&self, last: Option<usize>) -> Completion {
        let piece = |at: &usize| &self.pieces[*at];
        let mut read: Vec<usize> = successors(last, |at| piece(at).before).collect();
        read.reverse();
        Completion {
            units: read.iter().map(piece).flat_map(|piece| piece.read.iter().copied()).collect(),
            captured: read.iter().map(piece).flat_map(|piece| piece.captured.iter().cloned()).collect(),
        }
    }
}

impl Way {
    fn cost_of(&self, label: Label) -> u32 {
        if self.taken.contains(&label) { u32::MAX } else { self.thread.arms().min_len(label) }
    }

    /// The same, but that its leaf may not end with a label.
    fn without(&self, label: Label, order: usize) -> Self {
        let taken = self.taken.iter().copied().chain([label]).collect();
        Self { order, thread: self.thread.clone(), taken, ..*self }
    }

    /// The way to go on with is the greatest: the cheapest one, of these the one that was followed furthest,
    /// and of those the first.
    fn rank(&self) -> impl Ord {
        (Reverse(self.cost), self.len, Reverse(self.order))
    }
}

impl Ord for Way {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Way {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Way {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Way {}

/// A cheapest completion of what follows the leaf of a thread where it ends with this label.
pub(super) fn below_leaf(thread: &Thread, label: Label, rules: &Expansions) -> Vec<Unit> {
    let mut after = Threads::default();
    open(thread.below_leaf(label), thread.tape.clone(), &Shortest(rules), &mut after);
    completion(&after.into_vec(), rules).units
}

/// The units that must come next, in order, as far as there is exactly one possibility.
pub(super) fn forced_units(threads: &[Thread], rules: &Expansions) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut threads = threads.to_vec();
    while units.len() < FORCED_UNITS && !accepts(&threads, rules) {
        let Some(unit) = only_unit(&threads, rules) else { break };
        threads = step(&threads, unit, rules);
        units.push(unit);
    }
    units
}

/// The one unit that may come next, where there is just one.
fn only_unit(threads: &[Thread], rules: &Expansions) -> Option<Unit> {
    let mut only = None;
    for unit in next_units(threads, rules) {
        match only {
            None => only = Some(unit),
            Some(first) if first == unit => {}
            Some(_) => return None,
        }
    }
    only
}

fn next_units<'a>(threads: &'a [Thread], rules: &'a Expansions) -> Box<dyn Iterator<Item = Unit> + 'a> {
    Box::new(threads.iter().flat_map(move |thread| match &thread.head {
        Head::End => Vec::new(),
        Head::Special(token) => vec![Unit::Special(*token)],
        Head::Literal { bytes, at } => vec![Unit::Byte(bytes[*at])],
        Head::Leaf { leaf, state } => {
            let after = thread.left(leaf, *state, rules);
            let mut units: Vec<Unit> = next_units(&after, rules).collect();
            // Two possibilities already say that nothing is forced.
            units.extend(
                (0..=u8::MAX).filter(|byte| leaf.step(*state, *byte).is_some()).map(Unit::Byte).take(2),
            );
            units
        }
    }))
}
