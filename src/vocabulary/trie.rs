//! The byte trie of a vocabulary, laid out for walking.

use std::fmt;

use super::tables::{NO_TOKEN, PackedNode};
use crate::special::TokenId;

/// The trie of the ordinary tokens: one node per distinct prefix, the root left out.
///
/// Nodes stand in depth-first order, children by ascending byte, and each node knows where its subtree ends. A walk is
/// therefore a loop over indices, with one automaton state per depth and no stack to push or pop:
///
/// ```
/// # use harmony_mask::Vocabulary;
/// # let vocabulary = Vocabulary::o200k_harmony();
/// // The tokens that are decimal numerals.
/// let trie = vocabulary.trie();
/// let step = |value: u64, byte: u8| byte.is_ascii_digit().then(|| value * 10 + u64::from(byte - b'0'));
/// let mut values = vec![0; vocabulary.longest_token() + 1];
/// let mut numerals = Vec::new();
/// let mut at = 0;
/// while at < trie.len() {
///     let node = trie.node(at);
///     match step(values[node.parent_depth()], node.byte) {
///         Some(value) => {
///             values[node.depth as usize] = value;
///             numerals.extend(node.token.map(|token| (value, token)));
///             at += 1; // to the first child, or past the leaf
///         }
///         None => at = node.end, // past the subtree
///     }
/// }
/// assert_eq!(numerals.len(), 10 + 100 + 1000);
/// assert!(numerals.iter().all(|(value, token)| vocabulary.decode(&[*token]).parse() == Ok(*value)));
/// ```
#[derive(Clone, Copy)]
pub struct Trie<'a> {
    nodes: &'a [PackedNode],
}

/// A node of a [`Trie`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The last byte of the prefix.
    pub byte: u8,
    /// The length of the prefix, at least 1.
    pub depth: u8,
    /// The token that is this prefix, where one is.
    pub token: Option<TokenId>,
    /// The node after the last one of this subtree.
    pub end: u32,
}

impl Node {
    /// The depth before the node's byte: the index of the state to step from.
    #[must_use]
    pub const fn parent_depth(self) -> usize {
        self.depth as usize - 1
    }
}

impl<'a> Trie<'a> {
    pub(super) const fn new(nodes: &'a [PackedNode]) -> Self {
        Self { nodes }
    }

    /// The number of nodes.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.nodes.len() as u32
    }

    /// Whether there are no nodes; never so in a [`Vocabulary`](super::Vocabulary), which has all single bytes.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.nodes.is_empty()
    }

    /// The node at an index below [`len`](Self::len).
    ///
    /// # Panics
    ///
    /// Panics at another index.
    #[must_use]
    pub const fn node(self, index: u32) -> Node {
        let [byte_and_token, depth_and_end] = self.nodes[index as usize];
        let token = byte_and_token >> 8;
        Node {
            byte: byte_and_token as u8,
            depth: depth_and_end as u8,
            token: if token == NO_TOKEN { None } else { Some(token) },
            end: depth_and_end >> 8,
        }
    }
}

impl fmt::Debug for Trie<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Trie({} nodes)", self.len())
    }
}
