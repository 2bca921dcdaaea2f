//! The declared members of some objects that may grant wishes.
//!
//! An object asks in each of its states what is granted as members do not come, and what others may still
//! grant. Of most objects no member grants anything, and of a large one few do: those are found once. Were all
//! members gone through each time, a mask of 16,000 members in any order, four of which may grant a wish, took
//! most of a second.

use super::NodeId;
use super::reached::{Choices, Reached};
use super::values::{Member, Objects};

/// The members that may grant wishes, with what each may grant.
#[derive(Debug)]
pub(crate) struct Granters(Box<[Granter]>);

#[derive(Debug)]
struct Granter {
    place: usize,
    /// What is granted where it does not come.
    absence: u32,
    choices: Choices,
}

impl Granters {
    /// Those of some objects, where the cost of a member with a value is told.
    pub(crate) fn new(objects: &Objects, cost: impl Fn(&Member, NodeId) -> u64) -> Self {
        if objects.wishes == 0 {
            return Self(Box::default());
        }
        let granting = objects.members.iter().enumerate().filter(|(_, member)| member.grants_any());
        let granter = |(place, member): (usize, &Member)| {
            let choices = member.choices(|schema| cost(member, schema));
            Granter { place, absence: member.absence_grants, choices }
        };
        Self(granting.map(granter).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What the member at a place may grant; `None` where it grants nothing.
    pub(crate) fn choices(&self, place: usize) -> Option<&Choices> {
        let found = self.0.binary_search_by_key(&place, |granter| granter.place);
        found.ok().map(|at| &self.0[at].choices)
    }

    /// What is granted where none of the members at open places comes.
    pub(crate) fn absence_grants(&self, is_open: impl Fn(usize) -> bool) -> u32 {
        let absent = self.0.iter().filter(|granter| is_open(granter.place));
        absent.fold(0, |granted, granter| granted | granter.absence)
    }

    /// The members at open places, with what each may grant.
    pub(crate) fn open(&self, is_open: impl Fn(usize) -> bool) -> impl Iterator<Item = (usize, &Choices)> {
        let open = self.0.iter().filter(move |granter| is_open(granter.place));
        open.map(|granter| (granter.place, &granter.choices))
    }

    /// What the members at open places may grant together, beside what is granted.
    pub(crate) fn reached(&self, granted: u32, is_open: impl Fn(usize) -> bool) -> Reached {
        let mut reached = Reached::start(granted);
        self.open(is_open).for_each(|(_, choices)| reached.choose(choices));
        reached
    }
}
