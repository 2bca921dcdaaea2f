//! Values one by one: `enum`, `const`, and what is inside them.

use std::rc::Rc;

use super::cells::{ArrayCell, Cells, MemberCell, ObjectCell, Rest};
use super::decimal::Decimal;
use super::document::{Location, Step};
use super::error::SchemaError;
use super::formula::{Formula, FormulaId};
use super::json::{Json, Member};
use super::keyword::{Keywords, Listed};
use super::normalise::Normaliser;

impl<'d> Normaliser<'d> {
    /// Keeps what every `enum` and `const` lists.
    pub(super) fn keep_listed(
        &mut self,
        location: Location,
        keywords: &Keywords<'d>,
        mut cells: Cells<'d>,
    ) -> Result<Cells<'d>, SchemaError> {
        for listed in &keywords.listed {
            let listed = match *listed {
                Listed::Const(value) => self.equal_cells(value)?,
                Listed::Enum(list, values) => self.enum_cells(list, values)?,
            };
            cells = self.narrow(location, Some(cells), Rc::new(listed))?;
        }
        Ok(cells)
    }

    fn enum_cells(&mut self, list: Location, values: &'d [Json<'d>]) -> Result<Cells<'d>, SchemaError> {
        let mut cells = Cells::default();
        for (index, value) in (0..).zip(values) {
            // Only what has parts needs a location: a long list of strings or numbers costs none.
            let place = match value {
                Json::Array(_) | Json::Object(_) => {
                    self.reader.document.child(list, Step::Index(index), value)
                }
                _ => list,
            };
            self.list(&mut cells, place, value)?;
        }
        Ok(cells)
    }

    /// The one value that stands at a location.
    pub(super) fn equal_cells(&mut self, location: Location) -> Result<Cells<'d>, SchemaError> {
        let mut cells = Cells::default();
        self.list(&mut cells, location, self.reader.document.value(location))?;
        Ok(cells)
    }

    fn list(
        &mut self,
        cells: &mut Cells<'d>,
        place: Location,
        value: &'d Json<'d>,
    ) -> Result<(), SchemaError> {
        match value {
            Json::Null => cells.null = true,
            Json::Bool(true) => cells.booleans.allows_true = true,
            Json::Bool(false) => cells.booleans.allows_false = true,
            Json::String(text) => _ = cells.words.insert(text),
            Json::Number(number) => {
                let point = Decimal::parse(number, self.algebra.budget.limits().number_digits);
                cells.points.insert(self.locate(place, point)?);
            }
            Json::Array(elements) => cells.arrays.push(self.equal_array(place, elements)),
            Json::Object(members) => cells.objects.push(self.equal_object(place, members)),
        }
        Ok(())
    }

    fn equal_array(&mut self, location: Location, elements: &'d [Json<'d>]) -> ArrayCell {
        let count = u32::try_from(elements.len()).unwrap_or(u32::MAX);
        let steps = (0..).map(Step::Index).zip(elements);
        let prefix = steps.map(|(step, value)| self.equal(location, step, value)).collect();
        ArrayCell {
            prefix,
            rest: FormulaId::FALSE,
            min_items: count,
            max_items: Some(count),
            ..ArrayCell::all()
        }
    }

    fn equal_object(&mut self, location: Location, members: &'d [Member<'d>]) -> ObjectCell<'d> {
        let member = |(name, value): &'d Member<'d>| {
            let formula = self.equal(location, Step::Key(name), value);
            MemberCell { name, formula, required: true }
        };
        let members = members.iter().map(member).collect();
        ObjectCell { members, rest: Rest::Same(FormulaId::FALSE), ..ObjectCell::all() }
    }

    fn equal(&mut self, location: Location, step: Step<'d>, value: &'d Json<'d>) -> FormulaId {
        let location = self.reader.document.child(location, step, value);
        self.algebra.formulas.intern(Formula::Equal(location))
    }
}
