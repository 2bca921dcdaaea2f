//! Bounded caches: everything that is remembered may be forgotten.
//!
//! What is looked up is a function of its key, so an entry that was dropped is computed again and only time is lost. The caches are
//! `quick_cache`'s: sharded, bounded by weight, and readers of different entries do not wait for each other.

use std::convert::Infallible;
use std::hash::Hash;
use std::sync::Arc;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

/// The bytes that an entry holds, roughly: its own allocations, not what it shares.
pub(crate) trait Weight {
    fn weight_bytes(&self) -> usize;
}

/// Weighs entries by [`Weight`], plus what the cache itself needs for one.
#[derive(Clone)]
pub(crate) struct ByBytes;

const ENTRY_BYTES: u64 = 96;

impl<K, V: Weight> Weighter<K, V> for ByBytes {
    fn weight(&self, _key: &K, value: &V) -> u64 {
        value.weight_bytes() as u64 + ENTRY_BYTES
    }
}

/// A cache bounded in bytes.
pub(crate) type Bounded<K, V> = Cache<K, V, ByBytes>;

/// Parts of a cache, each with a lock that readers share. By default there are four for each processor, and each grammar has six caches: what a grammar
/// holds, and how much of a cache one entry may fill, would depend on the machine.
const SHARDS: usize = 4;

/// A cache of at most `bytes`.
pub(crate) fn bounded<K: Eq + Hash, V: Weight + Clone>(bytes: usize) -> Bounded<K, V> {
    let options = OptionsBuilder::new()
        .shards(SHARDS)
        .estimated_items_capacity((bytes / 1024).max(16))
        .weight_capacity(bytes as u64)
        .build()
        .expect("both capacities are set");
    Cache::with_options(options, ByBytes, DefaultHashBuilder::default(), DefaultLifecycle::default())
}

/// A value with the bytes that it and its key hold.
#[derive(Debug)]
pub(crate) struct Weighed<T: ?Sized> {
    pub(crate) value: Arc<T>,
    pub(crate) bytes: usize,
}

impl<T: ?Sized> Clone for Weighed<T> {
    fn clone(&self) -> Self {
        Self { value: self.value.clone(), bytes: self.bytes }
    }
}

impl<T: ?Sized> Weight for Weighed<T> {
    fn weight_bytes(&self) -> usize {
        self.bytes
    }
}

/// What is known of a key; made, and remembered with the bytes of both, where it is not.
pub(crate) fn known<K: Eq + Hash, T: ?Sized, V: Into<Arc<T>>>(
    cache: &Bounded<K, Weighed<T>>,
    key: K,
    make: impl FnOnce(&K) -> V,
    bytes: impl FnOnce(&K, &T) -> usize,
) -> Arc<T> {
    let Ok(value) = try_known(cache, key, |key| Ok::<V, Infallible>(make(key)), bytes);
    value
}

/// The same where making it may fail; failures are not remembered.
pub(crate) fn try_known<K: Eq + Hash, T: ?Sized, V: Into<Arc<T>>, E>(
    cache: &Bounded<K, Weighed<T>>,
    key: K,
    make: impl FnOnce(&K) -> Result<V, E>,
    bytes: impl FnOnce(&K, &T) -> usize,
) -> Result<Arc<T>, E> {
    if let Some(known) = cache.get(&key) {
        return Ok(known.value);
    }
    let value = make(&key)?.into();
    let bytes = bytes(&key, &value);
    cache.insert(key, Weighed { value: value.clone(), bytes });
    Ok(value)
}
