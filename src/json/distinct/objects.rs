//! How many ways there are to go on in an object.

use std::iter;

use super::{Count, ENDLESS};
use crate::schema::{Member, NameClass, NodeId, Objects};

/// Names of a class that are counted, at most: a class may have more than can be gone through, and each mask
/// that asks would.
const NAMES: u64 = 128;

/// The ways to go on in an object with the members at these places still to come, when so many were `read`
/// that grant some wishes. `wishing` tells the fewest members that grant all wishes when one more, this
/// declared one or another, grants some, `names_left` how many names of a class are not used; `None` for
/// without end.
pub(super) fn ways<I: Iterator<Item = usize>>(
    objects: &Objects,
    open: impl Fn() -> I,
    (read, granted): (u32, u32),
    wishing: impl Fn(Option<usize>, u32) -> Option<u32>,
    names_left: impl Fn(usize) -> Option<u64>,
    count: impl Fn(NodeId) -> Count,
) -> Count {
    let members = || open().map(|place| &objects.members[place]);
    // A member whose absence grants what else is not granted does not come.
    let is_free = |member: &&Member| member.required || member.absence_grants & !granted == 0;
    let free = members().filter(is_free).map(|member| (member.required, member.schema));
    let ways = ways_of(objects, free, read, |grants| wishing(None, grants), names_left, &count);
    if ways == ENDLESS || objects.are_all_granted(granted) || !objects.members_grant() {
        return ways;
    }
    let values = |place: usize| {
        let kinds = objects.members[place].kinds();
        let granting = kinds.filter(|kind| wishing(Some(place), kind.grants).is_some());
        granting.map(|kind| count(kind.schema)).fold(0, Count::saturating_add)
    };
    open().map(values).fold(ways, Count::max)
}

/// The same where each of the `open` members may come, or must, whatever the others are.
fn ways_of(
    objects: &Objects,
    open: impl Iterator<Item = (bool, NodeId)>,
    read: u32,
    wishing: impl Fn(u32) -> Option<u32>,
    names_left: impl Fn(usize) -> Option<u64>,
    count: impl Fn(NodeId) -> Count,
) -> Count {
    let Open { required, with_required, mut optional } = Open::new(open, &count);
    if with_required == 0 {
        return 0;
    }
    let fixed = read.saturating_add(required);
    let room = objects.max_members.map_or(u32::MAX, |max| max.saturating_sub(fixed));
    // With one of its members there must be room for those that grant what is wished for besides.
    let has_room = |class: &NameClass| wishing(class.grants).is_some_and(|wishing| wishing < room);
    let classes = || (0..).zip(&objects.rest).map(|(at, class)| (class, names_left(at), count(class.schema)));
    if classes().any(|(class, left, values)| left.is_none() && values > 0 && has_room(class)) {
        return ENDLESS;
    }
    if wishing(0) != Some(0) {
        return 0;
    }
    // Names of classes that grant a wish are names of another class, too.
    for (_, left, values) in classes().filter(|(class, ..)| class.grants == 0) {
        optional.extend(iter::repeat_n(values, left.unwrap_or_default().min(NAMES) as usize));
    }
    optional.retain(|values| *values > 0);
    let least = objects.min_members.saturating_sub(fixed);
    with_required.saturating_mul(subsets(&optional, least as usize, room as usize))
}

/// Members that are declared and still to come.
struct Open {
    required: u32,
    /// The ways to choose values for those.
    with_required: Count,
    /// For each of the others how many values it has.
    optional: Vec<Count>,
}

impl Open {
    fn new(open: impl Iterator<Item = (bool, NodeId)>, count: impl Fn(NodeId) -> Count) -> Self {
        let mut all = Self { required: 0, with_required: 1, optional: Vec::new() };
        for (is_required, schema) in open {
            if is_required {
                all.required += 1;
                all.with_required = all.with_required.saturating_mul(count(schema));
            } else {
                all.optional.push(count(schema));
            }
        }
        all
    }
}

/// The ways to choose at least `least` and at most `most` of some members, each with one of so many values.
fn subsets(values: &[Count], least: usize, most: usize) -> Count {
    let all = values.len();
    let most = most.min(all);
    if least > most {
        return 0;
    }
    if (least, most) == (0, all) {
        return values.iter().map(|values| values.saturating_add(1)).fold(1, Count::saturating_mul);
    }
    if binomial(all, (all / 2).clamp(least, most)) == ENDLESS {
        return ENDLESS;
    }
    // Then few members are chosen, or few are not: the members are counted of which there are fewer.
    let counts_absent = all - least < most;
    let (least, most) = if counts_absent { (all - most, all - least) } else { (least, most) };
    let mut ways: Vec<Count> = vec![0; most + 1];
    ways[0] = 1;
    for values in values {
        let (counted, others) = if counts_absent { (1, *values) } else { (*values, 1) };
        for chosen in (0..=most).rev() {
            let before = if chosen == 0 { 0 } else { ways[chosen - 1] };
            ways[chosen] = ways[chosen].saturating_mul(others).saturating_add(before.saturating_mul(counted));
        }
    }
    ways[least..].iter().copied().fold(0, Count::saturating_add)
}

/// The ways to choose `some` of `all`.
fn binomial(all: usize, some: usize) -> Count {
    let some = some.min(all - some) as u128;
    let mut ways: u128 = 1;
    for chosen in 0..some {
        ways = ways * (all as u128 - chosen) / (chosen + 1);
        if ways >= ENDLESS.into() {
            return ENDLESS;
        }
    }
    Count::try_from(ways).unwrap_or(ENDLESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against all subsets, one by one.
    #[test]
    fn subsets_are_counted() {
        for values in [vec![], vec![1, 1, 1, 1, 1], vec![3, 1, 2, 5], vec![2, 7, 1, 1, 4, 3]] {
            for least in 0..=values.len() + 1 {
                for most in 0..=values.len() + 1 {
                    let ways = |chosen: u32| -> Count {
                        let is_chosen = |at: &usize| chosen >> at & 1 == 1;
                        (0..values.len()).filter(is_chosen).map(|at| values[at]).product()
                    };
                    let is_allowed = |chosen: &u32| (least..=most).contains(&(chosen.count_ones() as usize));
                    let expected: Count = (0..1 << values.len()).filter(is_allowed).map(ways).sum();
                    assert_eq!(subsets(&values, least, most), expected, "{values:?} {least} to {most}");
                }
            }
        }
    }

    #[test]
    fn many_members_are_counted_in_little_time() {
        let values = vec![1; 100_000];
        let all = values.len();
        assert_eq!(subsets(&values, 0, 1), 100_001);
        assert_eq!(subsets(&values, all - 1, all), 100_001);
        assert_eq!(subsets(&values, 1, all - 1), ENDLESS);
        assert_eq!((binomial(66, 33), binomial(68, 34)), (7_219_428_434_016_265_740, ENDLESS));
    }
}
