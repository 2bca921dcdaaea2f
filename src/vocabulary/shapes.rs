//! Plain text by shape, so that an automaton reads thousands of tokens at once.
//!
//! Patterns seldom tell one small letter from another, or one Chinese character from the next. So texts of one *shape*, whose bytes are pairwise
//! of one kind, mostly lead to one state, and a walk over shapes (8,781 in `o200k_harmony`) does what a walk over the plain part of the
//! trie does (414,354 nodes). Where an automaton does tell bytes of a kind apart, the texts themselves are walked from there.
//!
//! `build.rs` compiles this file too.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};

use super::tables::{NO_TOKEN, PackedNode, is_plain};

/// Where the members, tokens and breaks of a shape begin, which end where those of the next shape begin; `depth`, `first`, `last` and
/// `characters` in one byte each, from the lowest; `end | most << 24`; the two halves of `kinds`, the lower one first.
pub(crate) type PackedShape = [u32; 7];

/// The plain prefixes of tokens by shape. The shapes stand depth first, the empty one at first, and a last one stands past the end.
#[derive(Debug)]
pub(crate) struct Shapes {
    pub(crate) shapes: Cow<'static, [PackedShape]>,
    /// The nodes of the trie by shape, in ascending order for each.
    pub(crate) members: Cow<'static, [u32]>,
    /// The tokens by shape.
    pub(crate) tokens: Cow<'static, [u32]>,
    /// By shape, the nodes whose path is of the shape but for its last byte, which is not plain: `node | characters << 24`.
    pub(crate) breaks: Cow<'static, [u32]>,
}

/// A shape of plain text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The length of its texts, in bytes.
    pub(crate) depth: u8,
    /// The least of their last bytes.
    pub(crate) first: u8,
    /// The greatest of their last bytes.
    pub(crate) last: u8,
    /// The characters that each of them begins; 255 for that many or more.
    pub(crate) characters: u8,
    /// The shape after those that begin with this one.
    pub(crate) end: u32,
    /// The most characters that one of those begins; 255 for that many or more.
    pub(crate) most: u8,
    /// The [kinds of characters](character_kinds) that follow in those, bit by bit; all bits where the last character is not complete.
    pub(crate) kinds: u64,
}

impl Shapes {
    /// The number of shapes; the first is the empty one.
    pub(crate) fn len(&self) -> u32 {
        self.shapes.len() as u32 - 1
    }

    pub(crate) fn shape(&self, at: u32) -> Shape {
        let [.., packed, end_and_most, low, high] = self.shapes[at as usize];
        let [depth, first, last, characters] = packed.to_le_bytes();
        let (end, most) = (end_and_most & 0xff_ffff, (end_and_most >> 24) as u8);
        Shape { depth, first, last, characters, end, most, kinds: u64::from(high) << 32 | u64::from(low) }
    }

    /// The nodes of the trie that are of a shape, in ascending order.
    pub(crate) fn members(&self, at: u32) -> &[u32] {
        &self.members[self.range(at..at + 1, 0)]
    }

    /// Where in `tokens` those of some shapes stand.
    pub(crate) fn tokens(&self, at: Range<u32>) -> Range<usize> {
        self.range(at, 1)
    }

    /// The nodes that are not plain below those of some shapes, each with the characters before it.
    pub(crate) fn breaks(&self, at: Range<u32>) -> impl Iterator<Item = (u32, u32)> {
        self.breaks[self.range(at, 2)].iter().map(|packed| (packed & 0xff_ffff, packed >> 24))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let lists = [self.shapes.as_flattened(), &*self.members, &*self.tokens, &*self.breaks];
        lists.into_iter().map(size_of_val).sum()
    }

    fn range(&self, at: Range<u32>, list: usize) -> Range<usize> {
        let start = |shape: u32| self.shapes[shape as usize][list] as usize;
        start(at.start)..start(at.end)
    }

    /// Sorts the plain nodes of a trie, and their children that are not.
    pub(crate) fn new(nodes: &[PackedNode]) -> Self {
        let mut found = Found { kinds: vec![Kind::default()], children: HashMap::new() };
        let sorted = found.sort(nodes);
        found.look_below();
        let order = found.depth_first();
        found.pack(nodes, &sorted, &order)
    }
}

/// A shape while shapes are found.
#[derive(Clone, Copy, Default)]
struct Kind {
    parent: usize,
    depth: u8,
    first: u8,
    last: u8,
    characters: u8,
    /// The first byte of its last character.
    lead: u8,
    is_complete: bool,
    /// The last character of one of its texts, where that is complete.
    last_character: char,
    most: u8,
    kinds: u64,
}

struct Found {
    /// In the order in which they were found; the first one is the empty shape.
    kinds: Vec<Kind>,
    children: HashMap<(usize, u8), usize>,
}

/// What is of one shape, with the number of the shape.
#[derive(Default)]
struct Sorted {
    members: Vec<(usize, u32)>,
    breaks: Vec<(usize, u32)>,
}

impl Found {
    fn sort(&mut self, nodes: &[PackedNode]) -> Sorted {
        let (mut sorted, mut path, mut bytes) = (Sorted::default(), vec![0], Vec::new());
        let mut at = 0;
        while let Some(&[byte_and_token, depth_and_end]) = nodes.get(at) {
            let (byte, depth) = (byte_and_token as u8, (depth_and_end & 0xff) as usize);
            path.truncate(depth);
            bytes.truncate(depth - 1);
            let parent = path[depth - 1];
            let unfinished = unfinished(&bytes);
            bytes.push(byte);
            let character = &bytes[depth - 1 - unfinished.len()..];
            if is_plain(byte) && is_text(character) {
                let shape = self.child(parent, character);
                sorted.members.push((shape, at as u32));
                path.push(shape);
                at += 1;
            } else {
                if unfinished.is_empty() && !is_plain(byte) {
                    sorted.breaks.push((parent, at as u32));
                }
                at = (depth_and_end >> 8) as usize;
            }
        }
        sorted
    }

    /// The shape of a text of `parent` with one more byte, the last one of `character`.
    fn child(&mut self, parent: usize, character: &[u8]) -> usize {
        let (&byte, unfinished) = character.split_last().expect("it has a byte");
        let next = self.kinds.len();
        let child = *self.children.entry((parent, kind(unfinished, byte))).or_insert(next);
        let Kind { depth, characters, .. } = self.kinds[parent];
        if child == next {
            self.kinds.push(Kind {
                parent,
                depth: depth + 1,
                first: byte,
                last: byte,
                characters: characters.saturating_add(u8::from(unfinished.is_empty())),
                lead: character[0],
                is_complete: str::from_utf8(character).is_ok(),
                last_character: str::from_utf8(character)
                    .map_or('\0', |text| text.chars().next().expect("one")),
                ..Kind::default()
            });
        }
        let Kind { first, last, .. } = &mut self.kinds[child];
        (*first, *last) = (byte.min(*first), byte.max(*last));
        child
    }

    /// Finds what comes below each shape. Shapes are found before those below them.
    fn look_below(&mut self) {
        let kinds = character_kinds();
        self.kinds[0].is_complete = true;
        for at in (1..self.kinds.len()).rev() {
            let kind = self.kinds[at];
            let is_own = |known: &CharacterKind| match kind.is_complete {
                true => known.contains(kind.last_character),
                false => known.begins_with(kind.lead),
            };
            let own = kinds.iter().position(is_own).expect("it is of one");
            let parent = &mut self.kinds[kind.parent];
            parent.most = parent.most.max(kind.most).max(kind.characters);
            parent.kinds |= kind.kinds | 1 << own;
        }
        for kind in &mut self.kinds {
            kind.most = kind.most.max(kind.characters);
            kind.kinds = if kind.is_complete { kind.kinds } else { u64::MAX };
        }
    }

    /// The shapes in depth-first order.
    fn depth_first(&self) -> Vec<usize> {
        let mut below = vec![Vec::new(); self.kinds.len()];
        // Those found later go onto the stack first.
        for (child, kind) in self.kinds.iter().enumerate().skip(1).rev() {
            below[kind.parent].push(child);
        }
        let (mut order, mut open) = (Vec::new(), vec![0]);
        while let Some(shape) = open.pop() {
            order.push(shape);
            open.append(&mut below[shape]);
        }
        order
    }

    fn pack(&self, nodes: &[PackedNode], sorted: &Sorted, order: &[usize]) -> Shapes {
        let mut places = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(shape, place)| places[*shape] = place);
        let ordered = |list: &[(usize, u32)]| {
            let mut list: Vec<(usize, u32)> =
                list.iter().map(|(shape, node)| (places[*shape], *node)).collect();
            list.sort_unstable();
            list
        };
        let (members, mut breaks) = (ordered(&sorted.members), ordered(&sorted.breaks));
        let token = |(shape, node): &(usize, u32)| (*shape, nodes[*node as usize][0] >> 8);
        let tokens: Vec<_> = members.iter().map(token).filter(|(_, token)| *token != NO_TOKEN).collect();
        let starts = |list: &[(usize, u32)], shape| list.partition_point(|(other, _)| *other < shape) as u32;
        let shapes = (0..=order.len()).map(|place| {
            let kind = order.get(place).map_or(Kind::default(), |shape| self.kinds[*shape]);
            let packed = u32::from_le_bytes([kind.depth, kind.first, kind.last, kind.characters]);
            let is_deeper = |shape: &&usize| self.kinds[**shape].depth > kind.depth;
            let below = order.get(place + 1..).unwrap_or_default().iter().take_while(is_deeper).count();
            let end = (place + 1 + below) as u32 | u32::from(kind.most) << 24;
            let [members, tokens, breaks] = [&members, &tokens, &breaks].map(|list| starts(list, place));
            [members, tokens, breaks, packed, end, kind.kinds as u32, (kind.kinds >> 32) as u32]
        });
        let shapes: Vec<PackedShape> = shapes.collect();
        let characters = |place: usize| u32::from(self.kinds[order[place]].characters);
        breaks.iter_mut().for_each(|(place, node)| *node |= characters(*place) << 24);
        let numbers =
            |list: Vec<(usize, u32)>| list.into_iter().map(|(_, number)| number).collect::<Vec<u32>>();
        Shapes {
            shapes: shapes.into(),
            members: numbers(members).into(),
            tokens: numbers(tokens).into(),
            breaks: numbers(breaks).into(),
        }
    }
}

/// Characters beyond ASCII that ECMA-262 counts as white space or line ends: what patterns tell apart most often.
const WHITE: [RangeInclusive<char>; 8] = [
    '\u{a0}'..='\u{a0}',
    '\u{1680}'..='\u{1680}',
    '\u{2000}'..='\u{200a}',
    '\u{2028}'..='\u{2029}',
    '\u{202f}'..='\u{202f}',
    '\u{205f}'..='\u{205f}',
    '\u{3000}'..='\u{3000}',
    '\u{feff}'..='\u{feff}',
];

/// A kind of characters.
pub(crate) struct CharacterKind {
    /// Their first bytes.
    firsts: RangeInclusive<u8>,
    /// Their ranges, ascending.
    pub(crate) ranges: Vec<RangeInclusive<char>>,
}

impl CharacterKind {
    pub(crate) fn contains(&self, character: char) -> bool {
        self.ranges.iter().any(|range| range.contains(&character))
    }

    /// Whether the byte begins characters of this kind. The kind without white space stands before that of white space with the same first bytes.
    pub(crate) fn begins_with(&self, first: u8) -> bool {
        self.firsts.contains(&first)
    }
}

/// The kinds of plain characters: those whose first bytes are of one kind, and white space among them apart.
pub(crate) fn character_kinds() -> Vec<CharacterKind> {
    let firsts: Vec<u8> = (0..=u8::MAX).filter(|byte| is_plain(*byte) && is_text(&[*byte])).collect();
    let kinds = firsts.chunk_by(|a, b| kind(&[], *a) == kind(&[], *b));
    kinds.flat_map(|bytes| by_white_space(bytes[0]..=bytes[bytes.len() - 1])).collect()
}

/// The characters with these first bytes, those that are not white space first.
fn by_white_space(firsts: RangeInclusive<u8>) -> impl Iterator<Item = CharacterKind> {
    let (first, last) = (*characters(*firsts.start()).start(), *characters(*firsts.end()).end());
    let white = WHITE.into_iter().filter(|range| (first..=last).contains(range.start())).collect::<Vec<_>>();
    let after = |character: char| {
        char::from_u32(u32::from(character) + 1).expect("no white space stands before a gap")
    };
    let before = |character: char| {
        char::from_u32(u32::from(character) - 1).expect("no white space stands after a gap")
    };
    let starts = std::iter::once(first).chain(white.iter().map(|range| after(*range.end())));
    let ends = white.iter().map(|range| before(*range.start())).chain([last]);
    let other = starts.zip(ends).map(|(start, end)| start..=end).filter(|range| !range.is_empty()).collect();
    let kinds = [other, white].into_iter().filter(|ranges: &Vec<_>| !ranges.is_empty());
    kinds.map(move |ranges| CharacterKind { firsts: firsts.clone(), ranges })
}

/// The characters with this first byte.
fn characters(first: u8) -> RangeInclusive<char> {
    let continuation = first.leading_ones().saturating_sub(1);
    let bits = 6 * continuation;
    let high = u32::from(first) & (0x7f >> first.leading_ones());
    let least = [0, 0x80, 0x800, 0x1_0000][continuation as usize];
    let (start, end) = ((high << bits).max(least), (high << bits) | ((1 << bits) - 1));
    // Half of those with the byte 0xed, and three quarters of those with 0xf4, are no characters.
    let end = match first {
        0xed => 0xd7ff,
        _ => end.min(0x10_ffff),
    };
    let character = |code| char::from_u32(code).expect("within a byte's characters");
    character(start)..=character(end)
}

/// The bytes of the character that is not complete at the end of a text; none where the last one is complete.
fn unfinished(text: &[u8]) -> Vec<u8> {
    let begins = text.iter().rposition(|byte| byte & 0xc0 != 0x80).unwrap_or(0);
    let last = &text[begins..];
    if str::from_utf8(last).is_ok() { Vec::new() } else { last.to_vec() }
}

/// Whether these bytes are one character or the beginning of one.
fn is_text(character: &[u8]) -> bool {
    str::from_utf8(character).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// Which kind of byte it is after the beginning of a character. Kinds are what patterns seldom tell apart; those that ECMA-262 counts as white space
/// or line ends ([`WHITE`]), and what they begin with, are kinds of their own. The bytes of a kind are without gaps.
fn kind(unfinished: &[u8], byte: u8) -> u8 {
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
