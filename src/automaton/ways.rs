//! Ways: the nodes of the vocabulary's trie at which one frame ends and the next one begins, in the middle of
//! tokens.
//!
//! Every token that crosses such a boundary lies below one of these nodes, so all that a frame's text decides
//! about the next frame is the set of nodes. Most texts end at the same few of them (a string at its
//! quotation mark). So what a language does with a set of nodes is computed once and shared by all grammars,
//! and a mask is put together frame by frame.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use smallvec::SmallVec;

use crate::expression::fingerprint;
use crate::regular::ByteSet;
use crate::vocabulary::Vocabulary;

/// Nodes of the trie at which something begins: at least one, ascending, each with nodes below it. Compared
/// by content, cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    nodes: Nodes,
    hash: u64,
}

/// Most ways are a few nodes, which need no memory of their own. With that, and with the one thread of most
/// residuals beside what else is known of them, a twelfth fewer blocks are allocated and kept, and mean and
/// p99 of mask + accept are 0.98 and 0.99 of what they were when 64 MB are written before each file (500
/// files of maskbench-dev, old and new in turn, eight times); no difference when nothing is.
#[derive(Clone, Debug)]
enum Nodes {
    Few(Few),
    Many(Arc<[u32]>),
}

type Few = SmallVec<[u32; FEW]>;

/// So many nodes are few.
const FEW: usize = 4;

impl Ways {
    /// Those of the nodes that longer tokens go through; `None` where there are none.
    pub(super) fn new(vocabulary: &Vocabulary, nodes: impl IntoIterator<Item = u32>) -> Option<Self> {
        let trie = vocabulary.trie();
        let goes_on = |node: &u32| trie.children(Some(*node)).next().is_some();
        let mut nodes: Few = nodes.into_iter().filter(goes_on).collect();
        nodes.sort_unstable();
        nodes.dedup();
        Self::of(nodes)
    }

    pub(super) fn nodes(&self) -> &[u32] {
        match &self.nodes {
            Nodes::Few(nodes) => nodes,
            Nodes::Many(nodes) => nodes,
        }
    }

    /// Whether looking one byte up for all of them is worth remembering.
    pub(super) fn are_many(&self) -> bool {
        self.nodes().len() > FEW
    }

    /// Whether so little is below them that reading it takes no longer than looking up what was read. As that
    /// is not remembered then, p99 of mask + accept is 0.96 of what it was, the mean the same (500 files of
    /// maskbench-dev, old and new in turn, eight times).
    pub(super) fn lead_to_few(&self, vocabulary: &Vocabulary) -> bool {
        /// Nodes, with those of the ways.
        const LITTLE: u32 = 4;
        let size = |node: &u32| vocabulary.trie().node(*node).end - node;
        !self.are_many() && self.nodes().iter().map(size).sum::<u32>() <= LITTLE
    }

    /// Those whose texts begin with one of these bytes.
    pub(super) fn after(&self, vocabulary: &Vocabulary, bytes: &ByteSet) -> impl Iterator<Item = u32> {
        let after = |byte| {
            let below = vocabulary.trie().below_first(byte);
            let from = self.nodes().partition_point(|node| *node < below.start);
            self.nodes()[from..].iter().take_while(move |node| **node < below.end)
        };
        bytes.iter().flat_map(after).copied()
    }

    /// Those that go on with one of these bytes.
    pub(super) fn before(&self, vocabulary: &Vocabulary, bytes: &ByteSet) -> impl Iterator<Item = u32> {
        let trie = vocabulary.trie();
        let goes_on =
            move |node: &u32| trie.children(Some(*node)).any(|child| bytes.contains(trie.node(child).byte));
        self.nodes().iter().copied().filter(goes_on)
    }

    /// Those that are not among `refused`, which are some of them, ascending.
    pub(super) fn without(&self, refused: &[u32]) -> Option<Self> {
        if refused.is_empty() {
            return Some(self.clone());
        }
        let is_kept = |node: &u32| refused.binary_search(node).is_err();
        Self::of(self.nodes().iter().copied().filter(is_kept).collect())
    }

    fn of(nodes: Few) -> Option<Self> {
        let hash = fingerprint(&nodes.as_slice());
        let nodes = match nodes.len() {
            0 => return None,
            1..=FEW => Nodes::Few(Few::from_slice(&nodes)),
            _ => Nodes::Many(nodes.as_slice().into()),
        };
        Some(Self { nodes, hash })
    }

    /// The bytes that others with the same nodes may share.
    pub(super) fn memory_bytes(&self) -> usize {
        match &self.nodes {
            Nodes::Few(_) => 0,
            Nodes::Many(nodes) => size_of_val::<[u32]>(nodes),
        }
    }
}

impl PartialEq for Ways {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.nodes(), other.nodes())
            || (self.hash == other.hash && self.nodes() == other.nodes())
    }
}

impl Eq for Ways {}

impl Hash for Ways {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}
