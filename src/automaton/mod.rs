//! The token automaton: residuals, made when reached.
//!
//! A [`Residual`] is what remains to be read. It is a set of *threads*, the alternatives that are still open;
//! a thread is a position in one leaf (or literal, or before a special token) on a persistent stack of
//! expressions. [`Automaton::step`] takes one unit and is the **reference semantics**: it defines the
//! language. Everything else here is that step taken faster:
//!
//! * [`Automaton::advance`] takes a whole token;
//! * [`Automaton::fill`] finds all tokens that would survive, with shared sets where a leaf decides alone,
//!   and frame by frame beyond it.
//!
//! The automaton is built lazily and shared by all matchers of a grammar. Residuals are interned, so equal
//! futures share their masks and transitions; all tables are bounded in bytes and may be dropped at any time
//! without changing a result.

mod advance;
mod allowed;
mod branch;
mod captured;
mod collect;
mod completion;
mod describe;
mod ends;
mod enough;
mod expansions;
mod inside;
mod kept;
mod leaf_table;
mod mask_ids;
mod openings;
mod plain;
mod residual;
mod runs;
mod sort;
mod stack;
mod steps;
mod summary;
mod tape;
mod thread;
mod threads;
mod token_set;
mod usual;
mod waiting;
mod walk;
mod ways;
mod within;

use std::fmt;
use std::sync::Arc;

pub use branch::{Branch, Offer};
pub use mask_ids::MaskId;
pub use residual::{Residual, Unit};
pub use within::Judge;

use allowed::Allowed;
use collect::Collector;
use expansions::Expansions;
use leaf_table::LeafTables;
use mask_ids::MaskIds;
use openings::Openings;
use residual::ThreadSet;
use stack::Stack;
use steps::turns;
use tape::Tape;
use thread::Thread;

use crate::cache::{Bounded, bounded};
use crate::expression::Expression;
use crate::special::TokenId;
use crate::token_mask::{TokenMask, TokenMaskMut};
use crate::vocabulary::Vocabulary;

/// What is shared by all grammars of one vocabulary: the vocabulary, the tables of leaf languages, and the
/// numbers of masks.
#[derive(Clone)]
pub struct Shared {
    vocabulary: Vocabulary,
    leaves: Arc<LeafTables>,
    mask_ids: Arc<MaskIds>,
}

impl Shared {
    /// Nothing computed yet; the tables will keep at most `cache_bytes`.
    #[must_use]
    pub fn new(vocabulary: Vocabulary, cache_bytes: usize) -> Self {
        let leaves = Arc::new(LeafTables::new(cache_bytes));
        Self { vocabulary, leaves, mask_ids: Arc::new(MaskIds::new()) }
    }

    /// The vocabulary.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("leaf_table_bytes", &self.leaves.bytes()).finish_non_exhaustive()
    }
}

/// The lazily built token automaton of one expression over one vocabulary.
pub struct Automaton {
    shared: Shared,
    start: Residual,
    /// By themselves: they are found by their threads.
    residuals: Bounded<Residual, Residual>,
    allowed: Bounded<u64, Arc<Allowed>>,
    openings: Openings,
    transitions: Bounded<(u64, TokenId), Residual>,
    completions: Bounded<u64, Arc<[Unit]>>,
}

impl Automaton {
    /// The automaton of an expression. Computes the start and nothing else; its own tables will keep at most
    /// `cache_bytes`.
    #[must_use]
    pub fn new(shared: Shared, expression: &Expression, cache_bytes: usize) -> Self {
        let share = cache_bytes / 6;
        let openings = Openings::new(share);
        let threads = begin(expression, &openings);
        Self {
            shared,
            start: Residual::new(ThreadSet::new(threads)),
            residuals: bounded(share),
            allowed: bounded(share),
            openings,
            transitions: bounded(share / 2),
            completions: bounded(share / 2),
        }
    }

    /// Where every completion begins.
    #[must_use]
    pub fn start(&self) -> &Residual {
        &self.start
    }

    /// Where the texts of another expression begin. It shares all tables with the automaton's own.
    #[must_use]
    pub fn enter(&self, expression: &Expression) -> Residual {
        self.intern(begin(expression, &self.openings)).expect("an expression matches at least one text")
    }

    /// The vocabulary.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        self.shared.vocabulary()
    }

    /// The residual after one unit; `None` where the unit may not come next. This defines the language.
    #[must_use]
    pub fn step(&self, residual: &Residual, unit: Unit) -> Option<Residual> {
        self.intern(residual::step(residual.threads(), unit, self.rules()))
    }

    /// The residual after one token; `None` where the token is not allowed.
    #[must_use]
    pub fn advance(&self, residual: &Residual, token: TokenId) -> Option<Residual> {
        let key = (residual.id(), token);
        if let Some(known) = residual.next(token).or_else(|| self.transitions.get(&key)) {
            return Some(known);
        }
        let threads = if let Some(bytes) = self.vocabulary().token_bytes(token) {
            // Found out faster than a transition is remembered.
            if advance::stays(residual.threads(), bytes) {
                return Some(residual.clone());
            }
            advance::advance(residual.threads(), bytes, &self.openings)
        } else {
            let special = self.vocabulary().special(token)?;
            residual::step(residual.threads(), Unit::Special(special), self.rules())
        };
        let next = self.intern(threads)?;
        if !residual.note_next(token, &next) {
            self.transitions.insert(key, next.clone());
        }
        Some(next)
    }

    /// Sets the bits of the tokens that may come next, and clears all others. Empty only where the residual
    /// is finished.
    pub fn fill(&self, residual: &Residual, mask: &mut TokenMaskMut<'_>) {
        self.allowed(residual).fill(mask);
    }

    /// [`fill`](Self::fill), for a mask that may have just these tokens already.
    pub fn refill(&self, residual: &Residual, mask: &mut TokenMask) {
        self.allowed(residual).refill(mask);
    }

    /// The number of the mask that [`fill`](Self::fill) gives over the whole vocabulary. Found once for a
    /// residual, by hashing the mask.
    #[must_use]
    pub fn mask_id(&self, residual: &Residual) -> Option<MaskId> {
        self.allowed(residual).id(&self.shared.mask_ids, self.vocabulary().width())
    }

    fn allowed(&self, residual: &Residual) -> Arc<Allowed> {
        if let Some(allowed) = residual.allowed() {
            return allowed;
        }
        let allowed = self.allowed.get(&residual.id()).unwrap_or_else(|| self.new_allowed(residual));
        residual.note_allowed(&allowed);
        allowed
    }

    fn new_allowed(&self, residual: &Residual) -> Arc<Allowed> {
        let Shared { vocabulary, leaves, .. } = &self.shared;
        let threads = residual.threads();
        let allowed = Arc::new(Collector::allowed(vocabulary, leaves, &self.openings, threads, turns()));
        self.allowed.insert(residual.id(), allowed.clone());
        allowed
    }

    /// Whether the completion may stop here.
    #[must_use]
    pub fn accepts(&self, residual: &Residual) -> bool {
        residual::accepts(residual.threads(), self.rules())
    }

    /// A cheapest sequence of units that completes the residual: fewest bytes, a special token counting as
    /// one. Lengths of JSON that is not read yet are those of compact text, and names that were used count as
    /// if they could be used again, so a few bytes more than the fewest are possible.
    #[must_use]
    pub fn shortest_completion(&self, residual: &Residual) -> Arc<[Unit]> {
        if let Some(known) = self.completions.get(&residual.id()) {
            return known;
        }
        let found: Arc<[Unit]> = completion::completion(residual.threads(), self.rules()).units.into();
        self.completions.insert(residual.id(), found.clone());
        found
    }

    /// The units that must come next, as far as there is exactly one possibility.
    #[must_use]
    pub fn forced_units(&self, residual: &Residual) -> Vec<Unit> {
        completion::forced_units(residual.threads(), self.rules())
    }

    /// What may come next, in a user's words, each once.
    #[must_use]
    pub fn expectations(&self, residual: &Residual) -> Vec<String> {
        describe::expectations(residual.threads(), self.rules())
    }

    /// Where in the grammar the residual stands, in a user's words; empty at its outermost level.
    #[must_use]
    pub fn place(&self, residual: &Residual) -> String {
        describe::place(residual.threads())
    }

    /// The branches of the grammar that begin here, each with a way to take it.
    #[must_use]
    pub fn offers(&self, residual: &Residual) -> Vec<Offer> {
        branch::offers(residual.threads(), self.rules())
    }

    /// The branches that a completion has read to their end when `unit` is next, or when nothing is (`None`).
    #[must_use]
    pub fn taken(&self, residual: &Residual, unit: Option<Unit>) -> Vec<Branch> {
        branch::taken(residual.threads(), unit, self.rules())
    }

    /// Bytes held by this automaton's own tables.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        // All fields by name, so that a table that is added cannot be forgotten here.
        let Self { shared: _, start: _, residuals, allowed, openings, transitions, completions } = self;
        let found = residuals.weight() + allowed.weight() + transitions.weight() + completions.weight();
        openings.bytes() + found
    }

    fn rules(&self) -> &Expansions {
        self.openings.rules()
    }

    /// The residual of these threads; `None` where there are none.
    fn intern(&self, threads: Vec<Thread>) -> Option<Residual> {
        if threads.is_empty() {
            return None;
        }
        let set = ThreadSet::new(threads);
        if let Some(known) = self.residuals.get(&set) {
            return Some(known);
        }
        let residual = Residual::new(set);
        self.residuals.insert(residual.clone(), residual.clone());
        Some(residual)
    }
}

/// The threads at the beginning of an expression.
fn begin(expression: &Expression, openings: &Openings) -> Vec<Thread> {
    openings.open(&Stack::default().push_expression(expression), &Tape::Outside)
}

impl fmt::Debug for Automaton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Automaton").field("memory_bytes", &self.memory_bytes()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
