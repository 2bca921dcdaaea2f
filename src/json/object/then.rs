//! What follows in an object when a name or a value was read.

use std::any::Any;
use std::iter;
use std::sync::Arc;

use serde_json::Value;

use super::alternatives::{Alternatives, Offer};
use super::members::{Members, Next};
use super::value::{MemberValue, Way};
use crate::expression::{Beginning, Binder, Enough, Expression, RULE_BYTES, Rule, fingerprint};
use crate::json::string::decode;
use crate::schema::NodeId;

/// A value, then what remains of the alternatives that allow it. Each way is the value's schema, with an
/// alternative before and after the member.
///
/// Alternatives stay together where they allow the same values.
fn values_then(
    all: &Alternatives,
    name: &Arc<str>,
    ways: impl Iterator<Item = (NodeId, Members, Members)>,
) -> Expression {
    let mut found: Vec<(NodeId, Vec<Arc<Value>>, Vec<Way>)> = Vec::new();
    for (schema, before, after) in ways {
        let taken = before.taken(name, &after);
        match found.iter_mut().find(|(known, same, _)| *known == schema && *same == taken) {
            Some((_, _, ways)) => ways.push((before, after)),
            None => found.push((schema, taken, vec![(before, after)])),
        }
    }
    let values = found.into_iter().filter_map(|(schema, taken, ways)| {
        let value = ways[0].0.value(schema, &taken)?;
        if all.avoids() {
            let (group, ways, name) = (all.group.clone(), ways.into(), name.clone());
            let binder = MemberValue::new(group, ways, name, schema);
            return Some(Expression::capture(value, Expression::empty(), Arc::new(binder)));
        }
        let after = ways.into_iter().map(|(_, after)| after).collect();
        Some(value.then(Expression::rule(Arc::new(Alternatives::new(&all.group, after)))))
    });
    Expression::choice(values).expect("members without a value left are not offered")
}

/// What follows a name that an alternative knows. What the member is to each is found when it was read: an
/// object has many names, and many alternatives.
#[derive(Debug)]
pub(super) struct AfterName {
    pub(super) before: Alternatives,
    pub(super) name: Arc<str>,
    /// [Where](super::Object::member_at) the objects have it.
    pub(super) place: usize,
}

impl AfterName {
    /// What the name is to the alternatives, each told by its place.
    fn nexts(&self) -> impl Iterator<Item = (usize, Next)> {
        let Alternatives { alive, .. } = &self.before;
        alive.iter().zip(alive.lefts()).enumerate().flat_map(|(at, (before, left))| {
            before.nexts(self.place, &self.name, *left).into_iter().map(move |next| (at, next))
        })
    }

    /// For each way to go on the value's schema, and an alternative before and after the member.
    fn ways(&self) -> impl Iterator<Item = (NodeId, Members, Members)> {
        self.nexts().map(|next| self.way(next))
    }

    fn way(&self, (at, next): (usize, Next)) -> (NodeId, Members, Members) {
        let before = &self.before.alive[at];
        let (schema, after) = before.after_next(next, &self.name);
        (schema, before.clone(), after)
    }

    /// The least length of a member behind its colon and of what remains after it.
    fn len(&self, (at, next): (usize, Next)) -> u32 {
        let Alternatives { alive, .. } = &self.before;
        alive[at].len_after_next(next, &alive.rest_lens()[at])
    }

    fn value_then(&self, ways: impl Iterator<Item = (NodeId, Members, Members)>) -> Expression {
        let values = values_then(&self.before, &self.name, ways);
        self.before.group.spelling().punctuation.colon.clone().then(values)
    }
}

impl Rule for AfterName {
    fn expand(&self) -> Expression {
        self.value_then(self.ways())
    }

    fn min_len(&self) -> u32 {
        self.nexts().map(|next| self.len(next)).min().expect("offered by one").saturating_add(1)
    }

    fn shortest(&self) -> Option<Expression> {
        let nexts: Vec<_> = self.nexts().filter(|_| !self.before.avoids()).collect();
        let cheapest = match nexts.as_slice() {
            [only] => Some(only),
            several => several.iter().min_by_key(|next| self.len(**next)),
        };
        cheapest.map(|cheapest| self.value_then(iter::once(self.way(*cheapest))))
    }

    fn recurs(&self) -> bool {
        false
    }

    /// Names are many, and what they share with each other is counted where the object is; but what is to be
    /// avoided is more than all else.
    fn held_bytes(&self) -> usize {
        if self.before.avoids() { self.before.held_bytes() } else { RULE_BYTES }
    }

    fn place(&self) -> String {
        self.before.place()
    }

    fn same(&self, other: &dyn Rule) -> bool {
        (other as &dyn Any)
            .downcast_ref::<Self>()
            .is_some_and(|other| self.name == other.name && self.before.is_same(&other.before))
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("after name", self.before.fingerprint, &self.name))
    }
}

/// What follows a member with another name.
#[derive(Debug)]
pub(super) struct AfterOther {
    pub(super) before: Alternatives,
    /// The class of the name in each alternative that has it.
    pub(super) offers: Box<[Offer]>,
}

impl Binder for AfterOther {
    fn bind(&self, name: &[u8]) -> Expression {
        let after = self.before.after_other(&self.offers, Some(&decode(name)));
        Expression::rule(Arc::new(after))
    }

    fn begins(&self) -> Vec<Beginning> {
        self.before.begins_after_other(&self.offers)
    }

    fn told_apart(&self, later: &[Arc<[u8]>]) -> Option<Vec<Arc<[u8]>>> {
        Some(self.before.other_names_of(&self.offers, names(later)))
    }

    fn min_len(&self) -> u32 {
        self.before.len_after_other(&self.offers)
    }

    /// Where no further member with another name must come, it does not matter which names were used.
    fn enough(&self) -> Option<Enough> {
        let after = self.before.after_other(&self.offers, None);
        let needs_none = !after.needs_others();
        needs_none.then(|| Enough::Completing(Expression::rule(Arc::new(after))))
    }

    fn held_bytes(&self) -> usize {
        self.before.held_bytes()
    }

    fn same(&self, other: &dyn Binder) -> bool {
        (other as &dyn Any)
            .downcast_ref::<Self>()
            .is_some_and(|other| self.offers == other.offers && self.before.is_same(&other.before))
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("after other", self.before.fingerprint, &self.offers))
    }
}

/// What follows another name and its colon, where there are objects to avoid.
#[derive(Debug)]
pub(super) struct OtherName {
    pub(super) before: Alternatives,
    pub(super) schema: NodeId,
    /// The class of the name in each alternative that has it.
    pub(super) offers: Box<[Offer]>,
}

impl Binder for OtherName {
    fn bind(&self, name: &[u8]) -> Expression {
        let name: Arc<str> = decode(name).into();
        let way = |&(at, class): &Offer| {
            let before: &Members = &self.before.alive[at];
            (self.schema, before.clone(), before.after_other(class, before.others_with(&name)))
        };
        values_then(&self.before, &name, self.offers.iter().map(way))
    }

    /// Names that follow, and those of the objects to avoid.
    fn told_apart(&self, later: &[Arc<[u8]>]) -> Option<Vec<Arc<[u8]>>> {
        let avoided = self.before.alive.iter().flat_map(|members| members.progress.avoid.iter());
        let avoided = avoided.flat_map(|object| object.keys().cloned());
        Some(self.before.other_names_of(&self.offers, names(later).chain(avoided)))
    }

    fn min_len(&self) -> u32 {
        let after = self.before.len_after_other(&self.offers);
        self.before.alive[0].least_len(self.schema).saturating_add(after)
    }

    fn held_bytes(&self) -> usize {
        self.before.held_bytes()
    }

    fn same(&self, other: &dyn Binder) -> bool {
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| {
            (self.schema, &self.offers) == (other.schema, &other.offers) && self.before.is_same(&other.before)
        })
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("other name", self.before.fingerprint, self.schema, &self.offers))
    }
}

/// The names among captured texts.
fn names(texts: &[Arc<[u8]>]) -> impl Iterator<Item = String> {
    texts.iter().filter_map(|text| serde_json::from_slice(text).ok())
}
