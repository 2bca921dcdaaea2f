//! Compiled grammars by content, within a number of bytes.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use harmony_mask::Grammar;

/// The least recently used grammar goes first. Grammars grow while they are used, so sizes are asked for when something is added, not remembered.
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

    /// The grammar of `key`, made if it is not there. Two threads that miss the same key at once both make it; neither waits.
    pub(crate) fn get<E>(
        &self,
        key: String,
        make: impl FnOnce() -> Result<Grammar, E>,
    ) -> Result<Grammar, E> {
        if let Some(known) = self.lock().find(&key) {
            return Ok(known);
        }
        let grammar = make()?;
        self.lock().add(key, grammar.clone(), self.limit_bytes);
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

    fn add(&mut self, key: String, grammar: Grammar, limit_bytes: usize) {
        let last_use = self.now();
        self.entries.insert(key, Entry { grammar, last_use });
        while self.size_bytes() > limit_bytes {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.last_use);
            let Some(key) = oldest.map(|(key, _)| key.clone()) else { break };
            self.entries.remove(&key);
        }
    }

    fn size_bytes(&self) -> usize {
        self.entries.iter().map(|(key, entry)| key.len() + entry.grammar.memory_bytes()).sum()
    }
}
