//! Leaving out early what plainly has no values.
//!
//! Whether a formula has values is known only at the end, when everything it reaches is. But alternatives
//! multiply, and most combinations of a real `oneOf` or chain of `if` contradict themselves at once, in a
//! member that tells the branches apart. So conjunctions that were just made are looked at a few levels deep,
//! and dropped where that is enough to see that nothing satisfies them. Listed values are looked at wherever
//! they stand, since they tell branches apart. What is not seen here costs time only.

use std::rc::Rc;

use super::cells::{ArrayCell, Cells, ObjectCell};
use super::formula::{Formula, FormulaId};
use super::normalise::Normaliser;
use crate::each_once::each_once;
use crate::recursion;

/// Levels of members and elements that are looked at.
const LEVELS: usize = 3;

impl<'d> Normaliser<'d> {
    /// Leaves out the arrays and objects that plainly have no values.
    pub(super) fn sift(&mut self, cells: &mut Cells<'d>) {
        cells.arrays.retain(|cell| !self.is_impossible_array(cell));
        self.sift_objects(&mut cells.objects);
    }

    pub(super) fn sift_objects(&mut self, cells: &mut Vec<ObjectCell<'d>>) {
        let possible = cells.drain(..).filter_map(|cell| self.sifted_object(cell));
        *cells = each_once(possible.collect::<Vec<_>>());
    }

    fn sifted_object(&mut self, mut cell: ObjectCell<'d>) -> Option<ObjectCell<'d>> {
        for member in &mut cell.members {
            if self.is_impossible(member.formula) {
                member.formula = FormulaId::FALSE;
            }
        }
        let cell = self.with_open_wishes(cell)?;
        cell.normal().filter(|cell| !self.is_impossible_object(cell))
    }

    pub(super) fn is_impossible_array(&mut self, cell: &ArrayCell) -> bool {
        (0..cell.min_items.min(cell.prefix.len() as u32))
            .any(|position| self.is_impossible(cell.at(position as usize)))
            || cell
                .counts
                .iter()
                .any(|count| count.min > 0 && !self.some_may_be(cell.formulas(), count.formula))
    }

    /// Whether what satisfies one of some formulas may satisfy another one, too.
    pub(super) fn some_may_be(
        &mut self,
        mut formulas: impl Iterator<Item = FormulaId>,
        other: FormulaId,
    ) -> bool {
        formulas.any(|formula| {
            let both = self.algebra.and(formula, other);
            both.map_or(true, |both| !self.is_impossible(both))
        })
    }

    pub(super) fn is_impossible_object(&mut self, cell: &ObjectCell<'d>) -> bool {
        // Where names are lacking, nothing may be allowed under one that is allowed.
        let is_sure = |formula| cell.lacks_names.is_none() || formula != FormulaId::FALSE;
        cell.required().any(|member| is_sure(member.formula) && self.is_impossible(member.formula))
            || cell.wishes.iter().any(|wish| {
                let mut others = wish.others.iter();
                wish.members.is_empty() && others.all(|other| self.is_impossible(other.formula))
            })
    }

    /// Whether it is plain that nothing satisfies a formula.
    pub(super) fn is_impossible(&mut self, formula: FormulaId) -> bool {
        if let Some(&known) = self.impossible.get(&formula) {
            return known;
        }
        match self.algebra.formulas.get(formula) {
            Formula::False => return true,
            Formula::And(_) | Formula::Not(_) => {}
            _ => return false,
        }
        if self.algebra.is_exhausted() || self.levels >= LEVELS && !self.is_shallow(formula) {
            return false;
        }
        self.levels += 1;
        // What cannot be looked at now, because it is being made or for any other reason, is not plainly
        // impossible.
        let cells = self.cells(formula);
        self.levels -= 1;
        let impossible = cells.is_ok_and(|cells| cells.is_empty());
        self.impossible.insert(formula, impossible);
        impossible
    }

    /// Whether two formulas list values and none of them alike, as the tags of branches do. No conjunction is
    /// made to know that: a `oneOf` of so many branches has the square of it.
    pub(super) fn list_nothing_alike(&mut self, one: FormulaId, other: FormulaId) -> bool {
        let (Some(one), Some(other)) = (self.listed(one), self.listed(other)) else { return false };
        let digits = self.algebra.budget.limits().number_digits;
        !one.shares_scalars(&other, digits)
    }

    /// What a formula lists, where it plainly lists scalars and nothing else.
    pub(super) fn listed(&mut self, formula: FormulaId) -> Option<Rc<Cells<'d>>> {
        let cells = if self.is_shallow(formula) { self.cells(formula).ok() } else { None };
        cells.filter(|cells| cells.only_list_scalars())
    }

    /// Whether a formula says only types and listed values, which is soon looked at.
    fn is_shallow(&mut self, formula: FormulaId) -> bool {
        if let Some(&known) = self.shallow.get(&formula) {
            return known;
        }
        let is_shallow = match self.algebra.formulas.get(formula).clone() {
            Formula::And(parts) => parts.iter().all(|part| recursion::one_level(|| self.is_shallow(*part))),
            Formula::Not(inner) => self.is_shallow(inner),
            Formula::At(location, _) => self.keywords(location).is_ok_and(|keywords| keywords.is_shallow()),
            Formula::Equal(_) => true,
            Formula::False | Formula::True | Formula::Texts => false,
        };
        self.shallow.insert(formula, is_shallow);
        is_shallow
    }
}
