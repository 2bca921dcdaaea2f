//! Rules in a form in which what may be empty is known: each production begins with something that is not.
//!
//! A rule here stands for its texts but the empty one. Where a rule is used and may be empty,
//! [`NormalForm::is_nullable`] says so, and whoever uses it offers nothing as well. A production whose first
//! symbols may be empty is therefore one production for each of them that may be the first to read something.
//! That is what makes left recursion visible where it hides behind symbols that may be empty, and a loop
//! around something empty harmless: a round that reads nothing is no round.

use super::error::{LarkError, LarkErrorKind};
use super::lengths::{self, Way, least};
use super::rests::{Rest, Rests};
use super::rules::{Content, Definition, Rules, Symbol};
use crate::expression::Expression;
use crate::limits::Limits;

/// What a rule is: one of these.
#[derive(Clone, Copy, Debug)]
pub(super) struct Production {
    /// Reads something, but for a hole that is filled with what may be empty.
    pub(super) head: Symbol,
    /// May be empty.
    pub(super) rest: Rest,
}

impl Production {
    /// Whether it is a rule and nothing else. A rule need not say so of itself; and where it began with
    /// something that may be empty (`a: x a`), it would be left-recursive for nothing.
    fn is_just(&self, rule: usize) -> bool {
        self.head == Symbol::Rule(rule) && self.rest == Rest::NONE
    }
}

/// The rules that a start rule needs; those that it does not need have no productions.
#[derive(Debug)]
pub(super) struct NormalForm {
    pub(super) rules: Vec<Vec<Production>>,
    pub(super) rests: Rests,
    /// Whether a rule may be empty as it was written.
    nullable: Vec<bool>,
    /// The least length of a rule's texts but the empty one; `None` where there is no other.
    least: Vec<Option<u32>>,
}

/// The grammar with its holes filled.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) rules: &'a Rules,
    pub(super) holes: &'a [Option<Expression>],
}

impl NormalForm {
    /// The rules that `start` needs.
    pub(super) fn new(source: &Source<'_>, start: usize) -> Result<Self, LarkError> {
        let reached = source.reached(start)?;
        let written = source.least(&reached);
        if let Some(&endless) = reached.iter().find(|&&rule| written[rule].is_none()) {
            let rule = &source.rules.rules[endless];
            return Err(LarkError::at(rule.position, LarkErrorKind::Unproductive(rule.name.clone())));
        }
        let count = source.rules.rules.len();
        let nullable = written.iter().map(|least| *least == Some(0)).collect();
        let rules = vec![Vec::new(); count];
        let mut form = Self { rules, rests: Rests::default(), nullable, least: written };
        for &rule in &reached {
            for symbols in &source.rules.rules[rule].productions {
                let symbols = form.rest(symbols, source);
                let split = form.split(symbols, source);
                let productions: Vec<_> = split.filter(|production| !production.is_just(rule)).collect();
                form.rules[rule].extend(productions);
            }
        }
        form.forget_empty(source);
        Ok(form)
    }

    /// The sequence without its empty text: for each symbol before which all may be empty, what begins with
    /// it.
    fn split(&self, symbols: Rest, source: &Source<'_>) -> impl Iterator<Item = Production> {
        let mut is_over = false;
        let heads = self.rests.links(symbols).take_while(move |link| {
            // A hole cannot be asked for its texts without the empty one, so what follows it is not split off.
            let is_last = matches!(link.first, Symbol::Hole(_)) || !self.is_nullable(link.first, source);
            !std::mem::replace(&mut is_over, is_last)
        });
        heads.map(|link| Production { head: link.first, rest: link.next })
    }

    /// The sequence as what follows something. Measured before rules lose their empty texts, which those that
    /// have none do not change by.
    fn rest(&mut self, symbols: &[Symbol], source: &Source<'_>) -> Rest {
        let Self { rests, least, .. } = self;
        let length = |symbol: Symbol| match symbol {
            Symbol::Rule(rule) => least[rule],
            _ => source.whole(symbol),
        };
        rests.add(symbols.iter().map(|&symbol| (symbol, length(symbol).unwrap_or_default())))
    }

    /// Measures rules without their empty text, and drops productions that begin with a rule or terminal that
    /// has no other.
    fn forget_empty(&mut self, source: &Source<'_>) {
        let mut ways = Vec::new();
        for (rule, productions) in self.rules.iter().enumerate() {
            for Production { head, rest } in productions {
                let rest = self.rests.least(*rest);
                let (bytes, needs) = match *head {
                    Symbol::Rule(needed) => (Some(0), vec![needed]),
                    head => (source.nonempty(head), Vec::new()),
                };
                ways.extend(bytes.map(|bytes| Way { rule, bytes: rest.saturating_add(bytes), needs }));
            }
        }
        self.least = least(self.rules.len(), ways);
        let mut rules = std::mem::take(&mut self.rules);
        rules.iter_mut().for_each(|productions| self.forget_silent(productions, source));
        self.rules = rules;
    }

    /// Drops productions that begin with what has no text but the empty one.
    fn forget_silent(&self, productions: &mut Vec<Production>, source: &Source<'_>) {
        productions.retain(|production| self.has_text(production.head, source));
    }

    /// What begins with a symbol of a sequence that follows something, without the empty text.
    pub(super) fn after(&self, symbols: Rest, source: &Source<'_>) -> Vec<Production> {
        let mut rests = self.split(symbols, source).collect();
        self.forget_silent(&mut rests, source);
        rests
    }

    /// The least length of a rule's texts but the empty one; `None` where there is no other.
    pub(super) fn least(&self, rule: usize) -> Option<u32> {
        self.least[rule]
    }

    /// Whether the symbol has a text that is not empty.
    pub(super) fn has_text(&self, symbol: Symbol, source: &Source<'_>) -> bool {
        match symbol {
            Symbol::Rule(rule) => self.least[rule].is_some(),
            _ => source.nonempty(symbol).is_some(),
        }
    }

    /// Whether the symbol may be empty.
    pub(super) fn is_nullable(&self, symbol: Symbol, source: &Source<'_>) -> bool {
        match symbol {
            Symbol::Rule(rule) => self.nullable[rule],
            _ => source.whole(symbol) == Some(0),
        }
    }

    /// Whether what stands at the beginning of a production may nevertheless be empty: only ever because of a
    /// hole.
    pub(super) fn is_opaque(&self, head: Symbol, source: &Source<'_>) -> bool {
        match head {
            Symbol::Rule(rule) => self.least[rule] == Some(0),
            _ => source.nonempty(head) == Some(0),
        }
    }
}

impl Source<'_> {
    /// Checks the shortest text of each alternative that `start` leads to, since a model may choose any.
    pub(super) fn check_lengths(&self, start: usize, limits: &Limits) -> Result<(), LarkError> {
        let reached = self.reached(start)?;
        let least = self.least(&reached);
        for &rule in &reached {
            let Definition { position, productions, .. } = &self.rules.rules[rule];
            for production in productions {
                let lengths = production.iter().map(|&symbol| match symbol {
                    Symbol::Rule(rule) => least[rule].unwrap_or_default(),
                    _ => self.whole(symbol).unwrap_or_default(),
                });
                let length = lengths.fold(0, u32::saturating_add);
                lengths::check(length, limits).map_err(|kind| LarkError::at(*position, kind))?;
            }
        }
        Ok(())
    }

    /// The rules that `start` needs, itself first; all their holes are filled.
    fn reached(&self, start: usize) -> Result<Vec<usize>, LarkError> {
        let mut is_reached = vec![false; self.rules.rules.len()];
        is_reached[start] = true;
        let mut reached = vec![start];
        let mut next = 0;
        while let Some(&rule) = reached.get(next) {
            next += 1;
            for &symbol in self.rules.rules[rule].productions.iter().flatten() {
                match symbol {
                    Symbol::Rule(rule) if !std::mem::replace(&mut is_reached[rule], true) => {
                        reached.push(rule);
                    }
                    Symbol::Hole(hole) if self.holes[hole].is_none() => return Err(self.unfilled(hole)),
                    _ => {}
                }
            }
        }
        Ok(reached)
    }

    fn unfilled(&self, hole: usize) -> LarkError {
        let hole = &self.rules.holes[hole];
        let name = match &hole.content {
            Content::Named(name) => name.clone(),
            Content::Json(_) => "%json".to_owned(),
        };
        LarkError::at(hole.position, LarkErrorKind::UnfilledHole(name))
    }

    /// The least lengths of rules as they were written.
    fn least(&self, reached: &[usize]) -> Vec<Option<u32>> {
        let mut ways = Vec::new();
        for &rule in reached {
            for production in &self.rules.rules[rule].productions {
                let (mut bytes, mut needs) = (0_u32, Vec::new());
                for &symbol in production {
                    match symbol {
                        Symbol::Rule(rule) => needs.push(rule),
                        _ => bytes = bytes.saturating_add(self.whole(symbol).unwrap_or_default()),
                    }
                }
                ways.push(Way { rule, bytes, needs });
            }
        }
        least(self.rules.rules.len(), ways)
    }

    /// The least length of a symbol that is no rule; `None` for a rule.
    fn whole(&self, symbol: Symbol) -> Option<u32> {
        match symbol {
            Symbol::Terminal(terminal) if self.rules.terminals[terminal].is_nullable => Some(0),
            _ => self.nonempty(symbol),
        }
    }

    /// The least length of the texts but the empty one of a symbol that is no rule; 0 for a hole that may be
    /// empty.
    fn nonempty(&self, symbol: Symbol) -> Option<u32> {
        match symbol {
            Symbol::Terminal(terminal) => {
                self.rules.terminals[terminal].nonempty.as_ref().map(Expression::min_len)
            }
            Symbol::Special(_) => Some(1),
            Symbol::Hole(hole) => self.holes[hole].as_ref().map(Expression::min_len),
            Symbol::Rule(_) => None,
        }
    }
}
