//! Which tokens a residual allows.
//!
//! The tokens of a residual are the union over its threads, and a thread's tokens are those inside its leaf (a shared set) and those that
//! leave it, which are walked on from the stack below. The result is kept as shared sets plus a few token ids, so that remembering a mask
//! costs bytes, not 25 KB, and filling one is a copy and a few bit writes.

use std::sync::Arc;

use super::Unit;
use super::advance::advance;
use super::cache::{Expansions, Weight};
use super::leaf_table::LeafTables;
use super::residual::{accepts, step};
use super::sort::{Exit, reads};
use super::thread::{Head, Thread, open};
use super::token_set::TokenSet;
use super::walk;
use crate::expression::{Class, Leaf, State};
use crate::special::{SpecialToken, TokenId};
use crate::token_mask::TokenMaskMut;
use crate::vocabulary::Vocabulary;

/// The tokens that a residual allows.
#[derive(Debug)]
pub(super) struct Allowed {
    sets: Box<[Arc<TokenSet>]>,
    others: Box<[TokenId]>,
    /// What no other mask shares. Counted when made: a weight in a cache must never change.
    own_bytes: usize,
}

impl Allowed {
    /// The tokens that do not stay inside one leaf, ascending.
    pub(super) fn others(&self) -> &[TokenId] {
        &self.others
    }

    /// Writes the tokens into a mask, and clears everything else.
    pub(super) fn fill(&self, mask: &mut TokenMaskMut<'_>) {
        match &*self.sets {
            [] => mask.clear(),
            [first, others @ ..] => {
                first.copy_to(mask);
                others.iter().for_each(|set| set.add_to(mask));
            }
        }
        self.others.iter().for_each(|token| mask.insert(*token));
    }
}

impl Weight for Arc<Allowed> {
    fn weight_bytes(&self) -> usize {
        // Most sets belong to a leaf's table and are counted there.
        self.own_bytes + size_of_val::<[Arc<TokenSet>]>(&self.sets) + size_of_val::<[TokenId]>(&self.others)
    }
}

/// Threads stepped and made for one mask, beyond which all threads are walked at once. A grammar that reads keywords in the middle of names
/// would go on for seconds.
const STEPS: usize = 20_000;

/// Collects the tokens of threads.
pub(super) struct Collector<'a> {
    vocabulary: &'a Vocabulary,
    leaves: &'a LeafTables,
    rules: &'a Expansions,
    sets: Vec<Arc<TokenSet>>,
    others: Vec<TokenId>,
    /// Threads that may still be stepped or made.
    steps: usize,
}

impl<'a> Collector<'a> {
    /// The tokens that `threads` allow.
    pub(super) fn allowed(
        vocabulary: &'a Vocabulary,
        leaves: &'a LeafTables,
        rules: &'a Expansions,
        threads: &[Thread],
    ) -> Allowed {
        let mut collector =
            Self { vocabulary, leaves, rules, sets: Vec::new(), others: Vec::new(), steps: STEPS };
        threads.iter().for_each(|thread| collector.thread(thread));
        let own_bytes = if collector.steps == 0 { collector.walk(threads) } else { 0 };
        collector.others.sort_unstable();
        collector.others.dedup();
        Allowed { sets: collector.sets.into(), others: collector.others.into(), own_bytes }
    }

    /// Begins again, with all threads at once; the bytes of the set that this makes.
    fn walk(&mut self, threads: &[Thread]) -> usize {
        let mut tokens = TokenSet::builder(self.vocabulary.width());
        walk::tokens(self.vocabulary, self.rules, threads).into_iter().for_each(|token| tokens.insert(token));
        self.sets = vec![Arc::new(tokens.finish())];
        let is_allowed =
            |special: &SpecialToken| !step(threads, Unit::Special(*special), self.rules).is_empty();
        let specials = SpecialToken::ALL.into_iter().filter(is_allowed);
        self.others = specials.map(|special| self.vocabulary.special_id(special)).collect();
        self.sets[0].memory_bytes()
    }

    /// The threads after a byte; none when there are no steps left.
    fn step(&mut self, threads: &[Thread], byte: u8) -> Vec<Thread> {
        if self.steps == 0 {
            return Vec::new();
        }
        let next = step(threads, Unit::Byte(byte), self.rules);
        self.steps = self.steps.saturating_sub(threads.len() + next.len());
        next
    }

    fn thread(&mut self, thread: &Thread) {
        match &thread.head {
            _ if self.steps == 0 => {}
            Head::End => {}
            Head::Special(token) => self.others.push(self.vocabulary.special_id(*token)),
            Head::Literal { bytes, at } => self.literal(thread, &bytes[*at..]),
            Head::Leaf { leaf, state } => self.leaf(thread, leaf, *state),
        }
    }

    /// Follows the one path of a literal, then what comes below it.
    fn literal(&mut self, thread: &Thread, rest: &[u8]) {
        let trie = self.vocabulary.trie();
        let mut node = None;
        for byte in rest {
            let Some(child) = trie.child(node, *byte) else { return };
            self.others.extend(trie.node(child).token);
            node = Some(child);
        }
        if trie.children(node).next().is_some() {
            let mut after = Vec::new();
            open(thread.below.clone(), thread.tape.extended(rest), self.rules, &mut after);
            self.steps = self.steps.saturating_sub(after.len());
            self.below(trie.children(node), &after);
        }
    }

    fn leaf(&mut self, thread: &Thread, leaf: &Leaf, state: State) {
        // Tokens that leave before their first byte.
        let mut after = Vec::new();
        if thread.leave(leaf, state, &[], self.rules, &mut after) {
            after.iter().for_each(|thread| self.thread(thread));
        }
        let class = leaf.class(state);
        let entry = self.leaves.entry(self.vocabulary, leaf, &class);
        let set = if class.is_exact { &entry.whole } else { &entry.inside };
        if !self.sets.iter().any(|known| Arc::ptr_eq(known, set)) {
            self.sets.push(set.clone());
        }
        if !class.is_exact {
            let trie = self.vocabulary.trie();
            let read = |node: &&u32| reads(leaf, state, self.vocabulary.prefix(**node)).is_some();
            self.others.extend(entry.complete.iter().filter(read).filter_map(|node| trie.node(*node).token));
        }
        self.exits(thread, leaf, state, &class);
    }

    /// Tokens that leave a leaf after at least one byte.
    fn exits(&mut self, thread: &Thread, leaf: &Leaf, state: State, class: &Class) {
        let left = Left { thread, leaf, state };
        let first = self.first_below(thread);
        if first.as_ref().is_some_and(|threads| threads.iter().all(|thread| !takes_bytes(thread))) {
            // Free text before a special token can be left anywhere: the list would be as long as the vocabulary.
            return;
        }
        let exits = self.leaves.exits(self.vocabulary, leaf, class);
        let Some(first) = first else { return self.each_exit(&left, &exits) };
        let is_exact = class.is_exact && class.budget == u32::MAX;
        for group in exits.chunk_by(|a, b| a.byte == b.byte) {
            let byte = group[0].byte;
            if may_start(&first, byte) {
                let open = group.iter().filter(|exit| is_exact || self.is_open(&left, **exit));
                let ways: Vec<Way> = open.map(|exit| Way::of(*exit, self.vocabulary)).collect();
                if !ways.is_empty() {
                    let threads = self.step(&first, byte);
                    self.subtrees(&ways, &threads, &left);
                }
            }
        }
    }

    /// Whether the leaf can be left at this edge.
    fn is_open(&self, left: &Left<'_>, exit: Exit) -> bool {
        left.after(self.vocabulary.prefix(exit.parent)).is_some()
    }

    /// The ways out of a leaf where what follows depends on what was read: each text is left once.
    fn each_exit(&mut self, left: &Left<'_>, exits: &[Exit]) {
        let mut texts: Vec<u32> = exits.iter().map(|exit| exit.parent).collect();
        texts.sort_unstable();
        texts.dedup();
        for node in texts {
            let read = self.vocabulary.prefix(node);
            if let Some(state) = left.after(read) {
                let mut after = Vec::new();
                left.thread.leave(left.leaf, state, read, self.rules, &mut after);
                self.steps = self.steps.saturating_sub(after.len());
                self.below(self.vocabulary.trie().children(Some(node)), &after);
            }
        }
    }

    /// The threads after a way, with what was captured.
    fn beyond(&self, left: &Left<'_>, way: Way) -> Vec<Thread> {
        let (read, rest) = self.vocabulary.prefix(way.node).split_at(way.leaves_at);
        let mut after = Vec::new();
        if let Some(state) = left.after(read) {
            left.thread.leave(left.leaf, state, read, self.rules, &mut after);
        }
        advance(&after, rest, self.rules)
    }

    /// The threads that stand first after a leaf, where they do not depend on what is read in it.
    fn first_below(&self, thread: &Thread) -> Option<Vec<Thread>> {
        if !thread.arms().is_empty() {
            return None;
        }
        let mut threads = Vec::new();
        open(thread.below.clone(), thread.tape.forgotten(), self.rules, &mut threads);
        let depends = !thread.leaves_uniformly() && accepts(&threads, self.rules);
        (!depends).then_some(threads)
    }

    /// Tokens at and below ways out of a leaf that are the same from there on; `threads` are those after them.
    ///
    /// The ways are walked as one, so that each remainder is stepped once: of the 1,141 tokens with a quotation mark, many end alike.
    fn subtrees(&mut self, ways: &[Way], threads: &[Thread], left: &Left<'_>) {
        if threads.is_empty() {
            return;
        }
        let trie = self.vocabulary.trie();
        self.others.extend(ways.iter().filter_map(|way| trie.node(way.node).token));
        let children = |way: &Way| trie.children(Some(way.node)).map(|node| (trie.node(node).byte, node));
        let longer =
            ways.iter().flat_map(|way| children(way).map(|(byte, node)| (byte, Way { node, ..*way })));
        let mut longer: Vec<(u8, Way)> = longer.collect();
        longer.sort_unstable();
        for group in longer.chunk_by(|(a, _), (b, _)| a == b) {
            if may_start(threads, group[0].0) {
                let ways: Vec<Way> = group.iter().map(|(_, way)| *way).collect();
                let threads = self.step(threads, group[0].0);
                self.subtrees(&ways, &threads, left);
            }
        }
        // What is common to all captured texts may end here: what follows is each one's own.
        if !left.thread.leaves_uniformly() && accepts(threads, self.rules) {
            for way in ways.iter().filter(|way| trie.children(Some(way.node)).next().is_some()) {
                let threads = self.beyond(left, *way);
                self.below(trie.children(Some(way.node)), &threads);
            }
        }
    }

    /// Tokens at and below sibling nodes, given the threads before them.
    fn below(&mut self, children: impl Iterator<Item = u32>, threads: &[Thread]) {
        let trie = self.vocabulary.trie();
        for node in children {
            let byte = trie.node(node).byte;
            if may_start(threads, byte) {
                let threads = self.step(threads, byte);
                if !threads.is_empty() {
                    self.others.extend(trie.node(node).token);
                    self.below(trie.children(Some(node)), &threads);
                }
            }
        }
    }
}

/// A leaf that is being left.
struct Left<'a> {
    thread: &'a Thread,
    leaf: &'a Leaf,
    state: State,
}

impl Left<'_> {
    /// The state after these bytes, where the leaf may end with them.
    fn after(&self, read: &[u8]) -> Option<State> {
        reads(self.leaf, self.state, read).filter(|state| self.leaf.accepts(*state).is_some())
    }
}

/// A node that lies beyond a leaf, and at which depth the leaf was left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    node: u32,
    leaves_at: usize,
}

impl Way {
    fn of(exit: Exit, vocabulary: &Vocabulary) -> Self {
        Self { node: exit.node, leaves_at: vocabulary.trie().node(exit.node).parent_depth() }
    }
}

fn takes_bytes(thread: &Thread) -> bool {
    matches!(thread.head, Head::Literal { .. } | Head::Leaf { .. })
}

/// Whether some thread may begin with this byte; says yes where it would have to look below a leaf.
fn may_start(threads: &[Thread], byte: u8) -> bool {
    threads.iter().any(|thread| match &thread.head {
        Head::Literal { bytes, at } => bytes[*at] == byte,
        Head::Leaf { leaf, state } => leaf.step(*state, byte).is_some() || leaf.accepts(*state).is_some(),
        Head::Special(_) | Head::End => false,
    })
}
