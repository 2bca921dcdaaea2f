//! How long the rest of an object is at least after each member with each kind of value, where values grant
//! wishes.
//!
//! What is still granted afterwards depends on all other members. It is found for all but each of them, by
//! halves: were it found anew for each, a mask of 200 members in any order, with ten wishes, took more than a
//! minute.

use super::members::Members;
use super::progress::Declared;
use super::rest::{Missing, Sum};
use crate::schema::{Choices, Member, MemberKind, Reached};

/// The least length of the rest after each member that may come next.
#[derive(Debug)]
pub(super) struct KindLens {
    /// By place, of each kind of value.
    members: Box<[Box<[u32]>]>,
    /// By the class of another name.
    pub(super) classes: Box<[u32]>,
}

/// What is needed to find them.
struct Finder<'m> {
    members: &'m Members,
    /// Members that grant nothing and are still to come.
    missing: Missing<'m>,
    found: Vec<Box<[u32]>>,
}

impl KindLens {
    pub(super) fn new(members: &Members) -> Self {
        let missing = Missing::new(members, members.read_after());
        let found = vec![Box::default(); members.objects().members.len()];
        let mut finder = Finder { members, missing, found };
        let classes = match &members.progress.declared {
            Declared::Next(_) => finder.find_in_order(),
            Declared::Read(_) => finder.find_in_any_order(),
        };
        Self { members: finder.found.into(), classes }
    }

    pub(super) fn after(&self, place: usize, member: &Member, kind: MemberKind) -> u32 {
        let at = member.kinds().position(|known| known == kind).expect("one of its kinds");
        self.members[place][at]
    }
}

impl Finder<'_> {
    /// From the last member to the first: behind each, those before it are passed over.
    fn find_in_order(&mut self) -> Box<[u32]> {
        let open: Vec<(usize, &Member)> = self.members.open_members().collect();
        open.iter().for_each(|(_, member)| self.change(member, Sum::remove));
        let classes = self.classes(&Reached::start(0));
        let mut reached = Reached::start(0);
        for (place, member) in open.into_iter().rev() {
            self.note(place, member, &reached);
            self.change(member, Sum::add);
            let granters = self.members.object.granters_with_lens();
            granters.choices(place).into_iter().for_each(|choices| reached.choose(choices));
        }
        classes
    }

    fn find_in_any_order(&mut self) -> Box<[u32]> {
        let Members { object, progress, .. } = self.members;
        let granters = object.granters_with_lens();
        let granting: Vec<_> = granters.open(|member| progress.declared.is_open(member)).collect();
        let mut all = Reached::start(0);
        granting.iter().for_each(|(_, choices)| all.choose(choices));
        for (place, member) in self.members.open_members().filter(|(_, member)| !member.grants_any()) {
            self.change(member, Sum::remove);
            self.note(place, member, &all);
            self.change(member, Sum::add);
        }
        self.note_each(&granting, Reached::start(0));
        self.classes(&all)
    }

    /// Notes each of some members, where `reached` is what all others grant.
    fn note_each(&mut self, granting: &[(usize, &Choices)], reached: Reached) {
        let with = |mut reached: Reached, others: &[(usize, &Choices)]| {
            others.iter().for_each(|(_, choices)| reached.choose(choices));
            reached
        };
        match granting {
            [] => {}
            [(place, _)] => self.note(*place, &self.members.objects().members[*place], &reached),
            several => {
                let (left, right) = several.split_at(several.len() / 2);
                self.note_each(left, with(reached.clone(), right));
                self.note_each(right, with(reached, left));
            }
        }
    }

    fn note(&mut self, place: usize, member: &Member, reached: &Reached) {
        let granted = self.members.progress.granted | self.members.passed_over(place);
        let rest = |kind: MemberKind| self.missing.rest_len_with(reached, granted | kind.grants);
        self.found[place] = member.kinds().map(rest).collect();
    }

    fn classes(&self, reached: &Reached) -> Box<[u32]> {
        let objects = self.members.objects();
        let granted = self.members.progress.granted | self.members.passed_over(objects.members.len());
        let rest = |grants: u32| self.missing.rest_len_with(reached, granted | grants);
        objects.rest.iter().map(|class| rest(class.grants)).collect()
    }

    fn change(&mut self, member: &Member, change: fn(&mut Sum, u32)) {
        if !member.grants_any() {
            self.missing.change(member, change);
        }
    }
}
