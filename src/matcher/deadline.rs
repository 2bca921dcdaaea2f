//! A deadline in tokens: masks are narrowed so that the completion ends in time.
//!
//! A matcher with a deadline knows one completion that is in time, its *plan*. A token is allowed where the
//! shortest completion after it is still in time, and where the plan says so; so there always is one, also
//! where equally short texts have more tokens than the planned one.
//!
//! While the deadline is far, every token that the grammar allows is in time: then nothing is judged and no
//! plan is made.

use std::cell::RefCell;
use std::sync::Arc;

use super::forced;
use super::rules::{Rules, Step};
use crate::automaton::{Judge, Residual, Unit};
use crate::special::TokenId;
use crate::token_mask::TokenMaskMut;

/// Fewer tokens than the shortest completion has. That is the one with the fewest bytes, so another may have
/// fewer tokens; none is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "cannot promise to finish within {requested} tokens: the shortest completion has {needed}, which is shortest in bytes"
)]
pub struct DeadlineError {
    /// Tokens asked for.
    pub requested: usize,
    /// Tokens of the completion with the fewest bytes.
    pub needed: usize,
}

/// When a completion must have ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    /// How many tokens there may be.
    pub(super) tokens: usize,
    /// How many there were when it was set, or fewer after a rollback. No step before has a plan.
    pub(super) set_at: usize,
}

/// Tokens that complete a text in time. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    tokens: Arc<[TokenId]>,
    done: usize,
}

impl Plan {
    pub(super) fn new(tokens: Vec<TokenId>) -> Self {
        Self { tokens: tokens.into(), done: 0 }
    }

    pub(super) fn tokens(&self) -> &[TokenId] {
        &self.tokens[self.done..]
    }

    /// What is left of the plan where this token is its next.
    fn after(&self, token: TokenId) -> Option<Self> {
        let rest = Self { tokens: self.tokens.clone(), done: self.done + 1 };
        (self.tokens().first() == Some(&token)).then_some(rest)
    }
}

impl Rules {
    /// Tokens that complete the text with as few bytes as possible.
    pub(super) fn shortest(&self, residual: &Residual) -> Vec<TokenId> {
        self.spell(&self.automaton().shortest_completion(residual))
    }

    fn spell(&self, units: &[Unit]) -> Vec<TokenId> {
        forced::spell(self.vocabulary(), units)
    }

    /// Whether the text can be completed in time after whatever token comes next, of which `left` are left
    /// where there is a deadline.
    pub(super) fn is_far(&self, step: &Step, left: Option<usize>) -> bool {
        left.is_none_or(|left| {
            let left = left.checked_sub(1);
            left.is_some_and(|left| self.automaton().are_enough_after_any(&step.residual, left))
        })
    }

    /// The place after one token, of which `left` are left where there is a deadline; `None` where the token
    /// is not allowed.
    pub(super) fn take(&self, step: &Step, token: TokenId, left: Option<usize>) -> Option<Step> {
        let mut next = self.next(step, token)?;
        if let Some(left) = left.filter(|left| !self.is_far(step, Some(*left))) {
            let plan = match self.plan(step).after(token) {
                Some(planned) => self.shorter_plan(&next, planned),
                None => self.new_plan(&next, &self.in_time(step, token, left)?, left - 1),
            };
            next.plan = Some(plan);
        }
        Some(next)
    }

    /// A completion in time. A step that has none by itself was reached when the deadline was far.
    pub(super) fn plan(&self, step: &Step) -> Plan {
        step.plan.clone().unwrap_or_else(|| Plan::new(self.shortest(&step.residual)))
    }

    /// What is left of a plan, or the shortest completion.
    fn shorter_plan(&self, step: &Step, planned: Plan) -> Plan {
        let shortest = self.shortest(&step.residual);
        if planned.tokens().len() <= shortest.len() { planned } else { Plan::new(shortest) }
    }

    /// Completions for which a token is let through: in time, and one completes the text after it, if not
    /// its shortest completion. `None` where it is too late for the token.
    fn in_time(&self, step: &Step, token: TokenId, left: usize) -> Option<Vec<Vec<Unit>>> {
        let found = RefCell::new(Vec::new());
        let fits = |units: &[Unit]| {
            let fits = self.fits(units, left);
            found.borrow_mut().extend(fits.then(|| units.to_vec()));
            fits
        };
        let judge = Judge { fits: &fits, surely_below: left };
        self.automaton().fits_after(&step.residual, token, judge).then(|| found.take())
    }

    /// The shortest completion, or one of those in time where the shortest in bytes has more than `left`
    /// tokens.
    fn new_plan(&self, step: &Step, in_time: &[Vec<Unit>], left: usize) -> Plan {
        let shortest = self.shortest(&step.residual);
        let mut others = in_time.iter().filter(|_| shortest.len() > left);
        let other = others.find(|units| self.automaton().completes(&step.residual, units));
        Plan::new(other.map_or(shortest, |units| self.spell(units)))
    }

    /// Whether one token and the rest are at most `left`.
    fn fits(&self, rest: &[Unit], left: usize) -> bool {
        // No unit takes more than one token; spelling takes longer than all else.
        rest.len() < left || self.spell(rest).len() < left
    }

    /// The tokens that may come next, of which `left` are left where there is a deadline.
    pub(super) fn fill(&self, step: &Step, left: Option<usize>, mask: &mut TokenMaskMut<'_>) {
        match left.filter(|left| !self.is_far(step, Some(*left))) {
            Some(left) => self.fill_in_time(step, left, mask),
            None => self.automaton().fill(&step.residual, mask),
        }
        self.keep_within_cap(step, mask);
    }

    fn fill_in_time(&self, step: &Step, left: usize, mask: &mut TokenMaskMut<'_>) {
        let judge = Judge { fits: &|rest| self.fits(rest, left), surely_below: left };
        self.automaton().keep_fitting(&step.residual, mask, judge);
        self.plan(step).tokens().first().into_iter().for_each(|token| mask.insert(*token));
    }
}
