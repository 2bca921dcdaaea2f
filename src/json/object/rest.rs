//! How long the rest of an object is at least, after each member that may come next.
//!
//! A completion asks this for each name that may come. Were all members counted anew for each, an object of
//! 60,000 members took 21 s; so they are counted once, and each is taken out in turn.

use super::kind_lens::KindLens;
use super::members::{Members, Next};
use crate::schema::{Member, Objects, Reached};

/// The least length of the rest after each member that may come next.
#[derive(Debug)]
pub(super) struct RestLens {
    members: Box<[u32]>,
    /// By the class of another name.
    classes: Box<[u32]>,
    /// The same where it depends on the value of a member.
    kinds: Option<KindLens>,
}

impl RestLens {
    pub(super) fn new(members: &Members) -> Self {
        if members.wishes_for_members() {
            let kinds = Some(KindLens::new(members));
            return Self { members: Box::default(), classes: Box::default(), kinds };
        }
        let mut missing = Missing::new(members, members.read_after());
        let granted = members.progress.granted;
        let mut after = vec![0; members.objects().members.len()];
        let is_ordered = members.progress.declared.is_ordered();
        for (index, member) in members.open_members() {
            missing.change(member, Sum::remove);
            after[index] = missing.rest_len(granted);
            if !is_ordered {
                missing.change(member, Sum::add);
            }
        }
        // In declared order no member is left here, and none comes after another name.
        let classes = members.objects().rest.iter().map(|class| missing.rest_len(granted | class.grants));
        Self { members: after.into(), classes: classes.collect(), kinds: None }
    }

    pub(super) fn after(&self, objects: &Objects, next: Next) -> u32 {
        match (next, &self.kinds) {
            (Next::Member(place, kind), Some(kinds)) => kinds.after(place, &objects.members[place], kind),
            (Next::Member(place, _), None) => self.members[place],
            (Next::Other(class), Some(kinds)) => kinds.classes[class],
            (Next::Other(class), None) => self.classes[class],
        }
    }
}

/// Members that are still to come, by what they cost.
pub(super) struct Missing<'m> {
    members: &'m Members,
    /// How many must come.
    least: u64,
    required: Sum,
    /// Those that need not come, where one of them must and they are cheaper than other names.
    optional: LeastSums,
    /// What a member with another name costs.
    others: Option<u32>,
}

impl<'m> Missing<'m> {
    /// The open members, when `read` were read.
    pub(super) fn new(members: &'m Members, read: u32) -> Self {
        let (objects, object) = (members.objects(), &members.object);
        let least = objects.min_members.saturating_sub(read).max(members.must_go_on().into());
        // All names but one have a character.
        let name_len = usize::from(read > 0);
        let others = objects.rest.iter().map(|class| object.member_len(name_len, class.schema)).min();
        // Seldom does an object ask for more members than the required ones, and only then do the others
        // matter. Were a member counted though another name is cheaper, one that holds such an object itself
        // would look no dearer than that name, and be opened without end.
        let optional = members.open_members().filter(|(_, member)| least > 0 && !member.required);
        let optional = optional.map(|(_, member)| object.member_len(member.name.len(), member.schema));
        let optional = optional.filter(|len| others.is_none_or(|others| *len < others));
        let (required, optional) = (Sum::default(), LeastSums::new(optional.collect()));
        let mut missing = Self { members, least: least.into(), required, optional, others };
        let is_told = members.wishes_for_members();
        let members = members.open_members().filter(|(_, member)| !is_told || !member.grants_any());
        members.for_each(|(_, member)| missing.change(member, Sum::add));
        missing
    }

    pub(super) fn change(&mut self, member: &Member, change: fn(&mut Sum, u32)) {
        let len = self.members.object.member_len(member.name.len(), member.schema);
        if member.required {
            change(&mut self.required, len);
        } else {
            self.optional.change(len, change);
        }
    }

    /// The least length of the members that must still be read when some wishes are granted, each with a
    /// comma.
    pub(super) fn len(&self, granted: u32) -> u32 {
        if self.members.wishes_for_members() {
            let Members { object, progress, .. } = self.members;
            let reached = object.granters_with_lens().reached(0, |member| progress.declared.is_open(member));
            return self.len_with(&reached, granted);
        }
        let missing = self.least.saturating_sub(self.required.count);
        // Members that grant wishes are members, too.
        let granting = (0..).zip(self.members.object.wish_lens(granted));
        let further = granting
            .map(|(count, len)| self.fill(missing.saturating_sub(count)).saturating_add(u64::from(len)));
        let len = self.required.total.saturating_add(further.min().unwrap_or_default());
        u32::try_from(len).unwrap_or(u32::MAX)
    }

    /// The same where declared members may grant what is reached.
    fn len_with(&self, reached: &Reached, granted: u32) -> u32 {
        let object = &self.members.object;
        let total = |(grants, len): &(u32, u64)| {
            let others = object.wish_lens(granted | grants).min().unwrap_or(u32::MAX);
            (others < u32::MAX).then(|| len.saturating_add(others.into()))
        };
        let granting = reached.sets().iter().filter_map(total).min().unwrap_or(u64::MAX);
        u32::try_from(granting.saturating_add(self.required.total)).unwrap_or(u32::MAX)
    }

    /// The same behind another member, with the brace.
    pub(super) fn rest_len_with(&self, reached: &Reached, granted: u32) -> u32 {
        self.len_with(reached, granted).saturating_add(1)
    }

    /// What so many members cost that need not come.
    fn fill(&self, count: u64) -> u64 {
        let (cheapest, left) = self.optional.least(count);
        cheapest.saturating_add(left.saturating_mul(self.others.unwrap_or_default().into()))
    }

    /// The same behind another member, with the brace.
    fn rest_len(&self, granted: u32) -> u32 {
        self.len(granted).saturating_add(1)
    }
}

/// How many numbers there are, and their sum.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    count: u64,
    total: u64,
}

impl Sum {
    pub(super) fn add(&mut self, number: u32) {
        (self.count, self.total) = (self.count + 1, self.total + u64::from(number));
    }

    pub(super) fn remove(&mut self, number: u32) {
        (self.count, self.total) = (self.count - 1, self.total - u64::from(number));
    }
}

/// Numbers that come and go, of which the least are added up: a Fenwick tree over all that may come, so both
/// take few steps however many there are.
struct LeastSums {
    /// Those that may come.
    numbers: Vec<u32>,
    /// At each place what is there of the numbers up to it: of as many as the lowest bit of the place,
    /// counted from one, says.
    tree: Vec<Sum>,
}

impl LeastSums {
    /// Of these numbers; none is there yet.
    fn new(mut numbers: Vec<u32>) -> Self {
        numbers.sort_unstable();
        numbers.dedup();
        Self { tree: vec![Sum::default(); numbers.len()], numbers }
    }

    /// Adds or removes a number, if it is one of those that may come.
    fn change(&mut self, number: u32, change: fn(&mut Sum, u32)) {
        let Ok(place) = self.numbers.binary_search(&number) else { return };
        let mut at = place + 1;
        while let Some(sum) = self.tree.get_mut(at - 1) {
            change(sum, number);
            at += at & at.wrapping_neg();
        }
    }

    /// The sum of so many numbers, the least ones, and how many of these are not there.
    fn least(&self, count: u64) -> (u64, u64) {
        let (mut at, mut left, mut total) = (0, count, 0);
        let mut step = self.tree.len().next_power_of_two();
        while step > 0 {
            if let Some(sum) = self.tree.get(at + step - 1).filter(|sum| sum.count <= left) {
                (at, left, total) = (at + step, left - sum.count, total + sum.total);
            }
            step /= 2;
        }
        // There are more of the next one than are asked for.
        self.numbers.get(at).map_or((total, left), |next| (total + left * u64::from(*next), 0))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::*;
    use crate::json::list::List;
    use crate::json::object::Object;
    use crate::json::spelling::{PropertyOrder, Spelling, Style};
    use crate::limits::Limits;
    use crate::schema::{Schema, SchemaOptions};

    /// Nothing read of the one kind of object that a schema allows.
    fn start(schema: &Value, order: PropertyOrder) -> Members {
        let limits = Limits::default();
        let schema = Schema::read(&schema.to_string(), &SchemaOptions::default(), &limits).unwrap();
        let (node, style) = (schema.root(), Style { order, ..Style::default() });
        let spelling = Arc::new(Spelling::new(schema, &style, "", &(&limits).into()).unwrap());
        let facts = spelling.facts(node);
        Members::start(&Arc::new(Object { spelling, node, cell: 0, level: 0, facts }), List::default())
    }

    /// The least length of a rest, counted member by member.
    fn counted(members: &Members) -> u32 {
        let (objects, object, progress) = (members.objects(), &members.object, &members.progress);
        let open = |required| {
            let open = members.open_members().filter(move |(_, member)| member.required == required);
            let mut lens: Vec<u32> =
                open.map(|(_, member)| object.member_len(member.name.len(), member.schema)).collect();
            lens.sort_unstable();
            lens
        };
        let others = objects.rest.iter().map(|class| object.member_len(1, class.schema)).min();
        let (required, mut optional) = (open(true), open(false));
        optional.retain(|len| others.is_none_or(|others| *len < others));
        let missing = objects.min_members.saturating_sub(progress.read) as usize;
        let missing = missing.saturating_sub(required.len());
        let fill =
            |count| optional.iter().copied().chain(others.into_iter().cycle()).take(count).sum::<u32>();
        let wishes = object.wish_lens(progress.granted).enumerate();
        let further =
            wishes.map(|(count, len)| len.saturating_add(fill(missing.saturating_sub(count)))).min();
        required.iter().sum::<u32>() + further.unwrap() + 1
    }

    /// Compares the lengths after each member with those of what remains then, at each place of an object.
    fn check(schema: &Value) {
        for order in [PropertyOrder::Any, PropertyOrder::Declared] {
            let (mut pending, mut checked) = (vec![(start(schema, order), 0)], 0);
            while let Some((members, others)) = pending.pop() {
                let (rest_lens, left) = (RestLens::new(&members), members.left());
                let classes =
                    (0..members.objects().rest.len()).filter(|class| members.offers_other(*class, left));
                let declared = members.offered(left).flat_map(|member| {
                    members.objects().members[member].kinds().map(move |kind| Next::Member(member, kind))
                });
                let nexts = declared.chain(classes.map(Next::Other));
                for next in nexts.collect::<Vec<_>>() {
                    let (_, after) = members.after_next(next, &format!("other {others}"));
                    assert_eq!(
                        rest_lens.after(members.objects(), next),
                        after.rest_len(),
                        "{next:?} of {schema}, {order:?}"
                    );
                    assert_eq!(
                        rest_lens.after(members.objects(), next),
                        counted(&after),
                        "{next:?} of {schema}, {order:?}"
                    );
                    checked += 1;
                    let others = others + u32::from(matches!(next, Next::Other(_)));
                    pending.extend((others < 2).then_some((after, others)));
                }
            }
            assert!(checked > 4, "{schema}");
        }
    }

    #[test]
    fn the_rest_after_each_member_is_as_long_as_what_remains() {
        let properties = json!({
            "a": {"minLength": 9, "type": "string"}, "bb": {"const": 12}, "c": {"const": "much longer"},
            "dd": {"const": 13}, "eeee": true, "f": {"type": "array"}
        });
        let with = |more: Value| {
            let mut schema = json!({"type": "object", "properties": properties});
            schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            check(&schema);
        };
        let is_closed = false;
        with(json!({"additionalProperties": is_closed}));
        for least in [1, 3, 4, 6] {
            with(json!({"additionalProperties": is_closed, "minProperties": least}));
            with(json!({"additionalProperties": is_closed, "minProperties": least, "required": ["dd", "c"]}));
        }
        with(json!({"minProperties": 3, "required": ["f"], "maxProperties": 4}));
        with(
            json!({"minProperties": 4, "additionalProperties": {"type": "string", "minLength": 4}, "maxProperties": 5}),
        );
        with(json!({
            "patternProperties": {"^x": {"const": 1}, "^y": {"const": "long enough"}},
            "additionalProperties": is_closed, "minProperties": 5, "maxProperties": 6
        }));
        with(json!({"maxProperties": 3, "minProperties": 2, "additionalProperties": {"type": "number"},
            "not": {"additionalProperties": {"type": "integer"}}}));
    }

    #[test]
    fn the_least_numbers_are_added_up() {
        let all = [5, 3, 9, 3, 7, 7, 7, 1];
        let mut sums = LeastSums::new(all.to_vec());
        let mut there: Vec<u32> = Vec::new();
        let check = |sums: &LeastSums, there: &[u32]| {
            let mut sorted = there.to_vec();
            sorted.sort_unstable();
            for count in 0..=all.len() + 1 {
                let least = sorted.iter().take(count).map(|number| u64::from(*number)).sum();
                let lacking = count.saturating_sub(sorted.len()) as u64;
                assert_eq!(sums.least(count as u64), (least, lacking), "{count} of {sorted:?}");
            }
        };
        check(&sums, &there);
        for number in all {
            sums.change(number, Sum::add);
            there.push(number);
            check(&sums, &there);
        }
        sums.change(4, Sum::remove);
        while !there.is_empty() {
            sums.change(there.swap_remove(0), Sum::remove);
            check(&sums, &there);
        }
    }
}
