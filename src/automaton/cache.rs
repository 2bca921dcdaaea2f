//! Bounded caches: everything the automaton remembers may be forgotten.
//!
//! What is looked up is a function of its key, so an entry that was dropped is computed again and only time is lost. The caches are
//! `quick_cache`'s: sharded, bounded by weight, and readers of different entries do not wait for each other.

use std::hash::Hash;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::expression::{Expression, RuleRef};

/// The bytes that an entry holds, roughly: its own allocations, not what it shares.
pub(super) trait Weight {
    fn weight_bytes(&self) -> usize;
}

/// Weighs entries by [`Weight`], plus what the cache itself needs for one.
#[derive(Clone)]
pub(super) struct ByBytes;

const ENTRY_BYTES: u64 = 96;

impl<K, V: Weight> Weighter<K, V> for ByBytes {
    fn weight(&self, _key: &K, value: &V) -> u64 {
        value.weight_bytes() as u64 + ENTRY_BYTES
    }
}

/// A cache bounded in bytes.
pub(super) type Bounded<K, V> = Cache<K, V, ByBytes>;

/// A cache of at most `bytes`.
pub(super) fn bounded<K: Eq + Hash, V: Weight + Clone>(bytes: usize) -> Bounded<K, V> {
    Cache::with_weighter((bytes / 1024).max(16), bytes as u64, ByBytes)
}

/// The bodies of rules that were reached.
pub(super) struct Expansions(Bounded<RuleRef, Expression>);

impl Expansions {
    pub(super) fn new(bytes: usize) -> Self {
        Self(bounded(bytes))
    }

    pub(super) fn expand(&self, rule: &RuleRef) -> Expression {
        if let Some(body) = self.0.get(rule) {
            return body;
        }
        let body = rule.0.expand();
        self.0.insert(rule.clone(), body.clone());
        body
    }

    pub(super) fn bytes(&self) -> usize {
        usize::try_from(self.0.weight()).unwrap_or(usize::MAX)
    }
}

/// A body's nodes are mostly shared with the rule; this is what a typical one allocates.
impl Weight for Expression {
    fn weight_bytes(&self) -> usize {
        512
    }
}
