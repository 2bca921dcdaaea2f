//! Tokens sorted once per leaf state, for every grammar of a vocabulary.
//!
//! For a thread in a leaf, a token either stays inside the leaf with all its bytes, or leaves it where the leaf may end and goes on
//! below, or is dead. The first kind does not depend on what is below: it is found once per [class](crate::expression::Class) of states and
//! shared (inside a free string it is 195,594 tokens). The second kind is few, and kept as trie edges.
//!
//! An entry is weighed when it is complete and never grows, so the bound on bytes is one.

use std::sync::Arc;

use super::cache::{Bounded, Weight, bounded};
use super::sort::{self, Exit, Sorted};
use super::token_set::TokenSet;
use crate::expression::{Class, Leaf, State};
use crate::token_mask::TokenMask;
use crate::vocabulary::Vocabulary;

/// What a leaf state does with every token that does not leave it.
#[derive(Debug)]
pub(super) struct LeafEntry {
    /// Tokens that stay in the leaf, which can be longer after them.
    pub(super) inside: Arc<TokenSet>,
    /// Those, and the tokens that complete the leaf.
    pub(super) whole: Arc<TokenSet>,
    /// Trie nodes of the tokens that complete the leaf.
    pub(super) complete: Box<[u32]>,
}

impl LeafEntry {
    fn new(vocabulary: &Vocabulary, sorted: &Sorted, budget: u32) -> Self {
        let (trie, width) = (vocabulary.trie(), vocabulary.width());
        let within = |cost: &u32| *cost <= budget;
        let tokens = sorted.inside.iter().filter(|(cost, _)| within(cost)).map(|(_, token)| *token);
        let inside = if sorted.all_plain {
            let mut mask = TokenMask::new(width);
            mask.copy_words(&Sorted::plain_words(vocabulary, budget));
            TokenSet::Many(mask).with(tokens, width)
        } else {
            TokenSet::new(tokens.collect(), width)
        };
        let complete = sorted.complete.iter().filter(|(cost, _)| within(cost));
        let complete: Box<[u32]> = complete.map(|(_, node)| *node).collect();
        let inside = Arc::new(inside);
        let whole = if complete.is_empty() {
            inside.clone()
        } else {
            Arc::new(inside.with(complete.iter().filter_map(|node| trie.node(*node).token), width))
        };
        Self { inside, whole, complete }
    }

    fn memory_bytes(&self) -> usize {
        let is_one = Arc::ptr_eq(&self.inside, &self.whole);
        let whole = if is_one { 0 } else { self.whole.memory_bytes() };
        self.inside.memory_bytes() + whole + size_of_val::<[u32]>(&self.complete)
    }
}

/// A value with the bytes that it and its key hold.
#[derive(Debug)]
struct Weighed<T> {
    value: Arc<T>,
    bytes: usize,
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

/// The tables of all leaves of a vocabulary, bounded in bytes and shared by all its grammars.
pub(super) struct LeafTables {
    entries: Bounded<(Leaf, State, u32), Weighed<LeafEntry>>,
    /// What entries of several budgets are made of.
    sorted: Bounded<(Leaf, State), Weighed<Sorted>>,
    exits: Bounded<(Leaf, State), Weighed<Box<[Exit]>>>,
}

impl LeafTables {
    pub(super) fn new(bytes: usize) -> Self {
        Self { entries: bounded(bytes / 2), sorted: bounded(bytes / 4), exits: bounded(bytes / 4) }
    }

    /// What a state of this class does with tokens; `leaf` is the state's own language.
    pub(super) fn entry(&self, vocabulary: &Vocabulary, leaf: &Leaf, class: &Class) -> Arc<LeafEntry> {
        let leaf = class.leaf.as_ref().unwrap_or(leaf);
        let key = (leaf.clone(), class.state, class.budget);
        if let Some(known) = self.entries.get(&key) {
            return known.value;
        }
        let sorted = match class.budget {
            u32::MAX => Arc::new(Sorted::new(vocabulary, leaf, class.state)),
            _ => self.sorted(vocabulary, leaf, class.state),
        };
        let value = Arc::new(LeafEntry::new(vocabulary, &sorted, class.budget));
        let bytes = value.memory_bytes() + leaf.memory_bytes();
        self.entries.insert(key, Weighed { value: value.clone(), bytes });
        value
    }

    fn sorted(&self, vocabulary: &Vocabulary, leaf: &Leaf, state: State) -> Arc<Sorted> {
        let key = (leaf.clone(), state);
        if let Some(known) = self.sorted.get(&key) {
            return known.value;
        }
        let value = Arc::new(Sorted::new(vocabulary, leaf, state));
        let bytes = value.memory_bytes() + leaf.memory_bytes();
        self.sorted.insert(key, Weighed { value: value.clone(), bytes });
        value
    }

    /// The edges at which the leaf may be left after at least one byte, by byte: a superset for the states of the class. Found when first
    /// asked for: most leaves that may be left everywhere (plain text) are followed by a special token, and then nobody asks.
    pub(super) fn exits(&self, vocabulary: &Vocabulary, leaf: &Leaf, class: &Class) -> Arc<Box<[Exit]>> {
        let leaf = class.leaf.as_ref().unwrap_or(leaf);
        let key = (leaf.clone(), class.state);
        if let Some(known) = self.exits.get(&key) {
            return known.value;
        }
        let value: Arc<Box<[Exit]>> = Arc::new(sort::exits(vocabulary, leaf, class.state).into());
        let bytes = size_of_val::<[Exit]>(&value) + leaf.memory_bytes();
        self.exits.insert(key, Weighed { value: value.clone(), bytes });
        value
    }

    pub(super) fn bytes(&self) -> usize {
        let bytes = self.entries.weight() + self.sorted.weight() + self.exits.weight();
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }
}
