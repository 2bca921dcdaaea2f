//! The syntax tree of a grammar: what was written, where.

use super::error::Position;
use crate::special::SpecialToken;

/// `name: body`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RuleSyntax {
    pub(super) position: Position,
    pub(super) name: String,
    pub(super) body: Syntax,
}

/// One piece of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Syntax {
    pub(super) position: Position,
    pub(super) shape: Shape,
}

/// What a piece is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Text(String),
    Special(SpecialToken),
    Rule(String),
    Hole(String),
    Sequence(Vec<Syntax>),
    Choice(Vec<Syntax>),
    Optional(Box<Syntax>),
    Star(Box<Syntax>),
    Plus(Box<Syntax>),
}
