//! From our tree to that of `regex-syntax`.

use regex_syntax::hir::{Class, Hir, Look, Repetition};

use super::ast::{Assertion, Node};

/// Captures and laziness are gone: only whether there is a match counts.
pub(super) fn lower(node: &Node) -> Hir {
    match node {
        Node::Char(char) => Hir::literal(char.encode_utf8(&mut [0; 4]).as_bytes()),
        Node::Set(set) => Hir::class(Class::Unicode(set.clone())),
        Node::Assertion(assertion) => Hir::look(look(*assertion)),
        // A run of characters is one literal: as nodes of their own, each would take some hundred bytes.
        Node::Sequence(nodes) => Hir::concat(nodes.chunk_by(are_chars).map(lower_run).collect()),
        Node::Choice(nodes) => Hir::alternation(nodes.iter().map(lower).collect()),
        Node::Repeat { node, min, max } => {
            Hir::repetition(Repetition { min: *min, max: *max, greedy: true, sub: Box::new(lower(node)) })
        }
        Node::Around { .. } => unreachable!("patterns that look around are not lowered as a whole"),
    }
}

fn are_chars(one: &Node, other: &Node) -> bool {
    matches!((one, other), (Node::Char(_), Node::Char(_)))
}

/// One node, or characters.
fn lower_run(run: &[Node]) -> Hir {
    match run {
        [node] => lower(node),
        chars => {
            let char = |node: &Node| if let Node::Char(char) = node { Some(*char) } else { None };
            Hir::literal(chars.iter().filter_map(char).collect::<String>().into_bytes())
        }
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
