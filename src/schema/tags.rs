//! Which branches of a `oneOf` a member tells apart.
//!
//! The branches of a long `oneOf` mostly require a member, a tag, that lists other values in each of them. Two
//! such branches have nothing in common, so neither takes anything away from the other, and they need not be
//! compared. `harmony-mask compile --schema` of 300 such branches takes 5 instead of 34 ms, and of 1,000 31;
//! compared pairwise, 500 exceeded `Limits::schema_nodes`.

use std::collections::{BTreeMap, BTreeSet};

use super::cells::Cells;
use super::decimal::Decimal;
use super::difference::TELLING;
use super::normalise::Normaliser;

/// So few branches are sooner compared than told apart.
const FEW: usize = 8;

/// A tag is [one of the first](TELLING) members that so many of the first branches require.
const TAGGED: usize = 2;

/// It is chosen by so many branches.
const FIRST: usize = 64;

/// What lists more values is no tag.
const VALUES: usize = 64;

/// What a tag may be.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Scalar<'d> {
    Null,
    Bool(bool),
    Number(Decimal),
    Text(&'d str),
}

/// Branches by the values of their tag.
#[derive(Default)]
pub(super) struct Tags<'d> {
    by_value: BTreeMap<Scalar<'d>, Vec<usize>>,
    /// Of each branch the values that its tag may have; none where it has no tag.
    values: Vec<BTreeSet<Scalar<'d>>>,
    untagged: Vec<usize>,
}

impl<'d> Tags<'d> {
    fn none(branches: usize) -> Self {
        Self { values: vec![BTreeSet::new(); branches], untagged: (0..branches).collect(), ..Self::default() }
    }

    fn push(&mut self, values: BTreeSet<Scalar<'d>>) {
        let branch = self.values.len();
        if values.is_empty() {
            self.untagged.push(branch);
        }
        for value in &values {
            self.by_value.entry(value.clone()).or_default().push(branch);
        }
        self.values.push(values);
    }

    /// The other branches that may have something in common with one, in their order.
    pub(super) fn others(&self, branch: usize) -> impl Iterator<Item = usize> {
        let values = &self.values[branch];
        let sharing = values.iter().flat_map(|value| &self.by_value[value]).chain(&self.untagged).copied();
        let (all, some) = match values.is_empty() {
            true => (self.values.len(), BTreeSet::new()),
            false => (0, sharing.collect()),
        };
        (0..all).chain(some).filter(move |other| *other != branch)
    }

    /// How many pairs are left to compare, at most.
    fn pairs(&self) -> usize {
        let sharing = self.by_value.values().map(|branches| branches.len().saturating_mul(branches.len()));
        let untagged = self.untagged.len().saturating_mul(2 * self.values.len());
        sharing.fold(untagged, usize::saturating_add)
    }
}

impl<'d> Normaliser<'d> {
    /// The tags that leave the fewest pairs to compare of the first branches; no tags, where that is not much
    /// fewer than there are.
    pub(super) fn tags(&mut self, branches: &[&Cells<'d>]) -> Tags<'d> {
        if branches.len() <= FEW {
            return Tags::none(branches.len());
        }
        let first = &branches[..branches.len().min(FIRST)];
        let objects = first.iter().filter_map(|cells| cells.objects.first()).take(TAGGED);
        let names: BTreeSet<&str> =
            objects.flat_map(|object| object.required().take(TELLING)).map(|member| member.name).collect();
        let pairs = names.into_iter().map(|name| (self.tags_named(name, first).pairs(), name));
        let best = pairs.min().filter(|(pairs, _)| *pairs < first.len() * first.len() / 2);
        match best {
            Some((_, name)) => self.tags_named(name, branches),
            None => Tags::none(branches.len()),
        }
    }

    fn tags_named(&mut self, name: &str, branches: &[&Cells<'d>]) -> Tags<'d> {
        let mut tags = Tags::default();
        branches.iter().for_each(|cells| tags.push(self.tag_values(name, cells).unwrap_or_default()));
        tags
    }

    /// What a member lists, where there are only objects and all require it.
    fn tag_values(&mut self, name: &str, cells: &Cells<'d>) -> Option<BTreeSet<Scalar<'d>>> {
        let mut values = BTreeSet::new();
        for object in cells.only_objects()? {
            let member = object.required().find(|member| member.name == name)?;
            let listed = self.listed(member.formula).filter(|listed| listed.listed_count() <= VALUES)?;
            values.extend(scalars(&listed));
        }
        Some(values)
    }
}

fn scalars<'d>(listed: &Cells<'d>) -> impl Iterator<Item = Scalar<'d>> {
    let null = listed.null.then_some(Scalar::Null);
    let yes = listed.booleans.allows_true.then_some(Scalar::Bool(true));
    let no = listed.booleans.allows_false.then_some(Scalar::Bool(false));
    let points = listed.points.iter().cloned().map(Scalar::Number);
    let words = listed.words.iter().copied().map(Scalar::Text);
    null.into_iter().chain(yes).chain(no).chain(points).chain(words)
}
