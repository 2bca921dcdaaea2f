//! A deadline in tokens: masks are narrowed so that the completion ends in time.
//!
//! A matcher with a deadline knows one completion that is in time, its *plan*. A token is allowed where the shortest completion after it is
//! still in time, and where the plan says so; so there always is one, also where equally short texts have more tokens than the planned one.

use std::sync::Arc;

use super::forced;
use super::rules::{Rules, Step};
use crate::automaton::{Residual, Rest, Unit};
use crate::special::TokenId;
use crate::token_mask::TokenMaskMut;

/// Tokens that are kept free, beside those of the likely rest once more, for what a captured text may turn out to ask for.
const UNLIKELY: usize = 16;

/// Fewer tokens than any completion has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot finish within {requested} tokens: the shortest completion has {needed}")]
pub struct DeadlineError {
    /// Tokens asked for.
    pub requested: usize,
    /// Tokens of the shortest completion.
    pub needed: usize,
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

    /// The place after one token, of which `left` are left where there is a deadline; `None` where the token is not allowed.
    pub(super) fn take(&self, step: &Step, token: TokenId, left: Option<usize>) -> Option<Step> {
        let mut next = self.next(step, token)?;
        if let (Some(plan), Some(left)) = (&step.plan, left) {
            let planned = plan.after(token);
            if planned.is_none() && !self.is_in_time(step, token, left) {
                return None;
            }
            next.plan = Some(self.plan_after(&next, planned, left));
        }
        Some(next)
    }

    /// The plan after a token that was allowed when `left` were left: the shortest completion, or a way around it.
    ///
    /// A text that is captured may turn out to be one that asks for a longer rest (a first element that takes the only short choice of the
    /// second). One byte more makes it another text.
    fn plan_after(&self, next: &Step, planned: Option<Plan>, left: usize) -> Plan {
        let shortest = self.shortest(&next.residual);
        if let Some(planned) = planned.filter(|planned| planned.tokens().len() <= shortest.len()) {
            return planned;
        }
        if shortest.len() < left {
            return Plan::new(shortest);
        }
        let trie = self.vocabulary().trie();
        let longer = trie.children(None).filter_map(|node| trie.node(node).token).filter_map(|byte| {
            let rest = self.shortest(&self.next(next, byte)?.residual);
            Some([&[byte], &rest[..]].concat())
        });
        Plan::new(longer.min_by_key(Vec::len).filter(|plan| plan.len() < shortest.len()).unwrap_or(shortest))
    }

    fn is_in_time(&self, step: &Step, token: TokenId, left: usize) -> bool {
        self.automaton().fits_after(&step.residual, token, &|rest| self.fits(rest, left))
    }

    /// Whether one token and the rest are at most `left`. A rest that is only likely must fit twice.
    fn fits(&self, rest: Rest<'_>, left: usize) -> bool {
        match rest {
            // No unit takes more than one token; spelling takes longer than all else.
            Rest::Units(units) => units.len() < left || self.spell(units).len() < left,
            Rest::Likely(units) => 2 * self.spell(units).len() + UNLIKELY < left,
        }
    }

    /// The tokens that may come next, of which `left` are left where there is a deadline.
    pub(super) fn fill(&self, step: &Step, left: Option<usize>, mask: &mut TokenMaskMut<'_>) {
        match (&step.plan, left) {
            (Some(plan), Some(left)) => {
                self.automaton().keep_fitting(&step.residual, mask, &|rest| self.fits(rest, left));
                plan.tokens().first().into_iter().for_each(|token| mask.insert(*token));
            }
            _ => self.automaton().fill(&step.residual, mask),
        }
        self.keep_within_cap(step, mask);
    }
}
