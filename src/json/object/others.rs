//! The names that an object uses and does not declare.
//!
//! They are kept by what asks for them, so that a state after one name more shares what it has with the state
//! before.

use std::sync::Arc;

use super::Object;
use crate::json::listed::Listed;

/// The other names that were read, as far as they are captured. Where there are none, as in most objects,
/// nothing is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Others(Option<Arc<Captured>>);

/// At least one name.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Captured {
    /// Those that another cell of the node knows, sorted: the schema has no more.
    known: Arc<[Arc<str>]>,
    /// For each class of names those that no cell knows. Each is in one, and in one more where that grants a
    /// wish.
    unknown: Box<[Listed]>,
}

static NONE: Listed = Listed::NONE;

impl Others {
    /// These and one more.
    pub(super) fn with(&self, name: &str, object: &Object) -> Self {
        let unknown = (0..object.objects().rest.len()).map(|class| self.unknown(class));
        let captured = match object.is_known(name) {
            true => Captured { known: self.known_with(name), unknown: unknown.cloned().collect() },
            false => {
                let (known, name) = (self.shared_known(), Arc::<str>::from(name));
                let with = |(class, names): (usize, &Listed)| match object.has_in_class(class, &name) {
                    true => names.with(name.clone()),
                    false => names.clone(),
                };
                Captured { known, unknown: unknown.enumerate().map(with).collect() }
            }
        };
        Self(Some(Arc::new(captured)))
    }

    fn known_with(&self, name: &str) -> Arc<[Arc<str>]> {
        let at = self.known().partition_point(|known| &**known < name);
        let (before, behind) = self.known().split_at(at);
        before.iter().cloned().chain([name.into()]).chain(behind.iter().cloned()).collect()
    }

    fn shared_known(&self) -> Arc<[Arc<str>]> {
        self.0.as_ref().map_or_else(Arc::default, |captured| captured.known.clone())
    }

    /// Those that another cell knows.
    pub(super) fn known(&self) -> &[Arc<str>] {
        self.0.as_ref().map_or(&[], |captured| &captured.known)
    }

    /// Those of a class that no cell knows.
    pub(super) fn unknown(&self, class: usize) -> &Listed {
        self.0.as_ref().map_or(&NONE, |captured| &captured.unknown[class])
    }

    /// Those of all classes that no cell knows; empty where no name was captured.
    pub(super) fn all_unknown(&self) -> &[Listed] {
        self.0.as_ref().map_or(&[], |captured| &captured.unknown)
    }

    /// All of them, each once.
    pub(super) fn all(&self) -> Vec<Arc<str>> {
        let unknown = self.all_unknown().iter().flat_map(Listed::iter);
        let mut all: Vec<Arc<str>> = self.known().iter().chain(unknown).cloned().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The bytes of memory that they do not share with those before the last name.
    pub(super) fn held_bytes(&self) -> usize {
        let known = self.known().iter().map(|name| size_of::<Arc<str>>() + name.len());
        let unknown = self.all_unknown().iter().map(|names| size_of::<Listed>() + names.own_bytes());
        known.sum::<usize>() + unknown.sum::<usize>()
    }
}
