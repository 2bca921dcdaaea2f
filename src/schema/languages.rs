//! Products of languages, each made once.
//!
//! Alternatives multiply, but the languages in them are few: the names of a discriminator, a pattern or two,
//! what is neither. Products of automata were most of the time of the slowest schemas to compile.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

use crate::limits::{Budget, LimitExceeded, Limits};
use crate::regular::Dfa;

/// Bytes of products that are kept. More are made each time they are asked for.
const KEPT_BYTES: usize = 32 << 20;

/// Bytes of a language that are made for the price of one step. Alternatives that each must hold some pattern
/// double both the languages and their states: 24 patterns in 12 pairs took 7.6 GB.
const BYTES_PER_STEP: usize = 256;

/// Languages that were made of others.
pub(super) struct Languages {
    budget: Budget,
    intersections: HashMap<(Arc<Dfa>, Arc<Dfa>), Arc<Dfa>>,
    complements: HashMap<Arc<Dfa>, Arc<Dfa>>,
    /// By the language and the words that it was left without, each with its length before it.
    remainders: HashMap<(Arc<Dfa>, Vec<u8>), Arc<Dfa>>,
    bytes: usize,
}

impl Languages {
    pub(super) fn new(budget: &Budget) -> Self {
        let (intersections, complements) = (HashMap::new(), HashMap::new());
        Self { budget: budget.clone(), intersections, complements, remainders: HashMap::new(), bytes: 0 }
    }

    pub(super) fn limits(&self) -> &Limits {
        self.budget.limits()
    }

    /// The words of both.
    pub(super) fn intersection(&mut self, a: &Arc<Dfa>, b: &Arc<Dfa>) -> Result<Arc<Dfa>, LimitExceeded> {
        if a == b {
            return Ok(a.clone());
        }
        let key = (a.clone(), b.clone());
        if let Some(known) = self.intersections.get(&key) {
            return Ok(known.clone());
        }
        let made = Arc::new(a.intersection(b, self.limits().dfa_states)?);
        if self.pay(&made)? {
            self.intersections.insert(key, made.clone());
        }
        Ok(made)
    }

    /// The texts that are not words.
    pub(super) fn complement(&mut self, of: &Arc<Dfa>) -> Result<Arc<Dfa>, LimitExceeded> {
        if let Some(known) = self.complements.get(of) {
            return Ok(known.clone());
        }
        let made = Arc::new(of.complement(self.limits().dfa_states)?);
        if self.pay(&made)? {
            self.complements.insert(of.clone(), made.clone());
        }
        Ok(made)
    }

    /// The language without these words: the names that an object may have beside those of its members.
    pub(super) fn without(&mut self, of: &Arc<Dfa>, words: &[&str]) -> Result<Arc<Dfa>, LimitExceeded> {
        if words.is_empty() {
            return Ok(of.clone());
        }
        let spelled = words.iter().flat_map(|word| [&word.len().to_ne_bytes(), word.as_bytes()].concat());
        let key = (of.clone(), spelled.collect());
        if let Some(known) = self.remainders.get(&key) {
            return Ok(known.clone());
        }
        let less = Dfa::words(words.iter().map(|word| (word, 0)), self.limits().dfa_states)?;
        let made = Arc::new(of.difference(&less, self.limits().dfa_states)?);
        if self.pay(&made)? {
            self.remainders.insert(key, made.clone());
        }
        Ok(made)
    }

    /// Charges for a language that was made; says whether there is room to keep it.
    fn pay(&mut self, made: &Dfa) -> Result<bool, LimitExceeded> {
        let bytes = made.memory_bytes();
        self.budget.charge(bytes / BYTES_PER_STEP)?;
        self.bytes += bytes;
        Ok(self.bytes <= KEPT_BYTES)
    }
}
