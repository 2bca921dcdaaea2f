//! Bounded caches: everything the automaton remembers may be forgotten.
//!
//! What is looked up is a function of its key, so an entry that was dropped is computed again and only time is lost. The caches are
//! `quick_cache`'s: sharded, bounded by weight, and readers of different entries do not wait for each other.

use std::hash::Hash;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::expression::{Expression, Kind, RuleRef};

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

/// A value with the bytes that it and its key hold.
#[derive(Debug)]
pub(super) struct Weighed<T> {
    pub(super) value: Arc<T>,
    pub(super) bytes: usize,
}

impl<T> Clone for Weighed<T> {
    fn clone(&self) -> Self {
        Self { value: self.value.clone(), bytes: self.bytes }
    }
}

impl<T> Weight for Weighed<T> {
    fn weight_bytes(&self) -> usize {
        self.bytes
    }
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
        let body = rule.expand();
        self.0.insert(rule.clone(), body.clone());
        body
    }

    pub(super) fn bytes(&self) -> usize {
        usize::try_from(self.0.weight()).unwrap_or(usize::MAX)
    }
}

/// What a body allocates, down to the rules in it; what it shares with other bodies is counted for each.
impl Weight for Expression {
    fn weight_bytes(&self) -> usize {
        const NODE: usize = 160;
        let parts = match self.kind() {
            Kind::Empty | Kind::Special(_) => 0,
            Kind::Literal(bytes) => bytes.len(),
            // A rule's own data, roughly.
            Kind::Rule(_) => 256,
            Kind::Match { leaf, arms } => {
                leaf.memory_bytes() + arms.iter().map(Self::weight_bytes).sum::<usize>()
            }
            Kind::Sequence(head, tail) => head.weight_bytes() + tail.weight_bytes(),
            Kind::Choice(options) => options.iter().map(Self::weight_bytes).sum(),
            Kind::Capture { body, then, .. } => 256 + body.weight_bytes() + then.weight_bytes(),
        };
        NODE + parts
    }
}
