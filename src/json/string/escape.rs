//! Escapes: which may begin, and which digits may follow.

use regex_syntax::utf8::{Utf8Range, Utf8Sequences};

use super::state::{Phase, Position, Unpacked};
use super::{Escapes, StringLanguage};

/// An escape `\uXXXX` of which some digits were read, perhaps as the second half of a surrogate pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unfinished {
    /// Digits read, at most three.
    digits: u8,
    /// Their value.
    value: u16,
    /// The ten bits of the first half, where this is the second.
    high: Option<u16>,
}

impl Unfinished {
    const START: Self = Self { digits: 0, value: 0, high: None };

    /// The second half of a pair.
    pub(super) fn low(high: u16) -> Self {
        Self { high: Some(high), ..Self::START }
    }

    /// Two bits, twelve bits, one bit, ten bits.
    pub(super) fn pack(self) -> u32 {
        let high = self.high.map_or(0, |high| 1 | u32::from(high) << 1);
        u32::from(self.digits) | u32::from(self.value) << 2 | high << 14
    }

    pub(super) fn unpack(packed: u32) -> Self {
        let high = (packed >> 14 & 1 == 1).then_some((packed >> 15) as u16);
        Self { digits: (packed & 3) as u8, value: (packed >> 2 & 0xfff) as u16, high }
    }

    /// The code units that may result after one more digit, first and last.
    fn narrowed(self, digit: u16) -> (u32, u32) {
        let open_bits = 4 * (3 - u32::from(self.digits));
        let first = (u32::from(self.value) << 4 | u32::from(digit)) << open_bits;
        (first, first + (1 << open_bits) - 1)
    }
}

/// The character that a one-letter escape stands for.
fn short_escape(letter: u8) -> Option<char> {
    Some(match letter {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        _ => return None,
    })
}

/// The shortest spelling of a byte of decoded text: raw, or as an escape where JSON demands one.
pub(super) fn cheapest_spelling(byte: u8) -> Vec<u8> {
    match LETTERS.iter().find(|letter| short_escape(**letter) == Some(char::from(byte))) {
        _ if byte == b'/' => vec![byte],
        Some(letter) => vec![b'\\', *letter],
        None if byte < 0x20 => format!("\\u{byte:04x}").into_bytes(),
        None => vec![byte],
    }
}

const LETTERS: &[u8] = b"\"\\/bfnrt";

/// The first and last code unit of a surrogate's first half.
const HIGH: (u32, u32) = (0xd800, 0xdbff);

impl StringLanguage {
    /// Whether a backslash may come.
    pub(super) fn can_escape(&self, position: Position) -> bool {
        LETTERS.iter().any(|letter| self.after_letter(position, *letter).is_some())
            || self.some_unit(position, None, 0, 0xffff)
    }

    pub(super) fn step_backslash(&self, position: Position, byte: u8) -> Option<Unpacked> {
        if byte == b'u' {
            let phase = Phase::Hex(Unfinished::START);
            return self.some_unit(position, None, 0, 0xffff).then_some(Unpacked { position, phase });
        }
        self.after_letter(position, byte).map(Unpacked::text)
    }

    fn after_letter(&self, position: Position, letter: u8) -> Option<Position> {
        let needless = self.escapes == Escapes::Needed && letter == b'/';
        short_escape(letter).filter(|_| !needless).and_then(|character| self.read_char(position, character))
    }

    pub(super) fn step_hex(&self, position: Position, unfinished: Unfinished, byte: u8) -> Option<Unpacked> {
        let digit = char::from(byte).to_digit(16)? as u16;
        let (first, last) = unfinished.narrowed(digit);
        if !self.some_unit(position, unfinished.high, first, last) {
            return None;
        }
        if unfinished.digits < 3 {
            let value = unfinished.value << 4 | digit;
            let phase = Phase::Hex(Unfinished { digits: unfinished.digits + 1, value, ..unfinished });
            return Some(Unpacked { position, phase });
        }
        match unfinished.high {
            None if (HIGH.0..=HIGH.1).contains(&first) => {
                Some(Unpacked { position, phase: Phase::LowBackslash((first - HIGH.0) as u16) })
            }
            high => {
                let character = high.map_or(first, |high| pair(high, first));
                self.read_char(position, char::from_u32(character)?).map(Unpacked::text)
            }
        }
    }

    /// Whether some code unit between `first` and `last` spells a live character: alone, as the second half after `high`, or as a first half.
    fn some_unit(&self, position: Position, high: Option<u16>, first: u32, last: u32) -> bool {
        if let Some(high) = high {
            let (first, last) = (first.max(0xdc00), last.min(0xdfff));
            return first <= last && self.some_char(position, pair(high, first), pair(high, last));
        }
        let (first_half, last_half) = (first.max(HIGH.0), last.min(HIGH.1));
        let as_pair = || {
            let half = |unit: u32| 0x1_0000 + (unit - HIGH.0) * 0x400;
            first_half <= last_half && self.some_char(position, half(first_half), half(last_half) + 0x3ff)
        };
        self.some_char(position, first, last.min(0xd7ff))
            || self.some_char(position, first.max(0xe000), last)
            || as_pair()
    }

    /// Whether some character between `first` and `last` may be escaped and is live.
    fn some_char(&self, position: Position, first: u32, last: u32) -> bool {
        match self.escapes {
            Escapes::Any => self.some_live(position, first, last),
            // JSON can write printable ASCII and DEL raw; quote and backslash have their letters.
            Escapes::Needed => {
                self.some_live(position, first, last.min(0x1f))
                    || self.some_live(position, first.max(0x80), last)
            }
        }
    }

    fn some_live(&self, position: Position, first: u32, last: u32) -> bool {
        let (Some(first), Some(last)) = (char::from_u32(first), char::from_u32(last)) else { return false };
        first <= last
            && Utf8Sequences::new(first, last).any(|sequence| self.some_path(position, sequence.as_slice()))
    }

    /// Whether some bytes within the ranges are live.
    fn some_path(&self, position: Position, ranges: &[Utf8Range]) -> bool {
        let [range, rest @ ..] = ranges else { return true };
        let mut tried = None;
        (range.start..=range.end).any(|byte| {
            let next = self.read(position, byte);
            // Neighbouring bytes mostly lead to the same place.
            let is_new = next.is_some() && tried.replace(next) != Some(next);
            is_new && next.is_some_and(|next| self.some_path(next, rest))
        })
    }
}

fn pair(high: u16, low: u32) -> u32 {
    0x1_0000 + u32::from(high) * 0x400 + (low - 0xdc00)
}
