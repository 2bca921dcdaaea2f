//! The tables of `o200k_harmony`, built by `build.rs` and linked into the program.
//!
//! The image has 5.8 MB. Casting it costs 15 µs with the first page faults, where tiktoken-rs takes 387 ms to read the ranks
//! (`cargo bench --bench startup`), and pages that nobody needs are never read from disk.

use std::borrow::Cow;

use super::tables::Tables;

/// Gives the bytes the alignment of a packed node.
#[repr(C, align(8))]
struct Aligned<T: ?Sized>(T);

static IMAGE: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/o200k_harmony.bin")));

/// The tables in the image: five counts, the nodes, the starts, the breaks, the characters, the bytes.
pub(super) fn o200k_harmony() -> Tables {
    let (header, rest) = IMAGE.0.split_at(size_of::<[u32; 5]>());
    let &[nodes, starts, breaks, count, longest] = bytemuck::from_bytes::<[u32; 5]>(header);
    let (nodes, rest) = rest.split_at(nodes as usize * size_of::<[u32; 2]>());
    let ids = starts as usize - 1;
    let (starts, rest) = rest.split_at(starts as usize * size_of::<u32>());
    let (breaks, rest) = rest.split_at(breaks as usize * size_of::<u32>());
    let (characters, bytes) = rest.split_at(ids);
    Tables {
        nodes: Cow::Borrowed(bytemuck::cast_slice(nodes)),
        starts: Cow::Borrowed(bytemuck::cast_slice(starts)),
        bytes: Cow::Borrowed(bytes),
        count,
        longest,
        characters: Cow::Borrowed(characters),
        breaks: Cow::Borrowed(bytemuck::cast_slice(breaks)),
    }
}
