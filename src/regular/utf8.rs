//! Valid UTF-8, byte by byte.

use super::dfa::Dfa;

/// Where in a character a text stands: at its end, or how many continuation bytes are missing and what the
/// next one may be.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Position {
    missing: u8,
    lowest: u8,
    highest: u8,
}

const BOUNDARY: Position = Position { missing: 0, lowest: 0, highest: 0 };

/// The language of all valid UTF-8: no overlong forms, no surrogates, nothing past U+10FFFF.
pub(super) fn text() -> Dfa {
    let all: Vec<u8> = (0..=u8::MAX).collect();
    let is_word = |position: &Position| (*position == BOUNDARY).then_some(0);
    Dfa::explore(BOUNDARY, &all, |position, byte| step(*position, byte), is_word, 64).expect("eight states")
}

fn step(position: Position, byte: u8) -> Option<Position> {
    let after = |missing, lowest, highest| Some(Position { missing, lowest, highest });
    match (position.missing, byte) {
        (0, 0x00..=0x7f) => Some(BOUNDARY),
        (0, 0xc2..=0xdf) => after(1, 0x80, 0xbf),
        (0, 0xe0) => after(2, 0xa0, 0xbf),
        (0, 0xed) => after(2, 0x80, 0x9f),
        (0, 0xe1..=0xef) => after(2, 0x80, 0xbf),
        (0, 0xf0) => after(3, 0x90, 0xbf),
        (0, 0xf1..=0xf3) => after(3, 0x80, 0xbf),
        (0, 0xf4) => after(3, 0x80, 0x8f),
        (0, _) => None,
        (missing, byte) if (position.lowest..=position.highest).contains(&byte) => match missing {
            1 => Some(BOUNDARY),
            _ => after(missing - 1, 0x80, 0xbf),
        },
        _ => None,
    }
}
