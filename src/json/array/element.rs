//! What follows an element whose value matters: where elements must differ, where two must be equal, and
//! where the array must differ from others.

use std::any::Any;
use std::sync::Arc;

use serde_json::Value;

use super::Elements;
use super::progress::Seen;
use crate::expression::{Beginning, Binder, Enough, Expression, Rule, fingerprint};
use crate::json::beginning::beginnings;
use crate::json::distinct::{ENDLESS, parse, spelled};
use crate::schema::{Kind, NodeId, are_equal};

/// What follows an element whose value matters.
#[derive(Debug)]
pub(super) struct Element {
    /// Of its value: what follows an element of one kind need not be able to follow one of another.
    pub(super) schema: NodeId,
    pub(super) after: Elements,
}

impl Binder for Element {
    fn bind(&self, text: &[u8]) -> Expression {
        let mut elements = self.after.clone();
        let progress = &mut elements.progress;
        let value = parse(text);
        let agrees = |array: &&Arc<Vec<Value>>| {
            value.as_ref().zip(array.first()).is_some_and(|(value, own)| are_equal(own, value))
        };
        let agreeing = self.after.progress.avoid.iter().filter(agrees);
        progress.avoid = agreeing.map(|array| Arc::new(array[1..].to_vec())).collect();
        if self.after.must_repeat() && progress.seen.has(value.as_ref(), text) {
            (progress.has_repeated, progress.seen) = (true, Seen::default());
        } else if self.after.must_repeat() || self.after.arrays().unique {
            progress.seen = match value {
                Some(value) => {
                    progress.seen.with(value, self.after.arrays(), progress.read, &self.after.spelling.schema)
                }
                None => progress.seen.with_deep(text),
            };
        }
        Expression::rule(Arc::new(elements))
    }

    /// Where no array is to be avoided, no element need be repeated and no kind of element can be used up,
    /// any element may be followed alike, as far as the next one begins.
    fn begins(&self) -> Vec<Beginning> {
        let elements = &self.after;
        let Elements { spelling, progress, .. } = elements;
        let is_endless = |kind: &Kind| spelling.counts.node(kind.schema) == ENDLESS;
        if elements.must_repeat() || !progress.avoid.is_empty() || !elements.kinds().all(is_endless) {
            return vec![Beginning::unknown()];
        }
        let level = spelling.punctuation.inside(elements.level);
        let kinds = elements.kinds().filter(|kind| elements.after(kind).is_some());
        let next = kinds.flat_map(|kind| beginnings(spelling, kind.schema, level));
        let behind = |next: Beginning| Beginning { text: elements.before().then(next.text), ..next };
        elements.end().map(Beginning::all).into_iter().chain(next.map(behind)).collect()
    }

    /// Elements that the arrays to avoid begin with, and such that follow or that what follows needs where
    /// they must differ. Where one must be repeated all of it matters.
    fn told_apart(&self, later: &[Arc<[u8]>]) -> Option<Vec<Arc<[u8]>>> {
        if self.after.must_repeat() {
            return None;
        }
        let avoided = self.after.progress.avoid.iter().filter_map(|array| array.first().cloned());
        let later = later.iter().filter(|_| self.after.arrays().unique).filter_map(|text| parse(text));
        let values = avoided.chain(later).chain(self.after.scarce());
        Some(spelled(self.after.possible(self.schema, values)))
    }

    fn min_len(&self) -> u32 {
        Rule::min_len(&self.after)
    }

    fn enough(&self) -> Option<Enough> {
        self.after.enough_after_distinct().map(Enough::Bytes)
    }

    fn held_bytes(&self) -> usize {
        Rule::held_bytes(&self.after)
    }

    fn same(&self, other: &dyn Binder) -> bool {
        (other as &dyn Any)
            .downcast_ref::<Self>()
            .is_some_and(|other| self.schema == other.schema && self.after.is_same(&other.after))
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("element", self.schema, self.after.content()))
    }
}
