//! Plain text by shape, so that an automaton reads thousands of tokens at once.
//!
//! Patterns seldom tell one small letter from another, or one Chinese character from the next. So texts of
//! one *shape*, whose bytes are pairwise of one kind, mostly lead to one state, and a walk over shapes (8,781
//! in `o200k_harmony`) does what a walk over the plain part of the trie does (414,354 nodes). Where an
//! automaton does tell bytes of a kind apart, the texts themselves are walked from there.
//!
//! `build.rs` compiles this file too.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::kinds::{CharacterKind, byte_kind, character_kinds, is_text, kind_of};
use super::tables::{NO_TOKEN, PackedNode, is_plain};

/// Where the members, tokens and breaks of a shape begin, which end where those of the next shape begin;
/// `depth`, `first`, `last` and `characters` in one byte each, from the lowest; `end | most << 24`; the two
/// halves of `kinds`, the lower one first.
pub(crate) type PackedShape = [u32; 7];

/// The plain prefixes of tokens by shape. The shapes stand depth first, the empty one at first, and a last
/// one stands past the end.
#[derive(Debug)]
pub(crate) struct Shapes {
    pub(crate) shapes: Cow<'static, [PackedShape]>,
    /// The nodes of the trie by shape, in ascending order for each.
    pub(crate) members: Cow<'static, [u32]>,
    /// The tokens by shape.
    pub(crate) tokens: Cow<'static, [u32]>,
    /// By shape, the nodes whose path is of the shape but for its last byte, which is not plain:
    /// `node | characters << 24`.
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
    /// The [kinds of characters](super::kinds) that follow in those, bit by bit; all bits where the last
    /// character is not complete.
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
        let mut found =
            Found { shapes: vec![Draft::default()], children: HashMap::new(), characters: character_kinds() };
        let sorted = found.sort(nodes);
        found.look_below();
        let order = found.depth_first();
        found.pack(nodes, &sorted, &order)
    }
}

/// A shape while shapes are found.
#[derive(Clone, Copy, Default)]
struct Draft {
    parent: usize,
    depth: u8,
    first: u8,
    last: u8,
    characters: u8,
    /// The kind of its last character.
    last_kind: usize,
    is_complete: bool,
    most: u8,
    kinds: u64,
}

struct Found {
    /// In the order in which they were found; the first one is the empty shape.
    shapes: Vec<Draft>,
    children: HashMap<(usize, u8), usize>,
    characters: Vec<CharacterKind>,
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
        let next = self.shapes.len();
        let child = *self.children.entry((parent, byte_kind(unfinished, byte))).or_insert(next);
        let Draft { depth, characters, .. } = self.shapes[parent];
        if child == next {
            self.shapes.push(Draft {
                parent,
                depth: depth + 1,
                first: byte,
                last: byte,
                characters: characters.saturating_add(u8::from(unfinished.is_empty())),
                last_kind: kind_of(&self.characters, character),
                is_complete: str::from_utf8(character).is_ok(),
                ..Draft::default()
            });
        }
        let Draft { first, last, .. } = &mut self.shapes[child];
        (*first, *last) = (byte.min(*first), byte.max(*last));
        child
    }

    /// Finds what comes below each shape. Shapes are found before those below them.
    fn look_below(&mut self) {
        self.shapes[0].is_complete = true;
        for at in (1..self.shapes.len()).rev() {
            let draft = self.shapes[at];
            let parent = &mut self.shapes[draft.parent];
            parent.most = parent.most.max(draft.most).max(draft.characters);
            parent.kinds |= draft.kinds | 1 << draft.last_kind;
        }
        for draft in &mut self.shapes {
            draft.most = draft.most.max(draft.characters);
            draft.kinds = if draft.is_complete { draft.kinds } else { u64::MAX };
        }
    }

    /// The shapes in depth-first order.
    fn depth_first(&self) -> Vec<usize> {
        let mut below = vec![Vec::new(); self.shapes.len()];
        // Those found later go onto the stack first.
        for (child, draft) in self.shapes.iter().enumerate().skip(1).rev() {
            below[draft.parent].push(child);
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
            let draft = order.get(place).map_or(Draft::default(), |shape| self.shapes[*shape]);
            let packed = u32::from_le_bytes([draft.depth, draft.first, draft.last, draft.characters]);
            let is_deeper = |shape: &&usize| self.shapes[**shape].depth > draft.depth;
            let below = order.get(place + 1..).unwrap_or_default().iter().take_while(is_deeper).count();
            let end = (place + 1 + below) as u32 | u32::from(draft.most) << 24;
            let [members, tokens, breaks] = [&members, &tokens, &breaks].map(|list| starts(list, place));
            [members, tokens, breaks, packed, end, draft.kinds as u32, (draft.kinds >> 32) as u32]
        });
        let shapes: Vec<PackedShape> = shapes.collect();
        let characters = |place: usize| u32::from(self.shapes[order[place]].characters);
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

/// The bytes of the character that is not complete at the end of a text; none where the last one is complete.
fn unfinished(text: &[u8]) -> Vec<u8> {
    let begins = text.iter().rposition(|byte| byte & 0xc0 != 0x80).unwrap_or(0);
    let last = &text[begins..];
    if str::from_utf8(last).is_ok() { Vec::new() } else { last.to_vec() }
}
