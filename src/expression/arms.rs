//! What follows a leaf, by the label with which it ends.
//!
//! An object of 4,000 members has as many arms at each of its names, of which one is taken. So arms may be made
//! when they are asked for: when all were there, a matcher that read each of the members held 1.4 GB.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use super::rule::ArmsRef;
use super::{Expression, Label};

/// Expressions by label; none where nothing depends on the label.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Arms(Kind);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Kind {
    None,
    Listed(Arc<[Expression]>),
    Made(ArmsRef),
}

/// Makes arms when they are asked for.
pub trait MakeArms: Debug + Send + Sync + Any {
    /// How many there are, at least one.
    fn count(&self) -> usize;

    /// The arm of a label.
    fn arm(&self, label: Label) -> Expression;

    /// The length in bytes of a shortest text of an arm.
    fn min_len(&self, label: Label) -> u32;

    /// As a rule's [`held_bytes`](super::Rule::held_bytes).
    fn held_bytes(&self) -> usize;

    /// Whether the others are these, by content.
    fn same(&self, other: &dyn MakeArms) -> bool;

    /// A hash of the content.
    fn fingerprint(&self) -> u64;
}

impl Arms {
    /// No arms.
    pub const NONE: &'static Self = &Self(Kind::None);

    /// Arms by label.
    #[must_use]
    pub fn listed(arms: impl IntoIterator<Item = Expression>) -> Self {
        let arms: Arc<[Expression]> = arms.into_iter().collect();
        Self(if arms.is_empty() { Kind::None } else { Kind::Listed(arms) })
    }

    /// Arms that are made when they are asked for.
    #[must_use]
    pub fn made(arms: Arc<dyn MakeArms>) -> Self {
        Self(Kind::Made(ArmsRef::new(arms)))
    }

    /// Whether nothing depends on the label.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self.0, Kind::None)
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        match &self.0 {
            Kind::None => 0,
            Kind::Listed(arms) => arms.len(),
            Kind::Made(arms) => arms.count(),
        }
    }

    /// The arm of a label; `None` where there are no arms.
    ///
    /// # Panics
    ///
    /// When there are arms, but none of this label.
    #[must_use]
    pub fn get(&self, label: Label) -> Option<Expression> {
        match &self.0 {
            Kind::None => None,
            Kind::Listed(arms) => Some(arms[label as usize].clone()),
            Kind::Made(arms) => Some(arms.arm(label)),
        }
    }

    /// The length in bytes of a shortest text of what follows a label.
    #[must_use]
    pub fn min_len(&self, label: Label) -> u32 {
        match &self.0 {
            Kind::None => 0,
            Kind::Listed(arms) => arms[label as usize].min_len(),
            Kind::Made(arms) => arms.min_len(label),
        }
    }

    /// The bytes of memory that arms hold which are not listed.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        if let Kind::Made(arms) = &self.0 { arms.held_bytes() } else { 0 }
    }

    /// Those that are listed.
    #[must_use]
    pub fn as_list(&self) -> &[Expression] {
        if let Kind::Listed(arms) = &self.0 { arms } else { &[] }
    }
}
