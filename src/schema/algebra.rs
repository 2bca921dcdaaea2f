//! Conjunction and union of cells, and what they cost.
//!
//! The JSON types are disjoint, so both work type by type. Conjunction distributes over the cells of a type;
//! children become conjunctions of formulas, which are not looked into here. That of objects stands in
//! `object_algebra.rs`; complements and differences have files of their own, too.

use std::sync::Arc;

use super::cells::{ArrayCell, Cells, ObjectCell};
use super::decimal::Decimal;
use super::formula::{FormulaId, Formulas};
use super::languages::Languages;
use super::numbers;
use super::reading::{ALTERNATIVES_APART, Reading};
use super::strings;
use super::values::{Booleans, Numbers, Written};
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
pub(super) const MEMBER: usize = 4;

pub(super) type Limited<T> = Result<T, LimitExceeded>;

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
        self.charge(other.listed_count())?;
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

pub(super) fn smaller(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    a.into_iter().chain(b).min()
}
