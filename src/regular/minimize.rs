//! From any deterministic automaton to the one trimmed, minimal, canonically numbered automaton of its
//! language.

use super::dfa::{DEAD, Dfa};
use super::merge::merge;
use super::partition::Transitions;

/// A deterministic automaton as it was built: nothing promised but that the table fits its width.
pub(super) struct Raw {
    pub(super) classes: Box<[u8; 256]>,
    pub(super) width: usize,
    pub(super) table: Vec<u32>,
    pub(super) labels: Vec<u32>,
    pub(super) start: u32,
}

impl Raw {
    /// The minimal automaton.
    pub(super) fn finish(self) -> Dfa {
        let (states, start) =
            (Transitions { width: self.width, table: self.table, labels: self.labels }, self.start);
        match merge(&states, start) {
            Some((merged, start)) => numbered(&self.classes, &merged, start),
            None => Dfa::empty(),
        }
    }

    /// The automaton as it is, for a caller who knows that it is minimal.
    pub(super) fn finish_minimal(self) -> Dfa {
        let states = Transitions { width: self.width, table: self.table, labels: self.labels };
        numbered(&self.classes, &states, self.start)
    }
}

/// The states that are reached, numbered breadth-first by ascending byte, with bytes that never differ in one
/// class.
fn numbered(classes: &[u8; 256], states: &Transitions, start: u32) -> Dfa {
    let (classes, columns) = by_first_byte(classes);
    let mut numbers = vec![DEAD; states.labels.len()];
    numbers[start as usize] = 0;
    let mut order = vec![start];
    let mut table = Vec::with_capacity(states.table.len());
    let mut at = 0;
    while let Some(state) = order.get(at).copied() {
        at += 1;
        let row = states.row(state);
        for next in columns.iter().map(|class| &row[*class]) {
            if *next == DEAD {
                table.push(DEAD);
                continue;
            }
            let number = &mut numbers[*next as usize];
            if *number == DEAD {
                *number = u32::try_from(order.len()).expect("states fit 32 bits");
                order.push(*next);
            }
            table.push(*number);
        }
    }
    let labels = order.iter().map(|state| states.labels[*state as usize]).collect();
    merge_classes(&classes, columns.len(), table, labels)
}

/// The classes numbered by their first bytes, however they were numbered, and which column each of them had.
fn by_first_byte(old: &[u8; 256]) -> ([u8; 256], Vec<usize>) {
    let mut numbers: [Option<u8>; 256] = [None; 256];
    let mut columns = Vec::new();
    let classes = old.map(|class| {
        *numbers[usize::from(class)].get_or_insert_with(|| {
            columns.push(usize::from(class));
            u8::try_from(columns.len() - 1).expect("at most 256 classes")
        })
    });
    (classes, columns)
}

/// Gives bytes with equal columns one class; classes are numbered by their first byte.
fn merge_classes(old: &[u8; 256], width: usize, table: Vec<u32>, labels: Vec<u32>) -> Dfa {
    let hashes = column_hashes(&table, width);
    let is_same =
        |a: usize, b: usize| hashes[a] == hashes[b] && table.chunks_exact(width).all(|row| row[a] == row[b]);
    let mut merged: Vec<Option<u8>> = vec![None; width];
    let mut kept: Vec<usize> = Vec::new();
    let mut classes = Box::new([0; 256]);
    for byte in 0..256 {
        let class = usize::from(old[byte]);
        classes[byte] = *merged[class].get_or_insert_with(|| {
            let known = kept.iter().position(|known| is_same(*known, class)).unwrap_or_else(|| {
                kept.push(class);
                kept.len() - 1
            });
            u8::try_from(known).expect("at most 256 classes")
        });
    }
    if kept.iter().copied().eq(0..width) {
        return Dfa::from_parts(classes, width, table.into(), labels);
    }
    let mut narrow = Vec::with_capacity(labels.len() * kept.len());
    table.chunks_exact(width).for_each(|row| narrow.extend(kept.iter().map(|class| row[*class])));
    Dfa::from_parts(classes, kept.len(), narrow.into(), labels)
}

/// A hash of each column, so that columns are compared only where they are equal: most are not.
fn column_hashes(table: &[u32], width: usize) -> Vec<u64> {
    let mut hashes = vec![0_u64; width];
    for row in table.chunks_exact(width) {
        for (hash, next) in hashes.iter_mut().zip(row) {
            *hash = (*hash ^ u64::from(*next)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
        }
    }
    hashes
}
