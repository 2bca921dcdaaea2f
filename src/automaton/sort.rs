//! Sorting the tokens of a vocabulary by what a leaf state does with them.
//!
//! There are four methods, by how much is known of the state:
//!
//! * Where the leaf lists its texts, as for names, their paths in the trie are followed: p99 of mask + accept
//!   is 0.96 of what it is where the leaf is asked for each byte, the mean 0.98 (1,500 files of
//!   maskbench-dev, old and new in turn, four times).
//! * Where the state reads any plain text, the vocabulary has the tokens listed.
//! * Where an automaton alone reads plain text, it reads it [shape by shape](super::plain). Here and before,
//!   only what lies behind a byte that is not plain is walked.
//! * Otherwise, or where only a word or two may follow, the trie is walked with the leaf itself.

use std::ops::Range;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

use super::plain::{Break, Breaks, Plain};
use super::runs::Runs;
use super::token_set::{Builder, TokenSet};
use super::ways::Ways;
use crate::expression::{Label, Leaf, State};
use crate::regular::{ByteSet, StateId};
use crate::special::TokenId;
use crate::vocabulary::Vocabulary;

/// The tokens that a leaf state reads.
pub(super) struct Sorted {
    /// Those that stay inside the leaf, which can be longer after them.
    pub(super) inside: Builder,
    /// Those that complete the leaf, each after its first byte.
    pub(super) complete: Vec<(u8, TokenId)>,
    /// The ways out of the leaf; `None` where it may also be left when it could be longer: then they are
    /// many, and seldom asked for.
    pub(super) exits: Option<Exits>,
}

/// Which tokens that a leaf state reads are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Scope {
    All,
    /// Those that are more than plain text, where that is read anyway.
    BeyondPlain,
}

/// Ways out of a leaf after at least one byte, by the label of what was read.
pub(super) type Exits = Box<[(Label, Ways)]>;

/// The bytes that ways out of a leaf hold.
pub(super) fn exit_bytes(exits: &Exits) -> usize {
    exits.iter().map(|(_, ways)| size_of::<(Label, Ways)>() + ways.memory_bytes()).sum()
}

/// What a leaf state, or one byte, does with tokens that go on after some ways.
#[derive(Debug)]
pub(super) struct Passed {
    /// Those that the leaf reads.
    pub(super) tokens: Arc<TokenSet>,
    /// Where they may leave it.
    pub(super) exits: Exits,
}

impl Passed {
    /// Where it goes on after one byte.
    pub(super) fn ways(&self) -> Option<&Ways> {
        self.exits.first().map(|(_, ways)| ways)
    }
}

/// A place in the trie that a leaf reads to, where it is more than plain text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached {
    node: u32,
    /// The leaf's [cost](crate::expression::Language::cost) there.
    cost: u32,
    end: End,
}

/// Whether a leaf may end somewhere.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    No,
    /// It may, and may also be longer.
    May,
    Must(Label),
}

impl End {
    pub(super) fn of(leaf: &Leaf, state: State) -> Self {
        match leaf.accepts(state) {
            None => Self::No,
            Some(label) if leaf.is_complete(state) => Self::Must(label),
            Some(_) => Self::May,
        }
    }
}

/// Sorts the tokens that a leaf state reads.
pub(super) fn sort(
    vocabulary: &Vocabulary,
    runs: &Runs,
    (leaf, state): (&Leaf, State),
    scope: Scope,
) -> Sorted {
    let mut sorting = Sorting::new(vocabulary, leaf, state);
    if let Some(texts) = leaf.texts(state) {
        along_texts(vocabulary, texts, |node, end| sorting.add(node, end));
        return sorting.finish();
    }
    let mut walk = Walk::new(vocabulary, leaf);
    if walk.is_narrow(state) {
        walk.all(state, None, |node, state| sorting.add(node, End::of(leaf, state)));
        return sorting.finish();
    }
    let plain = plain_text(vocabulary, (leaf, state), (u32::MAX, scope), Breaks::Wanted);
    sorting.add_plain(runs, plain.as_ref());
    let breaks = plain.map(|plain| plain.breaks(vocabulary));
    walk.all(state, breaks, |node, state| sorting.add(node, End::of(leaf, state)));
    sorting.finish()
}

/// Sorts the tokens that a leaf state reads at a cost within `budget`; and all that it reaches besides plain
/// text, with what that costs, which is found with the first budget and given with all others. Some 250 of
/// them matter where texts have a greatest length, and each would be a walk of 0.2 ms. Were the plain text
/// read a second time for it, p99.9 of mask + accept would be 68 instead of 55 µs over three files that count
/// words, and 109 instead of 76 over four with formats of bounded length.
pub(super) fn sort_within(
    vocabulary: &Vocabulary,
    runs: &Runs,
    (leaf, state): (&Leaf, State),
    (budget, scope): (u32, Scope),
    reached: Option<Arc<Vec<Reached>>>,
) -> (Sorted, Arc<Vec<Reached>>) {
    let mut sorting = Sorting::new(vocabulary, leaf, state);
    let breaks = if reached.is_none() { Breaks::Wanted } else { Breaks::Unwanted };
    let plain = plain_text(vocabulary, (leaf, state), (budget, scope), breaks);
    sorting.add_plain(runs, plain.as_ref());
    let reached = reached.unwrap_or_else(|| {
        let breaks = plain.map(|plain| plain.breaks(vocabulary));
        Arc::new(reach(vocabulary, leaf, state, breaks))
    });
    let within = reached.iter().filter(|reached| reached.cost <= budget);
    within.for_each(|Reached { node, end, .. }| sorting.add(*node, *end));
    (sorting.finish(), reached)
}

/// What a leaf state reaches besides the plain text before these breaks.
fn reach(vocabulary: &Vocabulary, leaf: &Leaf, state: State, breaks: Option<Vec<Break>>) -> Vec<Reached> {
    let mut reached = Vec::new();
    Walk::new(vocabulary, leaf).all(state, breaks, |node, state| {
        reached.push(Reached { node, cost: leaf.cost(state), end: End::of(leaf, state) });
    });
    reached
}

/// Tokens that are being sorted.
struct Sorting<'a> {
    vocabulary: &'a Vocabulary,
    inside: Builder,
    complete: Vec<(u8, TokenId)>,
    exits: Vec<(Label, u32)>,
    may_be_longer: bool,
}

impl<'a> Sorting<'a> {
    fn new(vocabulary: &'a Vocabulary, leaf: &Leaf, state: State) -> Self {
        let inside = TokenSet::builder(vocabulary.width());
        let may_be_longer = leaf.accepts(state).is_some();
        Self { vocabulary, inside, complete: Vec::new(), exits: Vec::new(), may_be_longer }
    }

    fn add_plain(&mut self, runs: &Runs, plain: Option<&Plain>) {
        plain.into_iter().for_each(|plain| plain.add_to(self.vocabulary, runs, &mut self.inside));
    }

    fn add(&mut self, node: u32, end: End) {
        let trie = self.vocabulary.trie();
        let token = trie.node(node).token;
        if let End::Must(label) = end {
            self.complete.extend(token.map(|token| (trie.first_byte(node), token)));
            self.exits.push((label, node));
        } else {
            self.may_be_longer |= matches!(end, End::May);
            token.into_iter().for_each(|token| self.inside.insert(token));
        }
    }

    fn finish(self) -> Sorted {
        let Self { vocabulary, inside, complete, exits, may_be_longer } = self;
        let exits = (!may_be_longer).then(|| by_label(vocabulary, exits));
        Sorted { inside, complete, exits }
    }
}

/// The plain text that a leaf state reads, where an automaton alone reads it.
fn plain_text(
    vocabulary: &Vocabulary,
    (leaf, state): (&Leaf, State),
    (budget, scope): (u32, Scope),
    breaks: Breaks,
) -> Option<Plain> {
    let text = leaf.plain(state)?;
    Some(match scope {
        Scope::All => Plain::read(vocabulary, text.dfa, text.state, budget, breaks),
        Scope::BeyondPlain => Plain::pass_over(vocabulary, text.dfa, text.state, breaks),
    })
}

/// The ways out of a leaf after at least one byte.
pub(super) fn exits(vocabulary: &Vocabulary, leaf: &Leaf, state: State) -> Exits {
    let mut exits = Vec::new();
    Walk::new(vocabulary, leaf).all(state, None, |node, state| {
        exits.extend(leaf.accepts(state).map(|label| (label, node)));
    });
    by_label(vocabulary, exits)
}

/// Reads on with a leaf from some ways.
pub(super) fn pass(vocabulary: &Vocabulary, ways: &Ways, at: (&Leaf, State)) -> Passed {
    let mut tokens = TokenSet::builder(vocabulary.width());
    let exits = pass_on(vocabulary, ways.nodes(), at, Vec::new(), |token| tokens.insert(token));
    Passed { tokens: Arc::new(tokens.finish()), exits }
}

/// Reads on with a leaf that stands in a state after the only byte that it begins with; what that byte does
/// with the ways is known.
pub(super) fn pass_after(
    vocabulary: &Vocabulary,
    byte: &Passed,
    at @ (leaf, state): (&Leaf, State),
) -> Passed {
    let ways = byte.ways().map_or(&[][..], Ways::nodes);
    let label = leaf.accepts(state);
    let exits = label.into_iter().flat_map(|label| ways.iter().map(move |node| (label, *node)));
    let mut tokens = byte.tokens.to_builder(vocabulary.width());
    let exits = pass_on(vocabulary, ways, at, exits.collect(), |token| tokens.insert(token));
    Passed { tokens: Arc::new(tokens.finish()), exits }
}

/// Takes the tokens that a leaf reads below some nodes; where it may be left, with the exits that are known.
pub(super) fn pass_on(
    vocabulary: &Vocabulary,
    nodes: &[u32],
    (leaf, state): (&Leaf, State),
    mut exits: Vec<(Label, u32)>,
    mut take: impl FnMut(TokenId),
) -> Exits {
    let trie = vocabulary.trie();
    Walk::new(vocabulary, leaf).below(state, nodes, |node, state| {
        trie.node(node).token.into_iter().for_each(&mut take);
        exits.extend(leaf.accepts(state).map(|label| (label, node)));
    });
    by_label(vocabulary, exits)
}

/// Reads one byte from some ways.
pub(super) fn pass_byte(vocabulary: &Vocabulary, ways: &Ways, byte: u8) -> Passed {
    let trie = vocabulary.trie();
    let nodes: Vec<u32> = ways.nodes().iter().filter_map(|node| trie.child(Some(*node), byte)).collect();
    let mut tokens = TokenSet::builder(vocabulary.width());
    nodes.iter().filter_map(|node| trie.node(*node).token).for_each(|token| tokens.insert(token));
    let exits = Ways::new(vocabulary, nodes).map(|ways| (0, ways));
    Passed { tokens: Arc::new(tokens.finish()), exits: exits.into_iter().collect() }
}

pub(super) fn by_label(vocabulary: &Vocabulary, mut exits: Vec<(Label, u32)>) -> Exits {
    exits.sort_unstable();
    let groups = exits.chunk_by(|(a, _), (b, _)| a == b);
    let ways = |group: &[(Label, u32)]| {
        Some((group[0].0, Ways::new(vocabulary, group.iter().map(|(_, node)| *node))?))
    };
    groups.filter_map(ways).collect()
}

/// Visits the trie nodes along ascending texts, those along a common beginning once.
fn along_texts(vocabulary: &Vocabulary, texts: Vec<(&[u8], Label)>, mut visit: impl FnMut(u32, End)) {
    let trie = vocabulary.trie();
    let (mut path, mut previous): (Vec<u32>, &[u8]) = (Vec::new(), &[]);
    for (text, label) in texts {
        let shared = previous.iter().zip(text).take_while(|(a, b)| a == b).count();
        previous = text;
        if path.len() < shared {
            continue; // No token goes on where they part.
        }
        path.truncate(shared);
        for (at, byte) in text.iter().enumerate().skip(shared) {
            let Some(node) = trie.child(path.last().copied(), *byte) else { break };
            path.push(node);
            visit(node, if at + 1 == text.len() { End::Must(label) } else { End::No });
        }
    }
}

/// A walk over the trie by a leaf.
struct Walk<'a> {
    vocabulary: &'a Vocabulary,
    leaf: &'a Leaf,
    /// The states before nodes of a range, by their depth in it. Made once: a walk is often of thousands of
    /// small ranges.
    states: Vec<State>,
}

/// Fewer bytes than this are looked up below a node; more are met on the way through its children.
const FEW_BYTES: u32 = 8;

impl<'a> Walk<'a> {
    fn new(vocabulary: &'a Vocabulary, leaf: &'a Leaf) -> Self {
        Self { vocabulary, leaf, states: Vec::new() }
    }

    /// Visits the trie nodes whose bytes the leaf can read from `state`, with the state they lead to; where
    /// plain text is left out, those that come after one of its ends.
    fn all(&mut self, state: State, breaks: Option<Vec<Break>>, mut visit: impl FnMut(u32, State)) {
        let trie = self.vocabulary.trie();
        let Some(breaks) = breaks else {
            return match self.leaf.next_bytes(state) {
                Some(bytes) => self.along(state, None, &bytes, &mut visit),
                None => self.range(state, 0..trie.len(), &mut visit),
            };
        };
        let has_controls = self.leaf.plain(state).is_some_and(|text| text.has_controls);
        // Texts of one length that lead to one state of the automaton lead to one state of the leaf.
        let mut befores: HashMap<(StateId, u32), Option<State>> = HashMap::new();
        for Break { node, state: at, characters } in breaks {
            let found = trie.node(node);
            // Of 1,314 breaks in `o200k_harmony` 1,101 are control characters.
            if found.byte < b' ' && !has_controls {
                continue;
            }
            let prefix = || &self.vocabulary.prefix(node)[..found.parent_depth()];
            let before = befores.entry((at, characters)).or_insert_with(|| self.leaf.reads(state, prefix()));
            if let Some(before) = *before {
                self.range(before, node..found.end, &mut visit);
            }
        }
    }

    /// Visits the readable nodes below some nodes, at each of which the leaf stands in `state`.
    fn below(&mut self, state: State, nodes: &[u32], mut visit: impl FnMut(u32, State)) {
        let bytes = self.few_bytes(state);
        for node in nodes {
            self.below_one(state, *node, bytes.as_ref(), &mut visit);
        }
    }

    fn below_one(
        &mut self,
        state: State,
        node: u32,
        bytes: Option<&ByteSet>,
        visit: &mut impl FnMut(u32, State),
    ) {
        match bytes {
            Some(bytes) => self.along(state, Some(node), bytes, visit),
            None => self.range(state, node + 1..self.vocabulary.trie().node(node).end, visit),
        }
    }

    /// Visits the readable nodes that go on from a node, or from the root, with these bytes. A leaf that
    /// reads few bytes, as in the middle of a name, is not asked for each child.
    fn along(
        &mut self,
        state: State,
        from: Option<u32>,
        bytes: &ByteSet,
        visit: &mut impl FnMut(u32, State),
    ) {
        let trie = self.vocabulary.trie();
        for byte in bytes.iter() {
            let child = trie.child(from, byte);
            let Some((child, next)) = child.zip(self.leaf.step(state, byte)) else { continue };
            visit(child, next);
            if child + 1 < trie.node(child).end {
                self.below_one(next, child, self.few_bytes(next).as_ref(), visit);
            }
        }
    }

    /// Whether few bytes may come next, and few after each: what is left of a word or two. Then little of the
    /// vocabulary is read.
    fn is_narrow(&self, state: State) -> bool {
        let after = |byte| self.leaf.step(state, byte).is_none_or(|next| self.few_bytes(next).is_some());
        self.few_bytes(state).is_some_and(|bytes| bytes.iter().all(after))
    }

    fn few_bytes(&self, state: State) -> Option<ByteSet> {
        self.leaf.next_bytes(state).filter(|bytes| bytes.len() < FEW_BYTES)
    }

    /// Visits the readable nodes among some whole subtrees that stand side by side; `state` is the one before
    /// them.
    fn range(&mut self, state: State, nodes: Range<u32>, visit: &mut impl FnMut(u32, State)) {
        let trie = self.vocabulary.trie();
        let mut at = nodes.start;
        if at == nodes.end {
            return;
        }
        let top = trie.node(at).parent_depth();
        self.states.clear();
        self.states.push(state);
        while at < nodes.end {
            let node = trie.node(at);
            let depth = node.parent_depth() - top;
            match self.leaf.step(self.states[depth], node.byte) {
                Some(next) => {
                    visit(at, next);
                    self.states.truncate(depth + 1);
                    self.states.push(next);
                    at += 1;
                }
                None => at = node.end,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Visits the beginnings of texts that the trie has, each once, and knows which of them are whole.
    fn check(texts: &[&str]) {
        let vocabulary = Vocabulary::o200k_harmony();
        let trie = vocabulary.trie();
        let mut found = Vec::new();
        let labelled = texts.iter().map(|text| text.as_bytes()).zip(0..).collect();
        along_texts(&vocabulary, labelled, |node, end| {
            let prefix = str::from_utf8(vocabulary.prefix(node)).expect("of a text");
            assert!(!matches!(end, End::Must(label) if texts[label as usize] != prefix), "{prefix}");
            found.push((prefix, matches!(end, End::Must(_))));
        });
        let has = |text: &&str| {
            text.bytes().try_fold(None, |node, byte| trie.child(node, byte).map(Some)).is_some()
        };
        let beginnings = texts.iter().flat_map(|text| (1..=text.len()).map(|len| &text[..len]));
        let expected: BTreeSet<_> =
            beginnings.filter(has).map(|text| (text, texts.contains(&text))).collect();
        assert_eq!(found.len(), expected.len(), "{texts:?}");
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
    }

    #[test]
    fn texts_are_followed_as_far_as_the_trie_goes() {
        check(&[]);
        check(&["id\"", "idea\"", "item\""]);
        check(&["\"\"", "\"id\""]);
        // No token goes on to where they part, and the letters there begin others.
        check(&["qzxqzxa\"", "qzxqzxe\"", "qzxqzxee\"", "r\""]);
    }
}
