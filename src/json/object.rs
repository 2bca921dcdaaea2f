//! Objects: a rule whose data is which members were read.
//!
//! A member is offered only where the object can still be completed after it: required members keep their place in the count, and a name is
//! never offered twice. Declared names are one labelled leaf; any other name is captured, so that what follows knows it was used. Where the
//! object must differ from others, values are captured too.

use std::any::Any;
use std::hash::Hash;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::distinct::{Count, after_member, parse, taken};
use super::spelling::{PropertyOrder, Spelling, fingerprint};
use super::string::{Escapes, StringLanguage, decode};
use crate::expression::{Binder, Expression, Leaf, Rule};
use crate::regular::Dfa;
use crate::schema::{Member, NameClass, NodeId, Objects};

/// The expression of one object cell that avoids some objects; `None` where no other one is left.
pub(super) fn object(
    spelling: &Arc<Spelling>,
    node: NodeId,
    cell: usize,
    avoid: Vec<Map<String, Value>>,
) -> Option<Expression> {
    let objects = &spelling.schema.values(node).objects[cell];
    let avoid = avoid.into_iter().filter(|object| spelling.schema.objects_admit(objects, object)).collect();
    let declared = Declared::none(spelling, node, cell);
    let progress = Progress { declared, others: Arc::from([]), read: 0, granted: 0, avoid };
    let members = Members { spelling: spelling.clone(), node, cell, progress };
    let left = members.can_avoid_all();
    let rest = Expression::rule(Arc::new(members));
    left.then(|| Expression::sequence([spelling.punctuation.open_object.clone(), rest]))
}

/// Which declared members were read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Declared {
    /// In declared order: all before this one are read or passed over.
    Next(usize),
    /// In any order: a bit for each that was read.
    Read(Arc<[u64]>),
}

impl Declared {
    fn none(spelling: &Spelling, node: NodeId, cell: usize) -> Self {
        match spelling.order {
            PropertyOrder::Declared => Self::Next(0),
            PropertyOrder::Any => {
                let members = spelling.schema.values(node).objects[cell].members.len();
                Self::Read(std::iter::repeat_n(0, members.div_ceil(64)).collect())
            }
        }
    }

    /// Whether the member may still come.
    fn is_open(&self, member: usize) -> bool {
        match self {
            Self::Next(next) => member >= *next,
            Self::Read(bits) => bits[member / 64] & (1 << (member % 64)) == 0,
        }
    }

    fn after(&self, member: usize) -> Self {
        match self {
            Self::Next(_) => Self::Next(member + 1),
            Self::Read(bits) => {
                let mut bits = bits.to_vec();
                bits[member / 64] |= 1 << (member % 64);
                Self::Read(bits.into())
            }
        }
    }
}

/// What was read of an object.
#[derive(Clone, Debug, PartialEq)]
struct Progress {
    declared: Declared,
    /// The names that were captured, sorted.
    others: Arc<[Arc<str>]>,
    /// How many members were read, as far as it matters.
    read: u32,
    /// The wishes that were granted.
    granted: u32,
    /// What remains of the objects to avoid that agree in all members read.
    avoid: Arc<[Map<String, Value>]>,
}

/// What a wish adds to the length of what remains: more than any member that does not grant it costs, so that the shortest way leads to one that
/// does.
const WISH_LEN: u32 = 1 << 16;

/// What remains of an object: a comma and another member, or the brace.
#[derive(Clone, Debug)]
struct Members {
    spelling: Arc<Spelling>,
    node: NodeId,
    cell: usize,
    progress: Progress,
}

impl Members {
    fn objects(&self) -> &Objects {
        &self.spelling.schema.values(self.node).objects[self.cell]
    }

    fn open_members(&self) -> impl Iterator<Item = (usize, &Member)> {
        let members = self.objects().members.iter().enumerate();
        members.filter(|(index, _)| self.progress.declared.is_open(*index))
    }

    fn required_left(&self) -> u32 {
        count(self.open_members().filter(|(_, member)| member.required))
    }

    /// Members that may still come, with `None` for without end.
    fn supply(&self) -> Option<u32> {
        let declared = count(self.open_members());
        let classes = 0..self.objects().rest.len();
        classes
            .map(|class| self.names_left(class))
            .try_fold(declared, |sum, left| Some(sum.saturating_add(left?)))
    }

    /// Names of a class that were not used, with `None` for without end.
    fn names_left(&self, class: usize) -> Option<u32> {
        let names = self.objects().rest[class].names.as_ref()?;
        let all = names.count_from(names.start())?;
        let used = self.progress.others.iter().filter(|name| names.contains(name.as_bytes())).count() as u64;
        Some(u32::try_from(all - used).unwrap_or(u32::MAX))
    }

    /// The fewest further members that grant all wishes; `None` where they cannot be granted.
    fn wishing(&self) -> Option<u32> {
        let wishes = self.objects().wishes;
        if self.progress.granted.count_ones() == wishes {
            return Some(0);
        }
        let all = u32::MAX >> (32 - wishes);
        let mut reached = vec![self.progress.granted];
        for members in 1..=wishes {
            let grants = |class: &NameClass| class.grants;
            let next = reached
                .iter()
                .flat_map(|granted| self.objects().rest.iter().map(move |class| granted | grants(class)));
            reached = next.collect();
            if reached.contains(&all) {
                return Some(members);
            }
            reached.sort_unstable();
            reached.dedup();
        }
        None
    }

    /// Whether more ways to go on are left than there are objects to avoid.
    fn can_avoid_all(&self) -> bool {
        let avoid = self.progress.avoid.len() as Count;
        avoid == 0 || self.ways() > avoid
    }

    /// The ways to go on.
    fn ways(&self) -> Count {
        let open = self.open_members().map(|(_, member)| (member.required, member.schema));
        self.spelling.counts.objects(self.objects(), open, self.progress.read)
    }

    /// Whether the object can be completed from here, when `promised` more names are already spoken for.
    fn is_completable(&self, promised: u32) -> bool {
        let objects = self.objects();
        let read = self.progress.read;
        let Some(wishing) = self.wishing() else { return false };
        let needed = self.required_left().saturating_add(wishing);
        let fits = objects.max_members.is_none_or(|max| read.saturating_add(needed) <= max);
        let left = |left: u32| read.saturating_add(left.saturating_sub(promised));
        fits && self.supply().is_none_or(|supply| left(supply) >= objects.min_members)
    }

    /// One more member was read. Counts that no bound asks for are one state.
    fn after(&self, declared: Declared, others: Arc<[Arc<str>]>) -> Self {
        let objects = self.objects();
        // One more than the most says that there are too many.
        let last = objects.max_members.map_or(objects.min_members, |max| max.saturating_add(1)).max(1);
        let read = self.progress.read.saturating_add(1).min(last);
        let progress = Progress { declared, others, read, ..self.progress.clone() };
        Self { progress, ..self.clone() }
    }

    fn after_member(&self, member: usize) -> Self {
        self.after(self.progress.declared.after(member), self.progress.others.clone())
    }

    /// Another name of a class was read. In declared order no declared member comes after it.
    fn after_other(&self, class: usize, others: Arc<[Arc<str>]>) -> Self {
        let declared = match &self.progress.declared {
            Declared::Next(_) => Declared::Next(self.objects().members.len()),
            read @ Declared::Read(_) => read.clone(),
        };
        let mut after = self.after(declared, others);
        after.progress.granted |= self.objects().rest[class].grants;
        after
    }

    /// After a member with this value: what is to be avoided agrees in it, and can still come about.
    fn agreeing(mut self, before: &Self, name: &str, value: &Value) -> Self {
        let mut avoid = after_member(&before.progress.avoid, name, value);
        avoid.retain(|object| object.keys().all(|name| self.may_come(name)));
        self.progress.avoid = avoid.into();
        self
    }

    fn may_come(&self, name: &str) -> bool {
        let declared = self.objects().members.iter().position(|member| &*member.name == name);
        declared.is_none_or(|member| self.progress.declared.is_open(member))
    }

    /// The value of a member with this name, then what remains of the object; `None` where every value is taken.
    fn value_then(&self, schema: NodeId, name: &str, after: Self) -> Option<Expression> {
        if self.progress.avoid.is_empty() {
            return Some(self.spelling.value(schema).then(Expression::rule(Arc::new(after))));
        }
        let avoid = taken(self.progress.avoid.iter().filter_map(|object| object.get(name)), after.ways());
        let value = self.spelling.value_avoiding(schema, &avoid)?;
        let binder = MemberValue { before: self.clone(), after, name: name.into() };
        Some(Expression::capture(value, Expression::empty(), Arc::new(binder)))
    }

    /// The declared members that may come next, with what follows their names. In declared order a required member cannot be passed over.
    fn offered(&self) -> Vec<(&Member, Expression)> {
        let ordered = matches!(self.progress.declared, Declared::Next(_));
        let mut offered = Vec::new();
        for (index, member) in self.open_members() {
            let after = self.after_member(index);
            if after.is_completable(0)
                && let Some(value) = self.value_then(member.schema, &member.name, after)
            {
                offered.push((member, self.spelling.punctuation.colon.clone().then(value)));
            }
            if ordered && member.required {
                break;
            }
        }
        offered
    }

    fn offers_other(&self, class: usize) -> bool {
        let left = self.names_left(class);
        let passed_over = matches!(self.progress.declared, Declared::Next(_)) && self.required_left() > 0;
        let after = self.after_other(class, self.progress.others.clone());
        left != Some(0) && !passed_over && after.is_completable(u32::from(left.is_some()))
    }

    fn close(&self) -> Option<Expression> {
        let enough = self.required_left() == 0 && self.progress.read >= self.objects().min_members;
        let granted = self.progress.granted.count_ones() == self.objects().wishes;
        let differs = self.progress.avoid.iter().all(|object| !object.is_empty());
        (enough && granted && differs).then(|| self.spelling.punctuation.close_object.clone())
    }

    /// A declared member and all that follows it.
    fn declared(&self) -> Option<Expression> {
        let offered = self.offered();
        match offered.as_slice() {
            [] => None,
            [(member, rest)] if has_one_spelling(&member.name) => {
                Some(Expression::literal(format!("\"{}\"", member.name)).then(rest.clone()))
            }
            _ => {
                let names =
                    offered.iter().zip(0..).map(|((member, _), label)| (member.name.as_bytes(), label));
                let names = Leaf::new(StringLanguage::words(names));
                Some(Expression::switch(names, offered.into_iter().map(|(_, rest)| rest)))
            }
        }
    }

    /// A member with another name of a class, and all that follows it; `None` where no name is left.
    fn other(&self, class: usize) -> Option<Expression> {
        let objects = self.objects();
        let names = objects.rest[class].names.clone().unwrap_or_else(Dfa::text);
        let declared = objects.members.iter().map(|member| &member.name).chain(&objects.forbidden);
        let excluded = declared.chain(self.progress.others.iter()).map(ToString::to_string);
        let excluded: Vec<String> = excluded.chain(self.names_to_avoid(class)).collect();
        let name = StringLanguage::excluding(names, (0, None), Escapes::Any, excluded)?;
        let binder = Other { members: self.clone(), class };
        let colon = self.spelling.punctuation.colon.clone();
        Some(Expression::capture(Expression::leaf(Leaf::new(name)), colon, Arc::new(binder)))
    }

    /// Names under which every value would lead to an object to avoid.
    fn names_to_avoid(&self, class: usize) -> impl Iterator<Item = String> {
        let after = self.after_other(class, self.progress.others.clone());
        let names = self.progress.avoid.iter().flat_map(Map::keys).filter(|name| self.is_other(name));
        let schema = self.objects().rest[class].schema;
        names.filter(move |name| self.value_then(schema, name, after.clone()).is_none()).cloned()
    }

    fn is_other(&self, name: &str) -> bool {
        self.objects().members.iter().all(|member| &*member.name != name)
    }

    /// The least length of the members that must still be read, each with a comma.
    fn missing_len(&self) -> u32 {
        let mut missing = self.objects().min_members.saturating_sub(self.progress.read) as usize;
        let (mut required, mut optional) = (0_u32, Vec::new());
        for (_, member) in self.open_members() {
            let len = self.member_len(member.name.len(), member.schema);
            if member.required {
                required = required.saturating_add(len);
                missing = missing.saturating_sub(1);
            } else {
                optional.push(len);
            }
        }
        optional.sort_unstable();
        let others = self.objects().rest.iter().map(|class| self.member_len(1, class.schema)).min();
        let fill = optional.into_iter().chain(others.into_iter().cycle()).take(missing);
        let wishes = (self.objects().wishes - self.progress.granted.count_ones()).saturating_mul(WISH_LEN);
        fill.fold(required.saturating_add(wishes), u32::saturating_add)
    }

    fn member_len(&self, name: usize, schema: NodeId) -> u32 {
        // Two quotes, a colon and a comma.
        u32::try_from(name + 4).unwrap_or(u32::MAX).saturating_add(self.spelling.schema.least_len(schema))
    }

    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.spelling, &other.spelling)
            && (self.node, self.cell) == (other.node, other.cell)
            && self.progress == other.progress
    }

    fn content(&self) -> impl Hash + '_ {
        let Progress { declared, others, read, granted, avoid } = &self.progress;
        (Arc::as_ptr(&self.spelling), self.node, self.cell, declared, others, *read, *granted, avoid.len())
    }
}

impl Rule for Members {
    fn expand(&self) -> Expression {
        let classes = 0..self.objects().rest.len();
        let others = classes.filter(|class| self.offers_other(*class)).filter_map(|class| self.other(class));
        let more = Expression::choice(self.declared().into_iter().chain(others)).map(|member| {
            match self.progress.read {
                0 => member,
                _ => self.spelling.punctuation.comma.clone().then(member),
            }
        });
        Expression::choice(self.close().into_iter().chain(more))
            .expect("an inhabited object can be completed")
    }

    fn min_len(&self) -> u32 {
        let missing = self.missing_len();
        // The first member has no comma; the brace stands at the end.
        missing.saturating_add(1) - u32::from(missing > 0 && self.progress.read == 0)
    }

    fn place(&self) -> String {
        self.spelling.place(self.node)
    }

    fn same(&self, other: &dyn Rule) -> bool {
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| self.is_same(other))
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("members", self.content()))
    }
}

/// What follows another name of `class` and its colon.
#[derive(Debug)]
struct Other {
    members: Members,
    class: usize,
}

impl Binder for Other {
    fn bind(&self, name: &[u8]) -> Expression {
        let members = &self.members;
        let name = decode(name);
        let mut others = members.progress.others.to_vec();
        others.push(name.as_str().into());
        others.sort_unstable();
        let after = members.after_other(self.class, others.into());
        let schema = members.objects().rest[self.class].schema;
        members.value_then(schema, &name, after).expect("names without a value left are not offered")
    }

    fn min_len(&self) -> u32 {
        let members = &self.members;
        let after = members.after_other(self.class, members.progress.others.clone());
        let value = members.spelling.schema.least_len(members.objects().rest[self.class].schema);
        value.saturating_add(Rule::min_len(&after))
    }

    fn same(&self, other: &dyn Binder) -> bool {
        (other as &dyn Any)
            .downcast_ref::<Self>()
            .is_some_and(|other| self.class == other.class && self.members.is_same(&other.members))
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("other", self.class, self.members.content()))
    }
}

/// What follows a value that matters.
#[derive(Debug)]
struct MemberValue {
    before: Members,
    after: Members,
    name: Arc<str>,
}

impl Binder for MemberValue {
    fn bind(&self, text: &[u8]) -> Expression {
        let mut after = self.after.clone();
        match parse(text) {
            Some(value) => after = after.agreeing(&self.before, &self.name, &value),
            None => after.progress.avoid = [].into(),
        }
        Expression::rule(Arc::new(after))
    }

    fn min_len(&self) -> u32 {
        Rule::min_len(&self.after)
    }

    fn same(&self, other: &dyn Binder) -> bool {
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| {
            self.name == other.name && self.before.is_same(&other.before) && self.after.is_same(&other.after)
        })
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("member value", &self.name, self.before.content(), self.after.content()))
    }
}

fn count<T>(items: impl Iterator<Item = T>) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}

/// Whether JSON can spell the name in one way only, so that it may stand as a literal.
fn has_one_spelling(name: &str) -> bool {
    name.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\')
}
