//! Tapes: what was read since the outermost open capture began.
//!
//! Within a captured text each residual has a tape of its own, and a matcher keeps the residuals of all its
//! tokens. A tape is therefore a chain: what a token adds is one piece on top of the tape before it, and
//! nothing is copied. When each tape was an array, a string of 16,000 tokens in an array whose elements must
//! differ took 8.3 GB and takes 0.28 GB now (`memory::a_captured_text_is_held_once`).

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use smallvec::SmallVec;

/// The bytes read since the outermost open capture began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Tape {
    /// No capture is open.
    #[default]
    Outside,
    /// These were read.
    Read(Text),
    /// Any were read: the threads are those that all captured texts have in common.
    Any,
}

impl Tape {
    /// The tape after more bytes.
    pub(super) fn extended(&self, read: &[u8]) -> Self {
        match self {
            Self::Read(text) if !read.is_empty() => Self::Read(text.extended(read)),
            _ => self.clone(),
        }
    }

    /// What is common to this tape and all others with the same captures open.
    pub(super) fn forgotten(&self) -> Self {
        match self {
            Self::Outside => Self::Outside,
            Self::Read(_) | Self::Any => Self::Any,
        }
    }

    /// The tape behind a capture, which is the outermost one or not.
    pub(super) fn behind(&self, outermost: bool) -> Self {
        if outermost { Self::Outside } else { self.clone() }
    }

    /// How many bytes were read.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Outside | Self::Any => 0,
            Self::Read(text) => text.0.len,
        }
    }

    /// The bytes of memory that it keeps alive, some of which other tapes share.
    pub(super) fn held_bytes(&self) -> usize {
        match self {
            Self::Outside | Self::Any => 0,
            Self::Read(text) => text.0.held_bytes,
        }
    }
}

/// A text that grows at its end. Cheap to clone; compared by its bytes, however they were put together.
#[derive(Clone, Debug)]
pub(super) struct Text(Arc<Piece>);

/// The last bytes of a text, on top of those before them.
#[derive(Debug)]
struct Piece {
    before: Option<Text>,
    bytes: SmallVec<[u8; 16]>,
    /// Of the whole text, as are the next two.
    len: usize,
    /// The same for the same bytes in other pieces.
    hash: u64,
    held_bytes: usize,
}

impl Text {
    /// The empty text.
    pub(super) fn new() -> Self {
        let (bytes, hash) = (SmallVec::new(), 0xcbf2_9ce4_8422_2325);
        Self(Arc::new(Piece { before: None, bytes, len: 0, hash, held_bytes: size_of::<Piece>() }))
    }

    fn extended(&self, read: &[u8]) -> Self {
        let Piece { len, hash, held_bytes, .. } = *self.0;
        // FNV-1a: it goes on from any hash, so it is the same wherever a text was cut. Texts with the same
        // hash are compared.
        let add = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        Self(Arc::new(Piece {
            before: Some(self.clone()),
            bytes: read.into(),
            len: len + read.len(),
            hash: read.iter().fold(hash, add),
            held_bytes: held_bytes + size_of::<Piece>() + read.len(),
        }))
    }

    /// The bytes from `start` on.
    pub(super) fn since(&self, start: usize) -> Vec<u8> {
        let mut bytes = vec![0; self.0.len - start];
        let mut next = Some(self);
        while let Some(Self(piece)) = next.filter(|text| text.0.len > start) {
            let from = piece.len - piece.bytes.len();
            let skipped = start.saturating_sub(from);
            bytes[from + skipped - start..piece.len - start].copy_from_slice(&piece.bytes[skipped..]);
            next = piece.before.as_ref();
        }
        bytes
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        if (self.0.len, self.0.hash) != (other.0.len, other.0.hash) {
            return false;
        }
        let mut ends = Some((self, other));
        while let Some((left, right)) = ends {
            if Arc::ptr_eq(&left.0, &right.0) {
                return true;
            }
            if left.0.bytes != right.0.bytes {
                // Not cut at the same places.
                return left.since(0) == right.since(0);
            }
            ends = left.0.before.as_ref().zip(right.0.before.as_ref());
        }
        true
    }
}

impl Eq for Text {}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl Drop for Piece {
    /// Without recursion: how long a text gets is the model's choice.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(Text(piece)) = next {
            next = Arc::into_inner(piece).and_then(|mut piece| piece.before.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::expression::fingerprint;

    fn text(pieces: &[Vec<u8>]) -> Text {
        pieces.iter().fold(Text::new(), |text, piece| text.extended(piece))
    }

    proptest! {
        /// A text is its bytes, wherever it was cut.
        #[test]
        fn is_its_bytes(
            left in proptest::collection::vec(proptest::collection::vec(0_u8..2, 0..3), 0..4),
            right in proptest::collection::vec(proptest::collection::vec(0_u8..2, 0..3), 0..4),
        ) {
            let (a, b) = (text(&left), text(&right));
            let is_same = left.concat() == right.concat();
            prop_assert_eq!(a == b, is_same);
            prop_assert!(!is_same || fingerprint(&a) == fingerprint(&b));
            for start in 0..=a.0.len {
                prop_assert_eq!(a.since(start), &left.concat()[start..]);
            }
        }
    }

    #[test]
    fn a_long_text_is_dropped_without_recursion() {
        let long = (0..1_000_000_u32).fold(Text::new(), |text, at| text.extended(&at.to_le_bytes()));
        assert_eq!(long.since(3_999_996), 999_999_u32.to_le_bytes());
    }
}
