//! Numbers of masks.
//!
//! An engine that keeps masks on its device sends a number instead of 25 KB where it has the mask already.
//! Masks are told apart by 128 bits of a keyed hash (the standard library's SipHash, whose keys nobody
//! outside knows): keeping the masks themselves would cost 25 KB each.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

use foldhash::{HashMap, HashMapExt};

use crate::token_mask::TokenMask;

/// The number of a mask. Equal masks of one compiler have one number, different masks have different ones, in
/// all its grammars and for as long as it lives.
///
/// Numbers are given in the order of asking, from 0, so they are indices of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MaskId(u32);

impl MaskId {
    /// How many numbers there are at most; further masks have none. The numbers of so many masks hold about 2
    /// MB.
    pub const MOST: usize = 1 << 16;

    /// The number itself.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The numbers given so far.
pub(super) struct MaskIds {
    keys: [RandomState; 2],
    numbers: Mutex<HashMap<[u64; 2], MaskId>>,
}

impl MaskIds {
    pub(super) fn new() -> Self {
        Self { keys: [RandomState::new(), RandomState::new()], numbers: Mutex::new(HashMap::new()) }
    }

    /// The number of a mask; `None` where it has none and there is none left.
    pub(super) fn of(&self, mask: &TokenMask) -> Option<MaskId> {
        let hash = self.keys.each_ref().map(|key| key.hash_one(mask.words()));
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = u32::try_from(numbers.len()).ok().map(MaskId).filter(|id| id.index() < MaskId::MOST);
        match (numbers.get(&hash), fresh) {
            (None, Some(fresh)) => Some(*numbers.entry(hash).or_insert(fresh)),
            (known, _) => known.copied(),
        }
    }
}
