//! Wishes: members that an object must have under names that the schema does not fix.
//!
//! A negated `propertyNames` asks for a name that is not among some, a negated `additionalProperties` for a value. One member may grant
//! several wishes, but a name occurs once, so a scarce name may be needed for one wish. Both the schema, which says whether there is such
//! an object, and its spelling, which must not use such a name up, ask here.

use std::collections::BTreeMap;

/// What a member may grant: a set of wishes, at a cost.
type Grant = (u32, u64);

/// The members that may grant wishes.
#[derive(Default)]
pub(crate) struct Granting {
    /// By name, for classes that have few.
    scarce: BTreeMap<Vec<u8>, Vec<Grant>>,
    /// Of classes that have a name for each wish, and one more.
    free: Vec<Grant>,
}

impl Granting {
    /// Adds a class of names of which a member grants a set of wishes at a cost; the names, where they are no more than the wishes.
    pub(crate) fn add(&mut self, grants: u32, cost: u64, names: Option<Vec<Vec<u8>>>) {
        match names {
            Some(names) => {
                names.into_iter().for_each(|name| self.scarce.entry(name).or_default().push((grants, cost)));
            }
            None => self.free.push((grants, cost)),
        }
    }

    /// The names of classes that have few.
    pub(crate) fn scarce(&self) -> impl Iterator<Item = &[u8]> {
        self.scarce.keys().map(Vec::as_slice)
    }

    /// The least cost of granting so many wishes, of which some are granted, by no, one, two, … members, each with a name of its own.
    pub(crate) fn costs(&self, wishes: u32, granted: u32) -> impl Iterator<Item = Option<u64>> {
        let all = u32::MAX.checked_shr(32 - wishes).unwrap_or_default();
        let mut least = BTreeMap::from([((granted, 0), 0)]);
        self.scarce.values().for_each(|grants| one_more(&mut least, grants));
        // Each member grants something new, so as many as there are wishes are enough.
        (0..wishes).for_each(|_| one_more(&mut least, &self.free));
        (0..=wishes).map(move |members| least.get(&(all, members)).copied())
    }

    /// The fewest members that grant so many wishes when some are granted; `None` where they cannot be granted.
    pub(crate) fn fewest(&self, wishes: u32, granted: u32) -> Option<u32> {
        (0..).zip(self.costs(wishes, granted)).find_map(|(members, cost)| cost.map(|_| members))
    }
}

/// Lowers the least cost for each set of granted wishes and number of members, where one more member may grant one of some.
fn one_more(least: &mut BTreeMap<(u32, u32), u64>, grants: &[Grant]) {
    let before: Vec<_> = least.iter().map(|(reached, cost)| (*reached, *cost)).collect();
    for ((granted, members), cost) in before {
        for (grants, more) in grants.iter().filter(|(grants, _)| grants & !granted != 0) {
            let known = least.entry((granted | grants, members + 1)).or_insert(u64::MAX);
            *known = (*known).min(cost.saturating_add(*more));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wishes 0 to 2, granted by names of one letter.
    fn check(classes: &[(u32, &str)], granted: u32, expected: Option<u32>) {
        let mut granting = Granting::default();
        for (grants, names) in classes {
            let names = names.bytes().map(|name| vec![name]).collect();
            granting.add(*grants, 1, Some(names).filter(|names: &Vec<_>| names.len() <= 3));
        }
        assert_eq!(granting.fewest(3, granted), expected, "{classes:?} when {granted:b} are granted");
    }

    #[test]
    fn a_name_grants_once() {
        check(&[(1, "a"), (2, "a"), (4, "a")], 0, None);
        check(&[(1, "a"), (2, "a"), (4, "a"), (3, "a")], 4, Some(1));
        check(&[(1, "ab"), (2, "ab"), (4, "ab")], 0, None);
        check(&[(1, "abc"), (2, "abc"), (4, "abc")], 0, Some(3));
        check(&[(1, "ab"), (6, "a")], 0, Some(2));
        check(&[(1, "a"), (6, "a")], 0, None);
        check(&[(1, "abcd"), (2, "abcd"), (4, "a")], 0, Some(3));
        check(&[(7, "abcd"), (4, "a")], 0, Some(1));
        check(&[(3, "ab")], 0, None);
        check(&[], 7, Some(0));
    }
}
