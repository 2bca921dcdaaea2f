//! The characters of a pattern, divided as far as the pattern tells them apart.
//!
//! Most patterns tell a handful of sets apart, whatever the size of Unicode: `[a-z]`, `-`, and all others.

use foldhash::{HashMap, HashMapExt};

use crate::limits::LimitExceeded;
use crate::regular::build::too_many;

/// Code points from the first to the last, both included.
pub(super) type Range = (u32, u32);

/// A set of characters of the pattern.
pub(super) type SetId = u32;

/// Characters that no set tells apart.
pub(super) type Atom = u32;

const LAST: u32 = char::MAX as u32;

/// The sets of a pattern, each once.
#[derive(Default)]
pub(super) struct Sets {
    known: HashMap<Box<[Range]>, SetId>,
    sets: Vec<Box<[Range]>>,
}

impl Sets {
    /// The set of some ranges, which are sorted and do not overlap.
    pub(super) fn intern(&mut self, ranges: impl IntoIterator<Item = Range>) -> SetId {
        let ranges: Box<[Range]> = ranges.into_iter().collect();
        *self.known.entry(ranges).or_insert_with_key(|ranges| {
            self.sets.push(ranges.clone());
            number(self.sets.len() - 1)
        })
    }
}

/// All characters as atoms.
pub(super) struct Alphabet {
    /// Where runs of one atom begin, with the atom. The first begins at 0.
    runs: Vec<(u32, Atom)>,
    /// The atoms of each set.
    members: Vec<Vec<Atom>>,
    /// How many atoms there are.
    pub(super) len: usize,
}

/// How many runs of all sets together may be looked at for each state that the limit allows: sets that leave
/// out one character each, of thousands, are made of all runs each.
const RUNS_PER_STATE: usize = 48;

impl Alphabet {
    /// # Errors
    ///
    /// When the sets are made of more runs than `limit` states are worth.
    pub(super) fn new(sets: &Sets, limit: usize) -> Result<Self, LimitExceeded> {
        let ends = |&(low, high): &Range| [low, high + 1];
        let mut starts: Vec<u32> = sets.sets.iter().flat_map(|set| set.iter().flat_map(ends)).collect();
        starts.push(0);
        starts.sort_unstable();
        starts.dedup();
        starts.retain(|start| *start <= LAST);
        let mut atoms: Vec<Atom> = vec![0; starts.len()];
        let mut len = 1;
        let mut runs = 0;
        for set in &sets.sets {
            if runs > limit.saturating_mul(RUNS_PER_STATE) {
                return Err(too_many(limit));
            }
            // What of an atom is in the set becomes an atom of its own.
            let mut inside = HashMap::new();
            for run in runs_of(&starts, set) {
                runs += 1;
                atoms[run] = *inside.entry(atoms[run]).or_insert_with(|| {
                    len += 1;
                    len - 1
                });
            }
        }
        let len = renumber(&mut atoms);
        let members = sets.sets.iter().map(|set| {
            let mut members: Vec<Atom> = runs_of(&starts, set).map(|run| atoms[run]).collect();
            members.sort_unstable();
            members.dedup();
            members
        });
        Ok(Self { members: members.collect(), runs: starts.into_iter().zip(atoms).collect(), len })
    }

    pub(super) fn members(&self, set: SetId) -> &[Atom] {
        &self.members[set as usize]
    }

    /// A character of each atom.
    pub(super) fn examples(&self) -> Vec<char> {
        let mut examples = vec!['\0'; self.len];
        for (start, atom) in &self.runs {
            examples[*atom as usize] = char::from_u32(*start).unwrap_or(char::REPLACEMENT_CHARACTER);
        }
        examples
    }

    /// The runs of atoms from one code point to another, both included, with the first code point of each.
    pub(super) fn between(&self, (low, high): Range) -> &[(u32, Atom)] {
        let first = self.runs.partition_point(|(start, _)| *start <= low) - 1;
        let end = self.runs[first..].partition_point(|(start, _)| *start <= high);
        &self.runs[first..first + end]
    }
}

/// The runs that a set is made of.
fn runs_of<'s>(starts: &'s [u32], set: &'s [Range]) -> impl Iterator<Item = usize> + 's {
    set.iter().flat_map(|(low, high)| {
        let first = starts.partition_point(|start| start < low);
        (first..starts.len()).take_while(|run| starts[*run] <= *high)
    })
}

/// Numbers atoms from 0 on, as they come; answers how many there are.
fn renumber(atoms: &mut [Atom]) -> usize {
    let mut numbers = HashMap::new();
    for atom in atoms {
        let fresh = number(numbers.len());
        *atom = *numbers.entry(*atom).or_insert(fresh);
    }
    numbers.len()
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("fewer sets than characters of a pattern")
}
