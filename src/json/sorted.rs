//! Words in lexical order, in a tree that is never changed: one with a word more shares all but a path with
//! the tree it grew from.
//!
//! A long object has a state after each of its names, and a matcher keeps them all. When each state had a
//! list of its own, 10,000 names took 1.9 GB and 4.8 s and take 0.1 GB and 0.5 s now
//! (`memory::what_was_used_is_held_once`).
//!
//! The tree is balanced by weight (Adams; a side is at most three times the other one). The sums over what
//! stands before a word make a list an automaton ([`Listed`](super::listed::Listed)); the sets of `imbl` and
//! `rpds` have none.

use std::cmp::Ordering;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::expression::fingerprint;
use crate::json::listed::Word;
use crate::regular::StateId;

/// A tree of different words.
#[derive(Clone, Debug)]
pub(super) struct Sorted<W>(Option<Arc<Node<W>>>);

#[derive(Debug)]
struct Node<W> {
    word: W,
    before: Sorted<W>,
    behind: Sorted<W>,
    sums: Sums,
}

/// What is the same for trees of the same words, whatever their form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) words: usize,
    /// A state before each byte of a word, and one at its end.
    pub(super) states: StateId,
    pub(super) fingerprint: u64,
}

impl Sums {
    fn of(word: &impl Word) -> Self {
        let states = StateId::try_from(word.text().len() + 1).expect("fewer states than bytes of a text");
        Self { words: 1, states, fingerprint: fingerprint(word) }
    }

    fn and(self, other: Self) -> Self {
        Self {
            words: self.words + other.words,
            states: self.states + other.states,
            fingerprint: self.fingerprint.wrapping_add(other.fingerprint),
        }
    }
}

impl<W> Sorted<W> {
    /// No words.
    pub(super) const NONE: Self = Self(None);
}

impl<W: Word> Sorted<W> {
    /// The bytes that a node takes, without its word's own.
    pub(super) const NODE_BYTES: usize = size_of::<Node<W>>() + 2 * size_of::<usize>();

    /// Of different words in their order.
    pub(super) fn of(words: &[W]) -> Self {
        let Some(word) = words.get(words.len() / 2) else { return Self::NONE };
        let (before, behind) = words.split_at(words.len() / 2);
        Self::node(Self::of(before), word.clone(), Self::of(&behind[1..]))
    }

    pub(super) fn sums(&self) -> Sums {
        self.0.as_ref().map_or(Sums::default(), |node| node.sums)
    }

    /// These and one more, which takes the place of one with the same text.
    pub(super) fn with(&self, word: W) -> Self {
        let Some(node) = &self.0 else { return Self::node(Self::NONE, word, Self::NONE) };
        match word.text().cmp(node.word.text()) {
            Ordering::Equal => Self::node(node.before.clone(), word, node.behind.clone()),
            Ordering::Less => Self::balanced(node.before.with(word), node.word.clone(), node.behind.clone()),
            Ordering::Greater => {
                Self::balanced(node.before.clone(), node.word.clone(), node.behind.with(word))
            }
        }
    }

    fn node(before: Self, word: W, behind: Self) -> Self {
        let sums = before.sums().and(Sums::of(&word)).and(behind.sums());
        Self(Some(Arc::new(Node { word, before, behind, sums })))
    }

    /// A node of which one side may be a word too heavy.
    fn balanced(before: Self, word: W, behind: Self) -> Self {
        match (before.sums().words, behind.sums().words) {
            (left, right) if left + right > 1 && right > 3 * left => Self::turned_left(before, word, &behind),
            (left, right) if left + right > 1 && left > 3 * right => {
                Self::turned_right(&before, word, behind)
            }
            _ => Self::node(before, word, behind),
        }
    }

    fn turned_left(before: Self, word: W, behind: &Self) -> Self {
        let (inner, top, outer) = behind.parts();
        if inner.sums().words < 2 * outer.sums().words {
            return Self::node(Self::node(before, word, inner.clone()), top.clone(), outer.clone());
        }
        let (left, middle, right) = inner.parts();
        let right = Self::node(right.clone(), top.clone(), outer.clone());
        Self::node(Self::node(before, word, left.clone()), middle.clone(), right)
    }

    fn turned_right(before: &Self, word: W, behind: Self) -> Self {
        let (outer, top, inner) = before.parts();
        if inner.sums().words < 2 * outer.sums().words {
            return Self::node(outer.clone(), top.clone(), Self::node(inner.clone(), word, behind));
        }
        let (left, middle, right) = inner.parts();
        let left = Self::node(outer.clone(), top.clone(), left.clone());
        Self::node(left, middle.clone(), Self::node(right.clone(), word, behind))
    }

    fn parts(&self) -> (&Self, &W, &Self) {
        let Node { before, word, behind, .. } = &**self.0.as_ref().expect("the heavy side has words");
        (before, word, behind)
    }

    /// The first word that is no less than some bytes, and the states before it.
    pub(super) fn first_from(&self, bytes: &[u8]) -> Option<(StateId, &W)> {
        let (mut at, mut start, mut found) = (self, 0, None);
        while let Some(node) = &at.0 {
            let own = start + node.before.sums().states;
            if node.word.text().as_bytes() < bytes {
                (at, start) = (&node.behind, own + own_states(&node.word));
            } else {
                (at, found) = (&node.before, Some((own, &node.word)));
            }
        }
        found
    }

    /// The word with a state, and the states before it.
    pub(super) fn word_at(&self, state: StateId) -> Option<(StateId, &W)> {
        let (mut at, mut start) = (self, 0);
        while let Some(node) = &at.0 {
            let own = start + node.before.sums().states;
            let behind = own + own_states(&node.word);
            match state {
                state if state < own => at = &node.before,
                state if state < behind => return Some((own, &node.word)),
                _ => (at, start) = (&node.behind, behind),
            }
        }
        None
    }

    pub(super) fn iter(&self) -> Iter<'_, W> {
        let mut iter = Iter(SmallVec::new());
        iter.descend(self);
        iter
    }
}

fn own_states(word: &impl Word) -> StateId {
    word.text().len() as StateId + 1
}

/// By the words. Trees that grew from the same one share most of their nodes, which are not looked into.
impl<W: Word> PartialEq for Sorted<W> {
    fn eq(&self, other: &Self) -> bool {
        let (Some(own), Some(others)) = (&self.0, &other.0) else {
            return self.0.is_none() && other.0.is_none();
        };
        if Arc::ptr_eq(own, others) {
            return true;
        }
        own.sums == others.sums
            && match own.word == others.word {
                true => own.before == others.before && own.behind == others.behind,
                false => self.iter().eq(other.iter()),
            }
    }
}

impl<W: Word> Eq for Sorted<W> {}

/// The words in their order: those nodes that are still to come, with what is behind them.
pub(super) struct Iter<'t, W>(SmallVec<[&'t Node<W>; 8]>);

impl<'t, W> Iter<'t, W> {
    fn descend(&mut self, mut tree: &'t Sorted<W>) {
        while let Some(node) = &tree.0 {
            self.0.push(node);
            tree = &node.before;
        }
    }
}

impl<'t, W> Iterator for Iter<'t, W> {
    type Item = &'t W;

    fn next(&mut self) -> Option<&'t W> {
        let node = self.0.pop()?;
        self.descend(&node.behind);
        Some(&node.word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(words: impl IntoIterator<Item = u32>) -> Sorted<Arc<str>> {
        let word = |number: u32| format!("{number:05}").into();
        words.into_iter().fold(Sorted::NONE, |tree, number| tree.with(word(number)))
    }

    /// The depth, where each node is as it should be.
    fn depth<W: Word>(tree: &Sorted<W>) -> usize {
        let Some(node) = &tree.0 else { return 0 };
        let (left, right) = (node.before.sums().words, node.behind.sums().words);
        assert!(left + right <= 1 || (left <= 3 * right && right <= 3 * left), "{left} and {right} words");
        assert_eq!(node.sums, node.before.sums().and(Sums::of(&node.word)).and(node.behind.sums()));
        1 + depth(&node.before).max(depth(&node.behind))
    }

    #[test]
    fn is_the_same_and_balanced_in_whatever_order_words_came() {
        const WORDS: u32 = 1_000;
        let sorted: Vec<Arc<str>> = tree(0..WORDS).iter().cloned().collect();
        let shuffled = (0..WORDS).map(|number| number * 617 % WORDS);
        for tree in [tree(0..WORDS), tree((0..WORDS).rev()), tree(shuffled), Sorted::of(&sorted)] {
            assert!(tree.iter().eq(&sorted) && tree == Sorted::of(&sorted));
            assert!(depth(&tree) < 20, "{}", depth(&tree));
            assert!(tree != tree.with("x".into()) && tree == tree.with("00003".into()));
        }
    }
}
