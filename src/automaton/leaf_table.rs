//! Tokens sorted once per leaf state, for every grammar of a vocabulary.
//!
//! For a thread in a leaf, a token either stays inside the leaf with all its bytes, or leaves it where the leaf may end and goes on
//! below, or is dead. The first kind does not depend on what is below: it is computed once per leaf state and shared (inside a free
//! string it is 195,594 tokens). The second kind is few, and kept as trie edges, grouped by the byte that comes first after the leaf.

use std::sync::{Arc, OnceLock};

use super::cache::{Bounded, Weight, bounded};
use crate::expression::{Leaf, State};
use crate::special::TokenId;
use crate::token_mask::TokenMask;
use crate::vocabulary::Vocabulary;

/// More tokens than this are kept as mask words: a token id costs 4 bytes, all words of 201,088 ids 25 KB.
const SPARSE_TOKENS: usize = 2048;

/// A set of ordinary tokens.
#[derive(Debug)]
pub(super) enum TokenSet {
    Few(Box<[TokenId]>),
    Many(TokenMask),
}

impl TokenSet {
    fn new(tokens: Vec<TokenId>, width: usize) -> Self {
        if tokens.len() <= SPARSE_TOKENS {
            return Self::Few(tokens.into());
        }
        let mut mask = TokenMask::new(width);
        tokens.into_iter().for_each(|token| mask.insert(token));
        Self::Many(mask)
    }

    fn weight_bytes(&self) -> usize {
        match self {
            Self::Few(tokens) => size_of_val::<[TokenId]>(tokens),
            Self::Many(mask) => size_of_val(mask.words()),
        }
    }

    /// Adds the tokens to a mask.
    pub(super) fn add_to(&self, mask: &mut TokenMask) {
        match self {
            Self::Few(tokens) => tokens.iter().for_each(|token| mask.insert(*token)),
            Self::Many(words) => mask.union_words(words.words()),
        }
    }
}

/// A trie edge at which a leaf may be left: the leaf accepts what leads to `node`'s parent, and `byte` leads from there to `node`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Exit {
    pub(super) byte: u8,
    pub(super) node: u32,
}

/// What a leaf state does with every token.
#[derive(Debug)]
pub(super) struct LeafEntry {
    /// Tokens that stay in the leaf, which can be longer after them.
    pub(super) inside: Arc<TokenSet>,
    /// Those, and the tokens that complete the leaf.
    pub(super) whole: Arc<TokenSet>,
    /// Trie nodes of the tokens that complete the leaf.
    pub(super) complete: Box<[u32]>,
    exits: OnceLock<Box<[Exit]>>,
}

impl LeafEntry {
    fn new(vocabulary: &Vocabulary, leaf: &Leaf, state: State) -> Self {
        let trie = vocabulary.trie();
        let (mut inside, mut complete) = (Vec::new(), Vec::new());
        walk(vocabulary, leaf, state, |node, state| match trie.node(node).token {
            Some(_) if leaf.is_complete(state) => complete.push(node),
            Some(token) => inside.push(token),
            None => {}
        });
        let mut whole = inside.clone();
        whole.extend(complete.iter().filter_map(|node| trie.node(*node).token));
        let inside = Arc::new(TokenSet::new(inside, vocabulary.width()));
        let is_one = complete.is_empty();
        let whole = if is_one { inside.clone() } else { Arc::new(TokenSet::new(whole, vocabulary.width())) };
        Self { inside, whole, complete: complete.into(), exits: OnceLock::new() }
    }

    /// The edges at which the leaf may be left after at least one byte, by byte. Found when first asked for: most leaves that may be left
    /// everywhere (plain text) are followed by a special token, and then nobody asks.
    pub(super) fn exits(&self, vocabulary: &Vocabulary, leaf: &Leaf, state: State) -> &[Exit] {
        self.exits.get_or_init(|| {
            let trie = vocabulary.trie();
            let mut exits = Vec::new();
            walk(vocabulary, leaf, state, |node, state| {
                if leaf.accepts(state).is_some() {
                    exits.extend(
                        trie.children(Some(node))
                            .map(|child| Exit { byte: trie.node(child).byte, node: child }),
                    );
                }
            });
            exits.sort_unstable();
            exits.into()
        })
    }
}

/// Visits every trie node whose bytes the leaf can read from `state`, with the state they lead to.
fn walk(vocabulary: &Vocabulary, leaf: &Leaf, state: State, mut visit: impl FnMut(u32, State)) {
    let trie = vocabulary.trie();
    // The state before the byte of a node of depth d is states[d - 1].
    let mut states = [State::default(); 256];
    states[0] = state;
    let mut at = 0;
    while at < trie.len() {
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

/// The entries of all leaves of a vocabulary, bounded in bytes and shared by all its grammars.
pub(super) struct LeafTables(Bounded<(Leaf, State), Arc<LeafEntry>>);

impl LeafTables {
    pub(super) fn new(bytes: usize) -> Self {
        Self(bounded(bytes))
    }

    /// The entry of a leaf state, which must be its own class.
    pub(super) fn entry(&self, vocabulary: &Vocabulary, leaf: &Leaf, state: State) -> Arc<LeafEntry> {
        let key = (leaf.clone(), state);
        if let Some(entry) = self.0.get(&key) {
            return entry;
        }
        let entry = Arc::new(LeafEntry::new(vocabulary, leaf, state));
        self.0.insert(key, entry.clone());
        entry
    }

    pub(super) fn bytes(&self) -> usize {
        usize::try_from(self.0.weight()).unwrap_or(usize::MAX)
    }
}

impl Weight for Arc<LeafEntry> {
    fn weight_bytes(&self) -> usize {
        let sets = self.inside.weight_bytes() + self.whole.weight_bytes();
        // Exits come later; as many as there are nodes that complete the leaf is typical.
        sets + size_of_val::<[u32]>(&self.complete) * 3
    }
}
