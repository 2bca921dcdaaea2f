//! `oneOf`: what one of several schemas allows, and no other.
//!
//! From each branch all others are taken away, which is work by the square of their number. Most long ones are
//! lists, though, with a constant and its description in each branch: what is listed is counted instead. Of
//! others, [tags](super::tags) say which need not be compared.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::cells::Cells;
use super::document::Location;
use super::error::SchemaError;
use super::normalise::Normaliser;
use super::scope::Scope;

/// A branch, or all that list scalars only.
struct Piece<'d> {
    cells: Rc<Cells<'d>>,
    branches: Vec<Branch<'d>>,
}

type Branch<'d> = (Location, Rc<Cells<'d>>);

/// What some branches list: in one of them, and in several.
#[derive(Default)]
struct Lists<'d> {
    once: Cells<'d>,
    again: Cells<'d>,
}

impl<'d> Normaliser<'d> {
    pub(super) fn exactly_one(
        &mut self,
        location: Location,
        scope: Scope,
        cells: Cells<'d>,
        schemas: &[Location],
    ) -> Result<Cells<'d>, SchemaError> {
        let branch = |&schema: &Location| Ok((schema, self.cells_at(schema, scope)?));
        let branches = schemas.iter().map(branch).collect::<Result<Vec<_>, _>>()?;
        let (lists, others): (Vec<_>, Vec<_>) =
            branches.into_iter().partition(|(_, branch)| branch.only_list_scalars());
        let Lists { once, again } = self.count_listed(location, &lists)?;
        self.note_listed_again(location, &cells, &again, &lists)?;
        let listed = (!lists.is_empty()).then(|| Piece { cells: Rc::new(once), branches: lists });
        let others =
            others.into_iter().map(|branch| Piece { cells: Rc::clone(&branch.1), branches: vec![branch] });
        let pieces: Vec<_> = listed.into_iter().chain(others).collect();
        let tags = self.tags(&pieces.iter().map(|piece| &*piece.cells).collect::<Vec<_>>());
        let mut union = Cells::default();
        for (index, piece) in pieces.iter().enumerate() {
            let mut only = self.narrow(location, Some(cells.clone()), Rc::clone(&piece.cells))?;
            for other in tags.others(index).map(|other| &pieces[other]) {
                if only.is_empty() {
                    break; // Of many equal branches nothing is left after the first other one.
                }
                let charged = self.algebra.charge(1);
                self.locate(location, charged)?;
                only = self.take_away(location, only, piece, other)?;
            }
            if !again.is_empty() {
                only = self.subtract(location, only, &again)?;
            }
            self.unite(location, &mut union, &only)?;
        }
        Ok(union)
    }

    fn count_listed(&mut self, location: Location, lists: &[Branch<'d>]) -> Result<Lists<'d>, SchemaError> {
        let mut counted = Lists::default();
        for (_, list) in lists {
            let charged = self.algebra.charge(list.listed_count());
            self.locate(location, charged)?;
            counted.add(list);
        }
        Ok(counted)
    }

    /// What is left of `only`, which is of `piece`, without another piece.
    fn take_away(
        &mut self,
        location: Location,
        only: Cells<'d>,
        piece: &Piece<'d>,
        other: &Piece<'d>,
    ) -> Result<Cells<'d>, SchemaError> {
        // One warning is enough, so this is asked no more than it takes: 0.3 % of the compile time of the slow
        // schemas of `maskbench-dev`.
        let shares_scalars = !self.overlaps.contains_key(&location)
            && only.shares_scalars(&other.cells, self.algebra.budget.limits().number_digits);
        let difference = self.difference(location, only, &other.cells)?;
        if shares_scalars || difference.overlaps {
            self.note_overlap(location, self.sharer(piece, other), self.sharer(other, piece));
        }
        Ok(difference.left)
    }

    /// The branch of a piece that shares something with another piece.
    fn sharer(&self, piece: &Piece<'d>, other: &Piece<'d>) -> Option<Location> {
        let digits = self.algebra.budget.limits().number_digits;
        match &piece.branches[..] {
            [(only, _)] => Some(*only),
            all => all
                .iter()
                .find(|(_, branch)| branch.shares_scalars(&other.cells, digits))
                .map(|(sharer, _)| *sharer),
        }
    }

    /// Notes the first two branches that list the same value, where a value counts that `cells` allow.
    fn note_listed_again(
        &mut self,
        location: Location,
        cells: &Cells<'d>,
        again: &Cells<'d>,
        lists: &[Branch<'d>],
    ) -> Result<(), SchemaError> {
        if again.is_empty() {
            return Ok(());
        }
        let again = self.narrow(location, Some(cells.clone()), Rc::new(again.clone()))?;
        let digits = self.algebra.budget.limits().number_digits;
        let mut listing = lists.iter().filter(|(_, list)| list.shares_scalars(&again, digits));
        if let Some((first, list)) = listing.next() {
            let second = listing.find(|(_, other)| other.shares_scalars(list, digits));
            self.note_overlap(location, Some(*first), second.map(|(second, _)| *second));
        }
        Ok(())
    }

    fn note_overlap(&mut self, location: Location, one: Option<Location>, other: Option<Location>) {
        if let Some((one, other)) = one.zip(other) {
            self.overlaps.entry(location).or_insert((one.min(other), one.max(other)));
        }
    }
}

impl<'d> Cells<'d> {
    pub(super) fn only_list_scalars(&self) -> bool {
        let Self { ranges, texts, arrays, objects, .. } = self;
        ranges.is_empty() && texts.is_empty() && arrays.is_empty() && objects.is_empty()
    }
}

impl<'d> Lists<'d> {
    fn add(&mut self, list: &Cells<'d>) {
        let Self { once, again } = self;
        count_one(&mut once.null, &mut again.null, list.null);
        let [booleans, more] = [&mut once.booleans, &mut again.booleans];
        count_one(&mut booleans.allows_true, &mut more.allows_true, list.booleans.allows_true);
        count_one(&mut booleans.allows_false, &mut more.allows_false, list.booleans.allows_false);
        count_all(&mut once.points, &mut again.points, &list.points);
        count_all(&mut once.words, &mut again.words, &list.words);
    }
}

fn count_one(once: &mut bool, again: &mut bool, is_listed: bool) {
    *again |= *once && is_listed;
    *once = (*once || is_listed) && !*again;
}

fn count_all<T: Clone + Ord>(once: &mut BTreeSet<T>, again: &mut BTreeSet<T>, listed: &BTreeSet<T>) {
    for value in listed {
        if once.remove(value) {
            again.insert(value.clone());
        } else if !again.contains(value) {
            once.insert(value.clone());
        }
    }
}
