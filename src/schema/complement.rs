//! Complement of cells: the arrays and objects that are not in one.
//!
//! The complement of a conjunction is a union of cells, each with one part negated and the parts before it
//! kept. These cells exclude each other, so they add up where overlapping ones would multiply: what is none
//! of many branches that a member distinguishes is, for each value of that member, the complement of one
//! branch, and not a choice of what is wrong with every branch. Eight of the 13 schemas of MaskBench that
//! exceeded a limit are read in 1 to 32 ms since.

use std::sync::Arc;

use super::algebra::Algebra;
use super::cells::{ArrayCell, CountCell, ObjectCell, OtherMember, Rest, Wish};
use super::document::Location;
use super::formula::FormulaId;
use crate::limits::LimitExceeded;
use crate::regular::Dfa;

/// Why there is no complement.
pub(super) enum NoComplement {
    Limit(LimitExceeded),
    /// Of the names in this schema, of a format that is not wholly known.
    Names(Location),
}

impl From<LimitExceeded> for NoComplement {
    fn from(limit: LimitExceeded) -> Self {
        Self::Limit(limit)
    }
}

/// Members and elements that hold in the later parts of a complement, at most.
const HELD: usize = 32;

/// What is not in an object cell.
pub(super) struct ObjectComplement<'d> {
    /// For each part that may fail the objects where it does, and no part before it.
    pub parts: Vec<ObjectCell<'d>>,
    /// The same as a wish: one of the parts must fail.
    pub failing: Wish<'d>,
    /// The objects that have too few or too many members, or grant none of what a wish asks for.
    pub beside: Vec<ObjectCell<'d>>,
}

type Complemented<T> = Result<T, NoComplement>;

impl Algebra {
    /// The arrays that are not in a cell. Counts do not hold in later parts: an array may have few.
    pub(super) fn array_complement(&mut self, cell: &ArrayCell) -> Vec<ArrayCell> {
        let shorter = cell.min_items.checked_sub(1);
        let longer = cell.max_items.map(|max| max.saturating_add(1));
        let mut parts = Vec::new();
        parts.extend(shorter.map(|max| ArrayCell { max_items: Some(max), ..ArrayCell::all() }));
        parts.extend(longer.map(|min| ArrayCell { min_items: min, ..ArrayCell::all() }));
        let mut held = ArrayCell { min_items: cell.min_items, max_items: cell.max_items, ..ArrayCell::all() };
        for (position, &element) in (0..).zip(&cell.prefix) {
            let mut part = ArrayCell { min_items: held.min_items.max(position + 1), ..held.clone() };
            part.prefix.push(self.formulas.not(element));
            parts.push(part);
            held.prefix.push(if (position as usize) < HELD { element } else { FormulaId::TRUE });
        }
        let from = u32::try_from(cell.prefix.len()).unwrap_or(u32::MAX);
        // Beyond the ceiling nothing is said of elements.
        if cell.rest != FormulaId::TRUE && cell.max_items.is_none_or(|max| max > from) {
            let formula = self.formulas.not(cell.rest);
            parts.push(held.counting(CountCell { formula, from, min: 1, max: None }));
            held.rest = cell.rest;
        }
        let failing = cell.counts.iter().flat_map(CountCell::complement);
        parts.extend(failing.map(|count| held.counting(count)));
        // Longer ones are in a part already, but where there is room without end, any array can go on to
        // repeat something.
        let (repeats, unique) = (cell.unique, cell.repeats);
        parts.extend((repeats || unique).then_some(ArrayCell { repeats, unique, max_items: None, ..held }));
        parts.into_iter().filter_map(ArrayCell::normal).collect()
    }

    /// The objects that are not in a cell. A part knows the members up to the one that fails, so text in
    /// declared order is in one of them.
    pub(super) fn object_complement<'d>(
        &mut self,
        cell: &ObjectCell<'d>,
    ) -> Complemented<ObjectComplement<'d>> {
        if let Some(location) = cell.lacks_names {
            return Err(NoComplement::Names(location));
        }
        let (mut parts, mut held) = (Vec::new(), ObjectCell::all());
        let mut failing = Wish::default();
        for member in &cell.members {
            let turned = member.turned(&mut self.formulas);
            let mut part = held.clone();
            part.members.push(turned.clone());
            parts.push(part);
            failing.members.push(turned);
            if held.members.len() < HELD {
                held.members.push(member.clone());
            }
        }
        failing.others = self.rest_complement(cell)?;
        let of_rest = |other: &OtherMember| Wish { members: Vec::new(), others: vec![other.clone()] };
        let wishing = |wish| ObjectCell { wishes: vec![wish], ..held.clone() };
        parts.extend(failing.others.iter().map(of_rest).map(wishing));
        let beside = self.complement_beside(cell, &held)?;
        let possible =
            |cells: Vec<ObjectCell<'d>>| cells.into_iter().filter_map(ObjectCell::normal).collect();
        Ok(ObjectComplement { parts: possible(parts), failing, beside: possible(beside) })
    }

    /// The objects that are not in a cell for how many members they have, or for a wish.
    fn complement_beside<'d>(
        &mut self,
        cell: &ObjectCell<'d>,
        held: &ObjectCell<'d>,
    ) -> Result<Vec<ObjectCell<'d>>, LimitExceeded> {
        let fewer = cell.min_members.checked_sub(1);
        let more = cell.max_members.map(|max| max.saturating_add(1));
        let mut parts = Vec::new();
        parts.extend(fewer.map(|max| ObjectCell { max_members: Some(max), ..held.clone() }));
        parts.extend(more.map(|min| ObjectCell { min_members: min, ..held.clone() }));
        for wish in &cell.wishes {
            parts.push(self.wish_complement(wish, held.clone())?);
        }
        Ok(parts)
    }

    /// The objects of a cell that grant none of what a wish asks for.
    fn wish_complement<'d>(
        &mut self,
        wish: &Wish<'d>,
        mut cell: ObjectCell<'d>,
    ) -> Result<ObjectCell<'d>, LimitExceeded> {
        for member in &wish.members {
            let turned = member.turned(&mut self.formulas);
            self.hold(&mut cell, &turned)?;
        }
        for OtherMember { names, formula } in &wish.others {
            let others = self.language(|limit| names.complement(limit))?;
            let classes = vec![(Arc::clone(names), self.formulas.not(*formula)), (others, FormulaId::TRUE)];
            cell.rest = self.intersect_rests(&cell.rest, &Rest::of_classes(classes))?;
        }
        Ok(cell)
    }

    /// What an object may have beside the members of a cell, so that it is not in it.
    fn rest_complement(&mut self, cell: &ObjectCell<'_>) -> Complemented<Vec<OtherMember>> {
        if cell.rest == Rest::Same(FormulaId::TRUE) {
            return Ok(Vec::new());
        }
        // Branches of one schema often declare the same members.
        let mut members: Vec<&str> = cell.members.iter().map(|member| member.name).collect();
        members.sort_unstable();
        let mut other_names = self.without(&Dfa::text(), &members)?;
        let mut failing = Vec::new();
        if let Rest::Classes(classes) = &cell.rest {
            for (names, formula) in classes {
                let formula = self.formulas.not(*formula);
                if formula != FormulaId::FALSE {
                    let names = self.without(names, &members)?;
                    failing.push(OtherMember { names, formula });
                }
                other_names = self.language(|limit| other_names.difference(names, limit))?;
            }
        }
        let formula = match cell.rest {
            Rest::Same(formula) => self.formulas.not(formula),
            Rest::Classes(_) => FormulaId::TRUE,
        };
        failing.push(OtherMember { names: other_names, formula });
        failing.retain(|other: &OtherMember| !other.names.is_empty());
        Ok(failing)
    }
}
