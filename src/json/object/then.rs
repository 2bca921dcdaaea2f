//! What follows in an object when a name or a value was read.

use std::any::Any;
use std::sync::Arc;

use super::alternatives::{Alternatives, Offer};
use super::members::Members;
use crate::expression::{Binder, Expression, Rule, fingerprint};
use crate::json::distinct::parse;
use crate::json::string::decode;
use crate::schema::{Member, NodeId};

/// What follows the name of a declared member.
#[derive(Debug)]
pub(super) struct AfterName {
    pub(super) before: Alternatives,
    /// The member in each alternative that has it.
    pub(super) offers: Box<[Offer]>,
}

impl AfterName {
    fn members(&self) -> impl Iterator<Item = (&Members, usize, &Member)> {
        self.offers.iter().map(|&(at, index)| {
            let members: &Members = &self.before.alive[at];
            (members, index, &members.objects().members[index])
        })
    }

    /// The alternatives that go on with a value of each schema.
    fn by_schema(&self) -> Vec<(NodeId, Vec<Members>)> {
        let mut found: Vec<(NodeId, Vec<Members>)> = Vec::new();
        for (members, index, member) in self.members() {
            let after = members.after_member(index);
            match found.iter_mut().find(|(schema, _)| *schema == member.schema) {
                Some((_, all)) => all.push(after),
                None => found.push((member.schema, vec![after])),
            }
        }
        found
    }

    /// A value, then what remains of the alternatives that allow it.
    fn value_then(&self, schema: NodeId, after: Vec<Members>) -> Expression {
        let (members, _, member) = self.members().next().expect("offered by one");
        let value = members.value(schema, &member.name, &after[0]);
        let value = value.expect("members without a value left are not offered");
        let after = Alternatives::new(&self.before.group, after);
        if members.progress.avoid.is_empty() {
            return value.then(Expression::rule(Arc::new(after)));
        }
        let binder = MemberValue { before: self.before.clone(), after, name: member.name.clone() };
        Expression::capture(value, Expression::empty(), Arc::new(binder))
    }
}

impl Rule for AfterName {
    fn expand(&self) -> Expression {
        let values = self.by_schema().into_iter().map(|(schema, after)| self.value_then(schema, after));
        let values = Expression::choice(values).expect("offered by one");
        self.before.group.spelling().punctuation.colon.clone().then(values)
    }

    fn min_len(&self) -> u32 {
        let lens = self.members().map(|(members, index, member)| {
            members.least_len(member.schema).saturating_add(members.after_member(index).rest_len())
        });
        lens.min().expect("offered by one").saturating_add(1)
    }

    fn place(&self) -> String {
        self.before.place()
    }

    fn same(&self, other: &dyn Rule) -> bool {
        (other as &dyn Any)
            .downcast_ref::<Self>()
            .is_some_and(|other| self.offers == other.offers && self.before.is_same(&other.before))
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("after name", self.before.fingerprint, &self.offers))
    }
}

/// What follows a member with another name.
#[derive(Debug)]
pub(super) struct AfterOther {
    pub(super) before: Alternatives,
    /// The class of the name in each alternative that has it.
    pub(super) offers: Box<[Offer]>,
}

impl Binder for AfterOther {
    fn bind(&self, name: &[u8]) -> Expression {
        let after = self.before.after_other(&self.offers, Some(&decode(name)));
        Expression::rule(Arc::new(after))
    }

    fn min_len(&self) -> u32 {
        Rule::min_len(&self.before.after_other(&self.offers, None))
    }

    fn same(&self, other: &dyn Binder) -> bool {
        (other as &dyn Any)
            .downcast_ref::<Self>()
            .is_some_and(|other| self.offers == other.offers && self.before.is_same(&other.before))
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("after other", self.before.fingerprint, &self.offers))
    }
}

/// What follows another name of `class` and its colon, where values are to be avoided: then there is one alternative.
#[derive(Debug)]
pub(super) struct OtherName {
    pub(super) before: Alternatives,
    pub(super) class: usize,
}

impl OtherName {
    fn schema(&self) -> NodeId {
        self.before.alive[0].objects().rest[self.class].schema
    }
}

impl Binder for OtherName {
    fn bind(&self, name: &[u8]) -> Expression {
        let name = decode(name);
        let members = &self.before.alive[0];
        let after = self.before.after_other(&[(0, self.class)], Some(&name));
        let value = members.value(self.schema(), &name, &after.alive[0]);
        let value = value.expect("names without a value left are not offered");
        let binder = MemberValue { before: self.before.clone(), after, name: name.into() };
        Expression::capture(value, Expression::empty(), Arc::new(binder))
    }

    fn min_len(&self) -> u32 {
        let after = Rule::min_len(&self.before.after_other(&[(0, self.class)], None));
        self.before.alive[0].least_len(self.schema()).saturating_add(after)
    }

    fn same(&self, other: &dyn Binder) -> bool {
        (other as &dyn Any)
            .downcast_ref::<Self>()
            .is_some_and(|other| self.class == other.class && self.before.is_same(&other.before))
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("other name", self.before.fingerprint, self.class))
    }
}

/// What follows a value that matters, of the only alternative.
#[derive(Debug)]
struct MemberValue {
    before: Alternatives,
    after: Alternatives,
    name: Arc<str>,
}

impl Binder for MemberValue {
    fn bind(&self, text: &[u8]) -> Expression {
        let (before, after) = (&self.before.alive[0], &self.after.alive[0]);
        let after = after.agreeing(before, &self.name, parse(text).as_ref());
        Expression::rule(Arc::new(Alternatives::new(&self.after.group, vec![after])))
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
        fingerprint(&("member value", &self.name, self.before.fingerprint, self.after.fingerprint))
    }
}
