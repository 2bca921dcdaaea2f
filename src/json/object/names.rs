//! The names of an object: those that some alternative knows, and the others.
//!
//! A name that one alternative declares is any other name to the next one. Were it read there as such, each alternative would have a leaf of other names of
//! its own, as each leaves out what it knows; so what one of them knows is spelled out for all of them, and all have the same other names. An `allOf` of
//! nine `anyOf`s that each ask for one of two names (512 alternatives) took 3.4 s for a mask before.

use std::sync::Arc;

use foldhash::{HashSet, HashSetExt};

use crate::json::string::Words;
use crate::schema::{NameClass, Objects};

/// The names that the cells of a node know, and what they are to each.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) words: Arc<Words>,
    /// In the order of their ranks.
    pub(super) texts: Box<[Arc<str>]>,
    cells: Box<[CellNames]>,
}

/// What the names are to one cell.
#[derive(Debug)]
struct CellNames {
    /// The ranks of its members.
    members: Box<[u32]>,
    /// For each class a bit for each name that only other cells know.
    others: Box<[Box<[u64]>]>,
}

impl Names {
    /// Of all `words` that one of the cells knows.
    pub(super) fn new(words: Arc<Words>, cells: &[Objects]) -> Self {
        let rank = |name: &Arc<str>| words.rank(name).expect("one of the words");
        let mut texts: Vec<Arc<str>> = cells.iter().flat_map(known).cloned().collect();
        texts.sort_unstable();
        texts.dedup();
        let cell = |objects: &Objects| CellNames {
            members: objects.members.iter().map(|member| rank(&member.name)).collect(),
            others: others(objects, &texts, &bits(texts.len(), known(objects).map(rank))),
        };
        let cells = cells.iter().map(cell).collect();
        Self { cells, texts: texts.into(), words }
    }

    /// The rank of a cell's member.
    pub(super) fn member(&self, cell: usize, member: usize) -> u32 {
        self.cells[cell].members[member]
    }

    /// The ranks of the names of a cell's class that only other cells know.
    pub(super) fn others(&self, cell: usize, class: usize) -> impl Iterator<Item = u32> {
        let words = self.cells[cell].others.get(class).into_iter().flatten();
        (0..).zip(words).flat_map(|(at, word)| {
            // Without its lowest bit, as long as there is one.
            let rest = std::iter::successors(Some(*word), |word| Some(word & word.wrapping_sub(1)));
            rest.take_while(|word| *word != 0).map(move |word| at * 64 + word.trailing_zeros())
        })
    }

    /// Whether a name is one of these.
    pub(super) fn has(&self, name: &Arc<str>) -> bool {
        self.texts.binary_search(name).is_ok()
    }
}

/// The names that one of the cells knows, each once.
pub(super) fn all_known(cells: &[Objects]) -> impl Iterator<Item = &Arc<str>> {
    let mut seen = HashSet::new();
    cells.iter().flat_map(known).filter(move |name| cells.len() == 1 || seen.insert(Arc::clone(name)))
}

/// The names that a cell knows.
fn known(objects: &Objects) -> impl Iterator<Item = &Arc<str>> {
    objects.members.iter().map(|member| &member.name).chain(&objects.forbidden)
}

/// For each class the names in it that are not a cell's own.
fn others(objects: &Objects, texts: &[Arc<str>], own: &[u64]) -> Box<[Box<[u64]>]> {
    let is_own = |rank: &u32| own[*rank as usize / 64] >> (rank % 64) & 1 == 1;
    let in_class = |class: &NameClass| {
        let has = |rank: &u32| {
            class.names.as_ref().is_none_or(|names| names.contains(texts[*rank as usize].as_bytes()))
        };
        bits(texts.len(), (0..texts.len() as u32).filter(|rank| !is_own(rank) && has(rank)))
    };
    objects.rest.iter().map(in_class).collect()
}

/// A bit for each rank.
pub(super) fn bits(count: usize, ranks: impl IntoIterator<Item = u32>) -> Box<[u64]> {
    let mut bits = vec![0_u64; count.div_ceil(64)];
    ranks.into_iter().for_each(|rank| bits[rank as usize / 64] |= 1 << (rank % 64));
    bits.into()
}
