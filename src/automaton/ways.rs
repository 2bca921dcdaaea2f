//! Ways: places in the vocabulary's trie at which one frame ends and the next begins.
//!
//! What follows a text depends on it only through the tokens that go on after it, and those are the tokens below some nodes of the trie. Most
//! texts are left in the same few ways (a string at its quotation mark), so what a language does with ways is found once and shared by every
//! grammar, and a mask is put together from what is known of the frames on its stack.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::expression::fingerprint;
use crate::regular::ByteSet;
use crate::vocabulary::Vocabulary;

/// Nodes of the trie at which something begins: at least one, ascending, each with nodes below it. Compared by content, cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    nodes: Arc<[u32]>,
    hash: u64,
}

impl Ways {
    /// Those of the nodes that longer tokens go through; `None` where there are none.
    pub(super) fn new(vocabulary: &Vocabulary, mut nodes: Vec<u32>) -> Option<Self> {
        nodes.retain(|node| vocabulary.trie().children(Some(*node)).next().is_some());
        nodes.sort_unstable();
        nodes.dedup();
        Self::of(nodes)
    }

    pub(super) fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Whether looking one byte up for all of them is worth remembering.
    pub(super) fn are_many(&self) -> bool {
        const FEW: usize = 4;
        self.nodes.len() > FEW
    }

    /// Whether so little is below them that reading it takes no longer than looking up what was read. As that is not remembered then, p99 of mask + accept is 0.96
    /// of what it was, the mean the same (500 files of maskbench-dev, old and new in turn, eight times).
    pub(super) fn lead_to_few(&self, vocabulary: &Vocabulary) -> bool {
        /// Nodes, with those of the ways.
        const FEW: u32 = 4;
        let size = |node: &u32| vocabulary.trie().node(*node).end - node;
        !self.are_many() && self.nodes.iter().map(size).sum::<u32>() <= FEW
    }

    /// Those whose texts begin with one of these bytes.
    pub(super) fn after(&self, vocabulary: &Vocabulary, bytes: &ByteSet) -> impl Iterator<Item = u32> {
        let after = |byte| {
            let below = vocabulary.trie().below_first(byte);
            let from = self.nodes.partition_point(|node| *node < below.start);
            self.nodes[from..].iter().take_while(move |node| **node < below.end)
        };
        bytes.iter().flat_map(after).copied()
    }

    /// Those that are not among `refused`, which are some of them, ascending.
    pub(super) fn without(&self, refused: &[u32]) -> Option<Self> {
        if refused.is_empty() {
            return Some(self.clone());
        }
        let is_kept = |node: &u32| refused.binary_search(node).is_err();
        Self::of(self.nodes.iter().copied().filter(is_kept).collect())
    }

    fn of(nodes: Vec<u32>) -> Option<Self> {
        (!nodes.is_empty()).then(|| Self { hash: fingerprint(&nodes), nodes: nodes.into() })
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val::<[u32]>(&self.nodes)
    }
}

impl PartialEq for Ways {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.nodes, &other.nodes) || (self.hash == other.hash && self.nodes == other.nodes)
    }
}

impl Eq for Ways {}

impl Hash for Ways {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}
