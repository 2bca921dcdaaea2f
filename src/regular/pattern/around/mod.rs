//! Patterns with lookaround, by obligations.
//!
//! A thread that passes a lookahead `(?=x)` or `(?!x)` goes on with an *obligation*: the rest of the text
//! must, or must not, begin with a match of `x`. Obligations are simulated beside the thread, by the same
//! steps as anything else. One that is met is dropped; one that can no longer be met ends the thread.
//! Lookbehinds `(?<=x)` and `(?<!x)` are about what was read already: they are simulated from the beginning
//! of the text, and each answers whether a match of it has just ended.
//!
//! So a state is a set of threads with their obligations, and the states of all lookbehinds. There are
//! finitely many. The only thing of ECMA-262 that is left out is a lookahead within a lookbehind, whose
//! answer would come too late.
//!
//! Patterns were read from their end before, by intersection and difference of automata. That had no answer
//! where a repetition without bound looks ahead, and none for what looks behind: of 4,457 schemas in
//! published packages 47 were refused for it.

mod threads;

use std::rc::Rc;

use foldhash::{HashMap, HashMapExt};

use super::ast::Node;
use super::determinize::{Characters, FOUND, NOWHERE, add_row, is_word};
use super::nfa::Nfa;
use crate::limits::LimitExceeded;
use crate::regular::Dfa;
use crate::regular::build::too_many;
use threads::{NONE, Place, Threads, ThreadsId};

/// The texts in which `node` has a match.
pub(super) fn texts_with_match(node: &Node, limit: usize) -> Result<Dfa, LimitExceeded> {
    let nfa = Nfa::looking_around(node, limit)?;
    Subsets::new(&nfa, limit)?.explore()?.into_dfa(limit)
}

/// Where a text has led to.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    before: Option<char>,
    /// For each thing that is looked for behind the threads of it.
    behind: Rc<[ThreadsId]>,
    threads: ThreadsId,
}

/// The subset construction.
struct Subsets<'n> {
    nfa: &'n Nfa,
    threads: Threads<'n>,
    /// For each atom a character that looks take for any of it.
    kinds: Vec<char>,
    numbers: HashMap<State, u32>,
    /// Those that are neither [`FOUND`] nor [`NOWHERE`].
    states: Vec<State>,
    limit: usize,
}

impl<'n> Subsets<'n> {
    fn new(nfa: &'n Nfa, limit: usize) -> Result<Self, LimitExceeded> {
        let threads = Threads::new(nfa, limit)?;
        let kind = |char| if nfa.looks_around && is_word(char) { 'w' } else { ' ' };
        Ok(Self {
            nfa,
            kinds: threads.alphabet.examples().into_iter().map(kind).collect(),
            threads,
            numbers: HashMap::new(),
            states: Vec::new(),
            limit,
        })
    }

    fn explore(mut self) -> Result<Characters, LimitExceeded> {
        let threads = self.threads.beginning(self.nfa.start)?;
        let behind = self.nfa.behind.iter().map(|_| NONE).collect();
        let start = self.number(State { before: None, behind, threads })?;
        let width = self.kinds.len();
        let (mut table, mut is_word) = (vec![FOUND; width], vec![true]);
        while let Some(state) = self.states.get(is_word.len() - 1).cloned() {
            let (_, at_end) = self.stand(&state, None)?;
            is_word.push(self.threads.match_at_end(at_end));
            let row = add_row(&mut table, width, self.limit)?;
            for kind in ['w', ' '] {
                self.fill(&state, kind, &mut table[row..])?;
            }
        }
        Ok(Characters { alphabet: self.threads.alphabet, table, is_word, start })
    }

    /// Fills what follows a state with a character of this kind.
    fn fill(&mut self, state: &State, kind: char, row: &mut [u32]) -> Result<(), LimitExceeded> {
        if !self.kinds.contains(&kind) {
            return Ok(());
        }
        let (behind, threads) = self.stand(state, Some(kind))?;
        for (atom, target) in (0..).zip(row) {
            if self.kinds[atom as usize] == kind {
                let behind: Result<_, _> =
                    behind.iter().map(|threads| self.threads.read(*threads, atom)).collect();
                let threads = self.threads.read(threads, atom)?;
                *target = self.number(State { before: Some(kind), behind: behind?, threads })?;
            }
        }
        Ok(())
    }

    /// The threads of a state before the next character is read, where it is of a kind, or there is none.
    /// What is looked for within something else comes first.
    fn stand(
        &mut self,
        state: &State,
        next: Option<char>,
    ) -> Result<(Vec<ThreadsId>, ThreadsId), LimitExceeded> {
        let mut place = Place { before: state.before, next, ended: Vec::new() };
        let mut behind = Vec::with_capacity(state.behind.len());
        for (threads, start) in state.behind.iter().zip(&self.nfa.behind) {
            let begun = self.threads.and_beginning(*threads, *start)?;
            let standing = self.threads.stand(begun, &place)?;
            place.ended.push(self.threads.has_ended(standing));
            behind.push(standing);
        }
        Ok((behind, self.threads.stand(state.threads, &place)?))
    }

    fn number(&mut self, state: State) -> Result<u32, LimitExceeded> {
        if state.threads == NONE {
            return Ok(NOWHERE);
        }
        if self.threads.has_match(state.threads) {
            return Ok(FOUND);
        }
        if let Some(known) = self.numbers.get(&state) {
            return Ok(*known);
        }
        self.states.push(state.clone());
        if self.states.len() > self.limit {
            return Err(too_many(self.limit));
        }
        let number = u32::try_from(self.states.len()).map_err(|_| too_many(self.limit))?;
        self.numbers.insert(state, number);
        Ok(number)
    }
}
