//! The members whose names are read as one leaf, by the label of the name.

use std::any::Any;
use std::sync::Arc;

use super::alternatives::Alternatives;
use super::then::AfterName;
use crate::expression::{Expression, Label, Leaf, MakeArms, RULE_BYTES, Rule, fingerprint};
use crate::json::string::{OpenWords, StringLanguage};

/// What follows each of the names that may come, made for the one that was read.
#[derive(Debug)]
pub(super) struct Named {
    before: Alternatives,
    /// Of the names, each with a label of its own.
    leaf: Leaf,
}

impl Named {
    /// A name of a leaf of names that alternatives know, and all that follows it.
    pub(super) fn member(before: &Alternatives, leaf: Leaf) -> Expression {
        let named = Self { before: before.clone(), leaf: leaf.clone() };
        Expression::switch_made(leaf, Arc::new(named))
    }

    fn names(&self) -> &OpenWords {
        let strings = self.leaf.downcast_ref::<StringLanguage>();
        strings.and_then(StringLanguage::open_words).expect("a leaf of names")
    }

    fn after(&self, label: Label) -> AfterName {
        let rank = self.names().rank_of(label);
        let known = self.before.group.names();
        let place = match &*self.before.group.objects {
            [_] => known.member_at(0, rank).expect("the name of a member"),
            _ => rank as usize,
        };
        AfterName { before: self.before.clone(), name: known.texts[rank as usize].clone(), place }
    }
}

impl MakeArms for Named {
    fn count(&self) -> usize {
        self.names().labels()
    }

    fn arm(&self, label: Label) -> Expression {
        Expression::rule(Arc::new(self.after(label)))
    }

    fn min_len(&self, label: Label) -> u32 {
        self.after(label).min_len()
    }

    fn held_bytes(&self) -> usize {
        RULE_BYTES + self.before.held_bytes()
    }

    fn same(&self, other: &dyn MakeArms) -> bool {
        (other as &dyn Any)
            .downcast_ref::<Self>()
            .is_some_and(|other| self.leaf == other.leaf && self.before.is_same(&other.before))
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("named", self.before.fingerprint, self.leaf.fingerprint()))
    }
}
