//! Whether two nodes may have a value in common, and which values a node has where they are few.
//!
//! Elements of a tuple that must differ use each other up only where they can be equal: `["a", "b"]` is the
//! one array of two constants. The values of alternatives that have none in common may be added up.

use std::cell::Cell;

use serde_json::{Map, Value};

use super::admits::are_equal;
use super::values::{Arrays, Numbers, Objects, Values};
use super::{NodeId, Schema};

/// Of longer lists it is not looked at each entry.
const LISTED: usize = 64;

/// Nodes that are listed for one answer, or pairs of them compared. Beyond, nothing is listed, and two may
/// have a value in common.
const LOOKS: usize = 256;

/// Values that nest deeper are not listed: values that are too deep to be compared must not be among them.
const DEPTH: usize = 8;

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

    /// All values of a node, each once, where these are few and soon found.
    pub(crate) fn listed(&self, node: NodeId) -> Option<Vec<Value>> {
        Lister { schema: self, left: Cell::new(LOOKS) }.node(node, DEPTH)
    }
}

/// Lists values one by one.
struct Lister<'s> {
    schema: &'s Schema,
    /// Nodes that may still be listed.
    left: Cell<usize>,
}

impl Lister<'_> {
    fn node(&self, node: NodeId, depth: usize) -> Option<Vec<Value>> {
        self.left.set(self.left.get().checked_sub(1)?);
        let (values, inside) = (self.schema.values(node), depth.checked_sub(1)?);
        let mut all = listed_scalars(values)?;
        for arrays in &values.arrays {
            all.extend(self.arrays(arrays, inside)?);
        }
        for objects in &values.objects {
            all.extend(self.objects(objects, inside)?);
        }
        let mut distinct: Vec<Value> = Vec::new();
        for value in all {
            if !distinct.iter().any(|known| are_equal(known, &value)) {
                distinct.push(value);
            }
        }
        (distinct.len() <= LISTED).then_some(distinct)
    }

    fn arrays(&self, arrays: &Arrays, depth: usize) -> Option<Vec<Value>> {
        let (mut all, mut at) = (vec![Vec::new()], 0);
        while let Some(array) = all.get(at).cloned() {
            at += 1;
            for kind in arrays.kinds(u32::try_from(array.len()).ok()?) {
                let elements = self.node(kind.schema, depth)?.into_iter();
                let is_new =
                    |element: &Value| !arrays.unique || !array.iter().any(|own| are_equal(own, element));
                all.extend(elements.filter(is_new).map(|element| [&array[..], &[element]].concat()));
            }
            if all.len() > LISTED {
                return None;
            }
        }
        let admitted = all.into_iter().filter(|array| self.schema.arrays_have(arrays, array));
        Some(admitted.map(Value::Array).collect())
    }

    fn objects(&self, objects: &Objects, depth: usize) -> Option<Vec<Value>> {
        let mut all = vec![Map::new()];
        if !objects.rest.is_empty() {
            return None;
        }
        for member in &objects.members {
            let mut with = if member.required { Vec::new() } else { all.clone() };
            for value in self.node(member.schema, depth)? {
                with.extend(all.iter().cloned().map(|mut object| {
                    object.insert(member.name.to_string(), value.clone());
                    object
                }));
            }
            all = with;
            if all.len() > LISTED {
                return None;
            }
        }
        let admitted = all.into_iter().filter(|object| self.schema.objects_have(objects, object));
        Some(admitted.map(Value::Object).collect())
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
        Self { schema, left: Cell::new(LOOKS) }
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

/// All values of a node that have no parts, where these are listed one by one, or can be, and few.
fn listed_scalars(values: &Values) -> Option<Vec<Value>> {
    let Values { null, booleans, numbers, words, strings, .. } = values;
    let words = words.as_ref();
    let are_few = numbers.len() + words.map_or(0, |words| words.len()) <= LISTED;
    if !(are_few && strings.is_empty()) {
        return None;
    }
    let numbers = numbers.iter().map(|cell| listed_numbers(cell, LISTED));
    let mut all = numbers.collect::<Option<Vec<_>>>()?.concat();
    all.extend(words.into_iter().flat_map(|words| words.iter()).map(Value::from));
    all.extend(null.then_some(Value::Null));
    all.extend(booleans.allows_true.then_some(Value::Bool(true)));
    all.extend(booleans.allows_false.then_some(Value::Bool(false)));
    Some(all)
}

/// The numbers of a cell, where they are at most so many.
fn listed_numbers(cell: &Numbers, most: usize) -> Option<Vec<Value>> {
    let value = |number: String| number.parse().ok().map(Value::Number);
    if let Some(point) = cell.as_point() {
        return Some(vec![value(point.to_string())?]);
    }
    let (lower, upper) = (cell.lower.as_ref()?, cell.upper.as_ref()?);
    let step = cell.multiple_of.as_ref()?;
    let (mut all, mut multiple) = (Vec::new(), lower.value.next_multiple(step, !lower.inclusive));
    for _ in 0..most {
        if multiple > upper.value {
            return Some(all);
        }
        if cell.contains(&multiple) {
            all.push(value(multiple.to_string())?);
        }
        multiple = multiple.next_multiple(step, true);
    }
    None
}

fn share_a_type(one: &Values, other: &Values) -> bool {
    let types = |values: &Values| {
        let Values { null, booleans, numbers, words, strings, .. } = values;
        let has_strings = words.is_some() || !strings.is_empty();
        [*null, booleans.allows_true, booleans.allows_false, !numbers.is_empty(), has_strings]
    };
    types(one).into_iter().zip(types(other)).any(|(one, other)| one && other)
}
