//! Which tokens a residual allows.
//!
//! The tokens of a residual are the union over its threads, and a thread's tokens are those inside its leaf (a shared set) and those that
//! leave it, which are walked on from the stack below. The result is kept as shared sets plus a few token ids, so that remembering a mask
//! costs bytes, not 25 KB, and filling one is a copy and a few bit writes.

use std::sync::Arc;

use super::Unit;
use super::cache::{Expansions, Weight};
use super::leaf_table::LeafTables;
use super::residual::step;
use super::sort::{Exit, reads};
use super::stack::{Frame, Stack};
use super::thread::{Head, Thread, extend, open};
use super::token_set::TokenSet;
use crate::expression::{Class, Leaf, State};
use crate::special::TokenId;
use crate::token_mask::TokenMask;
use crate::vocabulary::Vocabulary;

/// The tokens that a residual allows.
#[derive(Debug)]
pub(super) struct Allowed {
    sets: Box<[Arc<TokenSet>]>,
    others: Box<[TokenId]>,
}

impl Allowed {
    /// Writes the tokens into a mask, and clears everything else.
    pub(super) fn fill(&self, mask: &mut TokenMask) {
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
        size_of_val::<[Arc<TokenSet>]>(&self.sets) + size_of_val::<[TokenId]>(&self.others)
    }
}

/// Collects the tokens of threads.
pub(super) struct Collector<'a> {
    vocabulary: &'a Vocabulary,
    leaves: &'a LeafTables,
    rules: &'a Expansions,
    sets: Vec<Arc<TokenSet>>,
    others: Vec<TokenId>,
}

impl<'a> Collector<'a> {
    /// The tokens that `threads` allow.
    pub(super) fn allowed(
        vocabulary: &'a Vocabulary,
        leaves: &'a LeafTables,
        rules: &'a Expansions,
        threads: &[Thread],
    ) -> Allowed {
        let mut collector = Self { vocabulary, leaves, rules, sets: Vec::new(), others: Vec::new() };
        threads.iter().for_each(|thread| collector.thread(thread));
        collector.others.sort_unstable();
        collector.others.dedup();
        Allowed { sets: collector.sets.into(), others: collector.others.into() }
    }

    fn thread(&mut self, thread: &Thread) {
        match &thread.head {
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
            open(thread.below.clone(), extend(&thread.tape, rest), self.rules, &mut after);
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
        let first = self.first_below(thread);
        if first.as_ref().is_some_and(|threads| threads.iter().all(|thread| !takes_bytes(thread))) {
            return;
        }
        let is_exact = class.is_exact && class.budget == u32::MAX && thread.leaves_uniformly();
        for group in self.leaves.exits(self.vocabulary, leaf, class).chunk_by(|a, b| a.byte == b.byte) {
            let byte = group[0].byte;
            if first.as_ref().is_some_and(|threads| !may_start(threads, byte)) {
                continue;
            }
            match &first {
                Some(after) if is_exact => {
                    let after = step(after, Unit::Byte(byte), self.rules);
                    let nodes: Vec<u32> = group.iter().map(|exit| exit.node).collect();
                    self.subtrees(&nodes, &after);
                }
                _ => group.iter().for_each(|exit| self.exit(thread, leaf, state, *exit)),
            }
        }
    }

    /// One way out of a leaf, where what follows depends on what was read.
    fn exit(&mut self, thread: &Thread, leaf: &Leaf, state: State, exit: Exit) {
        let trie = self.vocabulary.trie();
        let depth = usize::from(trie.node(exit.node).depth) - 1;
        let read = &self.vocabulary.prefix(exit.node)[..depth];
        let Some(state) = reads(leaf, state, read) else { return };
        let mut after = Vec::new();
        if thread.leave(leaf, state, read, self.rules, &mut after) {
            let after = step(&after, Unit::Byte(exit.byte), self.rules);
            self.subtrees(&[exit.node], &after);
        }
    }

    /// The threads that stand first after a leaf, where they do not depend on what is read in it.
    fn first_below(&self, thread: &Thread) -> Option<Vec<Thread>> {
        let below = match thread.below.top() {
            Some((Frame::Arms(_), _)) => return None,
            Some((Frame::CaptureEnd { then, .. }, _)) if then.min_len() > 0 => {
                Stack::default().push_expression(then)
            }
            _ if thread.tape.is_some() => return None,
            _ => thread.below.clone(),
        };
        let mut threads = Vec::new();
        open(below, None, self.rules, &mut threads);
        Some(threads)
    }

    /// Tokens at and below nodes whose last bytes, after the leaf that is left, are the same; `threads` are those after them.
    ///
    /// The nodes are walked as one, so that each remainder is stepped once: of the 1,141 tokens with a quotation mark, many end alike.
    fn subtrees(&mut self, nodes: &[u32], threads: &[Thread]) {
        if !threads.is_empty() {
            let trie = self.vocabulary.trie();
            self.others.extend(nodes.iter().filter_map(|node| trie.node(*node).token));
            self.below(nodes.iter().flat_map(|node| trie.children(Some(*node))), threads);
        }
    }

    /// Tokens at and below children of such nodes.
    fn below(&mut self, children: impl Iterator<Item = u32>, threads: &[Thread]) {
        let trie = self.vocabulary.trie();
        let mut children: Vec<(u8, u32)> = children.map(|child| (trie.node(child).byte, child)).collect();
        children.sort_unstable();
        for group in children.chunk_by(|(a, _), (b, _)| a == b) {
            let byte = group[0].0;
            if may_start(threads, byte) {
                let nodes: Vec<u32> = group.iter().map(|(_, node)| *node).collect();
                self.subtrees(&nodes, &step(threads, Unit::Byte(byte), self.rules));
            }
        }
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
