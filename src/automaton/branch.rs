//! Branches: the alternatives that a grammar offers, for those who want to have seen all of them.
//!
//! A branch is a literal, a special token, or a kind of text (of a leaf whose label chooses what follows,
//! each label is one), at a place of the grammar. It is *offered* where it may come next, and *taken* when a
//! completion has read it to its end. What is offered behind a branch is seen once that is taken, so taking
//! all that was ever offered means that the grammar has no others.

use super::describe::place;
use super::expansions::Expansions;
use super::residual::{Unit, step};
use super::thread::{Head, Thread};
use crate::expression::{Label, Leaf};

/// An alternative of a grammar, in a user's words.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Branch {
    /// Where in the grammar; empty at its outermost level.
    pub place: String,
    /// What is said there.
    pub text: String,
}

/// A branch that may come next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The branch.
    pub branch: Branch,
    /// Units that take it.
    pub way: Vec<Unit>,
}

/// More than any text is long: a label that costs this much is not chosen where there is another.
const FAR: u32 = u32::MAX / 2;

/// The branches that begin here.
pub(super) fn offers(threads: &[Thread], rules: &Expansions) -> Vec<Offer> {
    let mut offers = Vec::new();
    for thread in threads {
        match &thread.head {
            Head::Literal { bytes, at: 0 } => {
                let way = bytes.iter().map(|byte| Unit::Byte(*byte)).collect();
                offers.push(Offer { branch: branch(thread, None), way });
            }
            Head::Special(token) => {
                offers.push(Offer { branch: branch(thread, None), way: vec![Unit::Special(*token)] });
            }
            Head::Leaf { leaf, state } => {
                if *state == leaf.start() {
                    offers.extend(leaf_offers(thread, leaf));
                }
                offers.extend(self::offers(&thread.left(leaf, *state, rules), rules));
            }
            Head::Literal { .. } | Head::End => {}
        }
    }
    offers
}

/// One offer for each label that chooses something, with a shortest text that has it.
fn leaf_offers(thread: &Thread, leaf: &Leaf) -> Vec<Offer> {
    let labels = 0..u32::try_from(thread.arms().count()).unwrap_or(u32::MAX).max(1);
    let offer = |wanted: Label| {
        let (text, label) = leaf.completion(leaf.start(), &|label| if label == wanted { 0 } else { FAR });
        let way = text.iter().map(|byte| Unit::Byte(*byte)).collect();
        (label == wanted).then(|| Offer { branch: branch(thread, Some(label)), way })
    };
    labels.filter_map(offer).collect()
}

/// The branches that are complete before `unit`, or by it; `None` stands for the end of everything.
pub(super) fn taken(threads: &[Thread], unit: Option<Unit>, rules: &Expansions) -> Vec<Branch> {
    let mut all = Vec::new();
    for thread in threads {
        match (&thread.head, unit) {
            (Head::Literal { bytes, at }, Some(Unit::Byte(byte))) if bytes[*at..] == [byte] => {
                all.push(branch(thread, None));
            }
            (Head::Special(expected), Some(Unit::Special(token))) if *expected == token => {
                all.push(branch(thread, None));
            }
            (Head::Leaf { leaf, state }, _) => {
                let after = thread.left(leaf, *state, rules);
                if goes_on(&after, unit, rules) {
                    all.push(branch(thread, leaf.accepts(*state)));
                    all.extend(taken(&after, unit, rules));
                }
                // A text that cannot be longer is left by its last byte.
                if let Some(Unit::Byte(byte)) = unit
                    && let Some(last) = leaf.step(*state, byte).filter(|next| leaf.is_complete(*next))
                {
                    all.push(branch(thread, leaf.accepts(last)));
                }
            }
            _ => {}
        }
    }
    all
}

fn goes_on(threads: &[Thread], unit: Option<Unit>, rules: &Expansions) -> bool {
    match unit {
        Some(unit) => !step(threads, unit, rules).is_empty(),
        None => super::residual::accepts(threads, rules),
    }
}

/// The branch that a thread stands in; `label` is the kind of text, in a leaf.
fn branch(thread: &Thread, label: Option<Label>) -> Branch {
    let text = match (&thread.head, label) {
        (Head::Literal { bytes, .. }, _) => format!("`{}`", String::from_utf8_lossy(bytes)),
        (Head::Special(token), _) => token.to_string(),
        (Head::Leaf { leaf, .. }, Some(label)) if !thread.arms().is_empty() => {
            let (text, _) = leaf.completion(leaf.start(), &|other| if other == label { 0 } else { FAR });
            format!("`{}`", String::from_utf8_lossy(&text))
        }
        (Head::Leaf { leaf, .. }, _) => leaf.expectation(leaf.start()),
        (Head::End, _) => "the end".to_owned(),
    };
    Branch { place: place(std::slice::from_ref(thread)), text }
}
