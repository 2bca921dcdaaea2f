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
}

/// What holds at a place in the text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Assertion {
    Start,
    End,
    WordBoundary,
    NotWordBoundary,
}
