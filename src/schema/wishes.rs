//! Wishes of an object: members that must be there, under names that are not said.
//!
//! A negated `propertyNames` wishes for a name that is not among some, a negated `additionalProperties` for a value. A member may grant several wishes, but a name
//! comes once: of the names that are few, one may be needed for a wish that no other name grants. Both the schema, which says whether there is such an object, and its
//! spelling, which must not use a name up, ask here.

use std::collections::BTreeMap;

/// The names that may grant wishes, with the sets of wishes that each may grant.
#[derive(Default)]
pub(crate) struct Granting {
    /// Names of classes that have few.
    scarce: BTreeMap<Vec<u8>, Vec<u32>>,
    /// What is granted by classes that have a name for each wish, and one more.
    free: Vec<u32>,
}

impl Granting {
    /// Adds a class that grants a set of wishes; its names, where they are no more than the wishes.
    pub(crate) fn add(&mut self, grants: u32, names: Option<Vec<Vec<u8>>>) {
        match names {
            Some(names) => {
                names.into_iter().for_each(|name| self.scarce.entry(name).or_default().push(grants));
            }
            None => self.free.push(grants),
        }
    }

    /// The names of classes that have few.
    pub(crate) fn scarce(&self) -> impl Iterator<Item = &[u8]> {
        self.scarce.keys().map(Vec::as_slice)
    }

    /// The fewest members, each with a name of its own, that grant so many wishes when some are granted; `None` where they cannot be granted.
    pub(crate) fn fewest(&self, wishes: u32, granted: u32) -> Option<u32> {
        let mut fewest = BTreeMap::from([(granted, 0)]);
        self.scarce.values().for_each(|grants| one_more(&mut fewest, grants));
        (0..wishes).for_each(|_| one_more(&mut fewest, &self.free));
        fewest.into_iter().find_map(|(granted, members)| (granted.count_ones() == wishes).then_some(members))
    }
}

/// Lowers the fewest members for each set of wishes, where one more member may grant one of some sets.
fn one_more(fewest: &mut BTreeMap<u32, u32>, grants: &[u32]) {
    let before: Vec<_> = fewest.iter().map(|(granted, members)| (*granted, *members)).collect();
    for (granted, members) in before {
        for grants in grants {
            let known = fewest.entry(granted | grants).or_insert(u32::MAX);
            *known = (*known).min(members + 1);
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
            granting.add(*grants, Some(names).filter(|names: &Vec<_>| names.len() <= 3));
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
