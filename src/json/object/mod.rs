//! Objects: a rule whose data is which members were read.
//!
//! A member is offered only where the object can still be completed after it: required members keep their place in the count, and a name is
//! never offered twice. Declared names are one labelled leaf; any other name is captured, so that what follows knows it was used. Where the
//! object must differ from others, values are captured too.
//!
//! What a state offers is judged at once for all its members ([`left`]); what follows a name is made when that name was read ([`then`]). An
//! object of fifty members has many states, and most of what could follow in each is never reached.

mod left;
mod members;
mod progress;
mod then;

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use super::spelling::Spelling;
use super::string::{Escapes, StringLanguage, Words};
use crate::expression::{Expression, Leaf};
use crate::regular::Dfa;
use crate::schema::{NodeId, Objects};
use members::Members;
use progress::Progress;

/// The expression of one object cell that avoids some objects, inside of `level` containers; `None` where no other object is left.
pub(super) fn object(
    spelling: &Arc<Spelling>,
    node: NodeId,
    cell: usize,
    level: u32,
    avoid: Vec<Map<String, Value>>,
) -> Option<Expression> {
    let objects = &spelling.schema.values(node).objects[cell];
    let avoid = avoid.into_iter().filter(|object| spelling.schema.objects_admit(objects, object)).collect();
    let progress = Progress::start(spelling.order, objects.members.len(), avoid);
    let members = Members::new(Arc::new(Object::new(spelling, node, cell, level)), progress);
    let left = members.can_avoid_all();
    let rest = Expression::rule(Arc::new(members));
    left.then(|| Expression::sequence([spelling.punctuation.open_object.clone(), rest]))
}

/// What all states of one object cell share.
#[derive(Debug)]
struct Object {
    spelling: Arc<Spelling>,
    node: NodeId,
    cell: usize,
    /// The containers around it.
    level: u32,
    /// The names of the members.
    names: OnceLock<Arc<Words>>,
    /// For each class of other names how many there are; `None` for without end.
    class_sizes: OnceLock<Box<[Option<u64>]>>,
    /// These and the forbidden ones.
    known_names: OnceLock<Arc<Words>>,
    /// For each class the names that are left where none was used; `None` where there are none.
    unused_names: Box<[OnceLock<Option<Leaf>>]>,
}

impl Object {
    fn new(spelling: &Arc<Spelling>, node: NodeId, cell: usize, level: u32) -> Self {
        let classes = spelling.schema.values(node).objects[cell].rest.len();
        Self {
            spelling: spelling.clone(),
            node,
            cell,
            level,
            names: OnceLock::new(),
            known_names: OnceLock::new(),
            class_sizes: OnceLock::new(),
            unused_names: std::iter::repeat_with(OnceLock::new).take(classes).collect(),
        }
    }

    fn objects(&self) -> &Objects {
        &self.spelling.schema.values(self.node).objects[self.cell]
    }

    /// What makes it this object.
    fn key(&self) -> (*const Spelling, NodeId, usize, u32) {
        (Arc::as_ptr(&self.spelling), self.node, self.cell, self.level)
    }

    fn names(&self) -> &Arc<Words> {
        let names = || self.objects().members.iter().map(|member| &member.name);
        self.names.get_or_init(|| self.spelling.names(names()))
    }

    fn known_names(&self) -> &Arc<Words> {
        let names = || self.objects().members.iter().map(|member| &member.name);
        let forbidden = || self.objects().forbidden.iter();
        self.known_names.get_or_init(|| self.spelling.names(names().chain(forbidden())))
    }

    fn class_size(&self, class: usize) -> Option<u64> {
        let size = |names: &Arc<Dfa>| names.count_from(names.start());
        let sizes = self.class_sizes.get_or_init(|| {
            self.objects().rest.iter().map(|class| class.names.as_ref().and_then(size)).collect()
        });
        sizes[class]
    }

    /// The names of a class but those that were used and some more; `None` where none is left.
    fn other_names(&self, class: usize, used: &[Arc<str>], avoid: &[String]) -> Option<Leaf> {
        if used.is_empty() && avoid.is_empty() {
            return self.unused_names[class].get_or_init(|| self.names_without(class, [""; 0])).clone();
        }
        let used = used.iter().map(|name| &**name);
        self.names_without(class, used.chain(avoid.iter().map(String::as_str)))
    }

    fn names_without<'n>(&self, class: usize, used: impl IntoIterator<Item = &'n str>) -> Option<Leaf> {
        let names = self.objects().rest[class].names.clone().unwrap_or_else(Dfa::text);
        let known = Some(self.known_names().all());
        StringLanguage::excluding(names, (0, None), Escapes::Any, known, used).map(Leaf::new)
    }
}
