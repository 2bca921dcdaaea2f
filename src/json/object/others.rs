//! The names that an object uses and does not declare.
//!
//! They are kept by what asks for them, so that a state after one name more shares what it has with the state
//! before.

use std::sync::Arc;

use super::Object;
use crate::json::listed::Listed;

/// The other names that were read, as far as they are captured.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Others {
    /// Those that another cell of the node knows, sorted: the schema has no more.
    known: Arc<[Arc<str>]>,
    /// For each class of names those that no cell knows. Each is in one, and in one more where that grants a
    /// wish.
    unknown: Arc<[Listed]>,
}

impl Others {
    /// No names of so many classes.
    pub(super) fn none(classes: usize) -> Self {
        Self { known: [].into(), unknown: std::iter::repeat_n(Listed::default(), classes).collect() }
    }

    /// These and one more.
    pub(super) fn with(&self, name: &str, object: &Object) -> Self {
        if object.is_known(name) {
            return Self { known: self.known_with(name), unknown: self.unknown.clone() };
        }
        let name: Arc<str> = name.into();
        let class = |(class, names): (usize, &Listed)| match object.has_in_class(class, &name) {
            true => names.with(name.clone()),
            false => names.clone(),
        };
        Self { known: self.known.clone(), unknown: self.unknown.iter().enumerate().map(class).collect() }
    }

    fn known_with(&self, name: &str) -> Arc<[Arc<str>]> {
        let at = self.known.partition_point(|known| &**known < name);
        let (before, behind) = self.known.split_at(at);
        before.iter().cloned().chain([name.into()]).chain(behind.iter().cloned()).collect()
    }

    /// Those that another cell knows.
    pub(super) fn known(&self) -> &[Arc<str>] {
        &self.known
    }

    /// Those of a class that no cell knows.
    pub(super) fn unknown(&self, class: usize) -> &Listed {
        &self.unknown[class]
    }

    /// Those of all classes that no cell knows.
    pub(super) fn all_unknown(&self) -> &[Listed] {
        &self.unknown
    }

    /// All of them, each once.
    pub(super) fn all(&self) -> Vec<Arc<str>> {
        let unknown = self.unknown.iter().flat_map(Listed::iter);
        let mut all: Vec<Arc<str>> = self.known.iter().chain(unknown).cloned().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The bytes of memory that they do not share with those before the last name.
    pub(super) fn held_bytes(&self) -> usize {
        let known = self.known.iter().map(|name| size_of::<Arc<str>>() + name.len());
        let unknown = self.unknown.iter().map(|names| size_of::<Listed>() + names.own_bytes());
        known.sum::<usize>() + unknown.sum::<usize>()
    }
}
