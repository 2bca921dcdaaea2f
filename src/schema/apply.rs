//! Schemas applied to the same value: references, `allOf`, `anyOf`, `not`, `if`, and what depends on a member.

use std::rc::Rc;

use super::cells::{Cells, MemberCell, ObjectCell};
use super::document::Location;
use super::error::SchemaError;
use super::formula::FormulaId;
use super::keyword::{Applied, Condition, Keywords, Reference, Requirement};
use super::normalise::Normaliser;
use super::scope::Scope;

impl<'d> Normaliser<'d> {
    pub(super) fn schema_cells(
        &mut self,
        location: Location,
        scope: Scope,
    ) -> Result<Rc<Cells<'d>>, SchemaError> {
        let keywords = self.keywords(location)?;
        if keywords.says_only_types {
            return self.type_cells(location, scope, &keywords);
        }
        let cells = match keywords.unevaluated.is_some() {
            true => self.evaluated_cells(location, scope),
            false => self.keyword_cells(location, scope, &keywords),
        };
        cells.map(Rc::new)
    }

    /// The values of a schema that says no more than their types: made once for all that say the same.
    fn type_cells(
        &mut self,
        location: Location,
        scope: Scope,
        keywords: &Rc<Keywords<'d>>,
    ) -> Result<Rc<Cells<'d>>, SchemaError> {
        let known = self.by_types.iter().position(|known| Rc::ptr_eq(&known.keywords, keywords));
        let known = known.expect("the keywords of such schemas are shared");
        if let Some(cells) = &self.by_types[known].cells {
            return Ok(Rc::clone(cells));
        }
        let cells = Rc::new(self.keyword_cells(location, scope, keywords)?);
        self.by_types[known].cells = Some(Rc::clone(&cells));
        Ok(cells)
    }

    /// The values that the keywords of a schema allow together, in declared order.
    pub(super) fn keyword_cells(
        &mut self,
        location: Location,
        scope: Scope,
        keywords: &Keywords<'d>,
    ) -> Result<Cells<'d>, SchemaError> {
        let (before, after) = keywords.applied.split_at(keywords.applied_before_members);
        let mut cells = None;
        for applied in before {
            cells = Some(self.apply(location, scope, cells, applied)?);
        }
        if keywords.constrains {
            let own = self.assertion_cells(location, scope, keywords)?;
            cells = Some(self.narrow(location, cells, Rc::new(own))?);
        }
        for applied in after {
            cells = Some(self.apply(location, scope, cells, applied)?);
        }
        Ok(cells.unwrap_or_else(Cells::all))
    }

    /// Narrows `cells` to a schema applied to the same value; none yet means all values.
    pub(super) fn apply(
        &mut self,
        location: Location,
        scope: Scope,
        cells: Option<Cells<'d>>,
        applied: &Applied<'d>,
    ) -> Result<Cells<'d>, SchemaError> {
        match applied {
            Applied::Reference(reference) => {
                let target = self.target(*reference, scope);
                self.narrow_to(location, scope, cells, target)
            }
            Applied::All(schema) => self.narrow_to(location, scope, cells, *schema),
            Applied::Any(schemas) => {
                let mut union = Cells::default();
                for &schema in schemas {
                    let branch = self.cells_at(schema, scope)?;
                    self.unite(location, &mut union, &branch)?;
                }
                self.narrow(location, cells, Rc::new(union))
            }
            Applied::One(schemas) => {
                self.exactly_one(location, scope, cells.unwrap_or_else(Cells::all), schemas)
            }
            Applied::Not(schema) => {
                let other = self.cells_at(*schema, scope)?;
                self.subtract(location, cells.unwrap_or_else(Cells::all), &other)
            }
            Applied::If(condition) => {
                self.conditional(location, scope, cells.unwrap_or_else(Cells::all), condition)
            }
            Applied::Names(schema) => {
                let names = self.named_cells(location, scope, *schema)?;
                self.narrow(location, cells, Rc::new(names))
            }
            Applied::Dependent(name, requirement) => {
                self.dependent(location, scope, cells.unwrap_or_else(Cells::all), name, requirement)
            }
        }
    }

    /// The normal form of the schema at a location.
    pub(super) fn cells_at(&mut self, schema: Location, scope: Scope) -> Result<Rc<Cells<'d>>, SchemaError> {
        let formula = self.formula_at(schema, scope)?;
        self.cells(formula)
    }

    fn narrow_to(
        &mut self,
        location: Location,
        scope: Scope,
        cells: Option<Cells<'d>>,
        schema: Location,
    ) -> Result<Cells<'d>, SchemaError> {
        let other = self.cells_at(schema, scope)?;
        self.narrow(location, cells, other)
    }

    fn conditional(
        &mut self,
        location: Location,
        scope: Scope,
        cells: Cells<'d>,
        condition: &Condition,
    ) -> Result<Cells<'d>, SchemaError> {
        let when = self.cells_at(condition.when, scope)?;
        let mut union = self.narrow(location, Some(cells.clone()), Rc::clone(&when))?;
        let mut others = self.subtract(location, cells.clone(), &when)?;
        if let Some(then) = condition.then {
            union = self.narrow_to(location, scope, Some(union), then)?;
        }
        if let Some(otherwise) = condition.otherwise {
            others = self.narrow_to(location, scope, Some(others), otherwise)?;
        }
        self.unite(location, &mut union, &others)?;
        match self.algebra.are_multiplied(cells.objects.len(), union.objects.len()) {
            true => self.implications(location, scope, cells, condition),
            false => Ok(union),
        }
    }

    /// The same with each consequence by itself: so it may be one cell, where alternatives are many.
    fn implications(
        &mut self,
        location: Location,
        scope: Scope,
        mut cells: Cells<'d>,
        condition: &Condition,
    ) -> Result<Cells<'d>, SchemaError> {
        let Condition { when, then, otherwise } = *condition;
        let consequences = [
            then.map(|_| Condition { when, then, otherwise: None }),
            otherwise.map(|_| Condition { when, then: None, otherwise }),
        ];
        for consequence in consequences.iter().flatten() {
            let implied = self.conditional(location, scope, Cells::all(), consequence)?;
            cells = self.narrow(location, Some(cells), Rc::new(implied))?;
        }
        Ok(cells)
    }

    /// All values but the objects with a name that is not one of the strings of a schema.
    fn named_cells(
        &mut self,
        location: Location,
        scope: Scope,
        schema: Location,
    ) -> Result<Cells<'d>, SchemaError> {
        let names = self.cells_at(schema, scope)?;
        let lacks_names = names.texts.iter().any(|text| text.superset.is_some());
        let lacks_names = lacks_names.then_some(location);
        let rest = self.algebra.names(&names);
        let rest = rest.map_err(|limit| self.limit_among(location, &["propertyNames"], limit))?;
        Ok(Cells { objects: vec![ObjectCell { rest, lacks_names, ..ObjectCell::all() }], ..Cells::all() })
    }

    /// Objects with the member satisfy the requirement; everything else is allowed.
    fn dependent(
        &mut self,
        location: Location,
        scope: Scope,
        cells: Cells<'d>,
        name: &'d str,
        requirement: &Requirement<'d>,
    ) -> Result<Cells<'d>, SchemaError> {
        let schema = match requirement {
            Requirement::Members(needed) => {
                return self.narrow(location, Some(cells), Rc::new(dependents(name, needed)));
            }
            Requirement::Schema(schema) => schema,
        };
        let mut union = self.narrow(location, Some(cells.clone()), Rc::new(without_member(name)))?;
        let with = self.narrow(location, Some(cells.clone()), Rc::new(with_members(&[name])))?;
        let with = self.narrow_to(location, scope, Some(with), *schema)?;
        self.unite(location, &mut union, &with)?;
        if self.algebra.are_multiplied(cells.objects.len(), union.objects.len()) {
            let implied = self.dependent(location, scope, Cells::all(), name, requirement)?;
            return self.narrow(location, Some(cells), Rc::new(implied));
        }
        Ok(union)
    }

    /// The location that a reference leads to from this scope.
    pub(super) fn target(&mut self, reference: Reference<'d>, scope: Scope) -> Location {
        let Some(anchor) = reference.dynamic else { return reference.target };
        let entered = self.scopes.resources(scope);
        let document = &self.reader.document;
        entered
            .iter()
            .find_map(|&resource| document.dynamic_anchor(resource, anchor))
            .unwrap_or(reference.target)
    }

    /// The scope of what is reached at a location.
    pub(super) fn enter_resource(&mut self, location: Location, scope: Scope) -> Scope {
        let resource = self.reader.document.place(location).resource;
        match self.reader.document.has_dynamic_anchors(resource) {
            true => self.scopes.enter(scope, resource),
            false => scope,
        }
    }
}

/// All values but the objects with this member.
pub(super) fn without_member(name: &str) -> Cells<'_> {
    let member = MemberCell { name, formula: FormulaId::FALSE, required: false };
    Cells { objects: vec![ObjectCell { members: vec![member], ..ObjectCell::all() }], ..Cells::all() }
}

/// All values but the objects that have one member and lack one of those that it needs.
///
/// Where it needs one, the two kinds of objects are told apart by that one, and not by the member itself:
/// sixteen members that all need `daemon` (Snapcraft's apps) are two kinds then, with it and without any of
/// them, and not 65,536.
pub(super) fn dependents<'d>(name: &'d str, needed: &[&'d str]) -> Cells<'d> {
    let member = |name, required, formula| MemberCell { name, formula, required };
    let objects = |members| ObjectCell { members, ..ObjectCell::all() };
    let cells = |with, without| Cells { objects: vec![objects(with), objects(without)], ..Cells::all() };
    match needed {
        [needed] if *needed != name => cells(
            vec![member(name, false, FormulaId::TRUE), member(needed, true, FormulaId::TRUE)],
            vec![member(name, false, FormulaId::FALSE), member(needed, false, FormulaId::FALSE)],
        ),
        needed => {
            let mut with = ObjectCell::all();
            with.require(&[name]);
            with.require(needed);
            cells(with.members, vec![member(name, false, FormulaId::FALSE)])
        }
    }
}

/// The objects with these members.
pub(super) fn with_members<'d>(names: &[&'d str]) -> Cells<'d> {
    let mut object = ObjectCell::all();
    object.require(names);
    Cells { objects: vec![object], ..Cells::default() }
}
