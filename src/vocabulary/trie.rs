//! The byte trie of a vocabulary, laid out for walking.

use std::fmt;
use std::ops::Range;

use super::tables::{NO_TOKEN, PackedNode, Tables};
use crate::special::TokenId;

/// The trie of the ordinary tokens: one node per distinct prefix, the root left out.
///
/// Nodes stand in depth-first order, children by ascending byte, and each node knows where its subtree ends.
/// A walk is therefore a loop over indices, with one automaton state per depth and no stack to push or pop:
///
/// ```
/// # use harmony_mask::{TokenId, TokenMask, Vocabulary};
/// # let vocabulary = Vocabulary::o200k_harmony();
/// // The tokens that are binary numerals of at most two digits: a state is a number of digits.
/// let step = |digits: u8, byte: u8| (digits < 2 && matches!(byte, b'0' | b'1')).then_some(digits + 1);
///
/// let trie = vocabulary.trie();
/// let mut mask = TokenMask::new(vocabulary.width());
/// let mut states = vec![0; vocabulary.longest_token() + 1];
/// let mut at = 0;
/// while at < trie.len() {
///     let node = trie.node(at);
///     match step(states[node.parent_depth()], node.byte) {
///         Some(state) => {
///             states[node.depth as usize] = state;
///             mask.insert(node.token.unwrap_or(TokenId::MAX)); // "no token" is past the width, and so ignored
///             at += 1; // to the first child, or past the leaf
///         }
///         None => at = node.end, // past the subtree
///     }
/// }
/// let mut texts: Vec<_> = mask.iter().map(|token| vocabulary.decode(&[token])).collect();
/// texts.sort();
/// assert_eq!(texts, ["0", "00", "01", "1", "10", "11"]);
/// ```
#[derive(Clone, Copy)]
pub struct Trie<'a> {
    nodes: &'a [PackedNode],
    /// The nodes of the first bytes.
    roots: &'a [u32],
    /// Those of the second bytes, as in [`Tables`].
    seconds: &'a [u32],
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
    pub(super) fn new(tables: &'a Tables) -> Self {
        let Tables { nodes, roots, seconds, .. } = tables;
        Self { nodes, roots, seconds }
    }

    /// The number of nodes.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.nodes.len() as u32
    }

    /// Whether there are no nodes; never so in a [`Vocabulary`](super::Vocabulary), which has all single
    /// bytes.
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

    /// The nodes one byte longer than `parent`, in ascending order of that byte; `None` stands for the empty
    /// prefix.
    pub fn children(self, parent: Option<u32>) -> impl Iterator<Item = u32> + use<'a> {
        let (first, end) = parent.map_or((0, self.len()), |node| (node + 1, self.node(node).end));
        let within = move |node: &u32| *node < end;
        std::iter::successors(Some(first).filter(within), move |node| {
            Some(self.node(*node).end).filter(within)
        })
    }

    /// The child of `parent` along `byte`.
    #[must_use]
    pub fn child(self, parent: Option<u32>, byte: u8) -> Option<u32> {
        match parent {
            // They stand far apart, so going from one to the next would miss the processor's caches.
            None => Some(self.roots[usize::from(byte)]),
            Some(node) if self.node(node).depth == 1 => self.second(self.node(node).byte, byte),
            Some(_) => {
                let at_or_after = self.children(parent).find(|child| self.node(*child).byte >= byte);
                at_or_after.filter(|child| self.node(*child).byte == byte)
            }
        }
    }

    /// The node of two bytes. There are up to 129 after a first one, each some lines of memory from the next.
    fn second(self, first: u8, second: u8) -> Option<u32> {
        const NODE: u32 = (1 << 24) - 1;
        let starts = &self.seconds[usize::from(first)..];
        let seconds = &self.seconds[starts[0] as usize..starts[1] as usize];
        let place = seconds.binary_search_by_key(&u32::from(second), |packed| packed >> 24).ok()?;
        Some(seconds[place] & NODE)
    }

    /// The first byte of the prefix that leads to a node.
    #[must_use]
    pub fn first_byte(self, node: u32) -> u8 {
        let place = self.roots.partition_point(|root| *root <= node);
        u8::try_from(place - 1).expect("one for each byte")
    }

    /// The nodes whose prefixes begin with a byte.
    pub(crate) fn below_first(self, byte: u8) -> Range<u32> {
        let end = self.roots.get(usize::from(byte) + 1).copied();
        self.roots[usize::from(byte)]..end.unwrap_or(self.len())
    }

    /// The longest token that `text` begins with, and its length.
    ///
    /// ```
    /// let vocabulary = harmony_mask::Vocabulary::o200k_harmony();
    /// let (token, len) = vocabulary.trie().longest_match(b"finally!").expect("every byte is a token");
    /// assert_eq!((vocabulary.token_bytes(token), len), (Some(&b"finally"[..]), 7));
    /// ```
    #[must_use]
    pub fn longest_match(self, text: &[u8]) -> Option<(TokenId, usize)> {
        let mut node = None;
        let mut longest = None;
        for (byte, len) in text.iter().zip(1..) {
            node = Some(match self.child(node, *byte) {
                Some(child) => child,
                None => break,
            });
            longest = node.and_then(|node| self.node(node).token).map(|token| (token, len)).or(longest);
        }
        longest
    }
}

impl fmt::Debug for Trie<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Trie({} nodes)", self.len())
    }
}
