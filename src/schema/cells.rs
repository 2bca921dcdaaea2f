//! The normal form while it is being made: cells whose children are formulas, some of them perhaps empty.
//!
//! Listed numbers and strings are kept as sets, apart from intervals and languages: a large `enum` costs a
//! look-up per entry instead of an alternative each.

use std::collections::BTreeSet;
use std::sync::Arc;

use foldhash::HashMap;

use super::decimal::Decimal;
use super::document::Location;
use super::formula::{FormulaId, Formulas};
use super::values::{Booleans, Count, Numbers, Strings};
use crate::regular::Dfa;

/// A set of values: per type a union.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells<'d> {
    pub null: bool,
    pub booleans: Booleans,
    /// Numbers one by one.
    pub points: BTreeSet<Decimal>,
    pub ranges: Vec<Numbers>,
    /// Strings one by one.
    pub words: BTreeSet<&'d str>,
    pub texts: Vec<Strings>,
    pub arrays: Vec<ArrayCell>,
    pub objects: Vec<ObjectCell<'d>>,
}

/// Arrays by position. Beyond `max_items` nothing is said: the prefix is never longer than that.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ArrayCell {
    pub prefix: Vec<FormulaId>,
    pub rest: FormulaId,
    pub min_items: u32,
    pub max_items: Option<u32>,
    /// Whether no two elements are equal.
    pub unique: bool,
    /// Whether some two are.
    pub repeats: bool,
    pub counts: Vec<CountCell>,
}

/// How many elements from a position on satisfy a formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CountCell {
    pub formula: FormulaId,
    pub from: u32,
    pub min: u32,
    pub max: Option<u32>,
}

/// Objects by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ObjectCell<'d> {
    pub members: Vec<MemberCell<'d>>,
    /// The names that are no member's. A name in no class is not allowed.
    pub rest: Rest,
    pub min_members: u32,
    pub max_members: Option<u32>,
    /// What else must hold of the members.
    pub wishes: Vec<Wish<'d>>,
    /// The schema whose `propertyNames` lacks some names, because they are of a format that is not wholly
    /// known.
    pub lacks_names: Option<Location>,
}

/// Some of which at least one must hold: that a declared member is as it is here, or that there is some other
/// member. Objects whose members are counted have no wishes of declared members.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Wish<'d> {
    pub members: Vec<MemberCell<'d>>,
    pub others: Vec<OtherMember>,
}

/// A member with one of these names that satisfies a formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct OtherMember {
    pub names: Arc<Dfa>,
    pub formula: FormulaId,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct MemberCell<'d> {
    pub name: &'d str,
    pub formula: FormulaId,
    pub required: bool,
}

/// What holds for names that are no member's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Rest {
    /// The same for all.
    Same(FormulaId),
    /// Disjoint languages; they may contain names of members, which does not count.
    Classes(Vec<(Arc<Dfa>, FormulaId)>),
}

impl<'d> Cells<'d> {
    /// Every value.
    pub(super) fn all() -> Self {
        Self {
            null: true,
            booleans: Booleans::BOTH,
            ranges: vec![Numbers::default()],
            texts: vec![Strings::default()],
            arrays: vec![ArrayCell::all()],
            objects: vec![ObjectCell::all()],
            ..Self::default()
        }
    }

    /// Every value whose strings and names are of a language; `below` says the same of what is in it.
    pub(super) fn of_texts(texts: &Arc<Dfa>, below: FormulaId) -> Self {
        let language = Some(texts.clone());
        Self {
            texts: vec![Strings { language, ..Strings::default() }],
            arrays: vec![ArrayCell { rest: below, ..ArrayCell::all() }],
            objects: vec![ObjectCell {
                rest: Rest::Classes(vec![(texts.clone(), below)]),
                ..ObjectCell::all()
            }],
            ..Self::all()
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.has_nothing_sure()
            && (self.ranges.is_empty() && self.texts.is_empty() && self.objects.is_empty())
    }

    /// Whether it is plain that no text has any of the values: those that are left may be values or not.
    pub(super) fn offer_nothing(&self) -> bool {
        self.has_nothing_sure()
            && self.offered_ranges().next().is_none()
            && self.offered_texts().next().is_none()
            && !self.objects.iter().any(ObjectCell::is_possible)
    }

    /// How many numbers and strings are listed.
    pub(super) fn listed_count(&self) -> usize {
        self.points.len() + self.words.len()
    }

    /// The objects, where there is nothing else.
    pub(super) fn only_objects(&self) -> Option<&[ObjectCell<'d>]> {
        let Self { ranges, texts, objects, .. } = self;
        (self.has_nothing_sure() && ranges.is_empty() && texts.is_empty()).then_some(&objects[..])
    }

    /// Whether there is nothing of what is never in doubt.
    fn has_nothing_sure(&self) -> bool {
        !self.null
            && self.booleans.is_empty()
            && (self.points.is_empty() && self.words.is_empty() && self.arrays.is_empty())
    }

    /// The most alternatives of one type, listed numbers and strings not counted.
    pub(super) fn alternatives(&self) -> usize {
        let counts = [self.ranges.len(), self.texts.len(), self.arrays.len(), self.objects.len()];
        counts.into_iter().max().unwrap_or(0)
    }
}

impl ArrayCell {
    pub(super) fn all() -> Self {
        Self {
            prefix: Vec::new(),
            rest: FormulaId::TRUE,
            min_items: 0,
            max_items: None,
            unique: false,
            repeats: false,
            counts: Vec::new(),
        }
    }

    /// What the element at this position has to satisfy.
    pub(super) fn at(&self, position: usize) -> FormulaId {
        self.prefix.get(position).copied().unwrap_or(self.rest)
    }

    /// What elements have to satisfy, wherever they stand.
    pub(super) fn formulas(&self) -> impl Iterator<Item = FormulaId> {
        self.prefix.iter().copied().chain([self.rest])
    }

    /// The same arrays with the prefix cut where no element can be; `None` where there are no such arrays.
    pub(super) fn normal(mut self) -> Option<Self> {
        let longest = self.max_items.map_or(usize::MAX, |max| max as usize);
        self.prefix.truncate(longest);
        let end = self.prefix.iter().position(|&element| element == FormulaId::FALSE);
        if let Some(end) = end.or_else(|| (self.rest == FormulaId::FALSE).then_some(self.prefix.len())) {
            self.prefix.truncate(end);
            self.rest = FormulaId::FALSE;
            self.max_items = Some(u32::try_from(end).unwrap_or(u32::MAX));
        }
        let longest = self.max_items.unwrap_or(u32::MAX);
        self.min_items = self.min_items.max(if self.repeats { 2 } else { 0 });
        self.counts.retain(|count| count.min > 0 || count.max.is_some_and(|max| max < longest));
        let possible = |count: &CountCell| {
            count.min <= longest.saturating_sub(count.from)
                && count.max.is_none_or(|max| count.min <= max)
                && (count.min == 0 || count.formula != FormulaId::FALSE)
        };
        let fits = self.min_items <= longest && !(self.unique && self.repeats);
        (fits && self.counts.iter().all(possible)).then_some(self)
    }

    /// The same with one more count.
    pub(super) fn counting(&self, count: CountCell) -> Self {
        let mut counting = self.clone();
        counting.count(&count);
        counting
    }

    /// Adds a count; two of the same elements are one.
    pub(super) fn count(&mut self, new: &CountCell) {
        let same = |old: &&mut CountCell| (old.formula, old.from) == (new.formula, new.from);
        match self.counts.iter_mut().find(same) {
            Some(old) => {
                old.min = old.min.max(new.min);
                old.max = old.max.into_iter().chain(new.max).min();
            }
            None => self.counts.push(new.clone()),
        }
    }
}

impl CountCell {
    /// How many elements there may be, whatever they satisfy.
    pub(super) fn bounds(&self) -> Count {
        Count { min: self.min, max: self.max, from: self.from }
    }

    /// Fewer of them, and more.
    pub(super) fn complement(&self) -> impl Iterator<Item = Self> + use<> {
        let fewer = self.min.checked_sub(1).map(|max| Self { min: 0, max: Some(max), ..self.clone() });
        let more = self.max.map(|max| Self { min: max.saturating_add(1), max: None, ..self.clone() });
        fewer.into_iter().chain(more)
    }
}

impl<'d> ObjectCell<'d> {
    pub(super) fn all() -> Self {
        Self {
            members: Vec::new(),
            rest: Rest::Same(FormulaId::TRUE),
            min_members: 0,
            max_members: None,
            wishes: Vec::new(),
            lacks_names: None,
        }
    }

    /// Makes members required; those without a schema of their own get one.
    pub(super) fn require(&mut self, names: &[&'d str]) {
        for position in self.declare_all(names.iter().copied()) {
            self.members[position].required = true;
        }
    }

    /// The places of the members with these names, which are declared where they were not.
    pub(super) fn declare_all(&mut self, names: impl IntoIterator<Item = &'d str>) -> Vec<usize> {
        let mut names = names.into_iter().peekable();
        if names.peek().is_none() {
            return Vec::new();
        }
        let mut positions = self.positions();
        let place = |name| {
            *positions.entry(name).or_insert_with(|| {
                self.members.push(MemberCell { name, formula: self.rest.at(name), required: false });
                self.members.len() - 1
            })
        };
        names.map(place).collect()
    }

    /// Asks for one more thing; what is wished for already, or cannot be granted, is not added.
    pub(super) fn add_wish(&mut self, wish: Wish<'d>) {
        if !(wish == Wish::default() || self.wishes.contains(&wish)) {
            self.wishes.push(wish);
        }
    }

    /// Whether it matters how many members there are.
    pub(super) fn counts_members(&self) -> bool {
        self.min_members > 0 || self.max_members.is_some()
    }

    /// The classes of names that are no member's, and their formulas.
    pub(super) fn name_classes(&self) -> impl Iterator<Item = (Option<&Dfa>, FormulaId)> {
        let (same, classes) = match &self.rest {
            Rest::Same(formula) => (Some((None, *formula)), &[][..]),
            Rest::Classes(classes) => (None, &classes[..]),
        };
        same.into_iter().chain(classes.iter().map(|(names, formula)| (Some(&**names), *formula)))
    }

    /// Where each member stands.
    pub(super) fn positions(&self) -> HashMap<&'d str, usize> {
        self.members.iter().enumerate().map(|(position, member)| (member.name, position)).collect()
    }

    /// What the value of a member has to satisfy.
    pub(super) fn at(&self, name: &str) -> FormulaId {
        let member = self.members.iter().find(|member| member.name == name);
        member.map_or_else(|| self.rest.at(name), |member| member.formula)
    }

    pub(super) fn required(&self) -> impl Iterator<Item = &MemberCell<'d>> {
        self.members.iter().filter(|member| member.required)
    }

    /// The same objects; `None` where it is plain that there are none. Of a cell that lacks names it is not:
    /// its complement is refused, and that of nothing would be all objects.
    pub(super) fn normal(self) -> Option<Self> {
        (self.lacks_names.is_some() || self.is_possible()).then_some(self)
    }

    /// Whether it is not plain that no text has these objects.
    pub(super) fn is_possible(&self) -> bool {
        let count = u32::try_from(self.required().count()).unwrap_or(u32::MAX);
        let possible = self.members.iter().filter(|member| member.formula != FormulaId::FALSE).count();
        let enough = !self.rest.is_empty() || self.min_members as usize <= possible;
        let fits = self.max_members.is_none_or(|max| count.max(self.min_members) <= max);
        let sound = self.required().all(|member| member.formula != FormulaId::FALSE);
        let has_room = !self.rest.is_empty() && self.max_members.is_none_or(|max| count < max);
        enough && fits && sound && self.wishes.iter().all(|wish| has_room || !wish.members.is_empty())
    }
}

impl<'d> MemberCell<'d> {
    /// The other values and, of a required member, its absence: a required member is missing or fails, which
    /// is an optional member that fails if it is there.
    pub(super) fn turned(&self, formulas: &mut Formulas) -> Self {
        Self { name: self.name, formula: formulas.not(self.formula), required: !self.required }
    }
}

impl Rest {
    /// Disjoint classes; those that cannot occur are left out.
    pub(super) fn of_classes(mut classes: Vec<(Arc<Dfa>, FormulaId)>) -> Self {
        classes.retain(|(_, formula)| *formula != FormulaId::FALSE);
        if classes.is_empty() { Self::Same(FormulaId::FALSE) } else { Self::Classes(classes) }
    }

    /// What the value under a name has to satisfy.
    pub(super) fn at(&self, name: &str) -> FormulaId {
        match self {
            Self::Same(formula) => *formula,
            Self::Classes(classes) => classes
                .iter()
                .find(|(names, _)| names.contains(name.as_bytes()))
                .map_or(FormulaId::FALSE, |(_, formula)| *formula),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.formulas().all(|formula| formula == FormulaId::FALSE)
    }

    pub(super) fn formulas(&self) -> impl Iterator<Item = FormulaId> {
        let (same, classes) = match self {
            Self::Same(formula) => (Some(*formula), &[][..]),
            Self::Classes(classes) => (None, &classes[..]),
        };
        same.into_iter().chain(classes.iter().map(|(_, formula)| *formula))
    }
}
