//! Complement and difference of cells.
//!
//! The complement of a conjunction is a union of cells, each with one part negated and the parts before it
//! kept. These cells exclude each other, so they add up where overlapping ones would multiply: what is none
//! of many branches that a member distinguishes is, for each value of that member, the complement of one
//! branch, and not a choice of what is wrong with every branch. Eight of the 13 schemas of MaskBench that
//! exceeded a limit are read in 1 to 32 ms since.
//!
//! A difference looks only at the cells that overlap: the branches of a real `oneOf` mostly exclude each
//! other, and then nothing is turned round at all.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::algebra::Algebra;
use super::cells::{ArrayCell, Cells, CountCell, ObjectCell, OtherMember, Rest, Wish};
use super::document::Location;
use super::error::{SchemaError, SchemaErrorKind};
use super::formula::FormulaId;
use super::granted::Open;
use super::normalise::Normaliser;
use super::numbers;
use super::strings;
use super::values::{Booleans, Numbers, Strings, Written};
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

/// Required members that are looked at before a conjunction is made: one that tells branches apart is among
/// the first.
const TELLING: usize = 8;

/// Names that are looked through in the time that a schema node takes.
const NAMES_A_NODE: usize = 16;

/// Members and elements that hold in the later parts of a complement, at most.
const HELD: usize = 32;

/// What is not in an object cell.
struct ObjectComplement<'d> {
    /// For each part that may fail the objects where it does, and no part before it.
    parts: Vec<ObjectCell<'d>>,
    /// The same as a wish: one of the parts must fail.
    failing: Wish<'d>,
    /// The objects that have too few or too many members, or grant none of what a wish asks for.
    beside: Vec<ObjectCell<'d>>,
}

type Complemented<T> = Result<T, NoComplement>;

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
        scalars.map_err(|limit| self.limit_at(location, limit))?;
        let arrays = self.subtract_arrays(location, cells.arrays, &other.arrays)?;
        let objects = self.subtract_objects(location, cells.objects, &other.objects)?;
        (left.arrays, left.objects) = (arrays.left, objects.left);
        let count = self.algebra.check_cells(&left);
        count.map_err(|limit| self.limit_at(location, limit))?;
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
                let both = both.map_err(|limit| self.limit_at(location, limit))?;
                if both.is_none_or(|both| self.is_impossible_array(&both)) {
                    left.push(cell);
                    continue;
                }
                overlaps = true;
                for part in parts.get_or_insert_with(|| self.algebra.array_complement(other)) {
                    let narrowed = self.algebra.intersect_arrays(&cell, part);
                    left.extend(narrowed.map_err(|limit| self.limit_at(location, limit))?);
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
                left.extend(left_over.map_err(|limit| self.limit_at(location, limit))?);
            }
            self.sift_objects(&mut left);
            let count = self.algebra.check_objects(left.len());
            count.map_err(|limit| self.limit_at(location, limit))?;
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
        let both = both.map_err(|limit| self.limit_at(location, limit))?;
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
        charged.map_err(|limit| self.limit_at(location, limit))?;
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
            let both = self.algebra.and(formula, also).map_err(|limit| self.limit_at(location, limit))?;
            if self.is_impossible(both) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn no_complement(&self, location: Location, reason: NoComplement) -> SchemaError {
        match reason {
            NoComplement::Limit(limit) => self.limit_at(location, limit),
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

    /// The arrays that are not in a cell. Counts do not hold in later parts: an array may have few.
    fn array_complement(&mut self, cell: &ArrayCell) -> Vec<ArrayCell> {
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
    fn object_complement<'d>(&mut self, cell: &ObjectCell<'d>) -> Complemented<ObjectComplement<'d>> {
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
