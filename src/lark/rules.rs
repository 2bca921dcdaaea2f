//! A grammar as rules over symbols: names are numbers, and repetitions are rules.

use std::collections::BTreeMap;

use serde_json::Value;

use super::error::{LarkError, LarkErrorKind, Position};
use super::syntax::{DefinitionSyntax, GrammarSyntax, Shape, Syntax, TextSyntax};
use super::terminal::{Bounds, Terminal, Terminals};
use crate::expression::Expression;
use crate::limits::{Budget, LimitExceeded};
use crate::special::SpecialToken;

/// Longer sequences are divided, since later walks go down along a sequence.
const LONGEST_SEQUENCE: usize = 64;

/// Symbols of a production that are read for the price of one step.
const SYMBOLS_PER_STEP: usize = 4;

/// The rules of a grammar.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) rules: Vec<Definition>,
    pub(super) terminals: Vec<Terminal>,
    pub(super) holes: Vec<Hole>,
    /// What may stand before the first terminal and after each.
    pub(super) ignored: Option<Expression>,
    /// The first special token and where it stands.
    pub(super) special: Option<(SpecialToken, Position)>,
}

/// A rule that was written, or that a group or repetition was turned into.
#[derive(Debug)]
pub(super) struct Definition {
    /// The name; a group or repetition has that of the rule it stands in.
    pub(super) name: String,
    pub(super) position: Position,
    /// The alternatives.
    pub(super) productions: Vec<Vec<Symbol>>,
}

/// One piece of a production.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Symbol {
    Terminal(usize),
    Special(SpecialToken),
    Hole(usize),
    Rule(usize),
}

/// A place that the caller fills.
#[derive(Debug)]
pub(super) struct Hole {
    pub(super) position: Position,
    pub(super) content: Content,
}

/// What a hole asks for.
#[derive(Debug)]
pub(super) enum Content {
    /// Whatever the caller gives for this name.
    Named(String),
    /// The JSON texts of a schema.
    Json(Value),
}

impl Rules {
    /// Replaces names by numbers and what is written with operators by rules.
    pub(super) fn new(grammar: &GrammarSyntax, bounds: &Bounds) -> Result<Self, LarkError> {
        let mut terminals = Terminals::new(&grammar.definitions, &grammar.imports, bounds)?;
        terminals.check()?;
        let ignored = terminals.repeated(&grammar.ignored)?;
        let written: Vec<&DefinitionSyntax> =
            grammar.definitions.iter().filter(|definition| !definition.is_terminal).collect();
        let mut names = BTreeMap::new();
        let mut rules = Vec::with_capacity(written.len());
        for (index, rule) in written.iter().enumerate() {
            if names.insert(rule.name.as_str(), index).is_some() {
                return Err(LarkError::at(rule.position, LarkErrorKind::Duplicate(rule.name.clone())));
            }
            let (name, position) = (rule.name.clone(), rule.position);
            rules.push(Definition { name, position, productions: Vec::new() });
        }
        let rules = Self { rules, terminals: Vec::new(), holes: Vec::new(), ignored, special: None };
        let (numbers, holes, budget) = (BTreeMap::new(), BTreeMap::new(), &bounds.budget);
        let mut builder = Builder { names, terminals, numbers, holes, rules, owner: 0, symbols: 0, budget };
        for (index, rule) in written.into_iter().enumerate() {
            builder.owner = index;
            let productions = builder.productions(&rule.body)?;
            builder.define(index, productions)?;
        }
        Ok(builder.rules)
    }
}

struct Builder<'a> {
    names: BTreeMap<&'a str, usize>,
    terminals: Terminals<'a>,
    /// The terminals that are used, by what they are in a user's words.
    numbers: BTreeMap<String, usize>,
    /// The named holes.
    holes: BTreeMap<&'a str, usize>,
    rules: Rules,
    /// The written rule under way.
    owner: usize,
    /// The symbols of all productions so far.
    symbols: usize,
    budget: &'a Budget,
}

impl<'a> Builder<'a> {
    /// The alternatives of a body.
    fn productions(&mut self, body: &'a Syntax) -> Result<Vec<Vec<Symbol>>, LarkError> {
        match &body.shape {
            Shape::Choice(options) => options.iter().map(|option| self.sequence(option)).collect(),
            _ => Ok(vec![self.sequence(body)?]),
        }
    }

    fn sequence(&mut self, part: &'a Syntax) -> Result<Vec<Symbol>, LarkError> {
        let position = part.position;
        Ok(match &part.shape {
            Shape::Sequence(parts) => {
                let parts = parts.iter().map(|part| self.sequence(part)).collect::<Result<Vec<_>, _>>()?;
                parts.concat()
            }
            Shape::Choice(options) => match &options[..] {
                [only] => self.sequence(only)?,
                _ => {
                    let productions = self.productions(part)?;
                    vec![self.rule(position, productions)?]
                }
            },
            Shape::Repeat { body, min, max } => self.repetition(body, *min, *max)?,
            Shape::Rule(name) => match self.names.get(name.as_str()) {
                Some(&index) => vec![Symbol::Rule(index)],
                None => return Err(LarkError::at(position, LarkErrorKind::UndefinedRule(name.clone()))),
            },
            Shape::Special(token) => {
                self.rules.special.get_or_insert((*token, position));
                vec![Symbol::Special(*token)]
            }
            Shape::Hole(name) => vec![self.hole(name, position)],
            Shape::Json(schema) => {
                self.rules.holes.push(Hole { position, content: Content::Json(schema.clone()) });
                vec![Symbol::Hole(self.rules.holes.len() - 1)]
            }
            Shape::Text(TextSyntax { text, .. }) if text.is_empty() => Vec::new(),
            Shape::Text(TextSyntax { text, ignores_case: false }) => {
                self.terminal(part, &format!("{text:?}"))?
            }
            Shape::Text(text) => self.terminal(part, &format!("{:?}i", text.text))?,
            Shape::Regex(regex) => self.terminal(part, &format!("/{}/{}", regex.source, regex.flags))?,
            Shape::Range(low, high) => self.terminal(part, &format!("{low:?}..{high:?}"))?,
            Shape::Terminal(name) => self.terminal(part, name)?,
        })
    }

    /// The number of a terminal; equal ones have one.
    fn terminal(&mut self, syntax: &'a Syntax, what: &str) -> Result<Vec<Symbol>, LarkError> {
        if let Some(&known) = self.numbers.get(what) {
            return Ok(vec![Symbol::Terminal(known)]);
        }
        let terminal = self.terminals.terminal(syntax, what)?;
        let number = self.rules.terminals.len();
        self.rules.terminals.push(terminal);
        self.numbers.insert(what.to_owned(), number);
        Ok(vec![Symbol::Terminal(number)])
    }

    fn hole(&mut self, name: &'a str, position: Position) -> Symbol {
        let Self { holes, rules, .. } = self;
        let number = holes.entry(name).or_insert_with(|| {
            rules.holes.push(Hole { position, content: Content::Named(name.to_owned()) });
            rules.holes.len() - 1
        });
        Symbol::Hole(*number)
    }

    /// `body~min..max`
    fn repetition(&mut self, body: &'a Syntax, min: u32, max: Option<u32>) -> Result<Vec<Symbol>, LarkError> {
        let position = body.position;
        let productions = self.productions(body)?;
        if (min, max) == (0, Some(1)) {
            return Ok(vec![self.rule(position, optional(productions))?]);
        }
        if (min, max) == (0, None) {
            return self.star(position, productions);
        }
        let body = match &productions[..] {
            [only] if only.len() == 1 => only[0],
            _ => self.rule(position, productions)?,
        };
        let mut symbols = self.power(position, body, min)?;
        match max {
            None => symbols.extend(self.star(position, vec![vec![body]])?),
            Some(max) => symbols.extend(self.at_most(position, body, max - min)?),
        }
        Ok(symbols)
    }

    /// Any number of times: an alternative and the rule again, or nothing. Right-recursive, so that the stack
    /// does not grow.
    fn star(&mut self, position: Position, bodies: Vec<Vec<Symbol>>) -> Result<Vec<Symbol>, LarkError> {
        let again = Symbol::Rule(self.rules.rules.len());
        let bodies = bodies.into_iter().filter(|body| !body.is_empty());
        let productions = bodies.map(|body| [body, vec![again]].concat()).collect();
        Ok(vec![self.rule(position, optional(productions))?])
    }

    /// Exactly `count` times: by doubling, so that the grammar does not grow with the count.
    fn power(&mut self, position: Position, body: Symbol, count: u32) -> Result<Vec<Symbol>, LarkError> {
        let (mut doubled, mut symbols) = (body, Vec::new());
        for bit in 0..u32::BITS - count.leading_zeros() {
            if bit > 0 {
                doubled = self.rule(position, vec![vec![doubled, doubled]])?;
            }
            if count >> bit & 1 == 1 {
                symbols.push(doubled);
            }
        }
        Ok(symbols)
    }

    /// At most `count` times: once and at most one time fewer, or nothing.
    fn at_most(&mut self, position: Position, body: Symbol, count: u32) -> Result<Vec<Symbol>, LarkError> {
        let mut fewer = Vec::new();
        for _ in 0..count {
            fewer = vec![self.rule(position, optional(vec![[vec![body], fewer].concat()]))?];
        }
        Ok(fewer)
    }

    /// A rule without a name of its own.
    fn rule(&mut self, position: Position, productions: Vec<Vec<Symbol>>) -> Result<Symbol, LarkError> {
        let index = self.rules.rules.len();
        let name = self.rules.rules[self.owner].name.clone();
        self.rules.rules.push(Definition { name, position, productions: Vec::new() });
        self.define(index, productions)?;
        Ok(Symbol::Rule(index))
    }

    fn define(&mut self, rule: usize, mut productions: Vec<Vec<Symbol>>) -> Result<(), LarkError> {
        let position = self.rules.rules[rule].position;
        for production in &mut productions {
            self.count(position, production.len() + 1)?;
            while production.len() > LONGEST_SEQUENCE {
                let end = production.split_off(production.len() - LONGEST_SEQUENCE + 1);
                let end = self.rule(position, vec![end])?;
                production.push(end);
            }
        }
        self.rules.rules[rule].productions = productions;
        Ok(())
    }

    fn count(&mut self, position: Position, symbols: usize) -> Result<(), LarkError> {
        let limit = self.budget.limits().grammar_symbols;
        self.symbols = self.symbols.saturating_add(symbols);
        if self.symbols > limit {
            let limit = LimitExceeded { what: "grammar_symbols", limit, given: self.symbols };
            return Err(LarkError::at(position, LarkErrorKind::Limit(limit)));
        }
        // Paid for all that is done with them later, too.
        let charged = self.budget.charge(1 + symbols / SYMBOLS_PER_STEP);
        charged.map_err(|limit| LarkError::at(position, LarkErrorKind::Limit(limit)))
    }
}

fn optional(mut productions: Vec<Vec<Symbol>>) -> Vec<Vec<Symbol>> {
    productions.push(Vec::new());
    productions
}
