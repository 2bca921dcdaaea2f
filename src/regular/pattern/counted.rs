//! Patterns that count: how often a part comes is how long the text is.
//!
//! `^arn:.{16,2044}$` takes 20,445 states, one for each count and byte of a character. But what comes before
//! and after its one repetition is as long in every match, so its texts are those of `^arn:.*$` that have 20
//! to 2,048 characters, and lengths are bounded without states ([`length`](crate::regular)).

use std::sync::Arc;

use super::ast::{Assertion, Node};
use super::{Pattern, nested};

/// Counts up to this one are states: where all counts were lengths, 101 files of MaskBench with such patterns
/// took 1.18 of the time to compile at p50. With this one they take 0.60 in the mean of what they take where
/// no count is a length, and mask and accept 0.86 (five runs in turn).
const FEW: u32 = 32;

/// A pattern whose texts are those of another one within bounds.
pub(crate) struct Counted {
    pub(crate) pattern: Pattern,
    /// In characters.
    pub(crate) min_length: u32,
    pub(crate) max_length: Option<u32>,
}

impl Pattern {
    /// The pattern without the bounds of its repetition, and the lengths that these mean; `None` where there
    /// is no such repetition, or it does not count far.
    pub(crate) fn counted(&self) -> Option<Counted> {
        nested(&self.source, || self.without_bounds())
    }

    fn without_bounds(&self) -> Option<Counted> {
        let mut nodes = Vec::new();
        flatten(&self.node, &mut nodes);
        let [Node::Assertion(Assertion::Start), .., Node::Assertion(Assertion::End)] = &nodes[..] else {
            return None;
        };
        let around = nodes.iter().filter_map(length).try_fold(0, u32::checked_add)?;
        let mut counting = nodes.iter_mut().filter(|node| length(node).is_none());
        let Node::Repeat { node, min, max } = counting.next()? else { return None };
        if counting.next().is_some() || max.unwrap_or(*min) <= FEW {
            return None;
        }
        let each = length(node).filter(|each| *each > 0)?;
        let total = |count: u32| count.checked_mul(each)?.checked_add(around);
        let min_length = total(*min)?;
        let max_length = match *max {
            Some(max) => Some(total(max)?),
            None => None,
        };
        (*min, *max) = (0, None);
        let node = Arc::new(Node::Sequence(nodes));
        let pattern = Self { node, source: self.source.clone(), is_open: true };
        Some(Counted { pattern, min_length, max_length })
    }
}

/// The parts of a sequence, groups opened.
fn flatten(node: &Node, parts: &mut Vec<Node>) {
    match node {
        Node::Sequence(nodes) => nodes.iter().for_each(|node| flatten(node, parts)),
        node => parts.push(node.clone()),
    }
}

/// How many characters each match has, where all have as many.
fn length(node: &Node) -> Option<u32> {
    match node {
        Node::Char(_) | Node::Set(_) => Some(1),
        Node::Assertion(_) | Node::Around { .. } => Some(0),
        Node::Sequence(nodes) => nodes.iter().try_fold(0_u32, |sum, node| sum.checked_add(length(node)?)),
        Node::Choice(nodes) => {
            let (first, others) = nodes.split_first()?;
            let len = length(first)?;
            others.iter().all(|node| length(node) == Some(len)).then_some(len)
        }
        Node::Repeat { node, min, max } if *max == Some(*min) => length(node)?.checked_mul(*min),
        Node::Repeat { .. } => None,
    }
}
