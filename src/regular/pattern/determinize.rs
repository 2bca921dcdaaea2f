//! From a syntax tree to the automaton of the texts with a match.
//!
//! The subset construction is over characters, and each set of them that the pattern tells apart is one
//! symbol; only its result is spelled in bytes. `^.{1,255}$` has 257 states and two symbols that way, where
//! bytes make it 2,551 states and a dozen classes. Over the 2,147 patterns of `maskbench-dev` an automaton
//! takes 27 µs at the median and 0.7 ms at the 99th percentile; `regex-automata`, which determinises over
//! bytes, took 60 µs and 2.6 ms.

use std::rc::Rc;

use foldhash::{HashMap, HashMapExt};
use regex_syntax::hir::{Hir, Look};

use super::super::build::too_many;
use super::alphabet::Alphabet;
use super::class;
use super::nfa::{Copies, Nfa, Step, StepId};
use super::spell::spell;
use crate::limits::LimitExceeded;
use crate::regular::Dfa;
use crate::regular::dfa::{DEAD, NO_LABEL};
use crate::regular::merge::merge;
use crate::regular::partition::Transitions;

/// How many steps of the nondeterministic automaton the states may stand for, for each state that the limit
/// allows. Every pattern of MaskBench passes with room to spare, and the worst ones that do not end after
/// half a second.
const STEPS_PER_STATE: usize = 48;

/// How many steps may be followed to find the states, from each of them by each atom that it reads, for each
/// state that the limit allows.
const FOLLOWED_PER_STATE: usize = 1024;

/// How many entries the table may have for each state that the limit allows: a pattern of thousands of
/// characters that all differ has as many for each state.
const ENTRIES_PER_STATE: usize = 128;

/// Adds a row to a table, for a state that leads nowhere yet; answers where it begins.
pub(super) fn add_row(table: &mut Vec<u32>, width: usize, limit: usize) -> Result<usize, LimitExceeded> {
    let row = table.len();
    if row + width > limit.saturating_mul(ENTRIES_PER_STATE) {
        return Err(too_many(limit));
    }
    table.resize(row + width, NOWHERE);
    Ok(row)
}

/// No state: no match can follow.
pub(super) const NOWHERE: u32 = DEAD;

/// The label of a text with a match.
pub(super) const MATCH: u32 = 0;

/// The state after a match: whatever follows, the text is one of those that are asked for.
pub(super) const FOUND: u32 = 0;

/// A deterministic automaton over the atoms of an alphabet.
pub(super) struct Characters {
    pub(super) alphabet: Alphabet,
    /// A row of targets for each state.
    pub(super) table: Vec<u32>,
    pub(super) is_word: Vec<bool>,
    pub(super) start: u32,
}

impl Characters {
    /// The same texts with as few states as can be; `None` where there are none. Here that costs a fraction
    /// of what it does once there are bytes.
    fn minimal(self) -> Option<Self> {
        let labels = self.is_word.iter().map(|is_word| if *is_word { MATCH } else { NO_LABEL });
        let states = Transitions { width: self.alphabet.len, table: self.table, labels: labels.collect() };
        let (states, start) = merge(&states, self.start)?;
        let is_word = states.labels.iter().map(|label| *label == MATCH).collect();
        Some(Self { alphabet: self.alphabet, table: states.table, is_word, start })
    }

    /// # Errors
    ///
    /// When that has more than `limit` states.
    pub(super) fn into_dfa(self, limit: usize) -> Result<Dfa, LimitExceeded> {
        self.minimal().map_or_else(|| Ok(Dfa::empty()), |characters| spell(&characters, limit))
    }
}

/// The texts in which `hir` has a match.
///
/// Nothing is appended for what follows a match: once one is found, only valid UTF-8 is asked for, so no
/// state remembers what else was under way.
pub(super) fn texts_with_match(hir: Hir, limit: usize) -> Result<Dfa, LimitExceeded> {
    let is_anchored = hir.properties().look_set_prefix().contains(Look::Start);
    let searched = if is_anchored { hir } else { Hir::concat(vec![class::any_text(), hir]) };
    let nfa = Nfa::new(&searched, limit)?;
    Subsets::new(&nfa, limit)?.explore()?.into_dfa(limit)
}

/// The subset construction.
struct Subsets<'n> {
    nfa: &'n Nfa,
    alphabet: Alphabet,
    /// For each atom a character that looks take for any of it.
    kinds: Vec<char>,
    numbers: HashMap<Rc<[u32]>, u32>,
    /// For each state the steps before the next character: those that read it, and those that must see it
    /// first. In front of them stands the character before, as far as any look asks for it.
    states: Vec<Rc<[u32]>>,
    /// All steps of the states.
    steps: usize,
    limit: usize,
    reach: Reach,
}

/// The steps that are reached without reading anything.
struct Reach {
    /// The last round in which each step was reached.
    rounds: Vec<u32>,
    round: u32,
    pending: Vec<StepId>,
    /// The character before, and where to go on from.
    found: Vec<u32>,
    furthest: Reached,
    /// How many steps were ever followed.
    followed: usize,
}

/// What is known of the character that comes next.
#[derive(Clone, Copy)]
enum Next {
    Unknown,
    Known(Option<char>),
}

/// Stands for no character before.
const NONE: u32 = u32::MAX;

impl<'n> Subsets<'n> {
    fn new(nfa: &'n Nfa, limit: usize) -> Result<Self, LimitExceeded> {
        let alphabet = Alphabet::new(&nfa.sets, limit)?;
        let kind = |char| match char {
            _ if !nfa.looks_around => ' ',
            '\n' | '\r' => char,
            char if is_word(char) => 'w',
            _ => ' ',
        };
        Ok(Self {
            nfa,
            kinds: alphabet.examples().into_iter().map(kind).collect(),
            alphabet,
            numbers: HashMap::new(),
            states: vec![Rc::from([])],
            steps: 0,
            limit,
            reach: Reach::new(nfa),
        })
    }

    fn explore(mut self) -> Result<Characters, LimitExceeded> {
        let start = self.number(&[self.nfa.start], None)?;
        let width = self.alphabet.len;
        let (mut table, mut is_word) = (vec![FOUND; width], vec![true]);
        let mut targets = vec![Vec::new(); width];
        while let Some(state) = self.states.get(is_word.len()).cloned() {
            is_word.push(self.matches(&state, None));
            let row = add_row(&mut table, width, self.limit)?;
            self.fill(&state, &mut targets, &mut table[row..])?;
        }
        Ok(Characters { alphabet: self.alphabet, table, is_word, start })
    }

    /// Fills the row of a state. `targets` has an empty list for each atom, before and after.
    fn fill(
        &mut self,
        state: &[u32],
        targets: &mut [Vec<StepId>],
        row: &mut [u32],
    ) -> Result<(), LimitExceeded> {
        self.read(&state[1..], targets, None);
        if self.nfa.looks_around {
            for kind in ['\n', '\r', 'w', ' '] {
                if self.matches(state, Some(kind)) {
                    let of_kind = self.kinds.iter().zip(&mut *row).filter(|(own, _)| **own == kind);
                    of_kind.for_each(|(_, target)| *target = FOUND);
                } else {
                    let seen = self.reach.found[1..].to_vec();
                    self.read(&seen, targets, Some(kind));
                }
            }
        }
        let mut last = None;
        for atom in 0..row.len() {
            if row[atom] != FOUND && !targets[atom].is_empty() {
                row[atom] = match last {
                    Some(last) if targets[last] == targets[atom] && self.kinds[last] == self.kinds[atom] => {
                        row[last]
                    }
                    _ => self.number(&targets[atom], Some(self.kinds[atom]))?,
                };
                last = Some(atom);
            }
        }
        targets.iter_mut().for_each(Vec::clear);
        Ok(())
    }

    /// Adds where steps lead that read an atom, of one kind where there is one given.
    fn read(&mut self, steps: &[StepId], targets: &mut [Vec<StepId>], kind: Option<char>) {
        for step in steps {
            if let Step::Read(set, next) = self.nfa.steps[*step as usize] {
                for atom in self.alphabet.members(set).iter().map(|atom| *atom as usize) {
                    if kind.is_none_or(|kind| self.kinds[atom] == kind) {
                        targets[atom].push(next);
                    }
                }
                self.reach.followed += self.alphabet.members(set).len();
            }
        }
    }

    /// Whether the looks of a state lead to a match before a character of this kind, or at the end of the
    /// text. The steps that they lead to are left in `reach`.
    fn matches(&mut self, state: &[u32], next: Option<char>) -> bool {
        let before = char::from_u32(state[0]);
        let looks = state[1..].iter().filter_map(|step| match self.nfa.steps[*step as usize] {
            Step::Look(look, then) if holds(look, before, next) => Some(then),
            _ => None,
        });
        let seeds: Vec<StepId> = looks.collect();
        self.reach.from(self.nfa, &seeds, before, Next::Known(next))
    }

    /// The state after a character, by the steps that follow it.
    fn number(&mut self, seeds: &[StepId], before: Option<char>) -> Result<u32, LimitExceeded> {
        if self.reach.from(self.nfa, seeds, before, Next::Unknown) {
            return Ok(FOUND);
        }
        self.reach.keep_furthest(&self.nfa.copies);
        let state = &mut self.reach.found;
        if state.len() == 1 {
            return Ok(NOWHERE);
        }
        state[1..].sort_unstable();
        if let Some(known) = self.numbers.get(state.as_slice()) {
            return Ok(*known);
        }
        self.steps += state.len();
        let are_many = |steps: usize, per_state| steps > self.limit.saturating_mul(per_state);
        let is_long =
            are_many(self.steps, STEPS_PER_STATE) || are_many(self.reach.followed, FOLLOWED_PER_STATE);
        if is_long || self.states.len() > self.limit {
            return Err(too_many(self.limit));
        }
        let state: Rc<[u32]> = state.as_slice().into();
        let number = u32::try_from(self.states.len()).map_err(|_| too_many(self.limit))?;
        self.numbers.insert(Rc::clone(&state), number);
        self.states.push(state);
        Ok(number)
    }
}

impl Reach {
    fn new(nfa: &Nfa) -> Self {
        let furthest = Reached(vec![vec![(0, 0); nfa.steps.len()]; nfa.copies.len()]);
        let (rounds, pending, found) = (vec![0; nfa.steps.len()], Vec::new(), Vec::new());
        Self { rounds, round: 0, pending, found, furthest, followed: 0 }
    }

    /// Of the steps that were found, leaves out those of which a further copy was reached later.
    fn keep_furthest(&mut self, copies: &[Copies]) {
        let Self { found, furthest, round, .. } = self;
        let mut is_step = false;
        // In front stands the character before.
        found.retain(|step| {
            !std::mem::replace(&mut is_step, true) || !furthest.is_ahead_of(*step, copies, *round)
        });
    }

    /// Follows what reads nothing; answers whether that is a match.
    fn from(&mut self, nfa: &Nfa, seeds: &[StepId], before: Option<char>, next: Next) -> bool {
        self.round += 1;
        self.found.clear();
        self.found.push(before.map_or(NONE, u32::from));
        self.pending.clear();
        self.pending.extend_from_slice(seeds);
        while let Some(id) = self.pending.pop() {
            let was_reached = std::mem::replace(&mut self.rounds[id as usize], self.round) == self.round;
            if was_reached || self.furthest.is_ahead_of(id, &nfa.copies, self.round) {
                continue;
            }
            self.followed += 1;
            match (nfa.steps[id as usize], next) {
                (Step::Match, _) => return true,
                (Step::Either(one, other), _) => self.pending.extend([other, one]),
                (Step::Look(look, then), Next::Known(next)) => {
                    self.pending.extend(holds(look, before, next).then_some(then));
                }
                (Step::Look(Look::Start, then), _) => self.pending.extend(before.is_none().then_some(then)),
                (Step::Look(..) | Step::Read(..), _) => self.found.push(id),
                (Step::Ahead { .. } | Step::Behind { .. } | Step::Ended, _) => {
                    unreachable!("patterns that look around have their own construction")
                }
            }
        }
        false
    }
}

/// By how deep repetitions nest, for each step the round in which a copy of it was last reached, and the rank
/// of the furthest.
struct Reached(Vec<Vec<(u32, u32)>>);

impl Reached {
    /// Whether a further copy of a step was reached in this round, which stands for it and for all that
    /// follows it; notes that it was reached.
    fn is_ahead_of(&mut self, step: StepId, copies: &[Copies], round: u32) -> bool {
        let mut is_ahead = false;
        for (copies, furthest) in copies.iter().zip(&mut self.0) {
            let Some((original, rank)) = copies.original(step) else { continue };
            match &mut furthest[original as usize] {
                (known, furthest) if *known == round && *furthest > rank => is_ahead = true,
                reached => *reached = (round, rank),
            }
        }
        is_ahead
    }
}

/// Whether a place between two characters is right. A line feed, a carriage return and a word character are
/// told apart, and from all others.
pub(super) fn holds(look: Look, before: Option<char>, next: Option<char>) -> bool {
    let [word_before, word_next] = [before, next].map(|char| char.is_some_and(is_word));
    match look {
        Look::Start => before.is_none(),
        Look::End => next.is_none(),
        Look::StartLF => matches!(before, None | Some('\n')),
        Look::EndLF => matches!(next, None | Some('\n')),
        Look::StartCRLF => match before {
            None | Some('\n') => true,
            Some(before) => before == '\r' && next != Some('\n'),
        },
        Look::EndCRLF => match next {
            None | Some('\r') => true,
            Some(next) => next == '\n' && before != Some('\r'),
        },
        Look::WordAscii | Look::WordUnicode => word_before != word_next,
        Look::WordAsciiNegate | Look::WordUnicodeNegate => word_before == word_next,
        Look::WordStartAscii | Look::WordStartUnicode => !word_before && word_next,
        Look::WordEndAscii | Look::WordEndUnicode => word_before && !word_next,
        Look::WordStartHalfAscii | Look::WordStartHalfUnicode => !word_before,
        Look::WordEndHalfAscii | Look::WordEndHalfUnicode => !word_next,
    }
}

pub(super) fn is_word(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}
