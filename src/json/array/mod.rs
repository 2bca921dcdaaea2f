//! Arrays: a rule whose data is how many elements were read.
//!
//! An element is offered only where the array can still be finished after it. Where elements must differ, or
//! the array differ from others, each element is captured, so that what follows knows its value. Where two
//! must be equal, each is until two are.

mod element;
mod progress;

use std::any::Any;
use std::hash::Hash;
use std::sync::Arc;

use serde_json::Value;

use super::distinct::{Count, taken};
use super::spelling::{Spelling, WAITING_LEN};
use super::used::Used;
use crate::expression::{Expression, RULE_BYTES, Rule, fingerprint};
use crate::schema::{ArrayPlan, Arrays, Kind, NodeId};
use element::Element;
use progress::Progress;

/// The expression of one array cell that avoids some arrays, inside of `level` containers; `None` where no
/// other array is left.
pub(super) fn array(
    spelling: &Arc<Spelling>,
    node: NodeId,
    cell: usize,
    level: u32,
    avoid: &[Arc<Vec<Value>>],
) -> Option<Expression> {
    let arrays = &spelling.schema.values(node).arrays[cell];
    let admitted = avoid.iter().filter(|array| spelling.schema.arrays_have(arrays, array));
    let progress = Progress::start(admitted.cloned().collect());
    let elements = Elements { spelling: spelling.clone(), node, cell, level, progress };
    let left = elements.can_avoid_all();
    let rest = Expression::rule(Arc::new(elements));
    left.then(|| Expression::sequence([spelling.punctuation.open_array.clone(), rest]))
}

/// What remains of an array: a comma and another element, or the bracket.
#[derive(Clone, Debug)]
struct Elements {
    spelling: Arc<Spelling>,
    node: NodeId,
    cell: usize,
    /// The containers around it.
    level: u32,
    progress: Progress,
}

impl Elements {
    fn arrays(&self) -> &Arrays {
        &self.spelling.schema.values(self.node).arrays[self.cell]
    }

    fn plan(&self) -> Option<&ArrayPlan> {
        self.spelling.plans.get(&(self.node, self.cell))
    }

    /// Whether more ways to go on are left than there are arrays to avoid.
    fn can_avoid_all(&self) -> bool {
        let avoid = self.progress.avoid.len() as u64;
        avoid == 0 || self.ways() > avoid
    }

    /// The ways to go on.
    fn ways(&self) -> Count {
        match self.plan() {
            Some(_) => self.spelling.counts.planned((self.node, self.cell), self.progress.plan),
            None => {
                let cell = (self.node, self.cell);
                self.spelling.counts.arrays(cell, self.arrays(), self.progress.read)
            }
        }
    }

    /// What remains after one more element of a kind; `None` where the array could not be finished then. All
    /// counts beyond prefix and bounds are one state, unless elements must differ.
    fn after(&self, kind: &Kind) -> Option<Self> {
        let arrays = self.arrays();
        let (plan, waits) = match self.plan() {
            Some(plan) => {
                let next = plan.next(self.progress.plan, kind.counts_for)?;
                (next, plan.least_len(next) >= plan.least_len(self.progress.plan) && !plan.may_close(next))
            }
            None => (self.progress.plan, false),
        };
        // What was read of elements that must differ is another state after each of them anyway.
        let last = if arrays.unique { u32::MAX } else { arrays.lengths() };
        let read = self.progress.read.saturating_add(1).min(last);
        Some(Self { progress: Progress { read, plan, waits, ..self.progress.clone() }, ..self.clone() })
    }

    /// Those of some values that the element before the ones that remain may have, where it is of a kind with
    /// this schema.
    fn possible(&self, schema: NodeId, values: impl Iterator<Item = Value>) -> impl Iterator<Item = Value> {
        let Progress { seen, avoid, .. } = &self.progress;
        let mut taken = taken(avoid, |array| array.first(), || self.ways());
        taken.extend(self.needed());
        let taken = Used::of(taken.iter());
        let is_free = move |value: &Value| !seen.values().has(value) && !taken.has(value);
        let is_element = move |value: &Value| self.spelling.schema.node_has(schema, value);
        values.filter(is_free).filter(is_element)
    }

    /// Values that the element before must not have, as they are needed for what remains.
    fn needed(&self) -> Vec<Arc<Value>> {
        let scarce = self.spelling.scarce(self.node, self.cell);
        scarce.map_or_else(Vec::new, |scarce| scarce.needed(self.progress.read, self.progress.seen.values()))
    }

    /// Values on which it may depend what is needed.
    fn scarce(&self) -> impl Iterator<Item = Value> {
        let scarce = self.spelling.scarce(self.node, self.cell);
        scarce.into_iter().flat_map(|scarce| scarce.suiting(self.progress.read)).cloned()
    }

    /// Whether two elements must be equal, and no two were.
    fn must_repeat(&self) -> bool {
        self.arrays().repeats && !self.progress.has_repeated
    }

    fn may_close(&self) -> bool {
        let enough = match self.plan() {
            Some(plan) => plan.may_close(self.progress.plan),
            None => self.progress.read >= self.arrays().min_items,
        };
        enough && !self.must_repeat() && !self.must_go_on()
    }

    /// Whether the array must not end here, as it is one to avoid.
    fn must_go_on(&self) -> bool {
        self.progress.avoid.iter().any(|array| array.is_empty())
    }

    /// The least length of so many elements behind the prefix.
    fn least_rest_len(&self, count: u32) -> u32 {
        let Some(kind) = self.arrays().rest.first().filter(|_| count > 0) else { return 0 };
        match self.arrays().unique {
            true => self.spelling.least_len_of_distinct(kind.schema, count, self.progress.seen.values()),
            false => self.spelling.schema.least_len(kind.schema).saturating_mul(count),
        }
    }

    /// The least length of what remains by a plan. Where an element must be repeated the next one may be the
    /// one that is.
    fn least_planned(&self, plan: &ArrayPlan) -> Option<u64> {
        let Progress { read, plan: state, ref seen, .. } = self.progress;
        match self.must_repeat() {
            true if seen.is_empty() => return plan.least_repeating_len(state),
            false if !self.must_go_on() => return plan.least_len(state),
            _ => {}
        }
        let len = |kind: &Kind| u64::from(self.spelling.schema.least_len(kind.schema)) + u64::from(read > 0);
        let longer =
            |kind: &Kind| Some(plan.least_len(plan.next(state, kind.counts_for)?)?.saturating_add(len(kind)));
        self.kinds().filter_map(longer).min()
    }

    /// A number of bytes that the completion does not exceed where the elements read are any that differ.
    /// `None` where more than that matters.
    fn enough_after_distinct(&self) -> Option<u32> {
        let (arrays, Progress { read, avoid, .. }) = (self.arrays(), &self.progress);
        let is_scarce = self.spelling.scarce(self.node, self.cell).is_some();
        if !arrays.unique || arrays.repeats || self.plan().is_some() || is_scarce || !avoid.is_empty() {
            return None;
        }
        let len = |kind: &Kind| self.spelling.enough_len(kind.schema, arrays.min_items);
        let longest = |kinds: &[Kind]| kinds.iter().try_fold(0, |most: u32, kind| Some(most.max(len(kind)?)));
        let before = self.spelling.punctuation.before(self.level, false).min_len();
        let element = |kinds: &[Kind]| Some(longest(kinds)?.saturating_add(before));
        let prefix = u32::try_from(arrays.prefix.len()).ok()?;
        let behind = arrays.min_items.saturating_sub((*read).max(prefix));
        let mut missing =
            (*read..arrays.min_items.min(prefix)).map(|position| element(arrays.kinds(position)));
        let in_prefix = missing.try_fold(0, |sum: u32, len| Some(sum.saturating_add(len?)))?;
        let rest = if behind > 0 { element(&arrays.rest)?.saturating_mul(behind) } else { 0 };
        let end = self.spelling.punctuation.end_array(self.level, false).min_len();
        Some(in_prefix.saturating_add(rest).saturating_add(end))
    }

    /// The bracket, where the array may end.
    fn end(&self) -> Option<Expression> {
        self.may_close().then(|| self.spelling.punctuation.end_array(self.level, self.is_first()))
    }

    /// What stands before another element.
    fn before(&self) -> Expression {
        self.spelling.punctuation.before(self.level, self.is_first())
    }

    fn is_first(&self) -> bool {
        self.progress.read == 0
    }

    /// The kinds of the next element.
    fn kinds(&self) -> impl Iterator<Item = &Kind> {
        self.arrays().kinds(self.progress.read).iter()
    }

    /// The values of a kind that the next element must not have.
    fn used(&self, kind: &Kind) -> Used {
        match self.arrays().unique {
            true => {
                self.progress.seen.of_kind(kind, self.arrays(), self.progress.read, &self.spelling.schema)
            }
            false => Used::default(),
        }
    }

    /// An element of a kind and all that follows it.
    fn element(&self, kind: &Kind) -> Option<Expression> {
        let after = self.after(kind)?;
        let level = self.spelling.punctuation.inside(self.level);
        if !self.arrays().unique && !self.must_repeat() && self.progress.avoid.is_empty() {
            let value = self.spelling.value(kind.schema, level);
            return Some(value.then(Expression::rule(Arc::new(after))));
        }
        let mut avoid = taken(&self.progress.avoid, |array| array.first(), || after.ways());
        avoid.extend(after.needed());
        let value = self.spelling.value_avoiding(kind.schema, level, &self.used(kind), &avoid)?;
        Some(Expression::capture(
            value,
            Expression::empty(),
            Arc::new(Element { schema: kind.schema, after }),
        ))
    }
}

impl Rule for Elements {
    fn expand(&self) -> Expression {
        let more = Expression::choice(self.kinds().filter_map(|kind| self.element(kind)));
        let more = more.map(|element| self.before().then(element));
        Expression::choice(self.end().into_iter().chain(more))
            .expect("an inhabited array can be closed or continued")
    }

    fn min_len(&self) -> u32 {
        if let Some(plan) = self.plan() {
            let least = self.least_planned(plan).unwrap_or(u64::MAX);
            let waiting = if self.progress.waits { WAITING_LEN } else { 0 };
            return u32::try_from(least).unwrap_or(u32::MAX).saturating_add(waiting);
        }
        let (arrays, read) = (self.arrays(), self.progress.read);
        let missing = arrays.min_items.saturating_sub(read).max(u32::from(self.must_go_on()));
        let prefix = arrays.prefix.iter().skip(read as usize).take(missing as usize);
        let from_prefix = u32::try_from(prefix.len()).unwrap_or(u32::MAX);
        let len =
            |kinds: &[Kind]| kinds.first().map_or(0, |kind| self.spelling.schema.least_len(kind.schema));
        let prefix_len = prefix.fold(0_u32, |sum, kinds| sum.saturating_add(len(kinds)));
        let commas = missing.saturating_sub(u32::from(read == 0));
        let rest_len = self.least_rest_len(missing - from_prefix);
        rest_len.saturating_add(prefix_len).saturating_add(commas).saturating_add(1)
    }

    fn recurs(&self) -> bool {
        self.progress.seen.is_empty() && self.progress.avoid.is_empty()
    }

    fn held_bytes(&self) -> usize {
        RULE_BYTES + self.progress.held_bytes()
    }

    fn place(&self) -> String {
        self.spelling.place(self.node)
    }

    fn same(&self, other: &dyn Rule) -> bool {
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| self.is_same(other))
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("elements", self.content()))
    }
}

impl Elements {
    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.spelling, &other.spelling)
            && (self.node, self.cell, self.level) == (other.node, other.cell, other.level)
            && self.progress == other.progress
    }

    fn content(&self) -> impl Hash + '_ {
        let Progress { read, plan, waits, seen, has_repeated, avoid } = &self.progress;
        let place = (Arc::as_ptr(&self.spelling), self.node, self.cell, self.level);
        (place, (*read, *plan, *waits), (seen, *has_repeated), avoid)
    }
}
