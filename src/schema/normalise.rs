//! From formulas to normal form: everything the root reaches, at compile time, within budgets.

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;

use super::SchemaOptions;
use super::algebra::Algebra;
use super::cells::Cells;
use super::document::Location;
use super::error::{SchemaError, SchemaErrorKind};
use super::formula::{Formula, FormulaId};
use super::keyword::{Applied, Keywords, Reader};
use crate::limits::{LimitExceeded, Limits};

/// Everything that a root reaches, in the order it was found.
pub(super) struct Graph<'d> {
    pub nodes: Vec<FormulaId>,
    pub cells: Vec<Rc<Cells<'d>>>,
    positions: HashMap<FormulaId, usize>,
}

pub(super) struct Normaliser<'d> {
    pub reader: Reader<'d>,
    pub algebra: Algebra,
    keywords: HashMap<Location, Rc<Keywords<'d>>>,
    meanings: HashMap<Location, Progress<FormulaId>>,
    cells: HashMap<FormulaId, Progress<Rc<Cells<'d>>>>,
    depth: usize,
}

/// A result that may still be in the making; asking for it then means going in circles.
#[derive(Clone)]
enum Progress<T> {
    Open,
    Done(T),
}

impl<'d> Normaliser<'d> {
    pub(super) fn new(document: &'d Value, options: &SchemaOptions, limits: &Limits) -> Self {
        Self {
            reader: Reader::new(document, options, limits),
            algebra: Algebra::new(limits),
            keywords: HashMap::new(),
            meanings: HashMap::new(),
            cells: HashMap::new(),
            depth: 0,
        }
    }

    /// Normalises the schema at the root of the document and every formula that this reaches.
    pub(super) fn graph(&mut self) -> Result<Graph<'d>, SchemaError> {
        let root = self.formula_at(Location::ROOT)?;
        let mut graph = Graph { nodes: vec![root], cells: Vec::new(), positions: HashMap::from([(root, 0)]) };
        while let Some(&formula) = graph.nodes.get(graph.cells.len()) {
            let cells = self.cells(formula)?;
            let numbers = self.algebra.check_alternatives(cells.points.len());
            numbers.map_err(|limit| self.limit_error(formula, limit))?;
            for child in cells.children().filter(|&child| child != FormulaId::FALSE) {
                graph.positions.entry(child).or_insert_with(|| {
                    graph.nodes.push(child);
                    graph.nodes.len() - 1
                });
            }
            graph.cells.push(cells);
        }
        Ok(graph)
    }

    /// The formula of the schema at a location: what is trivial or only refers elsewhere gets no formula of its own.
    pub(super) fn formula_at(&mut self, location: Location) -> Result<FormulaId, SchemaError> {
        let mut chain = Vec::new();
        let mut here = location;
        let formula = loop {
            match self.meanings.get(&here) {
                Some(Progress::Done(formula)) => break *formula,
                Some(Progress::Open) => return Err(self.circular(here)),
                None => {}
            }
            let keywords = match self.reader.document.value(here) {
                Value::Bool(allowed) => break if *allowed { FormulaId::TRUE } else { FormulaId::FALSE },
                _ => self.keywords(here)?,
            };
            self.meanings.insert(here, Progress::Open);
            chain.push(here);
            match keywords.only_reference() {
                Some(target) => here = target,
                None if keywords.is_trivial() => break FormulaId::TRUE,
                None => break self.algebra.formulas.intern(Formula::At(here)),
            }
        };
        self.meanings.extend(chain.into_iter().map(|location| (location, Progress::Done(formula))));
        Ok(formula)
    }

    /// The normal form of a formula.
    pub(super) fn cells(&mut self, formula: FormulaId) -> Result<Rc<Cells<'d>>, SchemaError> {
        match self.cells.get(&formula) {
            Some(Progress::Done(cells)) => return Ok(Rc::clone(cells)),
            Some(Progress::Open) => return Err(self.circular(self.location(formula))),
            None => _ = self.cells.insert(formula, Progress::Open),
        }
        self.enter(formula)?;
        let cells = match self.algebra.formulas.get(formula).clone() {
            Formula::False => Cells::default(),
            Formula::True => Cells::all(),
            Formula::At(location) => self.schema_cells(location)?,
            Formula::Equal(location) => self.equal_cells(location)?,
            Formula::And(parts) => self.conjunction(formula, &parts)?,
        };
        self.depth -= 1;
        let cells = Rc::new(cells);
        self.cells.insert(formula, Progress::Done(Rc::clone(&cells)));
        Ok(cells)
    }

    /// Schemas applied to the same value nest on the stack, so their depth has a ceiling.
    fn enter(&mut self, formula: FormulaId) -> Result<(), SchemaError> {
        self.depth += 1;
        let limit = self.algebra.limits.schema_depth;
        let depth =
            if self.depth > limit { Err(LimitExceeded { what: "schema_depth", limit }) } else { Ok(()) };
        depth.and_then(|()| self.algebra.charge(0)).map_err(|limit| self.limit_error(formula, limit))
    }

    fn conjunction(&mut self, formula: FormulaId, parts: &[FormulaId]) -> Result<Cells<'d>, SchemaError> {
        let mut cells = Cells::clone(&*self.cells(parts[0])?);
        for &part in &parts[1..] {
            let other = self.cells(part)?;
            cells =
                self.algebra.intersect(&cells, &other).map_err(|limit| self.limit_error(formula, limit))?;
        }
        Ok(cells)
    }

    fn schema_cells(&mut self, location: Location) -> Result<Cells<'d>, SchemaError> {
        let keywords = self.keywords(location)?;
        self.keyword_cells(location, &keywords)
    }

    /// The values that the keywords of a schema allow together, in declared order.
    pub(super) fn keyword_cells(
        &mut self,
        location: Location,
        keywords: &Keywords<'d>,
    ) -> Result<Cells<'d>, SchemaError> {
        let (before, after) = keywords.applied.split_at(keywords.applied_before_members);
        let mut cells = None;
        for applied in before {
            cells = Some(self.apply(location, cells, applied)?);
        }
        if keywords.constrains {
            let own = self.assertion_cells(location, keywords)?;
            cells = Some(self.narrow(location, cells, Rc::new(own))?);
        }
        for applied in after {
            cells = Some(self.apply(location, cells, applied)?);
        }
        Ok(cells.unwrap_or_else(Cells::all))
    }

    /// Narrows `cells` to a schema applied to the same value.
    fn apply(
        &mut self,
        location: Location,
        cells: Option<Cells<'d>>,
        applied: &Applied,
    ) -> Result<Cells<'d>, SchemaError> {
        let other = match applied {
            Applied::Reference(schema) | Applied::All(schema) => {
                let formula = self.formula_at(*schema)?;
                self.cells(formula)?
            }
            Applied::Any(schemas) => Rc::new(self.union(location, schemas)?),
        };
        self.narrow(location, cells, other)
    }

    /// The values of both; no `cells` yet means all values.
    pub(super) fn narrow(
        &mut self,
        location: Location,
        cells: Option<Cells<'d>>,
        other: Rc<Cells<'d>>,
    ) -> Result<Cells<'d>, SchemaError> {
        match cells {
            None => Ok(Rc::unwrap_or_clone(other)),
            Some(cells) => {
                self.algebra.intersect(&cells, &other).map_err(|limit| self.limit_at(location, limit))
            }
        }
    }

    fn union(&mut self, location: Location, schemas: &[Location]) -> Result<Cells<'d>, SchemaError> {
        let mut union = Cells::default();
        for &schema in schemas {
            let formula = self.formula_at(schema)?;
            let cells = self.cells(formula)?;
            self.algebra.unite(&mut union, &cells).map_err(|limit| self.limit_at(location, limit))?;
        }
        Ok(union)
    }

    fn keywords(&mut self, location: Location) -> Result<Rc<Keywords<'d>>, SchemaError> {
        if let Some(keywords) = self.keywords.get(&location) {
            return Ok(Rc::clone(keywords));
        }
        let keywords = Rc::new(self.reader.read(location)?);
        self.keywords.insert(location, Rc::clone(&keywords));
        Ok(keywords)
    }

    /// Each property declared in a schema that was read: its name, where it stands, and its formula if anything asked for that.
    pub(super) fn declared_properties(&self) -> impl Iterator<Item = (&'d str, Location, Option<FormulaId>)> {
        let properties = self.keywords.values().flat_map(|keywords| &keywords.objects.properties);
        properties.map(|&(name, location)| match self.meanings.get(&location) {
            Some(Progress::Done(formula)) => (name, location, Some(*formula)),
            _ => (name, location, None),
        })
    }

    /// The keyword of a schema that, with those before it, leaves no value over.
    pub(super) fn culprit(&mut self, location: Location) -> Option<&'d str> {
        let names = self.reader.names(location);
        (1..=names.len()).find_map(|count| {
            let keywords = self.reader.read_some(location, &names[..count]).ok()?;
            let cells = self.keyword_cells(location, &keywords).ok()?;
            cells.is_empty().then_some(names[count - 1])
        })
    }

    /// The location to name when a formula is to blame.
    pub(super) fn location(&self, formula: FormulaId) -> Location {
        match self.algebra.formulas.get(formula) {
            Formula::At(location) | Formula::Equal(location) => *location,
            Formula::And(parts) => self.location(parts[0]),
            Formula::True | Formula::False => Location::ROOT,
        }
    }

    fn circular(&self, location: Location) -> SchemaError {
        let message = "a chain of references leads back here without reading anything of the value";
        self.reader.error(location, SchemaErrorKind::CircularReference, None, message)
    }

    pub(super) fn limit_error(&self, formula: FormulaId, limit: LimitExceeded) -> SchemaError {
        self.limit_at(self.location(formula), limit)
    }

    pub(super) fn limit_at(&self, location: Location, limit: LimitExceeded) -> SchemaError {
        self.reader.limit_error(location, None, limit)
    }
}

impl Graph<'_> {
    /// The number of a formula's node; `None` for the formula that nothing satisfies.
    pub(super) fn position(&self, formula: FormulaId) -> Option<usize> {
        self.positions.get(&formula).copied()
    }
}
