//! The bodies of rules, which are made when a text reaches them.
//!
//! A completion reaches many rules that no text ever will, and of each it takes one way. An object of 200
//! required members in any order has as many ways to go on at each of them; so rules may say [what is
//! shortest](crate::expression::Rule::shortest) without making all of it.

use crate::cache::{Bounded, Weight, bounded};
use crate::expression::{Expression, Kind, RuleRef};

/// What was found out about the rules that were reached.
pub(super) struct Expansions {
    bodies: Bounded<RuleRef, Expression>,
    enough: Bounded<RuleRef, Enough>,
}

/// How many units are enough to complete a rule.
#[derive(Clone, Copy)]
struct Enough {
    units: usize,
    held_bytes: usize,
}

impl Weight for Enough {
    fn weight_bytes(&self) -> usize {
        self.held_bytes
    }
}

impl Expansions {
    /// Nothing is known yet; all that is found will hold at most so many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let of_enough = bytes / 8;
        Self { bodies: bounded(bytes - of_enough), enough: bounded(of_enough) }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bodies.weight() + self.enough.weight()
    }

    /// How many units are [enough](super::enough) to complete a rule alone, found once.
    pub(super) fn enough(&self, rule: &RuleRef, find: impl FnOnce() -> usize) -> usize {
        if let Some(known) = self.enough.get(rule) {
            return known.units;
        }
        let found = Enough { units: find(), held_bytes: rule.held_bytes() };
        self.enough.insert(rule.clone(), found);
        found.units
    }
}

/// Says what stands for rules.
pub(super) trait Expand {
    fn expand(&self, rule: &RuleRef) -> Expression;
}

impl Expand for Expansions {
    fn expand(&self, rule: &RuleRef) -> Expression {
        if let Some(body) = self.bodies.get(rule) {
            return body;
        }
        let body = rule.expand();
        self.bodies.insert(rule.clone(), body.clone());
        body
    }
}

/// Parts of the bodies, in which the shortest texts are.
pub(super) struct Shortest<'a>(pub(super) &'a Expansions);

impl Expand for Shortest<'_> {
    fn expand(&self, rule: &RuleRef) -> Expression {
        rule.shortest().unwrap_or_else(|| self.0.expand(rule))
    }
}

/// What a body allocates, down to the rules in it; what it shares with other bodies is counted for each.
impl Weight for Expression {
    fn weight_bytes(&self) -> usize {
        const NODE: usize = 160;
        let parts = match self.kind() {
            Kind::Empty | Kind::Special(_) => 0,
            Kind::Literal(bytes) => bytes.len(),
            Kind::Rule(rule) => rule.held_bytes(),
            Kind::Match { leaf, arms } => {
                let listed = arms.as_list().iter().map(Self::weight_bytes).sum::<usize>();
                leaf.memory_bytes() + arms.held_bytes() + listed
            }
            Kind::Sequence(head, tail) => head.weight_bytes() + tail.weight_bytes(),
            Kind::Choice(options) => options.iter().map(Self::weight_bytes).sum(),
            Kind::Capture { body, then, binder } => {
                binder.held_bytes() + body.weight_bytes() + then.weight_bytes()
            }
        };
        NODE + parts
    }
}
