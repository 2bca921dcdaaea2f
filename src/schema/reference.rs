//! References: from a `$ref` to the location it names, without I/O.
//!
//! Nearly every reference of a real schema is a pointer into its own document and is followed directly. Only
//! one with a URI or an anchor makes the [`Index`] of everything that has a name.

use std::borrow::Cow;

use foldhash::HashMap;

use referencing::{Draft, meta, uri};
use serde_json::Value;

use super::SchemaError;
use super::document::{Document, Location, Place, Step};
use super::json::{Json, member};
use super::place_kind::PlaceKind;

/// Everything in the document that has a name.
#[derive(Default)]
pub(super) struct Index<'d> {
    /// The URI of each resource.
    uris: HashMap<Location, String>,
    /// `None` where schemas that differ have one name: validators do not agree which one is meant.
    resources: HashMap<String, Option<Location>>,
    anchors: HashMap<(Location, &'d str), Option<Location>>,
    /// The anchors of each resource that are dynamic. The one of `$recursiveAnchor` has no name.
    dynamic: HashMap<Location, Vec<(&'d str, Location)>>,
}

/// Why a reference leads nowhere.
pub(super) enum Unresolved {
    /// It names nothing that is known.
    Unknown,
    /// It is the name of schemas that differ.
    Ambiguous,
    /// It leads into a document that cannot be read.
    Unreadable(SchemaError),
}

/// Keywords that make an anchor dynamic.
pub(super) const DYNAMIC_ANCHORS: [&str; 2] = ["$dynamicAnchor", "$recursiveAnchor"];

impl<'d> Document<'d> {
    /// The location that `reference`, standing at `from`, names.
    pub(super) fn resolve(&mut self, from: Location, reference: &str) -> Result<Location, Unresolved> {
        let resource = self.place(from).resource;
        match reference.strip_prefix('#') {
            Some("") => Ok(resource),
            Some(pointer) if pointer.starts_with('/') => {
                self.follow(resource, pointer).ok_or(Unresolved::Unknown)
            }
            _ => self.resolve_uri(resource, reference),
        }
    }

    /// Follows the pointer of a URI fragment.
    fn follow(&mut self, start: Location, fragment: &str) -> Option<Location> {
        let pointer = percent_decode(fragment)?;
        pointer.split('/').skip(1).try_fold(start, |location, segment| {
            let segment = match segment.contains('~') {
                true => Cow::Owned(segment.replace("~1", "/").replace("~0", "~")),
                false => Cow::Borrowed(segment),
            };
            self.descend(location, &segment)
        })
    }

    fn resolve_uri(&mut self, resource: Location, reference: &str) -> Result<Location, Unresolved> {
        self.build_index();
        let target = self.absolute(resource, reference).ok_or(Unresolved::Unknown)?;
        let (name, fragment) = target.split_once('#').unwrap_or((&target, ""));
        let found = self.resource(name)?;
        match fragment {
            "" => Ok(found),
            pointer if pointer.starts_with('/') => self.follow(found, pointer).ok_or(Unresolved::Unknown),
            anchor => self.anchor(found, anchor),
        }
    }

    /// A reference as a URI that begins from nothing.
    fn absolute(&self, resource: Location, reference: &str) -> Option<String> {
        let base = self.index.as_ref()?.uris.get(&resource)?;
        let target = uri::resolve_against(&uri::from_str(base).ok()?.borrow(), reference).ok()?;
        Some(target.as_str().to_owned())
    }

    fn anchor(&self, resource: Location, fragment: &str) -> Result<Location, Unresolved> {
        let named = percent_decode(fragment)
            .and_then(|name| self.index.as_ref()?.anchors.get(&(resource, &*name)).copied());
        named.ok_or(Unresolved::Unknown)?.ok_or(Unresolved::Ambiguous)
    }

    /// The dynamic anchor of a resource.
    pub(super) fn dynamic_anchor(&self, resource: Location, name: &str) -> Option<Location> {
        let anchors = self.index.as_ref()?.dynamic.get(&resource)?;
        anchors.iter().find(|(anchor, _)| *anchor == name).map(|(_, location)| *location)
    }

    pub(super) fn has_dynamic_anchors(&self, resource: Location) -> bool {
        self.index.as_ref().is_some_and(|index| index.dynamic.contains_key(&resource))
    }

    pub(super) fn build_index(&mut self) {
        if self.index.is_none() {
            self.index = Some(Index::default());
            self.index_root(Location::ROOT, "");
        }
    }

    /// The resource with this URI, which may be in a document that was given, or a published metaschema.
    fn resource(&mut self, name: &str) -> Result<Location, Unresolved> {
        if let Some(&known) = self.index.as_ref().and_then(|index| index.resources.get(name)) {
            return known.ok_or(Unresolved::Ambiguous);
        }
        let is_named = |(uri, _): &&(String, Value)| uri.trim_end_matches('#') == name;
        let given = self.given.iter().find(is_named).map(|(_, document)| document);
        let document = given.or_else(|| metaschema(name)).ok_or(Unresolved::Unknown)?;
        let root = self.read(document).map_err(Unresolved::Unreadable)?;
        self.index_root(root, name);
        // It may call itself something else; it has also been found under this name.
        if let Some(index) = &mut self.index {
            index.resources.insert(name.to_owned(), Some(root));
        }
        Ok(root)
    }

    /// Names everything under a root. With a stack of its own, so that it does not matter how deep the
    /// document is.
    fn index_root(&mut self, root: Location, retrieved_from: &str) {
        self.name_resource(root, retrieved_from);
        let mut open = vec![root];
        while let Some(location) = open.pop() {
            self.name_anchors(location);
            open.extend(self.schemas_inside(location));
        }
    }

    /// The schemas, and the lists and objects of schemas, one step inside a place.
    fn schemas_inside(&mut self, location: Location) -> Vec<Location> {
        let inside: Vec<(Step<'d>, &'d Json<'d>)> = match self.value(location) {
            Json::Object(members) => members.iter().map(|(key, value)| (Step::Key(key), value)).collect(),
            Json::Array(elements) => (0..).map(Step::Index).zip(*elements).collect(),
            _ => Vec::new(),
        };
        let Place { kind, draft, .. } = *self.place(location);
        let mut schemas = Vec::new();
        for (step, value) in inside {
            if value.is_container() && kind.inside(step, value, draft) != PlaceKind::Other {
                let schema = self.child(location, step, value);
                self.name_if_resource(schema, location);
                schemas.push(schema);
            }
        }
        schemas
    }

    fn name_if_resource(&mut self, location: Location, parent: Location) {
        if self.place(location).resource == location {
            let around = self.place(parent).resource;
            let base = self.index.as_ref().and_then(|index| index.uris.get(&around)).cloned();
            self.name_resource(location, &base.unwrap_or_default());
        }
    }

    /// Gives a resource its URI: its identifier, relative to the URI around it. One that is no URI names
    /// nothing.
    fn name_resource(&mut self, location: Location, base: &str) {
        let id = self.place(location).identifier.unwrap_or("");
        let absolute = uri::from_str(base).and_then(|base| uri::resolve_against(&base.borrow(), id));
        let Ok(absolute) = absolute else { return };
        if let Some(mut index) = self.index.take() {
            let name = absolute.as_str().split('#').next().unwrap_or_default().to_owned();
            let named = index.resources.entry(name.clone()).or_insert(Some(location));
            *named = named.filter(|named| self.is_copy(*named, location));
            index.uris.insert(location, name);
            self.index = Some(index);
        }
    }

    fn name_anchors(&mut self, location: Location) {
        let place = *self.place(location);
        let Some(schema) = place.value.as_object().filter(|_| place.kind == PlaceKind::Schema) else {
            return;
        };
        let named = |keyword: &str| {
            let name = member(schema, keyword).filter(|_| place.draft.is_known_keyword(keyword));
            name.and_then(|name| name.as_str())
        };
        let legacy = place.identifier.and_then(|id| id.strip_prefix('#'));
        let modern = ["$anchor", "$dynamicAnchor"].map(named);
        let recursive =
            member(schema, "$recursiveAnchor") == Some(&Json::Bool(true)) && location == place.resource;
        let recursive = (recursive && place.draft == Draft::Draft201909).then_some("");
        if let Some(mut index) = self.index.take() {
            for name in modern.into_iter().chain([legacy]).flatten() {
                let named = index.anchors.entry((place.resource, name)).or_insert(Some(location));
                *named = named.filter(|named| self.is_copy(*named, location));
            }
            for name in modern[1].into_iter().chain(recursive) {
                index.dynamic.entry(place.resource).or_default().push((name, location));
            }
            self.index = Some(index);
        }
    }

    /// Whether two places have the same schema, as where one was copied.
    fn is_copy(&self, one: Location, other: Location) -> bool {
        one == other || self.value(one) == self.value(other)
    }
}

/// The published metaschemas and their parts.
fn metaschema(name: &str) -> Option<&'static Value> {
    let (_, path) = name.split_once("://json-schema.org/")?;
    let metaschema: &'static Value = match path {
        "draft-04/schema" => &meta::DRAFT4,
        "draft-06/schema" => &meta::DRAFT6,
        "draft-07/schema" => &meta::DRAFT7,
        "draft/2019-09/schema" => &meta::DRAFT201909,
        "draft/2019-09/meta/applicator" => &meta::DRAFT201909_APPLICATOR,
        "draft/2019-09/meta/content" => &meta::DRAFT201909_CONTENT,
        "draft/2019-09/meta/core" => &meta::DRAFT201909_CORE,
        "draft/2019-09/meta/format" => &meta::DRAFT201909_FORMAT,
        "draft/2019-09/meta/meta-data" => &meta::DRAFT201909_META_DATA,
        "draft/2019-09/meta/validation" => &meta::DRAFT201909_VALIDATION,
        "draft/2020-12/schema" => &meta::DRAFT202012,
        "draft/2020-12/meta/core" => &meta::DRAFT202012_CORE,
        "draft/2020-12/meta/applicator" => &meta::DRAFT202012_APPLICATOR,
        "draft/2020-12/meta/unevaluated" => &meta::DRAFT202012_UNEVALUATED,
        "draft/2020-12/meta/validation" => &meta::DRAFT202012_VALIDATION,
        "draft/2020-12/meta/meta-data" => &meta::DRAFT202012_META_DATA,
        "draft/2020-12/meta/format-annotation" => &meta::DRAFT202012_FORMAT_ANNOTATION,
        "draft/2020-12/meta/format-assertion" => &meta::DRAFT202012_FORMAT_ASSERTION,
        "draft/2020-12/meta/content" => &meta::DRAFT202012_CONTENT,
        _ => return None,
    };
    Some(metaschema)
}

fn percent_decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(text.into());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    bytes.extend_from_slice(parts.next()?.as_bytes());
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}
