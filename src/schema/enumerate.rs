//! All values of a node, one by one, where they are few.
//!
//! Where elements that must come could use each other up, their values are matched with their places
//! (`json::distinct`), so they must be known; and nodes are compared value by value ([`share`](super::share)).

use std::cell::Cell;

use serde_json::{Map, Value};

use super::equality::{are_equal, different};
use super::values::{Arrays, Numbers, Objects, Values};
use super::{NodeId, Schema};

/// More values are not listed.
const LISTED: usize = 64;

/// Nodes that are looked at for one list.
const NODES: usize = 256;

/// Values that nest deeper are not listed: values that are too deep to be compared must not be among them.
const DEPTH: usize = 8;

impl Schema {
    /// All values of a node, each once, where these are few and soon found.
    pub(crate) fn listed(&self, node: NodeId) -> Option<Vec<Value>> {
        Lister { schema: self, left: Cell::new(NODES) }.node(node, DEPTH)
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
        let distinct = different(all);
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

/// All values of a node that have no parts, where these are listed one by one, or can be, and few.
pub(super) fn listed_scalars(values: &Values) -> Option<Vec<Value>> {
    let Values { null, booleans, numbers, words, strings, .. } = values;
    let words = words.as_ref();
    let are_few = numbers.len() + words.map_or(0, |words| words.len()) <= LISTED;
    if !(are_few && strings.is_empty()) {
        return None;
    }
    let numbers = numbers.iter().map(listed_numbers);
    let mut all = numbers.collect::<Option<Vec<_>>>()?.concat();
    all.extend(words.into_iter().flat_map(|words| words.iter()).map(Value::from));
    all.extend(null.then_some(Value::Null));
    all.extend(booleans.allows_true.then_some(Value::Bool(true)));
    all.extend(booleans.allows_false.then_some(Value::Bool(false)));
    Some(all)
}

/// The numbers of a cell, where they are few.
fn listed_numbers(cell: &Numbers) -> Option<Vec<Value>> {
    let value = |number: String| number.parse().ok().map(Value::Number);
    if let Some(point) = cell.as_point() {
        return Some(vec![value(point.to_string())?]);
    }
    let multiples: Vec<_> = cell.multiples()?.take(LISTED + 1).collect();
    if multiples.len() > LISTED {
        return None;
    }
    multiples
        .iter()
        .filter(|multiple| cell.contains(multiple))
        .map(|multiple| value(multiple.to_string()))
        .collect()
}
