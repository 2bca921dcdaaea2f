//! The formats of JSON Schema, as languages.
//!
//! Each is defined by patterns (`definition.rs`), which are compiled when this crate is built; programs read
//! the automata (`image.rs`).

#[cfg(test)]
mod definition;
mod image;
#[cfg(test)]
mod tests;

use std::sync::{Arc, LazyLock, OnceLock};

use image::Numbers;

use crate::regular::Dfa;

/// The strings of a format: the words of an automaton within a window of lengths.
#[derive(Clone, Debug)]
pub struct Format {
    /// The words. All of them, within the window, are valid.
    pub dfa: Arc<Dfa>,
    /// The least number of characters.
    pub min_length: u32,
    /// The greatest number of characters.
    pub max_length: Option<u32>,
    /// Where these are not all valid strings: a language with all of them. What is not in it is invalid.
    pub superset: Option<Arc<Dfa>>,
}

/// An entry of the image, and its language once somebody asked for it.
struct Entry {
    name: String,
    numbers: Numbers,
    read: OnceLock<Format>,
}

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    Numbers::entries().map(|(name, numbers)| Entry { name, numbers, read: OnceLock::new() }).collect()
});

/// The format of that name, if it is known. Read from the program at the first call and kept for the process:
/// 60 µs for `email`, and 0.6 ms at most, for `idn-email`, mostly to get its pages from the file.
///
/// ```
/// let date = harmony_mask::formats::format("date").expect("known");
/// assert!(date.dfa.contains(b"2024-02-29") && !date.dfa.contains(b"2023-02-29"));
/// assert!(harmony_mask::formats::format("colour").is_none());
/// ```
#[must_use]
pub fn format(name: &str) -> Option<&'static Format> {
    let entry = ENTRIES.iter().find(|entry| entry.name == name)?;
    Some(entry.read.get_or_init(|| entry.numbers.clone().format()))
}

/// The names of all known formats.
pub fn known_formats() -> impl Iterator<Item = &'static str> {
    ENTRIES.iter().map(|entry| entry.name.as_str())
}
