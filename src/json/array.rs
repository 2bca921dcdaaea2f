//! Arrays: a rule whose data is how many elements were read.

use std::any::Any;
use std::sync::Arc;

use super::spelling::{Spelling, fingerprint};
use crate::expression::{Expression, Rule};
use crate::schema::{Arrays, NodeId};

/// The expression of one array cell.
pub(super) fn array(spelling: &Arc<Spelling>, node: NodeId, cell: usize) -> Expression {
    let elements = Elements { spelling: spelling.clone(), node, cell, read: 0 };
    Expression::sequence([spelling.punctuation.open_array.clone(), Expression::rule(Arc::new(elements))])
}

/// What remains of an array after `read` elements: a comma and another one, or the bracket.
#[derive(Debug)]
struct Elements {
    spelling: Arc<Spelling>,
    node: NodeId,
    cell: usize,
    /// Counted only as far as it matters: to the end of the prefix and the bounds.
    read: u32,
}

impl Elements {
    fn arrays(&self) -> &Arrays {
        &self.spelling.schema.values(self.node).arrays[self.cell]
    }

    /// The schema of the element after the first `read`, where there may be one.
    fn element(&self, read: u32) -> Option<NodeId> {
        self.arrays().kinds(read).first().map(|kind| kind.schema)
    }

    /// What remains after one more element. All counts beyond prefix and bounds are one state.
    fn next(&self) -> Self {
        let arrays = self.arrays();
        let prefix = u32::try_from(arrays.prefix.len()).unwrap_or(u32::MAX);
        let last = arrays.max_items.unwrap_or_else(|| prefix.max(arrays.min_items).max(1));
        Self { spelling: self.spelling.clone(), read: self.read.saturating_add(1).min(last), ..*self }
    }
}

impl Rule for Elements {
    fn expand(&self) -> Expression {
        let punctuation = &self.spelling.punctuation;
        let close = (self.read >= self.arrays().min_items).then(|| punctuation.close_array.clone());
        let more = self.element(self.read).map(|element| {
            let comma = if self.read > 0 { punctuation.comma.clone() } else { Expression::empty() };
            Expression::sequence([
                comma,
                self.spelling.value(element),
                Expression::rule(Arc::new(self.next())),
            ])
        });
        Expression::choice(close.into_iter().chain(more))
            .expect("an inhabited array can be closed or continued")
    }

    fn min_len(&self) -> u32 {
        let arrays = self.arrays();
        let missing = arrays.min_items.saturating_sub(self.read);
        let prefix = arrays.prefix.iter().take(arrays.min_items as usize).skip(self.read as usize);
        let from_prefix = u32::try_from(prefix.len()).unwrap_or(u32::MAX);
        let prefix_len = prefix
            .fold(0_u32, |sum, kinds| sum.saturating_add(self.spelling.schema.least_len(kinds[0].schema)));
        let rest_len = arrays.rest.first().map_or(0, |kind| self.spelling.schema.least_len(kind.schema));
        let commas = missing.saturating_sub(u32::from(self.read == 0));
        rest_len
            .saturating_mul(missing - from_prefix)
            .saturating_add(prefix_len)
            .saturating_add(commas)
            .saturating_add(1)
    }

    fn place(&self) -> String {
        self.spelling.place(self.node)
    }

    fn same(&self, other: &dyn Rule) -> bool {
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| {
            Arc::ptr_eq(&self.spelling, &other.spelling)
                && (self.node, self.cell, self.read) == (other.node, other.cell, other.read)
        })
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("elements", Arc::as_ptr(&self.spelling), self.node, self.cell, self.read))
    }
}
