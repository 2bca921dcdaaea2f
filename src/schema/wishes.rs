//! Wishes: members that an object must have under names that the schema does not fix.
//!
//! A negated `propertyNames` asks for a name that is not among some, a negated `additionalProperties` for a
//! value. One member may grant several wishes, but a name occurs once, so a scarce name may be needed for one
//! wish. Both the schema, which says whether there is such an object, and its spelling, which must not use
//! such a name up, ask here.

use std::collections::BTreeMap;

/// What a member may grant: a set of wishes, at a cost.
pub(crate) type Grant = (u32, u64);

/// The least cost by the wishes that are granted and the number of members that grant them.
type Costs = BTreeMap<(u32, u32), u64>;

/// The members that may grant wishes.
pub(crate) struct Granting {
    /// By name, for classes that have few.
    scarce: BTreeMap<Vec<u8>, Vec<Grant>>,
    /// Of classes that have a name for each wish, and one more.
    free: Vec<Grant>,
    /// What so many of the free classes grant where nothing is granted before.
    followed: usize,
    reached: Costs,
}

impl Granting {
    /// No members.
    pub(crate) fn none() -> Self {
        let reached = BTreeMap::from([((0, 0), 0)]);
        Self { scarce: BTreeMap::new(), free: Vec::new(), followed: 0, reached }
    }

    /// Adds a class of names of which a member grants a set of wishes at a cost; the names, where they are no
    /// more than the wishes.
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

    /// Works out what the free classes grant, so that [`costs`](Self::costs) need not: for those who ask
    /// again after each class they add.
    pub(crate) fn follow(&mut self) {
        let new = &self.free[self.followed..];
        new.iter().for_each(|grant| one_more(&mut self.reached, std::slice::from_ref(grant)));
        self.followed = self.free.len();
    }

    /// How much there is to look at for the costs once all classes were followed.
    pub(crate) fn size(&self) -> usize {
        self.reached.len().saturating_mul(1 + self.scarce.len())
    }

    /// The least cost of granting so many wishes, of which some are granted, by no, one, two, … members, each
    /// with a name of its own.
    pub(crate) fn costs(&self, wishes: u32, granted: u32) -> impl Iterator<Item = Option<u64>> {
        let all = all_of(wishes);
        let (mut least, free) = match granted {
            0 => (self.reached.clone(), &self.free[self.followed..]),
            _ => (BTreeMap::from([((granted, 0), 0)]), &self.free[..]),
        };
        // A second member of a class grants nothing new, so each is looked at once; in which order members
        // come does not matter.
        free.iter().for_each(|grant| one_more(&mut least, std::slice::from_ref(grant)));
        self.scarce.values().for_each(|grants| one_more(&mut least, grants));
        (0..=wishes).map(move |members| least.get(&(all, members)).copied())
    }

    /// The fewest members that grant so many wishes when some are granted; `None` where they cannot be
    /// granted.
    pub(crate) fn fewest(&self, wishes: u32, granted: u32) -> Option<u32> {
        if self.scarce.is_empty() {
            return self.fewest_free(wishes, granted);
        }
        (0..).zip(self.costs(wishes, granted)).find_map(|(members, cost)| cost.map(|_| members))
    }

    /// The same where no name is scarce: what one member more grants is looked at once for each set of
    /// granted wishes. Objects ask in each of their states.
    fn fewest_free(&self, wishes: u32, granted: u32) -> Option<u32> {
        let all = all_of(wishes);
        let (mut reached, mut is_known) = (vec![granted], vec![false; all as usize + 1]);
        for members in 0..=wishes {
            if reached.contains(&all) {
                return Some(members);
            }
            let more = reached.iter().flat_map(|set| self.free.iter().map(move |(grants, _)| set | grants));
            reached = more.filter(|set| !std::mem::replace(&mut is_known[*set as usize], true)).collect();
        }
        None
    }
}

/// The set of so many wishes.
pub(super) fn all_of(wishes: u32) -> u32 {
    u32::MAX.checked_shr(32 - wishes).unwrap_or_default()
}

/// Lowers the least cost for each set of granted wishes and number of members, where one more member may
/// grant one of some.
fn one_more(least: &mut Costs, grants: &[Grant]) {
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
        let mut granting = Granting::none();
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
        for (classes, expected) in [
            (&[(1, "abcd"), (6, "abcd")][..], [Some(2), Some(1), Some(0)]),
            (&[(3, "abcd"), (5, "abcd"), (6, "abcd"), (7, "a")], [Some(1), Some(1), Some(0)]),
            (&[(3, "abcd"), (5, "abcd"), (6, "abcd")], [Some(2), Some(1), Some(0)]),
            (&[(3, "abcd")], [None, None, Some(0)]),
        ] {
            for (granted, expected) in [0, 1, 7].into_iter().zip(expected) {
                check(classes, granted, expected);
            }
        }
        check(&[], 7, Some(0));
    }
}
