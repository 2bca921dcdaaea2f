//! Recursion that follows the nesting of an input, on a stack that grows.
//!
//! A schema may nest as deep as [`Limits::schema_depth`](crate::Limits) allows, and what reads it calls
//! itself once for each level. How much stack a thread has is not ours to say: 128 KB with musl, 512 KB with
//! macOS, 2 MB with Rust; and a stack that overflows ends the process, whoever else it serves. So a function
//! that calls itself for each level of an input does so through here: where little of the stack is left, the
//! call goes on on a new one, which is freed when it returns. To look how much is left takes a nanosecond.
//! What can be a loop as easily is a loop.

/// What is left of the stack, at least, where a call goes on on it: enough for all that one level does,
/// without optimisation, too.
const RED_ZONE: usize = 64 << 10;

/// How large a new stack is, at least. The system gives memory only for what is used of it.
const SEGMENT: usize = 1 << 20;

/// Room for what `serde_json` and the standard library do level by level with a value that was read from a
/// text: `serde_json` reads 128 levels, and takes less than 4 KB for each without optimisation.
pub(crate) const JSON_ROOM: usize = 512 << 10;

/// What any stage of reading a pattern or grammar takes of the stack for one group, without optimisation.
const LEVEL: usize = 16 << 10;

/// Calls what may lead to another such call, one level deeper in the input.
pub(crate) fn one_level<R>(call: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE, SEGMENT, call)
}

/// Calls what takes no more of the stack than this, however deep the input is nested.
pub(crate) fn with_room<R>(bytes: usize, call: impl FnOnce() -> R) -> R {
    let room = RED_ZONE.saturating_add(bytes);
    stacker::maybe_grow(room, room.saturating_add(RED_ZONE).max(SEGMENT), call)
}

/// Calls what may call itself for so many levels, in any of its stages.
pub(crate) fn with_levels<R>(levels: usize, call: impl FnOnce() -> R) -> R {
    with_room(levels.saturating_mul(LEVEL), call)
}
