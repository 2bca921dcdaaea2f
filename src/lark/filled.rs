//! A grammar whose holes are filled, as an expression.
//!
//! Every rule becomes an [`expression::Rule`](crate::expression::Rule), so recursion costs nothing until it is reached and an
//! error can name the rule. Two are the same when they are the same rule of the same template with equal fillings; tools
//! with equal arguments therefore share their states.

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::error::{LarkError, LarkErrorKind};
use super::template::{Definition, Part, Template};
use crate::expression::{Expression, Rule};

/// The language of rule `start`.
pub(super) fn fill(
    template: &Template,
    start: usize,
    holes: Vec<Option<Expression>>,
) -> Result<Expression, LarkError> {
    let rules = &template.0.rules;
    let reachable = reachable(template, start, &holes)?;
    let least = least_lengths(rules, &holes);
    if let Some(&endless) = reachable.iter().find(|&&rule| least[rule].is_none()) {
        return Err(located(&rules[endless], LarkErrorKind::Unproductive));
    }
    if let Some(looping) = left_recursion(rules, &least, &holes, &reachable) {
        return Err(match &rules[looping] {
            repeated if repeated.is_repetition => {
                LarkError::at(repeated.position, LarkErrorKind::EmptyRepetition)
            }
            rule => located(rule, LarkErrorKind::LeftRecursion),
        });
    }
    let mut hasher = DefaultHasher::new();
    holes.hash(&mut hasher);
    let filled = Filled { template: template.clone(), holes, least, hash: hasher.finish() };
    Ok(RuleAt { filled: Arc::new(filled), index: start }.expand())
}

fn located(rule: &Definition, kind: fn(String) -> LarkErrorKind) -> LarkError {
    LarkError::at(rule.position, kind(rule.name.clone()))
}

/// The rules that `start` needs, itself included; all their holes are filled.
fn reachable(
    template: &Template,
    start: usize,
    holes: &[Option<Expression>],
) -> Result<BTreeSet<usize>, LarkError> {
    let mut reachable = BTreeSet::from([start]);
    let mut rules = vec![start];
    while let Some(rule) = rules.pop() {
        let mut parts = vec![&template.0.rules[rule].body];
        while let Some(part) = parts.pop() {
            match part {
                Part::Rule(next) if reachable.insert(*next) => rules.push(*next),
                Part::Hole(hole) if holes[*hole].is_none() => {
                    let open = &template.0.holes[*hole];
                    return Err(LarkError::at(open.position, LarkErrorKind::UnfilledHole(open.name.clone())));
                }
                Part::Sequence(inner) | Part::Choice(inner) => parts.extend(inner),
                _ => {}
            }
        }
    }
    Ok(reachable)
}

/// The length of a shortest text of each rule, as a least fixpoint; `None` where there is no text.
fn least_lengths(rules: &[Definition], holes: &[Option<Expression>]) -> Vec<Option<u32>> {
    let mut least = vec![None; rules.len()];
    loop {
        let next: Vec<_> = rules.iter().map(|rule| least_length(&rule.body, &least, holes)).collect();
        if next == least {
            return least;
        }
        least = next;
    }
}

fn least_length(part: &Part, least: &[Option<u32>], holes: &[Option<Expression>]) -> Option<u32> {
    match part {
        Part::Literal(text) => Some(u32::try_from(text.len()).unwrap_or(u32::MAX)),
        Part::Special(_) => Some(1),
        Part::Rule(rule) => least[*rule],
        Part::Hole(hole) => holes[*hole].as_ref().map(Expression::min_len),
        Part::Sequence(parts) => parts.iter().try_fold(0_u32, |sum, part| {
            least_length(part, least, holes).map(|length| sum.saturating_add(length))
        }),
        Part::Choice(options) => options.iter().filter_map(|option| least_length(option, least, holes)).min(),
    }
}

/// A rule that can begin with itself: what is left after removing, again and again, the rules that begin with none of the rest.
fn left_recursion(
    rules: &[Definition],
    least: &[Option<u32>],
    holes: &[Option<Expression>],
    reachable: &BTreeSet<usize>,
) -> Option<usize> {
    let mut heads: Vec<(usize, BTreeSet<usize>)> = Vec::new();
    for &rule in reachable {
        let mut begins = BTreeSet::new();
        heads_of(&rules[rule].body, least, holes, &mut begins);
        heads.push((rule, begins));
    }
    loop {
        let rest: BTreeSet<usize> = heads.iter().map(|(rule, _)| *rule).collect();
        heads.retain(|(_, begins)| !begins.is_disjoint(&rest));
        if heads.len() == rest.len() {
            break;
        }
    }
    on_a_cycle(&heads)
}

/// Each of these rules begins with one of them, so as many steps as there are rules lead onto a cycle.
fn on_a_cycle(heads: &[(usize, BTreeSet<usize>)]) -> Option<usize> {
    let next = |rule: usize| {
        let (_, begins) = heads.iter().find(|(head, _)| *head == rule)?;
        begins.iter().copied().find(|begin| heads.iter().any(|(head, _)| head == begin))
    };
    let (first, _) = heads.first()?;
    (0..heads.len()).try_fold(*first, |rule, _| next(rule))
}

/// Adds the rules that `part` can begin with; says whether `part` may be empty.
fn heads_of(
    part: &Part,
    least: &[Option<u32>],
    holes: &[Option<Expression>],
    heads: &mut BTreeSet<usize>,
) -> bool {
    match part {
        Part::Rule(rule) => {
            heads.insert(*rule);
        }
        Part::Sequence(parts) => return parts.iter().all(|part| heads_of(part, least, holes, heads)),
        Part::Choice(options) => options.iter().for_each(|option| {
            heads_of(option, least, holes, heads);
        }),
        Part::Literal(_) | Part::Special(_) | Part::Hole(_) => {}
    }
    least_length(part, least, holes) == Some(0)
}

/// What all rules of one filled grammar share.
struct Filled {
    template: Template,
    holes: Vec<Option<Expression>>,
    least: Vec<Option<u32>>,
    hash: u64,
}

/// One rule of a filled grammar.
#[derive(Clone)]
struct RuleAt {
    filled: Arc<Filled>,
    index: usize,
}

impl RuleAt {
    fn definition(&self) -> &Definition {
        &self.filled.template.0.rules[self.index]
    }

    fn expression(&self, part: &Part) -> Expression {
        match part {
            Part::Literal(text) => Expression::literal(text),
            Part::Special(token) => Expression::special(*token),
            Part::Rule(index) => {
                Expression::rule(Arc::new(Self { filled: Arc::clone(&self.filled), index: *index }))
            }
            Part::Hole(hole) => self.filled.holes[*hole].clone().expect("reachable holes are filled"),
            Part::Sequence(parts) => Expression::sequence(parts.iter().map(|part| self.expression(part))),
            Part::Choice(options) => Expression::choice(options.iter().map(|option| self.expression(option)))
                .expect("at least one option"),
        }
    }
}

impl Rule for RuleAt {
    fn expand(&self) -> Expression {
        self.expression(&self.definition().body)
    }

    fn min_len(&self) -> u32 {
        self.filled.least[self.index].expect("reachable rules are productive")
    }

    /// A rule that stands below a position is what comes after it, which does not say where the position is.
    fn place(&self) -> String {
        String::new()
    }

    fn same(&self, other: &dyn Rule) -> bool {
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| {
            let (one, two) = (&self.filled, &other.filled);
            self.index == other.index
                && (Arc::ptr_eq(one, two)
                    || (Arc::ptr_eq(&one.template.0, &two.template.0) && one.holes == two.holes))
        })
    }

    fn fingerprint(&self) -> u64 {
        self.filled.hash.wrapping_add(self.index as u64)
    }
}

impl fmt::Debug for RuleAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.definition().name)
    }
}
