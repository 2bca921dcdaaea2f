//! A schema document as locations: a place in it, with the dialect and the resource that hold there.
//!
//! A location is made once per place, however it is reached, so it can stand for the schema found there.

use bumpalo::Bump;
use foldhash::{HashMap, HashMapExt};
use referencing::Draft;
use serde_json::Value;

use super::SchemaError;
use super::dense::Numbered;
use super::json::{FEW, Json, Member, member};
use super::place_kind::PlaceKind;
use super::pointer::Pointers;
use super::read::{SchemaSource, Tree};
use super::reference::Index;
use crate::limits::Limits;

/// A place in the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Location(u32);

/// From a value to one inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step<'d> {
    Key(&'d str),
    Index(u32),
}

pub(super) struct Document<'d> {
    places: Vec<Place<'d>>,
    /// The location of each value that was stepped to, by its address: that is hashed faster than the way to
    /// it. A document that was reached under two names has two roots, and one location for all inside.
    by_address: HashMap<usize, Location>,
    /// Where the members of large objects stand, by their names; made when a pointer first leads through one.
    by_name: HashMap<usize, HashMap<&'d str, usize>>,
    /// Documents that references may lead into, by URI. They are read when one does.
    pub(super) given: &'d [(String, Value)],
    arena: &'d Bump,
    limits: &'d Limits,
    /// Schemas whose `$schema` names no dialect that is known.
    pub(super) of_unknown_dialect: Vec<Location>,
    /// Names of resources and anchors; made when a reference first needs it.
    pub(super) index: Option<Index<'d>>,
}

/// What is known of a location.
#[derive(Clone, Copy)]
pub(super) struct Place<'d> {
    pub value: &'d Json<'d>,
    /// The location around it and the step from there; `None` for a root.
    pub origin: Option<(Location, Step<'d>)>,
    pub kind: PlaceKind,
    /// What the schema here calls itself: a URI, or an anchor (`#name`) in the drafts that spell anchors so.
    pub identifier: Option<&'d str>,
    /// Where the innermost schema with a URI of its own begins.
    pub resource: Location,
    pub draft: Draft,
}

impl Location {
    pub(super) const ROOT: Self = Self(0);

    pub(super) fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer locations than bytes of the document"))
    }
}

impl Numbered for Location {
    fn index(self) -> usize {
        self.0 as usize
    }
}

impl<'d> Document<'d> {
    pub(super) fn new(
        tree: Tree<'d>,
        arena: &'d Bump,
        given: &'d [(String, Value)],
        limits: &'d Limits,
    ) -> Self {
        let places = Vec::with_capacity(tree.room());
        let by_address = HashMap::with_capacity(tree.room());
        let (by_name, of_unknown_dialect) = Default::default();
        let mut document =
            Self { places, by_address, by_name, given, arena, limits, of_unknown_dialect, index: None };
        document.add_root(tree.root);
        if tree.has_dynamic_anchors() {
            document.build_index();
        }
        document
    }

    /// Reads another document that references may lead into.
    pub(super) fn read(&mut self, document: &'d Value) -> Result<Location, SchemaError> {
        let tree = Tree::read(SchemaSource::Value(document), self.arena, self.limits)?;
        Ok(self.add_root(tree.root))
    }

    fn add_root(&mut self, value: &'d Json<'d>) -> Location {
        // A document that does not say its dialect has that of the one that leads to it.
        let around = self.places.first().map_or_else(Draft::default, |root| root.draft);
        let draft = self.dialect(value, around);
        let (kind, identifier) = (PlaceKind::Schema, identifier(value, draft));
        self.push(Place { value, origin: None, kind, identifier, resource: self.next(), draft })
    }

    pub(super) fn place(&self, location: Location) -> &Place<'d> {
        &self.places[location.index()]
    }

    pub(super) fn value(&self, location: Location) -> &'d Json<'d> {
        self.place(location).value
    }

    /// The location of `value`, which is one step inside `parent`.
    pub(super) fn child(&mut self, parent: Location, step: Step<'d>, value: &'d Json<'d>) -> Location {
        let next = self.next();
        let address = std::ptr::from_ref(value).addr();
        let location = *self.by_address.entry(address).or_insert(next);
        if location == next {
            let Place { kind, resource, draft, .. } = *self.place(parent);
            let kind = kind.inside(step, value, draft);
            // The dialect around a schema says how it is identified; its own `$schema` counts only where it
            // is a resource.
            let identifier = if kind == PlaceKind::Schema { identifier(value, draft) } else { None };
            let is_resource = identifier.is_some_and(|id| !id.starts_with('#'));
            let (resource, draft) =
                if is_resource { (next, self.dialect(value, draft)) } else { (resource, draft) };
            self.push(Place { value, origin: Some((parent, step)), kind, identifier, resource, draft });
        }
        location
    }

    /// The dialect that `$schema` names in the value whose location comes next, or the one around it.
    fn dialect(&mut self, value: &Json<'_>, around: Draft) -> Draft {
        match value.get("$schema").and_then(|uri| uri.as_str()).map(Draft::from_schema_uri) {
            None => around,
            Some(Draft::Unknown) => {
                self.of_unknown_dialect.push(self.next());
                around
            }
            Some(known) => known,
        }
    }

    /// The location one step inside `parent`, where there is one.
    pub(super) fn descend(&mut self, parent: Location, segment: &str) -> Option<Location> {
        match self.value(parent) {
            Json::Object(members) => {
                let (key, value) = self.member(members, segment)?;
                Some(self.child(parent, Step::Key(key), value))
            }
            Json::Array(elements) => {
                let index = element_index(segment)?;
                Some(self.child(parent, Step::Index(index), elements.get(index as usize)?))
            }
            _ => None,
        }
    }

    /// The member with this name. Definitions can be many, and each be referred to.
    fn member(&mut self, members: &'d [Member<'d>], name: &str) -> Option<&'d Member<'d>> {
        if members.len() <= FEW {
            return members.iter().find(|(key, _)| *key == name);
        }
        let positions = || members.iter().enumerate().map(|(position, &(key, _))| (key, position)).collect();
        let by_name = self.by_name.entry(members.as_ptr().addr()).or_insert_with(positions);
        by_name.get(name).map(|&position| &members[position])
    }

    /// The JSON pointer of a location.
    pub(super) fn pointer(&self, location: Location) -> String {
        let origins =
            std::iter::successors(self.place(location).origin, |(parent, _)| self.place(*parent).origin);
        let segments: Vec<_> = origins.map(|(_, step)| step.segment()).collect();
        segments.iter().rev().flat_map(|segment| ["/", &**segment]).collect()
    }

    /// All locations as JSON pointers that outlive the document.
    pub(super) fn pointers(&self) -> Pointers {
        Pointers::new(self.places.iter().map(|place| place.origin))
    }

    fn next(&self) -> Location {
        Location::new(self.places.len())
    }

    fn push(&mut self, place: Place<'d>) -> Location {
        let location = self.next();
        self.places.push(place);
        location
    }
}

/// The index that a segment of a JSON pointer spells: digits only, without zeros before others (RFC 6901,
/// section 4).
fn element_index(segment: &str) -> Option<u32> {
    let is_index = segment == "0" || segment.starts_with(|first| matches!(first, '1'..='9'));
    if is_index { segment.parse().ok() } else { None }
}

fn identifier<'d>(value: &'d Json<'d>, draft: Draft) -> Option<&'d str> {
    let schema = value.as_object()?;
    let hidden = draft <= Draft::Draft7 && member(schema, "$ref").is_some();
    if hidden { None } else { member(schema, draft.id_keyword())?.as_str() }
}
