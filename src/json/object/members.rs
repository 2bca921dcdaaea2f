//! What was read of one alternative of an object, and what it allows next.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::Object;
use super::left::Left;
use super::names::{Ranks, add};
use super::others::Others;
use super::progress::{Declared, Progress};
use super::rest::{Missing, RestLens};
use crate::expression::{Expression, Leaf, fingerprint};
use crate::json::distinct::{Count, taken};
use crate::json::list::List;
use crate::json::listed::Listed;
use crate::json::spelling::WAITING_LEN;
use crate::json::used::Used;
use crate::schema::{Granting, Member, MemberKind, NameClass, NodeId, Objects};

/// What remains of one alternative.
#[derive(Clone, Debug)]
pub(super) struct Members {
    pub(super) object: Arc<Object>,
    pub(super) progress: Progress,
    pub(super) fingerprint: u64,
}

/// The names of a class that no cell knows, the schema of their values, and the wishes that a member with one
/// grants.
pub(super) type UnknownClass = (Option<Leaf>, NodeId, u32);

/// What a known name that comes next is to an alternative.
#[derive(Clone, Copy, Debug)]
pub(super) enum Next {
    /// This member, with a value of this kind.
    Member(usize, MemberKind),
    /// Another name of this class.
    Other(usize),
}

impl Members {
    /// Nothing read of an object.
    pub(super) fn start(object: &Arc<Object>, avoid: List<Arc<Map<String, Value>>>) -> Self {
        let progress = Progress::start(object.spelling.order, object.objects(), avoid);
        Self::new(object.clone(), progress)
    }

    pub(super) fn new(object: Arc<Object>, progress: Progress) -> Self {
        let Progress { declared, others, read, granted, avoid } = &progress;
        let content = (object.key(), declared, others, *read, *granted, avoid);
        Self { fingerprint: fingerprint(&content), object, progress }
    }

    pub(super) fn objects(&self) -> &Objects {
        self.object.objects()
    }

    pub(super) fn open_members(&self) -> impl Iterator<Item = (usize, &Member)> {
        let members = self.objects().members.iter().enumerate();
        members.filter(|(index, _)| self.progress.declared.is_open(*index))
    }

    /// What is still to come.
    pub(super) fn left(&self) -> Left {
        let (mut required, mut declared, mut last) = (0, 0, None);
        for (index, member) in self.open_members() {
            required += u32::from(member.required);
            declared += 1;
            // The first required one is the last that is reached.
            last = last.or((member.required && self.progress.declared.is_ordered()).then_some(index));
        }
        // Names of classes that grant a wish are names of another class, too.
        let classes = self.objects().rest.iter().enumerate().filter(|(_, class)| class.grants == 0);
        let others =
            classes.map(|(class, _)| self.names_left(class)).try_fold(0, |sum, left| Some(left? + sum));
        let others = others.map(|names: u64| u32::try_from(names).unwrap_or(u32::MAX));
        let (last, wishing) =
            (last.unwrap_or(usize::MAX), self.wishing(&self.progress.declared, self.progress.granted));
        Left { required, declared, last, others, wishing }
    }

    /// See [`Objects::wishing`].
    fn wishing(&self, declared: &Declared, granted: u32) -> Option<u32> {
        let used = || self.progress.others.all();
        self.objects().wishing(self.object.granters(), granted, |member| declared.is_open(member), used)
    }

    /// Whether nothing is wished for any longer.
    pub(super) fn is_granted(&self) -> bool {
        self.objects().are_all_granted(self.progress.granted)
    }

    /// Whether something is wished for that a declared member may grant.
    pub(super) fn wishes_for_members(&self) -> bool {
        !self.is_granted() && !self.object.granters().is_empty()
    }

    /// What is granted as some members do not come: those that are passed over, in declared order, before a
    /// place.
    pub(super) fn passed_over(&self, place: usize) -> u32 {
        let Declared::Next(next) = self.progress.declared else { return 0 };
        self.object.granters().absence_grants(|member| (next..place).contains(&member))
    }

    /// The members by which wishes may still be granted.
    fn granting(&self) -> Granting {
        self.objects().granting(&self.progress.others.all())
    }

    /// The names of a class without which the wishes could not all be granted, and that do not grant enough
    /// as one of this class.
    fn names_to_keep(&self, class: usize) -> Vec<String> {
        if self.is_granted() {
            return Vec::new();
        }
        let rest = &self.objects().rest;
        let is_of_class = |name: &&[u8]| rest[class].names.as_ref().is_none_or(|names| names.contains(name));
        let is_needed = |name: &String| {
            let after = self.after_other(class, self.others_with(name));
            !after.left().is_enough(self.objects(), after.progress.read)
        };
        let granting = self.granting();
        let scarce = granting.scarce().filter(is_of_class);
        scarce.map(|name| String::from_utf8_lossy(name).into_owned()).filter(is_needed).collect()
    }

    /// Names of a class that were not used, with `None` for without end.
    fn names_left(&self, class: usize) -> Option<u64> {
        let all = self.object.class_size(class)?;
        let names = self.objects().rest[class].names.as_ref()?;
        let Progress { others, .. } = &self.progress;
        let known = others.known().iter().filter(|name| names.contains(name.as_bytes())).count();
        Some((all - (known + others.unknown(class).len()) as u64).min(u32::MAX.into()))
    }

    /// Whether more ways to go on are left than there are objects to avoid.
    pub(super) fn can_avoid_all(&self) -> bool {
        let avoid = self.progress.avoid.len() as Count;
        avoid == 0 || self.ways() > avoid
    }

    /// The ways to go on.
    pub(super) fn ways(&self) -> Count {
        let Progress { declared, granted, read, .. } = &self.progress;
        let open = || self.open_members().map(|(place, _)| place);
        let wishing = |member: Option<usize>, grants: u32| match member {
            None => self.wishing(declared, granted | grants),
            Some(member) => {
                self.wishing(&declared.after(member), granted | grants | self.passed_over(member))
            }
        };
        let names_left = |class| self.names_left(class);
        let counts = &self.object.spelling.counts;
        counts.objects(self.objects(), open, (*read, *granted), wishing, names_left)
    }

    /// How many members were read after one more. Counts that no bound asks for are one state.
    pub(super) fn read_after(&self) -> u32 {
        let objects = self.objects();
        // One more than the most says that there are too many.
        let last = objects.max_members.map_or(objects.min_members, |max| max.saturating_add(1)).max(1);
        self.progress.read.saturating_add(1).min(last)
    }

    fn after(&self, declared: Declared, others: Others, grants: u32) -> Self {
        let granted = self.progress.granted | grants;
        let progress = Progress {
            declared,
            others,
            read: self.read_after(),
            granted,
            avoid: self.progress.avoid.clone(),
        };
        Self::new(self.object.clone(), progress)
    }

    pub(super) fn after_member(&self, member: usize, kind: MemberKind) -> Self {
        let (declared, others) = (self.progress.declared.after(member), self.progress.others.clone());
        self.after(declared, others, kind.grants | self.passed_over(member))
    }

    /// The names that were captured with one more.
    pub(super) fn others_with(&self, name: &str) -> Others {
        self.progress.others.with(name, &self.object)
    }

    /// After another name of a class.
    pub(super) fn after_other(&self, class: usize, others: Others) -> Self {
        let objects = self.objects();
        let declared = self.progress.declared.after_other(objects.members.len());
        self.after(declared, others, objects.rest[class].grants | self.passed_over(objects.members.len()))
    }

    /// Where of what is to be avoided only these objects agree in the last member; those that can still come
    /// about are left, without it.
    pub(super) fn avoiding<'o>(
        &self,
        agreeing: impl Iterator<Item = &'o Arc<Map<String, Value>>>,
        last: &str,
    ) -> Self {
        let mut avoid: Vec<_> = agreeing.cloned().collect();
        avoid.iter_mut().for_each(|object| _ = Arc::make_mut(object).remove(last));
        avoid.retain(|object| object.keys().all(|name| self.may_come(name)));
        let progress = Progress { avoid: avoid.into_iter().collect(), ..self.progress.clone() };
        Self::new(self.object.clone(), progress)
    }

    fn may_come(&self, name: &str) -> bool {
        let declared = self.objects().members.iter().position(|member| &*member.name == name);
        declared.is_none_or(|member| self.progress.declared.is_open(member))
    }

    /// The values that a member with this name must not have.
    pub(super) fn taken(&self, name: &str, after: &Self) -> Vec<Arc<Value>> {
        taken(&self.progress.avoid, |object| object.get(name), || after.ways())
    }

    /// A value that is none of some; `None` where no other is left.
    pub(super) fn value(&self, schema: NodeId, taken: &[Arc<Value>]) -> Option<Expression> {
        let Object { spelling, level, .. } = &*self.object;
        spelling.value_avoiding(schema, spelling.punctuation.inside(*level), &Used::default(), taken)
    }

    fn has_value(&self, schema: NodeId, name: &str, after: &Self) -> bool {
        let spelling = &self.object.spelling;
        // Mostly there are more values than objects to avoid, and those need not be looked at: `harmony-mask
        // check` of 2,000 objects of a number takes 5.5 instead of 8.7 s.
        spelling.has_more_than(schema, self.progress.avoid.len())
            || spelling.has_value_but(schema, &self.taken(name, after))
    }

    /// The declared members that may come next. In declared order a required member cannot be passed over.
    pub(super) fn offered(&self, left: Left) -> impl Iterator<Item = usize> + '_ {
        let reached = self.open_members().take_while(move |(index, _)| *index <= left.last);
        reached.filter_map(move |(index, _)| self.offers_member(index, left).then_some(index))
    }

    fn offers_member(&self, index: usize, left: Left) -> bool {
        self.offered_kinds(index, left).next().is_some()
    }

    /// The kinds of values that a declared member may have next.
    fn offered_kinds(&self, index: usize, left: Left) -> impl Iterator<Item = MemberKind> {
        let is_reached = self.progress.declared.is_open(index) && index <= left.last;
        let reached = is_reached.then(|| &self.objects().members[index]);
        // Where nothing is wished for, values need not be told apart.
        let is_granted = self.is_granted();
        let kinds = reached
            .into_iter()
            .flat_map(move |member| member.kinds_told(!is_granted).map(move |kind| (member, kind)));
        kinds.filter(move |(member, kind)| self.offers_kind(index, member, *kind, left)).map(|(_, kind)| kind)
    }

    fn offers_kind(&self, index: usize, member: &Member, kind: MemberKind, left: Left) -> bool {
        let (members, declared) = (&self.objects().members, &self.progress.declared);
        let mut after = left.without(member.required);
        if declared.is_ordered() {
            // Those before it are passed over.
            after.declared = (members.len() - index - 1) as u32;
        }
        if self.wishes_for_members() {
            let granted = self.progress.granted | kind.grants | self.passed_over(index);
            after.wishing = self.wishing(&declared.after(index), granted);
        }
        after.is_enough(self.objects(), self.read_after()) && self.may_have_value(index, member, kind)
    }

    fn may_have_value(&self, index: usize, member: &Member, kind: MemberKind) -> bool {
        let mut avoid = self.progress.avoid.iter();
        !avoid.any(|object| object.contains_key(&*member.name))
            || self.has_value(kind.schema, &member.name, &self.after_member(index, kind))
    }

    /// Whether a name of a class may come next.
    pub(super) fn offers_other(&self, class: usize, left: Left) -> bool {
        let names = self.names_left(class);
        let is_ordered = self.progress.declared.is_ordered();
        let members = self.objects().members.len();
        let granted = self.progress.granted | self.objects().rest[class].grants | self.passed_over(members);
        let after = Left {
            declared: if is_ordered { 0 } else { left.declared },
            others: left.others.map(|others| others.saturating_sub(u32::from(names.is_some()))),
            wishing: self.wishing(&self.progress.declared.after_other(members), granted),
            ..left
        };
        let passes_over = is_ordered && left.required > 0;
        names != Some(0) && !passes_over && after.is_enough(self.objects(), self.read_after())
    }

    /// The same, and that there is a name which leads to no object to avoid.
    pub(super) fn has_other(&self, class: usize, left: Left) -> bool {
        let is_endless = || self.progress.avoid.is_empty() && self.names_left(class).is_none();
        let has_some = || self.other_names(class).is_some() || self.named_others(class).any();
        self.offers_other(class, left) && (is_endless() || has_some())
    }

    /// The names of a class that may come next and that only other cells know.
    pub(super) fn named_others(&self, class: usize) -> Ranks {
        let names = self.object.names();
        let mut others = names.others(self.object.cell, class).clone();
        // Nothing to avoid is looked for in vain: of the mask of `all_words` that takes 0.4 instead of 0.9 s.
        if others.not_any() {
            return others;
        }
        let avoid = self.names_to_avoid(class);
        let taken = self.progress.others.known().iter().map(|name| &**name);
        let taken = taken.chain(avoid.iter().map(String::as_str));
        taken.filter_map(|name| names.rank(name)).for_each(|rank| others.set(rank as usize, false));
        others
    }

    /// The names of a class that may come next and that no cell knows; `None` where none is left.
    pub(super) fn other_names(&self, class: usize) -> Option<Leaf> {
        let mut used = self.progress.others.unknown(class).clone();
        for name in self.names_to_avoid(class) {
            if self.object.has_in_class(class, &name) {
                used = used.with(name.into());
            }
        }
        self.object.other_names(class, &used)
    }

    /// For each class the names that no cell knows, and what is allowed for them.
    pub(super) fn unknown_classes(&self) -> impl Iterator<Item = UnknownClass> {
        let classes = self.objects().rest.iter().enumerate();
        classes.map(|(class, NameClass { schema, grants, .. })| {
            (self.object.other_names(class, &Listed::default()), *schema, *grants)
        })
    }

    /// The known names that may come next.
    pub(super) fn known_names(&self, left: Left) -> Ranks {
        let names = self.object.names();
        let mut known = names.ranks(self.offered(left).map(|index| names.member(self.object.cell, index)));
        for class in self.offered_classes(left) {
            add(&mut known, &self.named_others(class));
        }
        known
    }

    /// What a known name may be next, in each way: the one at a [place](Object::member_at).
    pub(super) fn nexts(&self, place: usize, name: &str, left: Left) -> Vec<Next> {
        if let Some(member) = self.object.member_at(place) {
            return self.offered_kinds(member, left).map(|kind| Next::Member(member, kind)).collect();
        }
        let classes = (0..self.objects().rest.len()).filter(|class| self.may_be_other(place, name, *class));
        classes.filter(|class| self.offers_other(*class, left)).map(Next::Other).collect()
    }

    /// Whether a name that only other cells know is one of the [names of a class that may come
    /// next](Self::named_others).
    fn may_be_other(&self, place: usize, name: &str, class: usize) -> bool {
        let is_used = || self.progress.others.known().iter().any(|used| **used == *name);
        self.object.names().others(self.object.cell, class)[place]
            && !is_used()
            && !self.names_to_avoid(class).iter().any(|avoided| avoided == name)
    }

    /// The schema of the value, and what remains after the member.
    pub(super) fn after_next(&self, next: Next, name: &str) -> (NodeId, Self) {
        let rest = &self.objects().rest;
        match next {
            Next::Member(member, kind) => (kind.schema, self.after_member(member, kind)),
            Next::Other(class) => (rest[class].schema, self.after_other(class, self.others_with(name))),
        }
    }

    /// The least length of a member behind its colon and of what remains after it.
    pub(super) fn len_after_next(&self, next: Next, rest_lens: &RestLens) -> u32 {
        let Objects { members, rest, .. } = self.objects();
        let (schema, grants, is_required) = match next {
            Next::Member(member, kind) => (kind.schema, kind.grants, members[member].required),
            Next::Other(class) => (rest[class].schema, rest[class].grants, false),
        };
        let waiting = if self.waits(grants) && !is_required { WAITING_LEN } else { 0 };
        let rest_len = rest_lens.after(self.objects(), next);
        self.least_len(schema).saturating_add(rest_len).saturating_add(waiting)
    }

    /// The classes of which a name may come next.
    fn offered_classes(&self, left: Left) -> impl Iterator<Item = usize> {
        (0..self.objects().rest.len()).filter(move |class| self.offers_other(*class, left))
    }

    /// Names that are [needed otherwise](Self::names_to_keep), and those under which every value would lead
    /// to an object to avoid.
    fn names_to_avoid(&self, class: usize) -> Vec<String> {
        let mut names = self.names_to_keep(class);
        names.extend(self.names_of_avoided(class));
        names
    }

    fn names_of_avoided(&self, class: usize) -> Vec<String> {
        if self.progress.avoid.is_empty() {
            return Vec::new();
        }
        let after = self.after_other(class, self.progress.others.clone());
        let names =
            self.progress.avoid.iter().flat_map(|object| object.keys()).filter(|name| self.is_other(name));
        let schema = self.objects().rest[class].schema;
        names.filter(|name| !self.has_value(schema, name, &after)).cloned().collect()
    }

    fn is_other(&self, name: &str) -> bool {
        self.objects().members.iter().all(|member| &*member.name != name)
    }

    pub(super) fn may_close(&self, left: Left) -> bool {
        let is_enough = self.progress.read >= self.objects().min_members;
        left.required == 0 && left.wishing == Some(0) && is_enough && !self.must_go_on()
    }

    /// Whether the object must not end here, as it is one to avoid.
    pub(super) fn must_go_on(&self) -> bool {
        self.progress.avoid.iter().any(|object| object.is_empty())
    }

    /// The least length of the members that must still be read, each with a comma. At the beginning it is no
    /// more than the schema says that the object has: an array compares the two, and would put off an element
    /// that looks dearer than it was counted without end.
    fn missing_len(&self) -> u32 {
        Missing::new(self, self.progress.read).len(self.progress.granted)
    }

    /// Whether wishes remain, and a member after which these are granted brings none of them nearer.
    pub(super) fn waits(&self, granted: u32) -> bool {
        let known = self.progress.granted;
        let absent =
            || self.object.granters().absence_grants(|member| self.progress.declared.is_open(member));
        known | granted == known && !self.objects().are_all_granted(known | absent())
    }

    /// The length of a shortest rest.
    pub(super) fn rest_len(&self) -> u32 {
        let missing = self.missing_len();
        // The first member has no comma; the brace stands at the end.
        missing.saturating_add(1) - u32::from(missing > 0 && self.progress.read == 0)
    }

    pub(super) fn least_len(&self, schema: NodeId) -> u32 {
        self.object.least_len(schema)
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint
            && self.object.key() == other.object.key()
            && self.progress == other.progress
    }
}
