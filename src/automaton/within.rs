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
//! (`cargo bench --bench engine -- deadline`). Nor need a completion be made for each token as long as what is
//! [enough for the parts](super::enough) of what remains is little enough.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use foldhash::HashMap;

use super::allowed::Allowed;
use super::residual::{Residual, Unit};
use super::tape::Tape;
use super::thread::{Head, Thread};
use super::threads::Threads;
use super::token_set::TokenSet;
use super::{Automaton, captured, completion, enough};
use crate::expression::{Label, Leaf, State};
use crate::special::TokenId;
use crate::token_mask::{TokenMask, TokenMaskMut};

/// Judges completions: what is to be read after a token.
#[derive(Clone, Copy)]
pub struct Judge<'a> {
    /// Whether one is in time.
    pub fits: &'a dyn Fn(&[Unit]) -> bool,
    /// All that have fewer units are in time, and need not be made to know it.
    pub surely_below: usize,
}

/// Tokens of one state that are judged one by one. Where more lead to it only those of one byte are: each
/// takes microseconds.
const FEW: usize = 256;

/// Leaves whose tokens are walked. Of all further ones that a residual stands in only tokens of one byte are
/// judged: each walk takes up to 15 ms, and an array that must contain eight kinds of texts stands in 255
/// leaves, which took 7.6 s for a mask.
const WALKED: usize = 8;

impl Judge<'_> {
    /// Whether a completion is in time for which so many units are enough.
    fn is_sure(&self, enough: Option<usize>) -> bool {
        enough.is_some_and(|enough| enough < self.surely_below)
    }
}

impl Automaton {
    /// Keeps of the tokens that may come next those after which the shortest completion fits.
    pub fn keep_fitting(&self, residual: &Residual, mask: &mut TokenMaskMut<'_>, judge: Judge<'_>) {
        let fits_exactly = |token: &TokenId| self.fits_exactly(residual, *token, judge);
        mask.clear();
        let threads = self.leaf_threads(residual);
        let inside = self.in_leaves(&threads);
        let (walked, further) = inside.split_at(inside.len().min(WALKED));
        let allowed = self.allowed(residual);
        let mut others: Vec<TokenId> = allowed.others().collect();
        for inside in walked {
            let ends = self.shared.leaves.ends(self.vocabulary(), inside.leaf, inside.state);
            for (end, tokens) in ends.groups() {
                if inside.fit(end, tokens.first(), judge) {
                    tokens.add_to(mask);
                } else if inside.thread.is_captured() {
                    let leads = |token: &TokenId| inside.after_token(*token) == Some(end);
                    let judged = self.judged(tokens).filter(leads).filter(fits_exactly);
                    judged.for_each(|token| mask.insert(token));
                }
            }
            others.extend(&ends.complete);
        }
        let fits_in_any = |token: &TokenId| self.fits_in_any(residual, further, *token, judge);
        self.of_one_byte().filter(fits_in_any).for_each(|token| mask.insert(token));
        others.sort_unstable();
        others.dedup();
        others.into_iter().filter(fits_exactly).for_each(|token| mask.insert(token));
    }

    /// Whether [`keep_fitting`](Self::keep_fitting) keeps this token as one that some threads read inside of
    /// their leaves.
    fn fits_in_any(
        &self,
        residual: &Residual,
        inside: &[InLeaf<'_>],
        token: TokenId,
        judge: Judge<'_>,
    ) -> bool {
        inside.iter().any(|inside| self.fits_inside(residual, inside, token, judge))
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
        let after = |token| self.enough_after(&self.advance(residual, token)?);
        allowed.others().map(after).try_fold(within, most)
    }

    /// Enough units to complete the text from here.
    fn enough_after(&self, residual: &Residual) -> Option<usize> {
        let summed = enough::enough(residual.threads(), self.rules());
        Some(summed.unwrap_or_else(|| self.shortest_completion(residual).len()))
    }

    /// Enough units to complete the text from any place in the leaf of a thread, or after it.
    fn enough_after_leaf(&self, thread: &Thread) -> Option<usize> {
        let Head::Leaf { leaf, state } = &thread.head else { return Some(0) };
        let below = self.enough_below_leaf(thread)?;
        let by_state = || if thread.arms().is_empty() { self.enough_within(leaf, *state) } else { None };
        let within = leaf.enough_from_any().or_else(by_state)?;
        Some(below.saturating_add(usize::try_from(within).ok()?))
    }

    /// Enough bytes to leave a leaf of one label after any token that stays inside of it.
    fn enough_within(&self, leaf: &Leaf, state: State) -> Option<u32> {
        let ends = self.shared.leaves.ends(self.vocabulary(), leaf, state);
        let completed = |end| u32::try_from(leaf.completion(end, &|_| 0).0.len()).ok();
        let enough = |end| leaf.enough_from(end).or_else(|| completed(end));
        ends.groups().map(|(end, _)| enough(end)).try_fold(0, |most: u32, found| Some(most.max(found?)))
    }

    /// Enough units for what follows the leaf of a thread, with whichever label it ends.
    fn enough_below_leaf(&self, thread: &Thread) -> Option<usize> {
        let labels = 0..Label::try_from(thread.arms().count().max(1)).ok()?;
        let summed = labels.clone().map(|label| enough::below_leaf(thread, label, self.rules()));
        if let Some(enough) = summed.clone().try_fold(0, most) {
            return Some(enough);
        }
        if thread.arms().is_empty() {
            let completions = captured::completions(thread, self.rules())?;
            return completions.iter().map(Vec::len).max();
        }
        // What is told apart by a captured text is not asked for each label.
        let labels = labels.filter(|_| !thread.is_captured());
        labels.map(|label| completion::below_leaf(thread, label, self.rules()).len()).max()
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
            self.keep_fitting(residual, &mut judged.as_mut(), Judge { fits: &keep, surely_below: 0 });
            allowed.fill(&mut all.as_mut());
            (judged.words() == all.words()).then_some(most.get())
        })
    }

    /// Whether [`keep_fitting`](Self::keep_fitting) keeps this token.
    pub fn fits_after(&self, residual: &Residual, token: TokenId, judge: Judge<'_>) -> bool {
        let is_other = self.allowed(residual).is_other(token);
        let threads = self.leaf_threads(residual);
        let inside = self.in_leaves(&threads);
        let is_short = self.vocabulary().token_bytes(token).is_some_and(|bytes| bytes.len() == 1);
        let judged = if is_short { inside.len() } else { inside.len().min(WALKED) };
        (is_other && self.fits_exactly(residual, token, judge))
            || self.fits_in_any(residual, &inside[..judged], token, judge)
    }

    /// Whether these units complete the text.
    #[must_use]
    pub fn completes(&self, residual: &Residual, units: &[Unit]) -> bool {
        let end = units.iter().try_fold(residual.clone(), |at, unit| self.step(&at, *unit));
        end.is_some_and(|end| self.accepts(&end))
    }

    fn fits_exactly(&self, residual: &Residual, token: TokenId, judge: Judge<'_>) -> bool {
        self.advance(residual, token).is_some_and(|next| {
            let is_sure = || judge.is_sure(enough::enough(next.threads(), self.rules()));
            is_sure() || (judge.fits)(&self.shortest_completion(&next))
        })
    }

    fn fits_inside(
        &self,
        residual: &Residual,
        inside: &InLeaf<'_>,
        token: TokenId,
        judge: Judge<'_>,
    ) -> bool {
        let Some(end) = inside.after_token(token) else { return false };
        let InLeaf { thread, leaf, state, .. } = inside;
        if leaf.is_complete(end) {
            return self.fits_exactly(residual, token, judge);
        }
        if !thread.is_captured() {
            return inside.fit(end, Some(token), judge);
        }
        let ends = self.shared.leaves.ends(self.vocabulary(), leaf, *state);
        ends.tokens(end).is_some_and(|tokens| {
            let is_judged = || self.judged(tokens).any(|judged| judged == token);
            inside.fit(end, tokens.first(), judge)
                || (is_judged() && self.fits_exactly(residual, token, judge))
        })
    }

    /// Of tokens that lead to one state those that are judged one by one: all if they are few, else all of
    /// one byte.
    fn judged<'t>(&'t self, tokens: &'t TokenSet) -> Box<dyn Iterator<Item = TokenId> + 't> {
        match tokens.at_most(FEW) {
            Some(tokens) => Box::new(tokens.iter().copied()),
            None => Box::new(self.of_one_byte()),
        }
    }

    fn of_one_byte(&self) -> impl Iterator<Item = TokenId> + '_ {
        let trie = self.vocabulary().trie();
        trie.children(None).filter_map(move |node| trie.node(node).token)
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

    fn in_leaves<'a>(&'a self, threads: &'a [Thread]) -> Vec<InLeaf<'a>> {
        let in_leaf = |thread: &'a Thread| match &thread.head {
            Head::Leaf { leaf, state } => {
                Some(InLeaf { automaton: self, thread, leaf, state: *state, below: RefCell::default() })
            }
            _ => None,
        };
        threads.iter().filter_map(in_leaf).collect()
    }
}

fn most(most: usize, found: Option<usize>) -> Option<usize> {
    Some(most.max(found?))
}

/// A thread that stays in its leaf, and what follows that.
struct InLeaf<'a> {
    automaton: &'a Automaton,
    thread: &'a Thread,
    leaf: &'a Leaf,
    state: State,
    /// What completes the text behind the leaf, by the label with which it ends: where nothing is captured
    /// that is the same from all states of the leaf. An array that must contain eight kinds of texts stands
    /// in 255 leaves, which have thousands.
    below: RefCell<HashMap<Label, Rc<[Unit]>>>,
}

impl InLeaf<'_> {
    /// Judges what completes the text after tokens that lead to one state of the leaf, of which one is named,
    /// whichever comes.
    fn fit(&self, end: State, one: Option<TokenId>, judge: Judge<'_>) -> bool {
        if !self.thread.is_captured() {
            let cost = |label: Label| self.thread.arms().min_len(label);
            let (rest, label) = self.leaf.completion(end, &cost);
            let (rest, below) = (rest.into_iter().map(Unit::Byte), self.below(label));
            return (judge.fits)(&rest.chain(below.iter().copied()).collect::<Vec<_>>());
        }
        let (after, rules) = (self.after(end, one), self.automaton.rules());
        let completions = || captured::completions(&after, rules);
        judge.is_sure(enough::enough(std::slice::from_ref(&after), rules))
            || completions().is_some_and(|completions| completions.iter().all(|units| (judge.fits)(units)))
    }

    fn below(&self, label: Label) -> Rc<[Unit]> {
        let find = || completion::below_leaf(self.thread, label, self.automaton.rules()).into();
        self.below.borrow_mut().entry(label).or_insert_with(find).clone()
    }

    /// The state of the leaf after a token.
    fn after_token(&self, token: TokenId) -> Option<State> {
        self.leaf.reads(self.state, self.automaton.vocabulary().token_bytes(token)?)
    }

    /// The thread after a token that leads to a state.
    fn after(&self, end: State, token: Option<TokenId>) -> Thread {
        let token = token.and_then(|token| self.automaton.vocabulary().token_bytes(token));
        let head = Head::Leaf { leaf: self.leaf.clone(), state: end };
        let tape = self.thread.tape.extended(token.unwrap_or_default());
        Thread { head, tape, below: self.thread.below.clone() }
    }
}

impl Thread {
    /// Whether what follows depends on the text that is being read.
    fn is_captured(&self) -> bool {
        self.tape != Tape::Outside
    }
}
