//! Which nodes have a value at all, and how short its text can be.
//!
//! Both are one least fixpoint. The text of an array or object is as long as the texts of its parts, so a node is settled when the parts
//! that it needs are; Knuth's generalisation of Dijkstra's algorithm settles nodes from short to long, each once. A node that is never
//! settled has no value: it needs itself.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::array_plan::{ArrayPlan, PlannedKind};
use super::cells::{ArrayCell, Cells, CountCell, ObjectCell};
use super::expand::{ElementKind, Elements, Expanded, NameGroup};
use super::formula::FormulaId;
use super::names;
use super::normalise::Graph;
use super::numbers;
use super::strings;
use super::values::Bounds;
use super::wishes::Granting;
use crate::limits::LimitExceeded;

/// What has values, and how short a text of one can be.
pub(super) struct Lens {
    nodes: Vec<Option<u32>>,
    /// Whether each array and then each object cell of each node has values.
    cells: Vec<bool>,
    /// Where the cells of each node begin.
    starts: Vec<usize>,
}

impl Lens {
    pub(super) fn new(graph: &Graph<'_>, counter_states: usize) -> Result<Self, (FormulaId, LimitExceeded)> {
        let mut search = Search::new(graph, counter_states);
        let mut starts = Vec::with_capacity(graph.cells.len());
        for (node, (cells, expanded)) in graph.cells.iter().zip(&graph.expanded).enumerate() {
            starts.push(search.cells.len());
            let added = search.add_cells(node, cells, expanded);
            added.map_err(|limit| (graph.nodes[node], limit))?;
        }
        search.run();
        let len = |len: u64| u32::try_from(len).unwrap_or(u32::MAX);
        Ok(Self {
            nodes: search.settled.iter().map(|settled| settled.map(len)).collect(),
            cells: (0..search.cells.len()).map(|cell| search.len(cell).is_some()).collect(),
            starts,
        })
    }

    /// The length of a shortest compact text of a value of a node; `None` where it has none.
    pub(super) fn node(&self, node: usize) -> Option<u32> {
        self.nodes[node]
    }

    /// Whether the array cells and then the object cells of a node have values.
    pub(super) fn cells(&self, node: usize) -> &[bool] {
        &self.cells[self.starts[node]..]
    }
}

/// A cell, and how much of what it needs is known.
struct Cell {
    node: usize,
    /// Length of what is settled.
    settled: u64,
    /// Parts that are not.
    missing: usize,
    /// Further members, for an object.
    more: Option<More>,
    /// The array with counts that this is, by its index: its length depends on all of its elements at once.
    counted: Option<usize>,
}

/// What an object needs beside its required members.
struct More {
    required: u64,
    extras: Extras,
    wishes: Wishes,
}

/// The further members an object needs to have enough, and the cheapest found so far.
#[derive(Default)]
struct Extras {
    needed: u64,
    /// How many members there are at each cost.
    found: BTreeMap<u64, u64>,
}

/// The wishes of an object, and the members that grant them.
struct Wishes {
    count: u32,
    /// So many members may be added.
    room: usize,
    classes: Vec<WishClass>,
    /// Those with a value.
    granting: Granting,
}

/// A class of names that grants wishes.
struct WishClass {
    grants: u32,
    name_len: u64,
    /// The names, where they are no more than the wishes.
    scarce: Option<Vec<Vec<u8>>>,
}

/// What a cell wants of a node.
#[derive(Clone, Copy)]
enum Want {
    /// So many values of it.
    Needs(u64),
    /// Further members with names of this length, so many at most.
    Offers { name_len: u64, count: u64 },
    /// A member of this class of those that grant wishes.
    Grants { class: usize },
    /// To know when it is settled.
    News,
}

struct Search<'g, 'd> {
    graph: &'g Graph<'d>,
    cells: Vec<Cell>,
    wanted_by: Vec<Vec<(usize, Want)>>,
    settled: Vec<Option<u64>>,
    queue: BinaryHeap<Reverse<(u64, usize)>>,
    counter_states: usize,
}

impl<'g, 'd> Search<'g, 'd> {
    fn new(graph: &'g Graph<'d>, counter_states: usize) -> Self {
        let count = graph.nodes.len();
        Self {
            graph,
            cells: Vec::new(),
            wanted_by: vec![Vec::new(); count],
            settled: vec![None; count],
            queue: BinaryHeap::new(),
            counter_states,
        }
    }

    fn run(&mut self) {
        while let Some(Reverse((len, node))) = self.queue.pop() {
            if self.settled[node].is_none() {
                self.settled[node] = Some(len);
                for (cell, want) in std::mem::take(&mut self.wanted_by[node]) {
                    self.cells[cell].supply(want, len);
                    self.offer(cell);
                }
            }
        }
    }

    fn add_cells(
        &mut self,
        node: usize,
        cells: &Cells<'_>,
        expanded: &Expanded,
    ) -> Result<(), LimitExceeded> {
        if let Some(len) = least_scalar(cells) {
            self.queue.push(Reverse((len, node)));
        }
        for (index, (array, elements)) in cells.arrays.iter().zip(&expanded.arrays).enumerate() {
            match array.counts[..] {
                [] if !array.repeats => self.add_array(node, array),
                _ => self.add_counted(node, index, array, elements)?,
            }
        }
        for (object, groups) in cells.objects.iter().zip(&expanded.objects) {
            self.add_object(node, object, groups);
        }
        Ok(())
    }

    fn add_array(&mut self, node: usize, array: &ArrayCell) {
        let count = u64::from(array.min_items);
        let cell = self.open(node, 2 + count.saturating_sub(1));
        for &element in array.prefix.iter().take(array.min_items as usize) {
            self.want(cell, element, Want::Needs(1));
        }
        let more = count.saturating_sub(array.prefix.len() as u64);
        if more > 0 {
            self.want(cell, array.rest, Want::Needs(more));
        }
        self.offer(cell);
    }

    fn add_counted(
        &mut self,
        node: usize,
        index: usize,
        array: &ArrayCell,
        elements: &Elements,
    ) -> Result<(), LimitExceeded> {
        self.plan(array, elements)?;
        let cell = self.open(node, 0);
        self.cells[cell].counted = Some(index);
        for kind in elements.prefix.iter().chain([&elements.rest]).flatten() {
            self.want(cell, kind.formula, Want::News);
        }
        self.offer(cell);
        Ok(())
    }

    fn add_object(&mut self, node: usize, object: &ObjectCell<'_>, groups: &[NameGroup]) {
        let required = object.required().count() as u64;
        let needed = u64::from(object.min_members).saturating_sub(required);
        let names: u64 = object.required().map(|member| strings::spelled_len(member.name) + 1).sum();
        let cell = self.open(node, 2 + names);
        // One that lacks names is kept for the sake of its complement.
        if !object.is_possible() {
            return self.want(cell, FormulaId::FALSE, Want::Needs(1));
        }
        let room =
            object.max_members.map_or(usize::MAX, |max| (max as usize).saturating_sub(required as usize));
        self.cells[cell].more = Some(More {
            required,
            extras: Extras { needed, ..Extras::default() },
            wishes: Wishes {
                count: u32::try_from(object.wishes.len()).expect("few wishes"),
                room,
                classes: Vec::new(),
                granting: Granting::default(),
            },
        });
        for member in object.required() {
            self.want(cell, member.formula, Want::Needs(1));
        }
        if needed > 0 {
            self.add_offers(cell, object, needed);
        }
        if !object.wishes.is_empty() {
            self.add_grants(cell, object, groups);
        }
        self.offer(cell);
    }

    fn add_offers(&mut self, cell: usize, object: &ObjectCell<'_>, needed: u64) {
        for member in object.members.iter().filter(|member| !member.required) {
            let name_len = strings::spelled_len(member.name);
            self.want(cell, member.formula, Want::Offers { name_len, count: 1 });
        }
        for (class, formula) in object.name_classes() {
            for (name_len, count) in names::cheapest(class, object, needed) {
                self.want(cell, formula, Want::Offers { name_len, count });
            }
        }
    }

    fn add_grants(&mut self, cell: usize, object: &ObjectCell<'_>, groups: &[NameGroup]) {
        for group in groups.iter().filter(|group| group.grants != 0) {
            // A class of names may consist of members alone.
            if let Some((name_len, _)) = names::cheapest(group.names.as_deref(), object, 1).first() {
                let scarce = names::few(group.names.as_deref(), object, object.wishes.len());
                let classes = &mut self.cells[cell].more().wishes.classes;
                classes.push(WishClass { grants: group.grants, name_len: *name_len, scarce });
                let class = classes.len() - 1;
                self.want(cell, group.formula, Want::Grants { class });
            }
        }
    }

    fn open(&mut self, node: usize, settled: u64) -> usize {
        self.cells.push(Cell { node, settled, missing: 0, more: None, counted: None });
        self.cells.len() - 1
    }

    fn want(&mut self, cell: usize, formula: FormulaId, want: Want) {
        let node = self.graph.position(formula);
        if let Want::Needs(_) = want {
            self.cells[cell].missing += 1;
        }
        // What nothing satisfies is never settled, and so is the cell.
        if let Some(node) = node {
            self.wanted_by[node].push((cell, want));
        }
    }

    /// Puts a cell whose parts are known into the queue.
    fn offer(&mut self, cell: usize) {
        if let Some(len) = self.len(cell) {
            self.queue.push(Reverse((len, self.cells[cell].node)));
        }
    }

    fn len(&self, cell: usize) -> Option<u64> {
        let Cell { node, counted: Some(index), .. } = self.cells[cell] else { return self.cells[cell].len() };
        let (array, elements) =
            (&self.graph.cells[node].arrays[index], &self.graph.expanded[node].arrays[index]);
        let plan = self.plan(array, elements).expect("its size was checked before");
        plan.least_array_len()
    }

    /// The plan of an array, with the kinds of elements that are settled.
    fn plan(&self, array: &ArrayCell, elements: &Elements) -> Result<ArrayPlan, LimitExceeded> {
        let planned = |kind: &ElementKind| {
            let len = self.settled[self.graph.position(kind.formula)?]?;
            Some(PlannedKind { counts_for: kind.counts_for, len })
        };
        let position = |kinds: &Vec<ElementKind>| kinds.iter().filter_map(planned).collect();
        let positions: Vec<Vec<_>> = elements.prefix.iter().map(position).collect();
        let counts: Vec<_> = array.counts.iter().map(CountCell::bounds).collect();
        let ArrayCell { min_items, max_items, repeats, .. } = *array;
        let bounds = Bounds { min_items, max_items, counts: &counts, repeats };
        ArrayPlan::new(&positions, &position(&elements.rest), bounds, self.counter_states)
    }
}

impl Cell {
    fn supply(&mut self, want: Want, len: u64) {
        match want {
            Want::News => {}
            Want::Needs(count) => {
                self.settled = self.settled.saturating_add(len.saturating_mul(count));
                self.missing -= 1;
            }
            // One more for the colon.
            Want::Offers { name_len, count } => {
                self.more().extras.add(name_len.saturating_add(1).saturating_add(len), count);
            }
            Want::Grants { class } => {
                let Wishes { classes, granting, .. } = &mut self.more().wishes;
                let WishClass { grants, name_len, scarce } = &mut classes[class];
                granting.add(*grants, name_len.saturating_add(1).saturating_add(len), scarce.take());
            }
        }
    }

    fn more(&mut self) -> &mut More {
        self.more.as_mut().expect("only an object is offered members")
    }

    fn len(&self) -> Option<u64> {
        let more = match &self.more {
            Some(more) => more.least_len()?,
            None => 0,
        };
        (self.missing == 0).then(|| self.settled.saturating_add(more))
    }
}

impl More {
    /// The least length of the further members and all commas. Members that grant wishes are further members, too.
    fn least_len(&self) -> Option<u64> {
        // Most objects have no wishes, and need no list.
        if self.wishes.count == 0 {
            return self.total(0, 0);
        }
        let Wishes { count, room, granting, .. } = &self.wishes;
        let granting = (0..).zip(granting.costs(*count, 0)).take(room.saturating_add(1));
        granting.filter_map(|(members, cost)| self.total(members, cost?)).min()
    }

    /// The least length where so many members grant the wishes, at this cost.
    fn total(&self, granting: u64, cost: u64) -> Option<u64> {
        // Names that grant a wish are among those that are offered.
        self.extras.total(self.extras.needed)?;
        let extras = self.extras.needed.saturating_sub(granting);
        let commas = (self.required + granting + extras).saturating_sub(1);
        Some(cost.saturating_add(self.extras.total(extras)?).saturating_add(commas))
    }
}

impl Extras {
    /// Adds members, and forgets those that are not among the cheapest.
    fn add(&mut self, cost: u64, count: u64) {
        let more = self.found.entry(cost).or_default();
        *more = more.saturating_add(count);
        let mut enough = 0;
        self.found.retain(|_, count| {
            let keep = enough < self.needed;
            enough = enough.saturating_add(*count);
            keep
        });
    }

    /// The cost of the cheapest ones; `None` while there are too few.
    fn total(&self, mut needed: u64) -> Option<u64> {
        let mut total = 0_u64;
        for (cost, count) in &self.found {
            let taken = needed.min(*count);
            total = total.saturating_add(cost.saturating_mul(taken));
            needed -= taken;
        }
        (needed == 0).then_some(total)
    }
}

/// The length of a shortest text that is neither an array nor an object.
fn least_scalar(cells: &Cells<'_>) -> Option<u64> {
    let null = cells.null.then_some(4);
    let yes = cells.booleans.allows_true.then_some(4);
    let no = cells.booleans.allows_false.then_some(5);
    let points = cells.points.iter().map(|point| point.text_len() as u64);
    let ranges = cells.offered_ranges().map(|range| numbers::least_len(range) as u64);
    let words = cells.words.iter().map(|word| strings::spelled_len(word));
    let texts = cells.offered_texts().map(strings::least_len);
    [null, yes, no].into_iter().flatten().chain(points).chain(ranges).chain(words).chain(texts).min()
}
