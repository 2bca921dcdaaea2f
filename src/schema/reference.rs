//! References: from a `$ref` to the location it names, without I/O.
//!
//! Nearly every reference of a real schema is a pointer into its own document and is followed directly. Only one with a URI or an anchor
//! makes the [`Index`] of everything that has a name.

use std::borrow::Cow;
use std::collections::HashMap;

use referencing::{Draft, meta, uri};
use serde_json::Value;

use super::document::{Document, Location, Step, identifier};

/// Everything in the document that has a name.
#[derive(Default)]
pub(super) struct Index<'d> {
    /// The URI of each resource.
    uris: HashMap<Location, String>,
    resources: HashMap<String, Location>,
    anchors: HashMap<(Location, &'d str), Location>,
}

/// Keywords whose value is data: what looks like a schema in there is none.
const DATA: [&str; 4] = ["enum", "const", "default", "examples"];

impl<'d> Document<'d> {
    /// The location that `reference`, standing at `from`, names.
    pub(super) fn resolve(&mut self, from: Location, reference: &str) -> Option<Location> {
        let resource = self.place(from).resource;
        match reference.strip_prefix('#') {
            Some("") => Some(resource),
            Some(pointer) if pointer.starts_with('/') => self.follow(resource, pointer),
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

    fn resolve_uri(&mut self, resource: Location, reference: &str) -> Option<Location> {
        self.build_index();
        let base = self.index.as_ref()?.uris.get(&resource)?;
        let target = uri::resolve_against(&uri::from_str(base).ok()?.borrow(), reference).ok()?;
        let (name, fragment) = target.as_str().split_once('#').unwrap_or((target.as_str(), ""));
        let found = self.resource(name)?;
        match fragment {
            "" => Some(found),
            pointer if pointer.starts_with('/') => self.follow(found, pointer),
            anchor => self.index.as_ref()?.anchors.get(&(found, &*percent_decode(anchor)?)).copied(),
        }
    }

    fn build_index(&mut self) {
        if self.index.is_none() {
            self.index = Some(Index::default());
            self.index_root(Location::ROOT, "");
        }
    }

    /// The resource with this URI, which may be a published metaschema.
    fn resource(&mut self, name: &str) -> Option<Location> {
        if let Some(&known) = self.index.as_ref()?.resources.get(name) {
            return Some(known);
        }
        let root = self.add_root(metaschema(name)?);
        self.index_root(root, name);
        Some(root)
    }

    /// Names everything under a root. With a stack of its own: documents are as deep as their reader allows.
    fn index_root(&mut self, root: Location, retrieved_from: &str) {
        self.name_resource(root, retrieved_from);
        let mut open = vec![root];
        while let Some(location) = open.pop() {
            self.name_anchors(location);
            open.extend(self.schemas_inside(location));
        }
    }

    fn schemas_inside(&mut self, location: Location) -> Vec<Location> {
        let inside: Vec<(Step<'d>, &'d Value)> = match self.value(location) {
            Value::Object(members) => members
                .iter()
                .filter(|(key, _)| !DATA.contains(&key.as_str()))
                .map(|(key, value)| (Step::Key(key), value))
                .collect(),
            Value::Array(elements) => (0..).map(Step::Index).zip(elements).collect(),
            _ => Vec::new(),
        };
        let containers = inside.into_iter().filter(|(_, value)| value.is_object() || value.is_array());
        containers
            .map(|(step, value)| {
                let child = self.child(location, step, value);
                if self.place(child).resource == child {
                    let around = self.place(location).resource;
                    let base = self.index.as_ref().and_then(|index| index.uris.get(&around)).cloned();
                    self.name_resource(child, &base.unwrap_or_default());
                }
                child
            })
            .collect()
    }

    /// Gives a resource its URI: its identifier, relative to the URI around it. One that is no URI names nothing.
    fn name_resource(&mut self, location: Location, base: &str) {
        let place = self.place(location);
        let id = identifier(place.value, place.draft).unwrap_or("");
        let absolute = uri::from_str(base).and_then(|base| uri::resolve_against(&base.borrow(), id));
        if let (Ok(absolute), Some(index)) = (absolute, &mut self.index) {
            let name = absolute.as_str().split('#').next().unwrap_or_default().to_owned();
            index.resources.entry(name.clone()).or_insert(location);
            index.uris.insert(location, name);
        }
    }

    fn name_anchors(&mut self, location: Location) {
        let place = *self.place(location);
        let Some(schema) = place.value.as_object() else { return };
        let named = |keyword: &str| schema.get(keyword).and_then(Value::as_str);
        let legacy = identifier(place.value, place.draft).and_then(|id| id.strip_prefix('#'));
        let modern =
            ["$anchor", "$dynamicAnchor"].map(named).map(|name| name.filter(|_| place.draft > Draft::Draft7));
        if let Some(index) = &mut self.index {
            for name in modern.into_iter().chain([legacy]).flatten() {
                index.anchors.entry((place.resource, name)).or_insert(location);
            }
        }
    }
}

/// The metaschemas that are one document.
fn metaschema(name: &str) -> Option<&'static Value> {
    match Draft::from_schema_uri(name) {
        Draft::Draft4 => Some(&meta::DRAFT4),
        Draft::Draft6 => Some(&meta::DRAFT6),
        Draft::Draft7 => Some(&meta::DRAFT7),
        _ => None,
    }
}

fn percent_decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(text.into());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    bytes.extend_from_slice(parts.next()?.as_bytes());
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(part[2..].as_bytes());
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}
