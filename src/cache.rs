//! Bounded caches: everything that is remembered may be forgotten.
//!
//! What is looked up is a function of its key, so an entry that was dropped is computed again and only time
//! is lost. Eviction knows two generations. When there is no room, some old entries are dropped, whichever;
//! when none is old and room gets scarce, all entries become old; an old entry that is looked up becomes
//! young again. So what is in use stays, and looking up a young entry changes nothing: readers share the
//! lock.
//!
//! `quick_cache`, which was here before, keeps an order among all entries. A new state is a dozen lookups and
//! insertions in tables of as many types: with less to do in each the mean of mask and accept is 0.98 and p90
//! 0.965 of what it was (700 files of maskbench-dev, old and new in turn, five times; the same when 64 MB are
//! written before each file). Forgetting all that is old at once would keep less, and let whoever asks wait
//! for it.

use std::convert::Infallible;
use std::hash::{BuildHasher, Hash};
use std::mem;
use std::sync::{Arc, PoisonError, RwLock};

use foldhash::fast::RandomState;
use hashbrown::{Equivalent, HashTable};

/// The bytes that an entry holds, roughly: its own allocations, not what it shares.
pub(crate) trait Weight {
    fn weight_bytes(&self) -> usize;
}

/// What the cache itself needs for an entry.
const ENTRY_BYTES: usize = 96;

/// Parts of a cache, each with a lock of its own.
const SHARDS: usize = 4;

/// Each eviction drops at least one of so many parts of what the cache may hold.
const PARTS: usize = 16;

/// A cache bounded in bytes. A value that is more than a quarter of them is not kept.
pub(crate) struct Bounded<K, V> {
    shards: [RwLock<Generations<K, V>>; SHARDS],
    hasher: RandomState,
    /// The bytes of a part.
    most: usize,
}

/// Entries that were asked for since the others grew old, and those others.
struct Generations<K, V> {
    young: Generation<K, V>,
    old: Generation<K, V>,
}

struct Generation<K, V> {
    entries: HashTable<Entry<K, V>>,
    bytes: usize,
}

struct Entry<K, V> {
    hash: u64,
    key: K,
    value: V,
    /// Weighed once, so that what is counted is what was counted before.
    bytes: usize,
}

/// A cache of at most `bytes`.
pub(crate) fn bounded<K: Eq + Hash, V: Weight + Clone>(bytes: usize) -> Bounded<K, V> {
    Bounded {
        shards: std::array::from_fn(|_| RwLock::default()),
        hasher: RandomState::default(),
        most: bytes / SHARDS,
    }
}

impl<K: Eq + Hash, V: Weight + Clone> Bounded<K, V> {
    /// What is remembered of a key.
    pub(crate) fn get<Q: Hash + Equivalent<K>>(&self, key: &Q) -> Option<V> {
        let hash = self.hasher.hash_one(key);
        let known = self.shard(hash).read().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = known.young.get(hash, key) {
            return Some(value.clone());
        }
        known.old.get(hash, key)?;
        drop(known);
        self.change(hash, |known| match known.old.take(hash, key) {
            Some(entry) => (Some(entry.value.clone()), known.add(entry, self.most)),
            // Somebody else asked for it meanwhile.
            None => (known.young.get(hash, key).cloned(), Vec::new()),
        })
    }

    /// Remembers a value.
    pub(crate) fn insert(&self, key: K, value: V) {
        let hash = self.hasher.hash_one(&key);
        let bytes = value.weight_bytes() + ENTRY_BYTES;
        self.change(hash, |known| ((), known.add(Entry { hash, key, value, bytes }, self.most)));
    }

    /// The bytes of all entries.
    pub(crate) fn weight(&self) -> usize {
        let bytes = |shard: &RwLock<Generations<K, V>>| {
            let known = shard.read().unwrap_or_else(PoisonError::into_inner);
            known.young.bytes + known.old.bytes
        };
        self.shards.iter().map(bytes).sum()
    }

    /// Changes the part of a hash. What is forgotten is dropped when nobody waits for that.
    fn change<T>(
        &self,
        hash: u64,
        change: impl FnOnce(&mut Generations<K, V>) -> (T, Vec<Entry<K, V>>),
    ) -> T {
        let mut known = self.shard(hash).write().unwrap_or_else(PoisonError::into_inner);
        let (answer, forgotten) = change(&mut known);
        drop(known);
        drop(forgotten);
        answer
    }

    fn shard(&self, hash: u64) -> &RwLock<Generations<K, V>> {
        &self.shards[shard_index(hash)]
    }
}

/// The part of a hash. All bits of the hash are mixed first: with two of them alone, the seeds of one process
/// in some nine thousand give one part or more none of the numbers that follow each other, and its bytes are
/// lost.
fn shard_index(hash: u64) -> usize {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    ((hash ^ (hash >> 32)).wrapping_mul(MIX) >> 56) as usize % SHARDS
}

impl<K: Eq, V> Generations<K, V> {
    /// Adds a young entry, unless it is too much or there already; what is forgotten for it.
    fn add(&mut self, entry: Entry<K, V>, most: usize) -> Vec<Entry<K, V>> {
        if entry.bytes > most || self.young.get(entry.hash, &entry.key).is_some() {
            return Vec::new();
        }
        let forgotten = self.make_room(entry.bytes, most);
        self.young.bytes += entry.bytes;
        self.young.entries.insert_unique(entry.hash, entry, |entry| entry.hash);
        // Before there is no room: what is in use is asked for once more until something is forgotten.
        if self.old.bytes == 0 && self.young.bytes > most - most / PARTS {
            mem::swap(&mut self.young, &mut self.old);
        }
        forgotten
    }

    /// Forgets old entries where so many bytes more are too many, a few more than need be: finding them takes
    /// a look at all.
    fn make_room(&mut self, bytes: usize, most: usize) -> Vec<Entry<K, V>> {
        let mut forgotten = Vec::new();
        while self.young.bytes + self.old.bytes + bytes > most {
            if self.old.bytes == 0 {
                mem::swap(&mut self.young, &mut self.old);
            }
            forgotten.extend(self.old.forget(bytes.max(most / PARTS)));
        }
        forgotten
    }
}

impl<K, V> Generation<K, V> {
    fn get<Q: Equivalent<K>>(&self, hash: u64, key: &Q) -> Option<&V> {
        let entry = self.entries.find(hash, |entry| entry.hash == hash && key.equivalent(&entry.key))?;
        Some(&entry.value)
    }

    fn take<Q: Equivalent<K>>(&mut self, hash: u64, key: &Q) -> Option<Entry<K, V>> {
        let is_it = |entry: &Entry<K, V>| entry.hash == hash && key.equivalent(&entry.key);
        let (entry, _) = self.entries.find_entry(hash, is_it).ok()?.remove();
        self.bytes -= entry.bytes;
        Some(entry)
    }

    /// Takes out entries of so many bytes, or all where they are fewer.
    fn forget(&mut self, bytes: usize) -> impl Iterator<Item = Entry<K, V>> {
        let Self { entries, bytes: left } = self;
        let least = left.saturating_sub(bytes);
        entries.extract_if(move |entry| {
            let is_forgotten = *left > least;
            if is_forgotten {
                *left -= entry.bytes;
            }
            is_forgotten
        })
    }
}

impl<K, V> Default for Generation<K, V> {
    fn default() -> Self {
        Self { entries: HashTable::new(), bytes: 0 }
    }
}

impl<K, V> Default for Generations<K, V> {
    fn default() -> Self {
        Self { young: Generation::default(), old: Generation::default() }
    }
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

/// What finds an entry, and makes its key where there is none.
pub(crate) trait Asks<K>: Hash + Equivalent<K> {
    fn key(&self) -> K;
}

impl<K: Eq + Hash + Clone> Asks<K> for K {
    fn key(&self) -> K {
        self.clone()
    }
}

/// The parts of a key. Most entries are found, and then no part need be cloned: mean and p90 of mask and
/// accept are 0.985 and 0.975 of what they are with keys made for each look (700 files of maskbench-dev, in
/// turn, eight times).
#[derive(Hash)]
pub(crate) struct Parts<T>(pub(crate) T);

macro_rules! ask_by_parts {
    ($($name:ident $at:tt),+) => {
        impl<$($name: Eq),+> Equivalent<($($name,)+)> for Parts<($(&$name,)+)> {
            fn equivalent(&self, key: &($($name,)+)) -> bool {
                $(*self.0.$at == key.$at)&&+
            }
        }

        impl<$($name: Eq + Hash + Clone),+> Asks<($($name,)+)> for Parts<($(&$name,)+)> {
            fn key(&self) -> ($($name,)+) {
                ($(self.0.$at.clone(),)+)
            }
        }
    };
}

ask_by_parts!(A 0, B 1);
ask_by_parts!(A 0, B 1, C 2);
ask_by_parts!(A 0, B 1, C 2, D 3);

/// What is known of a key; made, and remembered with the bytes of both, where it is not.
pub(crate) fn known<K: Eq + Hash, T: ?Sized, V: Into<Arc<T>>>(
    cache: &Bounded<K, Weighed<T>>,
    asked: &impl Asks<K>,
    make: impl FnOnce(&K) -> V,
    bytes: impl FnOnce(&K, &T) -> usize,
) -> Arc<T> {
    let Ok(value) = try_known(cache, asked, |key| Ok::<V, Infallible>(make(key)), bytes);
    value
}

/// The same where making it may fail; failures are not remembered.
pub(crate) fn try_known<K: Eq + Hash, T: ?Sized, V: Into<Arc<T>>, E>(
    cache: &Bounded<K, Weighed<T>>,
    asked: &impl Asks<K>,
    make: impl FnOnce(&K) -> Result<V, E>,
    bytes: impl FnOnce(&K, &T) -> usize,
) -> Result<Arc<T>, E> {
    if let Some(known) = cache.get(asked) {
        return Ok(known.value);
    }
    let key = asked.key();
    let value = make(&key)?.into();
    let bytes = bytes(&key, &value);
    cache.insert(key, Weighed { value: value.clone(), bytes });
    Ok(value)
}

#[cfg(test)]
mod tests {
    use foldhash::SharedSeed;
    use foldhash::fast::SeedableRandomState;

    use super::*;

    impl Weight for usize {
        fn weight_bytes(&self) -> usize {
            *self
        }
    }

    const BYTES: usize = 64 << 10;

    #[test]
    fn holds_no_more_bytes_than_it_may() {
        let cache = bounded::<u32, usize>(BYTES);
        for key in 0..10_000 {
            cache.insert(key, key as usize % 500);
            assert!(cache.weight() <= BYTES, "after {key}");
        }
        assert!(cache.weight() > BYTES * 3 / 4);
        let known = (0..10_000).filter(|key| cache.get(key).is_some()).count();
        assert!((1..1_000).contains(&known), "{known}");
    }

    #[test]
    fn every_part_is_used_whatever_the_seeds_are() {
        // Seeds with which two bits of the hash leave one, two and three parts empty.
        for seed in [0x2_6839, 0x1_baf2, 0x1_b926, 1] {
            let seeds = Box::leak(Box::new(SharedSeed::from_u64(seed)));
            let hasher = SeedableRandomState::with_seed(0, seeds);
            let mut counts = [0; SHARDS];
            (0..10_000_u32).for_each(|key| counts[shard_index(hasher.hash_one(key))] += 1);
            assert!(counts.iter().all(|count| (2_000..3_000).contains(count)), "{seed:#x}: {counts:?}");
        }
    }

    #[test]
    fn what_is_asked_for_stays() {
        // Each cache has a hasher of its own, so the entry stands elsewhere in each.
        for _ in 0..64 {
            let cache = bounded::<u32, usize>(BYTES);
            cache.insert(0, 7);
            for key in 1..2_000 {
                cache.insert(key, 100);
                assert_eq!(cache.get(&0), Some(7), "after {key}");
            }
        }
    }

    #[test]
    fn what_is_too_much_is_not_kept() {
        let cache = bounded::<u32, usize>(BYTES);
        cache.insert(0, 1);
        cache.insert(1, BYTES / 4);
        assert_eq!((cache.get(&0), cache.get(&1)), (Some(1), None));
        cache.insert(0, 2);
        assert_eq!(cache.get(&0), Some(1), "the first value of a key is kept");
    }

    #[test]
    fn parts_find_what_keys_insert() {
        let cache = bounded::<(String, u32), usize>(BYTES);
        let (name, other) = ("a".to_owned(), "b".to_owned());
        cache.insert(Parts((&name, &1)).key(), 7);
        assert_eq!(cache.get(&(name.clone(), 1)), Some(7));
        assert_eq!(cache.get(&Parts((&name, &1))), Some(7));
        assert_eq!((cache.get(&Parts((&name, &2))), cache.get(&Parts((&other, &1)))), (None, None));
    }

    #[test]
    fn failures_are_not_remembered() {
        let cache = bounded::<u32, Weighed<u32>>(BYTES);
        let find = |found: Result<u32, ()>| try_known(&cache, &0, |_| found, |_, _| 4).map(|found| *found);
        assert_eq!([find(Err(())), find(Ok(1)), find(Err(()))], [Err(()), Ok(1), Ok(1)]);
    }
}
