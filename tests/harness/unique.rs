//! JSON whose objects name no member twice; serde_json itself keeps the last of them silently.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A value that was read from a text without duplicate names.
pub(crate) struct Unique(pub(crate) Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let text = raw.get();
        let read = match text.as_bytes()[0] {
            b'{' | b'[' => serde_json::Deserializer::from_str(text).deserialize_any(Container),
            _ => serde_json::from_str(text),
        };
        read.map(Self).map_err(D::Error::custom)
    }
}

struct Container;

impl<'de> Visitor<'de> for Container {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or an array")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((name, Unique(value))) = members.next_entry::<String, Unique>()? {
            if object.insert(name.clone(), value).is_some() {
                return Err(A::Error::custom(format!("{name:?} is named twice")));
            }
        }
        Ok(Value::Object(object))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(Unique(value)) = elements.next_element()? {
            array.push(value);
        }
        Ok(Value::Array(array))
    }
}
