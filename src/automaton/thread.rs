//! Threads: one way in which what was said so far may go on.
//!
//! A thread stands at a consuming position (its [`Head`]) on a [`Stack`] of what follows. Everything between
//! two consuming positions (sequences, choices, rules, captures) is resolved by [`open`], so that stepping
//! only ever looks at heads.

use std::hash::Hash;
use std::sync::Arc;

use foldhash::{HashSet, HashSetExt};

use super::expansions::{Expand, Expansions};
use super::stack::{Frame, Stack};
use super::tape::{Tape, Text};
use super::threads::Threads;
use super::waiting::{Place, Waiting};
use crate::expression::{Arms, Beginning, Expression, Kind, Label, Leaf, State, Then};
use crate::special::SpecialToken;

/// Where a thread stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Head {
    /// In a literal, before byte `at`.
    Literal { bytes: Arc<[u8]>, at: usize },
    /// In a leaf.
    Leaf { state: State, leaf: Leaf },
    /// Before a special token.
    Special(SpecialToken),
    /// Everything has been read; above [what depends on a captured text](Frame::Own), what is common to all
    /// texts.
    End,
}

/// One open alternative.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Thread {
    pub(super) head: Head,
    pub(super) below: Stack,
    pub(super) tape: Tape,
}

impl Thread {
    /// How many captured texts the thread is within.
    pub(super) fn open_captures(&self) -> usize {
        self.below.frames().filter(|frame| matches!(frame, Frame::CaptureEnd { .. })).count()
    }

    /// The bytes that a thread holds, roughly: itself and the few nodes of its stack that it does not share.
    pub(super) const WEIGHT: usize = 512;

    /// The least number of bytes and special tokens to the end.
    pub(super) fn min_len(&self) -> u32 {
        match &self.head {
            Head::Literal { bytes, at } => {
                self.below.min_len().saturating_add(u32::try_from(bytes.len() - at).unwrap_or(u32::MAX))
            }
            Head::Leaf { leaf, state } => {
                leaf.min_len_with(*state, self.arms()).saturating_add(self.below.min_len())
            }
            Head::Special(_) => self.below.min_len().saturating_add(1),
            Head::End => 0,
        }
    }

    /// The arms that the label of this thread's leaf chooses from; empty where there are none.
    pub(super) fn arms(&self) -> &Arms {
        match self.below.top() {
            Some((Frame::Arms(arms), _)) => arms,
            _ => Arms::NONE,
        }
    }

    /// What threads have in common that are one thread on a join of their stacks. What a leaf looks at below
    /// itself must stay on top.
    pub(super) fn place(&self) -> impl Eq + Hash {
        (&self.head, &self.tape, self.below.kept())
    }

    /// Whether leaving this thread's leaf gives the same threads whatever was read in it.
    pub(super) fn leaves_uniformly(&self) -> bool {
        !matches!(self.tape, Tape::Read(_)) && self.arms().is_empty()
    }

    /// The thread in another state of its leaf, after reading `read`.
    pub(super) fn moved_to(&self, leaf: &Leaf, state: State, read: &[u8]) -> Self {
        let head = Head::Leaf { leaf: leaf.clone(), state };
        Self { head, below: self.below.clone(), tape: self.tape.extended(read) }
    }

    /// The stack that is left when the leaf ends with a label.
    pub(super) fn below_leaf(&self, label: Label) -> Stack {
        match self.below.top() {
            Some((Frame::Arms(arms), below)) => {
                arms.get(label).map_or_else(|| below.clone(), |arm| below.push_expression(&arm))
            }
            _ => self.below.clone(),
        }
    }

    /// The threads that follow when the leaf ends in `state`, if it may end there. `read` is what the leaf
    /// consumed beyond the tape.
    pub(super) fn leave(
        &self,
        leaf: &Leaf,
        state: State,
        read: &[u8],
        rules: &Expansions,
        out: &mut Threads,
    ) -> bool {
        let label = leaf.accepts(state);
        if let Some(label) = label {
            open(self.below_leaf(label), self.tape.extended(read), rules, out);
        }
        label.is_some()
    }

    /// The threads that follow where the leaf may end in `state`; none where it may not.
    pub(super) fn left(&self, leaf: &Leaf, state: State, rules: &Expansions) -> Vec<Self> {
        let mut after = Threads::default();
        self.leave(leaf, state, &[], rules, &mut after);
        after.into_vec()
    }
}

/// Resolves everything above the next consuming positions of `stack` and adds a thread for each. Gives the
/// texts that were captured to their end.
pub(super) fn open(stack: Stack, tape: Tape, rules: &impl Expand, out: &mut Threads) -> Vec<Arc<[u8]>> {
    let (pending, captured) = (Vec::with_capacity(8), Vec::new());
    let mut opening = Opening { rules, pending, waiting: None, met: HashSet::new(), captured, out };
    opening.pending.push(Pending { first: None, below: stack, tape });
    while let Some(Pending { first, below, tape }) = opening.next() {
        if let Some(expression) = first {
            opening.expression(&expression, below, tape);
        } else if below.alternatives().len() > 1 {
            below.alternatives().iter().rev().for_each(|below| opening.pop(below.clone(), tape.clone()));
        } else {
            opening.frame(&below, tape);
        }
    }
    opening.captured
}

/// What is still to be opened: an expression, if any, on a stack.
///
/// The expression is not pushed: most are taken apart at once, and a node of a stack that lives for a moment
/// costs as much as one that stays.
struct Pending {
    first: Option<Expression>,
    below: Stack,
    tape: Tape,
}

struct Opening<'a, R> {
    rules: &'a R,
    pending: Vec<Pending>,
    /// Made when first needed: most expressions have no rule that waits.
    waiting: Option<Waiting>,
    /// The stacks that were met behind something empty, or as alternatives: each comes again where what is
    /// above it reads nothing.
    met: HashSet<(Stack, Tape)>,
    captured: Vec<Arc<[u8]>>,
    out: &'a mut Threads,
}

impl<R: Expand> Opening<'_, R> {
    /// What is to be opened next.
    fn next(&mut self) -> Option<Pending> {
        if let Some(pending) = self.pending.pop() {
            return Some(pending);
        }
        let Place { rule, below, tape } = self.waiting.as_mut()?.next()?;
        Some(Pending { first: Some(self.rules.expand(&rule)), below, tape })
    }

    /// Opens what stands below, unless that was done before.
    fn pop(&mut self, below: Stack, tape: Tape) {
        if self.met.insert((below.clone(), tape.clone())) {
            self.pending.push(Pending { first: None, below, tape });
        }
    }

    fn push(&mut self, first: Expression, below: Stack, tape: Tape) {
        self.pending.push(Pending { first: Some(first), below, tape });
    }

    /// Opens the frame on top of a stack that is not a join.
    fn frame(&mut self, stack: &Stack, tape: Tape) {
        match stack.top() {
            None => self.head(Head::End, stack.clone(), tape),
            Some((Frame::Expression(expression), below)) => self.expression(expression, below.clone(), tape),
            Some((Frame::CaptureEnd { start, outermost, then, binder }, below)) => {
                let behind = tape.behind(*outermost);
                let Tape::Read(read) = &tape else {
                    return self.begin(binder.begins(), (then, below), &behind);
                };
                let bind = Frame::Bind { text: read.since(*start).into(), binder: binder.clone() };
                self.push(then.clone(), below.push(bind), behind);
            }
            Some((Frame::Bind { text, binder }, below)) => {
                self.captured.push(text.clone());
                self.push(binder.bind(text), below.clone(), tape);
            }
            Some((Frame::Own(_), _)) => self.head(Head::End, stack.clone(), tape),
            Some((Frame::Arms(_), _)) => unreachable!("arms are taken together with the leaf above them"),
        }
    }

    /// Opens `then` and what a binder's answers have in common.
    fn begin(&mut self, begins: Vec<Beginning>, (then, below): (&Expression, &Stack), behind: &Tape) {
        for Beginning { text, then: next } in begins {
            let below = match next {
                Then::Rest => below.clone(),
                Then::More(bytes) => Stack::default().push(Frame::Own(bytes)),
            };
            self.push(then.clone(), below.push_expression(&text), behind.clone());
        }
    }

    fn expression(&mut self, expression: &Expression, below: Stack, tape: Tape) {
        match expression.kind() {
            Kind::Empty => self.pop(below, tape),
            Kind::Literal(bytes) => self.head(Head::Literal { bytes: bytes.clone(), at: 0 }, below, tape),
            Kind::Special(token) => self.head(Head::Special(*token), below, tape),
            Kind::Match { leaf, arms } => {
                let below = if arms.is_empty() { below } else { below.push(Frame::Arms(arms.clone())) };
                self.head(Head::Leaf { leaf: leaf.clone(), state: leaf.start() }, below, tape);
            }
            Kind::Sequence(head, tail) => self.push(head.clone(), below.push_expression(tail), tape),
            Kind::Choice(options) => {
                // Reversed, so that options are opened in their order.
                options
                    .iter()
                    .rev()
                    .for_each(|option| self.push(option.clone(), below.clone(), tape.clone()));
            }
            Kind::Rule(rule) if rule.height() > 0 => {
                self.waiting.get_or_insert_default().add(Place { rule: rule.clone(), below, tape });
            }
            Kind::Rule(rule) => self.push(self.rules.expand(rule), below, tape),
            Kind::Capture { body, then, binder } => {
                let (start, outermost) = (tape.len(), tape == Tape::Outside);
                let end = Frame::CaptureEnd { start, outermost, then: then.clone(), binder: binder.clone() };
                let tape = if outermost { Tape::Read(Text::new()) } else { tape };
                self.push(body.clone(), below.push(end), tape);
            }
        }
    }

    fn head(&mut self, head: Head, below: Stack, tape: Tape) {
        self.out.add(Thread { head, below, tape });
    }
}
