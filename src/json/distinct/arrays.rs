//! How many ways there are to go on in an array.

use super::{Count, ENDLESS};
use crate::schema::{self, ArrayPlan, Arrays, Kind, NodeId};

/// Whether an array can be filled with different elements, whichever are chosen first; `may_be_equal` tells
/// of which nodes a value of one may be one of the other.
pub(super) fn suffice(
    arrays: &Arrays,
    count: impl Fn(NodeId) -> Count,
    may_be_equal: impl Fn(NodeId, NodeId) -> bool,
) -> bool {
    let ways = Ways { arrays, clashes: None, is_exact: true, count };
    let prefix = ways.prefix();
    let is_left = |kinds: &[Kind], position: u32| {
        let is_used = |kind: &Kind| kinds.iter().any(|other| may_be_equal(kind.schema, other.schema));
        let before = (0..position).filter(|before| arrays.kinds(*before).iter().any(is_used));
        let all = ways.all(kinds);
        // Few kinds are so small that it matters which of the elements before can be equal.
        all > Count::from(position) || all > before.count() as Count
    };
    if !arrays.counts.is_empty() {
        let may_take_any = |position| {
            let mut kinds = arrays.kinds(position).iter();
            ways.need_not_come(position) || kinds.all(|kind| is_left(std::slice::from_ref(kind), position))
        };
        // Counts may leave any one of the kinds.
        return (0..prefix).all(may_take_any)
            && arrays.counts.iter().enumerate().all(|(at, count)| ways.grant(at, count))
            && (arrays.min_items <= prefix || ways.without_limit() >= Count::from(arrays.min_items));
    }
    let in_prefix =
        (0..prefix.min(arrays.min_items)).all(|position| is_left(arrays.kinds(position), position));
    in_prefix && (arrays.min_items <= prefix || ways.all(&arrays.rest) >= Count::from(arrays.min_items))
}

/// The ways to go on in an array that counts nothing, after `read` elements; where these need not differ, all
/// numbers beyond the bounds are one.
pub(super) fn ways(
    arrays: &Arrays,
    clashes: Option<&[u32]>,
    read: u32,
    count: impl Fn(NodeId) -> Count,
) -> Count {
    Ways { arrays, clashes, is_exact: true, count }.after(read)
}

/// The same by the states of the plan of an array that counts. Every state is after those that lead to it,
/// but for itself.
pub(super) fn ways_by_state(
    arrays: &Arrays,
    clashes: Option<&[u32]>,
    plan: &ArrayPlan,
    count: impl Fn(NodeId) -> Count,
) -> Box<[Count]> {
    let mut ways = vec![0; plan.states().len()];
    for state in plan.states().rev() {
        let read = plan.read(state);
        let is_exact = arrays.max_items.is_some() || read < arrays.lengths();
        let left = Ways { arrays, clashes, is_exact, count: &count };
        let (mut total, mut repeats) = (Count::from(plan.may_close(state)), false);
        for kind in arrays.kinds(read) {
            let Some(next) = plan.next(state, kind.counts_for) else { continue };
            let choices = left.choices((left.count)(kind.schema), read);
            if next == state {
                repeats |= choices > 0;
            } else {
                total = total.saturating_add(choices.saturating_mul(ways[next.index()]));
            }
        }
        // What can be repeated before the end can be repeated without end.
        ways[state.index()] = if repeats && total > 0 { ENDLESS } else { total };
    }
    ways.into()
}

struct Ways<'a, C> {
    arrays: &'a Arrays,
    /// See [`clashes`](super::apart::clashes).
    clashes: Option<&'a [u32]>,
    /// Whether it is known how many elements were read.
    is_exact: bool,
    count: C,
}

impl<C: Fn(NodeId) -> Count> Ways<'_, C> {
    fn after(&self, read: u32) -> Count {
        let prefix = self.prefix();
        let (mut total, mut ways): (Count, Count) = (0, 1);
        for length in read..prefix {
            total = total.saturating_add(if self.may_close(length) { ways } else { 0 });
            ways = ways.saturating_mul(self.choices(self.all(self.arrays.kinds(length)), length));
        }
        total.saturating_add(if ways == 0 { 0 } else { self.in_rest(read.max(prefix), ways) })
    }

    /// The ways to go on behind the prefix, where there are so many to come there. Each turn closes the array
    /// or at least doubles them, so there are few.
    fn in_rest(&self, from: u32, mut ways: Count) -> Count {
        let all = self.all(&self.arrays.rest);
        let most = self.arrays.max_items.map_or(u32::MAX, |most| most.max(from));
        if all == 1 && !self.arrays.unique {
            let longer = most.checked_sub(from.max(self.arrays.min_items));
            let lengths = longer.map_or(0, |longer| Count::from(longer) + 1);
            return if self.arrays.max_items.is_none() { ENDLESS } else { ways.saturating_mul(lengths) };
        }
        let mut total: Count = 0;
        for length in from..=most {
            if ways == ENDLESS && self.is_filled(all, length) {
                return ENDLESS;
            }
            total = total.saturating_add(if self.may_close(length) { ways } else { 0 });
            ways = if length < most { ways.saturating_mul(self.choices(all, length)) } else { 0 };
            if ways == 0 {
                break;
            }
        }
        total
    }

    /// Whether an array of this length can be closed, or filled with `all` elements until it can.
    fn is_filled(&self, all: Count, length: u32) -> bool {
        let enough =
            if self.arrays.unique { self.choices(all, self.arrays.min_items.saturating_sub(1)) } else { all };
        self.may_close(length) || enough > 0
    }

    /// Whether no element need come at a position of the prefix, whatever counts.
    fn need_not_come(&self, position: u32) -> bool {
        self.may_close(position) && self.arrays.counts.iter().all(|count| count.min == 0)
    }

    /// Whether no kind behind the prefix that counts is used up before there are enough: by elements that
    /// count, and those that stand where none does.
    fn grant(&self, at: usize, count: &schema::Count) -> bool {
        let elements = Count::from(count.min) + Count::from(count.from);
        let counting = self.arrays.rest.iter().filter(|kind| kind.counts_for >> at & 1 == 1);
        count.min == 0 || counting.into_iter().all(|kind| (self.count)(kind.schema) >= elements)
    }

    /// The elements behind the prefix of which no count says how many there may be at most.
    fn without_limit(&self) -> Count {
        let limits = self.arrays.counts.iter().enumerate().filter(|(_, count)| count.max.is_some());
        let limited = limits.fold(0, |limited, (at, _)| limited | 1 << at);
        let free = self.arrays.rest.iter().filter(|kind| kind.counts_for & limited == 0);
        free.map(|kind| (self.count)(kind.schema)).fold(0, Count::saturating_add)
    }

    fn prefix(&self) -> u32 {
        u32::try_from(self.arrays.prefix.len()).unwrap_or(u32::MAX)
    }

    fn may_close(&self, length: u32) -> bool {
        length >= self.arrays.min_items
    }

    fn all(&self, kinds: &[Kind]) -> Count {
        kinds.iter().map(|kind| (self.count)(kind.schema)).fold(0, Count::saturating_add)
    }

    /// Those of some elements that may come after so many.
    fn choices(&self, all: Count, read: u32) -> Count {
        match all {
            ENDLESS => ENDLESS,
            _ if !self.arrays.unique => all,
            _ if self.is_exact => all.saturating_sub(self.taken(read).into()),
            _ => 0,
        }
    }

    /// How many of the elements before a place may be equal to the one there.
    fn taken(&self, place: u32) -> u32 {
        let Some(clashes) = self.clashes else { return place };
        let prefix = self.prefix();
        clashes[place.min(prefix) as usize] + place.saturating_sub(prefix)
    }
}
