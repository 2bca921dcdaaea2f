//! A cell, and how much of what it wants is known.

use std::collections::BTreeMap;

use crate::schema::counted::Counted;
use crate::schema::reached::{Choices, Reached};
use crate::schema::wishes::{Grant, Granting};

/// What a cell wants of a node.
#[derive(Clone, Copy)]
pub(super) enum Want {
    /// So many values of it.
    Needs(u64),
    /// Further members with names of this length, so many at most.
    Offers { name_len: u64, count: u64 },
    /// A member of this class of those that grant wishes.
    Grants { class: usize },
    /// This declared member of those that grant wishes, with a value that grants these.
    Kind { declared: usize, grants: u32, name_len: u64 },
    /// An element of an array that counts, at this position of those told apart.
    Counts { position: usize, counts_for: u32 },
}

/// A cell, and how much of what it needs is known.
pub(super) struct Cell {
    pub(super) node: usize,
    /// Length of what is settled.
    settled: u64,
    /// Parts that are not.
    missing: usize,
    /// Further members, for an object.
    pub(super) more: Option<More>,
    /// The array with counts that this is: its length depends on all of its elements at once.
    pub(super) counted: Option<Box<Counted>>,
}

/// What an object needs beside its required members.
pub(super) struct More {
    required: u64,
    extras: Extras,
    wishes: Wishes,
}

/// The further members an object needs to have enough, and the cheapest found so far.
#[derive(Default)]
struct Extras {
    needed: u64,
    /// How many members there are at each cost.
    found: BTreeMap<u64, u64>,
}

/// The wishes of an object, and the members that grant them.
struct Wishes {
    count: u32,
    /// So many members may be added.
    room: usize,
    classes: Vec<WishClass>,
    /// Those with a value.
    granting: Granting,
    /// The declared members that may grant some, each with its choices so far: its absence, and its values.
    declared: Vec<Vec<Grant>>,
    /// What those may grant.
    reached: Reached,
    /// Whether it will be looked at what members grant: once for all that are as long.
    is_awaited: bool,
}

/// A class of names that grants wishes.
struct WishClass {
    grants: u32,
    name_len: u64,
    /// The names, where they are no more than the wishes.
    scarce: Option<Vec<Vec<u8>>>,
}

impl Cell {
    /// A cell of a node whose text has at least this length, and that wants nothing yet.
    pub(super) fn new(node: usize, settled: u64) -> Self {
        Self { node, settled, missing: 0, more: None, counted: None }
    }

    /// Counts a part that is missing.
    pub(super) fn miss(&mut self) {
        self.missing += 1;
    }

    /// Takes what it wants, now that it is known to be that long.
    pub(super) fn supply(&mut self, want: Want, len: u64) {
        match want {
            // It has a step of its own.
            Want::Counts { .. } => {}
            Want::Needs(count) => {
                self.settled = self.settled.saturating_add(len.saturating_mul(count));
                self.missing -= 1;
            }
            // One more for the colon.
            Want::Offers { name_len, count } => {
                self.more().extras.add(name_len.saturating_add(1).saturating_add(len), count);
            }
            Want::Grants { class } => {
                let Wishes { classes, granting, .. } = &mut self.more().wishes;
                let WishClass { grants, name_len, scarce } = &mut classes[class];
                granting.add(*grants, name_len.saturating_add(1).saturating_add(len), scarce.take());
            }
            // One more for the colon, and one for a comma.
            Want::Kind { declared, grants, name_len } => {
                let choices = &mut self.more().wishes.declared[declared];
                choices.push((grants, name_len.saturating_add(2).saturating_add(len)));
            }
        }
    }

    /// Whether it has wishes, and is not waiting already until they are [looked at](Self::grant_wishes).
    pub(super) fn await_wishes(&mut self) -> Option<bool> {
        let wishes = &mut self.more.as_mut().filter(|more| more.wishes.count > 0)?.wishes;
        Some(!std::mem::replace(&mut wishes.is_awaited, true))
    }

    /// Works out what members grant of the wishes; tells how much there was to look at.
    pub(super) fn grant_wishes(&mut self) -> usize {
        let wishes = &mut self.more().wishes;
        wishes.is_awaited = false;
        wishes.follow();
        wishes.size()
    }

    pub(super) fn more(&mut self) -> &mut More {
        self.more.as_mut().expect("only an object is offered members")
    }

    /// The length of its shortest text, where all that it needs is known.
    pub(super) fn len(&self) -> Option<u64> {
        if let Some(counted) = &self.counted {
            return counted.len();
        }
        let more = match &self.more {
            Some(more) => more.least_len()?,
            None => 0,
        };
        (self.missing == 0).then(|| self.settled.saturating_add(more))
    }
}

impl More {
    /// Of an object with so many required members, that needs more of them and may have as many as there is
    /// room for.
    pub(super) fn new(required: u64, needed: u64, wishes: usize, room: usize) -> Self {
        let count = u32::try_from(wishes).expect("few wishes");
        let (granting, reached) = (Granting::none(), Reached::start(0));
        let (classes, declared) = Default::default();
        let wishes = Wishes { count, room, classes, granting, declared, reached, is_awaited: false };
        Self { required, extras: Extras { needed, ..Extras::default() }, wishes }
    }

    /// Adds a declared member that may grant wishes; `absence` is what is granted without it, where it may be
    /// absent.
    pub(super) fn add_declared(&mut self, absence: Option<u32>) -> usize {
        self.wishes.declared.push(absence.map(|grants| (grants, 0)).into_iter().collect());
        self.wishes.declared.len() - 1
    }

    /// Adds a class of names that grants wishes; its names, where they are no more than the wishes.
    pub(super) fn add_class(&mut self, grants: u32, name_len: u64, scarce: Option<Vec<Vec<u8>>>) -> Want {
        self.wishes.classes.push(WishClass { grants, name_len, scarce });
        Want::Grants { class: self.wishes.classes.len() - 1 }
    }

    /// The least length of the further members and all commas. Members that grant wishes are further members,
    /// too.
    fn least_len(&self) -> Option<u64> {
        // Most objects have no wishes, and need no list.
        if self.wishes.count == 0 {
            return self.total(0, 0);
        }
        if !self.wishes.declared.is_empty() {
            // The first member has no comma.
            return Some(self.wishes.granted_by_declared()?.saturating_add(self.required).saturating_sub(1));
        }
        let Wishes { count, room, granting, .. } = &self.wishes;
        let granting = (0..).zip(granting.costs(*count, 0)).take(room.saturating_add(1));
        granting.filter_map(|(members, cost)| self.total(members, cost?)).min()
    }

    /// The least length where so many members grant the wishes, at this cost.
    fn total(&self, granting: u64, cost: u64) -> Option<u64> {
        // Names that grant a wish are among those that are offered.
        self.extras.total(self.extras.needed)?;
        let extras = self.extras.needed.saturating_sub(granting);
        let commas = (self.required + granting + extras).saturating_sub(1);
        Some(cost.saturating_add(self.extras.total(extras)?).saturating_add(commas))
    }
}

impl Wishes {
    /// Works out what the members may grant.
    fn follow(&mut self) {
        self.granting.follow();
        self.reached = Reached::start(0);
        self.declared.iter().for_each(|choices| self.reached.choose(&Choices::new(choices.iter().copied())));
    }

    /// The least length of members that grant all wishes, each with a comma: declared ones, and others where
    /// those do not grant all.
    fn granted_by_declared(&self) -> Option<u64> {
        let total = |(granted, cost): &Grant| {
            let others = (0..).zip(self.granting.costs(self.count, *granted));
            let others = others.filter_map(|(members, more)| Some(more?.saturating_add(members))).min()?;
            Some(cost.saturating_add(others))
        };
        self.reached.sets().iter().filter_map(total).min()
    }

    fn size(&self) -> usize {
        let sets = self.reached.sets().len();
        self.granting
            .size()
            .saturating_mul(sets.max(1))
            .saturating_add(self.declared.len().saturating_mul(sets))
    }
}

impl Extras {
    /// Adds members, and forgets those that are not among the cheapest.
    fn add(&mut self, cost: u64, count: u64) {
        let more = self.found.entry(cost).or_default();
        *more = more.saturating_add(count);
        let mut enough = 0;
        self.found.retain(|_, count| {
            let keep = enough < self.needed;
            enough = enough.saturating_add(*count);
            keep
        });
    }

    /// The cost of the cheapest ones; `None` while there are too few.
    fn total(&self, mut needed: u64) -> Option<u64> {
        let mut total = 0_u64;
        for (cost, count) in &self.found {
            let taken = needed.min(*count);
            total = total.saturating_add(cost.saturating_mul(taken));
            needed -= taken;
        }
        (needed == 0).then_some(total)
    }
}
