//! The syntax tree of a grammar: what was written, where.

use serde_json::Value;

use super::error::Position;
use crate::special::SpecialToken;

/// A whole grammar.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct GrammarSyntax {
    /// Rules and terminals, in the order they are written.
    pub(super) definitions: Vec<DefinitionSyntax>,
    /// What each `%ignore` names.
    pub(super) ignored: Vec<Syntax>,
    /// Terminals taken from the library.
    pub(super) imports: Vec<ImportSyntax>,
}

/// `name: body`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DefinitionSyntax {
    pub(super) position: Position,
    pub(super) name: String,
    pub(super) is_terminal: bool,
    pub(super) body: Syntax,
}

/// `%import common.name -> alias`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ImportSyntax {
    pub(super) position: Position,
    pub(super) name: String,
    pub(super) alias: String,
}

/// One piece of a body.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Syntax {
    pub(super) position: Position,
    pub(super) shape: Shape,
}

/// What a piece is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Text(TextSyntax),
    Regex(RegexSyntax),
    /// The characters from one to another.
    Range(char, char),
    Special(SpecialToken),
    Rule(String),
    Terminal(String),
    Hole(String),
    /// `%json` and the schema.
    Json(Value),
    Sequence(Vec<Syntax>),
    Choice(Vec<Syntax>),
    Repeat {
        body: Box<Syntax>,
        min: u32,
        max: Option<u32>,
    },
}

/// `"text"i`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextSyntax {
    pub(super) text: String,
    pub(super) ignores_case: bool,
}

/// `/source/flags`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RegexSyntax {
    pub(super) source: String,
    pub(super) flags: String,
}
