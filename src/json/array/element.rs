//! What follows an element whose value matters: where elements must differ, where two must be equal, and
//! where the array must differ from others.

use std::any::Any;
use std::sync::Arc;

use serde_json::Value;

use super::Elements;
use super::progress::Seen;
use crate::expression::{Beginning, Binder, Expression, Rule, fingerprint};
use crate::json::beginning::beginnings;
use crate::json::distinct::{ENDLESS, parse, spelled};
use crate::schema::{Kind, are_equal};

/// What follows an element whose value matters.
#[derive(Debug)]
pub(super) struct Element(pub(super) Elements);

impl Binder for Element {
    fn bind(&self, text: &[u8]) -> Expression {
        let mut elements = self.0.clone();
        let progress = &mut elements.progress;
        let value = parse(text);
        let agrees = |array: &&Vec<Value>| {
            value.as_ref().zip(array.first()).is_some_and(|(value, own)| are_equal(own, value))
        };
        progress.avoid =
            self.0.progress.avoid.iter().filter(agrees).map(|array| array[1..].to_vec()).collect();
        if self.0.must_repeat() && progress.seen.has(value.as_ref(), text) {
            (progress.has_repeated, progress.seen) = (true, Seen::default());
        } else if self.0.must_repeat() || self.0.arrays().unique {
            progress.seen = match value {
                Some(value) => {
                    progress.seen.with(value, self.0.arrays(), progress.read, &self.0.spelling.schema)
                }
                None => progress.seen.with_deep(text),
            };
        }
        Expression::rule(Arc::new(elements))
    }

    /// Where no array is to be avoided, no element need be repeated and no kind of element can be used up,
    /// any element may be followed alike, as far as the next one begins.
    fn begins(&self) -> Vec<Beginning> {
        let Self(elements) = self;
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
        if self.0.must_repeat() {
            return None;
        }
        let avoided = self.0.progress.avoid.iter().filter_map(|array| array.first().cloned());
        let later = later.iter().filter(|_| self.0.arrays().unique).filter_map(|text| parse(text));
        Some(spelled(self.0.possible(avoided.chain(later).chain(self.0.scarce()))))
    }

    fn min_len(&self) -> u32 {
        Rule::min_len(&self.0)
    }

    fn held_bytes(&self) -> usize {
        Rule::held_bytes(&self.0)
    }

    fn same(&self, other: &dyn Binder) -> bool {
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| self.0.is_same(&other.0))
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("element", self.0.content()))
    }
}
