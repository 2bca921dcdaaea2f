//! How many units are enough to complete a text, added up from its parts.
//!
//! To know that a deadline is far, no completion of the whole text need be made after each token: what remains
//! below is mostly the same after all of them, and of a rule it is found once how much completes it. What
//! follows a captured text depends on it, so there binders [say what is enough](Binder::enough) for all
//! texts. Completions take the same ways, those of the least length, and so are no longer.
//!
//! [`Binder::enough`]: crate::expression::Binder::enough

use super::completion::completion;
use super::expansions::{Expand, Expansions, Shortest};
use super::stack::{Frame, Stack};
use super::tape::Tape;
use super::thread::{Head, Thread, open};
use super::threads::Threads;
use crate::expression::{BinderRef, Enough, Expression, Kind, Label, RuleRef};
use crate::recursion;

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
            let (rest, label) = leaf.completion(*state, &|label| shortest.arms().min_len(label));
            return rest.len().checked_add(below_leaf(shortest, label, rules)?);
        }
    };
    head.checked_add(of_stack(&shortest.below, rules)?)
}

/// Enough units for what follows the leaf of a thread that ends with a label.
pub(super) fn below_leaf(thread: &Thread, label: Label, rules: &Expansions) -> Option<usize> {
    let arm = thread.arms().get(label).map_or(Some(0), |arm| of_expression(&arm, 0, rules))?;
    arm.checked_add(of_stack(&thread.below, rules)?)
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
        Frame::Expression(expression) => of_expression(expression, 0, rules),
        // Counted with the leaf above, which knows the label.
        Frame::Arms(_) => Some(0),
        Frame::CaptureEnd { then, binder, .. } => {
            of_expression(then, 0, rules)?.checked_add(of_binder(binder, 0, rules)?)
        }
        Frame::Bind { binder, .. } => of_binder(binder, 0, rules),
        Frame::Own(_) => None,
    }
}

/// Rules within each other that are looked through. What is nested deeper, as the rests of a long array are,
/// is completed.
const DEPTH: usize = 32;

fn of_expression(expression: &Expression, depth: usize, rules: &Expansions) -> Option<usize> {
    let of = |part: &Expression| of_expression(part, depth, rules);
    match expression.kind() {
        Kind::Empty => Some(0),
        Kind::Special(_) => Some(1),
        Kind::Literal(bytes) => Some(bytes.len()),
        Kind::Match { leaf, arms } => {
            let (text, label) = leaf.completion(leaf.start(), &|label| arms.min_len(label));
            text.len().checked_add(arms.get(label).as_ref().map_or(Some(0), of)?)
        }
        Kind::Sequence(..) => expression.parts().try_fold(0_usize, |sum, part| sum.checked_add(of(part)?)),
        Kind::Choice(options) => of(options.iter().min_by_key(|option| option.min_len())?),
        Kind::Capture { body, then, binder } => {
            of(body)?.checked_add(of(then)?)?.checked_add(of_binder(binder, depth, rules)?)
        }
        Kind::Rule(rule) => match rule.enough_len() {
            Some(enough) => Some(enough as usize),
            None => Some(rules.enough(rule, || of_rule(expression, rule, depth, rules))),
        },
    }
}

/// Enough for what follows any captured text.
fn of_binder(binder: &BinderRef, depth: usize, rules: &Expansions) -> Option<usize> {
    match binder.enough()? {
        Enough::Bytes(bytes) => usize::try_from(bytes).ok(),
        Enough::Completing(expression) => of_expression(&expression, depth, rules),
    }
}

/// What is enough for the body of a rule; where that is not known, what completes the rule alone.
fn of_rule(expression: &Expression, rule: &RuleRef, depth: usize, rules: &Expansions) -> usize {
    let body = || Shortest(rules).expand(rule);
    let of_body = || recursion::one_level(|| of_expression(&body(), depth + 1, rules));
    let summed = (depth < DEPTH).then(of_body).flatten();
    summed.unwrap_or_else(|| {
        let mut threads = Threads::default();
        open(Stack::default().push_expression(expression), Tape::Outside, &Shortest(rules), &mut threads);
        completion(&threads.into_vec(), rules).units.len()
    })
}
