//! Masks under a near deadline: the tokens after which the text can still be completed in time.
//!
//! Tokens that stay inside a leaf lead to few states, so completions are found once per state and not once
//! per token. While a text is being captured, what follows depends on it: then [a completion for each
//! distinguished text](super::captured) must be in time, and where one is not, tokens are judged one by one.
//! Tokens beyond a leaf that are too many to be listed, or that were found by walking all threads at once,
//! are left out: a token that misses the deadline is never kept, but one that meets it may be dropped.
//!
//! All this is for deadlines that are near. How many tokens are enough, whichever comes next, is found once
//! for a residual; where more are left the mask is the residual's own, at the price of one without a deadline
//! (`cargo bench --bench engine -- deadline`). Nor is a look at each token needed as long as what completes a
//! leaf from any of its states is short enough: a step of a first pass with 4,096 tokens left takes 0.07
//! instead of 1.1 ms on average, and 1.3 instead of 19 ms at p99
//! (`maskbench FOLDER --sample 150 --seed 3 --within 4096` without and with it, in turn).

use std::cell::Cell;

use super::allowed::Allowed;
use super::residual::{Residual, Unit};
use super::tape::Tape;
use super::thread::{Head, Thread};
use super::threads::Threads;
use super::token_set::TokenSet;
use super::{Automaton, captured, completion};
use crate::expression::{Leaf, State};
use crate::special::TokenId;
use crate::token_mask::{TokenMask, TokenMaskMut};

/// Judges a completion: what is to be read after a token.
type Judge<'a> = &'a dyn Fn(&[Unit]) -> bool;

/// Tokens of one state that are judged one by one. Where more lead to it only those of one byte are: each
/// takes microseconds.
const FEW: usize = 256;

impl Automaton {
    /// Keeps of the tokens that may come next those after which `fits` approves of the shortest completion.
    pub fn keep_fitting(&self, residual: &Residual, mask: &mut TokenMaskMut<'_>, fits: Judge<'_>) {
        let fits_exactly = |token: &TokenId| self.fits_exactly(residual, *token, fits);
        mask.clear();
        for thread in self.leaf_threads(residual) {
            let Head::Leaf { leaf, state } = &thread.head else { continue };
            let ends = self.shared.leaves.ends(self.vocabulary(), leaf, *state);
            for (end, tokens) in ends.groups() {
                if self.fit(&thread, leaf, (end, tokens.first()), fits) {
                    tokens.add_to(mask);
                } else if thread.is_captured() {
                    let leads = |token: &TokenId| self.end(leaf, *state, *token) == Some(end);
                    let judged = self.judged(tokens).filter(leads).filter(fits_exactly);
                    judged.for_each(|token| mask.insert(token));
                }
            }
            ends.complete.iter().copied().filter(fits_exactly).for_each(|token| mask.insert(token));
        }
        let allowed = self.allowed(residual);
        allowed.others().filter(fits_exactly).for_each(|token| mask.insert(token));
    }

    /// Whether so many tokens are enough to complete the text after any token that may come next: then
    /// `keep_fitting` keeps all.
    ///
    /// Mostly many more are left than can be asked for, and a rough answer does.
    #[must_use]
    pub fn are_enough_after_any(&self, residual: &Residual, tokens: usize) -> bool {
        let allowed = self.allowed(residual);
        let roughly = allowed.roughly_enough_after_any(|| self.roughly_enough(residual, &allowed));
        roughly.is_some_and(|enough| enough <= tokens)
            || self.enough_after_any(residual).is_some_and(|enough| enough <= tokens)
    }

    /// At least as many tokens as are enough after any.
    fn roughly_enough(&self, residual: &Residual, allowed: &Allowed) -> Option<usize> {
        if !allowed.lists_others() {
            return None;
        }
        let threads = self.leaf_threads(residual);
        let within = threads.iter().map(|thread| self.enough_after_leaf(thread)).try_fold(0, most)?;
        let after = |token| Some(self.shortest_completion(&self.advance(residual, token)?).len());
        allowed.others().map(after).try_fold(within, most)
    }

    /// Enough units to complete the text from any place in the leaf of a thread, or after it.
    fn enough_after_leaf(&self, thread: &Thread) -> Option<usize> {
        let Head::Leaf { leaf, .. } = &thread.head else { return Some(0) };
        let leaf = usize::try_from(leaf.enough_from_any()?).ok()?;
        Some(leaf.saturating_add(self.enough_below_leaf(thread)?))
    }

    /// Enough units for what follows the leaf of a thread, with whichever label it ends.
    fn enough_below_leaf(&self, thread: &Thread) -> Option<usize> {
        if thread.arms().is_empty() {
            let completions = captured::completions(thread, self.rules())?;
            return completions.iter().map(Vec::len).max();
        }
        // What is told apart by a captured text is not asked for each label.
        let labels = (0..).zip(thread.arms()).filter(|_| !thread.is_captured());
        labels.map(|(label, _)| completion::below_leaf(thread, label, self.rules()).len()).max()
    }

    /// How many tokens are enough to complete the text after any token that may come next: where so many are
    /// left after it, `keep_fitting` keeps all. `None` where it leaves tokens out whatever is left. Found
    /// once for a residual, by judging all its tokens.
    #[must_use]
    pub fn enough_after_any(&self, residual: &Residual) -> Option<usize> {
        let allowed = self.allowed(residual);
        allowed.enough_after_any(|| {
            let most = Cell::new(0);
            let keep = |units: &[Unit]| {
                // No unit takes more than one token.
                most.set(most.get().max(units.len()));
                true
            };
            let width = self.vocabulary().width();
            let (mut judged, mut all) = (TokenMask::new(width), TokenMask::new(width));
            self.keep_fitting(residual, &mut judged.as_mut(), &keep);
            allowed.fill(&mut all.as_mut());
            (judged.words() == all.words()).then_some(most.get())
        })
    }

    /// Whether [`keep_fitting`](Self::keep_fitting) keeps this token.
    pub fn fits_after(&self, residual: &Residual, token: TokenId, fits: Judge<'_>) -> bool {
        let is_other = self.allowed(residual).is_other(token);
        (is_other && self.fits_exactly(residual, token, fits))
            || self
                .leaf_threads(residual)
                .iter()
                .any(|thread| self.fits_inside(residual, thread, token, fits))
    }

    /// Whether these units complete the text.
    #[must_use]
    pub fn completes(&self, residual: &Residual, units: &[Unit]) -> bool {
        let end = units.iter().try_fold(residual.clone(), |at, unit| self.step(&at, *unit));
        end.is_some_and(|end| self.accepts(&end))
    }

    fn fits_exactly(&self, residual: &Residual, token: TokenId, fits: Judge<'_>) -> bool {
        self.advance(residual, token).is_some_and(|next| fits(&self.shortest_completion(&next)))
    }

    fn fits_inside(&self, residual: &Residual, thread: &Thread, token: TokenId, fits: Judge<'_>) -> bool {
        let Head::Leaf { leaf, state } = &thread.head else { return false };
        let Some(end) = self.end(leaf, *state, token) else { return false };
        if leaf.is_complete(end) {
            return self.fits_exactly(residual, token, fits);
        }
        if !thread.is_captured() {
            return self.fit(thread, leaf, (end, Some(token)), fits);
        }
        let ends = self.shared.leaves.ends(self.vocabulary(), leaf, *state);
        ends.tokens(end).is_some_and(|tokens| {
            let is_judged = || self.judged(tokens).any(|judged| judged == token);
            self.fit(thread, leaf, (end, tokens.first()), fits)
                || (is_judged() && self.fits_exactly(residual, token, fits))
        })
    }

    /// Of tokens that lead to one state those that are judged one by one: all if they are few, else all of
    /// one byte.
    fn judged<'t>(&'t self, tokens: &'t TokenSet) -> Box<dyn Iterator<Item = TokenId> + 't> {
        let trie = self.vocabulary().trie();
        match tokens.at_most(FEW) {
            Some(tokens) => Box::new(tokens.iter().copied()),
            None => Box::new(trie.children(None).filter_map(move |node| trie.node(node).token)),
        }
    }

    /// The state of a leaf after a token.
    fn end(&self, leaf: &Leaf, from: State, token: TokenId) -> Option<State> {
        let bytes = self.vocabulary().token_bytes(token)?;
        leaf.reads(from, bytes)
    }

    /// Judges what completes the text after tokens of the thread's leaf that lead to one state, of which one
    /// is named, whichever comes.
    fn fit(
        &self,
        thread: &Thread,
        leaf: &Leaf,
        (end, one): (State, Option<TokenId>),
        fits: Judge<'_>,
    ) -> bool {
        let token = one.and_then(|token| self.vocabulary().token_bytes(token));
        let head = Head::Leaf { leaf: leaf.clone(), state: end };
        let tape = thread.tape.extended(token.unwrap_or_default());
        let at = Thread { head, tape, below: thread.below.clone() };
        let completions = captured::completions(&at, self.rules());
        completions.is_some_and(|completions| completions.iter().all(|units| fits(units)))
    }

    /// The threads that stand in a leaf, also those behind leaves that may end here.
    fn leaf_threads(&self, residual: &Residual) -> Vec<Thread> {
        let mut found: Vec<Thread> = Vec::new();
        let mut pending = residual.threads().to_vec();
        while !pending.is_empty() {
            let mut after = Threads::default();
            for thread in pending {
                if let Head::Leaf { leaf, state } = &thread.head
                    && !found.contains(&thread)
                {
                    thread.leave(leaf, *state, &[], self.rules(), &mut after);
                    found.push(thread);
                }
            }
            pending = after.into_vec();
        }
        found
    }
}

fn most(most: usize, found: Option<usize>) -> Option<usize> {
    Some(most.max(found?))
}

impl Thread {
    /// Whether what follows depends on the text that is being read.
    fn is_captured(&self) -> bool {
        self.tape != Tape::Outside
    }
}
