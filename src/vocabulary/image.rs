//! The tables of `o200k_harmony`, built by `build.rs` and linked into the program.
//!
//! The image has 8.4 MB. Casting it costs 15 µs with the first page faults, where tiktoken-rs takes 387 ms to
//! read the ranks (`cargo bench --bench startup`), and pages that nobody needs are never read from disk.

use std::borrow::Cow;

use super::characters::Characters;
use super::shapes::Shapes;
use super::tables::Tables;

/// Gives the bytes the alignment of a packed node.
#[repr(C, align(8))]
struct Aligned<T: ?Sized>(T);

static IMAGE: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/o200k_harmony.bin")));

/// The tables in the image: twelve counts of words, the lists of words, the bytes.
pub(super) fn o200k_harmony() -> Tables {
    let (header, mut rest) = IMAGE.0.split_at(size_of::<[u32; 12]>());
    let &[nodes, roots, seconds, starts, shapes, members, tokens, breaks, planes, long, count, longest] =
        bytemuck::from_bytes::<[u32; 12]>(header);
    let mut words = |count: u32| {
        let (words, others) = rest.split_at(count as usize * size_of::<u32>());
        rest = others;
        words
    };
    let (nodes, roots, seconds) = (words(nodes), words(roots), words(seconds));
    let starts_of_tokens = words(starts);
    let plain = Shapes {
        shapes: Cow::Borrowed(bytemuck::cast_slice(words(shapes))),
        members: Cow::Borrowed(bytemuck::cast_slice(words(members))),
        tokens: Cow::Borrowed(bytemuck::cast_slice(words(tokens))),
        breaks: Cow::Borrowed(bytemuck::cast_slice(words(breaks))),
    };
    let characters = Characters {
        planes: Cow::Borrowed(bytemuck::cast_slice(words(planes))),
        long: Cow::Borrowed(bytemuck::cast_slice(words(long))),
    };
    Tables {
        nodes: Cow::Borrowed(bytemuck::cast_slice(nodes)),
        roots: Cow::Borrowed(bytemuck::cast_slice(roots)),
        seconds: Cow::Borrowed(bytemuck::cast_slice(seconds)),
        starts: Cow::Borrowed(bytemuck::cast_slice(starts_of_tokens)),
        bytes: Cow::Borrowed(rest),
        count,
        longest,
        characters,
        plain,
    }
}
