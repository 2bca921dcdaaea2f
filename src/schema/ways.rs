//! How objects that fail to be something are told apart.
//!
//! What is not in an object cell fails somewhere: a member is missing, or has another value, or is there and
//! must not be. As cells of their own these ways exclude each other, so branches with a tag add up; but where
//! any of several members may be missing, they multiply. As one cell with a [wish](super::granted) they do not
//! multiply, but what told the next branch apart is forgotten. So a schema that has very many alternatives the
//! first way is read again the second way.

use super::Schema;
use super::SchemaOptions;
use super::error::SchemaError;
use super::read::SchemaSource;
use crate::limits::{Budget, Limits};

/// How objects are told apart that fail to be something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ways {
    /// Each way to fail is a cell of its own.
    Apart,
    /// Ways to fail are one cell, while it has room for wishes.
    Together,
}

/// More alternatives are made only where there is no other way: each makes masks slower. Many of those that are
/// made exclude each other, which is seen a little later: 280 become 47 in `Github_trivial---o63308` of
/// MaskBench, which is read in 6 ms that way and in 68 the other.
const MOST_APART: usize = 384;

impl Schema {
    /// Reads a document in the first way that does not make too much of it.
    pub(super) fn read_in_ways(
        document: SchemaSource<'_>,
        options: &SchemaOptions,
        budget: &Budget,
    ) -> Result<Self, SchemaError> {
        let limits = budget.limits();
        let few = Limits { alternatives: limits.alternatives.min(MOST_APART), ..limits.clone() };
        let apart = Self::read_in(Ways::Apart, document, options, &budget.with_limits(few));
        if !apart.as_ref().is_err_and(has_too_many_alternatives) {
            return apart;
        }
        // What is done in vain counts, too, so there must be something left for the last try.
        let half = Limits { schema_nodes: limits.schema_nodes.div_ceil(2), ..limits.clone() };
        let together = Self::read_in(Ways::Together, document, options, &budget.with_limits(half));
        match together.or(apart) {
            Err(_) if limits.alternatives > MOST_APART => {
                Self::read_in(Ways::Apart, document, options, budget)
            }
            read => read,
        }
    }
}

fn has_too_many_alternatives(error: &SchemaError) -> bool {
    error.limit().is_some_and(|limit| limit.what == "alternatives")
}
