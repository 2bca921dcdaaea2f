//! Residuals in a user's words, for error messages.

use super::expansions::Expansions;
use super::stack::Frame;
use super::thread::{Head, Thread};
use crate::expression::{Expression, Kind, RuleRef};

/// What may come next, each once, in the order of the alternatives.
pub(super) fn expectations(threads: &[Thread], rules: &Expansions) -> Vec<String> {
    let mut all = Vec::new();
    collect(threads, rules, &mut all);
    all
}

fn collect(threads: &[Thread], rules: &Expansions, all: &mut Vec<String>) {
    for thread in threads {
        let mut after = Vec::new();
        let text = match &thread.head {
            Head::End => "the end".to_owned(),
            Head::Special(token) => token.to_string(),
            Head::Literal { bytes, at } => format!("`{}`", String::from_utf8_lossy(&bytes[*at..])),
            Head::Leaf { leaf, state } => {
                after = thread.left(leaf, *state, rules);
                leaf.expectation(*state)
            }
        };
        if !all.contains(&text) {
            all.push(text);
        }
        collect(&after, rules, all);
    }
}

/// The innermost rule that the first thread stands below.
pub(super) fn place(threads: &[Thread]) -> String {
    let Some(thread) = threads.first() else { return String::new() };
    thread
        .below
        .frames()
        .find_map(|frame| match frame {
            Frame::Expression(expression) => {
                first_rule(expression).map(|rule| rule.place()).filter(|place| !place.is_empty())
            }
            Frame::Bind { .. } | Frame::CaptureEnd { .. } | Frame::Arms(_) | Frame::Own(_) => None,
        })
        .unwrap_or_default()
}

/// The rule that an expression begins with, in the first of alternatives: a value behind a colon stands before
/// what remains of its object.
fn first_rule(mut expression: &Expression) -> Option<&RuleRef> {
    loop {
        expression = match expression.kind() {
            Kind::Rule(rule) => return Some(rule),
            Kind::Sequence(first, _) | Kind::Capture { body: first, .. } => first,
            Kind::Choice(options) => options.first()?,
            Kind::Empty | Kind::Literal(_) | Kind::Special(_) | Kind::Match { .. } => return None,
        };
    }
}
