//! `unevaluatedProperties` and `unevaluatedItems`: what no other keyword has looked at.
//!
//! Which members were looked at depends on which schemas a value satisfies: of an `anyOf`, on each branch
//! that holds. So the schema is divided into *outcomes* that exclude each other, each with what was looked at
//! in it, and in each the rest is narrowed. This costs alternatives, and is done only for schemas that ask
//! for it.

use std::rc::Rc;
use std::sync::Arc;

use referencing::Draft;

use super::apply::{dependents, with_members, without_member};
use super::cells::{ArrayCell, Cells, MemberCell, ObjectCell, Rest};
use super::document::Location;
use super::error::SchemaError;
use super::formula::FormulaId;
use super::keyword::{Applied, Condition, Keywords, Requirement, Unevaluated};
use super::normalise::Normaliser;
use super::scope::Scope;
use crate::limits::LimitExceeded;
use crate::recursion;
use crate::regular::Dfa;

/// What the keywords of a schema have looked at in a value.
#[derive(Clone, Default)]
struct Evaluated<'d> {
    names: Vec<&'d str>,
    languages: Vec<Arc<Dfa>>,
    all_members: bool,
    /// So many elements from the first on.
    items: usize,
    all_items: bool,
    /// Elements that satisfy one of these.
    containing: Vec<FormulaId>,
}

/// Some of the values of a schema, and what was looked at in them.
#[derive(Clone)]
struct Outcome<'d> {
    cells: Cells<'d>,
    evaluated: Evaluated<'d>,
}

type Outcomes<'d> = Result<Vec<Outcome<'d>>, SchemaError>;

impl<'d> Normaliser<'d> {
    /// The values of a schema that says something of what was not looked at.
    pub(super) fn evaluated_cells(
        &mut self,
        location: Location,
        scope: Scope,
    ) -> Result<Cells<'d>, SchemaError> {
        let mut union = Cells::default();
        for outcome in self.outcomes(location, scope)? {
            self.unite(location, &mut union, &outcome.cells)?;
        }
        Ok(union)
    }

    /// The outcomes of the schema at a location. They exclude each other.
    fn outcomes(&mut self, location: Location, scope: Scope) -> Outcomes<'d> {
        let formula = self.formula_at(location, scope)?;
        if formula == FormulaId::TRUE || formula == FormulaId::FALSE {
            let cells = Cells::clone(&*self.cells(formula)?);
            return Ok(vec![Outcome { cells, evaluated: Evaluated::default() }]);
        }
        let scope = self.enter_resource(location, scope);
        // References are followed here and not by `cells`, which would see that they lead back. Formulas do not
        // tell: a schema that only refers to another one has its formula.
        if self.dividing.contains(&(location, scope)) {
            return Err(self.circular(location));
        }
        let depth = self.depth;
        self.enter(formula)?;
        self.dividing.push((location, scope));
        let outcomes = recursion::one_level(|| self.outcomes_within(location, scope));
        self.dividing.pop();
        self.depth = depth;
        outcomes
    }

    /// The outcomes of the schema at a location, in the scope of its own resource.
    fn outcomes_within(&mut self, location: Location, scope: Scope) -> Outcomes<'d> {
        let keywords = self.keywords(location)?;
        let own = self.assertion_cells(location, scope, &keywords)?;
        let evaluated = self.evaluated_by(location, scope, &keywords)?;
        let mut outcomes = vec![Outcome { cells: own, evaluated }];
        for applied in &keywords.applied {
            outcomes = self.apply_all(location, scope, outcomes, applied)?;
        }
        for outcome in &mut outcomes {
            self.narrow_unevaluated(location, scope, outcome, keywords.unevaluated)?;
        }
        Ok(outcomes)
    }

    /// What the keywords of a schema look at by themselves.
    fn evaluated_by(
        &mut self,
        location: Location,
        scope: Scope,
        keywords: &Keywords<'d>,
    ) -> Result<Evaluated<'d>, SchemaError> {
        let (objects, arrays) = (&keywords.objects, &keywords.arrays);
        let mut evaluated = Evaluated {
            names: objects.properties.iter().map(|(name, _)| *name).collect(),
            languages: objects.patterns.iter().map(|(language, _)| Arc::clone(language)).collect(),
            all_members: objects.additional.is_some(),
            items: arrays.prefix.len(),
            all_items: arrays.items.or(arrays.additional).is_some(),
            containing: Vec::new(),
        };
        // In draft 2019-09 `contains` looks at nothing.
        let looks = self.reader.document.place(location).draft > Draft::Draft201909;
        if let Some(contains) = arrays.contains.filter(|_| looks) {
            evaluated.containing.push(self.formula_at(contains.schema, scope)?);
        }
        Ok(evaluated)
    }

    fn apply_all(
        &mut self,
        location: Location,
        scope: Scope,
        outcomes: Vec<Outcome<'d>>,
        applied: &Applied<'d>,
    ) -> Outcomes<'d> {
        let mut after = Vec::new();
        for outcome in outcomes {
            after.extend(self.outcomes_of(location, scope, outcome, applied)?);
        }
        after.retain(|outcome| !outcome.cells.is_empty());
        self.locate(location, self.algebra.check_alternatives(after.len()))?;
        Ok(after)
    }

    fn outcomes_of(
        &mut self,
        location: Location,
        scope: Scope,
        outcome: Outcome<'d>,
        applied: &Applied<'d>,
    ) -> Outcomes<'d> {
        match applied {
            Applied::Reference(reference) => {
                let target = self.target(*reference, scope);
                self.both(location, scope, &outcome, target)
            }
            Applied::All(schema) => self.both(location, scope, &outcome, *schema),
            Applied::Any(schemas) => self.any_of(location, scope, outcome, schemas),
            Applied::One(schemas) => self.one_of(location, scope, &outcome, schemas),
            Applied::If(condition) => self.either(location, scope, outcome, condition),
            Applied::Dependent(name, requirement) => {
                self.dependents(location, scope, outcome, name, requirement)
            }
            Applied::Not(_) | Applied::Names(_) => {
                let cells = self.apply(location, scope, Some(outcome.cells), applied)?;
                Ok(vec![Outcome { cells, ..outcome }])
            }
        }
    }

    /// An outcome, narrowed to each outcome of a schema.
    fn both(
        &mut self,
        location: Location,
        scope: Scope,
        outcome: &Outcome<'d>,
        schema: Location,
    ) -> Outcomes<'d> {
        let mut narrowed = Vec::new();
        for other in self.outcomes(schema, scope)? {
            let cells = self.narrow(location, Some(outcome.cells.clone()), Rc::new(other.cells))?;
            let mut evaluated = outcome.evaluated.clone();
            evaluated.add(other.evaluated);
            narrowed.push(Outcome { cells, evaluated });
        }
        Ok(narrowed)
    }

    /// For each branch, the values with it and those without.
    fn any_of(
        &mut self,
        location: Location,
        scope: Scope,
        outcome: Outcome<'d>,
        schemas: &[Location],
    ) -> Outcomes<'d> {
        let (mut with, mut without) = (Vec::new(), outcome);
        for &schema in schemas {
            let branch = self.cells_at(schema, scope)?;
            let mut more = Vec::new();
            for outcome in with {
                more.extend(self.both(location, scope, &outcome, schema)?);
                let cells = self.subtract(location, outcome.cells, &branch)?;
                more.push(Outcome { cells, evaluated: outcome.evaluated });
            }
            more.extend(self.both(location, scope, &without, schema)?);
            more.retain(|outcome| !outcome.cells.is_empty());
            self.locate(location, self.algebra.check_alternatives(more.len()))?;
            with = more;
            without.cells = self.subtract(location, without.cells, &branch)?;
        }
        Ok(with)
    }

    fn one_of(
        &mut self,
        location: Location,
        scope: Scope,
        outcome: &Outcome<'d>,
        schemas: &[Location],
    ) -> Outcomes<'d> {
        let mut all = Vec::new();
        for &schema in schemas {
            let mut only = self.both(location, scope, outcome, schema)?;
            for &other in schemas.iter().filter(|other| **other != schema) {
                let other = self.cells_at(other, scope)?;
                for outcome in &mut only {
                    outcome.cells = self.subtract(location, std::mem::take(&mut outcome.cells), &other)?;
                }
            }
            all.extend(only);
        }
        Ok(all)
    }

    fn either(
        &mut self,
        location: Location,
        scope: Scope,
        outcome: Outcome<'d>,
        condition: &Condition,
    ) -> Outcomes<'d> {
        let when = self.cells_at(condition.when, scope)?;
        let mut all = Vec::new();
        for outcome in self.both(location, scope, &outcome, condition.when)? {
            match condition.then {
                Some(then) => all.extend(self.both(location, scope, &outcome, then)?),
                None => all.push(outcome),
            }
        }
        let cells = self.subtract(location, outcome.cells, &when)?;
        let others = Outcome { cells, evaluated: outcome.evaluated };
        match condition.otherwise {
            Some(otherwise) => all.extend(self.both(location, scope, &others, otherwise)?),
            None => all.push(others),
        }
        Ok(all)
    }

    fn dependents(
        &mut self,
        location: Location,
        scope: Scope,
        outcome: Outcome<'d>,
        name: &'d str,
        requirement: &Requirement<'d>,
    ) -> Outcomes<'d> {
        let Outcome { cells, evaluated } = outcome;
        let schema = match requirement {
            Requirement::Members(needed) => {
                let cells = self.narrow(location, Some(cells), Rc::new(dependents(name, needed)))?;
                return Ok(vec![Outcome { cells, evaluated }]);
            }
            Requirement::Schema(schema) => schema,
        };
        let without = self.narrow(location, Some(cells.clone()), Rc::new(without_member(name)))?;
        let with = self.narrow(location, Some(cells), Rc::new(with_members(&[name])))?;
        let mut all = vec![Outcome { cells: without, evaluated: evaluated.clone() }];
        all.extend(self.both(location, scope, &Outcome { cells: with, evaluated }, *schema)?);
        Ok(all)
    }

    /// Narrows what was not looked at.
    fn narrow_unevaluated(
        &mut self,
        location: Location,
        scope: Scope,
        outcome: &mut Outcome<'d>,
        unevaluated: Unevaluated,
    ) -> Result<(), SchemaError> {
        let mut rest = Cells::all();
        let evaluated = &mut outcome.evaluated;
        if let Some(schema) = unevaluated.properties.filter(|_| !evaluated.all_members) {
            let other = self.formula_at(schema, scope)?;
            let object = self.algebra.other_members(evaluated, other);
            rest.objects = vec![self.locate(location, object)?];
        }
        if let Some(schema) = unevaluated.items.filter(|_| !evaluated.all_items) {
            let other = self.formula_at(schema, scope)?;
            let array = self.algebra.other_elements(evaluated, other);
            rest.arrays = self.locate(location, array)?.into_iter().collect();
        }
        evaluated.all_members |= unevaluated.properties.is_some();
        evaluated.all_items |= unevaluated.items.is_some();
        let cells = std::mem::take(&mut outcome.cells);
        outcome.cells = self.narrow(location, Some(cells), Rc::new(rest))?;
        Ok(())
    }
}

impl super::algebra::Algebra {
    /// Objects whose members that were not looked at satisfy `other`.
    fn other_members<'d>(
        &mut self,
        evaluated: &Evaluated<'d>,
        other: FormulaId,
    ) -> Result<ObjectCell<'d>, LimitExceeded> {
        let patterns: Vec<_> =
            evaluated.languages.iter().map(|language| (Arc::clone(language), FormulaId::TRUE)).collect();
        let rest = match patterns[..] {
            [] => Rest::Same(other),
            _ => self.partition(&patterns, other)?,
        };
        let member = |name: &&'d str| MemberCell { name, formula: FormulaId::TRUE, required: false };
        let mut names = evaluated.names.clone();
        names.sort_unstable();
        names.dedup();
        Ok(ObjectCell { members: names.iter().map(member).collect(), rest, ..ObjectCell::all() })
    }

    /// Arrays whose elements that were not looked at satisfy `other`.
    fn other_elements(
        &mut self,
        evaluated: &Evaluated<'_>,
        other: FormulaId,
    ) -> Result<Option<ArrayCell>, LimitExceeded> {
        // By de Morgan: an element that satisfies `other` or was looked at.
        let mut neither = self.formulas.not(other);
        for &formula in &evaluated.containing {
            let not = self.formulas.not(formula);
            neither = self.and(neither, not)?;
        }
        let rest = self.formulas.not(neither);
        Ok(ArrayCell { prefix: vec![FormulaId::TRUE; evaluated.items], rest, ..ArrayCell::all() }.normal())
    }
}

impl Evaluated<'_> {
    fn add(&mut self, other: Self) {
        self.names.extend(other.names);
        self.languages.extend(other.languages);
        self.all_members |= other.all_members;
        self.items = self.items.max(other.items);
        self.all_items |= other.all_items;
        self.containing.extend(other.containing);
    }
}
