//! The reference verdict: whether a value is allowed, by looking it up in the normal form.

use serde_json::{Map, Value};

use super::decimal::Decimal;
use super::values::{Arrays, Objects, Strings};
use super::{NodeId, Schema};

impl Schema {
    /// Whether a value is allowed. This is what the masks say in the end, and how tests check it; it is not made for speed.
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
        self.node_admits(self.root(), value)
    }

    fn node_admits(&self, node: NodeId, value: &Value) -> bool {
        let values = self.values(node);
        match value {
            Value::Null => values.null,
            Value::Bool(true) => values.booleans.allows_true,
            Value::Bool(false) => values.booleans.allows_false,
            Value::Number(number) => {
                // A number too long to be read is no number that a schema could name.
                Decimal::from_number(number, usize::MAX)
                    .is_ok_and(|number| values.numbers.iter().any(|numbers| numbers.contains(&number)))
            }
            Value::String(text) => values.strings.iter().any(|strings| strings.contains(text)),
            Value::Array(elements) => values.arrays.iter().any(|arrays| self.arrays_admit(arrays, elements)),
            Value::Object(members) => {
                values.objects.iter().any(|objects| self.objects_admit(objects, members))
            }
        }
    }

    fn arrays_admit(&self, arrays: &Arrays, elements: &[Value]) -> bool {
        let positions = arrays.prefix.iter().copied().map(Some).chain(std::iter::repeat(arrays.rest));
        elements.len() >= arrays.min_items as usize
            && arrays.max_items.is_none_or(|max| elements.len() <= max as usize)
            && elements
                .iter()
                .zip(positions)
                .all(|(element, node)| node.is_some_and(|node| self.node_admits(node, element)))
    }

    fn objects_admit(&self, objects: &Objects, members: &Map<String, Value>) -> bool {
        members.len() >= objects.min_members as usize
            && objects.max_members.is_none_or(|max| members.len() <= max as usize)
            && objects.members.iter().all(|member| !member.required || members.contains_key(&*member.name))
            && members.iter().all(|(name, value)| {
                objects.schema_of(name).is_some_and(|node| self.node_admits(node, value))
            })
    }
}

impl Objects {
    /// The schema of the value under a name; `None` where the name is not allowed.
    #[must_use]
    pub fn schema_of(&self, name: &str) -> Option<NodeId> {
        if let Some(member) = self.members.iter().find(|member| &*member.name == name) {
            return Some(member.schema);
        }
        if self.forbidden.iter().any(|forbidden| &**forbidden == name) {
            return None;
        }
        let contains = |names: &crate::regular::Dfa| names.contains(name.as_bytes());
        self.rest.iter().find(|class| class.names.as_deref().is_none_or(contains)).map(|class| class.schema)
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
