//! Terminals: the regular part of a grammar, each one a single automaton.
//!
//! A terminal may be made of others, but not of itself. It is put together as one regular expression and
//! compiled once, so that a walk through it is deterministic however it was written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use regex_syntax::hir::{Hir, HirKind, Repetition};

use super::error::{LarkError, LarkErrorKind, Position};
use super::lengths;
use super::parser;
use super::regex;
use super::syntax::{DefinitionSyntax, ImportSyntax, RegexSyntax, Shape, Syntax};
use crate::expression::{DfaLanguage, Expression, Leaf};
use crate::limits::{Budget, LimitExceeded, Limits};
use crate::regular::{self, Dfa};

/// Terminals, groups and repetitions within each other: this bounds the call stack, here and in the compiler
/// of regular expressions.
const MAX_DEPTH: usize = 256;

/// Characters, classes and operators that are put together for the price of one step.
const SIZE_PER_STEP: usize = 512;

/// The library that `%import` takes from.
static COMMON: LazyLock<BTreeMap<String, Regular>> = LazyLock::new(|| {
    let grammar = parser::grammar(include_str!("../../grammars/common.lark")).expect("our own grammar");
    let bounds = Bounds { budget: Budget::from(&Limits::default()), texts: None };
    let mut terminals = Terminals::new(&grammar.definitions, &[], &bounds).expect("our own terminals");
    terminals.check().expect("our own terminals");
    terminals.known.into_iter().map(|(name, regular)| (name.to_owned(), regular)).collect()
});

/// A terminal as an expression.
#[derive(Clone, Debug)]
pub(super) struct Terminal {
    /// Whether it may be empty.
    pub(super) is_nullable: bool,
    /// Its texts but the empty one; `None` where there is no other.
    pub(super) nonempty: Option<Expression>,
}

/// What terminals keep to.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    pub(super) budget: Budget,
    /// The language that all texts are confined to, if they are.
    pub(super) texts: Option<Arc<Dfa>>,
}

/// A terminal as a regular expression, with what bounds the work on it.
#[derive(Clone)]
struct Regular {
    hir: Hir,
    /// The size of the expression written out, for the limit.
    size: usize,
    depth: usize,
}

/// The defined terminals, each put together when first asked for.
pub(super) struct Terminals<'a> {
    bounds: &'a Bounds,
    definitions: BTreeMap<&'a str, &'a DefinitionSyntax>,
    known: BTreeMap<&'a str, Regular>,
    /// Those that are being put together.
    open: BTreeSet<&'a str>,
    depth: usize,
}

impl<'a> Terminals<'a> {
    /// The terminals among `definitions`, and the imported ones.
    pub(super) fn new(
        definitions: &'a [DefinitionSyntax],
        imports: &'a [ImportSyntax],
        bounds: &'a Bounds,
    ) -> Result<Self, LarkError> {
        let (definitions_by_name, known, open) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        let mut terminals = Self { bounds, definitions: definitions_by_name, known, open, depth: 0 };
        for import in imports {
            let unknown =
                || LarkError::at(import.position, LarkErrorKind::UnknownImport(import.name.clone()));
            let regular = COMMON.get(&import.name).ok_or_else(unknown)?.clone();
            if terminals.known.insert(&import.alias, regular).is_some() {
                return Err(LarkError::at(import.position, LarkErrorKind::Duplicate(import.alias.clone())));
            }
        }
        for definition in definitions.iter().filter(|definition| definition.is_terminal) {
            let name = definition.name.as_str();
            let is_imported = terminals.known.contains_key(name);
            if is_imported || terminals.definitions.insert(name, definition).is_some() {
                return Err(LarkError::at(definition.position, LarkErrorKind::Duplicate(name.to_owned())));
            }
        }
        Ok(terminals)
    }

    /// Reads every terminal, so that a mistake is found also where nobody uses it.
    pub(super) fn check(&mut self) -> Result<(), LarkError> {
        let all: Vec<_> = self.definitions.values().copied().collect();
        all.into_iter().try_for_each(|definition| self.named(&definition.name, definition.position).map(drop))
    }

    /// What `syntax` matches, as an expression; `what` says in a user's words what that is.
    pub(super) fn terminal(&mut self, syntax: &'a Syntax, what: &str) -> Result<Terminal, LarkError> {
        let regular = self.regular(syntax)?;
        compile(&regular.hir, what, self.bounds).map_err(|kind| LarkError::at(syntax.position, kind))
    }

    /// What may stand between terminals, any number of times.
    pub(super) fn repeated(&mut self, ignored: &'a [Syntax]) -> Result<Option<Expression>, LarkError> {
        let Some(first) = ignored.first() else { return Ok(None) };
        let options = ignored.iter().map(|syntax| Ok(self.regular(syntax)?.hir)).collect::<Result<_, _>>()?;
        let any = repeat(Hir::alternation(options), 0, None);
        let terminal = compile(&any, "what is ignored", self.bounds)
            .map_err(|kind| LarkError::at(first.position, kind))?;
        Ok(terminal.nonempty.map(Expression::optional))
    }

    fn regular(&mut self, syntax: &'a Syntax) -> Result<Regular, LarkError> {
        let too_deep = || LarkError::at(syntax.position, LarkErrorKind::TooDeep(MAX_DEPTH));
        if self.depth == MAX_DEPTH {
            return Err(too_deep());
        }
        self.depth += 1;
        let regular = self.shape(syntax)?;
        self.depth -= 1;
        if regular.depth > MAX_DEPTH {
            return Err(too_deep());
        }
        let limit = self.bounds.budget.limits().dfa_states;
        if regular.size > limit {
            let limit = LimitExceeded { what: "dfa_states", limit, given: regular.size };
            return Err(LarkError::at(syntax.position, LarkErrorKind::Limit(limit)));
        }
        // It is copied wherever it is named.
        let charged = self.bounds.budget.charge(1 + regular.size / SIZE_PER_STEP);
        charged.map_err(|limit| LarkError::at(syntax.position, LarkErrorKind::Limit(limit)))?;
        Ok(regular)
    }

    fn shape(&mut self, syntax: &'a Syntax) -> Result<Regular, LarkError> {
        let position = syntax.position;
        let leaf = |hir, size| Ok(Regular { hir, size, depth: 1 });
        let no = |what| Err(LarkError::at(position, LarkErrorKind::NotInTerminal(what)));
        match &syntax.shape {
            Shape::Text(text) => leaf(regex::text(text), text.text.len()),
            Shape::Regex(regex) => {
                let limit = self.bounds.budget.limits().dfa_states;
                let (hir, size) = regex::parse(regex, position.offset(1, 2), limit)?;
                leaf(hir, size)
            }
            Shape::Range(low, high) => leaf(regex::range(*low, *high), 1),
            Shape::Terminal(name) => self.named(name, position),
            Shape::Sequence(parts) => self.joined(parts, Hir::concat),
            Shape::Choice(options) => self.joined(options, Hir::alternation),
            Shape::Repeat { body, min, max } => {
                let Regular { hir, size, depth } = self.regular(body)?;
                Ok(Regular { hir: repeat(hir, *min, *max), size: size + 1, depth: depth + 1 })
            }
            Shape::Rule(_) => no("a rule"),
            Shape::Special(_) => no("a special token"),
            Shape::Hole(_) => no("a hole"),
            Shape::Json(_) => no("`%json`"),
        }
    }

    fn joined(&mut self, parts: &'a [Syntax], join: fn(Vec<Hir>) -> Hir) -> Result<Regular, LarkError> {
        let parts = parts.iter().map(|part| self.regular(part)).collect::<Result<Vec<_>, _>>()?;
        if let [only] = &parts[..] {
            return Ok(only.clone());
        }
        let size = parts.iter().fold(1_usize, |sum, part| sum.saturating_add(part.size));
        let depth = 1 + parts.iter().map(|part| part.depth).max().unwrap_or(0);
        Ok(Regular { hir: join(parts.into_iter().map(|part| part.hir).collect()), size, depth })
    }

    fn named(&mut self, name: &'a str, position: Position) -> Result<Regular, LarkError> {
        if let Some(known) = self.known.get(name) {
            return Ok(known.clone());
        }
        let undefined = || LarkError::at(position, LarkErrorKind::UndefinedTerminal(name.to_owned()));
        let definition = *self.definitions.get(name).ok_or_else(undefined)?;
        if !self.open.insert(name) {
            let recursive = LarkErrorKind::RecursiveTerminal(name.to_owned());
            return Err(LarkError::at(definition.position, recursive));
        }
        let regular = self.regular(&definition.body)?;
        self.open.remove(name);
        self.known.insert(name, regular.clone());
        Ok(regular)
    }
}

/// A regular expression that must match a whole text, as an expression of its own.
pub(super) fn whole_regex(source: &str, bounds: &Bounds) -> Result<Expression, LarkError> {
    let start = Position { line: 1, column: 1 };
    let regex = RegexSyntax { source: source.to_owned(), flags: String::new() };
    let Bounds { budget, .. } = bounds;
    let (hir, size) = regex::parse(&regex, start, budget.limits().dfa_states)?;
    let charged = budget.charge(1 + size / SIZE_PER_STEP);
    charged.map_err(|limit| LarkError::at(start, LarkErrorKind::Limit(limit)))?;
    let terminal =
        compile(&hir, &format!("/{source}/"), bounds).map_err(|kind| LarkError::at(start, kind))?;
    let Terminal { is_nullable, nonempty } = terminal;
    let text = nonempty.unwrap_or_else(Expression::empty);
    let text = if is_nullable { text.optional() } else { text };
    lengths::check(text.min_len(), budget.limits()).map_err(|kind| LarkError::at(start, kind))?;
    Ok(text)
}

fn compile(hir: &Hir, what: &str, bounds: &Bounds) -> Result<Terminal, LarkErrorKind> {
    if let HirKind::Literal(text) = hir.kind() {
        return match &bounds.texts {
            Some(texts) if !texts.contains(&text.0) => Err(LarkErrorKind::OnlySpelled),
            _ => Ok(Terminal { is_nullable: false, nonempty: Some(Expression::literal(&text.0)) }),
        };
    }
    let limit = bounds.budget.limits().dfa_states;
    let mut dfa = regular::whole_match(hir.clone(), limit).map_err(LarkErrorKind::Limit)?;
    bounds.budget.charge_states(dfa.states()).map_err(LarkErrorKind::Limit)?;
    if dfa.is_empty() {
        return Err(LarkErrorKind::MatchesNothing);
    }
    if let Some(texts) = &bounds.texts {
        dfa = dfa.intersection(texts, limit).map_err(LarkErrorKind::Limit)?;
        if dfa.is_empty() {
            return Err(LarkErrorKind::OnlySpelled);
        }
    }
    let is_nullable = dfa.label(dfa.start()).is_some();
    let nonempty = if is_nullable { without_empty(&dfa, limit).map_err(LarkErrorKind::Limit)? } else { dfa };
    let leaf = |dfa: Dfa| Expression::leaf(Leaf::new(DfaLanguage::new(Arc::new(dfa), what)));
    Ok(Terminal { is_nullable, nonempty: (!nonempty.is_empty()).then(|| leaf(nonempty)) })
}

fn without_empty(dfa: &Dfa, limit: usize) -> Result<Dfa, LimitExceeded> {
    dfa.difference(&Dfa::words([("", 0)], limit)?, limit)
}

fn repeat(body: Hir, min: u32, max: Option<u32>) -> Hir {
    Hir::repetition(Repetition { min, max, greedy: true, sub: Box::new(body) })
}
