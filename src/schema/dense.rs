//! A map from numbers that are handed out one after the other: found by place, without hashing.

use std::marker::PhantomData;

/// Something that is counted from zero.
pub(super) trait Numbered: Copy {
    fn index(self) -> usize;
}

pub(super) struct Dense<K, V> {
    entries: Vec<Option<V>>,
    keys: PhantomData<K>,
}

impl<K: Numbered, V> Dense<K, V> {
    /// Has room for keys below `count`, and takes others.
    pub(super) fn with_capacity(count: usize) -> Self {
        Self { entries: Vec::with_capacity(count), keys: PhantomData }
    }

    pub(super) fn get(&self, key: K) -> Option<&V> {
        self.entries.get(key.index())?.as_ref()
    }

    pub(super) fn insert(&mut self, key: K, value: V) {
        if self.entries.len() <= key.index() {
            self.entries.resize_with(key.index() + 1, || None);
        }
        self.entries[key.index()] = Some(value);
    }

    pub(super) fn remove(&mut self, key: K) {
        if let Some(entry) = self.entries.get_mut(key.index()) {
            *entry = None;
        }
    }

    /// The values, by ascending key.
    pub(super) fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.iter().flatten()
    }
}
