//! Which tokens a residual allows.
//!
//! The tokens of a residual are the union over its threads, and a thread's tokens are those inside its leaf (a shared set) and those that
//! leave it, which are walked on from the stack below. The result is kept as shared sets plus a few token ids, so that remembering a mask
//! costs bytes, not 25 KB, and filling one is a copy and a few bit writes.

use std::sync::{Arc, OnceLock};

use super::Unit;
use super::advance::advance_into;
use super::expansions::Expansions;
use super::follow::{Ahead, Follow, Follows, Place};
use super::leaf_table::{LeafEntry, LeafTables};
use super::mask_ids::{MaskId, MaskIds};
use super::residual::step;
use super::sort::{Exit, reads};
use super::steps::Steps;
use super::thread::{Head, Thread};
use super::token_set::{self, TokenSet};
use super::walk;
use crate::cache::Weight;
use crate::expression::{ByteSet, Class, Leaf, State};
use crate::special::{SpecialToken, TokenId};
use crate::token_mask::{Source, TokenMask, TokenMaskMut};
use crate::vocabulary::Vocabulary;

/// The tokens that a residual allows.
#[derive(Debug)]
pub(super) struct Allowed {
    sets: Box<[Arc<TokenSet>]>,
    others: Box<[TokenId]>,
    /// What no other mask shares. Counted when made: a weight in a cache must never change.
    own_bytes: usize,
    /// Found when first asked for.
    id: OnceLock<Option<MaskId>>,
    source: Source,
}

impl Allowed {
    /// The tokens that do not stay inside one leaf, ascending.
    pub(super) fn others(&self) -> &[TokenId] {
        &self.others
    }

    /// The number of the mask of all `width` tokens.
    pub(super) fn id(&self, ids: &MaskIds, width: usize) -> Option<MaskId> {
        *self.id.get_or_init(|| {
            let mut mask = TokenMask::new(width);
            self.fill(&mut mask.as_mut());
            ids.of(&mask)
        })
    }

    /// Writes the tokens into a mask, unless it has just these, and clears everything else.
    pub(super) fn refill(&self, mask: &mut TokenMask) {
        mask.fill_from(self.source, |mask| self.fill(mask));
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

/// Nodes beyond a leaf that are looked at in the time of a step.
const WAYS_PER_STEP: usize = 64;

/// More tokens than this that are in no shared set are a set of their own: where a text may be divided anywhere, they are half the vocabulary.
const MANY: usize = 4_096;

/// Collects the tokens of threads.
pub(super) struct Collector<'a> {
    vocabulary: &'a Vocabulary,
    leaves: &'a LeafTables,
    rules: &'a Expansions,
    follows: &'a Follows,
    sets: Vec<Arc<TokenSet>>,
    others: Vec<TokenId>,
    steps: Steps,
}

impl<'a> Collector<'a> {
    /// The tokens that `threads` allow.
    pub(super) fn allowed(
        vocabulary: &'a Vocabulary,
        leaves: &'a LeafTables,
        (rules, follows): (&'a Expansions, &'a Follows),
        threads: &[Thread],
    ) -> Allowed {
        let (sets, others) = (Vec::new(), Vec::new());
        let mut collector =
            Self { vocabulary, leaves, rules, follows, sets, others, steps: Steps::new(threads) };
        threads.iter().for_each(|thread| collector.thread(thread));
        let mut own_bytes = if collector.steps.are_used_up() { collector.walk(threads) } else { 0 };
        collector.others.sort_unstable();
        collector.others.dedup();
        if collector.others.len() > MANY {
            own_bytes += collector.gather();
        }
        let (sets, others) = (collector.sets.into(), collector.others.into());
        Allowed { sets, others, own_bytes, id: OnceLock::new(), source: Source::new() }
    }

    /// Begins again, with all threads at once; the bytes of the set that this makes.
    fn walk(&mut self, threads: &[Thread]) -> usize {
        let mut tokens = TokenSet::builder(self.vocabulary.width());
        walk::tokens(self.vocabulary, self.rules, threads).into_iter().for_each(|token| tokens.insert(token));
        self.sets.clear();
        let bytes = self.keep(tokens);
        let is_allowed =
            |special: &SpecialToken| !step(threads, Unit::Special(*special), self.rules).is_empty();
        let specials = SpecialToken::ALL.into_iter().filter(is_allowed);
        self.others = specials.map(|special| self.vocabulary.special_id(special)).collect();
        bytes
    }

    /// Makes a set of the ordinary tokens among the others; the bytes of it.
    fn gather(&mut self) -> usize {
        let (vocabulary, mut tokens) = (self.vocabulary, TokenSet::builder(self.vocabulary.width()));
        self.others.retain(|token| {
            let is_special = vocabulary.special(*token).is_some();
            if !is_special {
                tokens.insert(*token);
            }
            is_special
        });
        self.keep(tokens)
    }

    /// One more set, of this mask alone; its bytes.
    fn keep(&mut self, tokens: token_set::Builder) -> usize {
        let set = Arc::new(tokens.finish());
        let bytes = set.memory_bytes();
        self.sets.push(set);
        bytes
    }

    fn thread(&mut self, thread: &Thread) {
        match &thread.head {
            _ if self.steps.are_used_up() => {}
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
            let (rules, follows) = (self.rules, self.follows);
            follows.look(&thread.below, thread.tape.extended(rest), |follow| {
                self.steps.spend(follow.threads(Follow::START, rules).len());
                self.below(trie.children(node), follow, Follow::START);
            });
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
        self.whole_tokens(leaf, state, &class, &entry);
        self.exits(&Left { thread, leaf, state }, &class, &entry);
    }

    /// Tokens that a leaf reads from end to end.
    fn whole_tokens(&mut self, leaf: &Leaf, state: State, class: &Class, entry: &LeafEntry) {
        let is_read = |token: &&TokenId| {
            let bytes = self.vocabulary.token_bytes(**token).unwrap_or_default();
            !begins_with(bytes, &class.doubtful) || reads(leaf, state, bytes).is_some()
        };
        let set = if class.is_exact() || entry.complete.iter().all(|token| is_read(&token)) {
            &entry.whole
        } else {
            self.others.extend(entry.complete.iter().filter(is_read));
            &entry.inside
        };
        if !self.sets.iter().any(|known| Arc::ptr_eq(known, set)) {
            self.sets.push(set.clone());
        }
    }

    /// Tokens that leave a leaf after at least one byte.
    fn exits(&mut self, left: &Left<'_>, class: &Class, entry: &LeafEntry) {
        let (leaves, rules, follows, thread) = (self.leaves, self.rules, self.follows, left.thread);
        let table = (left.leaf, class, entry);
        if !thread.arms().is_empty() {
            return leaves.exits(self.vocabulary, table, |exits| self.each_exit(left, exits));
        }
        // Others wait while one looks, so tables are made between two looks.
        let look = |follow: &mut Follow| {
            let may_end_here = !thread.leaves_uniformly() && follow.accepts(Follow::START, rules);
            (may_end_here, follow.threads(Follow::START, rules).iter().any(takes_bytes))
        };
        match follows.look(&thread.below, thread.tape.forgotten(), look) {
            (true, _) => leaves.exits(self.vocabulary, table, |exits| self.each_exit(left, exits)),
            (false, true) => leaves.exits(self.vocabulary, table, |exits| {
                follows.look(&thread.below, thread.tape.forgotten(), |follow| {
                    self.all_exits(left, class, exits, follow);
                });
            }),
            // A special token follows free text, which can be left anywhere: the list would be as long as the vocabulary.
            (false, false) => {}
        }
    }

    /// The ways out of a leaf where the same follows whatever was read.
    fn all_exits(&mut self, left: &Left<'_>, class: &Class, exits: &[Exit], follow: &mut Follow) {
        let is_bounded = class.budget != u32::MAX;
        let is_exact = class.is_exact() && !is_bounded;
        for group in exits.chunk_by(|a, b| a.byte == b.byte) {
            if let Some(at) = follow.next(Follow::START, group[0].byte, self.rules, &mut self.steps) {
                let is_open = |exit: &&Exit| {
                    let read = self.vocabulary.prefix(exit.parent);
                    !is_bounded && !begins_with(read, &class.doubtful) || left.after(read).is_some()
                };
                let open = group.iter().filter(|exit| is_exact || is_open(exit));
                let ways: Vec<Way> = open.map(|exit| Way::of(*exit, self.vocabulary)).collect();
                self.subtrees(&ways, follow, at, left);
            }
        }
    }

    /// The ways out of a leaf where what follows depends on what was read: each text is left once.
    fn each_exit(&mut self, left: &Left<'_>, exits: &[Exit]) {
        let mut texts: Vec<u32> = exits.iter().map(|exit| exit.parent).collect();
        texts.sort_unstable();
        texts.dedup();
        for node in texts {
            let read = self.vocabulary.prefix(node);
            let way = left.after(read).and_then(|state| left.thread.left(left.leaf, state, read));
            if let Some(way) = way {
                let mut follow = Follow::new(way.into());
                self.steps.spend(1);
                let children = self.vocabulary.trie().children(Some(node));
                self.below(children, &mut follow, Follow::START);
            }
        }
    }

    /// What is ahead after a way, with what was captured.
    fn beyond(&self, left: &Left<'_>, way: Way) -> Ahead {
        let (read, rest) = self.vocabulary.prefix(way.node).split_at(way.leaves_at);
        let mut after = Vec::new();
        if let Some(state) = left.after(read) {
            left.thread.leave(left.leaf, state, read, self.rules, &mut after);
        }
        let mut ahead = Ahead::default();
        advance_into(&after, rest, self.rules, &mut ahead);
        ahead
    }

    /// Tokens at and below ways out of a leaf that are the same from there on.
    ///
    /// The ways are walked as one, so that each remainder is looked up once: of the 1,141 tokens with a quotation mark, many end alike.
    fn subtrees(&mut self, ways: &[Way], follow: &mut Follow, at: Place, left: &Left<'_>) {
        let trie = self.vocabulary.trie();
        self.others.extend(ways.iter().filter_map(|way| trie.node(way.node).token));
        let children = |way: &Way| trie.children(Some(way.node)).map(|node| (trie.node(node).byte, node));
        let longer =
            ways.iter().flat_map(|way| children(way).map(|(byte, node)| (byte, Way { node, ..*way })));
        let mut longer: Vec<(u8, Way)> = longer.collect();
        longer.sort_unstable();
        self.steps.spend(longer.len() / WAYS_PER_STEP);
        for group in longer.chunk_by(|(a, _), (b, _)| a == b) {
            if let Some(next) = follow.next(at, group[0].0, self.rules, &mut self.steps) {
                let ways: Vec<Way> = group.iter().map(|(_, way)| *way).collect();
                self.subtrees(&ways, follow, next, left);
            }
        }
        // What is common to all captured texts may end here: what follows is each one's own.
        if !left.thread.leaves_uniformly() && follow.accepts(at, self.rules) {
            for way in ways.iter().filter(|way| trie.children(Some(way.node)).next().is_some()) {
                let mut own = Follow::new(self.beyond(left, *way));
                self.below(trie.children(Some(way.node)), &mut own, Follow::START);
            }
        }
    }

    /// Tokens at and below sibling nodes, given the place before them.
    fn below(&mut self, children: impl Iterator<Item = u32>, follow: &mut Follow, at: Place) {
        let trie = self.vocabulary.trie();
        for node in children {
            if let Some(next) = follow.next(at, trie.node(node).byte, self.rules, &mut self.steps) {
                self.others.extend(trie.node(node).token);
                self.below(trie.children(Some(node)), follow, next);
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

fn begins_with(bytes: &[u8], first: &ByteSet) -> bool {
    bytes.first().is_some_and(|byte| first.contains(*byte))
}

fn takes_bytes(thread: &Thread) -> bool {
    matches!(thread.head, Head::Literal { .. } | Head::Leaf { .. })
}
