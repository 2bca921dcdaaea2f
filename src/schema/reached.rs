//! What a row of choices may grant.
//!
//! A declared member comes with one of its values, or not at all, and grants wishes either way. So what an object
//! may grant is found member by member: all sets that the members so far may grant, each at its least cost, but
//! those that another one beats, as it grants the same and more and costs no more.

use super::wishes::Grant;

/// Beyond so many sets, only equal ones are compared: all pairs would take longer than they save.
const COMPARED: usize = 64;

/// What a member may grant, as it comes or does not, but what another choice beats.
#[derive(Clone, Debug)]
pub(crate) struct Choices(Vec<Grant>);

impl Choices {
    pub(crate) fn new(all: impl IntoIterator<Item = Grant>) -> Self {
        Self(unbeaten(all.into_iter().collect()))
    }
}

/// Sets of wishes that may be granted, with the least cost of each.
#[derive(Clone, Debug)]
pub(crate) struct Reached(Vec<Grant>);

impl Reached {
    /// Before any choice.
    pub(crate) fn start(granted: u32) -> Self {
        Self(vec![(granted, 0)])
    }

    /// After one of some choices; none is left where there is none.
    pub(crate) fn choose(&mut self, choices: &Choices) {
        let both = |before: &Grant, choice: &Grant| (before.0 | choice.0, before.1.saturating_add(choice.1));
        match (&mut self.0[..], &choices.0[..]) {
            // As most members are.
            ([before], [only]) => *before = both(before, only),
            (all, choices) => {
                let each =
                    all.iter().flat_map(|before| choices.iter().map(move |choice| both(before, choice)));
                self.0 = unbeaten(each.collect());
            }
        }
    }

    /// What was granted, at what cost.
    pub(crate) fn sets(&self) -> &[Grant] {
        &self.0
    }
}

/// Those that none of the others beats.
fn unbeaten(grants: Vec<Grant>) -> Vec<Grant> {
    let grants = cheapest(grants);
    if grants.len() > COMPARED {
        return grants;
    }
    let beats = |one: &Grant, other: &Grant| one.0 | other.0 == one.0 && one.1 <= other.1;
    let is_beaten = |other: &Grant| grants.iter().any(|one| one.0 != other.0 && beats(one, other));
    grants.iter().filter(|grant| !is_beaten(grant)).copied().collect()
}

/// Of equal sets the cheapest, sorted.
fn cheapest(mut grants: Vec<Grant>) -> Vec<Grant> {
    if grants.len() <= COMPARED {
        // Of two equal sets the cheaper one comes first.
        grants.sort_unstable();
        grants.dedup_by_key(|(granted, _)| *granted);
        return grants;
    }
    let all = grants.iter().fold(0, |all, (granted, _)| all | granted);
    let mut costs = vec![None; all as usize + 1];
    for (granted, cost) in grants {
        let known: &mut Option<u64> = &mut costs[granted as usize];
        *known = Some(known.map_or(cost, |known| known.min(cost)));
    }
    (0..).zip(costs).filter_map(|(granted, cost)| Some((granted, cost?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sets that are reached by these rows of choices.
    fn check(rows: &[&[Grant]], expected: &[Grant]) {
        let mut reached = Reached::start(0);
        rows.iter().for_each(|choices| reached.choose(&Choices::new(choices.iter().copied())));
        assert_eq!(reached.sets(), expected, "{rows:?}");
    }

    #[test]
    fn sets_that_another_one_beats_are_forgotten() {
        check(&[], &[(0, 0)]);
        check(&[&[]], &[]);
        check(&[&[(1, 0), (0, 5)]], &[(1, 0)]);
        check(&[&[(1, 5), (0, 0)]], &[(0, 0), (1, 5)]);
        check(&[&[(1, 5), (2, 3), (3, 4)]], &[(2, 3), (3, 4)]);
        check(&[&[(0, 0), (1, 2)], &[(1, 0), (2, 1)]], &[(1, 0), (2, 1), (3, 3)]);
        check(&[&[(0, 0), (1, 2)], &[(1, 0), (2, 1)], &[(3, 9)]], &[(3, 9)]);
    }

    #[test]
    fn many_sets_are_all_kept_that_none_beats() {
        let row = |wish: u32| [(0, 0), (1 << wish, 1 << wish)];
        let rows: Vec<_> = (0..9).map(row).collect();
        let rows: Vec<&[Grant]> = rows.iter().map(|row| &row[..]).collect();
        check(&rows, &(0..512).map(|set| (set, u64::from(set))).collect::<Vec<_>>());
    }
}
