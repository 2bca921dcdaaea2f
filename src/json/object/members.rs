//! The rule of what remains of an object.

use std::any::Any;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::Object;
use super::left::{Left, wishing};
use super::progress::{Declared, Progress};
use super::then::{AfterName, AfterOther, MemberValue, OtherName};
use crate::expression::{Expression, Leaf, Rule, fingerprint};
use crate::json::distinct::{Count, after_member, taken};
use crate::json::string::StringLanguage;
use crate::schema::{Member, NodeId, Objects};

/// What a wish adds to the length of what remains: more than any member that does not grant it costs, so that the shortest way leads to one that
/// does.
const WISH_LEN: u32 = 1 << 16;

/// What remains of an object: a comma and another member, or the brace.
#[derive(Clone, Debug)]
pub(super) struct Members {
    pub(super) object: Arc<Object>,
    pub(super) progress: Progress,
    pub(super) fingerprint: u64,
}

impl Members {
    pub(super) fn new(object: Arc<Object>, progress: Progress) -> Self {
        let Progress { declared, others, read, granted, avoid } = &progress;
        let content = (object.key(), declared, others, *read, *granted, avoid.len());
        Self { fingerprint: fingerprint(&content), object, progress }
    }

    pub(super) fn objects(&self) -> &Objects {
        self.object.objects()
    }

    fn open_members(&self) -> impl Iterator<Item = (usize, &Member)> {
        let members = self.objects().members.iter().enumerate();
        members.filter(|(index, _)| self.progress.declared.is_open(*index))
    }

    /// What is still to come.
    fn left(&self) -> Left {
        let (mut required, mut declared) = (0, 0);
        for (_, member) in self.open_members() {
            required += u32::from(member.required);
            declared += 1;
        }
        let classes = 0..self.objects().rest.len();
        let others = classes.map(|class| self.names_left(class)).try_fold(0, |sum, left| Some(left? + sum));
        let others = others.map(|names: u64| u32::try_from(names).unwrap_or(u32::MAX));
        Left { required, declared, others, wishing: wishing(self.objects(), self.progress.granted) }
    }

    /// Names of a class that were not used, with `None` for without end.
    fn names_left(&self, class: usize) -> Option<u64> {
        let all = self.object.class_size(class)?;
        let names = self.objects().rest[class].names.as_ref()?;
        let used = self.progress.others.iter().filter(|name| names.contains(name.as_bytes())).count();
        Some((all - used as u64).min(u32::MAX.into()))
    }

    /// Whether more ways to go on are left than there are objects to avoid.
    pub(super) fn can_avoid_all(&self) -> bool {
        let avoid = self.progress.avoid.len() as Count;
        avoid == 0 || self.ways() > avoid
    }

    /// The ways to go on.
    fn ways(&self) -> Count {
        let open = self.open_members().map(|(_, member)| (member.required, member.schema));
        self.object.spelling.counts.objects(self.objects(), open, self.progress.read)
    }

    /// How many members were read after one more. Counts that no bound asks for are one state.
    fn read_after(&self) -> u32 {
        let objects = self.objects();
        // One more than the most says that there are too many.
        let last = objects.max_members.map_or(objects.min_members, |max| max.saturating_add(1)).max(1);
        self.progress.read.saturating_add(1).min(last)
    }

    fn after(&self, declared: Declared, others: Arc<[Arc<str>]>, grants: u32) -> Self {
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

    pub(super) fn after_member(&self, member: usize) -> Self {
        self.after(self.progress.declared.after(member), self.progress.others.clone(), 0)
    }

    /// After another name of a class.
    pub(super) fn after_other(&self, class: usize, others: Arc<[Arc<str>]>) -> Self {
        let objects = self.objects();
        let declared = self.progress.declared.after_other(objects.members.len());
        self.after(declared, others, objects.rest[class].grants)
    }

    /// After a member with this value: what is to be avoided agrees in it, and can still come about.
    pub(super) fn agreeing(&self, before: &Self, name: &str, value: Option<&Value>) -> Self {
        let mut avoid = match value {
            Some(value) => after_member(&before.progress.avoid, name, value),
            None => Vec::new(),
        };
        avoid.retain(|object| object.keys().all(|name| self.may_come(name)));
        let progress = Progress { avoid: avoid.into(), ..self.progress.clone() };
        Self::new(self.object.clone(), progress)
    }

    fn may_come(&self, name: &str) -> bool {
        let declared = self.objects().members.iter().position(|member| &*member.name == name);
        declared.is_none_or(|member| self.progress.declared.is_open(member))
    }

    /// The value of a member with this name, then what remains of the object; `None` where every value is taken.
    pub(super) fn value_then(&self, schema: NodeId, name: &str, after: Self) -> Option<Expression> {
        let Object { spelling, level, .. } = &*self.object;
        let level = spelling.punctuation.inside(*level);
        if self.progress.avoid.is_empty() {
            return Some(spelling.value(schema, level).then(Expression::rule(Arc::new(after))));
        }
        let avoid = taken(self.progress.avoid.iter().filter_map(|object| object.get(name)), after.ways());
        let value = spelling.value_avoiding(schema, level, &avoid)?;
        let binder = MemberValue { before: self.clone(), after, name: name.into() };
        Some(Expression::capture(value, Expression::empty(), Arc::new(binder)))
    }

    /// The declared members that may come next. In declared order a required member cannot be passed over.
    fn offered(&self, mut left: Left) -> Vec<usize> {
        let (is_ordered, read) = (self.progress.declared.is_ordered(), self.read_after());
        let mut offered = Vec::new();
        for (index, member) in self.open_members() {
            let after = left.without(member.required);
            if after.is_enough(self.objects(), read) && self.has_value(index, member) {
                offered.push(index);
            }
            if is_ordered && member.required {
                break;
            }
            if is_ordered {
                left = after;
            }
        }
        offered
    }

    fn has_value(&self, index: usize, member: &Member) -> bool {
        self.progress.avoid.is_empty()
            || self.value_then(member.schema, &member.name, self.after_member(index)).is_some()
    }

    /// A declared member and all that follows it.
    fn declared(&self, left: Left) -> Option<Expression> {
        let mut offered = self.offered(left);
        let rest = |members: &Arc<Self>, index| {
            Expression::rule(Arc::new(AfterName { members: members.clone(), index }))
        };
        let members = Arc::new(self.clone());
        if let [only] = *offered {
            let name = &self.objects().members[only].name;
            if has_one_spelling(name) {
                return Some(Expression::literal(format!("\"{name}\"")).then(rest(&members, only)));
            }
        }
        let names = self.object.names();
        offered.sort_unstable_by_key(|index| names.rank(*index));
        let open = names.open(offered.iter().copied());
        let leaf = || Leaf::new(StringLanguage::words(open));
        (!offered.is_empty())
            .then(|| Expression::switch(leaf(), offered.iter().map(|index| rest(&members, *index))))
    }

    fn offers_other(&self, class: usize, left: Left) -> bool {
        let names = self.names_left(class);
        let is_ordered = self.progress.declared.is_ordered();
        let granted = self.progress.granted | self.objects().rest[class].grants;
        let after = Left {
            declared: if is_ordered { 0 } else { left.declared },
            others: left.others.map(|others| others.saturating_sub(u32::from(names.is_some()))),
            wishing: wishing(self.objects(), granted),
            ..left
        };
        let passes_over = is_ordered && left.required > 0;
        names != Some(0) && !passes_over && after.is_enough(self.objects(), self.read_after())
    }

    /// A member with another name of a class, and all that follows it; `None` where no name is left.
    ///
    /// Where no value depends on the name, colon and value are known before the name is: then most tokens that leave the name are judged for all
    /// names at once.
    fn other(&self, class: usize) -> Option<Expression> {
        let avoid = self.names_to_avoid(class);
        let name = Expression::leaf(self.object.other_names(class, &self.progress.others, &avoid)?);
        let Object { spelling, level, .. } = &*self.object;
        let colon = spelling.punctuation.colon.clone();
        let members = self.clone();
        if !self.progress.avoid.is_empty() {
            return Some(Expression::capture(name, colon, Arc::new(OtherName { members, class })));
        }
        let value = spelling.value(self.objects().rest[class].schema, spelling.punctuation.inside(*level));
        Some(Expression::capture(name, colon.then(value), Arc::new(AfterOther { members, class })))
    }

    /// Names under which every value would lead to an object to avoid.
    fn names_to_avoid(&self, class: usize) -> Vec<String> {
        if self.progress.avoid.is_empty() {
            return Vec::new();
        }
        let after = self.after_other(class, self.progress.others.clone());
        let names = self.progress.avoid.iter().flat_map(Map::keys).filter(|name| self.is_other(name));
        let schema = self.objects().rest[class].schema;
        names.filter(|name| self.value_then(schema, name, after.clone()).is_none()).cloned().collect()
    }

    fn is_other(&self, name: &str) -> bool {
        self.objects().members.iter().all(|member| &*member.name != name)
    }

    fn may_close(&self, left: Left) -> bool {
        let differs = self.progress.avoid.iter().all(|object| !object.is_empty());
        let is_enough = self.progress.read >= self.objects().min_members;
        left.required == 0 && left.wishing == Some(0) && is_enough && differs
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
        u32::try_from(name + 4).unwrap_or(u32::MAX).saturating_add(self.least_len(schema))
    }

    pub(super) fn least_len(&self, schema: NodeId) -> u32 {
        self.object.spelling.schema.least_len(schema)
    }

    pub(super) fn place_in_schema(&self) -> String {
        self.object.spelling.place(self.object.node)
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint
            && self.object.key() == other.object.key()
            && self.progress == other.progress
    }
}

impl Rule for Members {
    fn expand(&self) -> Expression {
        let left = self.left();
        let (punctuation, level) = (&self.object.spelling.punctuation, self.object.level);
        let is_first = self.progress.read == 0;
        let classes = 0..self.objects().rest.len();
        let others = classes.filter(|class| self.offers_other(*class, left));
        let others = others.filter_map(|class| self.other(class));
        let more = Expression::choice(self.declared(left).into_iter().chain(others));
        let more = more.map(|member| punctuation.before(level, is_first).then(member));
        let close = self.may_close(left).then(|| punctuation.end_object(level, is_first));
        Expression::choice(close.into_iter().chain(more)).expect("an inhabited object can be completed")
    }

    fn min_len(&self) -> u32 {
        let missing = self.missing_len();
        // The first member has no comma; the brace stands at the end.
        missing.saturating_add(1) - u32::from(missing > 0 && self.progress.read == 0)
    }

    fn place(&self) -> String {
        self.place_in_schema()
    }

    fn same(&self, other: &dyn Rule) -> bool {
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| self.is_same(other))
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("members", self.fingerprint))
    }
}

/// Whether JSON can spell the name in one way only, so that it may stand as a literal.
fn has_one_spelling(name: &str) -> bool {
    name.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\')
}
