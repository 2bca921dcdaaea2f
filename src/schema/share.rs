//! Whether two nodes may have a value in common.
//!
//! Elements of a tuple that must differ use each other up only where they can be equal: `["a", "b"]` is the
//! one array of two constants. The values of alternatives that have none in common may be added up.

use std::cell::Cell;

use super::enumerate::listed_scalars;
use super::values::{Arrays, Objects, Values};
use super::{NodeId, Schema};

/// Pairs of nodes that are compared for one answer. Beyond, two may have a value in common.
const PAIRS: usize = 256;

impl Schema {
    /// Whether two nodes may have a value in common, as far as it is soon seen.
    pub(crate) fn may_share(&self, one: NodeId, other: NodeId) -> bool {
        Sharing::new(self).nodes(one, other)
    }

    /// The same for arrays.
    pub(crate) fn arrays_may_share(&self, one: &Arrays, other: &Arrays) -> bool {
        Sharing::new(self).arrays(one, other)
    }

    /// The same for objects.
    pub(crate) fn objects_may_share(&self, one: &Objects, other: &Objects) -> bool {
        Sharing::new(self).objects(one, other)
    }
}

/// Looks for what tells two nodes apart.
struct Sharing<'s> {
    schema: &'s Schema,
    /// Pairs of nodes that may still be compared.
    left: Cell<usize>,
}

impl<'s> Sharing<'s> {
    fn new(schema: &'s Schema) -> Self {
        Self { schema, left: Cell::new(PAIRS) }
    }

    fn nodes(&self, one: NodeId, other: NodeId) -> bool {
        if one == other || self.left.get() == 0 {
            return true;
        }
        self.left.set(self.left.get() - 1);
        let (a, b) = (self.schema.values(one), self.schema.values(other));
        self.scalars(one, other)
            || a.arrays.iter().any(|one| b.arrays.iter().any(|other| self.arrays(one, other)))
            || a.objects.iter().any(|one| b.objects.iter().any(|other| self.objects(one, other)))
    }

    fn scalars(&self, one: NodeId, other: NodeId) -> bool {
        for (one, other) in [(one, other), (other, one)] {
            if let Some(values) = listed_scalars(self.schema.values(one)) {
                return values.iter().any(|value| self.schema.node_has(other, value));
            }
        }
        share_a_type(self.schema.values(one), self.schema.values(other))
    }

    /// An array of both is as long as each asks for, and has at each place an element of both.
    fn arrays(&self, one: &Arrays, other: &Arrays) -> bool {
        let least = one.min_items.max(other.min_items);
        let prefixes = u32::try_from(one.prefix.len().max(other.prefix.len())).unwrap_or(u32::MAX);
        (0..least.min(prefixes.saturating_add(1))).all(|position| {
            let (one, other) = (one.kinds(position), other.kinds(position));
            one.iter().any(|one| other.iter().any(|other| self.nodes(one.schema, other.schema)))
        }) && least <= most(one).min(most(other))
    }

    /// An object of both has what each asks for, with a value of both.
    fn objects(&self, one: &Objects, other: &Objects) -> bool {
        [(one, other), (other, one)].into_iter().all(|(one, other)| {
            let mut required = one.members.iter().filter(|member| member.required);
            required
                .all(|member| other.schemas_of(&member.name).any(|schema| self.nodes(member.schema, schema)))
        })
    }
}

/// The elements that an array has at most.
fn most(arrays: &Arrays) -> u32 {
    let prefix = u32::try_from(arrays.prefix.len()).unwrap_or(u32::MAX);
    if arrays.rest.is_empty() { prefix } else { arrays.max_items.unwrap_or(u32::MAX) }
}

fn share_a_type(one: &Values, other: &Values) -> bool {
    let types = |values: &Values| {
        let Values { null, booleans, numbers, words, strings, .. } = values;
        let has_strings = words.is_some() || !strings.is_empty();
        [*null, booleans.allows_true, booleans.allows_false, !numbers.is_empty(), has_strings]
    };
    types(one).into_iter().zip(types(other)).any(|(one, other)| one && other)
}
