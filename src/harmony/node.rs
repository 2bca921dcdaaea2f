//! A value of the request that knows where it stands.
//!
//! Clients write `null` for what they do not set, so a `null` member counts as absent.

use serde_json::Value;

use super::error::{RequestError, RequestErrorKind};

/// A value and its JSON pointer.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    pub(crate) value: &'a Value,
    pub(crate) pointer: String,
}

impl<'a> Node<'a> {
    /// The whole document.
    pub(crate) fn root(value: &'a Value) -> Self {
        Self { value, pointer: String::new() }
    }

    /// The member `name` of an object, where it is set.
    pub(crate) fn get(&self, name: &str) -> Option<Self> {
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        let name = name.replace('~', "~0").replace('/', "~1");
        Some(Self { value, pointer: format!("{}/{name}", self.pointer) })
    }

    /// The member `name` of an object, which must be set.
    pub(crate) fn require(&self, name: &'static str) -> Result<Self, RequestError> {
        self.get(name).ok_or_else(|| self.error(RequestErrorKind::Missing(name)))
    }

    /// This value, where it is an object.
    pub(crate) fn object(self) -> Result<Self, RequestError> {
        if self.value.is_object() { Ok(self) } else { Err(self.wrong_type("an object")) }
    }

    /// The member `name`, an object, where it is set.
    pub(crate) fn get_object(&self, name: &str) -> Result<Option<Self>, RequestError> {
        self.get(name).map(Self::object).transpose()
    }

    /// The object that describes this one: its member `name`, as in Chat Completions, or itself, as in
    /// Responses.
    ///
    /// # Errors
    /// When both have one of these fields, and not alike: one of the two would be ignored.
    pub(crate) fn described(&self, name: &str, fields: &[&str]) -> Result<Self, RequestError> {
        let Some(nested) = self.get_object(name)? else { return Ok(self.clone()) };
        let outer = fields.iter().filter_map(|field| Some((field, self.get(field)?)));
        for (field, outer) in outer {
            if nested.get(field).is_none_or(|inner| inner.value != outer.value) {
                let nested = format!("{}/{field}", nested.pointer);
                return Err(outer.error(RequestErrorKind::Contradiction(nested)));
            }
        }
        Ok(nested)
    }

    /// The elements of the member `name`; none where it is not set.
    pub(crate) fn get_elements(&self, name: &str) -> Result<Vec<Self>, RequestError> {
        self.get(name).map_or(Ok(Vec::new()), |node| node.elements())
    }

    /// The elements of an array.
    pub(crate) fn elements(&self) -> Result<Vec<Self>, RequestError> {
        let elements = self.value.as_array().ok_or_else(|| self.wrong_type("an array"))?;
        let element = |(index, value)| Self { value, pointer: format!("{}/{index}", self.pointer) };
        Ok(elements.iter().enumerate().map(element).collect())
    }

    /// The text of a string.
    pub(crate) fn string(&self) -> Result<&'a str, RequestError> {
        self.value.as_str().ok_or_else(|| self.wrong_type("a string"))
    }

    /// The member `name`, a boolean, where it is set.
    pub(crate) fn get_bool(&self, name: &str) -> Result<Option<bool>, RequestError> {
        let boolean = |node: Self| node.value.as_bool().ok_or_else(|| node.wrong_type("a boolean"));
        self.get(name).map(boolean).transpose()
    }

    /// The member `name`, a count, where it is set.
    pub(crate) fn get_count(&self, name: &str) -> Result<Option<u32>, RequestError> {
        let Some(node) = self.get(name) else { return Ok(None) };
        if !node.value.is_number() {
            return Err(node.wrong_type("a whole number"));
        }
        let count = node.value.as_u64().and_then(|count| u32::try_from(count).ok());
        let found = || RequestErrorKind::NotACount(node.value.to_string());
        count.map(Some).ok_or_else(|| node.error(found()))
    }

    /// The meaning of a string that must be one of a few words.
    pub(crate) fn one_of<T: Copy>(&self, words: &[(&'static str, T)]) -> Result<T, RequestError> {
        let found = self.string()?;
        let known = words.iter().find(|(word, _)| *word == found);
        known.map(|(_, meaning)| *meaning).ok_or_else(|| {
            let expected = words.iter().map(|(word, _)| *word).collect();
            self.error(RequestErrorKind::UnknownValue { found: found.to_owned(), expected })
        })
    }

    pub(crate) fn error(&self, kind: RequestErrorKind) -> RequestError {
        RequestError::new(self.pointer.clone(), kind)
    }

    pub(crate) fn not_available(&self, what: impl Into<String>) -> RequestError {
        self.error(RequestErrorKind::NotAvailable(what.into()))
    }

    pub(crate) fn wrong_type(&self, expected: &'static str) -> RequestError {
        let found = match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        };
        self.error(RequestErrorKind::WrongType { expected, found })
    }
}
