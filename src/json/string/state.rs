//! Where in a string a reader stands, packed into a [`State`].

use super::escape::Unfinished;
use crate::expression::State;
use crate::regular::StateId;

/// No place among the excluded words: the text is already different from all of them.
const NOT_EXCLUDED: u32 = u32::MAX;

/// A position in the decoded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Position {
    /// The state of the text's automaton.
    pub(super) dfa: StateId,
    /// Characters begun.
    pub(super) chars: u32,
    /// The place among the excluded words, while the text is a prefix of one.
    pub(super) excluded: Option<StateId>,
}

/// What of the spelling is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Before the opening quote.
    Opening,
    /// Between characters, or within one that is written raw.
    Text,
    /// After a backslash.
    Backslash,
    /// After `\u` and some digits.
    Hex(Unfinished),
    /// After an escape that is the first half of a surrogate pair (its ten bits): a backslash must follow.
    LowBackslash(u16),
    /// After that backslash: `u` must follow.
    LowU(u16),
    /// After the closing quote.
    Closed,
}

/// A state of a string language, unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unpacked {
    pub(super) position: Position,
    pub(super) phase: Phase,
}

impl Unpacked {
    pub(super) fn text(position: Position) -> Self {
        Self { position, phase: Phase::Text }
    }

    /// Four numbers of 32 bits: automaton, characters, excluded, phase.
    #[inline]
    pub(super) fn pack(self) -> State {
        let Position { dfa, chars, excluded } = self.position;
        let excluded = excluded.unwrap_or(NOT_EXCLUDED);
        let high = u128::from(u64::from(dfa) << 32 | u64::from(chars));
        State(high << 64 | u128::from(u64::from(excluded) << 32 | u64::from(self.phase.pack())))
    }
}

impl From<State> for Unpacked {
    #[inline]
    fn from(State(packed): State) -> Self {
        let word = |shift: u32| (packed >> shift) as u32;
        let excluded = Some(word(32)).filter(|state| *state != NOT_EXCLUDED);
        let position = Position { dfa: word(96), chars: word(64), excluded };
        Self { position, phase: Phase::unpack(word(0)) }
    }
}

impl Phase {
    /// The kind in the lowest three bits, its data above.
    fn pack(self) -> u32 {
        match self {
            Self::Opening => 0,
            Self::Text => 1,
            Self::Backslash => 2,
            Self::Hex(unfinished) => 3 | unfinished.pack() << 3,
            Self::LowBackslash(high) => 4 | u32::from(high) << 3,
            Self::LowU(high) => 5 | u32::from(high) << 3,
            Self::Closed => 6,
        }
    }

    fn unpack(packed: u32) -> Self {
        let data = packed >> 3;
        match packed & 7 {
            0 => Self::Opening,
            1 => Self::Text,
            2 => Self::Backslash,
            3 => Self::Hex(Unfinished::unpack(data)),
            4 => Self::LowBackslash(data as u16),
            5 => Self::LowU(data as u16),
            _ => Self::Closed,
        }
    }
}
