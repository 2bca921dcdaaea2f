//! Collecting the tokens that threads allow.
//!
//! The walk is over *frames*, not over threads. A frame ends at some nodes of the trie, its
//! [ways](super::ways); the frame below reads on from all of them at once, and gives the tokens that it reads
//! there and the ways at which it ends itself. No thread is stepped over bytes, and where no token goes on,
//! what follows (all members that an object may still have) is never expanded.
//!
//! Captured texts are the exception, because each has a continuation of its own. All texts are read as one as
//! long as their continuations agree ([`Tape::Any`]). Texts that have the [usual](super::usual) continuation
//! stay together to the end; each other text is advanced by itself.

use std::cell::OnceCell;
use std::sync::Arc;

use super::Unit;
use super::advance::advance;
use super::allowed::Allowed;
use super::expansions::Expansions;
use super::inside::Inside;
use super::kept::Kept;
use super::leaf_table::{LeafEntry, LeafTables};
use super::openings::Openings;
use super::residual::step;
use super::sort::{Exits, Scope, pass_on};
use super::stack::{Frame, Stack};
use super::steps::Steps;
use super::summary::{Beyond, Summary};
use super::tape::Tape;
use super::thread::{Head, Thread};
use super::token_set::TokenSet;
use super::usual::Usual;
use super::walk;
use super::ways::Ways;
use crate::cache::{Asks, Parts};
use crate::expression::{Class, Expression, Kind, Leaf, State};
use crate::regular::ByteSet;
use crate::special::{SpecialToken, TokenId};
use crate::vocabulary::Vocabulary;

/// More tokens than this that are in no shared set are a set of their own.
const MANY: usize = 4_096;

/// Ways that are looked at in the time of a step.
const WAYS_PER_STEP: usize = 64;

/// Where tokens of a thread are collected: the thread, and the node of the trie at which it stands.
#[derive(Clone, Copy)]
struct Origin<'t> {
    thread: &'t Thread,
    /// `None` where no byte of a token was read.
    node: Option<u32>,
}

/// Room for the tokens that most masks list. With it, and with room for eight pending expressions where a
/// stack is opened, the mean of mask and accept is 2 to 4 % less (every twelfth file of maskbench-dev, with
/// and without in turn, ten times).
const USUAL: usize = 256;

/// Collects the tokens of threads.
pub(super) struct Collector<'a> {
    vocabulary: &'a Vocabulary,
    leaves: &'a LeafTables,
    openings: &'a Openings,
    threads: &'a [Thread],
    /// Whether one of the threads reads any plain text.
    reads_plain: OnceCell<bool>,
    steps: Steps,
    /// Tokens that are read by one leaf to their end.
    inside: Inside,
    /// All others.
    beyond: Beyond,
}

impl<'a> Collector<'a> {
    /// The tokens that `threads` allow, found in turns of so many steps.
    pub(super) fn allowed(
        vocabulary: &'a Vocabulary,
        leaves: &'a LeafTables,
        openings: &'a Openings,
        threads: &'a [Thread],
        turns: impl Iterator<Item = usize>,
    ) -> Allowed {
        for steps in turns {
            let mut collector = Self {
                vocabulary,
                leaves,
                openings,
                threads,
                reads_plain: OnceCell::new(),
                steps: Steps::new(steps),
                inside: Inside::default(),
                beyond: Beyond::with_room(USUAL),
            };
            collector.steps.meet(threads);
            threads.iter().for_each(|thread| collector.thread(Origin { thread, node: None }));
            if !collector.steps.are_used_up() {
                return collector.finish();
            }
            if let Some(tokens) = walk::tokens(vocabulary, openings.rules(), threads, Steps::new(steps)) {
                return walked(vocabulary, openings.rules(), threads, tokens);
            }
        }
        unreachable!("turns go on until one has steps enough")
    }

    fn finish(mut self) -> Allowed {
        let own_bytes = if self.beyond.tokens.len() > MANY { self.gather() } else { 0 };
        let Beyond { sets, tokens, .. } = self.beyond;
        Allowed::new(self.inside, sets.into(), tokens.into(), own_bytes)
    }

    /// Makes a set of the ordinary tokens that are in none; the bytes of it.
    fn gather(&mut self) -> usize {
        let is_ordinary = |token: &mut TokenId| self.vocabulary.special(*token).is_none();
        let ordinary = self.beyond.tokens.extract_if(.., is_ordinary);
        add_own(&mut self.inside, self.vocabulary, ordinary)
    }

    /// Adds the tokens of a thread.
    fn thread(&mut self, origin: Origin<'_>) {
        if self.steps.are_used_up() {
            return;
        }
        self.steps.spend(1);
        match &origin.thread.head {
            Head::End => {}
            Head::Special(token) if origin.node.is_none() => {
                self.beyond.tokens.push(self.vocabulary.special_id(*token));
            }
            Head::Special(_) => {}
            Head::Literal { bytes, at } => {
                let end = literal(self.vocabulary, origin.node, &bytes[*at..], &mut self.beyond.tokens);
                let ways = end.and_then(|end| Ways::new(self.vocabulary, [end]));
                ways.into_iter().for_each(|ways| self.leave(origin, &origin.thread.below, &ways));
            }
            Head::Leaf { leaf, state } => self.leaf(origin, leaf, *state),
        }
    }

    fn leaf(&mut self, origin: Origin<'_>, leaf: &Leaf, state: State) {
        let thread = origin.thread;
        // Tokens that leave before their first byte.
        if let Some(label) = leaf.accepts(state) {
            let after = self.openings.threads(&thread.below_leaf(label), thread.tape.clone());
            after.iter().for_each(|thread| self.thread(Origin { thread, ..origin }));
        }
        let Some(node) = origin.node else { return self.whole_leaf(origin, leaf, state) };
        if let Some(ways) = Ways::new(self.vocabulary, [node]) {
            let passed = self.leaves.passed(self.vocabulary, &ways, leaf, state);
            self.beyond.add(&passed.tokens);
            self.leave_by(origin, &passed.exits);
        }
    }

    /// Tokens that begin in a leaf.
    fn whole_leaf(&mut self, origin: Origin<'_>, leaf: &Leaf, state: State) {
        let (leaves, vocabulary, class) = (self.leaves, self.vocabulary, leaf.class(state));
        let entry = leaves.entry(vocabulary, leaf, &class, self.scope(leaf, &class));
        let (exits, doubtful) = self.ways_out(origin.thread, leaf, &class, &entry);
        if class.is_exact() && doubtful == ByteSet::EMPTY {
            self.inside.add(&entry.whole);
            return self.leave_by(origin, &exits);
        }
        let make = || Kept::new(vocabulary, (leaf, state), (&class, &entry), (&exits, &doubtful));
        let kept = leaves.kept(leaf, state, make);
        self.whole_tokens(&entry, &kept.refused);
        self.leave_by(origin, &kept.exits);
    }

    /// Which tokens are asked of a state: those of plain text only where no thread reads any. Of two patterns
    /// for names four kinds of names are made (what one of them matches, both, or none), and text that may
    /// still become one of both is any text. The slowest masks of `Handwritten---test.NoType` and
    /// `Github_trivial---o78129` take 0.2 and 0.08 instead of 3.0 and 0.46 ms (old and new in turn, least of
    /// eight runs).
    fn scope(&self, leaf: &Leaf, class: &Class) -> Scope {
        let is_plain = |thread: &Thread| match &thread.head {
            Head::Leaf { leaf, state } => reads_plain(leaf, &leaf.class(*state)),
            _ => false,
        };
        let is_read = || *self.reads_plain.get_or_init(|| self.threads.iter().any(is_plain));
        let has_plain = class.read_by(leaf).plain(class.state).is_some();
        if has_plain && !reads_plain(leaf, class) && is_read() { Scope::BeyondPlain } else { Scope::All }
    }

    /// The ways out of the leaf of a thread for the class of its state, and the bytes that are doubtful in
    /// them.
    fn ways_out(
        &self,
        thread: &Thread,
        leaf: &Leaf,
        class: &Class,
        entry: &LeafEntry,
    ) -> (Arc<Exits>, ByteSet) {
        match &entry.exits {
            Some(exits) => (exits.clone(), class.doubtful),
            None if self.takes_bytes_below(thread) => {
                let doubtful = if class.budget == u32::MAX { class.doubtful } else { ByteSet::ALL };
                (self.leaves.exits(self.vocabulary, leaf, class), doubtful)
            }
            // A special token follows free text, which can be left anywhere: the list would be as long as the
            // vocabulary.
            None => (Arc::default(), ByteSet::EMPTY),
        }
    }

    /// Adds the tokens that leave the leaf of a thread at these ways, and go on below.
    fn leave_by(&mut self, origin: Origin<'_>, exits: &Exits) {
        for (label, ways) in exits {
            self.leave(origin, &origin.thread.below_leaf(*label), ways);
        }
    }

    /// Tokens that a leaf reads from end to end, but for some that complete it, ascending.
    fn whole_tokens(&mut self, entry: &LeafEntry, refused: &[TokenId]) {
        let complete = &entry.complete.tokens;
        if refused.len() > complete.len() / 2 || !self.inside.add_except(&entry.whole, refused) {
            let is_read = |token: &TokenId| refused.binary_search(token).is_err();
            self.inside.add(entry.inside(self.vocabulary));
            self.beyond.tokens.extend(complete.iter().copied().filter(is_read));
        }
    }

    /// Whether bytes may follow the leaf of a thread.
    fn takes_bytes_below(&self, thread: &Thread) -> bool {
        let takes_bytes = |next: &Thread| match next.head {
            Head::Literal { .. } | Head::Leaf { .. } => true,
            // Something that depends on a captured text, if anything.
            Head::End => next.below.top().is_some(),
            Head::Special(_) => false,
        };
        let opened = || self.openings.common(&thread.below, &thread.tape);
        !thread.arms().is_empty() || opened().iter().any(takes_bytes)
    }

    /// Adds the tokens that leave the first frame of a thread at some ways, and go on below.
    fn leave(&mut self, origin: Origin<'_>, below: &Stack, ways: &Ways) {
        let depth = origin.node.map_or(0, |node| usize::from(self.vocabulary.trie().node(node).depth));
        let vocabulary = self.vocabulary;
        let read = |node| &vocabulary.prefix(node)[depth..];
        let mut own = Vec::new();
        match Usual::new(vocabulary, origin.thread, (below, ways), read) {
            Some(Usual { below, tape, ways, known }) => {
                ways.iter().for_each(|ways| self.below(&below, &tape, ways));
                own = known;
            }
            None => self.below(below, &origin.thread.tape, ways),
        }
        own.append(&mut self.beyond.captured);
        own.sort_unstable();
        own.dedup();
        for node in own {
            let threads = advance(std::slice::from_ref(origin.thread), read(node), self.openings);
            self.steps.meet(&threads);
            threads.iter().for_each(|thread| self.thread(Origin { thread, node: Some(node) }));
        }
    }

    /// Adds the tokens that go on after some ways on a stack.
    fn below(&mut self, stack: &Stack, tape: &Tape, ways: &Ways) {
        if let Some((Frame::Expression(expression), rest)) = stack.top()
            && matches!(expression.kind(), Kind::Rule(rule) if rule.recurs())
        {
            let summary = self.summary(expression, ways);
            self.beyond.add_all(&summary);
            return summary.ends.iter().for_each(|ways| self.below(rest, tape, ways));
        }
        let threads = self.openings.common(stack, tape);
        threads.iter().for_each(|thread| self.pass(thread, ways));
    }

    /// What an expression does with tokens that go on after some ways.
    fn summary(&mut self, expression: &Expression, ways: &Ways) -> Arc<Summary> {
        let asked = Parts((expression, ways));
        if let Some(known) = self.openings.summaries().get(&asked) {
            return known;
        }
        let beyond = std::mem::take(&mut self.beyond);
        let threads = self.openings.common(&Stack::default().push_expression(expression), &Tape::Outside);
        threads.iter().for_each(|thread| self.pass(thread, ways));
        let found = std::mem::replace(&mut self.beyond, beyond);
        let summary = Arc::new(Summary::new(self.vocabulary, found));
        if !self.steps.are_used_up() {
            self.openings.summaries().insert(asked.key(), summary.clone());
        }
        summary
    }

    /// Adds the tokens of a literal after some ways; the ways after it.
    fn spell(&mut self, ways: &Ways, bytes: &[u8]) -> Option<Ways> {
        match bytes {
            [] => Some(ways.clone()),
            [first, rest @ ..] if ways.are_many() => {
                let passed = self.leaves.passed_byte(self.vocabulary, ways, *first);
                self.beyond.add(&passed.tokens);
                self.spell(passed.ways()?, rest)
            }
            _ => {
                let end = |node: &u32| literal(self.vocabulary, Some(*node), bytes, &mut self.beyond.tokens);
                Ways::new(self.vocabulary, ways.nodes().iter().filter_map(end))
            }
        }
    }

    /// Adds the tokens that go on after some ways in a thread whose texts are not known.
    fn pass(&mut self, thread: &Thread, ways: &Ways) {
        if self.steps.are_used_up() {
            return;
        }
        self.steps.spend(1 + ways.nodes().len() / WAYS_PER_STEP);
        match &thread.head {
            Head::End => match thread.below.top() {
                Some((Frame::Own(bytes), _)) => {
                    self.beyond.captured.extend(ways.before(self.vocabulary, bytes));
                }
                _ => self.beyond.ends.extend(ways.nodes()),
            },
            Head::Special(_) => {}
            Head::Literal { bytes, at } => {
                if let Some(ways) = self.spell(ways, &bytes[*at..]) {
                    self.below(&thread.below, &thread.tape, &ways);
                }
            }
            Head::Leaf { leaf, state } => {
                if let Some(label) = leaf.accepts(*state) {
                    self.below(&thread.below_leaf(label), &thread.tape, ways);
                }
                if ways.lead_to_few(self.vocabulary) {
                    let tokens = &mut self.beyond.tokens;
                    let take = |token| tokens.push(token);
                    let exits = pass_on(self.vocabulary, ways.nodes(), (leaf, *state), Vec::new(), take);
                    return self.pass_below(thread, &exits);
                }
                let passed = self.leaves.passed(self.vocabulary, ways, leaf, *state);
                self.beyond.add(&passed.tokens);
                self.pass_below(thread, &passed.exits);
            }
        }
    }

    fn pass_below(&mut self, thread: &Thread, exits: &Exits) {
        for (label, ways) in exits {
            self.below(&thread.below_leaf(*label), &thread.tape, ways);
        }
    }
}

/// Whether a state of this class reads any plain text.
fn reads_plain(leaf: &Leaf, class: &Class) -> bool {
    let text = class.read_by(leaf).plain(class.state);
    class.budget == u32::MAX && text.is_some_and(|text| text.dfa.reads_any_text(text.state))
}

/// What is allowed where all threads were walked at once, and these ordinary tokens found.
fn walked(vocabulary: &Vocabulary, rules: &Expansions, threads: &[Thread], found: Vec<TokenId>) -> Allowed {
    let is_allowed = |special: &SpecialToken| !step(threads, Unit::Special(*special), rules).is_empty();
    let specials = SpecialToken::ALL.into_iter().filter(is_allowed);
    let specials = specials.map(|special| vocabulary.special_id(special)).collect();
    let mut inside = Inside::default();
    let own_bytes = add_own(&mut inside, vocabulary, found);
    Allowed::new(inside, [].into(), specials, own_bytes)
}

/// Adds a set of these tokens, of one mask alone; its bytes.
fn add_own(inside: &mut Inside, vocabulary: &Vocabulary, tokens: impl IntoIterator<Item = TokenId>) -> usize {
    let mut own = TokenSet::builder(vocabulary.width());
    tokens.into_iter().for_each(|token| own.insert(token));
    let own = Arc::new(own.finish());
    inside.add(&own);
    own.memory_bytes()
}

/// Follows the one path of a literal from a node, or from the root; the last node, if the trie has the path.
fn literal(
    vocabulary: &Vocabulary,
    from: Option<u32>,
    rest: &[u8],
    tokens: &mut Vec<TokenId>,
) -> Option<u32> {
    let trie = vocabulary.trie();
    rest.iter().try_fold(from, |node, byte| {
        let child = trie.child(node, *byte)?;
        tokens.extend(trie.node(child).token);
        Some(Some(child))
    })?
}
