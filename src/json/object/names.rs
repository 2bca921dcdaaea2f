//! The names of an object: those that some alternative knows, and the others.
//!
//! A name that one alternative declares is an additional name to another one. If each alternative had a leaf
//! of additional names of its own, which leaves out what it declares, there would be as many leaves as
//! alternatives. So every declared name is spelled out for all alternatives, and all share the same other
//! names. An `allOf` of nine `anyOf`s that each ask for one of two names (512 alternatives) took 3.4 s for a
//! mask before.

use std::sync::{Arc, OnceLock};

use bitvec::boxed::BitBox;
use bitvec::vec::BitVec;
use foldhash::{HashSet, HashSetExt};

use crate::expression::Expression;
use crate::json::string::{Words, has_one_spelling};
use crate::schema::{NameClass, Objects};

/// Some of the known names, by their ranks.
pub(super) type Ranks = BitBox<u64>;

/// The names that the cells of a node know, and what they are to each.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) words: Arc<Words>,
    /// In the order of their ranks.
    pub(super) texts: Box<[Arc<str>]>,
    pub(super) quoted: Quoted,
    cells: Box<[CellNames]>,
}

/// Names between quotation marks, each made when first asked for. An object has many states, and all spell
/// the same names: the mean of mask and accept is 0.985 of what it is with literals made in each (700 files
/// of maskbench-dev, in turn, eight times).
#[derive(Debug)]
pub(super) struct Quoted(Box<[OnceLock<Option<Expression>>]>);

impl Quoted {
    /// Of so many names.
    pub(super) fn new(names: usize) -> Self {
        Self(std::iter::repeat_with(OnceLock::new).take(names).collect())
    }

    /// The one spelling of the name at a place; `None` where it has several.
    pub(super) fn get(&self, place: usize, name: &str) -> Option<&Expression> {
        let quote = || has_one_spelling(name).then(|| Expression::literal(format!("\"{name}\"")));
        self.0[place].get_or_init(quote).as_ref()
    }
}

/// What the names are to one cell.
#[derive(Debug)]
struct CellNames {
    /// The ranks of its members.
    members: Box<[u32]>,
    /// Its members in the order of their ranks.
    ranked: Box<[u32]>,
    /// For each class the names that only other cells know.
    others: Box<[Ranks]>,
}

impl Names {
    /// Of all `words` that one of the cells knows.
    pub(super) fn new(words: Arc<Words>, cells: &[Objects]) -> Self {
        let mut texts: Vec<Arc<str>> = cells.iter().flat_map(known).cloned().collect();
        texts.sort_unstable();
        texts.dedup();
        let quoted = Quoted::new(texts.len());
        let mut names = Self { words, texts: texts.into(), quoted, cells: Box::default() };
        names.cells = cells.iter().map(|objects| names.of_cell(objects)).collect();
        names
    }

    fn of_cell(&self, objects: &Objects) -> CellNames {
        let rank = |name: &Arc<str>| self.rank(name).expect("known to the cell");
        let own = self.ranks(known(objects).map(rank));
        let in_class = |class: &NameClass| {
            let has = |rank: &u32| {
                let name = self.texts[*rank as usize].as_bytes();
                class.names.as_ref().is_none_or(|names| names.contains(name))
            };
            self.ranks((0..self.texts.len() as u32).filter(|rank| !own[*rank as usize] && has(rank)))
        };
        let members: Box<[u32]> = objects.members.iter().map(|member| rank(&member.name)).collect();
        let mut ranked: Box<[u32]> = (0..members.len() as u32).collect();
        ranked.sort_unstable_by_key(|member| members[*member as usize]);
        CellNames { members, ranked, others: objects.rest.iter().map(in_class).collect() }
    }

    /// The rank of a name that a cell knows.
    pub(super) fn rank(&self, name: &str) -> Option<u32> {
        self.words.rank(name)
    }

    /// The rank of a cell's member.
    pub(super) fn member(&self, cell: usize, member: usize) -> u32 {
        self.cells[cell].members[member]
    }

    /// The member of a cell whose name has this rank; `None` where it has none.
    pub(super) fn member_at(&self, cell: usize, rank: u32) -> Option<usize> {
        let CellNames { members, ranked, .. } = &self.cells[cell];
        let at = ranked.binary_search_by_key(&rank, |member| members[*member as usize]).ok()?;
        Some(ranked[at] as usize)
    }

    /// The names of a cell's class that only other cells know.
    pub(super) fn others(&self, cell: usize, class: usize) -> &Ranks {
        &self.cells[cell].others[class]
    }

    /// These of the names.
    pub(super) fn ranks(&self, ranks: impl IntoIterator<Item = u32>) -> Ranks {
        let mut some: BitVec<u64> = BitVec::repeat(false, self.texts.len());
        ranks.into_iter().for_each(|rank| some.set(rank as usize, true));
        some.into_boxed_bitslice()
    }
}

/// Adds some names to others, word by word: the operator of bit slices took 3 % of all time over files with
/// many alternatives (sampled).
pub(super) fn add(names: &mut Ranks, more: &Ranks) {
    let words = names.as_raw_mut_slice().iter_mut().zip(more.as_raw_slice());
    words.for_each(|(words, more)| *words |= more);
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
