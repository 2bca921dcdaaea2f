//! A pattern as a tree.

use regex_syntax::hir::ClassUnicode;

/// A part of a pattern. Sets of characters are resolved, and folded where case is ignored.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Char(char),
    Set(ClassUnicode),
    Assertion(Assertion),
    /// One after the other; none of them is the empty text.
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Repeat {
        node: Box<Node>,
        min: u32,
        max: Option<u32>,
    },
    /// `(?=…)` and `(?!…)`: what follows does or does not begin like this.
    Ahead {
        node: Box<Node>,
        negative: bool,
    },
}

impl Node {
    /// The nodes right inside.
    pub(super) fn children(&self) -> &[Self] {
        match self {
            Self::Char(_) | Self::Set(_) | Self::Assertion(_) => &[],
            Self::Sequence(nodes) | Self::Choice(nodes) => nodes,
            Self::Repeat { node, .. } | Self::Ahead { node, .. } => std::slice::from_ref(node),
        }
    }

    /// Whether it looks ahead anywhere.
    pub(super) fn looks_ahead(&self) -> bool {
        matches!(self, Self::Ahead { .. }) || self.children().iter().any(Self::looks_ahead)
    }

    /// Whether it says something of where it stands.
    pub(super) fn asserts(&self) -> bool {
        matches!(self, Self::Ahead { .. } | Self::Assertion(_)) || self.children().iter().any(Self::asserts)
    }
}

/// What holds at a place in the text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Assertion {
    Start,
    End,
    WordBoundary,
    NotWordBoundary,
}
