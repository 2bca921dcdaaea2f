//! Values that must differ from others: how many there are, so that nothing leads where all are taken.
//!
//! An element of an array with `uniqueItems` must not equal the ones before it. The values to avoid are
//! handed down with the rule that spells the element, and those that can no longer be equal are dropped on
//! the way: of an object that is being read only those remain that agree in all members read. A value may be
//! chosen for a member where more ways to finish the object are left than values to avoid.
//!
//! For that, ways are counted. The counts are lower bounds. Alternatives of a union that surely have no value
//! in common (`apart`) add up, of others the largest one counts alone; an element of an array whose elements
//! differ is taken to be none of as many values as there are elements before it that it may be equal to; of a
//! class of names 128 count, and objects that wish for something do not count unless they are without end. So
//! near the end of a small finite set some array may not be offered, but no way is ever offered that cannot
//! be finished.
//!
//! Elements that must come are not used up, whichever are chosen before, or the few values that they need are
//! kept for them (`scarce`). An array for which neither is known is refused when it is compiled.

mod apart;
mod arrays;
mod avoided;
mod objects;
mod scalars;
mod scarce;

pub(super) use avoided::{parse, spelled, taken};
pub(super) use scarce::Scarce;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use crate::limits::{Budget, LimitExceeded};
use crate::schema::{
    ArrayPlan, Arrays, Granters, Member, NodeId, Objects, PlanState, Schema, Values, WAYS_PER_STEP,
};
use scalars::{scalar_count, string_count};

/// A number of values, at least.
pub(super) type Count = u64;

/// Without end, or more than anybody could use up.
pub(super) const ENDLESS: Count = u64::MAX;

/// How many values those nodes have that are an element which must differ from others, or a part of one.
#[derive(Debug, Default)]
pub(super) struct Counts {
    values: HashMap<NodeId, Count>,
    endless: HashMap<NodeId, Endless>,
    /// The ways to go on in those of their array cells that count, by the states of their plans.
    planned: HashMap<(NodeId, usize), Box<[Count]>>,
    /// See [`apart::clashes`], of those of their array cells that have a prefix.
    clashes: Clashes,
}

type Clashes = HashMap<(NodeId, usize), Box<[u32]>>;

/// Whether there are enough values for an array of different elements.
pub(super) enum Supply {
    /// Enough, whichever are chosen first.
    Enough,
    /// Enough, where those that are needed later are not chosen before.
    Scarce(Scarce),
    /// Not that it is known.
    Unknown,
}

/// The plans of array cells that count.
pub(super) type Plans = HashMap<(NodeId, usize), ArrayPlan>;

/// Of which kinds a node has values without end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Endless {
    pub(super) strings: bool,
    pub(super) arrays: bool,
    pub(super) objects: bool,
}

impl Counts {
    /// Counts the values of the nodes for which it matters.
    pub(super) fn new(schema: &Schema, plans: &Plans, budget: &Budget) -> Result<Self, LimitExceeded> {
        let elements = elements(schema);
        if elements.is_empty() {
            return Ok(Self::default());
        }
        Counter::new(schema, plans, &elements, budget).settled()
    }

    /// Of which kinds a node that must differ has values without end.
    pub(super) fn endless(&self, node: NodeId) -> Endless {
        self.endless.get(&node).copied().unwrap_or_default()
    }

    /// The values of a node.
    pub(super) fn node(&self, node: NodeId) -> Count {
        self.values.get(&node).copied().unwrap_or(ENDLESS)
    }

    /// Whether an array can be filled with distinct elements.
    pub(super) fn supply(
        &self,
        schema: &Schema,
        arrays: &Arrays,
        budget: &Budget,
    ) -> Result<Supply, LimitExceeded> {
        let count = |node| self.node(node);
        if !arrays.unique || arrays::suffice(arrays, count, |one, other| schema.may_share(one, other)) {
            return Ok(Supply::Enough);
        }
        if !arrays.counts.is_empty() {
            return Ok(Supply::Unknown);
        }
        budget.charge(1 + arrays.min_items as usize)?;
        // Of values that are all known, but of which fewer are counted, it is not known whether each can be
        // reached.
        let list = |node| schema.listed(node).filter(|list| list.len() as Count == count(node));
        Ok(match Scarce::new(arrays, count, list) {
            Some(scarce) if scarce.can_be_filled() => Supply::Scarce(scarce),
            _ => Supply::Unknown,
        })
    }

    /// The ways to go on in an array cell that counts nothing, after `read` elements.
    pub(super) fn arrays(&self, cell: (NodeId, usize), arrays: &Arrays, read: u32) -> Count {
        let clashes = self.clashes.get(&cell).map(|clashes| &**clashes);
        arrays::ways(arrays, clashes, read, |node| self.node(node))
    }

    /// The ways to go on in an array cell that counts, from a state of its plan.
    pub(super) fn planned(&self, cell: (NodeId, usize), state: PlanState) -> Count {
        self.planned.get(&cell).map_or(ENDLESS, |ways| ways[state.index()])
    }

    /// The ways to go on in an object with these members still to come, when `read` were read. `wishing`
    /// tells the fewest members that grant all wishes when one more grants some, `names_left` how many names
    /// of a class are not used; `None` for without end.
    pub(super) fn objects<I: Iterator<Item = usize>>(
        &self,
        objects: &Objects,
        open: impl Fn() -> I,
        read: (u32, u32),
        wishing: impl Fn(Option<usize>, u32) -> Option<u32>,
        names_left: impl Fn(usize) -> Option<u64>,
    ) -> Count {
        objects::ways(objects, open, read, wishing, names_left, |node| self.node(node))
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
                let of_member = |member: &Member| {
                    [member.schema]
                        .into_iter()
                        .chain(member.kinds().map(|kind| kind.schema))
                        .collect::<Vec<_>>()
                };
                pending.extend(objects.members.iter().flat_map(of_member));
                pending.extend(objects.rest.iter().map(|class| class.schema));
            }
        }
    }
    elements
}

/// How many members are looked at when objects are counted: where some grant wishes, all of these for each.
fn members_to_look_at(objects: &Objects) -> usize {
    let granting = if objects.wishes > 0 {
        objects.members.iter().filter(|member| member.grants_any()).count()
    } else {
        0
    };
    objects.members.len().saturating_add(granting.saturating_mul(granting))
}

/// Counts values by how deep they nest, from those without parts on.
///
/// What is counted is always there, however early counting stops. What still grows when values nest deeper
/// than there are nodes repeats itself, and has no end; an array of unique elements that only such arrays
/// could fill is never counted.
struct Counter<'s> {
    schema: &'s Schema,
    plans: &'s Plans,
    budget: &'s Budget,
    /// Those with arrays or objects, in the order of the schema: others have no parts, and are counted once.
    nodes: Vec<NodeId>,
    /// The values without parts.
    scalars: HashMap<NodeId, Count>,
    /// Those that have strings without end.
    strings: HashSet<NodeId>,
    counts: HashMap<NodeId, Count>,
    /// See [`Counts`]; empty while counts still grow.
    planned: HashMap<(NodeId, usize), Box<[Count]>>,
    clashes: Clashes,
    /// See [`apart::groups`], of the arrays and of the objects of nodes.
    groups: HashMap<(NodeId, Part), Box<[usize]>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    Arrays,
    Objects,
}

/// Schemas with more such nodes than this are not followed until it is certain what has no end.
const ROUNDS: usize = 256;

/// Members of objects that are counted for the price of one step.
const MEMBERS_PER_STEP: usize = 32;

impl<'s> Counter<'s> {
    fn new(schema: &'s Schema, plans: &'s Plans, elements: &HashSet<NodeId>, budget: &'s Budget) -> Self {
        let (mut nodes, mut scalars, mut strings) = (Vec::new(), HashMap::new(), HashSet::new());
        for node in schema.nodes().filter(|node| elements.contains(node)) {
            let values = schema.values(node);
            let counts = values.strings.iter().map(|strings| string_count(strings, budget.limits()));
            let count = counts.max().unwrap_or(0);
            if count == ENDLESS {
                strings.insert(node);
            }
            scalars.insert(node, scalar_count(values, count));
            nodes.extend((!values.arrays.is_empty() || !values.objects.is_empty()).then_some(node));
        }
        let (counts, planned, clashes, groups) =
            (scalars.clone(), HashMap::new(), HashMap::new(), HashMap::new());
        Self { schema, plans, budget, nodes, scalars, strings, counts, planned, clashes, groups }
    }

    fn settled(mut self) -> Result<Counts, LimitExceeded> {
        self.find_clashes()?;
        let rounds = self.nodes.len().min(ROUNDS) + 1;
        for round in 1..=rounds {
            let grown = self.round()?;
            if grown.is_empty() {
                break;
            }
            if round == rounds && self.nodes.len() <= ROUNDS {
                self.counts.extend(grown.into_iter().map(|node| (node, ENDLESS)));
            }
        }
        let is_element = |(cell, _): &(&(NodeId, usize), _)| self.counts.contains_key(&cell.0);
        let planned =
            self.plans.iter().filter(is_element).map(|(cell, plan)| (*cell, self.planned(*cell, plan)));
        self.planned = planned.collect();
        let endless = self.counts.keys().map(|node| (*node, self.endless(*node))).collect();
        Ok(Counts { endless, planned: self.planned, clashes: self.clashes, values: self.counts })
    }

    /// For the arrays among the elements whose own elements must differ.
    fn find_clashes(&mut self) -> Result<(), LimitExceeded> {
        for &node in &self.nodes {
            for (cell, arrays) in self.schema.values(node).arrays.iter().enumerate() {
                if arrays.unique && !arrays.prefix.is_empty() {
                    let clashes = apart::clashes(self.schema, arrays, self.budget)?;
                    self.clashes.extend(clashes.map(|clashes| ((node, cell), clashes)));
                }
            }
        }
        Ok(())
    }

    fn endless(&self, node: NodeId) -> Endless {
        let [arrays, objects] = self.parts(node).map(|count| count == ENDLESS);
        Endless { strings: self.strings.contains(&node), arrays, objects }
    }

    /// Counts the nodes once more, parts first where they come later; returns those that have more values
    /// than before.
    fn round(&mut self) -> Result<Vec<NodeId>, LimitExceeded> {
        let mut grown = Vec::new();
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            // Counts only grow.
            if self.counts[&node] == ENDLESS {
                continue;
            }
            self.charge(node)?;
            self.tell_apart(node)?;
            let count = self.node(node);
            if self.counts.insert(node, count) != Some(count) {
                grown.push(node);
            }
        }
        Ok(grown)
    }

    fn charge(&self, node: NodeId) -> Result<(), LimitExceeded> {
        let values = self.schema.values(node);
        let ways = |cell| self.plans.get(&(node, cell)).map_or(0, ArrayPlan::ways);
        let ways = (0..values.arrays.len()).map(ways).sum::<usize>();
        let members = values.objects.iter().map(members_to_look_at).fold(0, usize::saturating_add);
        self.budget.charge(1 + ways / WAYS_PER_STEP + members / MEMBERS_PER_STEP)
    }

    fn node(&self, node: NodeId) -> Count {
        self.parts(node).into_iter().fold(self.scalars[&node], Count::saturating_add)
    }

    fn planned(&self, cell: (NodeId, usize), plan: &ArrayPlan) -> Box<[Count]> {
        let arrays = &self.schema.values(cell.0).arrays[cell.1];
        arrays::ways_by_state(arrays, self.clashes(cell), plan, |node| self.counts[&node])
    }

    fn clashes(&self, cell: (NodeId, usize)) -> Option<&[u32]> {
        self.clashes.get(&cell).map(|clashes| &**clashes)
    }

    fn arrays(&self, cell: (NodeId, usize), arrays: &Arrays) -> Count {
        let start = |ways: &[Count]| ways[ArrayPlan::start().index()];
        match (self.planned.get(&cell), self.plans.get(&cell)) {
            (Some(ways), _) => start(ways),
            (None, Some(plan)) => start(&self.planned(cell, plan)),
            (None, None) => arrays::ways(arrays, self.clashes(cell), 0, |node| self.counts[&node]),
        }
    }

    fn objects(&self, objects: &Objects) -> Count {
        let members = || 0..objects.members.len();
        let granters = Granters::new(objects, |_, _| 0);
        let wishing = |taken: Option<usize>, grants| {
            objects.wishing(&granters, grants, |member| taken != Some(member), Vec::new)
        };
        let names = |class: usize| objects.rest[class].names.as_ref().and_then(|names| names.count());
        objects::ways(objects, members, (0, 0), wishing, names, |node| self.counts[&node])
    }

    /// The values of each alternative of the arrays, and of the objects.
    fn alternatives(&self, node: NodeId) -> [(Part, Vec<Count>); 2] {
        let Values { arrays, objects, .. } = self.schema.values(node);
        let arrays = (0..).zip(arrays).map(|(cell, arrays)| self.arrays((node, cell), arrays));
        let objects = objects.iter().map(|objects| self.objects(objects));
        [(Part::Arrays, arrays.collect()), (Part::Objects, objects.collect())]
    }

    /// The arrays, and the objects.
    fn parts(&self, node: NodeId) -> [Count; 2] {
        self.alternatives(node).map(|(part, counts)| match self.groups.get(&(node, part)) {
            Some(groups) => apart::total(&counts, groups),
            None => counts.into_iter().max().unwrap_or(0),
        })
    }

    /// Finds the alternatives of a node that have no value in common, where that matters.
    fn tell_apart(&mut self, node: NodeId) -> Result<(), LimitExceeded> {
        let Values { arrays, objects, .. } = self.schema.values(node);
        for (part, counts) in self.alternatives(node) {
            let matters = counts.len() > 1 && !counts.contains(&ENDLESS);
            if !matters || self.groups.contains_key(&(node, part)) {
                continue;
            }
            let may_share = |one: usize, other: usize| match part {
                Part::Arrays => self.schema.arrays_may_share(&arrays[one], &arrays[other]),
                Part::Objects => self.schema.objects_may_share(&objects[one], &objects[other]),
            };
            let groups = apart::groups(counts.len(), may_share, self.budget)?;
            self.groups.insert((node, part), groups);
        }
        Ok(())
    }
}
