//! From our tree to that of `regex-syntax`.

use regex_syntax::hir::{Class, Hir, Look, Repetition};

use super::ast::{Assertion, Node};

/// Captures and laziness are gone: only whether there is a match counts.
pub(super) fn lower(node: &Node) -> Hir {
    match node {
        Node::Char(char) => Hir::literal(char.encode_utf8(&mut [0; 4]).as_bytes()),
        Node::Set(set) => Hir::class(Class::Unicode(set.clone())),
        Node::Assertion(assertion) => Hir::look(look(*assertion)),
        Node::Sequence(nodes) => Hir::concat(nodes.iter().map(lower).collect()),
        Node::Choice(nodes) => Hir::alternation(nodes.iter().map(lower).collect()),
        Node::Repeat { node, min, max } => {
            Hir::repetition(Repetition { min: *min, max: *max, greedy: true, sub: Box::new(lower(node)) })
        }
        Node::Around { .. } => unreachable!("patterns that look around are not lowered as a whole"),
    }
}

fn look(assertion: Assertion) -> Look {
    match assertion {
        Assertion::Start => Look::Start,
        Assertion::End => Look::End,
        Assertion::WordBoundary => Look::WordAscii,
        Assertion::NotWordBoundary => Look::WordAsciiNegate,
    }
}
