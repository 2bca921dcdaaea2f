//! Leaving out alternatives that another one includes.
//!
//! Most alternatives say only that some name is absent or present; as soon as the names that tell them apart
//! were read, they allow the same, and one of them is enough.
//!
//! Alternatives are compared name by name, with the schema that each cell has for it. Where names were
//! gathered by what is allowed for them, mask + accept took 5.7 instead of 4.8 µs, and 80 instead of 54 µs at
//! p99 (a first pass over three files with many alternatives, old and new in turn).

use std::cell::OnceCell;
use std::cmp::Reverse;

use super::alternatives::Group;
use super::members::{Members, UnknownClass};
use super::names::{Ranks, add};
use crate::schema::{NameClass, NodeId};

/// The alternatives without those whose texts are all texts of another one, in their order.
pub(super) fn without_included(group: &Group, alive: Vec<Members>) -> Vec<Members> {
    if alive.len() < 2 {
        return alive;
    }
    let includers = includers(group, &alive);
    alive.into_iter().zip(includers).filter_map(|(members, by)| by.is_none().then_some(members)).collect()
}

/// For each alternative the place of another one that includes it, and that none includes.
pub(super) fn includers(group: &Group, alive: &[Members]) -> Box<[Option<usize>]> {
    let outlines: Vec<Outline<'_>> = alive.iter().map(|members| Outline::of(group, members)).collect();
    let mut order: Vec<usize> = (0..alive.len()).collect();
    // What includes another comes before it.
    order.sort_by_cached_key(|place| outlines[*place].rank());
    let (mut kept, mut includers): (Vec<usize>, _) = (Vec::new(), vec![None; alive.len()]);
    for place in order {
        let includes = |larger: &&usize| outlines[**larger].includes(&outlines[place]);
        includers[place] = kept.iter().find(includes).copied();
        kept.extend(includers[place].is_none().then_some(place));
    }
    includers.into()
}

/// What an alternative still allows and asks for.
struct Outline<'m> {
    members: &'m Members,
    /// The known names that may come, and those that must, as words: most pairs differ in these, and looking
    /// for the words of bit slices would take more than comparing them.
    open: Box<[u64]>,
    required: Box<[u64]>,
    /// The members that may come, in their order, where they have one, with their schemas.
    sequence: Vec<(u32, NodeId)>,
    /// By name the schema of the member that may come in any order.
    unordered: Box<[Option<NodeId>]>,
    /// The known names that may come as other names, with what is allowed for them. A class that grants a
    /// wish has names of another class, too.
    others: Vec<(Allowed, Ranks)>,
    /// The classes of names that no cell knows, found when first asked for: most pairs differ in what is
    /// cheaper to compare.
    unknown: OnceCell<Vec<UnknownClass>>,
    least: u32,
    most: u32,
}

/// The schema of a value, and the wishes that a member with it grants.
type Allowed = (NodeId, u32);

impl<'m> Outline<'m> {
    fn of(group: &'m Group, members: &'m Members) -> Self {
        let (objects, names) = (members.objects(), group.names());
        let is_ordered = members.progress.declared.is_ordered();
        let (mut open, mut required) = (names.ranks([]), names.ranks([]));
        let (mut sequence, mut unordered) = (Vec::new(), vec![None; open.len()].into_boxed_slice());
        for (index, member) in members.open_members() {
            let rank = names.member(members.object.cell, index);
            open.set(rank as usize, true);
            required.set(rank as usize, member.required);
            if is_ordered {
                sequence.push((rank, member.schema));
            } else {
                unordered[rank as usize] = Some(member.schema);
            }
        }
        let class = |(class, NameClass { schema, grants, .. }): (usize, &NameClass)| {
            ((*schema, *grants), members.named_others(class))
        };
        let others: Vec<_> = objects.rest.iter().enumerate().map(class).collect();
        others.iter().for_each(|(_, others)| add(&mut open, others));
        let least = objects.min_members.saturating_sub(members.progress.read);
        let most = objects.max_members.map_or(u32::MAX, |max| max.saturating_sub(members.progress.read));
        let (open, required) = (open.as_raw_slice().into(), required.as_raw_slice().into());
        let unknown = OnceCell::new();
        Self { members, open, required, sequence, unordered, others, unknown, least, most }
    }

    /// Less where more is allowed.
    fn rank(&self) -> impl Ord + use<> {
        let count = |words: &[u64]| words.iter().map(|word| word.count_ones()).sum::<u32>();
        let classes = self.others.len();
        let granted = self.members.progress.granted.count_ones();
        let least = (count(&self.required), self.least);
        (Reverse(count(&self.open)), least, Reverse(self.most), Reverse(classes), Reverse(granted))
    }

    /// Whether it is plain that everything the other one allows is allowed here.
    fn includes(&self, other: &Self) -> bool {
        are_within(&other.open, &self.open)
            && are_within(&self.required, &other.required)
            && self.least <= other.least
            && self.most >= other.most
            && self.has_known_of(other)
            && self.has_rest_of(other)
            && self.can_avoid_more_than(other)
    }

    /// Whether no fewer ways to go on are counted here. All alternatives avoid the same objects, each those
    /// that it would allow, so what this one avoids and the other one allows, the other one avoids, too; but
    /// counts are [lower bounds](crate::json::distinct).
    fn can_avoid_more_than(&self, other: &Self) -> bool {
        let (own, others) = (self.members, other.members);
        own.progress.avoid == others.progress.avoid || own.ways() >= others.ways()
    }

    /// Whether the names that no cell knows are allowed here as there.
    fn has_rest_of(&self, other: &Self) -> bool {
        let (own, others) = (self.members, other.members);
        let is_granted = own.is_granted();
        let is_same = || {
            self.unknown() == other.unknown()
                && own.progress.others.all_unknown() == others.progress.others.all_unknown()
                && (is_granted || self.is_granted_what_is_in(other))
        };
        others.objects().rest.is_empty() && is_granted || is_same()
    }

    /// Whether the same wishes remain here, or fewer of them.
    fn is_granted_what_is_in(&self, other: &Self) -> bool {
        let (own, others) = (self.members, other.members);
        let (granted, same) = (own.progress.granted, others.progress.granted);
        match own.object.granters().is_empty() && others.object.granters().is_empty() {
            false => own.object.cell == others.object.cell && granted | same == granted,
            true => (own.objects().wishes, granted) == (others.objects().wishes, same),
        }
    }

    fn unknown(&self) -> &[UnknownClass] {
        self.unknown.get_or_init(|| self.members.unknown_classes().collect())
    }

    /// Whether the known names of the other one are among these, with the same schemas and in the same order.
    fn has_known_of(&self, other: &Self) -> bool {
        let mut own = self.sequence.iter();
        let pairs = self.unordered.iter().zip(&other.unordered).enumerate();
        let mut lacking =
            pairs.filter_map(|(rank, (own, others))| Some((rank, (*others)?)).filter(|_| own != others));
        let has_all =
            |(allowed, names): &(Allowed, Ranks)| names.iter_ones().all(|rank| self.allows(rank, *allowed));
        other.sequence.iter().all(|member| own.any(|found| found == member))
            && lacking.all(|(rank, schema)| self.has_other(rank, (schema, 0)))
            && other.others.iter().all(has_all)
    }

    /// Whether a name may come with this, in any order.
    fn allows(&self, rank: usize, allowed: Allowed) -> bool {
        self.unordered[rank].is_some_and(|own| (own, 0) == allowed) || self.has_other(rank, allowed)
    }

    /// Whether a name may come with this as another name.
    fn has_other(&self, rank: usize, allowed: Allowed) -> bool {
        let mut classes = self.others.iter();
        classes.any(|(own, names)| *own == allowed && names[rank])
    }
}

fn are_within(inner: &[u64], outer: &[u64]) -> bool {
    inner.iter().zip(outer).all(|(inner, outer)| inner & !outer == 0)
}
