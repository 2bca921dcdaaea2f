//! Compiled grammars by content, within a number of bytes.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use harmony_mask::Grammar;

/// The least recently used grammar goes first. Grammars grow while they are used, so sizes are asked for when
/// something is added, not remembered.
pub(crate) struct Cache {
    limit_bytes: usize,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    entries: HashMap<String, Entry>,
    uses: u64,
}

struct Entry {
    grammar: Grammar,
    last_use: u64,
}

impl Cache {
    pub(crate) fn new(limit_bytes: usize) -> Self {
        Self { limit_bytes, inner: Mutex::default() }
    }

    /// The grammar of `key`, made if it is not there. Two threads that miss the same key at once both make
    /// it; neither waits.
    pub(crate) fn get<E>(
        &self,
        key: String,
        make: impl FnOnce() -> Result<Grammar, E>,
    ) -> Result<Grammar, E> {
        if let Some(known) = self.lock().find(&key) {
            return Ok(known);
        }
        let grammar = make()?;
        // Dropped when the lock is free again: a grammar's tables may be large.
        let forgotten = self.lock().add(key, grammar.clone(), self.limit_bytes);
        drop(forgotten);
        Ok(grammar)
    }

    pub(crate) fn limit_bytes(&self) -> usize {
        self.limit_bytes
    }

    pub(crate) fn clear(&self) {
        self.lock().entries.clear();
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.lock().size_bytes()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn now(&mut self) -> u64 {
        self.uses += 1;
        self.uses
    }

    fn find(&mut self, key: &str) -> Option<Grammar> {
        let now = self.now();
        let entry = self.entries.get_mut(key)?;
        entry.last_use = now;
        Some(entry.grammar.clone())
    }

    /// Adds a grammar; those that are forgotten for it.
    fn add(&mut self, key: String, grammar: Grammar, limit_bytes: usize) -> Vec<Entry> {
        let last_use = self.now();
        let replaced = self.entries.insert(key, Entry { grammar, last_use });
        replaced.into_iter().chain(self.forget(limit_bytes)).collect()
    }

    /// Takes out what was not used for longest, until the others are within the limit. Each grammar is
    /// weighed once: that asks all its tables.
    fn forget(&mut self, limit_bytes: usize) -> Vec<Entry> {
        let weigh = |(key, entry): (&String, &Entry)| (entry.last_use, entry.bytes(key));
        let mut by_use: Vec<(u64, usize)> = self.entries.iter().map(weigh).collect();
        by_use.sort_unstable();
        let first_kept = first_kept(&by_use, limit_bytes);
        let forgotten = self.entries.extract_if(|_, entry| entry.last_use < first_kept);
        forgotten.map(|(_, entry)| entry).collect()
    }

    fn size_bytes(&self) -> usize {
        self.entries.iter().map(|(key, entry)| entry.bytes(key)).sum()
    }
}

impl Entry {
    fn bytes(&self, key: &str) -> usize {
        key.len() + self.grammar.memory_bytes()
    }
}

/// The use from which on entries stay, of the last uses and bytes of all, the oldest first.
fn first_kept(by_use: &[(u64, usize)], limit_bytes: usize) -> u64 {
    let mut bytes = 0_usize;
    let newest_first = by_use.iter().rev();
    let fits = |(_, more): &&(u64, usize)| {
        bytes = bytes.saturating_add(*more);
        bytes <= limit_bytes
    };
    newest_first.take_while(fits).last().map_or(u64::MAX, |(last_use, _)| *last_use)
}
