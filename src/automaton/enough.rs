//! How many units are enough to complete a text, added up from its parts.
//!
//! To know that a deadline is far, no completion of the whole text need be made after each token: what remains
//! below is mostly the same after all of them, and of a rule it is found once how much completes it. What
//! follows a captured text depends on it, so there binders [say what is enough](Binder::enough_len) for all
//! texts. Completions take the same ways, those of the least length, and so are no longer.
//!
//! [`Binder::enough_len`]: crate::expression::Binder::enough_len

use super::completion::completion;
use super::expansions::{Expansions, Shortest};
use super::stack::{Frame, Stack};
use super::tape::Tape;
use super::thread::{Head, Thread, open};
use super::threads::Threads;
use crate::expression::{Expression, Kind, Label};

/// Enough units to complete what one of some threads remains before; `None` where that is not known.
pub(super) fn enough(threads: &[Thread], rules: &Expansions) -> Option<usize> {
    let shortest = match threads {
        [only] => only,
        several => several.iter().min_by_key(|thread| thread.min_len())?,
    };
    let head = match &shortest.head {
        Head::End => return Some(0),
        Head::Special(_) => 1,
        Head::Literal { bytes, at } => bytes.len() - at,
        Head::Leaf { leaf, state } => {
            let (rest, label) = leaf.completion(*state, &|label| cost(shortest.arms(), label));
            return rest.len().checked_add(below_leaf(shortest, label, rules)?);
        }
    };
    head.checked_add(of_stack(&shortest.below, rules)?)
}

/// Enough units for what follows the leaf of a thread that ends with a label.
pub(super) fn below_leaf(thread: &Thread, label: Label, rules: &Expansions) -> Option<usize> {
    let arm = thread.arms().get(label as usize).map_or(Some(0), |arm| of_expression(arm, rules))?;
    arm.checked_add(of_stack(&thread.below, rules)?)
}

fn cost(arms: &[Expression], label: Label) -> u32 {
    arms.get(label as usize).map_or(0, Expression::min_len)
}

fn of_stack(stack: &Stack, rules: &Expansions) -> Option<usize> {
    let (mut enough, mut stack) = (0_usize, stack.shortest());
    while let Some((frame, below)) = stack.top() {
        enough = enough.checked_add(of_frame(frame, rules)?)?;
        stack = below.shortest();
    }
    Some(enough)
}

fn of_frame(frame: &Frame, rules: &Expansions) -> Option<usize> {
    match frame {
        Frame::Expression(expression) => of_expression(expression, rules),
        // Counted with the leaf above, which knows the label.
        Frame::Arms(_) => Some(0),
        Frame::CaptureEnd { then, binder, .. } => {
            of_expression(then, rules)?.checked_add(binder.enough_len()? as usize)
        }
        Frame::Bind { binder, .. } => Some(binder.enough_len()? as usize),
        Frame::Own(_) => None,
    }
}

fn of_expression(expression: &Expression, rules: &Expansions) -> Option<usize> {
    match expression.kind() {
        Kind::Empty => Some(0),
        Kind::Special(_) => Some(1),
        Kind::Literal(bytes) => Some(bytes.len()),
        Kind::Match { leaf, arms } => {
            let (text, label) = leaf.completion(leaf.start(), &|label| cost(arms, label));
            let arm = arms.get(label as usize).map_or(Some(0), |arm| of_expression(arm, rules));
            text.len().checked_add(arm?)
        }
        Kind::Sequence(..) => {
            let parts = expression.parts().map(|part| of_expression(part, rules));
            parts.fold(Some(0_usize), |sum, part| sum?.checked_add(part?))
        }
        Kind::Choice(options) => of_expression(options.iter().min_by_key(|option| option.min_len())?, rules),
        Kind::Capture { body, then, binder } => {
            let read = of_expression(body, rules)?.checked_add(of_expression(then, rules)?)?;
            read.checked_add(binder.enough_len()? as usize)
        }
        Kind::Rule(rule) => match rule.enough_len() {
            Some(enough) => Some(enough as usize),
            None => Some(rules.completion_len(rule, || completion_len(expression, rules))),
        },
    }
}

/// The units of the completion of a rule alone.
fn completion_len(rule: &Expression, rules: &Expansions) -> usize {
    let mut threads = Threads::default();
    open(Stack::default().push_expression(rule), Tape::Outside, &Shortest(rules), &mut threads);
    completion(&threads.into_vec(), rules).units.len()
}
