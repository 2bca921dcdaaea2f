//! A grammar whose holes are filled, as an expression.
//!
//! Every rule becomes an [`expression::Rule`](crate::expression::Rule), so recursion costs nothing until it
//! is reached. Two are the same when they are the same rule of the same template with equal fillings; tools
//! with equal arguments therefore share their states.

use std::any::Any;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use super::error::LarkError;
use super::left::LeftRecursion;
use super::normal::{NormalForm, Production, Source};
use super::rests::{Link, Rest};
use super::rules::{Rules, Symbol};
use crate::expression::{Expression, Rule};
use crate::limits::Limits;

/// The language of rule `start`.
pub(super) fn fill(
    rules: &Arc<Rules>,
    start: usize,
    holes: Vec<Option<Expression>>,
    limits: &Limits,
) -> Result<Expression, LarkError> {
    let source = Source { rules, holes: &holes };
    let form = NormalForm::new(&source, start)?;
    let left = LeftRecursion::new(&form, &source, limits)?;
    let mut hasher = DefaultHasher::new();
    holes.hash(&mut hasher);
    let mut tails = Vec::new();
    tails.resize_with(rules.rules.len(), OnceLock::new);
    let filled = Filled { rules: Arc::clone(rules), holes, form, left, tails, hash: hasher.finish() };
    let filled = Arc::new(filled);
    let before = filled.rules.ignored.clone().unwrap_or_else(Expression::empty);
    Ok(before.then(filled.symbol(Symbol::Rule(start))))
}

/// What all rules of one filled grammar share.
struct Filled {
    rules: Arc<Rules>,
    holes: Vec<Option<Expression>>,
    form: NormalForm,
    left: LeftRecursion,
    /// The least lengths of the tails to each left-recursive rule that was reached.
    tails: Vec<OnceLock<Vec<u32>>>,
    hash: u64,
}

impl Filled {
    fn source(&self) -> Source<'_> {
        Source { rules: &self.rules, holes: &self.holes }
    }

    /// A symbol where it may be empty.
    fn symbol(self: &Arc<Self>, symbol: Symbol) -> Expression {
        let source = self.source();
        match (self.form.is_nullable(symbol, &source), self.form.has_text(symbol, &source)) {
            (_, false) => Expression::empty(),
            (false, true) => self.nonempty(symbol),
            (true, true) => self.nonempty(symbol).optional(),
        }
    }

    /// A symbol without its empty text, and what is ignored after it.
    fn nonempty(self: &Arc<Self>, symbol: Symbol) -> Expression {
        let text = match symbol {
            Symbol::Rule(rule) => return RuleAt::Whole(rule).of(self),
            Symbol::Terminal(terminal) => self.rules.terminals[terminal].nonempty.clone(),
            Symbol::Special(token) => Some(Expression::special(token)),
            Symbol::Hole(hole) => self.holes[hole].clone(),
        };
        let text = text.expect("a symbol with a text, all holes filled");
        self.rules.ignored.iter().cloned().fold(text, Expression::then)
    }

    fn production(self: &Arc<Self>, production: &Production) -> Expression {
        self.nonempty(production.head).then(self.rest(production.rest))
    }

    fn rest(self: &Arc<Self>, rest: Rest) -> Expression {
        if rest == Rest::NONE { Expression::empty() } else { RuleAt::Rest(rest).of(self) }
    }

    /// The first symbol of what remains of a sequence, and what remains behind it.
    fn first(self: &Arc<Self>, rest: Rest) -> Expression {
        let &Link { first, next, .. } = self.link(rest);
        self.symbol(first).then(self.rest(next))
    }

    /// What remains of a sequence, symbol by symbol.
    fn symbols(&self, rest: Rest) -> impl Iterator<Item = Symbol> {
        self.form.rests.links(rest).map(|link| link.first)
    }

    fn link(&self, rest: Rest) -> &Link {
        self.form.rests.get(rest).expect("a rest that is a rule has symbols")
    }

    /// The production, then the tail from `from` to `to`.
    fn extended(self: &Arc<Self>, production: &Production, from: usize, to: usize) -> Expression {
        let text = self.production(production);
        // If the production itself ends with `to`, that last `to` reads everything that a tail from `to` to
        // `to` could read. Without this, `e: e "+" e` would be read once for each of its trees.
        let ends_with_it = match self.symbols(production.rest).last() {
            Some(last) => last == Symbol::Rule(to) && !self.form.is_nullable(last, &self.source()),
            None => production.head == Symbol::Rule(to),
        };
        if from == to && ends_with_it {
            return text;
        }
        text.then(RuleAt::Tail { from, to }.of(self))
    }

    /// The productions of a rule, without its empty text.
    fn whole(self: &Arc<Self>, rule: usize) -> Vec<Expression> {
        let Some(component) = self.left.component(rule) else {
            let productions = self.form.rules[rule].iter();
            return productions.map(|production| self.production(production)).collect();
        };
        let mut options = Vec::new();
        for &from in component {
            let productions = self.form.rules[from].iter();
            let bases = productions.filter(|production| self.left.within(from, production.head).is_none());
            options.extend(bases.map(|base| self.extended(base, from, rule)));
        }
        options
    }

    /// What may follow `from` until it is `to`.
    fn tails(self: &Arc<Self>, from: usize, to: usize) -> Vec<Expression> {
        let mut options = Vec::new();
        let closure = self.left.closure(from);
        for used in closure.iter().flat_map(|&rule| self.left.uses(rule)) {
            let rests = used.rests.iter();
            options.extend(rests.map(|rest| self.extended(rest, used.rule, to)));
        }
        if closure.contains(&to) {
            options.push(Expression::empty());
        }
        options
    }

    fn tail_length(&self, from: usize, to: usize) -> u32 {
        self.tails[to].get_or_init(|| self.left.tail_lengths(to))[from]
    }
}

/// A rule of a filled grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum RuleAt {
    /// All texts but the empty one of a rule.
    Whole(usize),
    /// What follows one left-recursive rule until it is another.
    Tail { from: usize, to: usize },
    /// What remains of a sequence. All that stands below a position is a rule, since rules
    /// [wait](Rule::height): two that are the same are opened once then, on what is below either.
    Rest(Rest),
}

impl RuleAt {
    fn of(self, filled: &Arc<Filled>) -> Expression {
        Expression::rule(Arc::new(FilledRule { filled: Arc::clone(filled), at: self }))
    }
}

#[derive(Clone)]
struct FilledRule {
    filled: Arc<Filled>,
    at: RuleAt,
}

impl FilledRule {
    /// Whether the other is the same rule of the same grammar, which may have begun with another rule: rests
    /// are numbered as they are come upon from there.
    fn is_at_place_of(&self, other: &Self) -> bool {
        match (self.at, other.at) {
            (RuleAt::Rest(one), RuleAt::Rest(two)) => self.filled.symbols(one).eq(other.filled.symbols(two)),
            (one, two) => one == two,
        }
    }
}

impl Rule for FilledRule {
    fn expand(&self) -> Expression {
        let options = match self.at {
            RuleAt::Whole(rule) => self.filled.whole(rule),
            RuleAt::Tail { from, to } => self.filled.tails(from, to),
            RuleAt::Rest(rest) => vec![self.filled.first(rest)],
        };
        Expression::choice(options).expect("reachable rules are productive")
    }

    fn min_len(&self) -> u32 {
        match self.at {
            RuleAt::Whole(rule) => self.filled.form.least(rule).expect("reachable rules are productive"),
            RuleAt::Tail { from, to } => self.filled.tail_length(from, to),
            RuleAt::Rest(rest) => self.filled.form.rests.least(rest),
        }
    }

    /// What remains of a sequence is quickly read again: with summaries of rests, cold masks of the grammars in
    /// `tests/cases` take 1.06 of what they take without (geometric mean of 63).
    fn recurs(&self) -> bool {
        !matches!(self.at, RuleAt::Rest(_))
    }

    fn height(&self) -> u32 {
        match self.at {
            RuleAt::Whole(rule) => self.filled.left.height(rule),
            RuleAt::Tail { .. } => self.filled.left.tail_height(),
            RuleAt::Rest(rest) => self.filled.left.rest_height(self.filled.link(rest).len),
        }
    }

    /// A rule that stands below a position is what comes after it, which does not say where the position is.
    fn place(&self) -> String {
        String::new()
    }

    fn same(&self, other: &dyn Rule) -> bool {
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| {
            let (one, two) = (&self.filled, &other.filled);
            match Arc::ptr_eq(one, two) {
                true => self.at == other.at,
                false => {
                    Arc::ptr_eq(&one.rules, &two.rules)
                        && one.holes == two.holes
                        && self.is_at_place_of(other)
                }
            }
        })
    }

    fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        match self.at {
            RuleAt::Rest(rest) => (self.filled.hash, self.filled.link(rest).hash).hash(&mut hasher),
            at => (self.filled.hash, at).hash(&mut hasher),
        }
        hasher.finish()
    }
}

impl fmt::Debug for FilledRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |rule: usize| &self.filled.rules.rules[rule].name;
        match self.at {
            RuleAt::Whole(rule) => f.write_str(name(rule)),
            RuleAt::Tail { from, to } => write!(f, "{}..{}", name(from), name(to)),
            RuleAt::Rest(_) => f.write_str("rest"),
        }
    }
}
