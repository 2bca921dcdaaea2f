//! Where bytes of a range lead: an automaton tells few bytes apart, so runs of them are asked for at once.

use crate::regular::{Dfa, StateId};

/// More states than this are not followed together: looking would take longer than reading.
const MANY: usize = 32;

/// An automaton, by runs of bytes that no state tells apart.
pub(super) struct ByteRuns<'a> {
    pub(super) dfa: &'a Dfa,
    /// For each byte, the last one of its run.
    ends: [u8; 256],
}

/// Where bytes lead from one state.
pub(super) enum Target {
    /// All to one state.
    One(StateId),
    Several,
    Nowhere,
}

/// Where bytes lead from some states.
pub(super) enum After {
    /// Each of them somewhere: to these states, in ascending order.
    States(Vec<StateId>),
    Nowhere,
    /// Some somewhere and some nowhere, or to many states.
    Apart,
}

impl<'a> ByteRuns<'a> {
    pub(super) fn new(dfa: &'a Dfa) -> Self {
        let mut ends = [u8::MAX; 256];
        for byte in (0..u8::MAX).rev() {
            let is_end = dfa.class_of(byte) != dfa.class_of(byte + 1);
            ends[usize::from(byte)] = if is_end { byte } else { ends[usize::from(byte) + 1] };
        }
        Self { dfa, ends }
    }

    pub(super) fn target(&self, from: StateId, first: u8, last: u8) -> Target {
        let to = self.dfa.next(from, first);
        if self.runs(first, last).any(|byte| self.dfa.next(from, byte) != to) {
            return Target::Several;
        }
        to.map_or(Target::Nowhere, Target::One)
    }

    pub(super) fn after(&self, states: &[StateId], first: u8, last: u8) -> After {
        let (mut after, mut is_cut) = (Vec::new(), false);
        let next = |state| self.runs(first, last).map(move |byte| self.dfa.next(state, byte));
        for next in states.iter().copied().flat_map(next) {
            match next {
                None => is_cut = true,
                Some(next) if after.contains(&next) => {}
                Some(next) => after.push(next),
            }
            if after.len() > MANY || is_cut && !after.is_empty() {
                return After::Apart;
            }
        }
        after.sort_unstable();
        if is_cut { After::Nowhere } else { After::States(after) }
    }

    /// A byte of each run among some bytes.
    fn runs(&self, first: u8, last: u8) -> impl Iterator<Item = u8> {
        let next = move |byte: &u8| self.ends[usize::from(*byte)].checked_add(1).filter(|next| *next <= last);
        std::iter::successors(Some(first), next)
    }
}
