//! Which nodes have a value at all, and how short its text can be.
//!
//! Both are one least fixpoint. The text of an array or object is as long as the texts of its parts, so a
//! node is settled when the parts that it needs are; Knuth's generalisation of Dijkstra's algorithm settles
//! nodes from short to long, each once. A node that is never settled has no value: it needs itself.

mod cell;
mod wants;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use self::cell::{Cell, Want};
use super::array_plan::{PlannedKind, WAYS_PER_STEP};
use super::counted::{Counted, Pending, Shorter};
use super::formula::FormulaId;
use super::normalise::Graph;
use crate::limits::{Budget, LimitExceeded};

/// What has values, and how short a text of one can be.
pub(super) struct Lens {
    nodes: Vec<Option<u32>>,
    /// The same of each array and then each object cell of each node.
    cells: Vec<Option<u32>>,
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
            cells: search.cells.iter().map(|cell| cell.len().map(len)).collect(),
            starts,
        })
    }

    /// The length of a shortest compact text of a value of a node; `None` where it has none.
    pub(super) fn node(&self, node: usize) -> Option<u32> {
        self.nodes[node]
    }

    /// The same of the array cells and then the object cells of a node.
    pub(super) fn cells(&self, node: usize) -> &[Option<u32>] {
        &self.cells[self.starts[node]..]
    }
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
    /// An object with wishes, after all nodes that are as long as some of its members. It is longer than
    /// these.
    Wishing(usize),
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
                    Place::Wishing(cell) => self.grant_wishes(cell)?,
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
        self.offer_after(cell, len);
        Ok(())
    }

    /// Works out what members of an object grant, now that all that are so long are known.
    fn grant_wishes(&mut self, cell: usize) -> Result<(), Refused> {
        let looked_at = self.cells[cell].grant_wishes();
        let charged = self.budget.charge(looked_at / WAYS_PER_STEP);
        charged.map_err(|limit| (self.graph.nodes[self.cells[cell].node], limit))?;
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

    fn open(&mut self, node: usize, settled: u64) -> usize {
        self.cells.push(Cell::new(node, settled));
        self.cells.len() - 1
    }

    fn want(&mut self, cell: usize, formula: FormulaId, want: Want) {
        let node = self.graph.position(formula);
        if let Want::Needs(_) = want {
            self.cells[cell].miss();
        }
        // What nothing satisfies is never settled, and so is the cell.
        if let Some(node) = node {
            self.wanted_by[node].push((cell, want));
        }
    }

    /// Puts a cell into the queue where its parts are known, now that those are that are not longer than
    /// `len`.
    fn offer_after(&mut self, cell: usize, len: u64) {
        match self.cells[cell].await_wishes() {
            None => self.offer(cell),
            Some(true) => self.queue.push(Reverse((len, Place::Wishing(cell)))),
            Some(false) => {}
        }
    }

    /// Puts a cell whose parts are known into the queue.
    fn offer(&mut self, cell: usize) {
        if let Some(len) = self.cells[cell].len() {
            self.queue.push(Reverse((len, Place::Node(self.cells[cell].node))));
        }
    }
}
