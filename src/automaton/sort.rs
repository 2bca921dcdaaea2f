//! Sorting the tokens of a vocabulary by what a leaf state does with them.
//!
//! Three ways, by how much is known of the state. Where it reads any plain text, the vocabulary has the tokens listed, and where an automaton alone
//! reads plain text, it reads it [shape by shape](super::plain); in both, only what lies behind a byte that is not plain is walked. Otherwise the trie
//! is walked with the leaf itself.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt};

use super::plain::{self, Break};
use super::token_set::{Builder, TokenSet};
use crate::expression::{Leaf, State};
use crate::regular::{Dfa, StateId};
use crate::special::TokenId;
use crate::vocabulary::Vocabulary;

/// The tokens that a leaf state reads.
pub(super) struct Sorted {
    /// Those that stay inside the leaf, which can be longer after them.
    pub(super) inside: Builder,
    /// Those that complete the leaf.
    pub(super) complete: Vec<TokenId>,
}

/// Sorts the tokens that a leaf state reads at a cost within `budget`.
pub(super) fn sort(vocabulary: &Vocabulary, leaf: &Leaf, state: State, budget: u32) -> Sorted {
    let mut inside = TokenSet::builder(vocabulary.width());
    let mut complete = Vec::new();
    let breaks = leaf.plain(state).map(|(dfa, at)| match is_any_text(dfa, at) {
        true => {
            inside.insert_words(&plain::words(vocabulary, budget));
            plain::breaks(vocabulary, at, budget)
        }
        false => {
            let plain = plain::read(vocabulary, dfa, at, budget);
            plain.add_to(vocabulary, &mut inside);
            plain.breaks
        }
    });
    walk(vocabulary, leaf, state, breaks, |node, state| match vocabulary.trie().node(node).token {
        Some(_) if leaf.cost(state) > budget => {}
        Some(token) if leaf.is_complete(state) => complete.push(token),
        Some(token) => inside.insert(token),
        None => {}
    });
    Sorted { inside, complete }
}

/// Trie edges at which a leaf may be left: it accepts what leads to the node's parent, after at least one byte.
pub(super) fn exits(vocabulary: &Vocabulary, leaf: &Leaf, state: State) -> Vec<Exit> {
    let trie = vocabulary.trie();
    let mut exits = Vec::new();
    // What accepts nothing here accepts nothing after plain bytes.
    let plain = leaf.plain(state).filter(|_| leaf.accepts(state).is_none());
    let breaks = plain.map(|(dfa, at)| match is_any_text(dfa, at) {
        true => plain::breaks(vocabulary, at, u32::MAX),
        false => plain::read(vocabulary, dfa, at, u32::MAX).breaks,
    });
    walk(vocabulary, leaf, state, breaks, |node, state| {
        if leaf.accepts(state).is_some() {
            let exit = |child| Exit { byte: trie.node(child).byte, node: child, parent: node };
            exits.extend(trie.children(Some(node)).map(exit));
        }
    });
    exits.sort_unstable();
    exits
}

/// A trie edge at which a leaf may be left: the leaf accepts what leads to `parent`, and `byte` leads from there to `node`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Exit {
    pub(super) byte: u8,
    pub(super) node: u32,
    pub(super) parent: u32,
}

/// The state of the leaf after these bytes, where it can read them.
pub(super) fn reads(leaf: &Leaf, state: State, bytes: &[u8]) -> Option<State> {
    bytes.iter().try_fold(state, |state, byte| leaf.step(state, *byte))
}

fn is_any_text(dfa: &Dfa, at: StateId) -> bool {
    at == dfa.start() && std::ptr::eq(dfa, &*Dfa::text())
}

/// Visits the trie nodes whose bytes the leaf can read from `state`, with the state they lead to; where plain text is left out, those that come
/// after one of its ends.
fn walk(
    vocabulary: &Vocabulary,
    leaf: &Leaf,
    state: State,
    breaks: Option<Vec<Break>>,
    mut visit: impl FnMut(u32, State),
) {
    let trie = vocabulary.trie();
    let Some(breaks) = breaks else {
        return walk_range(vocabulary, leaf, state, 0..trie.len(), &mut visit);
    };
    // Texts of one length that lead to one state of the automaton lead to one state of the leaf.
    let mut befores: HashMap<(StateId, u32), Option<State>> = HashMap::new();
    for Break { node, state: at, characters } in breaks {
        let found = trie.node(node);
        let text = || reads(leaf, state, &vocabulary.prefix(node)[..found.parent_depth()]);
        if let Some(before) = *befores.entry((at, characters)).or_insert_with(text) {
            walk_range(vocabulary, leaf, before, node..found.end, &mut visit);
        }
    }
}

/// Visits the readable nodes among some whole subtrees that stand side by side; `state` is the one before them.
fn walk_range(
    vocabulary: &Vocabulary,
    leaf: &Leaf,
    state: State,
    nodes: Range<u32>,
    visit: &mut impl FnMut(u32, State),
) {
    let trie = vocabulary.trie();
    // The state before the byte of a node of depth d is states[d - 1].
    let mut states = [State::default(); 256];
    let mut at = nodes.start;
    if at < nodes.end {
        states[trie.node(at).parent_depth()] = state;
    }
    while at < nodes.end {
        let node = trie.node(at);
        match leaf.step(states[node.parent_depth()], node.byte) {
            Some(next) => {
                visit(at, next);
                states[usize::from(node.depth)] = next;
                at += 1;
            }
            None => at = node.end,
        }
    }
}
