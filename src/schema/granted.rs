//! What the declared members of an object grant of what its wishes ask for.
//!
//! An object is not in a cell where one of its members is missing, or fails. Which one is told apart by cells
//! while these are few ([`complement`](super::complement)); else it is a wish: one of these must hold. So
//! branches of a `oneOf` that no required member tells apart, such as Pydantic writes for tags with a default,
//! ask of each other branch that something of it fails. As cells that would be all ways to choose what fails in
//! each: of five branches with five members each 625.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::cells::{MemberCell, ObjectCell, Wish};
use super::formula::FormulaId;
use super::normalise::Normaliser;
use crate::limits::LimitExceeded;

/// What a declared member of an object may grant: by its value, and by its absence.
#[derive(Clone, Default)]
pub(super) struct MemberGrants {
    /// The kinds of its values, which exclude each other.
    pub kinds: Vec<MemberKind>,
    /// What is granted where the member is missing.
    pub absence: u32,
}

impl MemberGrants {
    /// Whether a wish asks for the member, or for its absence.
    pub(super) fn grant_any(&self) -> bool {
        self.absence != 0 || self.kinds.iter().any(|kind| kind.grants != 0)
    }
}

/// The bit of a wish, and what it asks for under the name of a member.
type Asked<'a> = (u32, &'a MemberCell<'a>);

/// Values of a member that satisfy `formula` grant the wishes whose bits are set.
#[derive(Clone, Copy)]
pub(super) struct MemberKind {
    pub formula: FormulaId,
    pub grants: u32,
}

/// Whether the values of a formula satisfy another one.
#[derive(Clone, Copy, PartialEq)]
enum Fit {
    Always,
    Never,
    Sometimes,
}

/// What comes of a wish, or of one of the members that may grant it.
pub(super) enum Open<T> {
    Granted,
    Never,
    /// It depends on this.
    On(T),
}

impl<'d> Normaliser<'d> {
    /// Leaves out wishes that are granted anyway, and what plainly cannot grant one; a member that alone can
    /// grant one must do so. `None` where one cannot be granted.
    pub(super) fn with_open_wishes(&mut self, mut cell: ObjectCell<'d>) -> Option<ObjectCell<'d>> {
        let mut is_settled = cell.wishes.is_empty() || cell.lacks_names.is_some();
        while !is_settled {
            is_settled = true;
            for wish in std::mem::take(&mut cell.wishes) {
                let wish = match self.open_wish(&cell, wish) {
                    Open::Granted => continue,
                    Open::Never => return None,
                    Open::On(wish) => wish,
                };
                let must_hold = wish.members.first().filter(|_| wish.members.len() + wish.others.len() == 1);
                if must_hold.is_some_and(|member| self.algebra.hold(&mut cell, member).is_ok()) {
                    is_settled = false;
                } else {
                    cell.add_wish(wish);
                }
            }
        }
        Some(cell)
    }

    /// What of a wish depends on the objects of a cell.
    pub(super) fn open_wish(&mut self, cell: &ObjectCell<'d>, wish: Wish<'d>) -> Open<Wish<'d>> {
        let (mut open, positions) = (Wish::default(), cell.positions());
        let mut known = HashSet::new();
        for member in &wish.members {
            let declared = positions.get(member.name).map(|&position| &cell.members[position]);
            let formula = declared.map_or_else(|| cell.rest.at(member.name), |declared| declared.formula);
            match self.open_member(formula, declared.is_some_and(|declared| declared.required), member) {
                Open::Granted => return Open::Granted,
                Open::Never => {}
                Open::On(member) => open.members.extend(known.insert(member.clone()).then_some(member)),
            }
        }
        let mut others = wish.others;
        others.retain(|other| self.some_may_be(cell.rest.formulas(), other.formula));
        open.others = others;
        if open.members.is_empty() && open.others.is_empty() { Open::Never } else { Open::On(open) }
    }

    /// Whether a member that satisfies a formula is as it has to be to grant a wish.
    fn open_member(
        &mut self,
        formula: FormulaId,
        is_required: bool,
        granting: &MemberCell<'d>,
    ) -> Open<MemberCell<'d>> {
        match (self.fit(formula, granting.formula), granting.required) {
            (_, true) if formula == FormulaId::FALSE => Open::Never,
            (Fit::Always, true) if is_required => Open::Granted,
            (Fit::Always, true) => Open::On(MemberCell { formula: FormulaId::TRUE, ..granting.clone() }),
            (Fit::Always, false) => Open::Granted,
            (Fit::Never, true) => Open::Never,
            (Fit::Never, false) if is_required => Open::Never,
            (Fit::Never, false) => Open::On(MemberCell { formula: FormulaId::FALSE, ..granting.clone() }),
            (Fit::Sometimes, _) => Open::On(granting.clone()),
        }
    }

    /// Whether values of a formula satisfy another one, as far as it is plain.
    fn fit(&mut self, formula: FormulaId, wished: FormulaId) -> Fit {
        let fails = self.algebra.formulas.not(wished);
        let (Ok(both), Ok(neither)) = (self.algebra.and(formula, wished), self.algebra.and(formula, fails))
        else {
            return Fit::Sometimes;
        };
        match (self.is_impossible(both), self.is_impossible(neither)) {
            // No value satisfies the formula: nothing is wrong with them.
            (_, true) => Fit::Always,
            (true, false) => Fit::Never,
            (false, false) => Fit::Sometimes,
        }
    }

    /// What each declared member of a cell grants; none where no wish asks for one.
    pub(super) fn member_grants(
        &mut self,
        cell: &ObjectCell<'d>,
    ) -> Result<Vec<MemberGrants>, LimitExceeded> {
        if cell.wishes.iter().all(|wish| wish.members.is_empty()) {
            return Ok(Vec::new());
        }
        let mut asked: HashMap<&str, Vec<Asked<'_>>> = HashMap::new();
        for (index, wish) in cell.wishes.iter().enumerate() {
            for granting in &wish.members {
                asked.entry(granting.name).or_default().push((1 << index, granting));
            }
        }
        let grants = |member: &MemberCell<'d>| {
            let asked = asked.get(member.name).map_or(&[][..], Vec::as_slice);
            self.grants_of(member, asked)
        };
        cell.members.iter().map(grants).collect()
    }

    /// What a member grants of what is asked for under its name, wish by wish.
    fn grants_of(
        &mut self,
        member: &MemberCell<'d>,
        asked: &[Asked<'_>],
    ) -> Result<MemberGrants, LimitExceeded> {
        let mut grants =
            MemberGrants { kinds: vec![MemberKind { formula: member.formula, grants: 0 }], absence: 0 };
        for of_one_wish in asked.chunk_by(|(one, _), (other, _)| one == other) {
            let wish = of_one_wish[0].0;
            // A value grants the wish unless it fails all that it asks for.
            let mut failing = FormulaId::TRUE;
            for (_, granting) in of_one_wish {
                grants.absence |= if granting.required { 0 } else { wish };
                let fails = self.algebra.formulas.not(granting.formula);
                failing = self.algebra.and(failing, fails)?;
            }
            let wished = self.algebra.formulas.not(failing);
            self.divide(&mut grants.kinds, wished, wish)?;
        }
        Ok(grants)
    }

    /// Divides kinds by whether they satisfy a formula, which grants a wish.
    fn divide(
        &mut self,
        kinds: &mut Vec<MemberKind>,
        wished: FormulaId,
        grants: u32,
    ) -> Result<(), LimitExceeded> {
        for at in 0..kinds.len() {
            let kind = kinds[at];
            match self.fit(kind.formula, wished) {
                Fit::Always => kinds[at].grants |= grants,
                Fit::Never => {}
                Fit::Sometimes => {
                    let formula = self.algebra.and(kind.formula, wished)?;
                    kinds.push(MemberKind { formula, grants: kind.grants | grants });
                    let fails = self.algebra.formulas.not(wished);
                    kinds[at].formula = self.algebra.and(kind.formula, fails)?;
                }
            }
        }
        self.algebra.check_alternatives(kinds.len())
    }
}
