//! Conjunction and union of cells, and what they cost.
//!
//! The JSON types are disjoint, so both work type by type. Conjunction distributes over the cells of a type;
//! children become conjunctions of formulas, which are not looked into here.

use std::sync::Arc;

use super::cells::{ArrayCell, Cells, MemberCell, ObjectCell, OtherMember, Rest, Wish};
use super::decimal::Decimal;
use super::formula::{FormulaId, Formulas};
use super::languages::Languages;
use super::numbers;
use super::reading::{ALTERNATIVES_APART, Reading};
use super::strings;
use super::values::{Booleans, Numbers, Strings, Written};
use crate::limits::{Budget, LimitExceeded};
use crate::regular::Dfa;

/// The operations, with the formulas they make and the budget they share.
pub(super) struct Algebra {
    pub formulas: Formulas,
    pub budget: Budget,
    pub languages: Languages,
    pub reading: Reading,
    spent: usize,
}

/// Members, formula parts or points looked at for the price of one node.
const PER_NODE: usize = 16;

/// What a member counts in the price of an object, and a state in that of a language.
const MEMBER: usize = 4;

/// So many alternatives of objects are told apart where they are multiplied.
const PAIRED: usize = 16;

type Limited<T> = Result<T, LimitExceeded>;

impl Algebra {
    pub(super) fn new(budget: &Budget, reading: Reading) -> Self {
        let (formulas, languages) = (Formulas::new(), Languages::new(budget));
        Self { formulas, budget: budget.clone(), languages, reading, spent: 0 }
    }

    /// Charges one node (or conjunction of two cells) of a given size to the budget of nodes.
    pub(super) fn charge(&mut self, size: usize) -> Limited<()> {
        self.spent += 1 + size / PER_NODE;
        let limit = self.budget.limits().schema_nodes;
        if self.spent > limit {
            return Err(LimitExceeded { what: "schema_nodes", limit, given: self.spent });
        }
        self.budget.charge(1 + size / PER_NODE)
    }

    /// Whether nothing is left of the budget.
    pub(super) fn is_exhausted(&self) -> bool {
        self.spent > self.budget.limits().schema_nodes
    }

    /// Checks how many alternatives a type has.
    pub(super) fn check_alternatives(&self, count: usize) -> Limited<()> {
        let limit = self.budget.limits().alternatives;
        if count > limit { Err(LimitExceeded { what: "alternatives", limit, given: count }) } else { Ok(()) }
    }

    /// Checks how many alternatives each type of some cells has.
    pub(super) fn check_cells(&self, cells: &Cells<'_>) -> Limited<()> {
        self.check_objects(cells.objects.len())?;
        self.check_alternatives(cells.alternatives())
    }

    /// Checks how many alternatives objects have.
    pub(super) fn check_objects(&self, count: usize) -> Limited<()> {
        match self.reading {
            Reading::Apart { most } if count > most => {
                Err(LimitExceeded { what: ALTERNATIVES_APART, limit: most, given: count })
            }
            _ => self.check_alternatives(count),
        }
    }

    /// The values of both.
    pub(super) fn intersect<'d>(&mut self, a: &Cells<'d>, b: &Cells<'d>) -> Limited<Cells<'d>> {
        let booleans = Booleans {
            allows_true: a.booleans.allows_true && b.booleans.allows_true,
            allows_false: a.booleans.allows_false && b.booleans.allows_false,
        };
        let mut cells = Cells { null: a.null && b.null, booleans, ..Cells::default() };
        self.intersect_numbers(a, b, &mut cells)?;
        self.intersect_strings(a, b, &mut cells)?;
        cells.arrays = self.pairs(&a.arrays, &b.arrays, Self::intersect_arrays)?;
        cells.objects = self.pairs_of_objects(&a.objects, &b.objects)?;
        self.check_cells(&cells)?;
        Ok(cells)
    }

    /// The values of either, put into `cells`.
    pub(super) fn unite<'d>(&mut self, cells: &mut Cells<'d>, other: &Cells<'d>) -> Limited<()> {
        cells.null |= other.null;
        cells.booleans.allows_true |= other.booleans.allows_true;
        cells.booleans.allows_false |= other.booleans.allows_false;
        self.charge(other.points.len() + other.words.len())?;
        cells.points.extend(other.points.iter().cloned());
        cells.words.extend(&other.words);
        self.absorb(&mut cells.ranges, &other.ranges, numbers::includes)?;
        self.absorb(&mut cells.texts, &other.texts, strings::includes)?;
        self.absorb(&mut cells.arrays, &other.arrays, |a, b| a == b || *a == ArrayCell::all())?;
        self.absorb(&mut cells.objects, &other.objects, |a, b| a == b || *a == ObjectCell::all())?;
        let Cells { points, ranges, .. } = cells;
        let includes =
            |range: &Numbers, point: &Decimal| range.written == Written::Anyhow && range.contains(point);
        points.retain(|point| !ranges.iter().any(|range| includes(range, point)));
        self.check_cells(cells)
    }

    /// Adds alternatives, leaving out what another one includes.
    fn absorb<T: Clone>(
        &mut self,
        all: &mut Vec<T>,
        more: &[T],
        includes: impl Fn(&T, &T) -> bool,
    ) -> Limited<()> {
        for new in more {
            self.charge(all.len())?;
            if !all.iter().any(|old| includes(old, new)) {
                all.retain(|old| !includes(new, old));
                all.push(new.clone());
            }
        }
        Ok(())
    }

    /// The conjunctions of all pairs that have values.
    pub(super) fn pairs<T, I: IntoIterator<Item = T>>(
        &mut self,
        a: &[T],
        b: &[T],
        intersect: impl Fn(&mut Self, &T, &T) -> Limited<I>,
    ) -> Limited<Vec<T>> {
        let mut cells = Vec::new();
        for left in a {
            for right in b {
                self.charge(0)?;
                cells.extend(intersect(self, left, right)?);
            }
        }
        Ok(cells)
    }

    fn intersect_numbers(&mut self, a: &Cells<'_>, b: &Cells<'_>, cells: &mut Cells<'_>) -> Limited<()> {
        let digits = self.budget.limits().number_digits;
        self.charge(a.points.len() * (1 + b.ranges.len()) + b.points.len() * (1 + a.ranges.len()))?;
        for (points, other) in [(&a.points, b), (&b.points, a)] {
            for point in points {
                let written = other.written(point);
                let both = written.map(|written| Numbers { written, ..Numbers::point(point.clone()) });
                both.into_iter().for_each(|point| cells.add_range(point));
            }
        }
        for range in
            self.pairs(&a.ranges, &b.ranges, |_, left, right| numbers::intersect(left, right, digits))?
        {
            cells.add_range(range);
        }
        Ok(())
    }

    fn intersect_strings<'d>(&mut self, a: &Cells<'d>, b: &Cells<'d>, cells: &mut Cells<'d>) -> Limited<()> {
        self.charge(a.words.len() * (1 + b.texts.len()) + b.words.len() * (1 + a.texts.len()))?;
        let mut doubtful = Vec::new();
        for (words, other) in [(&a.words, b), (&b.words, a)] {
            for &word in words {
                match other.has_word(word) {
                    Some(true) => _ = cells.words.insert(word),
                    Some(false) => {}
                    None => doubtful.push(word),
                }
            }
        }
        cells.texts = self.pairs(&a.texts, &b.texts, |algebra, left, right| {
            strings::intersect(left, right, &mut algebra.languages)
        })?;
        cells.texts.extend(strings::doubtful(&doubtful, self.budget.limits())?);
        Ok(())
    }

    pub(super) fn intersect_arrays(&mut self, a: &ArrayCell, b: &ArrayCell) -> Limited<Option<ArrayCell>> {
        let length = a.prefix.len().max(b.prefix.len());
        // Each count is looked for among the others.
        self.charge(length + a.counts.len() * b.counts.len().max(1))?;
        let prefix: Limited<_> =
            (0..length).map(|position| self.and(a.at(position), b.at(position))).collect();
        let mut cell = ArrayCell {
            prefix: prefix?,
            rest: self.and(a.rest, b.rest)?,
            min_items: a.min_items.max(b.min_items),
            max_items: smaller(a.max_items, b.max_items),
            unique: a.unique || b.unique,
            repeats: a.repeats || b.repeats,
            counts: a.counts.clone(),
        };
        b.counts.iter().for_each(|count| cell.count(count));
        Ok(cell.normal())
    }

    /// The conjunctions of all pairs. Where these would be many, alternatives are [taken
    /// together](Self::together) that can be.
    fn pairs_of_objects<'d>(
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

    /// Makes a language, and charges for its states.
    pub(super) fn language(&mut self, make: impl FnOnce(usize) -> Limited<Dfa>) -> Limited<Arc<Dfa>> {
        let language = make(self.budget.limits().dfa_states)?;
        self.charge(MEMBER * language.states())?;
        Ok(Arc::new(language))
    }

    /// A language without these words.
    pub(super) fn without(&mut self, language: &Arc<Dfa>, words: &[&str]) -> Limited<Arc<Dfa>> {
        let less = self.languages.without(language, words)?;
        if !words.is_empty() {
            self.charge(MEMBER * less.states())?;
        }
        Ok(less)
    }

    /// The conjunction of two formulas.
    pub(super) fn and(&mut self, a: FormulaId, b: FormulaId) -> Limited<FormulaId> {
        let (formula, size) = self.formulas.and(a, b);
        if size > PER_NODE {
            self.charge(size)?;
        }
        Ok(formula)
    }
}

fn smaller(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    a.into_iter().chain(b).min()
}
