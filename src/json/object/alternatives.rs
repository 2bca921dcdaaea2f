//! The rule of what remains of an object: all alternatives that agree with what was read, side by side.
//!
//! A `oneOf` of objects, or a handful of dependencies, gives a node many cells that share most of their
//! names. Were each cell an expression of its own, a text would go on in as many threads as cells are left,
//! in every leaf of every value; so the names of all cells are one leaf (or a few literals), and cells whose
//! next value has the same schema stay together. In `JsonSchemaStore---filespec-schema` of MaskBench a cold
//! mask took 24 ms before.

use std::any::Any;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::Object;
use super::inclusion::{includers, without_included};
use super::left::Left;
use super::members::Members;
use super::named::Named;
use super::names::{Names, add};
use super::rest::RestLens;
use super::then::{AfterName, AfterOther, OtherName};
use crate::expression::{Beginning, Expression, Leaf, RULE_BYTES, Rule, fingerprint};
use crate::json::distinct::spelled;
use crate::json::list::List;
use crate::json::spelling::{Spelling, WAITING_LEN};
use crate::json::string::StringLanguage;
use crate::schema::NodeId;

/// The cells of a node that are read side by side.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) objects: Box<[Arc<Object>]>,
}

impl Group {
    pub(super) fn new(objects: impl IntoIterator<Item = Object>) -> Self {
        Self { objects: objects.into_iter().map(Arc::new).collect() }
    }

    /// The names that its cells know.
    pub(super) fn names(&self) -> &Names {
        self.objects[0].names()
    }

    /// For each cell another one that allows all that it allows, found once for a node.
    pub(super) fn includers(&self) -> &[Option<usize>] {
        let start = |object| Members::start(object, List::default());
        let find = || includers(self, &self.objects.iter().map(start).collect::<Vec<_>>());
        self.objects[0].facts.includers.get_or_init(find)
    }

    pub(super) fn spelling(&self) -> &Arc<Spelling> {
        &self.objects[0].spelling
    }

    pub(super) fn level(&self) -> u32 {
        self.objects[0].level
    }

    pub(super) fn node(&self) -> NodeId {
        self.objects[0].node
    }

    /// All cells of a node are one group.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.objects[0].key() == other.objects[0].key()
    }
}

/// What remains of an object: a comma and another member, or the brace.
#[derive(Clone, Debug)]
pub(super) struct Alternatives {
    pub(super) group: Arc<Group>,
    pub(super) alive: Arc<Alive>,
    pub(super) fingerprint: u64,
}

/// The cells that agree with what was read, at least one, and what is found out about them: each name that
/// may come asks for it.
#[derive(Debug)]
pub(super) struct Alive {
    members: Vec<Members>,
    lefts: OnceLock<Box<[Left]>>,
    rest_lens: OnceLock<Box<[RestLens]>>,
}

impl Alive {
    fn new(members: Vec<Members>) -> Self {
        Self { members, lefts: OnceLock::new(), rest_lens: OnceLock::new() }
    }

    /// What is still to come in each.
    pub(super) fn lefts(&self) -> &[Left] {
        self.lefts.get_or_init(|| self.members.iter().map(Members::left).collect())
    }

    /// How long the rest of each is after a member.
    pub(super) fn rest_lens(&self) -> &[RestLens] {
        self.rest_lens.get_or_init(|| self.members.iter().map(RestLens::new).collect())
    }
}

impl Deref for Alive {
    type Target = [Members];

    fn deref(&self) -> &Self::Target {
        &self.members
    }
}

/// So many names, or fewer, are spelled out as literals: no automaton is made of them, and their tokens are
/// found on one path of the vocabulary's trie each. The mean of mask and accept is 6.4 instead of 7.8 µs that
/// way, the median 1.8 instead of 2.1 µs (every twelfth file of maskbench-dev, with and without in turn,
/// eight times).
const FEW_NAMES: usize = 8;

/// A member with another name that an alternative offers next: the place of the alternative, and of the class
/// in it.
pub(super) type Offer = (usize, usize);

impl Alternatives {
    pub(super) fn new(group: &Arc<Group>, alive: Vec<Members>) -> Self {
        Self::of(group, without_included(group, alive))
    }

    /// Of alternatives that do not include each other.
    pub(super) fn of(group: &Arc<Group>, alive: Vec<Members>) -> Self {
        let fingerprints: Vec<u64> = alive.iter().map(|members| members.fingerprint).collect();
        Self {
            fingerprint: fingerprint(&fingerprints),
            group: group.clone(),
            alive: Arc::new(Alive::new(alive)),
        }
    }

    /// Only the one whose rest is shortest.
    fn cheapest(&self) -> Self {
        match &**self.alive {
            [_] => self.clone(),
            several => {
                let cheapest = several.iter().min_by_key(|members| members.rest_len());
                Self::of(&self.group, cheapest.cloned().into_iter().collect())
            }
        }
    }

    /// The first declared member that must come in the only alternative, and all that follows it. `None`
    /// where none must, where others may be needed besides, or where its name has several spellings.
    fn required(&self) -> Option<Expression> {
        let (members, left) = (&self.alive[0], self.alive.lefts()[0]);
        let (object, declared) = (&members.object, &members.objects().members);
        let mut offered = members.offered(left).filter(|_| left.wishing == Some(0));
        let first = offered.find(|index| declared[*index].required)?;
        let name = &declared[first].name;
        let (names, is_alone) = (self.group.names(), self.group.objects.len() == 1);
        let rank = || names.member(object.cell, first) as usize;
        let (place, quoted) = if is_alone {
            (first, object.facts().quoted.get(first, name)?)
        } else {
            (rank(), names.quoted.get(rank(), name)?)
        };
        Some(quoted.clone().then(self.after_name(place, name)))
    }

    /// A member whose name is known, and all that follows it.
    fn named(&self, lefts: &[Left]) -> Option<Expression> {
        if let [object] = &*self.group.objects {
            let (members, quoted) = (&object.objects().members, &object.facts().quoted);
            let offered: Vec<usize> = self.alive[0].offered(lefts[0]).collect();
            let named = |member: usize| (&members[member].name, quoted.get(member, &members[member].name));
            return self.spelled(&offered, named, |member| object.names().member(0, member));
        }
        let names = self.group.names();
        let mut known = names.ranks([]);
        for (members, left) in self.alive.iter().zip(lefts) {
            add(&mut known, &members.known_names(*left));
        }
        let offered: Vec<usize> = known.iter_ones().collect();
        let named = |rank: usize| (&names.texts[rank], names.quoted.get(rank, &names.texts[rank]));
        self.spelled(&offered, named, |rank| rank as u32)
    }

    /// Members at these places, of which the name is told, its one spelling if it has one, and its rank;
    /// `None` where there is none.
    fn spelled<'n>(
        &self,
        places: &[usize],
        named: impl Fn(usize) -> (&'n Arc<str>, Option<&'n Expression>),
        rank: impl Fn(usize) -> u32,
    ) -> Option<Expression> {
        let quoted = |place: &usize| {
            let (name, quoted) = named(*place);
            Some((*place, name, quoted?))
        };
        let few = (places.len() <= FEW_NAMES).then(|| places.iter().map(quoted).collect());
        match few.flatten() {
            Some(few) => self.literals(few),
            None => Some(self.switch(places.iter().map(|place| rank(*place)))),
        }
    }

    /// Members by name, each spelled out; `None` where there is none.
    fn literals(&self, mut names: Vec<(usize, &Arc<str>, &Expression)>) -> Option<Expression> {
        names.sort_unstable_by_key(|(_, name, _)| *name);
        Expression::choice(
            names.into_iter().map(|(place, name, quoted)| quoted.clone().then(self.after_name(place, name))),
        )
    }

    /// Members by name, told apart by one leaf.
    fn switch(&self, ranks: impl Iterator<Item = u32>) -> Expression {
        let open = self.group.names().words.open(ranks);
        Named::member(self, Leaf::new(StringLanguage::words(open)))
    }

    fn after_name(&self, place: usize, name: &Arc<str>) -> Expression {
        Expression::rule(Arc::new(AfterName { before: self.clone(), name: name.clone(), place }))
    }

    /// Members with other names, and all that follows each.
    fn others(&self, lefts: &[Left]) -> Vec<Expression> {
        let mut kinds: Vec<(Leaf, NodeId, Vec<Offer>)> = Vec::new();
        for (at, (members, left)) in self.alive.iter().zip(lefts).enumerate() {
            for (class, names) in members.objects().rest.iter().enumerate() {
                let offered = members.offers_other(class, *left);
                let Some(leaf) = offered.then(|| members.other_names(class)).flatten() else { continue };
                let schema = names.schema;
                match kinds.iter_mut().find(|(known, same, _)| *same == schema && *known == leaf) {
                    Some((_, _, offers)) => offers.push((at, class)),
                    None => kinds.push((leaf, schema, vec![(at, class)])),
                }
            }
        }
        kinds.into_iter().map(|(names, schema, offers)| self.other(names, schema, offers)).collect()
    }

    /// A member with another name, and all that follows it.
    ///
    /// Where no value depends on the name, colon and value are known before the name is: then most tokens
    /// that leave the name are judged for all names at once.
    fn other(&self, names: Leaf, schema: NodeId, offers: Vec<Offer>) -> Expression {
        let name = Expression::leaf(names);
        let punctuation = &self.group.spelling().punctuation;
        let colon = punctuation.colon.clone();
        if self.avoids() {
            let binder = OtherName { before: self.clone(), schema, offers: offers.into() };
            return Expression::capture(name, colon, Arc::new(binder));
        }
        let value = self.group.spelling().value(schema, punctuation.inside(self.group.level()));
        let binder = AfterOther { before: self.clone(), offers: offers.into() };
        Expression::capture(name, colon.then(value), Arc::new(binder))
    }

    /// Whether a completion may need members with names that are not known.
    pub(super) fn needs_others(&self) -> bool {
        let needs = |(members, left): (&Members, &Left)| {
            let known = members.progress.read.saturating_add(left.required);
            known < members.objects().min_members || left.wishing != Some(0)
        };
        self.avoids() || self.alive.iter().zip(self.alive.lefts()).any(needs)
    }

    /// Whether there are objects to avoid.
    pub(super) fn avoids(&self) -> bool {
        self.alive.iter().any(|members| !members.progress.avoid.is_empty())
    }

    /// The spellings of those names that these offers have.
    pub(super) fn other_names_of(
        &self,
        offers: &[Offer],
        names: impl Iterator<Item = String>,
    ) -> Vec<Arc<[u8]>> {
        let mut texts = spelled(names.map(Value::from));
        if texts.is_empty() {
            return texts;
        }
        // All have the same names.
        let leaf = offers.first().and_then(|&(at, class)| self.alive[at].other_names(class));
        let Some(leaf) = leaf else { return Vec::new() };
        texts.retain(|text| leaf.reads(leaf.start(), text).is_some_and(|end| leaf.accepts(end).is_some()));
        texts
    }

    /// The alternatives after another name.
    pub(super) fn after_other(&self, offers: &[Offer], name: Option<&str>) -> Self {
        Self::new(&self.group, self.each_after_other(offers, name).collect())
    }

    /// The least length of what remains after another name.
    pub(super) fn len_after_other(&self, offers: &[Offer]) -> u32 {
        let waits = |&(at, class): &Offer| {
            let members: &Members = &self.alive[at];
            members.waits(members.objects().rest[class].grants)
        };
        let waiting = if offers.iter().all(waits) { WAITING_LEN } else { 0 };
        self.after_other(offers, None).min_len().saturating_add(waiting)
    }

    fn each_after_other(&self, offers: &[Offer], name: Option<&str>) -> impl Iterator<Item = Members> {
        offers.iter().map(move |&(at, class)| {
            let members: &Members = &self.alive[at];
            let others = name.map(|name| members.others_with(name));
            members.after_other(class, others.unwrap_or_else(|| members.progress.others.clone()))
        })
    }

    /// What remains after another name up to the quotation mark of the next, where it does not depend on
    /// which other names were used: there are other names without end. Alternatives that others include make
    /// no difference here, so they are not looked for: a fifth of the mean of mask + accept where objects
    /// have many alternatives and any names (four files of MaskBench, `JsonSchemaStore---tmlanguage` among
    /// them; old and new in turn).
    pub(super) fn begins_after_other(&self, offers: &[Offer]) -> Vec<Beginning> {
        let has_endless_names = |members: &Members| {
            (0..members.objects().rest.len()).all(|class| members.object.class_size(class).is_none())
        };
        let alive = Alive::new(self.each_after_other(offers, None).collect());
        let is_known = !self.avoids() && alive.iter().all(has_endless_names);
        if !is_known {
            return vec![Beginning::unknown()];
        }
        let (end, more) = ends_or_goes_on(&self.group, &alive, || Expression::literal("\""));
        end.map(Beginning::all).into_iter().chain(more.map(Beginning::of_any)).collect()
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint
            && self.group.is_same(&other.group)
            && self.alive.len() == other.alive.len()
            && self.alive.iter().zip(other.alive.iter()).all(|(a, b)| a.is_same(b))
    }
}

impl Rule for Alternatives {
    fn expand(&self) -> Expression {
        let member = || Expression::rule(Arc::new(NextMember(self.clone())));
        let (end, more) = ends_or_goes_on(&self.group, &self.alive, member);
        Expression::choice(end.into_iter().chain(more)).expect("an inhabited object can be completed")
    }

    fn min_len(&self) -> u32 {
        self.alive.iter().map(Members::rest_len).min().expect("at least one")
    }

    fn shortest(&self) -> Option<Expression> {
        if self.avoids() {
            return None;
        }
        let only = self.cheapest();
        let is_first = is_first(&only.alive);
        let (punctuation, level) = (&self.group.spelling().punctuation, self.group.level());
        if only.alive[0].may_close(only.alive.lefts()[0]) {
            return Some(punctuation.end_object(level, is_first));
        }
        only.required().map(|member| punctuation.before(level, is_first).then(member))
    }

    fn recurs(&self) -> bool {
        false
    }

    fn held_bytes(&self) -> usize {
        RULE_BYTES + self.alive.iter().map(|members| members.progress.held_bytes()).sum::<usize>()
    }

    fn place(&self) -> String {
        self.group.spelling().place(self.group.node())
    }

    fn same(&self, other: &dyn Rule) -> bool {
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| self.is_same(other))
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("object", self.fingerprint))
    }
}

/// A member, and all that follows it. A rule of its own, as most tokens with the comma before it end there:
/// the names that may come are found when one is about to begin.
#[derive(Debug)]
struct NextMember(Alternatives);

impl Rule for NextMember {
    fn expand(&self) -> Expression {
        let lefts = self.0.alive.lefts();
        let members = self.0.named(lefts).into_iter().chain(self.0.others(lefts));
        Expression::choice(members).expect("offered only where there is one")
    }

    fn min_len(&self) -> u32 {
        /// Two quotation marks, a colon, a value, the brace.
        const LEAST: u32 = 5;
        let comma = u32::from(!is_first(&self.0.alive));
        self.0.min_len().saturating_sub(comma).max(LEAST)
    }

    fn shortest(&self) -> Option<Expression> {
        if self.0.avoids() { None } else { self.0.cheapest().required() }
    }

    fn recurs(&self) -> bool {
        false
    }

    fn held_bytes(&self) -> usize {
        self.0.held_bytes()
    }

    fn place(&self) -> String {
        self.0.place()
    }

    fn same(&self, other: &dyn Rule) -> bool {
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| self.0.is_same(&other.0))
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("member", self.0.fingerprint))
    }
}

/// The brace, and what stands before another member with that, each where these alternatives have it.
fn ends_or_goes_on(
    group: &Group,
    alive: &Alive,
    member: impl FnOnce() -> Expression,
) -> (Option<Expression>, Option<Expression>) {
    let lefts = alive.lefts();
    let (punctuation, level) = (&group.spelling().punctuation, group.level());
    let is_first = is_first(alive);
    let goes_on = alive.iter().zip(lefts).any(|(members, left)| offers_member(members, *left));
    let more = goes_on.then(|| punctuation.before(level, is_first).then(member()));
    let may_close = alive.iter().zip(lefts).any(|(members, left)| members.may_close(*left));
    (may_close.then(|| punctuation.end_object(level, is_first)), more)
}

/// Whether no member was read yet; it is the same in all alternatives.
fn is_first(alive: &[Members]) -> bool {
    alive[0].progress.read == 0
}

/// Whether another member may come.
fn offers_member(members: &Members, left: Left) -> bool {
    members.offered(left).next().is_some()
        || (0..members.objects().rest.len()).any(|class| members.has_other(class, left))
}
