//! What one compilation may still spend, and the flag that ends it early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::{LimitExceeded, Limits};

/// A flag by which compilations are given up, from any thread. Clones are the same flag.
///
/// ```
/// use harmony_mask::{Cancellation, Compiler, Error, Options, Vocabulary};
///
/// let cancellation = Cancellation::default();
/// let compiler = Compiler::new(Vocabulary::o200k_harmony()).with_cancellation(&cancellation);
/// cancellation.cancel();
/// let schema = serde_json::json!({"type": "object"});
/// let error = compiler.compile_schema(&schema, &Options::default()).unwrap_err();
/// assert!(matches!(error, Error::Cancelled));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Gives up the compilations that look at this flag, and all later ones. They look at each step, within
    /// milliseconds, but not while one automaton is built: that goes on to its end or to
    /// [`Limits::dfa_states`].
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether [`cancel`](Self::cancel) was called.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The limits of one compilation, and how much of its work is done. Clones spend from the same work.
#[derive(Clone, Debug)]
pub struct Budget {
    limits: Arc<Limits>,
    spent: Arc<AtomicUsize>,
    cancellation: Cancellation,
    /// Whether something was refused because of that, and not because all was spent.
    is_given_up: Arc<AtomicBool>,
}

impl Budget {
    /// Nothing spent yet.
    #[must_use]
    pub fn new(limits: &Limits, cancellation: &Cancellation) -> Self {
        let (limits, cancellation) = (Arc::new(limits.clone()), cancellation.clone());
        Self { limits, spent: Arc::default(), cancellation, is_given_up: Arc::default() }
    }

    /// The same work with other limits, to try something that may be done otherwise.
    pub(crate) fn with_limits(&self, limits: Limits) -> Self {
        Self { limits: Arc::new(limits), ..self.clone() }
    }

    /// The limits.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Counts steps.
    ///
    /// # Errors
    ///
    /// Where they are more than [`Limits::work`] in all, or the compilation is cancelled;
    /// [`is_given_up`](Self::is_given_up) tells which.
    pub fn charge(&self, steps: usize) -> Result<(), LimitExceeded> {
        // A compilation runs on one thread; the counter is atomic so that what holds it may move to another.
        let spent = self.spent.load(Ordering::Relaxed).saturating_add(steps);
        self.spent.store(spent, Ordering::Relaxed);
        let is_given_up = spent <= self.limits.work && self.cancellation.is_cancelled();
        if is_given_up {
            self.is_given_up.store(true, Ordering::Relaxed);
        }
        if is_given_up || spent > self.limits.work {
            return Err(LimitExceeded { what: "work", limit: self.limits.work, given: spent });
        }
        Ok(())
    }

    /// How much of the work is done.
    pub(crate) fn spent(&self) -> usize {
        self.spent.load(Ordering::Relaxed)
    }

    /// How much may still be done.
    pub(crate) fn left(&self) -> usize {
        self.limits.work.saturating_sub(self.spent())
    }

    /// Whether [`charge`](Self::charge) failed because the compilation was cancelled before its work was
    /// spent.
    #[must_use]
    pub fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Relaxed)
    }

    /// Counts the steps of an automaton with so many states.
    ///
    /// # Errors
    ///
    /// As [`charge`](Self::charge).
    pub fn charge_states(&self, states: usize) -> Result<(), LimitExceeded> {
        self.charge(1 + states / STATES_PER_STEP)
    }
}

/// States of an automaton that are made for the price of one step.
const STATES_PER_STEP: usize = 4;

impl From<&Limits> for Budget {
    fn from(limits: &Limits) -> Self {
        Self::new(limits, &Cancellation::default())
    }
}

impl From<&Self> for Budget {
    fn from(budget: &Self) -> Self {
        budget.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_is_told_from_what_is_cancelled() {
        let cancellation = Cancellation::default();
        let budget = Budget::new(&Limits { work: 2, ..Limits::default() }, &cancellation);
        assert!(budget.charge(2).is_ok() && budget.charge(1).is_err());
        cancellation.cancel();
        assert!(!budget.is_given_up() && budget.charge(1).is_err());
        assert!(!budget.is_given_up(), "all was spent before");
        let budget = Budget::new(&Limits::default(), &cancellation);
        assert!(budget.charge(1).is_err() && budget.is_given_up());
    }
}
