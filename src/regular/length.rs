//! Lengths in characters, kept outside the automaton.
//!
//! `maxLength: 10000` in the automaton would multiply its states by ten thousand. Kept outside, only two
//! things are needed: for each state the least number of characters to a word, and, while fewer than the
//! least length were read, which states can still make it.

use std::collections::VecDeque;
use std::sync::Arc;

use super::build::too_many;
use super::dfa::{DEAD, Dfa, NO_LABEL, StateId};
use super::minimize::Raw;
use super::partition::Inverse;
use crate::limits::LimitExceeded;

/// Whether the byte begins a character.
#[must_use]
pub fn begins_character(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

/// For each state, the least number of characters that must still begin before a word is complete: a
/// breadth-first search backwards in which continuation bytes cost nothing.
pub(super) fn least_chars(dfa: &Dfa) -> Vec<u32> {
    // A source and the cost of the edge from there, as one number.
    let coded = |(source, next, cost): (u32, u32, u32)| (2 * source as usize + cost as usize, next as usize);
    let edges = edges(dfa);
    let before = Inverse::new(dfa.states(), || edges.iter().copied().map(coded));
    let mut least: Vec<u32> =
        dfa.labels.iter().map(|label| if *label == NO_LABEL { u32::MAX } else { 0 }).collect();
    let mut queue: VecDeque<u32> =
        (0..).zip(&least).filter(|(_, least)| **least == 0).map(|(state, _)| state).collect();
    while let Some(state) = queue.pop_front() {
        for coded in before.of(state as usize) {
            let (source, cost) = (coded / 2, coded % 2);
            let chars = least[state as usize] + cost;
            if chars < least[source as usize] {
                least[source as usize] = chars;
                if cost == 0 { queue.push_front(source) } else { queue.push_back(source) }
            }
        }
    }
    least
}

/// The edges, with what their bytes count: 1 where a character begins, 0 within one. Of a run of classes that
/// lead to one state it is one edge: 200 letters of all languages (`Github_hard---o79409`) have runs of a
/// hundred classes, and one edge for each was most of the 21 ms of a mask that now takes 8.
fn edges(dfa: &Dfa) -> Vec<(u32, u32, u32)> {
    let sizes = sizes(dfa, |_| true);
    let mut edges = Vec::new();
    for (source, row) in (0..).zip(dfa.table.chunks_exact(dfa.width)) {
        for (next, (within, begins)) in row.iter().zip(&sizes).filter(|(next, _)| **next != DEAD) {
            for edge in [(*within, 0), (*begins, 1)].into_iter().filter(|(bytes, _)| *bytes > 0) {
                let edge = (source, *next, edge.1);
                edges.extend((edges.last() != Some(&edge)).then_some(edge));
            }
        }
    }
    edges
}

/// How many of some bytes of each class stand within a character, and how many begin one.
fn sizes(dfa: &Dfa, is_counted: impl Fn(u8) -> bool) -> Vec<(u64, u64)> {
    let mut sizes = vec![(0, 0); dfa.width];
    for (byte, class) in (0..=u8::MAX).zip(dfa.classes.iter()).filter(|(byte, _)| is_counted(*byte)) {
        let size = &mut sizes[usize::from(*class)];
        *if begins_character(byte) { &mut size.1 } else { &mut size.0 } += 1;
    }
    sizes
}

impl Dfa {
    /// All sequences of bytes with at least `min` and at most `max` characters: those of them that are texts
    /// are the texts of such lengths.
    ///
    /// # Errors
    ///
    /// When that takes more than `limit` states.
    pub(crate) fn of_length(min: u32, max: Option<u32>, limit: usize) -> Result<Self, LimitExceeded> {
        let last = max.unwrap_or(min);
        if last as usize >= limit {
            return Err(too_many(limit));
        }
        if last < min {
            return Ok(Self::empty());
        }
        let after = |chars: u32| match max {
            Some(max) if chars == max => DEAD,
            None if chars == min => min,
            _ => chars + 1,
        };
        // One class for bytes that begin a character, one for the others.
        let table = (0..=last).flat_map(|chars| [after(chars), chars]).collect();
        let labels = (0..=last).map(|chars| if chars < min { NO_LABEL } else { 0 }).collect();
        let mut classes = Box::new([0; 256]);
        for (byte, class) in (0..=u8::MAX).zip(classes.iter_mut()) {
            *class = u8::from(!begins_character(byte));
        }
        Ok(Raw { classes, width: 2, table, labels, start: 0 }.finish_minimal())
    }

    /// The number of words with at least `min` and at most `max` characters, at most `u64::MAX`.
    pub(crate) fn count_within(&self, min: u32, max: u32) -> u64 {
        self.counts_up_to(min, max, |_| true).last().unwrap_or(0)
    }

    /// The least `len` for which there are more than `count` words of some bytes only, with at least `min` and
    /// at most `len` characters. `None` where none is that is at most `max`.
    pub(crate) fn length_of_more_than(
        &self,
        count: u64,
        (min, max): (u32, u32),
        is_counted: impl Fn(u8) -> bool,
    ) -> Option<u32> {
        let found = self.counts_up_to(min, max, is_counted).position(|words| words > count)?;
        u32::try_from(found).ok()
    }

    /// For 0, 1, … and at most `max` characters the number of words of some bytes only that have no more, and
    /// at least `min`; at most `u64::MAX`. It ends where no more words follow.
    fn counts_up_to(&self, min: u32, max: u32, is_counted: impl Fn(u8) -> bool) -> impl Iterator<Item = u64> {
        let sizes = sizes(self, is_counted);
        let mut ways = vec![0_u64; self.states()];
        ways[0] = 1;
        let mut total = 0_u64;
        (0..=max).map_while(move |chars| {
            if chars > 0 {
                ways = self.after_character(&ways, &sizes);
            }
            if total == u64::MAX || ways.iter().all(|ways| *ways == 0) {
                return None;
            }
            if chars >= min {
                let of_words = ways.iter().zip(&*self.labels).filter(|(_, label)| **label != NO_LABEL);
                total = of_words.fold(total, |total, (ways, _)| total.saturating_add(*ways));
            }
            Some(total)
        })
    }

    /// In how many ways each state is reached by one more character.
    fn after_character(&self, ways: &[u64], sizes: &[(u64, u64)]) -> Vec<u64> {
        let step = |ways: &[u64], size: fn(&(u64, u64)) -> u64| {
            let mut after = vec![0_u64; ways.len()];
            for (ways, row) in
                ways.iter().zip(self.table.chunks_exact(self.width)).filter(|(ways, _)| **ways > 0)
            {
                for (next, sizes) in
                    row.iter().zip(sizes).filter(|(next, sizes)| **next != DEAD && size(sizes) > 0)
                {
                    let after = &mut after[*next as usize];
                    *after = after.saturating_add(ways.saturating_mul(size(sizes)));
                }
            }
            after
        };
        let mut open = step(ways, |(_, begins)| *begins);
        let mut done = vec![0_u64; ways.len()];
        // A character has at most three continuation bytes.
        for _ in 0..=3 {
            for (state, (open, done)) in (0..).zip(open.iter_mut().zip(&mut done)) {
                if *open > 0 && !self.is_within_character(state) {
                    *done = done.saturating_add(std::mem::take(open));
                }
            }
            open = step(&open, |(within, _)| *within);
        }
        done
    }
}

/// The words of an automaton with at least `min` and at most `max` characters.
#[derive(Clone, Debug)]
pub struct Window {
    dfa: Arc<Dfa>,
    min: u32,
    max: Option<u32>,
    /// So many characters before `max`, no state is refused within 255 bytes.
    far: u32,
    /// For 0, 1, … characters fewer than `min`, the states from which the window can be met; the last row
    /// stands for all further ones.
    short: Arc<[Box<[bool]>]>,
    /// Whether `short` refuses only what `max` refuses anyway.
    is_lenient: bool,
}

/// As many characters as matter of those that were read: without a maximum, no more than the least length.
#[inline]
pub(crate) fn counted(read: u32, (min, max): (u32, Option<u32>)) -> u32 {
    if max.is_none() { read.min(min) } else { read }
}

impl Window {
    /// A `min` that no word falls short of is none: a format of at least three characters needs no count of
    /// them.
    ///
    /// # Errors
    ///
    /// When the states, counted once for each character of `min`, are more than `limit`.
    pub fn new(dfa: Arc<Dfa>, min: u32, max: Option<u32>, limit: usize) -> Result<Self, LimitExceeded> {
        let is_kept = min > 0 && dfa.least_chars()[dfa.start() as usize] >= min;
        let min = if is_kept { 0 } else { min };
        if (min, max) == (0, None) {
            return Ok(Self { dfa, min, max, far: 0, short: Arc::from([]), is_lenient: true });
        }
        let finite = dfa.least_chars().iter().filter(|least| **least != u32::MAX);
        let far = finite.max().map_or(0, |least| least.saturating_add(255));
        let mut window = Self { dfa, min, max, far, short: Arc::from([]), is_lenient: true };
        let mut rows = vec![window.at_min()];
        let edges = if min > 0 { edges(&window.dfa) } else { Vec::new() };
        for _ in 0..min {
            let last = rows.last().expect("the first row");
            let row = one_fewer(last, &edges);
            if row == *last {
                break;
            }
            let entries = (rows.len() + 1) * row.len();
            if entries > limit {
                return Err(LimitExceeded { what: "window_entries", limit, given: entries });
            }
            rows.push(row);
        }
        window.short = rows.into();
        window.is_lenient = window.asks_no_more_than_max();
        Ok(window)
    }

    /// Whether, after `read` characters, the state leads to a word within the window. Characters count from
    /// their first byte.
    #[must_use]
    #[inline]
    pub fn is_live(&self, state: StateId, read: u32) -> bool {
        if read >= self.min {
            // Without a greatest length any state will do: each leads to a word, unless there is none.
            return match self.max {
                None => !self.dfa.is_empty(),
                Some(_) => self.fits(read, self.dfa.least_chars()[state as usize]),
            };
        }
        let row = ((self.min - read) as usize).min(self.short.len() - 1);
        self.short[row][state as usize]
    }

    /// Whether a word of so many characters is within the window.
    #[must_use]
    pub fn contains(&self, chars: u32) -> bool {
        chars >= self.min && self.max.is_none_or(|max| chars <= max)
    }

    /// The least and greatest number of characters.
    #[must_use]
    pub fn bounds(&self) -> (u32, Option<u32>) {
        (self.min, self.max)
    }

    /// As many characters as matter of those that were read.
    #[inline]
    #[must_use]
    pub fn counted(&self, read: u32) -> u32 {
        counted(read, self.bounds())
    }

    /// A number of characters that stands for this one: past `min` and far from `max` the count makes no
    /// difference to what the next 255 bytes may be.
    #[must_use]
    pub fn class(&self, read: u32) -> u32 {
        if read > self.min && self.is_far(read) { self.min } else { read }
    }

    /// How many characters may still be read, where that is all that the window asks of the next 255 bytes;
    /// [`u32::MAX`] where it asks nothing. `None` where states are refused because they cannot reach the
    /// least length.
    #[must_use]
    pub fn budget(&self, read: u32) -> Option<u32> {
        let is_bound = read < self.min && !self.is_lenient;
        let left = self.max.map_or(u32::MAX, |max| max.saturating_sub(read));
        (!is_bound).then_some(if self.is_far(read) { u32::MAX } else { left })
    }

    /// Whether there are no bounds.
    #[must_use]
    pub fn is_unbounded(&self) -> bool {
        self.bounds() == (0, None)
    }

    /// Bytes held beside the automaton.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.short.iter().map(|row| row.len() + size_of::<Box<[bool]>>()).sum()
    }

    /// The last row stands for all counts down to 0: if it is what `max` asks for at both ends, it is so
    /// between them.
    fn asks_no_more_than_max(&self) -> bool {
        let least = self.dfa.least_chars();
        let is_fit = |row: &[bool], read| {
            row.iter().zip(least).all(|(is_live, least)| *is_live == self.fits(read, *least))
        };
        let reads = (0..=self.min).rev();
        self.short.iter().zip(reads).all(|(row, read)| is_fit(row, read))
            && self.short.last().is_some_and(|row| is_fit(row, 0))
    }

    fn is_far(&self, read: u32) -> bool {
        self.max.is_none_or(|max| read.saturating_add(self.far) <= max)
    }

    /// Whether no word is within the window.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.dfa.is_empty() || !self.is_live(self.dfa.start(), 0)
    }

    /// The row of states that can meet the window when exactly `min` characters were read.
    fn at_min(&self) -> Box<[bool]> {
        self.dfa.least_chars().iter().map(|least| self.fits(self.min, *least)).collect()
    }

    /// Whether at least `more` characters still fit; `u32::MAX` says that no word can come.
    fn fits(&self, read: u32, more: u32) -> bool {
        more != u32::MAX && self.max.is_none_or(|max| read.saturating_add(more) <= max)
    }
}

/// The states that reach a state of `row` by beginning one more character.
fn one_fewer(row: &[bool], edges: &[(u32, u32, u32)]) -> Box<[bool]> {
    let mut fewer = vec![false; row.len()];
    for (source, next, cost) in edges {
        fewer[*source as usize] |= *cost == 1 && row[*next as usize];
    }
    // A character has at most three continuation bytes.
    for _ in 0..3 {
        for (source, next, cost) in edges {
            fewer[*source as usize] |= *cost == 0 && fewer[*next as usize];
        }
    }
    fewer.into()
}
