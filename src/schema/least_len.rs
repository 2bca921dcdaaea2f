//! Which nodes have a value at all, and how short its text can be.
//!
//! Both are one least fixpoint. The text of an array or object is as long as the texts of its parts, so a node is settled when the parts
//! that it needs are; Knuth's generalisation of Dijkstra's algorithm settles nodes from short to long, each once. A node that is never
//! settled has no value: it needs itself.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::array_plan::{PlannedKind, WAYS_PER_STEP};
use super::cells::{ArrayCell, Cells, ObjectCell};
use super::counted::{Counted, Pending, Shorter};
use super::expand::{Elements, Expanded, NameGroup};
use super::formula::FormulaId;
use super::json::spelled_len;
use super::names;
use super::normalise::Graph;
use super::numbers;
use super::strings;
use super::wishes::Granting;
use crate::limits::{Budget, LimitExceeded};

/// What has values, and how short a text of one can be.
pub(super) struct Lens {
    nodes: Vec<Option<u32>>,
    /// Whether each array and then each object cell of each node has values.
    cells: Vec<bool>,
    /// Where the cells of each node begin.
    starts: Vec<usize>,
}

impl Lens {
    pub(super) fn new(graph: &Graph<'_>, budget: &Budget) -> Result<Self, Refused> {
        let mut search = Search::new(graph, budget);
        let mut starts = Vec::with_capacity(graph.cells.len());
        for (node, (cells, expanded)) in graph.cells.iter().zip(&graph.expanded).enumerate() {
            starts.push(search.cells.len());
            let added = search.add_cells(node, cells, expanded);
            added.map_err(|limit| (graph.nodes[node], limit))?;
        }
        search.run()?;
        let len = |len: u64| u32::try_from(len).unwrap_or(u32::MAX);
        Ok(Self {
            nodes: search.settled.iter().map(|settled| settled.map(len)).collect(),
            cells: search.cells.iter().map(|cell| cell.len().is_some()).collect(),
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
    /// The array with counts that this is: its length depends on all of its elements at once.
    counted: Option<Box<Counted>>,
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
    /// An element of an array that counts, at this position of those told apart.
    Counts { position: usize, counts_for: u32 },
}

/// What can be settled.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// A state of an array that counts.
    Counted {
        cell: usize,
        pending: Pending,
    },
    Node(usize),
}

/// A limit, and the formula at which it was reached.
type Refused = (FormulaId, LimitExceeded);

struct Search<'g, 'd> {
    graph: &'g Graph<'d>,
    cells: Vec<Cell>,
    wanted_by: Vec<Vec<(usize, Want)>>,
    settled: Vec<Option<u64>>,
    queue: BinaryHeap<Reverse<(u64, Place)>>,
    /// What is not longer is settled.
    reached: u64,
    budget: &'g Budget,
}

impl<'g, 'd> Search<'g, 'd> {
    fn new(graph: &'g Graph<'d>, budget: &'g Budget) -> Self {
        let count = graph.nodes.len();
        Self {
            graph,
            cells: Vec::new(),
            wanted_by: vec![Vec::new(); count],
            settled: vec![None; count],
            queue: BinaryHeap::new(),
            reached: 0,
            budget,
        }
    }

    /// Settles what is in the queue and what follows from it, from short to long.
    fn run(&mut self) -> Result<(), Refused> {
        loop {
            while let Some(Reverse((len, place))) = self.queue.pop() {
                self.reached = self.reached.max(len);
                match place {
                    Place::Node(node) => self.settle(node, len)?,
                    Place::Counted { cell, pending } => {
                        self.advance(cell, |counted, _, shorter| counted.settle(pending, len, shorter))?;
                    }
                }
            }
            if !self.fall_back() {
                return Ok(());
            }
        }
    }

    fn settle(&mut self, node: usize, len: u64) -> Result<(), Refused> {
        if self.settled[node].is_some() {
            return Ok(());
        }
        self.settled[node] = Some(len);
        for (cell, want) in std::mem::take(&mut self.wanted_by[node]) {
            self.supply(cell, want, len)?;
        }
        Ok(())
    }

    /// Gives a cell what it wants, now that it is known to be that long.
    fn supply(&mut self, cell: usize, want: Want, len: u64) -> Result<(), Refused> {
        if let Want::Counts { position, counts_for } = want {
            let kind = PlannedKind { counts_for, len };
            return self.advance(cell, |counted, reached, shorter| {
                counted.add_kind(position, kind, reached, shorter)
            });
        }
        self.cells[cell].supply(want, len);
        let looked_at = self.cells[cell].wishing_size();
        if looked_at >= WAYS_PER_STEP {
            let charged = self.budget.charge(looked_at / WAYS_PER_STEP);
            charged.map_err(|limit| (self.graph.nodes[self.cells[cell].node], limit))?;
        }
        self.offer(cell);
        Ok(())
    }

    /// Takes a step in an array that counts, unless its length is known.
    fn advance(
        &mut self,
        cell: usize,
        step: impl FnOnce(&mut Counted, u64, Shorter<'_>) -> Result<(), LimitExceeded>,
    ) -> Result<(), Refused> {
        let Cell { node, counted: Some(counted), .. } = &mut self.cells[cell] else { return Ok(()) };
        if counted.len().is_some() {
            return Ok(());
        }
        let (queue, formula) = (&mut self.queue, self.graph.nodes[*node]);
        let mut shorter = |len, pending| queue.push(Reverse((len, Place::Counted { cell, pending })));
        step(counted, self.reached, &mut shorter).map_err(|limit| (formula, limit))?;
        self.offer(cell);
        Ok(())
    }

    /// Whether there are arrays left that must repeat an element and are not known to have one that they can.
    fn fall_back(&mut self) -> bool {
        let mut found = false;
        for cell in 0..self.cells.len() {
            if self.cells[cell].counted.as_mut().and_then(|counted| counted.fall_back()).is_some() {
                self.offer(cell);
                found = true;
            }
        }
        found
    }

    fn add_cells(
        &mut self,
        node: usize,
        cells: &Cells<'_>,
        expanded: &Expanded,
    ) -> Result<(), LimitExceeded> {
        if let Some(len) = least_scalar(cells) {
            self.queue.push(Reverse((len, Place::Node(node))));
        }
        for (array, elements) in cells.arrays.iter().zip(&expanded.arrays) {
            match array.counts[..] {
                [] if !array.repeats => self.add_array(node, array),
                _ => self.add_counted(node, array, elements)?,
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
        array: &ArrayCell,
        elements: &Elements,
    ) -> Result<(), LimitExceeded> {
        let counted = Counted::new(array, elements.prefix.len(), self.budget)?;
        let cell = self.open(node, 0);
        self.cells[cell].counted = Some(Box::new(counted));
        for (position, kinds) in elements.prefix.iter().chain([&elements.rest]).enumerate() {
            for kind in kinds {
                self.want(cell, kind.formula, Want::Counts { position, counts_for: kind.counts_for });
            }
        }
        self.offer(cell);
        Ok(())
    }

    fn add_object(&mut self, node: usize, object: &ObjectCell<'_>, groups: &[NameGroup]) {
        let required = object.required().count() as u64;
        let needed = u64::from(object.min_members).saturating_sub(required);
        let names: u64 = object.required().map(|member| spelled_len(member.name) as u64 + 1).sum();
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
                granting: Granting::none(),
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
            let name_len = spelled_len(member.name) as u64;
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
        if let Some(len) = self.cells[cell].len() {
            self.queue.push(Reverse((len, Place::Node(self.cells[cell].node))));
        }
    }
}

impl Cell {
    fn supply(&mut self, want: Want, len: u64) {
        match want {
            // It has a step of its own.
            Want::Counts { .. } => {}
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
                granting.follow();
            }
        }
    }

    /// How much there is to look at to find out how wishes are granted.
    fn wishing_size(&self) -> usize {
        self.more.as_ref().map_or(0, |more| more.wishes.granting.size())
    }

    fn more(&mut self) -> &mut More {
        self.more.as_mut().expect("only an object is offered members")
    }

    fn len(&self) -> Option<u64> {
        if let Some(counted) = &self.counted {
            return counted.len();
        }
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
    let words = cells.words.iter().map(|word| spelled_len(word) as u64);
    let texts = cells.offered_texts().map(strings::least_len);
    [null, yes, no].into_iter().flatten().chain(points).chain(ranges).chain(words).chain(texts).min()
}
