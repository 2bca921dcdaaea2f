//! Escapes: which may begin, and which digits may follow.

use std::sync::LazyLock;

use regex_syntax::utf8::{Utf8Range, Utf8Sequences};

use super::state::{Phase, Position, Unpacked};
use super::{Escapes, StringLanguage};
use crate::regular::ByteSet;

/// Whether a text has one spelling where only those escapes may be written that are
/// [needed](Escapes::Needed).
pub(in crate::json) fn has_one_spelling(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\')
}

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

    /// The one that stands for this one where any character may come: what matters is whether it may, or
    /// must, become half of a pair.
    fn alike(self) -> Self {
        let (first, last) = self.open();
        let digits = |value: u32| (value >> (4 * (4 - u32::from(self.digits)))) as u16;
        let value = match self.high {
            Some(_) => digits(0xdc00),
            None if last < HIGH.0 || first > 0xdfff => digits(0x1111),
            None if first >= HIGH.0 => digits(0xd800),
            None => self.value,
        };
        Self { value, high: self.high.map(|_| 0), ..self }
    }

    /// The code units that may result, first and last.
    fn open(self) -> (u32, u32) {
        let open_bits = 4 * (4 - u32::from(self.digits));
        let first = u32::from(self.value) << open_bits;
        (first, first + (1 << open_bits) - 1)
    }

    /// The code units that may result after one more digit, first and last.
    fn narrowed(self, digit: u16) -> (u32, u32) {
        let open_bits = 4 * (3 - u32::from(self.digits));
        let first = (u32::from(self.value) << 4 | u32::from(digit)) << open_bits;
        (first, first + (1 << open_bits) - 1)
    }
}

impl Phase {
    /// The one that stands for this one where any character may come.
    pub(super) fn alike(self) -> Self {
        match self {
            Self::Hex(unfinished) => Self::Hex(unfinished.alike()),
            Self::LowBackslash(_) => Self::LowBackslash(0),
            Self::LowU(_) => Self::LowU(0),
            Self::Opening | Self::Text | Self::Backslash | Self::Closed => self,
        }
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
pub(super) fn cheapest_spelling(byte: u8) -> &'static [u8] {
    static SPELLINGS: LazyLock<[Vec<u8>; 256]> =
        LazyLock::new(|| std::array::from_fn(|byte| spell(byte as u8)));
    &SPELLINGS[usize::from(byte)]
}

fn spell(byte: u8) -> Vec<u8> {
    match LETTERS.iter().find(|letter| short_escape(**letter) == Some(char::from(byte))) {
        _ if byte == b'/' => vec![byte],
        Some(letter) => vec![b'\\', *letter],
        None if byte < 0x20 => format!("\\u{byte:04x}").into_bytes(),
        None => vec![byte],
    }
}

/// All bytes with the lengths of their spellings, cheapest first, and among equally cheap ones what reads
/// well.
pub(super) fn cheapest_first() -> &'static [(u8, u32); 256] {
    static ORDER: LazyLock<[(u8, u32); 256]> = LazyLock::new(|| {
        let mut order = std::array::from_fn(|byte| (byte as u8, cheapest_spelling(byte as u8).len() as u32));
        order.sort_by_key(|(byte, len)| (*len, !byte.is_ascii_lowercase(), !byte.is_ascii_alphanumeric()));
        order
    });
    &ORDER
}

const LETTERS: &[u8] = b"\"\\/bfnrt";

/// The first and last code unit of a surrogate's first half.
const HIGH: (u32, u32) = (0xd800, 0xdbff);

impl Escapes {
    /// The bytes with which characters begin that may be escaped: a backslash may come where one of them is
    /// live, as it leads to such a character, and each has a `\u`.
    pub(super) const fn begin(self) -> ByteSet {
        const CONTINUED: ByteSet = ByteSet::range(0x80, 0xbf);
        const STRUCTURAL: ByteSet = ByteSet::range(b'"', b'"').or(ByteSet::range(b'\\', b'\\'));
        match self {
            Self::Any => CONTINUED.complement(),
            Self::Needed => ByteSet::range(0, 0x1f).or(STRUCTURAL).or(ByteSet::range(0xc0, 0xff)),
        }
    }
}

impl StringLanguage {
    /// Whether a backslash may come.
    pub(super) fn can_escape(&self, position: Position) -> bool {
        let begin = self.dfa.next_bytes(position.dfa).and(self.escapes.begin());
        begin.iter().any(|byte| self.read(position, byte).is_some())
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

    /// Whether some code unit between `first` and `last` spells a live character: alone, as the second half
    /// after `high`, or as a first half.
    fn some_unit(&self, position: Position, high: Option<u16>, first: u32, last: u32) -> bool {
        self.cheapest_unit(position, high, first, last).is_some()
    }

    /// The least cost after such a unit, where there is one.
    fn cheapest_unit(&self, position: Position, high: Option<u16>, first: u32, last: u32) -> Option<u32> {
        if let Some(high) = high {
            let (first, last) = (first.max(0xdc00), last.min(0xdfff));
            return if first <= last {
                self.some_char(position, pair(high, first), pair(high, last))
            } else {
                None
            };
        }
        let (first_half, last_half) = (first.max(HIGH.0), last.min(HIGH.1));
        let half = |unit: u32| 0x1_0000 + (unit - HIGH.0) * 0x400;
        let pairs = (first_half <= last_half).then(|| (half(first_half), half(last_half) + 0x3ff));
        let ranges = [Some((first, last.min(0xd7ff))), Some((first.max(0xe000), last)), pairs];
        let costs = ranges.into_iter().flatten().map(|(first, last)| self.some_char(position, first, last));
        cheapest(position, costs)
    }

    /// The least cost after a character between `first` and `last` that may be escaped and is live.
    fn some_char(&self, position: Position, first: u32, last: u32) -> Option<u32> {
        let ranges: &[_] = match self.escapes {
            Escapes::Any => &[(first, last)],
            // JSON can write printable ASCII and DEL raw; quote and backslash have their letters.
            Escapes::Needed => &[(first, last.min(0x1f)), (first.max(0x80), last)],
        };
        cheapest(position, ranges.iter().map(|(first, last)| self.some_live(position, *first, *last)))
    }

    fn some_live(&self, position: Position, first: u32, last: u32) -> Option<u32> {
        let (first, last) =
            char::from_u32(first).zip(char::from_u32(last)).filter(|(first, last)| first <= last)?;
        let sequences = Utf8Sequences::new(first, last);
        cheapest(position, sequences.map(|sequence| self.some_path(position, position, sequence.as_slice())))
    }

    /// The least cost after live bytes within the ranges, for a character that begins at `start`.
    fn some_path(&self, start: Position, at: Position, ranges: &[Utf8Range]) -> Option<u32> {
        let [range, rest @ ..] = ranges else { return Some(self.least_cost(at, Phase::Text)) };
        let mut tried = None;
        let nexts = (range.start..=range.end).filter_map(|byte| {
            let next = self.read(at, byte);
            // Neighbouring bytes mostly lead to the same place.
            next.filter(|_| tried.replace(next) != Some(next))
        });
        cheapest(start, nexts.map(|next| self.some_path(start, next, rest)))
    }

    /// The least number of characters from the start of the text to its end, after what was read: what a
    /// [`Class`](crate::expression::Class) may bound.
    pub(super) fn least_cost(&self, position: Position, phase: Phase) -> u32 {
        let unit = |high, (first, last)| self.cheapest_unit(position, high, first, last);
        let escaped = match phase {
            Phase::Opening | Phase::Text | Phase::Closed => {
                return position.chars.saturating_add(self.dfa.least_chars()[position.dfa as usize]);
            }
            Phase::Backslash => {
                let letters = LETTERS.iter().map(|letter| {
                    self.after_letter(position, *letter).map(|next| self.least_cost(next, Phase::Text))
                });
                cheapest(position, letters.chain(std::iter::once_with(|| unit(None, (0, 0xffff)))))
            }
            Phase::Hex(unfinished) => unit(unfinished.high, unfinished.open()),
            Phase::LowBackslash(high) | Phase::LowU(high) => unit(Some(high), (0xdc00, 0xdfff)),
        };
        escaped.expect("a state is live")
    }
}

/// The least of the costs after one character from `position`; none is less than that of the character alone.
fn cheapest(position: Position, costs: impl Iterator<Item = Option<u32>>) -> Option<u32> {
    let mut least = None;
    for cost in costs.flatten() {
        least = least.filter(|least| *least <= cost).or(Some(cost));
        if cost <= position.chars.saturating_add(1) {
            break;
        }
    }
    least
}

fn pair(high: u16, low: u32) -> u32 {
    0x1_0000 + u32::from(high) * 0x400 + (low - 0xdc00)
}
