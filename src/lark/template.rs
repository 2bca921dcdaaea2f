//! A grammar with its names resolved and its holes open.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::error::{LarkError, LarkErrorKind, Position};
use super::filled;
use super::parser;
use super::syntax::{RuleSyntax, Shape, Syntax};
use crate::expression::Expression;
use crate::special::SpecialToken;

/// A grammar that was read, with holes still to fill. Cheap to clone.
///
/// ```
/// use harmony_mask::expression::Expression;
/// use harmony_mask::lark::Template;
///
/// let template = Template::parse("start: <|message|> @body <|end|>")?;
/// let message = template.fill("start", &[("body", Expression::literal("hi"))])?;
/// assert_eq!(message.min_len(), 4, "two letters and two special tokens");
/// # Ok::<(), harmony_mask::lark::LarkError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Template(pub(super) Arc<Rules>);

/// The rules of a template; they refer to each other, and to holes, by index.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) rules: Vec<Definition>,
    pub(super) holes: Vec<HoleName>,
}

/// A rule that was written, or that a repetition was turned into.
#[derive(Debug)]
pub(super) struct Definition {
    /// The name; a repetition has that of the rule it stands in.
    pub(super) name: String,
    pub(super) position: Position,
    pub(super) is_repetition: bool,
    pub(super) body: Part,
}

/// A hole and where it is used first.
#[derive(Debug)]
pub(super) struct HoleName {
    pub(super) name: String,
    pub(super) position: Position,
}

/// One piece of a body.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Literal(String),
    Special(SpecialToken),
    Rule(usize),
    Hole(usize),
    Sequence(Vec<Part>),
    Choice(Vec<Part>),
}

impl Template {
    /// Reads a grammar.
    ///
    /// # Errors
    /// Where the text is not a grammar, or a rule is undefined or defined twice.
    pub fn parse(source: &str) -> Result<Self, LarkError> {
        Ok(Self(Arc::new(resolve(parser::rules(source)?)?)))
    }

    /// The language of the rule `start`, with the named holes filled. Holes that `start` does not reach may stay open.
    ///
    /// # Errors
    /// Where the grammar has no such rule or hole, where a hole stays open, and where a rule is left-recursive or matches no text.
    pub fn fill(&self, start: &str, holes: &[(&str, Expression)]) -> Result<Expression, LarkError> {
        let undefined = || LarkError::in_use(LarkErrorKind::UndefinedRule(start.to_owned()));
        let start = self.0.rules.iter().position(|rule| rule.name == start).ok_or_else(undefined)?;
        let mut filling = vec![None; self.0.holes.len()];
        for (name, expression) in holes {
            let unknown = || LarkError::in_use(LarkErrorKind::UnknownHole((*name).to_owned()));
            let hole = self.0.holes.iter().position(|hole| hole.name == *name).ok_or_else(unknown)?;
            filling[hole] = Some(expression.clone());
        }
        filled::fill(self, start, filling)
    }
}

/// Replaces names by indices and repetitions by rules.
fn resolve(written: Vec<RuleSyntax>) -> Result<Rules, LarkError> {
    let mut names = BTreeMap::new();
    for (index, rule) in written.iter().enumerate() {
        if names.insert(rule.name.clone(), index).is_some() {
            return Err(LarkError::at(rule.position, LarkErrorKind::DuplicateRule(rule.name.clone())));
        }
    }
    let mut resolver =
        Resolver { names, repetitions: Vec::new(), first_repetition: written.len(), holes: Vec::new() };
    let mut rules = Vec::with_capacity(written.len());
    for RuleSyntax { position, name, body } in written {
        let body = resolver.part(&name, body)?;
        rules.push(Definition { name, position, is_repetition: false, body });
    }
    rules.append(&mut resolver.repetitions);
    Ok(Rules { rules, holes: resolver.holes })
}

struct Resolver {
    names: BTreeMap<String, usize>,
    repetitions: Vec<Definition>,
    first_repetition: usize,
    holes: Vec<HoleName>,
}

impl Resolver {
    fn part(&mut self, owner: &str, Syntax { position, shape }: Syntax) -> Result<Part, LarkError> {
        Ok(match shape {
            Shape::Text(text) => Part::Literal(text),
            Shape::Special(token) => Part::Special(token),
            Shape::Rule(name) => match self.names.get(&name) {
                Some(&index) => Part::Rule(index),
                None => return Err(LarkError::at(position, LarkErrorKind::UndefinedRule(name))),
            },
            Shape::Hole(name) => Part::Hole(self.hole(name, position)),
            Shape::Sequence(parts) => Part::Sequence(self.parts(owner, parts)?),
            Shape::Choice(options) => Part::Choice(self.parts(owner, options)?),
            Shape::Optional(body) => optional(self.part(owner, *body)?),
            Shape::Star(body) => {
                let body = self.part(owner, *body)?;
                self.repetition(owner, position, body)
            }
            Shape::Plus(body) => {
                let body = self.part(owner, *body)?;
                Part::Sequence(vec![body.clone(), self.repetition(owner, position, body)])
            }
        })
    }

    fn parts(&mut self, owner: &str, parts: Vec<Syntax>) -> Result<Vec<Part>, LarkError> {
        parts.into_iter().map(|part| self.part(owner, part)).collect()
    }

    fn hole(&mut self, name: String, position: Position) -> usize {
        if let Some(index) = self.holes.iter().position(|hole| hole.name == name) {
            return index;
        }
        self.holes.push(HoleName { name, position });
        self.holes.len() - 1
    }

    /// `body*` is a rule of its own: the body and the rule again, or nothing.
    fn repetition(&mut self, owner: &str, position: Position, body: Part) -> Part {
        let again = Part::Rule(self.first_repetition + self.repetitions.len());
        let body = optional(Part::Sequence(vec![body, again.clone()]));
        self.repetitions.push(Definition { name: owner.to_owned(), position, is_repetition: true, body });
        again
    }
}

fn optional(part: Part) -> Part {
    Part::Choice(vec![part, Part::Sequence(Vec::new())])
}
