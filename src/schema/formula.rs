//! Formulas: which schemas a value has to satisfy at once.
//!
//! Conjunction and complement of cells make conjunctions and complements of their children, and those are
//! only made, not looked into: a [`Formula`] names them. Formulas are hash-consed over the finitely many
//! locations of the document, so unfolding a recursive schema comes to an end.

use std::rc::Rc;

use foldhash::{HashMap, HashMapExt};

use super::dense::Numbered;
use super::document::Location;
use super::scope::Scope;

/// A formula, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FormulaId(u32);

/// What a value has to satisfy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Formula {
    /// Nothing satisfies it.
    False,
    /// Everything does.
    True,
    /// The schema at this location, reached through these resources.
    At(Location, Scope),
    /// Being equal to the value at this location.
    Equal(Location),
    /// Having only the texts that the caller allows, as strings and as names, at every depth.
    Texts,
    /// Not this one, which is neither a complement, true nor false.
    Not(FormulaId),
    /// All of these at once; at least two, none of them a conjunction, true or false, none the complement of
    /// another.
    And(Rc<[FormulaId]>),
}

impl FormulaId {
    pub(super) const FALSE: Self = Self(0);
    pub(super) const TRUE: Self = Self(1);
}

impl Numbered for FormulaId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// All formulas so far.
pub(super) struct Formulas {
    all: Vec<Formula>,
    /// Conjunctions are found by their sorted parts, and keep the order in which they were first made: it is
    /// the declared one.
    ids: HashMap<Formula, FormulaId>,
}

impl Formulas {
    pub(super) fn new() -> Self {
        let mut formulas = Self { all: Vec::new(), ids: HashMap::new() };
        formulas.intern(Formula::False);
        formulas.intern(Formula::True);
        formulas
    }

    pub(super) fn get(&self, id: FormulaId) -> &Formula {
        &self.all[id.index()]
    }

    pub(super) fn intern(&mut self, formula: Formula) -> FormulaId {
        self.intern_as(formula.clone(), formula)
    }

    /// The conjunction, and how many parts it has.
    pub(super) fn and(&mut self, a: FormulaId, b: FormulaId) -> (FormulaId, usize) {
        match (a, b) {
            (FormulaId::FALSE, _) | (_, FormulaId::FALSE) => (FormulaId::FALSE, 0),
            (FormulaId::TRUE, other) | (other, FormulaId::TRUE) => (other, 0),
            _ if a == b => (a, 0),
            _ => self.and_parts(a, b),
        }
    }

    /// The complement.
    pub(super) fn not(&mut self, id: FormulaId) -> FormulaId {
        match self.get(id) {
            Formula::False => FormulaId::TRUE,
            Formula::True => FormulaId::FALSE,
            Formula::Not(inner) => *inner,
            _ => self.intern(Formula::Not(id)),
        }
    }

    /// What a formula is the conjunction of.
    pub(super) fn parts(&self, id: FormulaId) -> Rc<[FormulaId]> {
        match self.get(id) {
            Formula::And(parts) => Rc::clone(parts),
            _ => [id].into(),
        }
    }

    fn and_parts(&mut self, a: FormulaId, b: FormulaId) -> (FormulaId, usize) {
        let mut parts = self.parts(a).to_vec();
        let mut sorted = parts.clone();
        sorted.sort_unstable();
        parts.extend(self.parts(b).iter().filter(|part| sorted.binary_search(part).is_err()));
        if parts.len() == sorted.len() {
            return (a, parts.len());
        }
        let complements =
            |part: &FormulaId| matches!(self.get(*part), Formula::Not(other) if parts.contains(other));
        if parts.iter().any(complements) {
            return (FormulaId::FALSE, parts.len());
        }
        sorted.clone_from(&parts);
        sorted.sort_unstable();
        let id = self.intern_as(Formula::And(sorted.into()), Formula::And(parts.as_slice().into()));
        (id, parts.len())
    }

    fn intern_as(&mut self, key: Formula, formula: Formula) -> FormulaId {
        let next = FormulaId(u32::try_from(self.all.len()).expect("fewer formulas than the limit on nodes"));
        let id = *self.ids.entry(key).or_insert(next);
        if id == next {
            self.all.push(formula);
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conjunction_is_a_set_in_declared_order() {
        let mut formulas = Formulas::new();
        let [a, b, c] =
            [1, 2, 3].map(|number| formulas.intern(Formula::At(Location::new(number), Scope::EMPTY)));
        let cb = formulas.and(c, b).0;
        let cba = formulas.and(cb, a).0;
        let ab = formulas.and(a, b).0;
        assert_eq!(formulas.and(ab, c).0, cba);
        assert_eq!(formulas.and(cba, b).0, cba);
        assert_eq!(*formulas.parts(cba), [c, b, a]);
        assert_eq!(formulas.and(a, FormulaId::FALSE).0, FormulaId::FALSE);
        assert_eq!(formulas.and(FormulaId::TRUE, a).0, a);
        let not_a = formulas.not(a);
        assert_eq!(formulas.not(not_a), a);
        assert_eq!(formulas.and(cba, not_a).0, FormulaId::FALSE);
    }
}
