//! Which tokens leave an end within reach: masks narrowed by what completes the text after each token.
//!
//! A token that stays inside a leaf leads to one of few states, and what completes the text from there is found once per state, not once per
//! token. While a text is being captured, what follows depends on all of it, so only a length is known.

use std::collections::HashMap;
use std::sync::Arc;

use super::Automaton;
use super::completion::shortest_completion;
use super::residual::{Residual, Unit};
use super::thread::{Head, Tape, Thread};
use super::token_set::TokenSet;
use crate::expression::{DfaLanguage, Leaf, State};
use crate::special::TokenId;
use crate::token_mask::TokenMaskMut;

/// What completes a text after a token.
#[derive(Clone, Copy, Debug)]
pub enum Rest<'a> {
    /// These units.
    Units(&'a [Unit]),
    /// About so many, or a few more: which ones depends on a text that is still being read.
    About(u32),
}

/// Judges a completion.
type Judge<'a> = &'a dyn Fn(Rest<'_>) -> bool;

impl Automaton {
    /// Keeps of the tokens that may come next those after which `fits` approves of the shortest completion.
    pub fn keep_fitting(&self, residual: &Residual, mask: &mut TokenMaskMut<'_>, fits: Judge<'_>) {
        let (mut sets, mut kept) = (Vec::new(), Vec::new());
        for thread in self.leaf_threads(residual) {
            match self.all_inside(&thread, fits) {
                Some(set) => sets.push(set),
                None => kept.extend(Inside::new(self, &thread, fits).tokens(residual)),
            }
        }
        let allowed = self.allowed(residual);
        kept.extend(allowed.others().iter().filter(|token| self.fits_exactly(residual, **token, fits)));
        mask.clear();
        sets.iter().for_each(|set| set.add_to(mask));
        kept.into_iter().for_each(|token| mask.insert(token));
    }

    /// Whether [`keep_fitting`](Self::keep_fitting) keeps this token.
    pub fn fits_after(&self, residual: &Residual, token: TokenId, fits: Judge<'_>) -> bool {
        let is_other = self.allowed(residual).others().binary_search(&token).is_ok();
        (is_other && self.fits_exactly(residual, token, fits))
            || self
                .leaf_threads(residual)
                .iter()
                .any(|thread| self.fits_inside(residual, thread, token, fits))
    }

    /// The tokens that stay inside the leaf of a thread, where it has few states and `fits` approves of what completes each: plain text, far from its end.
    fn all_inside(&self, thread: &Thread, fits: Judge<'_>) -> Option<Arc<TokenSet>> {
        const FEW: usize = 16;
        let Head::Leaf { leaf, state } = &thread.head else { return None };
        let states = leaf.downcast_ref::<DfaLanguage>()?.states(FEW)?;
        let all_fit = states.iter().all(|state| self.fits_at(thread, leaf, *state, fits));
        let entry = self.shared.leaves.entry(self.vocabulary(), leaf, &leaf.class(*state));
        (all_fit && entry.complete.is_empty()).then(|| entry.inside.clone())
    }

    fn fits_exactly(&self, residual: &Residual, token: TokenId, fits: Judge<'_>) -> bool {
        self.advance(residual, token).is_some_and(|next| fits(Rest::Units(&self.shortest_completion(&next))))
    }

    fn fits_inside(&self, residual: &Residual, thread: &Thread, token: TokenId, fits: Judge<'_>) -> bool {
        let (Head::Leaf { leaf, state }, Some(bytes)) = (&thread.head, self.vocabulary().token_bytes(token))
        else {
            return false;
        };
        let end = bytes.iter().try_fold(*state, |state, byte| leaf.step(state, *byte));
        end.is_some_and(|end| match leaf.is_complete(end) {
            true => self.fits_exactly(residual, token, fits),
            false => self.fits_at(thread, leaf, end, fits),
        })
    }

    /// Judges what completes the text when the thread has come to another state of its leaf.
    fn fits_at(&self, thread: &Thread, leaf: &Leaf, state: State, fits: Judge<'_>) -> bool {
        let head = Head::Leaf { leaf: leaf.clone(), state };
        let thread = Thread { head, ..thread.clone() };
        match thread.tape {
            Tape::Read(_) | Tape::Any => fits(Rest::About(thread.min_len())),
            Tape::Outside => fits(Rest::Units(&shortest_completion(&[thread], &self.rules))),
        }
    }

    /// The threads that stand in a leaf, also those behind leaves that may end here.
    fn leaf_threads(&self, residual: &Residual) -> Vec<Thread> {
        let mut found: Vec<Thread> = Vec::new();
        let mut pending = residual.threads().to_vec();
        while let Some(thread) = pending.pop() {
            if let Head::Leaf { leaf, state } = &thread.head
                && !found.contains(&thread)
            {
                thread.leave(leaf, *state, &[], &self.rules, &mut pending);
                found.push(thread);
            }
        }
        found
    }
}

/// The tokens that stay inside the leaf of a thread.
struct Inside<'a> {
    automaton: &'a Automaton,
    thread: &'a Thread,
    leaf: &'a Leaf,
    start: State,
    fits: Judge<'a>,
    judged: HashMap<State, bool>,
    kept: Vec<TokenId>,
    complete: Vec<TokenId>,
}

impl<'a> Inside<'a> {
    fn new(automaton: &'a Automaton, thread: &'a Thread, fits: Judge<'a>) -> Self {
        let Head::Leaf { leaf, state } = &thread.head else { unreachable!("only threads in leaves") };
        let (judged, kept, complete) = (HashMap::new(), Vec::new(), Vec::new());
        Self { automaton, thread, leaf, start: *state, fits, judged, kept, complete }
    }

    fn tokens(mut self, residual: &Residual) -> Vec<TokenId> {
        let trie = self.automaton.vocabulary().trie();
        self.walk(trie.children(None), self.start);
        let complete = std::mem::take(&mut self.complete);
        let fits = |token: &TokenId| self.automaton.fits_exactly(residual, *token, self.fits);
        self.kept.extend(complete.into_iter().filter(fits));
        self.kept
    }

    fn walk(&mut self, children: impl Iterator<Item = u32>, state: State) {
        let trie = self.automaton.vocabulary().trie();
        for node in children {
            let Some(next) = self.leaf.step(state, trie.node(node).byte) else { continue };
            if self.leaf.is_complete(next) {
                self.complete.extend(trie.node(node).token);
                continue;
            }
            if let Some(token) = trie.node(node).token
                && self.is_fit(next)
            {
                self.kept.push(token);
            }
            self.walk(trie.children(Some(node)), next);
        }
    }

    fn is_fit(&mut self, state: State) -> bool {
        let (automaton, thread, leaf, fits) = (self.automaton, self.thread, self.leaf, self.fits);
        *self.judged.entry(state).or_insert_with(|| automaton.fits_at(thread, leaf, state, fits))
    }
}
