//! Sorting the tokens of a vocabulary by what a leaf state does with them.
//!
//! Three ways, by how much is known of the state. Where it reads any plain text, the vocabulary has the tokens listed, and only what lies
//! behind a byte that is not plain is walked. Where an automaton alone reads plain text, the trie is walked with its table.
//! Otherwise the trie is walked with the leaf itself.

use std::ops::Range;

use crate::expression::{Leaf, State};
use crate::regular::{Dfa, StateId, begins_character};
use crate::special::TokenId;
use crate::vocabulary::Vocabulary;

/// What becomes of a token, with the cost after it.
pub(super) enum Fate {
    /// It stays inside the leaf, which can be longer after it.
    Inside(TokenId),
    /// It completes the leaf.
    Complete(TokenId),
}

/// Visits the tokens that a leaf state reads. Where it reads any plain text, plain tokens are left out, and the answer is true.
pub(super) fn sort(
    vocabulary: &Vocabulary,
    leaf: &Leaf,
    state: State,
    mut visit: impl FnMut(u32, Fate),
) -> bool {
    let trie = vocabulary.trie();
    let plain = leaf.plain(state);
    let is_any = plain.is_some_and(|(dfa, at)| is_any_text(dfa, at));
    if let Some((dfa, at)) = plain.filter(|_| !is_any) {
        walk_plain(vocabulary, dfa, at, |token, cost| visit(cost, Fate::Inside(token)));
    }
    walk(vocabulary, leaf, state, |node, state| match trie.node(node).token {
        Some(token) if leaf.is_complete(state) => visit(leaf.cost(state), Fate::Complete(token)),
        Some(token) => visit(leaf.cost(state), Fate::Inside(token)),
        None => {}
    });
    is_any
}

/// The mask words of the plain tokens that begin at most so many characters.
pub(super) fn plain_words(vocabulary: &Vocabulary, budget: u32) -> Vec<u32> {
    let most = u8::try_from(budget).unwrap_or(u8::MAX).min(Vocabulary::NOT_PLAIN - 1);
    let fits = |word: u32, characters: &u8| word << 1 | u32::from(*characters <= most);
    vocabulary.plain_characters().chunks(32).map(|ids| ids.iter().rev().fold(0, fits)).collect()
}

/// Trie edges at which a leaf may be left: it accepts what leads to the node's parent, after at least one byte.
pub(super) fn exits(vocabulary: &Vocabulary, leaf: &Leaf, state: State) -> Vec<Exit> {
    let trie = vocabulary.trie();
    let mut exits = Vec::new();
    let mut visit = |node, state| {
        if leaf.accepts(state).is_some() {
            let exit = |child| Exit { byte: trie.node(child).byte, node: child, parent: node };
            exits.extend(trie.children(Some(node)).map(exit));
        }
    };
    // What accepts nothing here accepts nothing after plain bytes.
    if leaf.accepts(state).is_some() {
        walk_range(vocabulary, leaf, state, 0..trie.len(), &mut visit);
    } else {
        walk(vocabulary, leaf, state, visit);
    }
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

/// Visits the trie nodes whose bytes the leaf can read from `state`, with the state they lead to; where plain bytes are
/// read by an automaton, only those that come after a byte that is not plain.
fn walk(vocabulary: &Vocabulary, leaf: &Leaf, state: State, mut visit: impl FnMut(u32, State)) {
    let trie = vocabulary.trie();
    let Some((dfa, at)) = leaf.plain(state) else {
        return walk_range(vocabulary, leaf, state, 0..trie.len(), &mut visit);
    };
    let is_any_text = is_any_text(dfa, at);
    for &node in vocabulary.breaks() {
        let found = trie.node(node);
        // After any text the same bytes are live as here.
        if is_any_text && leaf.step(state, found.byte).is_none() {
            continue;
        }
        if let Some(before) = reads(leaf, state, &vocabulary.prefix(node)[..found.parent_depth()]) {
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

/// Visits the plain tokens that an automaton can read, with their cost.
fn walk_plain(vocabulary: &Vocabulary, dfa: &Dfa, at: StateId, mut visit: impl FnMut(TokenId, u32)) {
    let trie = vocabulary.trie();
    let least = dfa.least_chars();
    let mut states = [(at, 0_u32); 256];
    let mut at = 0;
    while at < trie.len() {
        let node = trie.node(at);
        let (state, characters) = states[node.parent_depth()];
        match dfa.next(state, node.byte).filter(|_| Vocabulary::is_plain(node.byte)) {
            Some(next) => {
                let characters = characters + u32::from(begins_character(node.byte));
                states[usize::from(node.depth)] = (next, characters);
                if let Some(token) = node.token {
                    visit(token, characters.saturating_add(least[next as usize]));
                }
                at += 1;
            }
            None => at = node.end,
        }
    }
}
