//! What must and what may still come of an object: the judgement whether it can be completed.

use crate::schema::Objects;

/// Members that are still to come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    /// Members that must come.
    pub(super) required: u32,
    /// Declared members that may come, with the required ones.
    pub(super) declared: u32,
    /// The last declared member that may come next, if only some may: in declared order none comes before the
    /// first that must.
    pub(super) last: usize,
    /// Names of the classes; `None` for without end.
    pub(super) others: Option<u32>,
    /// The fewest members that grant all wishes; `None` where they cannot be granted.
    pub(super) wishing: Option<u32>,
}

impl Left {
    /// Without one declared member, which was read or passed over.
    pub(super) fn without(self, is_required: bool) -> Self {
        let required = self.required - u32::from(is_required);
        Self { required, declared: self.declared - 1, ..self }
    }

    /// Whether the object can be completed when `read` members were read.
    pub(super) fn is_enough(&self, objects: &Objects, read: u32) -> bool {
        let Some(wishing) = self.wishing else { return false };
        let needed = read.saturating_add(self.required).saturating_add(wishing);
        let supply = self.others.map(|others| others.saturating_add(self.declared).saturating_add(read));
        objects.max_members.is_none_or(|max| needed <= max)
            && supply.is_none_or(|supply| supply >= objects.min_members)
    }
}
