//! What was read of an object.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::others::Others;
use crate::json::list::{List, held_bytes};
use crate::json::spelling::PropertyOrder;
use crate::schema::Objects;

/// Which declared members were read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Declared {
    /// In declared order: all before this one are read or passed over.
    Next(usize),
    /// In any order: a bit for each that was read.
    Read(Arc<[u64]>),
}

impl Declared {
    fn none(order: PropertyOrder, members: usize) -> Self {
        match order {
            PropertyOrder::Declared => Self::Next(0),
            PropertyOrder::Any => Self::Read(std::iter::repeat_n(0, members.div_ceil(64)).collect()),
        }
    }

    pub(super) fn is_ordered(&self) -> bool {
        matches!(self, Self::Next(_))
    }

    /// Whether the member may still come.
    pub(super) fn is_open(&self, member: usize) -> bool {
        match self {
            Self::Next(next) => member >= *next,
            Self::Read(bits) => bits[member / 64] & (1 << (member % 64)) == 0,
        }
    }

    pub(super) fn after(&self, member: usize) -> Self {
        match self {
            Self::Next(_) => Self::Next(member + 1),
            Self::Read(bits) => {
                let mut bits = bits.to_vec();
                bits[member / 64] |= 1 << (member % 64);
                Self::Read(bits.into())
            }
        }
    }

    /// After a name that is none of the `members`. In declared order none of them comes after it.
    pub(super) fn after_other(&self, members: usize) -> Self {
        match self {
            Self::Next(_) => Self::Next(members),
            Self::Read(_) => self.clone(),
        }
    }
}

/// What was read of an object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Progress {
    pub(super) declared: Declared,
    /// The names that were captured.
    pub(super) others: Others,
    /// How many members were read, as far as it matters.
    pub(super) read: u32,
    /// The wishes that were granted.
    pub(super) granted: u32,
    /// What remains of the objects to avoid that agree in all members read.
    pub(super) avoid: List<Arc<Map<String, Value>>>,
}

impl Progress {
    /// Nothing was read of some objects.
    pub(super) fn start(
        order: PropertyOrder,
        objects: &Objects,
        avoid: List<Arc<Map<String, Value>>>,
    ) -> Self {
        let declared = Declared::none(order, objects.members.len());
        Self { declared, others: Others::default(), read: 0, granted: 0, avoid }
    }

    /// The bytes of memory of what it remembers. Objects to avoid are those of the array, until a member of
    /// them was read.
    pub(super) fn held_bytes(&self) -> usize {
        let Self { declared, others, avoid, read, .. } = self;
        let bits = if let Declared::Read(bits) = declared { size_of_val(&**bits) } else { 0 };
        let member = |(name, value): (&String, &Value)| name.len() + held_bytes(value);
        let own = |object: &Arc<Map<String, Value>>| {
            if *read > 0 { object.iter().map(member).sum() } else { 0 }
        };
        bits + others.held_bytes() + avoid.held_bytes(own)
    }
}
