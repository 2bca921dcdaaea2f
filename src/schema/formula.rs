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
        let (before, mut looked_at) = (parts.len(), 0);
        if !self.join(&mut parts, b) {
            return (FormulaId::FALSE, parts.len());
        }
        if parts.len() == before {
            return (a, before);
        }
        while let Some((place, left)) = self.shortened(&parts, &mut looked_at) {
            parts.remove(place);
            if !self.join(&mut parts, left) {
                return (FormulaId::FALSE, looked_at);
            }
        }
        let id = if let [only] = parts[..] { only } else { self.intern_parts(&parts) };
        (id, parts.len() + looked_at)
    }

    /// Adds what a formula is the conjunction of; tells whether that is no contradiction.
    fn join(&self, parts: &mut Vec<FormulaId>, formula: FormulaId) -> bool {
        let mut sorted = parts.clone();
        sorted.sort_unstable();
        let has = |part: &FormulaId| sorted.binary_search(part).is_ok();
        let new: Vec<_> = self.parts(formula).iter().filter(|part| !has(part)).copied().collect();
        let contradicts =
            |part: &FormulaId| self.complement(*part).is_some_and(|complement| has(&complement));
        let is_possible = formula != FormulaId::FALSE && !new.iter().any(contradicts);
        parts.extend(new.into_iter().filter(|part| *part != FormulaId::TRUE));
        is_possible
    }

    /// A part of a conjunction, by its place, and the little that it says beside the others; `None` where each
    /// says all that it does by itself.
    ///
    /// The complement of a conjunction is a choice: one of its parts must fail. Where another part of the
    /// whole says that one does, there is nothing to choose, and where it says that one does not, there is
    /// less. Without this, what a recursive `oneOf` asks of its members would be said in ever new ways.
    fn shortened(&mut self, parts: &[FormulaId], looked_at: &mut usize) -> Option<(usize, FormulaId)> {
        for (place, &part) in parts.iter().enumerate() {
            let Formula::Not(inner) = *self.get(part) else { continue };
            let Formula::And(choice) = self.get(inner).clone() else { continue };
            *looked_at += choice.len();
            let fails = |formula: &FormulaId| self.complement(*formula).is_some_and(|id| parts.contains(&id));
            if choice.iter().any(fails) {
                return Some((place, FormulaId::TRUE));
            }
            let open: Vec<_> = choice.iter().filter(|formula| !parts.contains(formula)).copied().collect();
            if open.len() < choice.len() {
                let all = match open[..] {
                    [] => FormulaId::TRUE,
                    [only] => only,
                    _ => self.intern_parts(&open),
                };
                return Some((place, self.not(all)));
            }
        }
        None
    }

    fn intern_parts(&mut self, parts: &[FormulaId]) -> FormulaId {
        let mut sorted = parts.to_vec();
        sorted.sort_unstable();
        self.intern_as(Formula::And(sorted.into()), Formula::And(parts.into()))
    }

    /// The complement, where it is a formula already.
    pub(super) fn complement(&self, id: FormulaId) -> Option<FormulaId> {
        match self.get(id) {
            Formula::Not(inner) => Some(*inner),
            _ => self.ids.get(&Formula::Not(id)).copied(),
        }
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

    /// `~` is the complement, `&` the conjunction of what stands in brackets.
    fn parse(formulas: &mut Formulas, text: &mut std::str::Chars<'_>) -> FormulaId {
        match text.next().expect("a formula") {
            '~' => {
                let inner = parse(formulas, text);
                formulas.not(inner)
            }
            '(' => {
                let mut all = FormulaId::TRUE;
                loop {
                    let next = parse(formulas, text);
                    all = formulas.and(all, next).0;
                    if text.next() == Some(')') {
                        return all;
                    }
                }
            }
            '1' => FormulaId::TRUE,
            '0' => FormulaId::FALSE,
            name => formulas.intern(Formula::At(Location::new(name as usize), Scope::EMPTY)),
        }
    }

    #[test]
    fn choices_are_shortened_by_what_is_said_beside_them() {
        let mut formulas = Formulas::new();
        for (long, short) in [
            ("(a&~(a&b))", "(a&~b)"),
            ("(~(a&b)&a)", "(a&~b)"),
            ("(~a&~(a&b))", "~a"),
            ("(~b&~(a&b))", "~b"),
            ("(a&b&~(a&b))", "0"),
            ("(a&~(~a&b))", "a"),
            ("(~a&~(~a&b))", "(~a&~b)"),
            ("(a&~(a&b&c))", "(a&~(b&c))"),
            ("(a&b&~(a&b&c))", "(a&b&~c)"),
            ("(a&~(a&~(b&c)))", "(a&b&c)"),
            ("(a&~c&~(a&~(b&c)))", "0"),
            ("(~(a&b)&~(b&c)&b)", "(b&~a&~c)"),
            ("(~(a&b)&~(~a&c)&a)", "(a&~b)"),
            ("(~(a&b)&~(a&~b)&a)", "0"),
            ("(~(a&b)&~(c&d))", "(~(c&d)&~(a&b))"),
        ] {
            let [long, short] = [long, short].map(|text| parse(&mut formulas, &mut text.chars()));
            assert_eq!(long, short);
        }
    }

    proptest::proptest! {
        /// Whatever is left out, the conjunction is true where all of its parts are.
        #[test]
        fn conjunctions_say_what_their_parts_say(steps in proptest::collection::vec((0_usize..40, 0_usize..40, proptest::bool::ANY), 1..24)) {
            let mut formulas = Formulas::new();
            let atoms = ['a', 'b', 'c', 'd'];
            // By the truth of the atoms, all ways at once.
            let truths = [0xaaaa_u16, 0xcccc, 0xf0f0, 0xff00];
            let mut known: Vec<(FormulaId, u16)> = std::iter::zip(atoms, truths)
                .map(|(name, truth)| (parse(&mut formulas, &mut name.to_string().chars()), truth))
                .collect();
            for (one, other, is_not) in steps {
                let ((a, of_a), (b, of_b)) = (known[one % known.len()], known[other % known.len()]);
                let (both, truth) = (formulas.and(a, b).0, of_a & of_b);
                known.push(if is_not { (formulas.not(both), !truth) } else { (both, truth) });
            }
            for (id, truth) in known {
                proptest::prop_assert_eq!(value(&formulas, id, &truths), truth);
            }
        }
    }

    fn value(formulas: &Formulas, id: FormulaId, truths: &[u16; 4]) -> u16 {
        match formulas.get(id) {
            Formula::False => 0,
            Formula::True => u16::MAX,
            Formula::At(location, _) => truths[location.index() - 'a' as usize],
            Formula::Not(inner) => !value(formulas, *inner, truths),
            Formula::And(parts) => {
                parts.iter().fold(u16::MAX, |all, part| all & value(formulas, *part, truths))
            }
            Formula::Equal(_) | Formula::Texts => unreachable!("not made here"),
        }
    }
}
