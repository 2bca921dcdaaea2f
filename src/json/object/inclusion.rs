//! Leaving out alternatives that another one includes.
//!
//! Most alternatives say only that some name is absent or present; as soon as the names that tell them apart were read, they allow the same, and one
//! of them is enough.

use super::alternatives::Group;
use super::members::Members;
use super::names::bits;
use crate::schema::{NameClass, NodeId};

/// The alternatives without those whose texts are all texts of another one, in their order.
pub(super) fn without_included(group: &Group, alive: Vec<Members>) -> Vec<Members> {
    if alive.len() < 2 {
        return alive;
    }
    let outlines: Vec<Outline<'_>> = alive.iter().map(|members| Outline::of(group, members)).collect();
    let mut order: Vec<usize> = (0..alive.len()).collect();
    // What includes another comes before it.
    order.sort_by_key(|place| outlines[*place].rank());
    let mut kept: Vec<usize> = Vec::new();
    for place in order {
        if !kept.iter().any(|larger| outlines[*larger].includes(&outlines[place])) {
            kept.push(place);
        }
    }
    kept.sort_unstable();
    kept.into_iter().map(|place| alive[place].clone()).collect()
}

/// What an alternative still allows and asks for.
struct Outline<'m> {
    members: &'m Members,
    /// A bit for each known name that may come, and for each that must.
    open: Box<[u64]>,
    required: Box<[u64]>,
    /// The known names that may come, in their order.
    sequence: Vec<Named>,
    least: u32,
    most: u32,
}

/// A known name that may come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Named {
    /// Whether it may come only after those that are not.
    is_last: bool,
    rank: u32,
    schema: NodeId,
    grants: u32,
}

impl<'m> Outline<'m> {
    fn of(group: &Group, members: &'m Members) -> Self {
        let (objects, names, cell) = (members.objects(), group.names(), members.object.cell);
        let is_ordered = members.progress.declared.is_ordered();
        let declared = members.open_members().map(|(index, member)| {
            let rank = names.member(cell, index);
            (member.required, Named { is_last: false, rank, schema: member.schema, grants: 0 })
        });
        let others = objects.rest.iter().enumerate().flat_map(|(class, NameClass { schema, grants, .. })| {
            let (schema, grants) = (*schema, *grants);
            let named = move |rank| Named { is_last: is_ordered, rank, schema, grants };
            members.named_others(class).map(move |rank| (false, named(rank)))
        });
        let mut required = Vec::new();
        let mut sequence = Vec::new();
        for (is_required, named) in declared.chain(others) {
            required.extend(is_required.then_some(named.rank));
            sequence.push(named);
        }
        if !is_ordered {
            sequence.sort_unstable();
        }
        let count = names.texts.len();
        let least = objects.min_members.saturating_sub(members.progress.read);
        let most = objects.max_members.map_or(u32::MAX, |max| max.saturating_sub(members.progress.read));
        let open = bits(count, sequence.iter().map(|named| named.rank));
        Self { members, open, required: bits(count, required), sequence, least, most }
    }

    /// Less where more is allowed.
    fn rank(&self) -> impl Ord + use<> {
        let required: u32 = self.required.iter().map(|bits| bits.count_ones()).sum();
        (std::cmp::Reverse(self.sequence.len()), required, self.least, std::cmp::Reverse(self.most))
    }

    /// Whether it is plain that everything the other one allows is allowed here.
    fn includes(&self, other: &Self) -> bool {
        let within = |inner: &[u64], outer: &[u64]| inner.iter().zip(outer).all(|(a, b)| a & !b == 0);
        within(&other.open, &self.open)
            && within(&self.required, &other.required)
            && self.least <= other.least
            && self.most >= other.most
            && self.avoids_no_more_than(other)
            && self.has_rest_of(other)
            && self.has_sequence_of(other)
    }

    fn avoids_no_more_than(&self, other: &Self) -> bool {
        let avoid = &self.members.progress.avoid;
        avoid.is_empty() || *avoid == other.members.progress.avoid
    }

    /// Whether the names that no cell knows are allowed here as there.
    fn has_rest_of(&self, other: &Self) -> bool {
        let (own, others) = (self.members, other.members);
        let is_granted = own.progress.granted.count_ones() == own.objects().wishes;
        let is_same = || {
            own.has_unknown_of(others)
                && own.unknown_others().eq(others.unknown_others())
                && (own.objects().wishes, own.progress.granted)
                    == (others.objects().wishes, others.progress.granted)
        };
        others.objects().rest.is_empty() && is_granted || is_same()
    }

    /// Whether the known names of the other one are among these, with the same schemas and in the same order.
    fn has_sequence_of(&self, other: &Self) -> bool {
        let mut own = self.sequence.iter();
        other.sequence.iter().all(|named| own.any(|found| found == named))
    }
}
