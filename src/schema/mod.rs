//! JSON Schema as an algebra: a schema is a set of values, in normal form.
//!
//! Keyword by keyword a schema cannot be understood: what `allOf`, `$ref` or `anyOf` mean depends on all that
//! stands beside them. So a schema is read as a set, and the JSON types divide it: null and booleans are
//! finite sets, numbers intervals with divisors, strings regular languages with a length window, arrays and
//! objects are described by position and by name, with other sets as their parts. Each is a union of *cells*,
//! and a cell is a conjunction.
//!
//! ```text
//! document ─► Keywords (one schema object, typed) ─► Cells (normal form, children are formulas) ─► Values (children are nodes, all inhabited)
//! ```
//!
//! * The conjunction of two cells needs the conjunction of their children. That is a *formula* over locations
//!   of the document, hash-consed, so recursion comes to an end; every formula that the root reaches is
//!   normalised here, within the budgets of [`Limits`].
//! * Whether a node has values at all is a least fixpoint, computed together with the length of a shortest
//!   text ([`Schema::least_len`]). What needs an empty node is removed; an empty root is an error that names
//!   a culprit.
//! * Nothing is dropped silently: see [`Schema::coverage`].
//!
//! The module knows which values are allowed and nothing of how they are spelled.

mod admits;
mod algebra;
mod apply;
mod array_plan;
mod array_states;
mod assertions;
mod cells;
mod complement;
mod counted;
mod coverage;
mod decimal;
mod dense;
mod difference;
mod document;
mod enumerate;
mod equality;
mod error;
mod evaluated;
mod exactly_one;
mod expand;
mod explain;
mod few;
mod formula;
mod granted;
mod granters;
mod json;
mod keyword;
mod languages;
mod least_len;
mod listed;
mod names;
mod normalise;
mod numbers;
mod object_algebra;
mod only_value;
mod overlap;
mod place_kind;
mod pointer;
mod prune;
mod reached;
mod read;
mod reading;
mod reference;
mod scope;
mod share;
mod sift;
mod strings;
mod tags;
#[cfg(test)]
mod tests;
mod together;
mod values;
mod warning;
mod wishes;
mod words;

use std::sync::Arc;

use bumpalo::Bump;
use serde_json::{Value, json};

pub(crate) use array_plan::{ArrayPlan, PlannedKind, WAYS_PER_STEP};
pub(crate) use array_states::PlanState;
pub(crate) use coverage::Occurrences;
use coverage::applies_in_place;
pub use coverage::{Coverage, Status};
pub use decimal::Decimal;
pub(crate) use equality::{ByValue, are_equal, canonical, different};
pub use error::{SchemaError, SchemaErrorKind};
pub(crate) use granters::Granters;
pub(crate) use reached::{Choices, Reached};
pub use read::SchemaSource;
pub use values::{
    Arrays, Booleans, Bound, Count, Kind, Member, MemberKind, NameClass, Numbers, Objects, Strings, Values,
    Written,
};
pub(crate) use wishes::Granting;
pub use words::Words;

use self::least_len::Lens;
use self::normalise::Normaliser;
use self::prune::{Node, Pruner};
use self::read::Tree;
use self::reading::Reading;
use crate::limits::{Budget, Limits};
use crate::recursion;
use crate::regular::Dfa;

/// A JSON Schema in normal form: which values are allowed.
///
/// ```
/// # use harmony_mask::{Limits, schema::{Schema, SchemaOptions}};
/// let document = serde_json::json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
/// let schema = Schema::read(&document, &SchemaOptions::default(), &Limits::default())?;
/// let object = &schema.values(schema.root()).objects[0];
/// assert_eq!(&*object.members[0].name, "city");
/// assert_eq!(schema.least_len(schema.root()), r#"{"city":""}"#.len() as u32);
/// # Ok::<(), harmony_mask::schema::SchemaError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Schema {
    nodes: Vec<Node>,
    occurrences: Arc<Occurrences>,
    warnings: Vec<String>,
}

/// A node of a [`Schema`]. It has values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

/// How a schema is to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaOptions {
    /// What `format` means.
    pub formats: Formats,
    /// Documents that references may lead into, by URI. Nothing is ever fetched; the metaschemas of all
    /// drafts are known.
    pub resources: Arc<[(String, Value)]>,
    /// The only texts that strings and names of members may be, at every depth; all texts where there is
    /// none.
    pub texts: Option<Arc<Dfa>>,
}

/// What a schema that is nested little takes of the stack.
const ROOM: usize = 64 << 10;

/// What `format` means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formats {
    /// A known format constrains strings, whatever the dialect.
    #[default]
    Assert,
    /// A format describes and constrains nothing.
    Annotate,
}

impl NodeId {
    /// Its place among the [nodes](Schema::nodes).
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Schema {
    /// Reads a schema document.
    ///
    /// # Errors
    ///
    /// The document is no schema, says something that is not supported, allows no value at all, or exceeds a
    /// limit.
    pub fn read<'s>(
        document: impl Into<SchemaSource<'s>>,
        options: &SchemaOptions,
        budget: impl Into<Budget>,
    ) -> Result<Self, SchemaError> {
        let (document, budget) = (document.into(), budget.into());
        // Once for all of it, or each of its parts would ask for a new stack where little is left here.
        recursion::with_room(ROOM, || Self::read_anyhow(document, options, &budget))
    }

    fn read_in(
        reading: Reading,
        document: SchemaSource<'_>,
        options: &SchemaOptions,
        budget: &Budget,
    ) -> Result<Self, SchemaError> {
        let arena = Bump::new();
        let tree = Tree::read(document, &arena, budget.limits())?;
        let mut normaliser = Normaliser::new(tree, &arena, options, budget, reading);
        let graph = normaliser.graph()?;
        let lens =
            Lens::new(&graph, budget).map_err(|(formula, limit)| normaliser.limit_error(formula, limit))?;
        if lens.node(0).is_none() {
            return Err(explain::unsatisfiable(&mut normaliser, &graph, &lens));
        }
        let nodes = Pruner::new(&graph, &lens, budget).nodes(&normaliser)?;
        let (formulas, nodes): (Vec<_>, Vec<_>) = nodes.into_iter().unzip();
        let warnings = warning::warnings(&normaliser, &graph, &lens, &formulas);
        let pointers = normaliser.reader.document.pointers();
        let occurrences = Arc::new(normaliser.reader.occurrences.at(pointers));
        Ok(Self { nodes, occurrences, warnings })
    }

    /// The schema of every JSON value.
    #[must_use]
    pub fn any() -> Self {
        Self::read(&json!(true), &SchemaOptions::default(), &Limits::default())
            .expect("a schema within the limits")
    }

    /// The schema of every JSON object.
    #[must_use]
    pub fn any_object() -> Self {
        let document = json!({"type": "object"});
        Self::read(&document, &SchemaOptions::default(), &Limits::default())
            .expect("a schema within the limits")
    }

    /// The node of the whole schema.
    #[must_use]
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// All nodes.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// Which values a node allows: at least one. Nodes that allow the same may have them at one address.
    #[must_use]
    pub fn values(&self, node: NodeId) -> &Values {
        &self.node(node).values
    }

    /// The length in bytes of a shortest compact JSON text of a value of the node, numbers written without an
    /// exponent.
    #[must_use]
    pub fn least_len(&self, node: NodeId) -> u32 {
        self.node(node).least_len
    }

    /// The JSON pointer of the schema that the node stands for, for messages; of the first one where it is a
    /// conjunction of several.
    #[must_use]
    pub fn place(&self, node: NodeId) -> String {
        self.occurrences.pointers.write(self.node(node).location)
    }

    /// The first of some keywords that the schema of a node has, to be named in an error.
    pub(crate) fn keyword_among(&self, node: NodeId, keywords: &[&'static str]) -> Option<&'static str> {
        let location = self.node(node).location;
        keywords.iter().copied().find(|keyword| self.occurrences.has(location, keyword))
    }

    /// The JSON pointer of the first schema that says a keyword of the values of a node, or the place of the
    /// node where that stands behind a reference. All keywords are gone through: this is for errors.
    pub(crate) fn place_of_keyword(&self, node: NodeId, keyword: &str) -> String {
        let place = self.place(node);
        let says = |found: &Coverage| {
            let beyond = found.pointer.strip_prefix(&*place).filter(|_| found.keyword == keyword);
            beyond.is_some_and(applies_in_place)
        };
        let first = self.coverage().find(says).map(|found| found.pointer);
        first.unwrap_or(place)
    }

    /// What became of each keyword of each schema that was read. Definitions that nothing refers to are not
    /// read.
    pub fn coverage(&self) -> impl Iterator<Item = Coverage> + '_ {
        self.occurrences.written()
    }

    /// What [`coverage`](Self::coverage) writes out.
    pub(crate) fn occurrences(&self) -> Arc<Occurrences> {
        self.occurrences.clone()
    }

    /// What is suspicious, in a user's words: a property that can never occur, and a `oneOf` whose branches
    /// overlap.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }
}
