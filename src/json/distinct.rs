//! Values that must differ from others: how many there are, so that nothing leads where all are taken.
//!
//! An element of an array with `uniqueItems` must not equal the ones before it. The values to avoid are handed down with the rule that spells the
//! element, and those that can no longer be equal are dropped on the way: of an object that is being read only those remain that agree in
//! all members read. A value may be chosen for a member where more ways to finish the object are left than values to avoid.
//!
//! For that, ways are counted. The counts are lower bounds: where the alternatives of a union overlap the largest one counts alone, finite
//! classes of names do not count, nor do arrays and objects that count or wish for something unless they are without end. So near the end of a
//! small finite set some array may not be offered, but no way is ever offered that cannot be finished.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use serde_json::{Map, Value};

use crate::limits::Limits;
use crate::regular::Dfa;
use crate::schema::{
    Arrays, Decimal, Kind, NameClass, NodeId, Numbers, Objects, Schema, Strings, Values, are_equal,
};

/// A number of values, at least.
pub(super) type Count = u64;

/// Without end, or more than anybody could use up.
pub(super) const ENDLESS: Count = u64::MAX;

/// Multiples in an interval are counted up to here.
const MULTIPLES: Count = 10_000;

/// How many values those nodes have that are an element which must differ from others, or a part of one.
#[derive(Debug, Default)]
pub(super) struct Counts {
    values: HashMap<NodeId, Count>,
    endless: HashMap<NodeId, Endless>,
}

/// Of which kinds a node has values without end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Endless {
    pub(super) strings: bool,
    pub(super) arrays: bool,
    pub(super) objects: bool,
}

impl Counts {
    /// Counts the values of the nodes for which it matters.
    pub(super) fn new(schema: &Schema, limits: &Limits) -> Self {
        let elements = elements(schema);
        if elements.is_empty() { Self::default() } else { Counter::new(schema, &elements, limits).settled() }
    }

    /// Of which kinds a node that must differ has values without end.
    pub(super) fn endless(&self, node: NodeId) -> Endless {
        self.endless.get(&node).copied().unwrap_or_default()
    }

    /// The values of a node.
    pub(super) fn node(&self, node: NodeId) -> Count {
        self.values.get(&node).copied().unwrap_or(ENDLESS)
    }

    /// Whether an array can be filled with distinct elements, whichever are chosen first.
    pub(super) fn suffice(&self, arrays: &Arrays) -> bool {
        if !arrays.unique {
            return true;
        }
        let any =
            |kinds: &[Kind]| kinds.iter().map(|kind| self.node(kind.schema)).fold(0, Count::saturating_add);
        if arrays.counts.iter().any(|count| count.min > 1) {
            let mut kinds = arrays.prefix.iter().chain([&arrays.rest]).flatten();
            return kinds.all(|kind| self.node(kind.schema) == ENDLESS);
        }
        let prefix = u32::try_from(arrays.prefix.len()).unwrap_or(u32::MAX).min(arrays.min_items);
        let in_prefix = (0..prefix).all(|position| any(arrays.kinds(position)) > Count::from(position));
        in_prefix && (arrays.min_items <= prefix || any(&arrays.rest) >= Count::from(arrays.min_items))
    }

    /// The ways to go on in an array after `read` elements.
    pub(super) fn arrays(&self, arrays: &Arrays, read: u32) -> Count {
        arrays_left(arrays, read, |node| self.node(node))
    }

    /// The ways to go on in an object with these members still to come, when `read` were read; `wishing` tells the fewest members that grant all wishes when
    /// one more grants some.
    pub(super) fn objects(
        &self,
        objects: &Objects,
        open: impl Iterator<Item = (bool, NodeId)>,
        read: u32,
        wishing: impl Fn(u32) -> Option<u32>,
    ) -> Count {
        objects_left(objects, open, read, wishing, |node| self.node(node))
    }
}

/// The elements that must differ from others, with all parts that they may have.
fn elements(schema: &Schema) -> HashSet<NodeId> {
    let of_arrays = |arrays: &Arrays| {
        arrays.prefix.iter().flatten().chain(&arrays.rest).map(|kind| kind.schema).collect::<Vec<_>>()
    };
    let unique = schema.nodes().flat_map(|node| &schema.values(node).arrays).filter(|arrays| arrays.unique);
    let mut pending: Vec<NodeId> = unique.flat_map(of_arrays).collect();
    let mut elements = HashSet::new();
    while let Some(node) = pending.pop() {
        if elements.insert(node) {
            let values = schema.values(node);
            pending.extend(values.arrays.iter().flat_map(of_arrays));
            for objects in &values.objects {
                pending.extend(objects.members.iter().map(|member| member.schema));
                pending.extend(objects.rest.iter().map(|class| class.schema));
            }
        }
    }
    elements
}

/// Counts values by how deep they nest, from those without parts on.
///
/// What is counted is always there, however early counting stops. What still grows when values nest deeper than there are nodes repeats itself, and
/// has no end; an array of unique elements that only such arrays could fill is never counted.
struct Counter<'s> {
    schema: &'s Schema,
    /// In the order of the schema.
    nodes: Vec<NodeId>,
    /// The values without parts.
    scalars: HashMap<NodeId, Count>,
    /// Those that have strings without end.
    strings: HashSet<NodeId>,
    counts: HashMap<NodeId, Count>,
}

/// Schemas with more nodes than this are not followed until it is certain what has no end.
const ROUNDS: usize = 256;

impl<'s> Counter<'s> {
    fn new(schema: &'s Schema, elements: &HashSet<NodeId>, limits: &Limits) -> Self {
        let nodes: Vec<_> = schema.nodes().filter(|node| elements.contains(node)).collect();
        let (mut scalars, mut strings) = (HashMap::new(), HashSet::new());
        for node in &nodes {
            let values = schema.values(*node);
            let count = values.strings.iter().map(|strings| string_count(strings, limits)).max().unwrap_or(0);
            if count == ENDLESS {
                strings.insert(*node);
            }
            scalars.insert(*node, scalar_count(values, count));
        }
        Self { schema, nodes, counts: scalars.clone(), scalars, strings }
    }

    fn settled(mut self) -> Counts {
        let rounds = self.scalars.len().min(ROUNDS) + 1;
        for round in 1..=rounds {
            let grown = self.round();
            if grown.is_empty() {
                break;
            }
            if round == rounds && self.scalars.len() <= ROUNDS {
                self.counts.extend(grown.into_iter().map(|node| (node, ENDLESS)));
            }
        }
        let endless = self.nodes.iter().map(|node| (*node, self.endless(*node))).collect();
        Counts { values: self.counts, endless }
    }

    fn endless(&self, node: NodeId) -> Endless {
        let [arrays, objects] = self.parts(node).map(|count| count == ENDLESS);
        Endless { strings: self.strings.contains(&node), arrays, objects }
    }

    /// Counts all nodes once more, parts first where they come later; returns those that have more values than before.
    fn round(&mut self) -> Vec<NodeId> {
        let mut grown = Vec::new();
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            // Counts only grow.
            if self.counts[&node] == ENDLESS {
                continue;
            }
            let count = self.node(node);
            if self.counts.insert(node, count) != Some(count) {
                grown.push(node);
            }
        }
        grown
    }

    fn node(&self, node: NodeId) -> Count {
        self.parts(node).into_iter().fold(self.scalars[&node], Count::saturating_add)
    }

    /// The arrays, and the objects.
    fn parts(&self, node: NodeId) -> [Count; 2] {
        let values = self.schema.values(node);
        let count = |node: NodeId| self.counts[&node];
        let arrays = values.arrays.iter().map(|arrays| arrays_left(arrays, 0, count)).max();
        let objects = values.objects.iter().map(|objects| {
            let members = objects.members.iter().map(|member| (member.required, member.schema));
            let wishing = |grants| objects.granting(&[]).fewest(objects.wishes, grants);
            objects_left(objects, members, 0, wishing, count)
        });
        [arrays.unwrap_or(0), objects.max().unwrap_or(0)]
    }
}

fn arrays_left(arrays: &Arrays, read: u32, count: impl Fn(NodeId) -> Count) -> Count {
    let any = |kinds: &[Kind]| kinds.iter().map(|kind| count(kind.schema)).fold(0, Count::saturating_add);
    let is_open = !arrays.rest.is_empty() && arrays.max_items.is_none();
    let rest = any(&arrays.rest);
    let prefix = arrays.prefix.iter().take(arrays.min_items as usize).zip(0..);
    let mut begins = prefix.map(|(kinds, before)| any(kinds) > if arrays.unique { before } else { 0 });
    let begins = begins.all(|begins| begins);
    if is_open && begins && rest >= if arrays.unique { ENDLESS } else { 1 } && arrays.counts.is_empty() {
        return ENDLESS;
    }
    let is_counted = !arrays.counts.is_empty();
    if arrays.unique || is_counted {
        // Not counted; but there is one, where there is plainly one.
        let is_short = arrays.min_items as usize <= arrays.prefix.len();
        let fills = is_short || rest >= if arrays.unique { arrays.min_items.into() } else { 1 };
        return Count::from(begins && fills && !(is_counted && arrays.unique));
    }
    let (mut total, mut ways): (Count, Count) = (0, 1);
    for length in read.. {
        if length >= arrays.min_items {
            total = total.saturating_add(ways);
        }
        ways = ways.saturating_mul(any(arrays.kinds(length)));
        if ways == 0 || total == ENDLESS {
            break;
        }
    }
    total
}

fn objects_left(
    objects: &Objects,
    open: impl Iterator<Item = (bool, NodeId)>,
    read: u32,
    wishing: impl Fn(u32) -> Option<u32>,
    count: impl Fn(NodeId) -> Count,
) -> Count {
    let open: Vec<_> = open.map(|(required, schema)| (required, count(schema))).collect();
    let required = open.iter().filter(|(required, _)| *required).count() as u32;
    let room = objects.max_members.map_or(u32::MAX, |max| max.saturating_sub(read.saturating_add(required)));
    if open.iter().any(|(required, values)| *required && *values == 0) {
        return 0;
    }
    // With one of its members there must be room for those that grant what is wished for besides.
    let has_room = |class: &NameClass| wishing(class.grants).is_some_and(|wishing| wishing < room);
    let is_endless = |class: &NameClass| class.names.as_deref().is_none_or(is_endless);
    let mut counted = objects.rest.iter().filter(|class| count(class.schema) > 0);
    if counted.any(|class| is_endless(class) && has_room(class)) {
        return ENDLESS;
    }
    if wishing(0) != Some(0) {
        return 0;
    }
    let least = objects.min_members.saturating_sub(read.saturating_add(required));
    let optional = u32::try_from(open.len()).unwrap_or(u32::MAX) - required;
    if least == 0 && room >= optional {
        let ways = |(required, values): (bool, Count)| values.saturating_add(Count::from(!required));
        return open.into_iter().map(ways).fold(1, Count::saturating_mul);
    }
    // By the number of optional members that are there.
    let mut ways: Vec<Count> = vec![1];
    for (required, values) in open {
        let with = ways.iter().map(|ways| ways.saturating_mul(values));
        ways = match required {
            true => with.collect(),
            false => {
                let with: Vec<Count> = std::iter::once(0).chain(with).collect();
                with.iter().zip(ways.iter().chain([&0])).map(|(a, b)| a.saturating_add(*b)).collect()
            }
        };
    }
    let within = (0..).zip(ways).filter(|(optional, _)| (least..=room).contains(optional));
    within.map(|(_, ways)| ways).fold(0, Count::saturating_add)
}

/// The values without parts, with so many strings of a language.
fn scalar_count(values: &Values, strings: Count) -> Count {
    let named = [values.null, values.booleans.allows_true, values.booleans.allows_false];
    let named = named.into_iter().filter(|allowed| *allowed).count() as Count;
    let words = values.words.as_ref().map_or(0, |words| words.len() as Count);
    named.saturating_add(number_count(&values.numbers)).saturating_add(strings.max(words))
}

fn number_count(cells: &[Numbers]) -> Count {
    let points = cells.iter().filter(|cell| cell.as_point().is_some()).count() as Count;
    let ranges = cells.iter().filter(|cell| cell.as_point().is_none()).map(multiples);
    points.saturating_add(ranges.max().unwrap_or(0))
}

fn multiples(cell: &Numbers) -> Count {
    let (Some(lower), Some(upper), Some(step)) = (&cell.lower, &cell.upper, &cell.multiple_of) else {
        return ENDLESS;
    };
    if let (Some(low), Some(high), Some(step)) = (small(&lower.value), small(&upper.value), small(step))
        && cell.no_multiples_of.is_empty()
    {
        let (low, high) = (low + i128::from(!lower.inclusive), high - i128::from(!upper.inclusive));
        // The first multiple is rounded up, the last one down.
        let (first, last) = (-(-low).div_euclid(step), high.div_euclid(step));
        return Count::try_from(last + 1 - first).unwrap_or(0).min(MULTIPLES);
    }
    let mut multiple = lower.value.next_multiple(step, !lower.inclusive);
    let mut count = 0;
    for _ in 0..MULTIPLES {
        if multiple > upper.value {
            break;
        }
        count += Count::from(cell.contains(&multiple));
        multiple = multiple.next_multiple(step, true);
    }
    count
}

/// An integer that is easily computed with.
fn small(value: &Decimal) -> Option<i128> {
    let magnitude = i128::from(value.magnitude().to_u64()?);
    Some(if value.is_negative() { -magnitude } else { magnitude })
}

fn string_count(strings: &Strings, limits: &Limits) -> Count {
    match (&strings.language, strings.max_length) {
        (None, Some(0)) => 1,
        (None, _) => ENDLESS,
        (Some(words), None) if strings.min_length == 0 || is_endless(words) => {
            words.count().unwrap_or(ENDLESS)
        }
        (Some(words), max) => {
            let longest = u32::try_from(limits.dfa_states).unwrap_or(u32::MAX);
            words.count_within(strings.min_length, max.map_or(longest, |max| max.min(longest)))
        }
    }
}

fn is_endless(words: &Dfa) -> bool {
    words.count().is_none()
}

/// For the member or element that comes next: which of its values leave only values to avoid, where `left` ways to go on follow. `avoid` are the
/// values that it has in what is to be avoided.
pub(super) fn taken<'v>(avoid: impl Iterator<Item = &'v Value>, left: Count) -> Vec<Arc<Value>> {
    let mut groups: Vec<(&Value, Count)> = Vec::new();
    for value in avoid {
        match groups.iter_mut().find(|(known, _)| are_equal(known, value)) {
            Some((_, count)) => *count += 1,
            None => groups.push((value, 1)),
        }
    }
    groups.into_iter().filter(|(_, count)| *count >= left).map(|(value, _)| Arc::new(value.clone())).collect()
}

/// The text of each of some values.
pub(super) fn spelled(values: impl Iterator<Item = Value>) -> Vec<Arc<[u8]>> {
    let mut distinct: Vec<Value> = Vec::new();
    for value in values {
        if !distinct.iter().any(|known| are_equal(known, &value)) {
            distinct.push(value);
        }
    }
    distinct.iter().map(|value| value.to_string().into_bytes().into()).collect()
}

/// What remains of objects to avoid after a member: those that have it with this value, without it.
pub(super) fn after_member(
    avoid: &[Map<String, Value>],
    name: &str,
    value: &Value,
) -> Vec<Map<String, Value>> {
    let agreeing = avoid.iter().filter(|object| object.get(name).is_some_and(|own| are_equal(own, value)));
    let without = agreeing.map(|object| {
        let mut object = object.clone();
        object.remove(name);
        object
    });
    without.collect()
}

/// The value of a text that a rule of JSON has read. Of one that is nested deeper than `serde_json` reads (128 levels) nothing is known, and so
/// nothing is compared with it.
pub(super) fn parse(text: &[u8]) -> Option<Value> {
    serde_json::from_slice(text).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Each way to count against a look at each number.
    #[test]
    fn multiples_are_counted() {
        let decimal =
            |value: &Value| Decimal::from_number(value.as_number().expect("a number"), 10).expect("short");
        for (step, factor) in [(json!(1), 1), (json!(3), 3), (json!(0.5), 0), (json!(7), 7)] {
            for (low, high, inclusive) in
                [(-7, 7, true), (-7, 7, false), (0, 0, true), (3, 14, false), (-9, -3, true)]
            {
                let bound =
                    |value: i64| Some(crate::schema::Bound { value: decimal(&json!(value)), inclusive });
                let multiple_of = Some(decimal(&step));
                let cell =
                    Numbers { lower: bound(low), upper: bound(high), multiple_of, ..Numbers::default() };
                let halves = (2 * low..=2 * high).filter(|half| match factor {
                    0 => true,
                    factor => half % (2 * factor) == 0,
                });
                let expected =
                    halves.filter(|half| inclusive || (2 * low < *half && *half < 2 * high)).count();
                assert_eq!(multiples(&cell), expected as Count, "{step} from {low} to {high}, {inclusive}");
            }
        }
    }
}
