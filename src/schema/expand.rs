//! The elements and members of a cell, told apart by what they count for.
//!
//! In a cell, `contains` and "some member must" stand beside the elements and members. To read an array one
//! has to know of each element whether it counts: so each position is divided into kinds, by which of the
//! counted formulas an element satisfies.

use std::sync::Arc;

use super::algebra::Algebra;
use super::cells::{ArrayCell, Cells, ObjectCell, OtherMember, Rest};
use super::formula::FormulaId;
use super::granted::MemberGrants;
use super::normalise::Normaliser;
use crate::limits::{LimitExceeded, MOST_COUNTS};
use crate::regular::Dfa;

/// Kinds of elements that are divided for the price of one step.
const KINDS_PER_STEP: usize = 4;

/// The elements and members of all arrays and objects of a node.
pub(super) struct Expanded {
    pub arrays: Vec<Elements>,
    pub objects: Vec<Members>,
}

/// The kinds of the elements of an array, by position.
pub(super) struct Elements {
    pub prefix: Vec<Vec<ElementKind>>,
    pub rest: Vec<ElementKind>,
}

/// What the members of an object grant.
pub(super) struct Members {
    /// The names that are no declared member's.
    pub others: Vec<NameGroup>,
    /// Of each declared member; none where no wish asks for one.
    pub declared: Vec<MemberGrants>,
}

/// Elements that satisfy `formula` count for the counts whose bits are set.
#[derive(Clone, Copy)]
pub(super) struct ElementKind {
    pub formula: FormulaId,
    pub counts_for: u32,
}

/// Names of an object that are no member's, with what is granted by a member that satisfies `formula`. `None`
/// for all names.
pub(super) struct NameGroup {
    pub names: Option<Arc<Dfa>>,
    pub formula: FormulaId,
    pub grants: u32,
}

impl Expanded {
    /// The formulas of elements and members.
    pub(super) fn formulas<'a>(&'a self, cells: &'a Cells<'_>) -> impl Iterator<Item = FormulaId> + 'a {
        let positions = self.arrays.iter().flat_map(Elements::positions);
        let elements = positions.flatten().map(|kind| kind.formula);
        let members = cells.objects.iter().zip(&self.objects).flat_map(|(cell, members)| {
            let declared = cell.members.iter().map(|member| member.formula);
            let kinds = members.declared.iter().flat_map(|member| &member.kinds).map(|kind| kind.formula);
            declared.chain(kinds).chain(members.others.iter().map(|group| group.formula))
        });
        elements.chain(members)
    }
}

impl Elements {
    /// The kinds of each position; the last one is that of all others.
    pub(super) fn positions(&self) -> impl Iterator<Item = &Vec<ElementKind>> {
        self.prefix.iter().chain([&self.rest])
    }

    /// Says that there is no element at a position.
    pub(super) fn leave_out(&mut self, position: usize) {
        self.prefix.get_mut(position).unwrap_or(&mut self.rest).clear();
    }
}

impl<'d> Normaliser<'d> {
    pub(super) fn expand(&mut self, cells: &Cells<'d>) -> Result<Expanded, LimitExceeded> {
        let elements = |cell| self.algebra.elements(cell);
        let arrays = cells.arrays.iter().map(elements).collect::<Result<_, _>>()?;
        let objects = cells.objects.iter().map(|cell| self.members(cell)).collect::<Result<_, _>>()?;
        Ok(Expanded { arrays, objects })
    }

    fn members(&mut self, cell: &ObjectCell<'d>) -> Result<Members, LimitExceeded> {
        Ok(Members { others: self.algebra.name_groups(cell)?, declared: self.member_grants(cell)? })
    }
}

impl Algebra {
    fn elements(&mut self, cell: &ArrayCell) -> Result<Elements, LimitExceeded> {
        self.check_told_apart(cell.counts.len())?;
        let longest = cell.max_items.map_or(usize::MAX, |max| max as usize);
        let counted = cell.counts.iter().map(|count| count.from as usize).max().unwrap_or(0);
        let positions = cell.prefix.len().max(counted).min(longest);
        self.charge(positions)?;
        let prefix = (0..positions).map(|position| self.kinds(cell, position)).collect::<Result<_, _>>()?;
        Ok(Elements { prefix, rest: self.kinds(cell, positions)? })
    }

    /// The kinds of one position.
    fn kinds(&mut self, cell: &ArrayCell, position: usize) -> Result<Vec<ElementKind>, LimitExceeded> {
        let mut kinds = vec![ElementKind { formula: cell.at(position), counts_for: 0 }];
        for (index, count) in
            cell.counts.iter().enumerate().filter(|(_, count)| count.from as usize <= position)
        {
            let not = self.formulas.not(count.formula);
            self.budget.charge(1 + kinds.len() / KINDS_PER_STEP)?;
            let mut finer = Vec::new();
            for kind in kinds {
                let counting = self.and(kind.formula, count.formula)?;
                finer.push(ElementKind { formula: counting, counts_for: kind.counts_for | 1 << index });
                finer.push(ElementKind { formula: self.and(kind.formula, not)?, ..kind });
            }
            kinds = finer;
        }
        kinds.retain(|kind| kind.formula != FormulaId::FALSE);
        Ok(kinds)
    }

    fn name_groups(&mut self, cell: &ObjectCell<'_>) -> Result<Vec<NameGroup>, LimitExceeded> {
        self.check_told_apart(cell.wishes.len())?;
        let mut groups: Vec<NameGroup> = match &cell.rest {
            Rest::Same(formula) => vec![NameGroup { names: None, formula: *formula, grants: 0 }],
            Rest::Classes(classes) => classes
                .iter()
                .map(|(names, formula)| NameGroup {
                    names: Some(Arc::clone(names)),
                    formula: *formula,
                    grants: 0,
                })
                .collect(),
        };
        for (index, wish) in cell.wishes.iter().enumerate() {
            for other in &wish.others {
                self.divide_names(&mut groups, other, 1 << index)?;
            }
        }
        groups.retain(|group| group.formula != FormulaId::FALSE);
        Ok(groups)
    }

    /// Adds the groups whose members grant a wish.
    fn divide_names(
        &mut self,
        groups: &mut Vec<NameGroup>,
        granting: &OtherMember,
        wish: u32,
    ) -> Result<(), LimitExceeded> {
        for group in 0..groups.len() {
            let NameGroup { names, formula, grants } = &groups[group];
            let (names, formula, grants) = (names.clone(), *formula, *grants);
            let names = match names {
                None => Arc::clone(&granting.names),
                Some(names) => self.language(|limit| names.intersection(&granting.names, limit))?,
            };
            if !names.is_empty() {
                let formula = self.and(formula, granting.formula)?;
                groups.push(NameGroup { names: Some(names), formula, grants: grants | wish });
            }
        }
        Ok(())
    }

    /// How much may be counted in an array or an object.
    pub(super) fn most_counts(&self) -> usize {
        self.budget.limits().counts.min(MOST_COUNTS)
    }

    fn check_told_apart(&self, count: usize) -> Result<(), LimitExceeded> {
        let limit = self.most_counts();
        if count > limit { Err(LimitExceeded { what: "counts", limit, given: count }) } else { Ok(()) }
    }
}
