//! Left recursion, and what replaces it.
//!
//! Rules that can begin with each other are a *component*. A text of such a rule `a` is a *base*, followed by
//! a *tail*. The base is a production of some rule `b` of the component that begins with none of its rules.
//! The tail from `b` to `a` is, for each production `c: b rest` of the component: `rest`, then the tail from
//! `c` to `a`; or nothing, if `b` is `a`. This is the left-corner transform, restricted to the components
//! that need it. Tails recur on the right, where recursion costs nothing, and are made when reached.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::error::{LarkError, LarkErrorKind};
use super::normal::{NormalForm, Production, Source};
use super::rules::Symbol;
use crate::limits::{LimitExceeded, Limits};

/// The components of a grammar that are left-recursive.
#[derive(Debug)]
pub(super) struct LeftRecursion {
    /// The component of each rule, where it is in one.
    component: Vec<Option<usize>>,
    components: Vec<Vec<usize>>,
    /// What follows each rule where a rule of its component begins with it.
    uses: Vec<Vec<Use>>,
    /// For each rule a number above those of the rules that its productions begin with, but for those of its
    /// component; at least 1.
    heights: Vec<u32>,
    /// One above all of them.
    tail_height: u32,
}

/// A production of `rule` that begins with a rule of its component.
#[derive(Debug)]
pub(super) struct Use {
    pub(super) rule: usize,
    /// What follows, but for the empty text.
    pub(super) rests: Vec<Production>,
    /// The least length of what follows; 0 where it may be empty.
    pub(super) least: u32,
}

impl LeftRecursion {
    /// Finds the components and what follows their rules.
    pub(super) fn new(form: &NormalForm, source: &Source<'_>, limits: &Limits) -> Result<Self, LarkError> {
        let beginnings: Vec<Vec<usize>> =
            form.rules.iter().map(|rule| beginnings(rule, form, source)).collect();
        let (mut component, mut heights) = (vec![None; beginnings.len()], vec![0; beginnings.len()]);
        let mut components = Vec::new();
        for members in strongly_connected(&beginnings) {
            let below = members.iter().flat_map(|&rule| &beginnings[rule]).map(|&first| heights[first]);
            let height = below.max().unwrap_or_default() + 1;
            members.iter().for_each(|&rule| heights[rule] = height);
            let is_recursive = members.len() > 1 || beginnings[members[0]].contains(&members[0]);
            if !is_recursive {
                continue;
            }
            let limit = limits.left_recursive_rules;
            if members.len() > limit {
                let limit = LimitExceeded { what: "left_recursive_rules", limit, given: members.len() };
                let position = source.rules.rules[members[0]].position;
                return Err(LarkError::at(position, LarkErrorKind::Limit(limit)));
            }
            members.iter().for_each(|&rule| component[rule] = Some(components.len()));
            components.push(members);
        }
        let tail_height = heights.iter().max().map_or(1, |most| most + 1);
        let found = Self { component, components, uses: Vec::new(), heights, tail_height };
        Ok(Self { uses: found.find_uses(form, source)?, ..found })
    }

    /// Fails where a hole that may be empty stands where something must be read.
    fn find_uses(&self, form: &NormalForm, source: &Source<'_>) -> Result<Vec<Vec<Use>>, LarkError> {
        let mut uses = Vec::new();
        uses.resize_with(self.component.len(), Vec::new);
        for &rule in self.components.iter().flatten() {
            let refused = || {
                let rule = &source.rules.rules[rule];
                LarkError::at(rule.position, LarkErrorKind::EmptyRepetition(rule.name.clone()))
            };
            for Production { head, rest } in &form.rules[rule] {
                if form.is_opaque(*head, source) {
                    return Err(refused());
                }
                let Some(first) = self.within(rule, *head) else { continue };
                let rests = form.after(*rest, source);
                if rests.iter().any(|rest| form.is_opaque(rest.head, source)) {
                    return Err(refused());
                }
                let least = form.rests.least(*rest);
                uses[first].push(Use { rule, rests, least });
            }
        }
        Ok(uses)
    }

    /// The rules of the component of `rule`, itself included; `None` where it is not left-recursive.
    pub(super) fn component(&self, rule: usize) -> Option<&[usize]> {
        self.component[rule].map(|component| &self.components[component][..])
    }

    /// The rule that `head` is, if it is one of the component of `rule`.
    pub(super) fn within(&self, rule: usize, head: Symbol) -> Option<usize> {
        match head {
            Symbol::Rule(head) if self.component[head] == self.component[rule] => Some(head),
            _ => None,
        }
    }

    /// `from` and the rules that it is without reading more: those that begin with it and go on with what may
    /// be empty.
    pub(super) fn closure(&self, from: usize) -> Vec<usize> {
        let mut closure = vec![from];
        let mut next = 0;
        while let Some(&rule) = closure.get(next) {
            next += 1;
            for used in self.uses(rule).iter().filter(|used| used.least == 0) {
                if !closure.contains(&used.rule) {
                    closure.push(used.rule);
                }
            }
        }
        closure
    }

    /// The [height](crate::expression::Rule::height) of a rule.
    pub(super) fn height(&self, rule: usize) -> u32 {
        self.heights[rule]
    }

    /// That of what remains of a sequence. Tails come behind it, and longer ones before it.
    pub(super) fn rest_height(&self, symbols: u32) -> u32 {
        self.tail_height.saturating_add(symbols)
    }

    /// That of all tails: any rule may stand at their beginning, and no rule begins with one.
    pub(super) fn tail_height(&self) -> u32 {
        self.tail_height
    }

    /// What follows `rule` where a rule of its component begins with it.
    pub(super) fn uses(&self, rule: usize) -> &[Use] {
        &self.uses[rule]
    }

    /// The least lengths of the tails to `to`, by the rule that they come from; only those of its component
    /// are meant.
    pub(super) fn tail_lengths(&self, to: usize) -> Vec<u32> {
        let mut before: Vec<Vec<(usize, u32)>> = vec![Vec::new(); self.uses.len()];
        for &rule in self.component(to).unwrap_or_default() {
            for used in &self.uses[rule] {
                before[used.rule].push((rule, used.least));
            }
        }
        let mut lengths = vec![u32::MAX; self.uses.len()];
        let mut ready = BinaryHeap::from([Reverse((0, to))]);
        while let Some(Reverse((length, rule))) = ready.pop() {
            if length >= lengths[rule] {
                continue;
            }
            lengths[rule] = length;
            ready.extend(
                before[rule].iter().map(|&(from, more)| Reverse((length.saturating_add(more), from))),
            );
        }
        lengths
    }
}

/// The rules that the productions begin with.
fn beginnings(productions: &[Production], form: &NormalForm, source: &Source<'_>) -> Vec<usize> {
    let mut rules = Vec::new();
    for Production { head, rest } in productions {
        rules.extend(rule_of(*head));
        if form.is_opaque(*head, source) {
            for link in form.rests.links(*rest) {
                rules.extend(rule_of(link.first));
                if !form.is_nullable(link.first, source) {
                    break;
                }
            }
        }
    }
    rules
}

fn rule_of(symbol: Symbol) -> Option<usize> {
    match symbol {
        Symbol::Rule(rule) => Some(rule),
        _ => None,
    }
}

/// Tarjan's algorithm with its own stack, since rules may begin with each other to any depth. Each component
/// comes after those that its own rules begin with.
fn strongly_connected(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut components = Vec::new();
    let (mut order, mut low) = (vec![UNSEEN; successors.len()], vec![UNSEEN; successors.len()]);
    let (mut open, mut is_open, mut count) = (Vec::new(), vec![false; successors.len()], 0);
    for root in 0..successors.len() {
        let mut path = if order[root] == UNSEEN { vec![(root, 0)] } else { Vec::new() };
        while let Some((node, at)) = path.pop() {
            if at == 0 {
                (order[node], low[node]) = (count, count);
                count += 1;
                open.push(node);
                is_open[node] = true;
            } else {
                low[node] = low[node].min(low[successors[node][at - 1]]);
            }
            let unseen = (at..successors[node].len()).find(|&next| {
                let successor = successors[node][next];
                if is_open[successor] {
                    low[node] = low[node].min(order[successor]);
                }
                order[successor] == UNSEEN
            });
            if let Some(next) = unseen {
                path.push((node, next + 1));
                path.push((successors[node][next], 0));
            } else if low[node] == order[node] {
                let start = open.iter().rposition(|&member| member == node).expect("it is open");
                let mut members = open.split_off(start);
                members.iter().for_each(|&member| is_open[member] = false);
                members.sort_unstable();
                components.push(members);
            }
        }
    }
    components
}
