//! What follows in an object when a name or a value was read.

use std::any::Any;
use std::sync::Arc;

use super::members::Members;
use crate::expression::{Binder, Expression, Rule, fingerprint};
use crate::json::distinct::parse;
use crate::json::string::decode;
use crate::schema::{Member, NodeId};

/// What follows the name of a declared member.
#[derive(Debug)]
pub(super) struct AfterName {
    pub(super) members: Arc<Members>,
    pub(super) index: usize,
}

impl AfterName {
    fn member(&self) -> &Member {
        &self.members.objects().members[self.index]
    }
}

impl Rule for AfterName {
    fn expand(&self) -> Expression {
        let member = self.member();
        let after = self.members.after_member(self.index);
        let value = self.members.value_then(member.schema, &member.name, after);
        let colon = self.members.object.spelling.punctuation.colon.clone();
        colon.then(value.expect("members without a value left are not offered"))
    }

    fn min_len(&self) -> u32 {
        let after = Rule::min_len(&self.members.after_member(self.index));
        self.members.least_len(self.member().schema).saturating_add(after).saturating_add(1)
    }

    fn place(&self) -> String {
        self.members.place_in_schema()
    }

    fn same(&self, other: &dyn Rule) -> bool {
        (other as &dyn Any)
            .downcast_ref::<Self>()
            .is_some_and(|other| self.index == other.index && self.members.is_same(&other.members))
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("after name", self.members.fingerprint, self.index))
    }
}

/// What follows a member with another name of `class`.
#[derive(Debug)]
pub(super) struct AfterOther {
    pub(super) members: Members,
    pub(super) class: usize,
}

impl Binder for AfterOther {
    fn bind(&self, name: &[u8]) -> Expression {
        let others = self.members.progress.others_with(&decode(name));
        Expression::rule(Arc::new(self.members.after_other(self.class, others)))
    }

    fn min_len(&self) -> u32 {
        let others = self.members.progress.others.clone();
        Rule::min_len(&self.members.after_other(self.class, others))
    }

    fn same(&self, other: &dyn Binder) -> bool {
        (other as &dyn Any)
            .downcast_ref::<Self>()
            .is_some_and(|other| self.class == other.class && self.members.is_same(&other.members))
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("after other", self.members.fingerprint, self.class))
    }
}

/// What follows another name of `class` and its colon, where values are to be avoided.
#[derive(Debug)]
pub(super) struct OtherName {
    pub(super) members: Members,
    pub(super) class: usize,
}

impl OtherName {
    fn schema(&self) -> NodeId {
        self.members.objects().rest[self.class].schema
    }
}

impl Binder for OtherName {
    fn bind(&self, name: &[u8]) -> Expression {
        let name = decode(name);
        let after = self.members.after_other(self.class, self.members.progress.others_with(&name));
        let value = self.members.value_then(self.schema(), &name, after);
        value.expect("names without a value left are not offered")
    }

    fn min_len(&self) -> u32 {
        let others = self.members.progress.others.clone();
        let after = Rule::min_len(&self.members.after_other(self.class, others));
        self.members.least_len(self.schema()).saturating_add(after)
    }

    fn same(&self, other: &dyn Binder) -> bool {
        (other as &dyn Any)
            .downcast_ref::<Self>()
            .is_some_and(|other| self.class == other.class && self.members.is_same(&other.members))
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("other name", self.members.fingerprint, self.class))
    }
}

/// What follows a value that matters.
#[derive(Debug)]
pub(super) struct MemberValue {
    pub(super) before: Members,
    pub(super) after: Members,
    pub(super) name: Arc<str>,
}

impl Binder for MemberValue {
    fn bind(&self, text: &[u8]) -> Expression {
        let after = self.after.agreeing(&self.before, &self.name, parse(text).as_ref());
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
        fingerprint(&("member value", &self.name, self.before.fingerprint, self.after.fingerprint))
    }
}
