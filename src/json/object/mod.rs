//! Objects: a rule whose data is which members were read.
//!
//! A member is offered only where the object can still be completed after it: required members keep their
//! place in the count, and a name is never offered twice. The names that any alternative knows are one
//! labelled leaf ([`names`]); any other name is captured, so that what follows knows it was used. Where the
//! object must differ from others, values are captured too.
//!
//! A node may have many alternatives of objects; those that agree with what was read are read side by side
//! ([`alternatives`]).
//!
//! What a state offers is judged at once for all its members ([`left`]); what follows a name is made when
//! that name was read ([`then`]). An object of fifty members has many states, and most of what could follow
//! in each is never reached.

mod alternatives;
mod inclusion;
mod kind_lens;
mod left;
mod members;
mod named;
mod names;
mod others;
mod progress;
mod rest;
mod then;
mod value;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use foldhash::HashMap;
use serde_json::{Map, Value};

use super::listed::Listed;
use super::spelling::Spelling;
use super::string::{Escapes, StringLanguage, Words};
use crate::expression::{Expression, Leaf};
use crate::regular::Dfa;
use crate::schema::{Granters, Member, NodeId, Objects};
use alternatives::{Alternatives, Group};
use members::Members;
use names::{Names, Quoted};

/// The objects of a node but some to avoid, inside of `level` containers; `None` where no object is left.
pub(super) fn objects(
    spelling: &Arc<Spelling>,
    node: NodeId,
    level: u32,
    avoid: &[Arc<Map<String, Value>>],
) -> Option<Expression> {
    let cells = 0..spelling.schema.values(node).objects.len();
    if cells.is_empty() {
        return None;
    }
    let facts = spelling.facts(node);
    let object = |cell| Object { spelling: spelling.clone(), node, cell, level, facts: facts.clone() };
    let group = Arc::new(Group::new(cells.map(object)));
    let start = |object: &Arc<Object>| {
        let admitted = avoid.iter().filter(|avoided| spelling.schema.objects_have(object.objects(), avoided));
        Some(Members::start(object, admitted.cloned().collect())).filter(Members::can_avoid_all)
    };
    let alive = start_each(&group, start);
    let rest = (!alive.is_empty()).then(|| Expression::rule(Arc::new(Alternatives::of(&group, alive))));
    rest.map(|rest| spelling.punctuation.open_object.clone().then(rest))
}

/// The cells that a text may begin, but those that another one of them includes. Which do is the same
/// whatever is to be avoided.
fn start_each(group: &Group, start: impl Fn(&Arc<Object>) -> Option<Members>) -> Vec<Members> {
    if group.objects.len() == 1 {
        return start(&group.objects[0]).into_iter().collect();
    }
    let includers = group.includers();
    let (mut started, mut order) = (vec![None; includers.len()], Vec::from_iter(0..includers.len()));
    // Those that none includes come first.
    order.sort_by_key(|cell| includers[*cell].is_some());
    for cell in order {
        let is_included = includers[cell].is_some_and(|by| started[by].is_some());
        started[cell] = if is_included { None } else { start(&group.objects[cell]) };
    }
    started.into_iter().flatten().collect()
}

/// How much there is to look at for the lengths of members that grant wishes: what each grants, beside each
/// set that is granted before.
pub(super) fn wishing_size(objects: &Objects) -> usize {
    let granting = objects.rest.iter().filter(|class| class.grants != 0).count();
    ((1 << objects.wishes) - 1_usize).saturating_mul(1 + granting).saturating_mul(1 + objects.wishes as usize)
}

/// What all states of one object cell share.
#[derive(Debug)]
struct Object {
    spelling: Arc<Spelling>,
    node: NodeId,
    cell: usize,
    /// The containers around it.
    level: u32,
    facts: Arc<Facts>,
}

/// What is found out about the objects of a node, whatever the text around them: once for all places where it
/// comes.
#[derive(Debug)]
pub(super) struct Facts {
    cells: Box<[CellFacts]>,
    /// The names that any of them knows.
    known: OnceLock<Arc<Words>>,
    /// What those are to each.
    names: OnceLock<Names>,
    /// All names but those.
    any_other: OnceLock<Option<Leaf>>,
    /// By the names of a class those that none of them knows: cells whose classes differ in known names only
    /// have the same.
    unknown: Mutex<HashMap<Arc<Dfa>, Arc<Dfa>>>,
    /// For each cell another one that allows all that it allows.
    includers: OnceLock<Box<[Option<usize>]>>,
}

/// What is found out about one cell.
#[derive(Debug)]
struct CellFacts {
    /// For each class of other names how many there are; `None` for without end.
    class_sizes: OnceLock<Box<[Option<u64>]>>,
    /// By the wishes that are granted, the least length of the members that grant the others: with no, one,
    /// two, … members.
    wish_lens: OnceLock<Box<[Box<[u32]>]>>,
    /// The members that may grant wishes.
    granters: OnceLock<Granters>,
    /// The same with the lengths of those members.
    granters_with_lens: OnceLock<Granters>,
    /// For each class the names that are left where none was used; `None` where there are none.
    unused_names: Box<[OnceLock<Option<Leaf>>]>,
    /// The names of its members.
    quoted: Quoted,
}

impl Facts {
    /// Nothing yet.
    pub(super) fn new(objects: &[Objects]) -> Self {
        let cell = |objects: &Objects| CellFacts {
            class_sizes: OnceLock::new(),
            wish_lens: OnceLock::new(),
            granters: OnceLock::new(),
            granters_with_lens: OnceLock::new(),
            unused_names: std::iter::repeat_with(OnceLock::new).take(objects.rest.len()).collect(),
            quoted: Quoted::new(objects.members.len()),
        };
        Self {
            cells: objects.iter().map(cell).collect(),
            known: OnceLock::new(),
            names: OnceLock::new(),
            any_other: OnceLock::new(),
            unknown: Mutex::default(),
            includers: OnceLock::new(),
        }
    }

    /// The names of a class but the known ones.
    fn unknown(&self, names: &Arc<Dfa>, known: &Dfa) -> Arc<Dfa> {
        let found = || self.unknown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(unknown) = found().get(names) {
            return unknown.clone();
        }
        // Made while nobody waits for the lock.
        let unknown = Arc::new(names.difference(known, usize::MAX).expect("no limit"));
        found().entry(names.clone()).or_insert(unknown).clone()
    }
}

impl Object {
    fn facts(&self) -> &CellFacts {
        &self.facts.cells[self.cell]
    }

    fn objects(&self) -> &Objects {
        &self.cells()[self.cell]
    }

    /// What makes it this object.
    fn key(&self) -> (*const Spelling, NodeId, usize, u32) {
        (Arc::as_ptr(&self.spelling), self.node, self.cell, self.level)
    }

    /// The names that this or another cell of the node knows.
    fn known(&self) -> &Arc<Words> {
        self.facts.known.get_or_init(|| self.spelling.names(names::all_known(self.cells())))
    }

    /// What those are to each cell.
    fn names(&self) -> &Names {
        self.facts.names.get_or_init(|| Names::new(self.known().clone(), self.cells()))
    }

    fn cells(&self) -> &[Objects] {
        &self.spelling.schema.values(self.node).objects
    }

    /// Its member with the name at a place; `None` where only other cells know that name. Where there is one
    /// cell, places are those of its members, so that the names of a small object need no automaton; else
    /// they are the ranks of the names.
    fn member_at(&self, place: usize) -> Option<usize> {
        if self.is_alone() { Some(place) } else { self.names().member_at(self.cell, place as u32) }
    }

    /// Whether no other cell may know what this one does not.
    fn is_alone(&self) -> bool {
        self.cells().len() == 1
    }

    fn class_size(&self, class: usize) -> Option<u64> {
        let size = |names: &Arc<Dfa>| names.count();
        let sizes = self.facts().class_sizes.get_or_init(|| {
            self.objects().rest.iter().map(|class| class.names.as_ref().and_then(size)).collect()
        });
        sizes[class]
    }

    /// The least length of the members that grant what is not granted, by their number.
    fn wish_lens(&self, granted: u32) -> impl Iterator<Item = u32> + '_ {
        self.facts().wish_lens.get_or_init(|| self.count_wish_lens())[granted as usize].iter().copied()
    }

    /// The members that may grant wishes, where it matters only whether they are granted.
    fn granters(&self) -> &Granters {
        self.facts().granters.get_or_init(|| Granters::new(self.objects(), |_, _| 0))
    }

    /// The same with the lengths of those members.
    fn granters_with_lens(&self) -> &Granters {
        let len = |member: &Member, schema| self.member_len(member.name.len(), schema).into();
        self.facts().granters_with_lens.get_or_init(|| Granters::new(self.objects(), len))
    }

    fn count_wish_lens(&self) -> Box<[Box<[u32]>]> {
        let count = self.objects().wishes as usize;
        let all = (1_usize << count) - 1;
        let classes = self.objects().rest.iter().filter(|class| class.grants != 0);
        let name_len = |names: &Arc<Dfa>| names.shortest().unwrap_or_default().len();
        let granting: Vec<(usize, u32)> = classes
            .map(|class| {
                let name = class.names.as_ref().map_or(0, name_len);
                (class.grants as usize, self.member_len(name, class.schema))
            })
            .collect();
        // Members grant something new each, so as many as there are wishes are enough.
        let mut lens = vec![vec![u32::MAX; count + 1].into_boxed_slice(); all + 1];
        lens[all][0] = 0;
        for granted in (0..all).rev() {
            for (grants, len) in granting.iter().filter(|(grants, _)| grants & !granted != 0) {
                for members in 1..=count {
                    let total = lens[granted | grants][members - 1].saturating_add(*len);
                    lens[granted][members] = lens[granted][members].min(total);
                }
            }
        }
        lens.into()
    }

    /// The length of a member with a name of this length: two quotes, a colon and a comma.
    fn member_len(&self, name: usize, schema: NodeId) -> u32 {
        u32::try_from(name + 4).unwrap_or(u32::MAX).saturating_add(self.least_len(schema))
    }

    fn least_len(&self, schema: NodeId) -> u32 {
        self.spelling.schema.least_len(schema)
    }

    /// Whether it or another cell knows a name that is none of its members.
    fn is_known(&self, name: &str) -> bool {
        !self.is_alone() && self.names().rank(name).is_some()
    }

    /// Whether a class has a name that is not known.
    fn has_in_class(&self, class: usize, name: &str) -> bool {
        let names = self.objects().rest[class].names.as_ref();
        names.is_none_or(|names| names.contains(name.as_bytes()))
    }

    /// The names of a class that no cell knows but the used ones; `None` where none is left.
    fn other_names(&self, class: usize, used: &Listed) -> Option<Leaf> {
        let names = &self.objects().rest[class].names;
        if !used.is_empty() {
            return self.names_without(class, used.clone());
        }
        let unused = match names {
            None => &self.facts.any_other,
            Some(_) => &self.facts().unused_names[class],
        };
        unused.get_or_init(|| self.names_without(class, Listed::default())).clone()
    }

    fn names_without(&self, class: usize, used: Listed) -> Option<Leaf> {
        let known = self.known().all();
        let (names, known) = match &self.objects().rest[class].names {
            None => (Dfa::text(), Some(known)),
            // A class has no name that its cell knows.
            Some(names) if self.is_alone() => (names.clone(), None),
            Some(names) => (self.facts.unknown(names, known), None),
        };
        if names.is_empty() {
            return None;
        }
        let all = StringLanguage::new(names, 0, None, Escapes::Any, usize::MAX).expect("no bounds, no table");
        all.but(known, used).map(Leaf::new)
    }
}
