//! How objects that fail to be something are told apart.
//!
//! What is not in an object cell fails somewhere: a member is missing, or has another value, or is there and
//! must not be. No one way to keep these apart is good for all schemas. As cells of their own they exclude each
//! other, so branches with a tag add up; but where any of several members may be missing, they multiply. As one
//! cell with a [wish](super::granted) they do not multiply, but what told the next branch apart is forgotten. So
//! a schema is read again in another way where the first one made too much of it. Of the 8,406 schemas of
//! MaskBench all but ten are read in the first.

use super::Schema;
use super::SchemaOptions;
use super::error::SchemaError;
use super::read::SchemaSource;
use crate::limits::{Budget, Limits};

/// How objects are told apart that fail to be something, in the order in which it is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ways {
    /// Each way to fail is a cell of its own.
    Apart,
    /// What members there are is told by one cell; values of members that the objects declare, and what is
    /// not in objects that allow no other members, by a cell each.
    ByValues,
    /// All is told by one cell, while it has room for wishes.
    Together,
}

/// The most alternatives that are told apart before another way is tried: masks take longer with each, but
/// hardly with fewer.
const MOST_APART: usize = 128;

impl Schema {
    /// Reads a document in the first way that does not make too much of it.
    pub(super) fn read_in_ways(
        document: SchemaSource<'_>,
        options: &SchemaOptions,
        budget: &Budget,
    ) -> Result<Self, SchemaError> {
        for ways in [Ways::Apart, Ways::ByValues, Ways::Together] {
            let tried = budget.apart(limits(ways, budget.limits()));
            match Self::read_in(ways, document, options, &tried) {
                Err(error) if is_of_size(&error) && !budget.is_given_up() => {}
                Err(error) => return Err(error),
                // All of it was counted once already, but not with what is compiled beside it.
                Ok(schema) if budget.charge(tried.spent()).is_ok() => return Ok(schema),
                Ok(_) => break,
            }
        }
        Self::read_in(Ways::Apart, document, options, budget)
    }
}

/// What may be spent in one of the ways.
fn limits(ways: Ways, limits: &Limits) -> Limits {
    let most = if ways == Ways::Apart { MOST_APART } else { limits.alternatives };
    let (alternatives, schema_nodes) = (limits.alternatives.min(most), limits.schema_nodes.div_ceil(2));
    Limits { alternatives, schema_nodes, ..limits.clone() }
}

/// Whether a schema was refused for how much was made of it.
fn is_of_size(error: &SchemaError) -> bool {
    error
        .limit()
        .is_some_and(|limit| matches!(limit.what, "alternatives" | "schema_nodes" | "counts" | "work"))
}
