//! Objects: a rule whose data is which members were read.
//!
//! A member is offered only where the object can still be completed after it: required members keep their place in the count, and a name is
//! never offered twice. Declared names are one labelled leaf; any other name is captured, so that what follows knows it was used.

use std::any::Any;
use std::hash::Hash;
use std::sync::Arc;

use super::spelling::{PropertyOrder, Spelling, fingerprint};
use super::string::{StringLanguage, decode};
use crate::expression::{Binder, Expression, Leaf, Rule};
use crate::regular::Dfa;
use crate::schema::{Member, NodeId, Objects};

/// The expression of one object cell.
pub(super) fn object(spelling: &Arc<Spelling>, node: NodeId, cell: usize) -> Expression {
    let progress =
        Progress { declared: Declared::none(spelling, node, cell), others: Arc::from([]), read: 0 };
    let members = Members { spelling: spelling.clone(), node, cell, progress };
    Expression::sequence([spelling.punctuation.open_object.clone(), Expression::rule(Arc::new(members))])
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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Progress {
    declared: Declared,
    /// The names that were captured, sorted.
    others: Arc<[Arc<str>]>,
    /// How many members were read, as far as it matters.
    read: u32,
}

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

    /// Whether the object can be completed from here, when `promised` more names are already spoken for.
    fn is_completable(&self, promised: u32) -> bool {
        let objects = self.objects();
        let read = self.progress.read;
        let fits = objects.max_members.is_none_or(|max| read.saturating_add(self.required_left()) <= max);
        let left = |left: u32| read.saturating_add(left.saturating_sub(promised));
        fits && self.supply().is_none_or(|supply| left(supply) >= objects.min_members)
    }

    /// One more member was read. Counts that no bound asks for are one state.
    fn after(&self, declared: Declared, others: Arc<[Arc<str>]>) -> Self {
        let objects = self.objects();
        let last = objects.max_members.unwrap_or(objects.min_members).max(1);
        let progress = Progress { declared, others, read: self.progress.read.saturating_add(1).min(last) };
        Self { progress, ..self.clone() }
    }

    fn after_member(&self, member: usize) -> Self {
        self.after(self.progress.declared.after(member), self.progress.others.clone())
    }

    /// Another name was read. In declared order no declared member comes after it.
    fn after_other(&self, others: Arc<[Arc<str>]>) -> Self {
        let declared = match &self.progress.declared {
            Declared::Next(_) => Declared::Next(self.objects().members.len()),
            read @ Declared::Read(_) => read.clone(),
        };
        self.after(declared, others)
    }

    /// The declared members that may come next. In declared order a required member cannot be passed over.
    fn offered(&self) -> Vec<(usize, &Member)> {
        let ordered = matches!(self.progress.declared, Declared::Next(_));
        let mut offered = Vec::new();
        for (index, member) in self.open_members() {
            if self.after_member(index).is_completable(0) {
                offered.push((index, member));
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
        let after = self.after_other(self.progress.others.clone());
        left != Some(0) && !passed_over && after.is_completable(u32::from(left.is_some()))
    }

    fn close(&self) -> Option<Expression> {
        let complete = self.required_left() == 0 && self.progress.read >= self.objects().min_members;
        complete.then(|| self.spelling.punctuation.close_object.clone())
    }

    /// A declared member and all that follows it.
    fn declared(&self) -> Option<Expression> {
        let offered = self.offered();
        let colon = &self.spelling.punctuation.colon;
        let mut arms = offered.iter().map(|(index, member)| {
            let value = self.spelling.value(member.schema);
            Expression::sequence([
                colon.clone(),
                value,
                Expression::rule(Arc::new(self.after_member(*index))),
            ])
        });
        match offered.as_slice() {
            [] => None,
            [(_, member)] if has_one_spelling(&member.name) => {
                Some(Expression::literal(format!("\"{}\"", member.name)).then(arms.next()?))
            }
            _ => {
                let names =
                    offered.iter().zip(0..).map(|((_, member), label)| (member.name.as_bytes(), label));
                Some(Expression::switch(Leaf::new(StringLanguage::words(names)), arms))
            }
        }
    }

    /// A member with another name, and all that follows it.
    fn other(&self, class: usize) -> Expression {
        let objects = self.objects();
        let names = objects.rest[class].names.clone().unwrap_or_else(Dfa::text);
        let declared = objects.members.iter().map(|member| &member.name).chain(&objects.forbidden);
        let excluded = declared.chain(self.progress.others.iter()).map(|name| name.as_bytes());
        let name = StringLanguage::excluding(names, excluded);
        let binder = Other { members: self.clone(), class };
        let colon = self.spelling.punctuation.colon.clone();
        Expression::capture(Expression::leaf(Leaf::new(name)), colon, Arc::new(binder))
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
        fill.fold(required, u32::saturating_add)
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
        (Arc::as_ptr(&self.spelling), self.node, self.cell, &self.progress)
    }
}

impl Rule for Members {
    fn expand(&self) -> Expression {
        let classes = 0..self.objects().rest.len();
        let others = classes.filter(|class| self.offers_other(*class)).map(|class| self.other(class));
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
        let mut others = members.progress.others.to_vec();
        others.push(decode(name).into());
        others.sort_unstable();
        let value = members.spelling.value(members.objects().rest[self.class].schema);
        value.then(Expression::rule(Arc::new(members.after_other(others.into()))))
    }

    fn min_len(&self) -> u32 {
        let members = &self.members;
        let after = members.after_other(members.progress.others.clone());
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

fn count<T>(items: impl Iterator<Item = T>) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}

/// Whether JSON can spell the name in one way only, so that it may stand as a literal.
fn has_one_spelling(name: &str) -> bool {
    name.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\')
}
