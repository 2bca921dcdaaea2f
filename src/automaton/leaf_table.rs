//! Tokens sorted once per leaf state, for every grammar of a vocabulary.
//!
//! For a thread in a leaf, a token either stays inside the leaf with all its bytes, or leaves it where the leaf may end and goes on
//! below, or is dead. The first kind does not depend on what is below: it is found once per [class](crate::expression::Class) of states and
//! shared (inside a free string it is 195,594 tokens). The second kind is few, and kept as trie edges.
//!
//! An entry is weighed when it is complete and never grows, so the bound on bytes is one.

use std::sync::Arc;

use super::ends::Ends;
use super::sort::{Exit, Fate, exits, plain_words, sort};
use super::token_set::TokenSet;
use crate::cache::{Bounded, Weighed, bounded, known};
use crate::expression::{Class, Leaf, State};
use crate::special::TokenId;
use crate::vocabulary::Vocabulary;

/// What a leaf state does with every token that does not leave it.
#[derive(Debug)]
pub(super) struct LeafEntry {
    /// Tokens that stay in the leaf, which can be longer after them.
    pub(super) inside: Arc<TokenSet>,
    /// Those, and the tokens that complete the leaf.
    pub(super) whole: Arc<TokenSet>,
    /// Tokens that complete the leaf.
    pub(super) complete: Box<[TokenId]>,
}

impl LeafEntry {
    fn new(vocabulary: &Vocabulary, leaf: &Leaf, state: State) -> Self {
        let mut inside = TokenSet::builder(vocabulary.width());
        let mut complete = Vec::new();
        let all_plain = sort(vocabulary, leaf, state, |_, fate| match fate {
            Fate::Inside(token) => inside.insert(token),
            Fate::Complete(token) => complete.push(token),
        });
        if all_plain {
            inside.insert_words(&plain_words(vocabulary, u32::MAX));
        }
        Self::of(vocabulary, inside.finish(), complete)
    }

    fn within(vocabulary: &Vocabulary, sorted: &Sorted, budget: u32) -> Self {
        let mut inside = TokenSet::builder(vocabulary.width());
        if sorted.all_plain {
            inside.insert_words(&plain_words(vocabulary, budget));
        }
        let fits = |(cost, _): &&(u32, u32)| *cost <= budget;
        sorted.inside.iter().filter(fits).for_each(|(_, token)| inside.insert(*token));
        let complete = sorted.complete.iter().filter(fits).map(|(_, token)| *token).collect();
        Self::of(vocabulary, inside.finish(), complete)
    }

    fn of(vocabulary: &Vocabulary, inside: TokenSet, complete: Vec<TokenId>) -> Self {
        let inside = Arc::new(inside);
        let whole = if complete.is_empty() {
            inside.clone()
        } else {
            let mut whole = inside.to_builder(vocabulary.width());
            complete.iter().for_each(|token| whole.insert(*token));
            Arc::new(whole.finish())
        };
        Self { inside, whole, complete: complete.into() }
    }

    fn memory_bytes(&self) -> usize {
        let is_one = Arc::ptr_eq(&self.inside, &self.whole);
        let whole = if is_one { 0 } else { self.whole.memory_bytes() };
        self.inside.memory_bytes() + whole + size_of_val::<[TokenId]>(&self.complete)
    }
}

/// What a leaf state does with tokens, by cost: what the entries of several budgets are made of.
#[derive(Debug, Default)]
struct Sorted {
    /// Whether all plain tokens of so few characters stay inside; `inside` is what does beside them.
    all_plain: bool,
    inside: Vec<(u32, TokenId)>,
    /// Tokens that complete the leaf.
    complete: Vec<(u32, TokenId)>,
}

impl Sorted {
    fn new(vocabulary: &Vocabulary, leaf: &Leaf, state: State) -> Self {
        let mut sorted = Self::default();
        sorted.all_plain = sort(vocabulary, leaf, state, |cost, fate| match fate {
            Fate::Inside(token) => sorted.inside.push((cost, token)),
            Fate::Complete(token) => sorted.complete.push((cost, token)),
        });
        sorted.inside.shrink_to_fit();
        sorted
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(&*self.inside) + 8 * self.complete.capacity()
    }
}

/// The tables of all leaves of a vocabulary, bounded in bytes and shared by all its grammars.
pub(super) struct LeafTables {
    entries: Bounded<(Leaf, State, u32), Weighed<LeafEntry>>,
    sorted: Bounded<(Leaf, State), Weighed<Sorted>>,
    exits: Bounded<(Leaf, State), Weighed<Vec<Exit>>>,
    ends: Bounded<(Leaf, State), Weighed<Ends>>,
}

impl LeafTables {
    pub(super) fn new(bytes: usize) -> Self {
        let (half, quarter, eighth) = (bytes / 2, bytes / 4, bytes / 8);
        Self {
            entries: bounded(half),
            sorted: bounded(quarter),
            exits: bounded(eighth),
            ends: bounded(eighth),
        }
    }

    /// What a state of this class does with tokens; `leaf` is the state's own language.
    pub(super) fn entry(&self, vocabulary: &Vocabulary, leaf: &Leaf, class: &Class) -> Arc<LeafEntry> {
        let leaf = class.leaf.as_ref().unwrap_or(leaf);
        let make = |(leaf, state, budget): &(Leaf, State, u32)| match *budget {
            u32::MAX => LeafEntry::new(vocabulary, leaf, *state),
            budget => LeafEntry::within(vocabulary, &self.sorted(vocabulary, leaf, *state), budget),
        };
        let bytes = |(leaf, ..): &(Leaf, _, _), entry: &LeafEntry| entry.memory_bytes() + leaf.memory_bytes();
        known(&self.entries, (leaf.clone(), class.state, class.budget), make, bytes)
    }

    fn sorted(&self, vocabulary: &Vocabulary, leaf: &Leaf, state: State) -> Arc<Sorted> {
        let make = |(leaf, state): &(Leaf, State)| Sorted::new(vocabulary, leaf, *state);
        let bytes = |(leaf, _): &(Leaf, _), sorted: &Sorted| sorted.memory_bytes() + leaf.memory_bytes();
        known(&self.sorted, (leaf.clone(), state), make, bytes)
    }

    /// The edges at which the leaf may be left after at least one byte, by byte: a superset for the states of the class. Found when first
    /// asked for: most leaves that may be left everywhere (plain text) are followed by a special token, and then nobody asks.
    pub(super) fn exits(&self, vocabulary: &Vocabulary, leaf: &Leaf, class: &Class) -> Arc<Vec<Exit>> {
        let leaf = class.leaf.as_ref().unwrap_or(leaf);
        let make = |(leaf, state): &(Leaf, State)| exits(vocabulary, leaf, *state);
        let bytes =
            |(leaf, _): &(Leaf, _), exits: &Vec<Exit>| size_of_val::<[Exit]>(exits) + leaf.memory_bytes();
        known(&self.exits, (leaf.clone(), class.state), make, bytes)
    }

    /// Where the tokens that stay inside the leaf lead to from a state. Only deadlines ask.
    pub(super) fn ends(&self, vocabulary: &Vocabulary, leaf: &Leaf, state: State) -> Arc<Ends> {
        let make = |(leaf, state): &(Leaf, State)| Ends::new(vocabulary, leaf, *state);
        let bytes = |(leaf, _): &(Leaf, _), ends: &Ends| ends.memory_bytes() + leaf.memory_bytes();
        known(&self.ends, (leaf.clone(), state), make, bytes)
    }

    pub(super) fn bytes(&self) -> usize {
        let bytes = self.entries.weight() + self.sorted.weight() + self.exits.weight() + self.ends.weight();
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }
}
