//! A grammar with its names resolved and its holes open.

use std::sync::Arc;

use serde_json::Value;

use super::confined;
use super::error::{LarkError, LarkErrorKind, Position};
use super::filled;
use super::normal::Source;
use super::parser;
use super::rules::{Content, Rules};
use super::terminal::{self, Bounds};
use crate::expression::Expression;
use crate::limits::{Budget, Limits};
use crate::recursion;
use crate::regular::Dfa;
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
pub struct Template {
    rules: Arc<Rules>,
    bounds: Bounds,
}

impl Template {
    /// Reads a grammar, within the default limits.
    ///
    /// # Errors
    /// Where the text is not a grammar, or a name is undefined or defined twice.
    pub fn parse(source: &str) -> Result<Self, LarkError> {
        Self::parse_within(source, &Limits::default())
    }

    /// Reads a grammar within other limits.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_within(source: &str, limits: &Limits) -> Result<Self, LarkError> {
        Self::parse_confined(source, limits, None)
    }

    /// Reads a grammar whose texts are confined to those of `texts`, all of whose beginnings must be in it.
    ///
    /// # Errors
    /// As [`parse`](Self::parse); and where a terminal has no such text.
    pub fn parse_confined(
        source: &str,
        budget: impl Into<Budget>,
        texts: Option<Arc<Dfa>>,
    ) -> Result<Self, LarkError> {
        let bounds = Bounds { budget: budget.into(), texts };
        let rules = nested(source, || Rules::new(&parser::grammar(source)?, &bounds))?;
        Ok(Self { rules: Arc::new(rules), bounds })
    }

    /// The language of the rule `start`, with the named holes filled. Holes that `start` does not reach may
    /// stay open.
    ///
    /// # Errors
    /// Where the grammar has no such rule or hole, where a hole stays open, and where a rule matches no text.
    pub fn fill(&self, start: &str, holes: &[(&str, Expression)]) -> Result<Expression, LarkError> {
        let mut filling = vec![None; self.rules.holes.len()];
        for (name, expression) in holes {
            let unknown = || LarkError::in_use(LarkErrorKind::UnknownHole((*name).to_owned()));
            let is_named = |content: &Content| matches!(content, Content::Named(known) if known == name);
            let hole =
                self.rules.holes.iter().position(|hole| is_named(&hole.content)).ok_or_else(unknown)?;
            filling[hole] = Some(expression.clone());
        }
        filled::fill(&self.rules, self.rule(start)?, filling, self.bounds.budget.limits())
    }

    /// The schemas that are written in the grammar, and where.
    pub fn schemas(&self) -> impl Iterator<Item = (&Value, Position)> {
        self.rules.holes.iter().filter_map(|hole| match &hole.content {
            Content::Json(schema) => Some((schema, hole.position)),
            Content::Named(_) => None,
        })
    }

    /// The language of the rule `start`, with an expression for each of [`schemas`](Self::schemas). A grammar
    /// with named holes is refused.
    ///
    /// # Errors
    /// As [`fill`](Self::fill); where the shortest text of an alternative is too long; and where several
    /// terminals together may leave the texts that the grammar is confined to.
    pub fn text(&self, schemas: impl IntoIterator<Item = Expression>) -> Result<Expression, LarkError> {
        let mut schemas = schemas.into_iter();
        let filling = self.rules.holes.iter().map(|hole| match hole.content {
            Content::Json(_) => schemas.next(),
            Content::Named(_) => None,
        });
        let (filling, start): (Vec<_>, usize) = (filling.collect(), self.rule("start")?);
        let Bounds { budget, texts } = &self.bounds;
        let language = filled::fill(&self.rules, start, filling.clone(), budget.limits())?;
        Source { rules: &self.rules, holes: &filling }.check_lengths(start, budget.limits())?;
        if let Some(texts) = texts {
            confined::check(&self.rules, start, texts, budget)?;
        }
        Ok(language)
    }

    /// The first special token that is written in the grammar, and where: a text cannot contain it.
    #[must_use]
    pub fn special(&self) -> Option<(SpecialToken, Position)> {
        self.rules.special
    }

    fn rule(&self, name: &str) -> Result<usize, LarkError> {
        let undefined = || LarkError::in_use(LarkErrorKind::UndefinedRule(name.to_owned()));
        self.rules.rules.iter().position(|rule| rule.name == name).ok_or_else(undefined)
    }
}

/// The texts that a regular expression in the syntax of Rust's `regex` crate matches from end to end; of
/// these those in `texts`, where that is given.
///
/// # Errors
/// Where it cannot be read, looks around or refers back, matches nothing, or needs too many states.
pub fn regex(
    source: &str,
    budget: impl Into<Budget>,
    texts: Option<Arc<Dfa>>,
) -> Result<Expression, LarkError> {
    let bounds = Bounds { budget: budget.into(), texts };
    nested(source, || terminal::whole_regex(source, &bounds))
}

/// Calls what follows the nesting of a grammar: groups, repetitions, terminals and what is in their regular
/// expressions, all of which have ceilings.
fn nested<R>(source: &str, call: impl FnOnce() -> R) -> R {
    let nests = |byte: &u8| b"([{:*+?~".contains(byte);
    let levels = source.bytes().filter(nests).count().min(MOST_LEVELS);
    recursion::with_levels(levels, call)
}

/// More than the levels of brackets, terminals and regular expressions together: 64, 256 and 250.
const MOST_LEVELS: usize = 640;
