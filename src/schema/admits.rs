//! The reference verdict: whether a value is allowed, by looking it up in the normal form.

use serde_json::{Map, Value};

use super::decimal::Decimal;
use super::equality::has_equals;
use super::values::{Arrays, Count, Member, MemberKind, NameClass, Numbers, Objects, Strings, Written};
use super::{NodeId, Schema};
use crate::recursion;

/// Which spellings of a number count.
#[derive(Clone, Copy, PartialEq)]
enum Spelled {
    /// The one that it has: draft 4 has integers whose text must not be `1.0`.
    AsHere,
    /// Any: `1` and `1.0` are equal.
    Anyhow,
}

impl Schema {
    /// Whether a value is allowed. This is what the masks say in the end, and how tests check it; it is not
    /// made for speed.
    ///
    /// ```
    /// # use harmony_mask::{Limits, schema::{Schema, SchemaOptions}};
    /// # use serde_json::json;
    /// let document = json!({"type": "array", "items": {"minimum": 0.1}, "maxItems": 2});
    /// let schema = Schema::read(&document, &SchemaOptions::default(), &Limits::default())?;
    /// assert!(schema.admits(&json!([0.1, "text"])));
    /// assert!(!schema.admits(&json!([0.09])));
    /// # Ok::<(), harmony_mask::schema::SchemaError>(())
    /// ```
    #[must_use]
    pub fn admits(&self, value: &Value) -> bool {
        self.node_admits(self.root(), value, Spelled::AsHere)
    }

    /// Whether a node allows a value that equals this one.
    pub(crate) fn node_has(&self, node: NodeId, value: &Value) -> bool {
        self.node_admits(node, value, Spelled::Anyhow)
    }

    /// The same for arrays.
    pub(crate) fn arrays_have(&self, arrays: &Arrays, elements: &[Value]) -> bool {
        self.arrays_admit(arrays, elements, Spelled::Anyhow)
    }

    /// The same for objects.
    pub(crate) fn objects_have(&self, objects: &Objects, members: &Map<String, Value>) -> bool {
        self.objects_admit(objects, members, Spelled::Anyhow)
    }

    /// Whether a node allows a value.
    fn node_admits(&self, node: NodeId, value: &Value, spelled: Spelled) -> bool {
        let values = self.values(node);
        match value {
            Value::Null => values.null,
            Value::Bool(true) => values.booleans.allows_true,
            Value::Bool(false) => values.booleans.allows_false,
            Value::Number(number) => {
                // A number too long to be read is no number that a schema could name.
                let is_right = spelled == Spelled::Anyhow || !number.as_str().contains(['.', 'e', 'E']);
                let written = |numbers: &&Numbers| numbers.written == Written::Anyhow || is_right;
                Decimal::from_number(number, usize::MAX).is_ok_and(|number| {
                    values.numbers.iter().filter(written).any(|numbers| numbers.contains(&number))
                })
            }
            Value::String(text) => {
                values.words.as_ref().is_some_and(|words| words.contains(text))
                    || values.strings.iter().any(|strings| strings.contains(text))
            }
            Value::Array(elements) => {
                let admit = |arrays| recursion::one_level(|| self.arrays_admit(arrays, elements, spelled));
                values.arrays.iter().any(admit)
            }
            Value::Object(members) => {
                let admit = |objects| recursion::one_level(|| self.objects_admit(objects, members, spelled));
                values.objects.iter().any(admit)
            }
        }
    }

    fn arrays_admit(&self, arrays: &Arrays, elements: &[Value], spelled: Spelled) -> bool {
        let mut found = vec![0; arrays.counts.len()];
        let fits = (0..).zip(elements).all(|(position, element)| {
            let mut kinds = arrays.kinds(position).iter();
            let kind = kinds.find(|kind| self.node_admits(kind.schema, element, spelled));
            kind.is_some_and(|kind| {
                (0..).zip(&mut found).for_each(|(count, found)| *found += kind.counts_for >> count & 1);
                true
            })
        });
        let within =
            |(count, found): (&Count, &u32)| *found >= count.min && count.max.is_none_or(|max| *found <= max);
        fits && elements.len() >= arrays.min_items as usize
            && arrays.counts.iter().zip(&found).all(within)
            && !(arrays.unique && has_equals(elements))
            && (!arrays.repeats || has_equals(elements))
    }

    fn objects_admit(&self, objects: &Objects, members: &Map<String, Value>, spelled: Spelled) -> bool {
        let mut granted = 0;
        let fits = members.iter().all(|(name, value)| {
            let admitting = objects
                .kinds_of(name)
                .into_iter()
                .filter(|kind| self.node_admits(kind.schema, value, spelled));
            admitting.fold(false, |_, kind| {
                granted |= kind.grants;
                true
            })
        });
        let absent = objects.members.iter().filter(|member| !members.contains_key(&*member.name));
        granted |= absent.fold(0, |granted, member| granted | member.absence_grants);
        fits && members.len() >= objects.min_members as usize
            && objects.max_members.is_none_or(|max| members.len() <= max as usize)
            && objects.members.iter().all(|member| !member.required || members.contains_key(&*member.name))
            && objects.are_all_granted(granted)
    }
}

impl Objects {
    /// The schemas that a name may have: its own, or those of its classes.
    pub(super) fn schemas_of(&self, name: &str) -> impl Iterator<Item = NodeId> {
        let declared = self.member(name).map(|member| member.schema);
        let classes = self.classes_of(name).filter(move |_| declared.is_none());
        declared.into_iter().chain(classes.map(|class| class.schema))
    }

    /// The same with what they grant.
    fn kinds_of(&self, name: &str) -> Vec<MemberKind> {
        match self.member(name) {
            Some(member) => member.kinds().collect(),
            None => self.classes_of(name).map(NameClass::kind).collect(),
        }
    }

    /// The declared member with a name.
    fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| &*member.name == name)
    }

    /// The classes of a name that is no member's; none where it is not allowed.
    fn classes_of(&self, name: &str) -> impl Iterator<Item = &NameClass> {
        let forbidden = self.forbidden.iter().any(|forbidden| &**forbidden == name);
        let contains = move |names: &crate::regular::Dfa| names.contains(name.as_bytes());
        self.rest.iter().filter(move |class| !forbidden && class.names.as_deref().is_none_or(contains))
    }
}

impl Strings {
    /// Whether a text is one of these.
    #[must_use]
    pub fn contains(&self, text: &str) -> bool {
        let length = text.chars().count();
        length >= self.min_length as usize
            && self.max_length.is_none_or(|max| length <= max as usize)
            && self.language.as_ref().is_none_or(|language| language.contains(text.as_bytes()))
    }
}
