//! What follows the value of a member where objects are to be avoided: those that have another value there no
//! longer matter.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use hashbrown::HashTable;
use serde_json::{Map, Value};

use super::alternatives::{Alternatives, Group};
use super::members::Members;
use crate::expression::{Binder, Expression, RULE_BYTES, fingerprint};
use crate::json::distinct::{parse, spelled};
use crate::json::used::Used;
use crate::schema::{ByValue, NodeId, are_equal};

/// An alternative before and after a member.
pub(super) type Way = (Members, Members);

/// Where an object to avoid is: the way, and the place among those of the way.
type At = (u32, u32);

/// What follows a value that matters.
#[derive(Debug)]
pub(super) struct MemberValue {
    group: Arc<Group>,
    /// The alternatives that allow it, before and after.
    ways: Box<[Way]>,
    name: Arc<str>,
    /// Of the value.
    schema: NodeId,
    /// The objects to avoid by their value. A number can end after a thousand tokens, and each asks: in an
    /// array of 100 objects that must differ, each with a number, the slowest hundredth of the masks took
    /// 4.5 ms and more when all objects were gone through each time, and takes 0.35 (`harmony-mask generate
    /// --draft`); of 1,000 objects 15 and 0.4.
    avoided: OnceLock<HashTable<At>>,
    /// What follows a value that no object to avoid has. Most texts are one, and each way to end a text asks.
    after_others: OnceLock<Expression>,
}

impl MemberValue {
    pub(super) fn new(group: Arc<Group>, ways: Box<[Way]>, name: Arc<str>, schema: NodeId) -> Self {
        Self { group, ways, name, schema, avoided: OnceLock::new(), after_others: OnceLock::new() }
    }

    /// The objects that are avoided by each way before the value.
    fn objects(&self) -> impl Iterator<Item = (At, &Map<String, Value>)> {
        (0..).zip(&self.ways).flat_map(|(way, (before, _))| {
            let objects = (0..).zip(before.progress.avoid.iter());
            objects.map(move |(place, object)| ((way, place), &**object))
        })
    }

    /// The value that an object to avoid has for the member.
    fn value_at(&self, (way, place): At) -> Option<&Value> {
        self.ways[way as usize].0.progress.avoid[place as usize].get(&*self.name)
    }

    /// Where the objects are that have a value; none where no object has it.
    fn having(&self, value: &Value) -> Vec<At> {
        let hash = |value: &Value| fingerprint(&ByValue(value));
        let avoided = self.avoided.get_or_init(|| {
            let places = self.objects().map(|(at, _)| at);
            let with_values = places.filter_map(|at| Some((at, hash(self.value_at(at)?))));
            let mut avoided = HashTable::new();
            for (at, hashed) in with_values {
                let rehashed = |at: &At| self.value_at(*at).map_or(0, hash);
                avoided.insert_unique(hashed, at, rehashed);
            }
            avoided
        });
        let has_it = |at: &At| self.value_at(*at).is_some_and(|own| are_equal(own, value));
        let mut having: Vec<At> = avoided.iter_hash(hash(value)).copied().filter(has_it).collect();
        having.sort_unstable();
        having
    }

    /// What follows a value that just these objects have.
    fn after(&self, having: &[At]) -> Expression {
        let after = |(at, (before, after)): (u32, &Way)| {
            let own = having.iter().filter(|(way, _)| *way == at);
            after.avoiding(own.map(|(_, place)| &before.progress.avoid[*place as usize]), &self.name)
        };
        let after = Alternatives::new(&self.group, (0..).zip(&self.ways).map(after).collect());
        Expression::rule(Arc::new(after))
    }

    fn after_others(&self) -> Expression {
        self.after_others.get_or_init(|| self.after(&[])).clone()
    }
}

impl Binder for MemberValue {
    fn bind(&self, text: &[u8]) -> Expression {
        match parse(text).map(|value| self.having(&value)).unwrap_or_default().as_slice() {
            [] => self.after_others(),
            having => self.after(having),
        }
    }

    fn usual(&self) -> Option<Expression> {
        Some(self.after_others())
    }

    fn knows(&self, text: &[u8]) -> bool {
        parse(text).is_some_and(|value| !self.having(&value).is_empty())
    }

    /// The values of the objects to avoid.
    fn told_apart(&self, _later: &[Arc<[u8]>]) -> Option<Vec<Arc<[u8]>>> {
        let ((before, after), schema) = (&self.ways[0], &self.group.spelling().schema);
        let taken = Used::of(before.taken(&self.name, after).iter());
        let may_have_read = |value: &Value| !taken.has(value) && schema.node_has(self.schema, value);
        let values = self.objects().filter_map(|(_, object)| object.get(&*self.name).cloned());
        Some(spelled(values.filter(may_have_read)))
    }

    fn min_len(&self) -> u32 {
        self.ways.iter().map(|(_, after)| after.rest_len()).min().expect("at least one")
    }

    /// With the objects by value, which hold no more than the objects.
    fn held_bytes(&self) -> usize {
        let ways = self.ways.iter().map(|(_, after)| after.progress.held_bytes());
        RULE_BYTES + 2 * ways.sum::<usize>()
    }

    fn same(&self, other: &dyn Binder) -> bool {
        let is_same = |a: &Way, b: &Way| a.0.is_same(&b.0) && a.1.is_same(&b.1);
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| {
            (&self.name, self.schema) == (&other.name, other.schema)
                && self.group.is_same(&other.group)
                && self.ways.len() == other.ways.len()
                && self.ways.iter().zip(&other.ways).all(|(a, b)| is_same(a, b))
        })
    }

    fn fingerprint(&self) -> u64 {
        let ways: Vec<_> = self.ways.iter().map(|(a, b)| (a.fingerprint, b.fingerprint)).collect();
        fingerprint(&("member value", &self.name, self.schema, ways))
    }
}
