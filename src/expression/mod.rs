//! What may be said: expressions over bytes and special tokens.
//!
//! An [`Expression`] is an immutable, shared tree: literals, special tokens, byte [`Language`]s, sequences,
//! choices, and two constructs that are made when reached. A [`Rule`] is a name whose body is computed on
//! demand; that is the recursion, and it carries whatever a grammar cannot express (names used so far,
//! elements counted so far) as its own data. A capture hands the bytes that an expression matched to a
//! [`Binder`], which answers with what follows.
//!
//! Two promises hold for every expression, and the automaton stands on them:
//!
//! * **productive**: it matches at least one text. There is no expression for "nothing": where nothing may be
//!   said, the layer above does not offer the branch. [`Expression::min_len`] is therefore always a number.
//! * **not left-recursive**: expanding rules always reaches a byte or special token, or the end.
//!
//! Expressions compare by structure, with the hash kept in the node; equal futures are therefore found equal
//! wherever they were built.

mod arms;
mod dfa;
mod language;
mod rule;

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};
use std::{fmt, mem};

use foldhash::fast::FixedState;
use smallvec::SmallVec;

pub use arms::{Arms, MakeArms};
pub use dfa::DfaLanguage;
pub use language::{Class, Label, Language, Leaf, PlainText, State};
pub(crate) use rule::RULE_BYTES;
pub use rule::{ArmsRef, Beginning, Binder, BinderRef, Enough, Rule, RuleRef, Then};

use crate::each_once::each_once;
use crate::special::SpecialToken;

/// What may be said from here on. Cheap to clone.
#[derive(Clone)]
pub struct Expression(Arc<Node>);

struct Node {
    kind: Kind,
    hash: u64,
    /// Found when first asked for: only completions ask.
    min_len: OnceLock<u32>,
}

/// The shapes of an expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Says nothing.
    Empty,
    /// Exactly these bytes; at least one.
    Literal(Arc<[u8]>),
    /// One special token.
    Special(SpecialToken),
    /// A text of a byte language, then the arm of its label where there are arms.
    Match {
        /// The language.
        leaf: Leaf,
        /// What follows a text, by its label.
        arms: Arms,
    },
    /// The first, then the second.
    Sequence(Expression, Expression),
    /// One of these; at least two.
    Choice(Arc<[Expression]>),
    /// The body of a rule.
    Rule(RuleRef),
    /// The body, then `then`, then what the binder says follows the bytes that the body matched.
    Capture {
        /// What is captured.
        body: Expression,
        /// What follows whatever was captured: known early, so that most tokens are judged without binding.
        then: Expression,
        /// Says what follows that.
        binder: BinderRef,
    },
}

impl Expression {
    /// Says nothing.
    #[must_use]
    pub fn empty() -> Self {
        Self::new(Kind::Empty)
    }

    /// Exactly these bytes.
    ///
    /// ```
    /// # use harmony_mask::expression::Expression;
    /// assert_eq!(Expression::literal("").min_len(), 0);
    /// assert_eq!(Expression::literal("json").min_len(), 4);
    /// ```
    #[must_use]
    pub fn literal(bytes: impl AsRef<[u8]>) -> Self {
        match bytes.as_ref() {
            [] => Self::empty(),
            bytes => Self::new(Kind::Literal(bytes.into())),
        }
    }

    /// One special token.
    #[must_use]
    pub fn special(token: SpecialToken) -> Self {
        Self::new(Kind::Special(token))
    }

    /// A text of a language.
    #[must_use]
    pub fn leaf(leaf: Leaf) -> Self {
        Self::switch(leaf, [])
    }

    /// A text of a language, then the arm of its label. The language's labels are indices of `arms`.
    #[must_use]
    pub fn switch(leaf: Leaf, arms: impl IntoIterator<Item = Self>) -> Self {
        Self::new(Kind::Match { leaf, arms: Arms::listed(arms) })
    }

    /// A text of a language, then the arm of its label, each made when it is asked for.
    #[must_use]
    pub fn switch_made(leaf: Leaf, arms: Arc<dyn MakeArms>) -> Self {
        Self::new(Kind::Match { leaf, arms: Arms::made(arms) })
    }

    /// The body of a rule, computed when reached.
    #[must_use]
    pub fn rule(rule: Arc<dyn Rule>) -> Self {
        Self::new(Kind::Rule(RuleRef::new(rule)))
    }

    /// The body, then `then`, then what `binder` says follows the body's bytes. Bytes only: a special token
    /// cannot be captured.
    #[must_use]
    pub fn capture(body: Self, then: Self, binder: Arc<dyn Binder>) -> Self {
        Self::new(Kind::Capture { body, then, binder: BinderRef::new(binder) })
    }

    /// One after the other.
    #[must_use]
    pub fn sequence<I>(parts: I) -> Self
    where
        I: IntoIterator<Item = Self, IntoIter: DoubleEndedIterator>,
    {
        parts.into_iter().rev().fold(Self::empty(), |tail, head| head.then(tail))
    }

    /// This, then `next`.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        match (self.kind(), next.kind()) {
            (Kind::Empty, _) => next,
            (_, Kind::Empty) => self,
            _ => Self::new(Kind::Sequence(self, next)),
        }
    }

    /// One of these, each offered once; `None` where there is nothing to choose from.
    #[must_use]
    pub fn choice(options: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut distinct = each_once(options);
        match distinct.len() {
            0 => None,
            1 => distinct.pop(),
            _ => Some(Self::new(Kind::Choice(distinct.into()))),
        }
    }

    /// This or nothing.
    #[must_use]
    pub fn optional(self) -> Self {
        Self::choice([self, Self::empty()]).expect("two options")
    }

    /// Its shape.
    #[must_use]
    pub fn kind(&self) -> &Kind {
        &self.0.kind
    }

    /// The length in bytes of a shortest text it matches, a special token counting one.
    #[must_use]
    pub fn min_len(&self) -> u32 {
        *self.0.min_len.get_or_init(|| self.0.kind.min_len())
    }

    /// What a sequence is one after the other, found without recursion; of every other shape itself.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Self> {
        let tails = std::iter::successors(Some(self), |tail| match tail.kind() {
            Kind::Sequence(_, tail) => Some(tail),
            _ => None,
        });
        tails.map(|tail| match tail.kind() {
            Kind::Sequence(head, _) => head,
            _ => tail,
        })
    }

    fn new(kind: Kind) -> Self {
        Self(Arc::new(Node { hash: fingerprint(&kind), min_len: OnceLock::new(), kind }))
    }
}

impl Drop for Node {
    /// Without recursion along a sequence: how long one gets is the user's choice.
    fn drop(&mut self) {
        if !matches!(self.kind, Kind::Sequence(..)) {
            return;
        }
        let mut pending: SmallVec<[Expression; 4]> = SmallVec::new();
        take_parts(&mut self.kind, &mut pending);
        while let Some(Expression(node)) = pending.pop() {
            Arc::into_inner(node).iter_mut().for_each(|node| take_parts(&mut node.kind, &mut pending));
        }
    }
}

/// Takes a sequence apart.
fn take_parts(kind: &mut Kind, parts: &mut SmallVec<[Expression; 4]>) {
    if matches!(kind, Kind::Sequence(..))
        && let Kind::Sequence(head, tail) = mem::replace(kind, Kind::Empty)
    {
        parts.extend([head, tail]);
    }
}

impl Kind {
    fn min_len(&self) -> u32 {
        match self {
            Self::Empty => 0,
            Self::Literal(bytes) => u32::try_from(bytes.len()).unwrap_or(u32::MAX),
            Self::Special(_) => 1,
            Self::Match { leaf, arms } => leaf.min_len_with(leaf.start(), arms),
            Self::Sequence(head, tail) => {
                tail.parts().map(Expression::min_len).fold(head.min_len(), u32::saturating_add)
            }
            Self::Choice(options) => options.iter().map(Expression::min_len).min().expect("options"),
            Self::Rule(rule) => rule.min_len(),
            Self::Capture { body, then, binder } => {
                body.min_len().saturating_add(then.min_len()).saturating_add(binder.min_len())
            }
        }
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.0.hash == other.0.hash && have_same_parts(self, other))
    }
}

/// Whether two expressions are equal, without recursion along a sequence.
fn have_same_parts(mut left: &Expression, mut right: &Expression) -> bool {
    while let (Kind::Sequence(head, tail), Kind::Sequence(other_head, other_tail)) =
        (left.kind(), right.kind())
    {
        if head != other_head || tail.0.hash != other_tail.0.hash {
            return false;
        }
        if Arc::ptr_eq(&tail.0, &other_tail.0) {
            return true;
        }
        (left, right) = (tail, other_tail);
    }
    left.kind() == right.kind()
}

impl Eq for Expression {}

impl Hash for Expression {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            Kind::Sequence(..) => f.debug_list().entries(self.parts()).finish(),
            kind => kind.fmt(f),
        }
    }
}

/// A hash of what makes something what it is, the same in every run.
pub(crate) fn fingerprint(content: &impl Hash) -> u64 {
    FixedState::default().hash_one(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sequence may be as long as a user's grammar: nothing that is done with it goes deeper with it.
    #[test]
    fn a_long_sequence_needs_no_stack() {
        let long =
            || Expression::sequence((0..200_000_u32).map(|at| Expression::literal([b'a' + (at % 2) as u8])));
        let (one, other) = (long(), long());
        assert_eq!(one.min_len(), 200_000);
        assert!(one == other, "equal by content");
        assert_eq!(format!("{one:?}").matches("Literal").count(), 200_000);
    }
}
