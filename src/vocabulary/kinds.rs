//! Kinds of bytes and of characters: what patterns seldom tell apart.
//!
//! Bytes of one kind make texts of one [shape](super::shapes). A kind of characters are those whose first
//! bytes are of one kind, so that a question about a state of an automaton is asked some fifty times and not
//! for every character. White space is apart: `\S` tells characters apart by nothing else, and were it not,
//! no text with any such first byte could be taken as a whole.
//!
//! `build.rs` compiles this file too.

use std::ops::RangeInclusive;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::tables::is_plain;
use crate::regular::white_space;

/// A kind of characters.
pub(crate) struct CharacterKind {
    /// Their first bytes.
    firsts: RangeInclusive<u8>,
    /// All of them.
    pub(crate) characters: ClassUnicode,
}

/// The kinds of plain characters.
pub(crate) fn character_kinds() -> Vec<CharacterKind> {
    let firsts: Vec<u8> = (0..=u8::MAX).filter(|byte| is_plain(*byte) && is_text(&[*byte])).collect();
    let kinds = firsts.chunk_by(|a, b| byte_kind(&[], *a) == byte_kind(&[], *b));
    kinds.flat_map(|bytes| by_white_space(bytes[0]..=bytes[bytes.len() - 1])).collect()
}

/// Which of the kinds a character is of. One that is not complete counts as one without white space: each of
/// its beginnings begins such, too.
pub(crate) fn kind_of(kinds: &[CharacterKind], character: &[u8]) -> usize {
    let is_of =
        |kind: &CharacterKind| match str::from_utf8(character).ok().and_then(|text| text.chars().next()) {
            Some(character) => {
                kind.characters.iter().any(|range| (range.start()..=range.end()).contains(&character))
            }
            None => kind.firsts.contains(&character[0]),
        };
    kinds.iter().position(is_of).expect("it is of one")
}

/// The characters with these first bytes, those that are not white space first.
fn by_white_space(firsts: RangeInclusive<u8>) -> impl Iterator<Item = CharacterKind> {
    let (least, _) = bounds(*firsts.start());
    let (_, greatest) = bounds(*firsts.end());
    let mut other = ClassUnicode::new([ClassUnicodeRange::new(least, greatest)]);
    let mut white = white_space();
    white.intersect(&other);
    other.difference(&white);
    let kinds = [other, white].into_iter().filter(|characters| !characters.ranges().is_empty());
    kinds.map(move |characters| CharacterKind { firsts: firsts.clone(), characters })
}

/// The least and the greatest character with this first byte.
fn bounds(first: u8) -> (char, char) {
    let length = first.leading_ones().max(1) as usize;
    let with =
        |second: u8, rest: u8| str::from_utf8(&[first, second, rest, rest][..length]).ok()?.chars().next();
    let least = (0x80..=0xbf).find_map(|second| with(second, 0x80));
    let greatest = (0x80..=0xbf).rev().find_map(|second| with(second, 0xbf));
    least.zip(greatest).expect("it begins characters")
}

/// Whether these bytes are one character or the beginning of one.
pub(super) fn is_text(character: &[u8]) -> bool {
    str::from_utf8(character).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// Which kind of byte it is after the beginning of a character. Kinds are what patterns seldom tell apart;
/// those that ECMA-262 counts as white space or line ends, and what they begin with, are kinds of their own.
/// The bytes of a kind are without gaps.
pub(super) fn byte_kind(unfinished: &[u8], byte: u8) -> u8 {
    match (unfinished, byte) {
        ([], b'a'..=b'z') => b'a',
        ([], b'A'..=b'Z') => b'A',
        ([], b'0'..=b'9') => b'0',
        ([], 0xc3..=0xdf) => 0xc3,
        ([], 0xe4..=0xec) => 0xe4,
        ([], 0xf1..=0xf3) => 0xf1,
        ([], _) | ([0xc2 | 0xe1 | 0xef], _) | ([0xe2 | 0xe3], 0x80 | 0x81) | ([0xe2, 0x80 | 0x81], _) => byte,
        ([0xe1, 0x9a] | [0xe3, 0x80], 0x80) | ([0xef, 0xbb], 0xbf) => byte,
        ([0xe2], _) => 0x82,
        _ => 0x81,
    }
}
