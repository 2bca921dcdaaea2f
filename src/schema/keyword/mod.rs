//! Keywords: what one schema object says, read into a typed accumulator.
//!
//! One function per keyword. A keyword that the dialect does not know says nothing; one that it knows and we
//! do not is an error, so nothing is dropped silently.

mod array;
mod general;
mod naming;
mod number;
mod object;
mod string;

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};
use referencing::Draft;

use super::Formats;
use super::coverage::{Occurrences, Status};
use super::decimal::Decimal;
use super::document::{Document, Location, Step};
use super::error::{SchemaError, SchemaErrorKind};
use super::json::{Json, Member, member};
use super::values::{Numbers, Strings};
use crate::limits::{Budget, LimitExceeded};
use crate::regular::Dfa;

pub(super) use general::Types;

/// What a schema says.
#[derive(Default)]
pub(super) struct Keywords<'d> {
    pub types: Types,
    /// A value is in each of these lists.
    pub listed: Vec<Listed<'d>>,
    pub numbers: Numbers,
    pub integers_are_digits: bool,
    pub strings: Strings,
    /// Languages of patterns and formats; with a superset where the language of a format lacks some strings.
    pub languages: Vec<(Arc<Dfa>, Option<Arc<Dfa>>)>,
    pub arrays: ArrayKeywords,
    pub objects: ObjectKeywords<'d>,
    pub applied: Vec<Applied<'d>>,
    /// How many of `applied` stand before the members, in declared order.
    pub applied_before_members: usize,
    pub unevaluated: Unevaluated,
    /// Whether a keyword constrains values of its own accord, not by applying another schema.
    pub constrains: bool,
    /// Whether `type` is all that it says.
    pub says_only_types: bool,
}

/// Values one by one.
pub(super) enum Listed<'d> {
    /// The value at this location.
    Const(Location),
    /// The elements of the list at this location.
    Enum(Location, &'d [Json<'d>]),
}

/// A schema applied to the same value.
pub(super) enum Applied<'d> {
    /// The target of a reference.
    Reference(Reference<'d>),
    /// An element of `allOf`.
    All(Location),
    /// The elements of `anyOf`.
    Any(Vec<Location>),
    /// The elements of `oneOf`.
    One(Vec<Location>),
    Not(Location),
    If(Condition),
    /// `propertyNames`: applied to the names of an object.
    Names(Location),
    /// What holds for objects with a member of this name.
    Dependent(&'d str, Requirement<'d>),
}

/// Where a reference leads: to a schema, or to the outermost one that has a dynamic anchor, if there is one.
#[derive(Clone, Copy)]
pub(super) struct Reference<'d> {
    pub target: Location,
    pub dynamic: Option<&'d str>,
}

/// `if`, `then` and `else`.
pub(super) struct Condition {
    pub when: Location,
    pub then: Option<Location>,
    pub otherwise: Option<Location>,
}

/// What an object needs that has some member.
pub(super) enum Requirement<'d> {
    Members(Vec<&'d str>),
    Schema(Location),
}

/// What holds for elements and members that no other keyword has looked at.
#[derive(Clone, Copy, Default)]
pub(super) struct Unevaluated {
    pub items: Option<Location>,
    pub properties: Option<Location>,
}

impl Unevaluated {
    pub(super) fn is_some(self) -> bool {
        self.items.is_some() || self.properties.is_some()
    }
}

#[derive(Default)]
pub(super) struct ArrayKeywords {
    pub prefix: Vec<Location>,
    pub items: Option<Location>,
    pub additional: Option<Location>,
    pub min_items: u32,
    pub max_items: Option<u32>,
    pub unique: bool,
    pub contains: Option<Contains>,
}

/// `contains`, `minContains` and `maxContains`.
#[derive(Clone, Copy)]
pub(super) struct Contains {
    pub schema: Location,
    pub min: u32,
    pub max: Option<u32>,
}

#[derive(Default)]
pub(super) struct ObjectKeywords<'d> {
    pub properties: Vec<(&'d str, Location)>,
    pub patterns: Vec<(Arc<Dfa>, Location)>,
    pub additional: Option<Location>,
    pub required: Vec<&'d str>,
    pub min_members: u32,
    pub max_members: Option<u32>,
}

/// Reads schemas of one document.
pub(super) struct Reader<'d> {
    pub document: Document<'d>,
    pub occurrences: Occurrences,
    formats: Formats,
    budget: Budget,
    /// What `pattern` was asked for before, and `patternProperties`.
    texts: HashMap<&'d str, string::Texts>,
    names: HashMap<&'d str, Arc<Dfa>>,
}

/// A keyword where it stands.
struct Keyword<'r, 'd> {
    reader: &'r mut Reader<'d>,
    location: Location,
    name: &'d str,
    value: &'d Json<'d>,
    siblings: &'d [Member<'d>],
    draft: Draft,
}

type Read<'d> = fn(&mut Keywords<'d>, &mut Keyword<'_, 'd>) -> Result<Status, SchemaError>;

/// The function that reads a keyword; `None` for one that no draft knows.
fn reader_of<'d>(name: &str) -> Option<Read<'d>> {
    match name {
        "$ref" => Some(general::reference),
        "$dynamicRef" => Some(general::dynamic_reference),
        "$recursiveRef" => Some(general::recursive_reference),
        "type" => Some(general::types),
        "enum" => Some(general::enumeration),
        "const" => Some(general::constant),
        "allOf" => Some(general::all_of),
        "anyOf" => Some(general::any_of),
        "minimum" => Some(number::minimum),
        "maximum" => Some(number::maximum),
        "exclusiveMinimum" => Some(number::exclusive_minimum),
        "exclusiveMaximum" => Some(number::exclusive_maximum),
        "multipleOf" => Some(number::multiple_of),
        "minLength" => Some(string::min_length),
        "maxLength" => Some(string::max_length),
        "pattern" => Some(string::pattern),
        "format" => Some(string::format),
        "items" => Some(array::items),
        "prefixItems" => Some(array::prefix_items),
        "additionalItems" => Some(array::additional_items),
        "minItems" => Some(array::min_items),
        "maxItems" => Some(array::max_items),
        "uniqueItems" => Some(array::unique_items),
        "properties" => Some(object::properties),
        "patternProperties" => Some(object::pattern_properties),
        "additionalProperties" => Some(object::additional_properties),
        "required" => Some(object::required),
        "minProperties" => Some(object::min_properties),
        "maxProperties" => Some(object::max_properties),
        "oneOf" => Some(general::one_of),
        "not" => Some(general::not),
        "if" => Some(general::condition),
        "then" | "else" => Some(general::part_of_condition),
        "contains" => Some(array::contains),
        "minContains" | "maxContains" => Some(array::part_of_contains),
        "unevaluatedItems" => Some(array::unevaluated_items),
        "propertyNames" => Some(object::property_names),
        "dependencies" => Some(object::dependencies),
        "dependentRequired" => Some(object::dependent_required),
        "dependentSchemas" => Some(object::dependent_schemas),
        "unevaluatedProperties" => Some(object::unevaluated_properties),
        "$schema" | "$id" | "id" => Some(naming::text),
        "$anchor" | "$dynamicAnchor" => Some(naming::anchor),
        "$recursiveAnchor" => Some(naming::recursive_anchor),
        "$defs" | "definitions" | "$vocabulary" => Some(naming::members),
        _ => None,
    }
}

/// Whether the dialect has the keyword.
fn is_known(name: &str, draft: Draft) -> bool {
    match name {
        "$recursiveRef" | "$recursiveAnchor" => draft == Draft::Draft201909,
        "$vocabulary" => draft >= Draft::Draft201909,
        _ => draft.is_known_keyword(name),
    }
}

impl<'d> Reader<'d> {
    /// A reader of a document, with room for so many schemas.
    pub(super) fn new(document: Document<'d>, room: usize, formats: Formats, budget: &Budget) -> Self {
        Self {
            document,
            occurrences: Occurrences::with_room(2 * room),
            formats,
            budget: budget.clone(),
            texts: HashMap::new(),
            names: HashMap::new(),
        }
    }

    /// Reads the schema object at a location.
    pub(super) fn read(&mut self, location: Location) -> Result<Keywords<'d>, SchemaError> {
        let Json::Object(schema) = self.document.value(location) else {
            let error = "a schema must be an object, `true` or `false`";
            return Err(self.error(location, SchemaErrorKind::Invalid, None, error));
        };
        let mut keywords = Keywords { says_only_types: true, ..Keywords::default() };
        for (name, value) in Self::in_force(schema, self.document.place(location).draft) {
            let status = self.read_keyword(&mut keywords, location, schema, (name, value))?;
            keywords.says_only_types &= status == Status::Annotation || *name == "type";
            self.note(location, name, status);
        }
        self.note_overridden(location, schema);
        Ok(keywords)
    }

    /// Reads only some keywords of the schema object at a location, without a report.
    pub(super) fn read_some(
        &mut self,
        location: Location,
        some: &[(&'d str, &'d Json<'d>)],
    ) -> Result<Keywords<'d>, SchemaError> {
        let mut keywords = Keywords::default();
        if let Json::Object(schema) = self.document.value(location) {
            for &keyword in some {
                self.read_keyword(&mut keywords, location, schema, keyword)?;
            }
        }
        Ok(keywords)
    }

    /// The keywords of a schema that may be to blame, in declared order, but `type` first: what contradicts it
    /// is more to blame.
    pub(super) fn by_blame(&self, location: Location) -> Vec<(&'d str, &'d Json<'d>)> {
        let Json::Object(schema) = self.document.value(location) else { return Vec::new() };
        let in_force = Self::in_force(schema, self.document.place(location).draft);
        let known = in_force.filter(|(name, _)| reader_of(name).is_some());
        let mut keywords: Vec<_> = known.map(|(name, value)| (*name, value)).collect();
        keywords.sort_by_key(|&(name, _)| name != "type");
        keywords
    }

    /// The keywords of a schema that say anything: in old drafts a reference stands alone.
    fn in_force(schema: &'d [Member<'d>], draft: Draft) -> impl Iterator<Item = &'d Member<'d>> {
        let alone = draft <= Draft::Draft7 && member(schema, "$ref").is_some();
        schema.iter().filter(move |(name, _)| !alone || *name == "$ref")
    }

    /// Reports the neighbours of a reference that stands alone.
    fn note_overridden(&mut self, location: Location, schema: &'d [Member<'d>]) {
        let draft = self.document.place(location).draft;
        if draft <= Draft::Draft7 && member(schema, "$ref").is_some() {
            for name in schema.iter().map(|&(name, _)| name).filter(|name| *name != "$ref") {
                self.note(location, name, Status::Annotation);
            }
        }
    }

    fn read_keyword(
        &mut self,
        keywords: &mut Keywords<'d>,
        location: Location,
        siblings: &'d [Member<'d>],
        (name, value): (&'d str, &'d Json<'d>),
    ) -> Result<Status, SchemaError> {
        let draft = self.document.place(location).draft;
        match reader_of(name).filter(|_| is_known(name, draft)) {
            Some(read) => {
                read(keywords, &mut Keyword { reader: self, location, name, value, siblings, draft })
            }
            None => Ok(Status::Annotation),
        }
    }

    fn note(&mut self, location: Location, name: &str, status: Status) {
        self.occurrences.add(location, name, status);
    }

    pub(super) fn error(
        &self,
        location: Location,
        kind: SchemaErrorKind,
        keyword: Option<&str>,
        message: impl Into<String>,
    ) -> SchemaError {
        SchemaError::new(kind, self.document.pointer(location), keyword, message)
    }

    pub(super) fn limit_error(
        &self,
        location: Location,
        keyword: Option<&str>,
        limit: LimitExceeded,
    ) -> SchemaError {
        SchemaError::limit_exceeded(self.document.pointer(location), keyword, limit)
    }
}

impl<'d> Keywords<'d> {
    /// The target, where a reference is all there is.
    pub(super) fn only_reference(&self) -> Option<Reference<'d>> {
        match self.applied[..] {
            [Applied::Reference(reference)] if !self.constrains => Some(reference),
            _ => None,
        }
    }

    pub(super) fn is_trivial(&self) -> bool {
        !self.constrains && self.applied.is_empty()
    }

    /// Whether all that it says is a type, or values one by one.
    pub(super) fn is_shallow(&self) -> bool {
        self.says_only_types || !self.listed.is_empty() && self.applied.is_empty()
    }
}

impl<'d> Keyword<'_, 'd> {
    fn error(&self, kind: SchemaErrorKind, message: impl Into<String>) -> SchemaError {
        self.reader.error(self.location, kind, Some(self.name), message)
    }

    fn invalid(&self, message: &str) -> SchemaError {
        self.error(SchemaErrorKind::Invalid, message)
    }

    fn limit(&self, limit: LimitExceeded) -> SchemaError {
        self.reader.limit_error(self.location, Some(self.name), limit)
    }

    /// The location of the keyword's value.
    fn value_location(&mut self) -> Location {
        self.reader.document.child(self.location, Step::Key(self.name), self.value)
    }

    /// The value as one schema.
    fn schema(&mut self) -> Result<Location, SchemaError> {
        if !self.value.is_schema() {
            return Err(self.invalid("must be a schema: an object, `true` or `false`"));
        }
        Ok(self.value_location())
    }

    /// The schema under a keyword beside this one.
    fn sibling(&mut self, name: &'d str) -> Result<Option<Location>, SchemaError> {
        let Some(value) = member(self.siblings, name) else { return Ok(None) };
        let Self { reader, location, siblings, draft, .. } = self;
        let mut sibling = Keyword { reader, location: *location, name, value, siblings, draft: *draft };
        sibling.schema().map(Some)
    }

    /// The value as a list of schemas.
    fn schemas(&mut self) -> Result<Vec<Location>, SchemaError> {
        let elements =
            self.value.as_array().filter(|elements| elements.iter().all(|element| element.is_schema()));
        let elements = elements.ok_or_else(|| self.invalid("must be an array of schemas"))?;
        let list = self.value_location();
        let document = &mut self.reader.document;
        Ok((0..)
            .zip(elements)
            .map(|(index, schema)| document.child(list, Step::Index(index), schema))
            .collect())
    }

    /// The value as schemas by name.
    fn named_schemas(&mut self) -> Result<Vec<(&'d str, Location)>, SchemaError> {
        let members =
            self.value.as_object().filter(|members| members.iter().all(|(_, value)| value.is_schema()));
        let members = members.ok_or_else(|| self.invalid("must be an object whose members are schemas"))?;
        let map = self.value_location();
        let document = &mut self.reader.document;
        Ok(members
            .iter()
            .map(|(name, schema)| (*name, document.child(map, Step::Key(name), schema)))
            .collect())
    }

    fn number(&self) -> Result<Decimal, SchemaError> {
        let Json::Number(number) = self.value else { return Err(self.invalid("must be a number")) };
        Decimal::parse(number, self.reader.budget.limits().number_digits).map_err(|limit| self.limit(limit))
    }

    /// The value as a least count, which must fit.
    fn least(&self) -> Result<u32, SchemaError> {
        self.count()?.ok_or_else(|| self.too_many())
    }

    fn too_many(&self) -> SchemaError {
        self.error(SchemaErrorKind::Unsupported, "asks for more than can be counted")
    }

    /// A keyword beside this one.
    fn beside(&mut self, name: &'d str) -> Option<Keyword<'_, 'd>> {
        let value = member(self.siblings, name)?;
        let Self { reader, location, siblings, draft, .. } = self;
        Some(Keyword { reader, location: *location, name, value, siblings, draft: *draft })
    }

    /// The value as a greatest count; `None` for one that nothing can exceed.
    fn count(&self) -> Result<Option<u32>, SchemaError> {
        let number = self.number()?;
        if number.is_negative() || !number.is_integer() {
            return Err(self.invalid("must be a whole number, zero or more"));
        }
        Ok(number.to_u64().and_then(|count| u32::try_from(count).ok()))
    }
}
