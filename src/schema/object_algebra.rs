//! Conjunction of object cells: members, other names, and wishes.
//!
//! Two cells are one in most cases. They are several where a wish can only be one of several cases, because
//! members are counted or wishes are as many as a cell may have.

use std::sync::Arc;

use super::algebra::{Algebra, Limited, MEMBER, smaller};
use super::cells::{Cells, MemberCell, ObjectCell, OtherMember, Rest, Wish};
use super::formula::FormulaId;
use super::reading::Reading;
use super::strings;
use super::values::Strings;
use crate::regular::Dfa;

/// So many alternatives of objects are told apart where they are multiplied.
const PAIRED: usize = 16;

impl Algebra {
    /// The conjunctions of all pairs. Where these would be many, alternatives are [taken
    /// together](Self::together) that can be.
    pub(super) fn pairs_of_objects<'d>(
        &mut self,
        a: &[ObjectCell<'d>],
        b: &[ObjectCell<'d>],
    ) -> Limited<Vec<ObjectCell<'d>>> {
        let pairs = self.pairs(a, b, Self::intersect_objects)?;
        if !self.are_multiplied(a.len().max(b.len()), pairs.len()) {
            return Ok(pairs);
        }
        for (few, others) in [(b, a), (a, b)] {
            let together = if few.len() > PAIRED { None } else { self.together(few) };
            if let Some(together) = together {
                return self.pairs(others, &[together], Self::intersect_objects);
            }
        }
        Ok(pairs)
    }

    /// Whether alternatives of objects became many by being told apart in one respect more, and may be told
    /// otherwise.
    pub(super) fn are_multiplied(&self, before: usize, after: usize) -> bool {
        let is_multiple = after > PAIRED && before >= PAIRED / 2 && after > before + before / 2;
        is_multiple && self.reading == Reading::Together
    }

    /// The objects of both. They are several cells where declared members grant a wish and members are counted.
    pub(super) fn intersect_objects<'d>(
        &mut self,
        a: &ObjectCell<'d>,
        b: &ObjectCell<'d>,
    ) -> Limited<Vec<ObjectCell<'d>>> {
        // A member costs a name to look up and a formula to make.
        self.charge(MEMBER * (a.members.len() + b.members.len()))?;
        let mut cell = ObjectCell {
            members: self.intersect_members(a, b)?,
            rest: self.intersect_rests(&a.rest, &b.rest)?,
            min_members: a.min_members.max(b.min_members),
            max_members: smaller(a.max_members, b.max_members),
            wishes: Vec::new(),
            lacks_names: a.lacks_names.or(b.lacks_names),
        };
        // What one wish declares is no other member to another one.
        let wishes = || a.wishes.iter().chain(&b.wishes);
        cell.declare_all(wishes().flat_map(|wish| &wish.members).map(|member| member.name));
        let mut cells = vec![cell];
        for wish in wishes() {
            let mut wishing = Vec::new();
            for cell in cells {
                wishing.extend(self.wish(cell, wish)?);
            }
            self.check_objects(wishing.len())?;
            cells = wishing;
        }
        Ok(cells.into_iter().filter_map(ObjectCell::normal).collect())
    }

    /// Adds a wish. Where members are counted, each member that may grant it is a case of its own.
    fn wish<'d>(&mut self, mut cell: ObjectCell<'d>, wish: &Wish<'d>) -> Limited<Vec<ObjectCell<'d>>> {
        let wish = self.with_declared(&cell, wish)?;
        if self.may_wish(&cell) || wish.members.is_empty() {
            let is_possible = !wish.members.is_empty() || !wish.others.is_empty();
            cell.add_wish(wish);
            return Ok(is_possible.then_some(cell).into_iter().collect());
        }
        // Looked at before they are made: each has all members.
        self.check_objects(wish.members.len())?;
        self.charge(MEMBER * cell.members.len().saturating_mul(wish.members.len()))?;
        let mut cells = Vec::new();
        for granting in &wish.members {
            let mut case = cell.clone();
            self.hold(&mut case, granting)?;
            cells.push(case);
        }
        if !wish.others.is_empty() {
            cell.add_wish(Wish { members: Vec::new(), others: wish.others });
            cells.push(cell);
        }
        Ok(cells)
    }

    /// Whether a cell may have another wish that declared members grant.
    pub(super) fn may_wish(&self, cell: &ObjectCell<'_>) -> bool {
        self.reading == Reading::Together
            && !cell.counts_members()
            && cell.lacks_names.is_none()
            && cell.wishes.len() < self.most_counts()
    }

    /// A wish of a cell, in which declared members are no others.
    pub(super) fn with_declared<'d>(&mut self, cell: &ObjectCell<'d>, wish: &Wish<'d>) -> Limited<Wish<'d>> {
        let mut declared = Wish { members: wish.members.clone(), others: Vec::new() };
        for OtherMember { names, formula } in &wish.others {
            let inside: Vec<_> = cell
                .members
                .iter()
                .map(|member| member.name)
                .filter(|name| names.contains(name.as_bytes()))
                .collect();
            let granting = inside.iter().map(|&name| MemberCell { name, formula: *formula, required: true });
            declared.members.extend(granting);
            let names = self.without(names, &inside)?;
            declared.others.extend((!names.is_empty()).then_some(OtherMember { names, formula: *formula }));
        }
        Ok(declared)
    }

    /// Narrows a cell to the objects of which one member is as given.
    pub(super) fn hold<'d>(&mut self, cell: &mut ObjectCell<'d>, given: &MemberCell<'d>) -> Limited<()> {
        for position in cell.declare_all([given.name]) {
            let formula = self.and(cell.members[position].formula, given.formula)?;
            let member = &mut cell.members[position];
            (member.formula, member.required) = (formula, member.required || given.required);
        }
        Ok(())
    }

    /// The members of the first in their order, then those that only the second has.
    fn intersect_members<'d>(
        &mut self,
        a: &ObjectCell<'d>,
        b: &ObjectCell<'d>,
    ) -> Limited<Vec<MemberCell<'d>>> {
        let mut members = a.members.clone();
        let mut matched = vec![false; b.members.len()];
        let positions = b.positions();
        for member in &mut members {
            let position = positions.get(member.name);
            let other =
                position.map_or_else(|| b.rest.at(member.name), |&position| b.members[position].formula);
            member.formula = self.and(member.formula, other)?;
            if let Some(&position) = position {
                member.required |= b.members[position].required;
                matched[position] = true;
            }
        }
        for (member, _) in b.members.iter().zip(matched).filter(|(_, matched)| !matched) {
            let formula = self.and(a.rest.at(member.name), member.formula)?;
            members.push(MemberCell { formula, ..member.clone() });
        }
        Ok(members)
    }

    pub(super) fn intersect_rests(&mut self, a: &Rest, b: &Rest) -> Limited<Rest> {
        match (a, b) {
            (Rest::Same(a), Rest::Same(b)) => Ok(Rest::Same(self.and(*a, *b)?)),
            (Rest::Same(same), Rest::Classes(classes)) | (Rest::Classes(classes), Rest::Same(same)) => {
                let narrowed =
                    classes.iter().map(|(names, formula)| Ok((names.clone(), self.and(*formula, *same)?)));
                Ok(Rest::of_classes(narrowed.collect::<Limited<_>>()?))
            }
            (Rest::Classes(a), Rest::Classes(b)) => {
                let classes = self.pairs(a, b, |algebra, (names, formula), (other, also)| {
                    let names = algebra.language(|limit| names.intersection(other, limit))?;
                    let formula = algebra.and(*formula, *also)?;
                    Ok((!names.is_empty()).then_some((names, formula)))
                })?;
                Ok(Rest::of_classes(classes))
            }
        }
    }

    /// Divides names by the languages they are in: each class has the conjunction of the formulas of its
    /// languages, and the names in no language have `other`.
    pub(super) fn partition(
        &mut self,
        patterns: &[(Arc<Dfa>, FormulaId)],
        other: FormulaId,
    ) -> Limited<Rest> {
        let mut classes: Vec<(Arc<Dfa>, FormulaId)> = Vec::new();
        let mut covered: Option<Arc<Dfa>> = None;
        for (language, formula) in patterns {
            let mut finer = Vec::new();
            for (names, before) in classes {
                let both = self.and(before, *formula)?;
                finer.push((self.language(|limit| names.intersection(language, limit))?, both));
                finer.push((self.language(|limit| names.difference(language, limit))?, before));
            }
            let (fresh, all) = match covered {
                None => (Arc::clone(language), Arc::clone(language)),
                Some(covered) => (
                    self.language(|limit| language.difference(&covered, limit))?,
                    self.language(|limit| covered.union(language, limit))?,
                ),
            };
            finer.push((fresh, *formula));
            finer.retain(|(names, _)| !names.is_empty());
            (classes, covered) = (finer, Some(all));
            self.check_alternatives(classes.len())?;
        }
        match covered {
            _ if classes.iter().all(|(_, formula)| *formula == other) => return Ok(Rest::Same(other)),
            Some(covered) if other != FormulaId::FALSE => {
                classes.push((self.language(|limit| covered.complement(limit))?, other));
            }
            _ => {}
        }
        classes.retain(|(names, _)| !names.is_empty());
        Ok(Rest::of_classes(classes))
    }

    /// The strings of cells as names, with no say in what stands under them.
    pub(super) fn names(&mut self, cells: &Cells<'_>) -> Limited<Rest> {
        if cells.texts.iter().any(|text| *text == Strings::default()) {
            return Ok(Rest::Same(FormulaId::TRUE));
        }
        let words = cells.words.iter().map(|word| (word, 0));
        let mut names = Arc::new(Dfa::words(words, self.budget.limits().dfa_states)?);
        for text in &cells.texts {
            let more = strings::automaton(text, self.budget.limits())?;
            names = self.language(|limit| names.union(&more, limit))?;
        }
        let classes = if names.is_empty() { Vec::new() } else { vec![(names, FormulaId::TRUE)] };
        Ok(Rest::of_classes(classes))
    }
}
