//! From formulas to normal form: everything the root reaches, at compile time, within budgets.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use bumpalo::Bump;
use foldhash::{HashMap, HashMapExt};

use super::SchemaOptions;
use super::algebra::Algebra;
use super::cells::Cells;
use super::dense::Dense;
use super::document::{Document, Location};
use super::error::{SchemaError, SchemaErrorKind};
use super::expand::Expanded;
use super::formula::{Formula, FormulaId};
use super::json::Json;
use super::keyword::{Keywords, Reader};
use super::read::Tree;
use super::reading::Reading;
use super::scope::{Scope, Scopes};
use crate::limits::{Budget, LimitExceeded};
use crate::recursion;
use crate::regular::Dfa;

/// Everything that a root reaches, in the order it was found.
pub(super) struct Graph<'d> {
    pub nodes: Vec<FormulaId>,
    pub cells: Vec<Rc<Cells<'d>>>,
    /// The elements and members of the cells, as formulas.
    pub expanded: Vec<Expanded>,
    positions: Dense<FormulaId, usize>,
}

pub(super) struct Normaliser<'d> {
    pub reader: Reader<'d>,
    pub algebra: Algebra,
    pub scopes: Scopes,
    keywords: Dense<Location, Rc<Keywords<'d>>>,
    meanings: HashMap<(Location, Scope), Progress<FormulaId>>,
    cells: Dense<FormulaId, Progress<Rc<Cells<'d>>>>,
    /// What is shared by the schemas that say a type and no more, as most do.
    pub by_types: Vec<OfTypes<'d>>,
    /// Empty between two uses; kept, as there is one for each schema.
    chain: Vec<(Location, Scope)>,
    pub depth: usize,
    /// The schemas that are being divided by what they look at, each inside the one before.
    pub dividing: Vec<(Location, Scope)>,
    /// What is known of formulas that were looked at early, and how deep that is nested now.
    pub impossible: HashMap<FormulaId, bool>,
    pub levels: usize,
    /// Whether a formula is shallow. Formulas share their parts, so there are more ways to a part than could
    /// be gone.
    pub shallow: HashMap<FormulaId, bool>,
    /// Schemas with a `oneOf` of which two branches overlap: the first two that were seen to.
    pub overlaps: BTreeMap<Location, (Location, Location)>,
    /// The only texts that strings and names may be.
    texts: Option<Arc<Dfa>>,
}

/// What is known of a schema that says only types.
pub(super) struct OfTypes<'d> {
    pub keywords: Rc<Keywords<'d>>,
    /// Made when first asked for.
    pub cells: Option<Rc<Cells<'d>>>,
}

/// The keywords that make many alternatives of few, the likeliest first.
pub(super) const MULTIPLYING: [&str; 8] =
    ["oneOf", "not", "if", "anyOf", "allOf", "dependentRequired", "dependentSchemas", "dependencies"];

/// A result that may still be in the making; asking for it then means going in circles.
#[derive(Clone)]
enum Progress<T> {
    Open,
    Done(T),
}

impl<'d> Normaliser<'d> {
    pub(super) fn new(
        tree: Tree<'d>,
        arena: &'d Bump,
        options: &'d SchemaOptions,
        budget: &'d Budget,
        reading: Reading,
    ) -> Self {
        let document = Document::new(tree, arena, &options.resources, budget.limits());
        Self {
            reader: Reader::new(document, tree.room(), options.formats, budget),
            algebra: Algebra::new(budget, reading),
            scopes: Scopes::new(),
            keywords: Dense::with_capacity(tree.room()),
            meanings: HashMap::with_capacity(tree.room()),
            cells: Dense::with_capacity(tree.room()),
            by_types: Vec::new(),
            chain: Vec::new(),
            depth: 0,
            dividing: Vec::new(),
            impossible: HashMap::new(),
            levels: 0,
            shallow: HashMap::new(),
            overlaps: BTreeMap::new(),
            texts: options.texts.clone(),
        }
    }

    /// Normalises the schema at the root of the document and every formula that this reaches.
    pub(super) fn graph(&mut self) -> Result<Graph<'d>, SchemaError> {
        let mut root = self.formula_at(Location::ROOT, Scope::EMPTY)?;
        if self.texts.is_some() {
            let texts = self.algebra.formulas.intern(Formula::Texts);
            root = self.algebra.and(root, texts).map_err(|limit| self.limit_error(root, limit))?;
        }
        let mut positions = Dense::with_capacity(1);
        positions.insert(root, 0);
        let mut graph = Graph { nodes: vec![root], cells: Vec::new(), expanded: Vec::new(), positions };
        while let Some(&formula) = graph.nodes.get(graph.cells.len()) {
            let cells = self.cells(formula)?;
            let numbers = self.algebra.check_alternatives(cells.points.len());
            let expanded = numbers.and_then(|()| self.expand(&cells));
            let expanded = expanded.map_err(|limit| self.limit_error(formula, limit))?;
            for child in expanded.formulas(&cells).filter(|&child| child != FormulaId::FALSE) {
                if graph.position(child).is_none() {
                    graph.positions.insert(child, graph.nodes.len());
                    graph.nodes.push(child);
                }
            }
            graph.cells.push(cells);
            graph.expanded.push(expanded);
        }
        let settled = graph.settle_repeated(&self.algebra.budget);
        settled.map_err(|limit| self.limit_error(root, limit))?;
        Ok(graph)
    }

    /// The formula of the schema at a location: what is trivial or only refers elsewhere gets no formula of
    /// its own.
    pub(super) fn formula_at(&mut self, location: Location, scope: Scope) -> Result<FormulaId, SchemaError> {
        let mut chain = std::mem::take(&mut self.chain);
        let formula = self.follow((location, scope), &mut chain);
        for place in chain.drain(..) {
            match formula {
                Ok(formula) => _ = self.meanings.insert(place, Progress::Done(formula)),
                Err(_) => _ = self.meanings.remove(&place),
            }
        }
        self.chain = chain;
        formula
    }

    /// Follows what only refers elsewhere, and notes the way in `chain`.
    fn follow(
        &mut self,
        mut here: (Location, Scope),
        chain: &mut Vec<(Location, Scope)>,
    ) -> Result<FormulaId, SchemaError> {
        loop {
            here.1 = self.enter_resource(here.0, here.1);
            match self.meanings.get(&here) {
                Some(Progress::Done(formula)) => return Ok(*formula),
                Some(Progress::Open) => return Err(self.circular(here.0)),
                None => {}
            }
            let keywords = match self.reader.document.value(here.0) {
                Json::Bool(allowed) => return Ok(if *allowed { FormulaId::TRUE } else { FormulaId::FALSE }),
                _ => self.keywords(here.0)?,
            };
            self.meanings.insert(here, Progress::Open);
            chain.push(here);
            match keywords.only_reference() {
                Some(reference) => here.0 = self.target(reference, here.1),
                None if keywords.is_trivial() => return Ok(FormulaId::TRUE),
                None => return Ok(self.algebra.formulas.intern(Formula::At(here.0, here.1))),
            }
        }
    }

    /// The normal form of a formula.
    pub(super) fn cells(&mut self, formula: FormulaId) -> Result<Rc<Cells<'d>>, SchemaError> {
        match self.cells.get(formula) {
            Some(Progress::Done(cells)) => return Ok(Rc::clone(cells)),
            Some(Progress::Open) => return Err(self.circular(self.location(formula))),
            None => self.cells.insert(formula, Progress::Open),
        }
        let depth = self.depth;
        let cells = self.enter(formula).and_then(|()| recursion::one_level(|| self.formula_cells(formula)));
        self.depth = depth;
        match cells {
            Ok(cells) => {
                self.cells.insert(formula, Progress::Done(Rc::clone(&cells)));
                Ok(cells)
            }
            Err(error) => {
                // Somebody who only looks ahead may go on without it.
                self.cells.remove(formula);
                Err(error)
            }
        }
    }

    fn formula_cells(&mut self, formula: FormulaId) -> Result<Rc<Cells<'d>>, SchemaError> {
        let cells = match self.algebra.formulas.get(formula).clone() {
            Formula::False => Cells::default(),
            Formula::True => Cells::all(),
            Formula::At(location, scope) => return self.schema_cells(location, scope),
            Formula::Equal(location) => self.equal_cells(location)?,
            Formula::Texts => {
                self.texts.clone().map_or_else(Cells::all, |texts| Cells::of_texts(&texts, formula))
            }
            Formula::Not(inner) => {
                let other = self.cells(inner)?;
                self.subtract(self.location(inner), Cells::all(), &other)?
            }
            Formula::And(parts) => self.conjunction(formula, &parts)?,
        };
        Ok(Rc::new(cells))
    }

    /// Schemas applied to the same value nest on the stack, which grows, so their depth has a ceiling.
    pub(super) fn enter(&mut self, formula: FormulaId) -> Result<(), SchemaError> {
        self.depth += 1;
        let limit = self.algebra.budget.limits().schema_depth;
        let exceeded = LimitExceeded { what: "schema_depth", limit, given: self.depth };
        let depth = if self.depth > limit { Err(exceeded) } else { Ok(()) };
        depth.and_then(|()| self.algebra.charge(0)).map_err(|limit| self.limit_error(formula, limit))
    }

    /// The conjunction of formulas. What is subtracted comes last: from what is left then, it can be seen not
    /// to overlap.
    fn conjunction(&mut self, formula: FormulaId, parts: &[FormulaId]) -> Result<Cells<'d>, SchemaError> {
        let location = self.location(formula);
        let mut cells = None;
        let mut subtracted = Vec::new();
        for &part in parts {
            if let Formula::Not(inner) = self.algebra.formulas.get(part) {
                subtracted.push(*inner);
                continue;
            }
            let other = self.cells(part)?;
            cells = Some(self.narrow(location, cells, other)?);
        }
        let mut cells = cells.unwrap_or_else(Cells::all);
        for inner in subtracted {
            let other = self.cells(inner)?;
            cells = self.subtract(location, cells, &other)?;
        }
        Ok(cells)
    }

    /// The values of both; no `cells` yet means all values.
    pub(super) fn narrow(
        &mut self,
        location: Location,
        cells: Option<Cells<'d>>,
        other: Rc<Cells<'d>>,
    ) -> Result<Cells<'d>, SchemaError> {
        let Some(cells) = cells else { return Ok(Rc::unwrap_or_clone(other)) };
        let both = self.algebra.intersect(&cells, &other);
        let mut both = self.locate(location, both)?;
        self.sift(&mut both);
        Ok(both)
    }

    pub(super) fn unite(
        &mut self,
        location: Location,
        cells: &mut Cells<'d>,
        other: &Cells<'d>,
    ) -> Result<(), SchemaError> {
        let united = self.algebra.unite(cells, other);
        self.locate(location, united)
    }

    pub(super) fn keywords(&mut self, location: Location) -> Result<Rc<Keywords<'d>>, SchemaError> {
        if let Some(keywords) = self.keywords.get(location) {
            return Ok(Rc::clone(keywords));
        }
        let keywords = self.reader.read(location)?;
        let keywords = match keywords.says_only_types {
            true => self.of_types(keywords),
            false => Rc::new(keywords),
        };
        self.keywords.insert(location, Rc::clone(&keywords));
        Ok(keywords)
    }

    /// The same keywords, shared with other schemas that say only these types.
    fn of_types(&mut self, keywords: Keywords<'d>) -> Rc<Keywords<'d>> {
        let types = |keywords: &Keywords<'_>| (keywords.types, keywords.integers_are_digits);
        let known = self.by_types.iter().find(|known| types(&known.keywords) == types(&keywords));
        if let Some(known) = known {
            return Rc::clone(&known.keywords);
        }
        let keywords = Rc::new(keywords);
        self.by_types.push(OfTypes { keywords: Rc::clone(&keywords), cells: None });
        keywords
    }

    /// Each property declared in a schema that was read: its name, and where it stands.
    pub(super) fn declared_properties(&self) -> impl Iterator<Item = (&'d str, Location)> {
        self.keywords.values().flat_map(|keywords| &keywords.objects.properties).copied()
    }

    /// The formulas of a location, in any scope.
    pub(super) fn meanings(&self) -> impl Iterator<Item = (Location, FormulaId)> {
        self.meanings.iter().filter_map(|((location, _), meaning)| match meaning {
            Progress::Done(formula) => Some((*location, *formula)),
            Progress::Open => None,
        })
    }

    /// The keyword of a schema that, with those before it, leaves no value over.
    pub(super) fn culprit(&mut self, location: Location, scope: Scope) -> Option<&'d str> {
        let given = self.reader.by_blame(location);
        (1..=given.len()).find_map(|count| {
            let keywords = self.reader.read_some(location, &given[..count]).ok()?;
            let cells = self.keyword_cells(location, scope, &keywords).ok()?;
            cells.offer_nothing().then_some(given[count - 1].0)
        })
    }

    /// The location to name when a formula is to blame.
    pub(super) fn location(&self, mut formula: FormulaId) -> Location {
        loop {
            match self.algebra.formulas.get(formula) {
                Formula::At(location, _) | Formula::Equal(location) => return *location,
                Formula::Not(inner) => formula = *inner,
                Formula::And(parts) => formula = parts[0],
                Formula::True | Formula::False | Formula::Texts => return Location::ROOT,
            }
        }
    }

    pub(super) fn circular(&self, location: Location) -> SchemaError {
        let message = "a chain of references leads back here without reading anything of the value";
        self.reader.error(location, SchemaErrorKind::CircularReference, None, message)
    }

    pub(super) fn limit_error(&self, formula: FormulaId, limit: LimitExceeded) -> SchemaError {
        self.reader.limit_error(self.location(formula), None, limit)
    }

    /// A limit that a set of values reached, to which each of these keywords may have led: the first one that
    /// the schema has is named.
    pub(super) fn limit_among(
        &self,
        location: Location,
        keywords: &[&str],
        limit: LimitExceeded,
    ) -> SchemaError {
        let schema = self.reader.document.value(location);
        let keyword = keywords.iter().copied().find(|keyword| schema.get(keyword).is_some());
        self.reader.limit_error(location, keyword, limit)
    }

    /// What a schema as a whole led to, or the limit that was reached: it is laid to the keyword that multiplies
    /// alternatives, where there is one.
    pub(super) fn locate<T>(
        &self,
        location: Location,
        result: Result<T, LimitExceeded>,
    ) -> Result<T, SchemaError> {
        result.map_err(|limit| self.limit_among(location, &MULTIPLYING, limit))
    }
}

impl Graph<'_> {
    /// The number of a formula's node; `None` for the formula that nothing satisfies.
    pub(super) fn position(&self, formula: FormulaId) -> Option<usize> {
        self.positions.get(formula).copied()
    }
}
