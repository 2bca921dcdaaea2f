//! Patterns that look ahead, by intersection and complement.
//!
//! What a pattern looks at ahead is the rest of the text. So the pattern is read from its end: given the language of what may follow a part, the
//! language of the part and what follows it. There, `(?=x)` is an intersection with the texts that begin like `x`, and `(?!x)` a difference;
//! everything that does not look ahead is compiled as usual and put in front.
//!
//! A repetition without bound that looks ahead would need the language of what follows it before that is known. One form of it has an answer all the
//! same, the one that people write: single characters, each after looking ahead, as in `((?!end).)*` ([`Builder::tempered`]). Others are refused.

use regex_syntax::hir::{Hir, Look};

use super::ast::{Assertion, Node};
use super::determinize;
use super::error::PatternErrorKind;
use super::lower::lower;
use crate::regular::Dfa;

/// Repetitions that look ahead are written out up to this count.
const WRITTEN_OUT: u32 = 16;

type Built = Result<Dfa, PatternErrorKind>;

/// The texts in which `node` has a match.
pub(super) fn texts_with_match(node: &Node, limit: usize) -> Built {
    let builder = Builder { limit };
    let at_start = builder.before(node, &Dfa::text(), true)?;
    let later = builder.before(node, &Dfa::text(), false)?;
    if later.is_empty() {
        return Ok(at_start);
    }
    let some_text = Dfa::text().difference(&empty_text(), limit)?;
    Ok(at_start.union(&some_text.concatenation(&later, limit)?, limit)?)
}

struct Builder {
    limit: usize,
}

impl Builder {
    /// The texts that begin with a match of `node` and go on with a text of `rest`. `at_start` says whether they begin the whole text.
    fn before(&self, node: &Node, rest: &Dfa, at_start: bool) -> Built {
        if !node.asserts() {
            return Ok(self.whole(node)?.concatenation(rest, self.limit)?);
        }
        match node {
            Node::Sequence(nodes) => self.sequence(nodes, rest, at_start),
            Node::Choice(nodes) => {
                let mut union = Dfa::empty();
                for node in nodes {
                    union = union.union(&self.before(node, rest, at_start)?, self.limit)?;
                }
                Ok(union)
            }
            Node::Ahead { node, negative } => {
                let ahead = self.before(node, &Dfa::text(), at_start)?;
                let narrowed = match negative {
                    true => rest.difference(&ahead, self.limit),
                    false => rest.intersection(&ahead, self.limit),
                };
                Ok(narrowed?)
            }
            Node::Assertion(Assertion::Start) => Ok(if at_start { rest.clone() } else { Dfa::empty() }),
            Node::Assertion(Assertion::End) => Ok(rest.intersection(&empty_text(), self.limit)?),
            Node::Repeat { node, min, max: Some(max) } if *max <= WRITTEN_OUT => {
                self.repetition(node, *min, *max, rest, at_start)
            }
            Node::Repeat { node, min, max: None } if *min <= WRITTEN_OUT => {
                self.endless_repetition(node, *min, rest)
            }
            Node::Assertion(_) | Node::Repeat { .. } | Node::Char(_) | Node::Set(_) => {
                Err(PatternErrorKind::Lookaround)
            }
        }
    }

    fn sequence(&self, nodes: &[Node], rest: &Dfa, at_start: bool) -> Built {
        let Some((first, others)) = nodes.split_first() else { return Ok(rest.clone()) };
        if !at_start {
            let after = self.sequence(others, rest, false)?;
            return self.before(first, &after, false);
        }
        if first.asserts() {
            // Where it reads nothing the next one stands at the start, too; where it reads something is not known here.
            let reads_nothing = matches!(first, Node::Ahead { .. } | Node::Assertion(_));
            if !reads_nothing && others.iter().any(asserts_start) {
                return Err(PatternErrorKind::Lookaround);
            }
            let after = self.sequence(others, rest, reads_nothing)?;
            return self.before(first, &after, true);
        }
        let read = self.whole(first)?;
        let some = read.difference(&empty_text(), self.limit)?;
        let later = some.concatenation(&self.sequence(others, rest, false)?, self.limit)?;
        if read.contains(b"") {
            return Ok(later.union(&self.sequence(others, rest, true)?, self.limit)?);
        }
        Ok(later)
    }

    fn repetition(&self, node: &Node, min: u32, max: u32, rest: &Dfa, at_start: bool) -> Built {
        if max > 1 && asserts_start(node) {
            return Err(PatternErrorKind::Lookaround);
        }
        let mut after = rest.clone();
        for left in 0..max {
            let once_more = self.before(node, &after, at_start && max == 1)?;
            after = if left < max - min { rest.union(&once_more, self.limit)? } else { once_more };
        }
        Ok(after)
    }

    fn endless_repetition(&self, node: &Node, min: u32, rest: &Dfa) -> Built {
        let Some((character, aheads)) = parts(node).split_last() else {
            return Err(PatternErrorKind::Lookaround);
        };
        let is_character = matches!(character, Node::Char(_) | Node::Set(_));
        let looks_first = aheads.iter().all(|node| matches!(node, Node::Ahead { .. }));
        if !is_character || !looks_first || asserts_start(node) {
            return Err(PatternErrorKind::Lookaround);
        }
        let mut after = self.tempered(character, aheads, rest)?;
        for _ in 0..min {
            after = self.before(node, &after, false)?;
        }
        Ok(after)
    }

    /// Any number of characters before `rest`, before each of which `aheads` hold.
    ///
    /// Where a text divides into characters and a rest in one way only, it is wrong exactly if some end of it that begins with a character of the
    /// repetition is one before which `aheads` do not hold.
    fn tempered(&self, character: &Node, aheads: &[Node], rest: &Dfa) -> Built {
        let limit = self.limit;
        let repeated = Node::Repeat { node: Box::new(character.clone()), min: 0, max: None };
        let (once, any) = (self.whole(character)?, self.whole(&repeated)?);
        let some = once.concatenation(&any.concatenation(rest, limit)?, limit)?;
        if some.is_subset(rest, limit)? {
            return Ok(rest.clone());
        }
        if !some.intersection(rest, limit)?.is_empty() {
            return Err(PatternErrorKind::Lookaround);
        }
        let hold = self.sequence(aheads, &Dfa::text(), false)?;
        let wrong = any.concatenation(&some.difference(&hold, limit)?, limit)?;
        Ok(rest.union(&some.difference(&wrong, limit)?, limit)?)
    }

    /// The texts that match as a whole.
    fn whole(&self, node: &Node) -> Built {
        let anchored = Hir::concat(vec![Hir::look(Look::Start), lower(node), Hir::look(Look::End)]);
        Ok(determinize::texts_with_match(anchored, self.limit)?)
    }
}

/// The nodes of a sequence; any other node is one of itself.
fn parts(node: &Node) -> &[Node] {
    match node {
        Node::Sequence(nodes) => nodes,
        node => std::slice::from_ref(node),
    }
}

fn asserts_start(node: &Node) -> bool {
    matches!(node, Node::Assertion(Assertion::Start)) || node.children().iter().any(asserts_start)
}

fn empty_text() -> Dfa {
    Dfa::words([("", 0)], 1).expect("one state")
}
