//! Difference of cells: what is in the ones and not in the others.
//!
//! Only the cells that overlap are looked at: the branches of a real `oneOf` mostly exclude each other, and
//! then nothing is turned round at all. What overlaps is narrowed to the [complement](super::complement).

use std::collections::BTreeSet;

use super::algebra::Algebra;
use super::cells::{ArrayCell, Cells, ObjectCell};
use super::complement::{NoComplement, ObjectComplement};
use super::document::Location;
use super::error::{SchemaError, SchemaErrorKind};
use super::formula::FormulaId;
use super::granted::Open;
use super::normalise::{MULTIPLYING, Normaliser};
use super::numbers;
use super::strings;
use super::values::{Booleans, Numbers, Strings, Written};
use crate::limits::LimitExceeded;
use crate::regular::Dfa;

/// Required members that are looked at before a conjunction is made: one that tells branches apart is among
/// the first.
pub(super) const TELLING: usize = 8;

/// Names that are looked through in the time that a schema node takes.
const NAMES_A_NODE: usize = 16;

/// What a difference leaves.
pub(super) struct Difference<T> {
    pub left: T,
    /// Whether an array or object of both was taken away, or at least is not plainly impossible.
    pub overlaps: bool,
}

impl<'d> Normaliser<'d> {
    /// The values of `cells` that are not in `other`, for the schema at `location`.
    pub(super) fn subtract(
        &mut self,
        location: Location,
        cells: Cells<'d>,
        other: &Cells<'d>,
    ) -> Result<Cells<'d>, SchemaError> {
        self.difference(location, cells, other).map(|difference| difference.left)
    }

    /// As [`subtract`](Self::subtract), and whether there was anything to take away.
    pub(super) fn difference(
        &mut self,
        location: Location,
        cells: Cells<'d>,
        other: &Cells<'d>,
    ) -> Result<Difference<Cells<'d>>, SchemaError> {
        let mut left = Cells { null: cells.null && !other.null, ..Cells::default() };
        left.booleans = Booleans {
            allows_true: cells.booleans.allows_true && !other.booleans.allows_true,
            allows_false: cells.booleans.allows_false && !other.booleans.allows_false,
        };
        let scalars = self.algebra.subtract_numbers(&cells, other, &mut left);
        let scalars = scalars.and_then(|()| self.algebra.subtract_strings(&cells, other, &mut left));
        self.locate(location, scalars)?;
        let arrays = self.subtract_arrays(location, cells.arrays, &other.arrays)?;
        let objects = self.subtract_objects(location, cells.objects, &other.objects)?;
        (left.arrays, left.objects) = (arrays.left, objects.left);
        self.locate(location, self.algebra.check_cells(&left))?;
        Ok(Difference { left, overlaps: arrays.overlaps || objects.overlaps })
    }

    fn subtract_arrays(
        &mut self,
        location: Location,
        mut cells: Vec<ArrayCell>,
        others: &[ArrayCell],
    ) -> Result<Difference<Vec<ArrayCell>>, SchemaError> {
        let mut overlaps = false;
        for other in others {
            // Made where it is first needed: most cells do not overlap.
            let mut parts = None;
            let mut left = Vec::new();
            for cell in cells {
                let both = self.algebra.intersect_arrays(&cell, other);
                let both = self.locate(location, both)?;
                if both.is_none_or(|both| self.is_impossible_array(&both)) {
                    left.push(cell);
                    continue;
                }
                overlaps = true;
                for part in parts.get_or_insert_with(|| self.algebra.array_complement(other)) {
                    let narrowed = self.algebra.intersect_arrays(&cell, part);
                    left.extend(self.locate(location, narrowed)?);
                }
            }
            left.retain_mut(|cell| !self.is_impossible_array(cell));
            cells = left;
        }
        Ok(Difference { left: cells, overlaps })
    }

    fn subtract_objects(
        &mut self,
        location: Location,
        mut cells: Vec<ObjectCell<'d>>,
        others: &[ObjectCell<'d>],
    ) -> Result<Difference<Vec<ObjectCell<'d>>>, SchemaError> {
        let mut overlaps = false;
        for other in others {
            let (mut complement, mut left) = (None, Vec::new());
            for cell in cells {
                if self.are_disjoint(&cell, other, location)? {
                    left.push(cell);
                    continue;
                }
                overlaps = true;
                // Made where it is first needed: most cells do not overlap.
                let complement = match &mut complement {
                    Some(complement) => complement,
                    none => {
                        let made = self.algebra.object_complement(other);
                        none.insert(made.map_err(|reason| self.no_complement(location, reason))?)
                    }
                };
                let left_over = self.left_over(&cell, complement);
                left.extend(self.locate(location, left_over)?);
            }
            self.sift_objects(&mut left);
            self.locate(location, self.algebra.check_objects(left.len()))?;
            cells = left;
        }
        Ok(Difference { left: cells, overlaps })
    }

    /// The objects of a cell that are in a complement.
    fn left_over(
        &mut self,
        cell: &ObjectCell<'d>,
        complement: &ObjectComplement<'d>,
    ) -> Result<Vec<ObjectCell<'d>>, LimitExceeded> {
        let failing = match self.algebra.may_wish(cell) {
            true => self.algebra.with_declared(cell, &complement.failing)?,
            false => return self.narrowed_to_each(cell, complement.parts.iter().chain(&complement.beside)),
        };
        let failing = match self.open_wish(cell, failing) {
            Open::Granted => return Ok(vec![cell.clone()]),
            Open::Never => Vec::new(),
            Open::On(wish) => vec![ObjectCell { wishes: vec![wish], ..ObjectCell::all() }],
        };
        self.narrowed_to_each(cell, failing.iter().chain(&complement.beside))
    }

    /// The objects of a cell that are in one of some others.
    fn narrowed_to_each<'c>(
        &mut self,
        cell: &ObjectCell<'d>,
        others: impl Iterator<Item = &'c ObjectCell<'d>>,
    ) -> Result<Vec<ObjectCell<'d>>, LimitExceeded>
    where
        'd: 'c,
    {
        let mut left = Vec::new();
        for other in others {
            left.extend(self.algebra.intersect_objects(cell, other)?);
        }
        Ok(left)
    }

    /// Whether two cells plainly have no object in common.
    fn are_disjoint(
        &mut self,
        one: &ObjectCell<'d>,
        other: &ObjectCell<'d>,
        location: Location,
    ) -> Result<bool, SchemaError> {
        if self.are_plainly_disjoint(one, other, location)? {
            return Ok(true);
        }
        let both = self.algebra.intersect_objects(one, other);
        let both = self.locate(location, both)?;
        Ok(both.iter().all(|both| self.is_impossible_object(both)))
    }

    /// Whether a member that one of two objects requires cannot be as both say: so the branches of most
    /// `oneOf`s are told apart.
    fn are_plainly_disjoint(
        &mut self,
        one: &ObjectCell<'d>,
        other: &ObjectCell<'d>,
        location: Location,
    ) -> Result<bool, SchemaError> {
        let charged = self.algebra.charge((one.members.len() + other.members.len()).div_ceil(NAMES_A_NODE));
        self.locate(location, charged)?;
        let of_one = one.required().take(TELLING).map(|member| (member.formula, other.at(member.name)));
        let of_other = other.required().take(TELLING).map(|member| (one.at(member.name), member.formula));
        // Where names are lacking nothing may be allowed under one that is allowed.
        let lacks_names = one.lacks_names.or(other.lacks_names).is_some();
        let is_sure = |(formula, also): &(FormulaId, FormulaId)| {
            !lacks_names || *formula != FormulaId::FALSE && *also != FormulaId::FALSE
        };
        for (formula, also) in of_one.chain(of_other).filter(is_sure) {
            if self.list_nothing_alike(formula, also) {
                return Ok(true);
            }
            let both = self.algebra.and(formula, also);
            let both = self.locate(location, both)?;
            if self.is_impossible(both) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn no_complement(&self, location: Location, reason: NoComplement) -> SchemaError {
        match reason {
            NoComplement::Limit(limit) => self.limit_among(location, &MULTIPLYING, limit),
            NoComplement::Names(location) => {
                let message = "is negated, but not all strings are known of the format that it asks for";
                let kind = SchemaErrorKind::Unsupported;
                self.reader.error(location, kind, Some("propertyNames"), message)
            }
        }
    }
}

impl Algebra {
    fn subtract_numbers(
        &mut self,
        cells: &Cells<'_>,
        other: &Cells<'_>,
        left: &mut Cells<'_>,
    ) -> Result<(), LimitExceeded> {
        if other.points.is_empty() && other.ranges.is_empty()
            || cells.points.is_empty() && cells.ranges.is_empty()
        {
            (left.points, left.ranges) = (cells.points.clone(), cells.ranges.clone());
            return Ok(());
        }
        self.charge_looking_up(cells.points.len(), other.ranges.len())?;
        for point in &cells.points {
            let left_over = match other.written(point) {
                None => Some(Written::Anyhow),
                Some(written) => written.not(),
            };
            let point = left_over.map(|written| Numbers { written, ..Numbers::point(point.clone()) });
            point.into_iter().for_each(|point| left.add_range(point));
        }
        let mut ranges = cells.ranges.clone();
        for range in &other.ranges {
            let parts = numbers::complement(range);
            let digits = self.budget.limits().number_digits;
            ranges = self.pairs(&ranges, &parts, |_, a, b| numbers::intersect(a, b, digits))?;
            self.check_alternatives(ranges.len())?;
        }
        for point in &other.points {
            self.charge(ranges.len())?;
            ranges = ranges.iter().flat_map(|range| numbers::without(range, point)).collect();
            self.check_alternatives(ranges.len())?;
        }
        ranges.into_iter().for_each(|range| left.add_range(range));
        Ok(())
    }

    fn subtract_strings<'d>(
        &mut self,
        cells: &Cells<'d>,
        other: &Cells<'d>,
        left: &mut Cells<'d>,
    ) -> Result<(), LimitExceeded> {
        let mut doubtful = Vec::new();
        self.charge_looking_up(cells.words.len(), other.texts.len())?;
        for word in &cells.words {
            match other.has_word(word) {
                Some(true) => {}
                Some(false) => _ = left.words.insert(*word),
                None => doubtful.push(*word),
            }
        }
        let mut texts = cells.texts.clone();
        for text in other.texts.iter().filter(|_| !cells.texts.is_empty()) {
            let parts = strings::complement(text, &mut self.languages)?;
            texts =
                self.pairs(&texts, &parts, |algebra, a, b| strings::intersect(a, b, &mut algebra.languages))?;
            self.check_alternatives(texts.len())?;
        }
        if !other.words.is_empty() && !texts.is_empty() {
            let rest = self.all_but(&other.words)?;
            texts = self
                .pairs(&texts, &[rest], |algebra, a, b| strings::intersect(a, b, &mut algebra.languages))?;
        }
        left.texts = texts;
        left.texts.extend(strings::doubtful(&doubtful, self.budget.limits())?);
        Ok(())
    }

    /// Charges for looking up what is listed in so many sets beside a list.
    fn charge_looking_up(&mut self, listed: usize, sets: usize) -> Result<(), LimitExceeded> {
        if listed == 0 { Ok(()) } else { self.charge(listed * (1 + sets)) }
    }

    fn all_but(&mut self, words: &BTreeSet<&str>) -> Result<Strings, LimitExceeded> {
        let words: Vec<&str> = words.iter().copied().collect();
        let language = self.without(&Dfa::text(), &words)?;
        Ok(Strings { language: Some(language), ..Strings::default() })
    }
}
