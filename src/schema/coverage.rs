//! What became of each keyword.

use super::document::Location;
use super::pointer::Pointers;

/// What one keyword at one place of the schema does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The JSON pointer of the schema it stands in.
    pub pointer: String,
    /// The keyword.
    pub keyword: String,
    /// What it does.
    pub status: Status,
}

/// Whether a keyword has a say in which values are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Exactly as the specification says.
    Exact,
    /// None: it describes the value, or is unknown (to the dialect; an unknown `format`, too).
    Annotation,
}

/// Every keyword that was read, written out only when somebody asks: a schema has thousands of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Occurrences {
    all: Vec<Occurrence>,
    /// Their keywords, one after the other.
    keywords: String,
    pub(super) pointers: Pointers,
}

#[derive(Clone, Copy, Debug)]
struct Occurrence {
    location: Location,
    /// Where its keyword ends; it begins where the one before ends.
    end: usize,
    status: Status,
}

impl Occurrences {
    /// With room for so many keywords.
    pub(super) fn with_room(keywords: usize) -> Self {
        const LENGTH: usize = 8;
        let (all, spelled) = (Vec::with_capacity(keywords), String::with_capacity(LENGTH * keywords));
        Self { all, keywords: spelled, pointers: Pointers::default() }
    }

    pub(super) fn add(&mut self, location: Location, keyword: &str, status: Status) {
        self.keywords.push_str(keyword);
        self.all.push(Occurrence { location, end: self.keywords.len(), status });
    }

    /// The same, in a document with these pointers.
    pub(super) fn at(self, pointers: Pointers) -> Self {
        Self { pointers, ..self }
    }

    /// All of them, in the order in which they were read.
    pub(crate) fn written(&self) -> impl Iterator<Item = Coverage> + '_ {
        self.spelled().map(|(occurrence, keyword)| {
            let (pointer, keyword) = (self.pointers.write(occurrence.location), keyword.to_owned());
            Coverage { pointer, keyword, status: occurrence.status }
        })
    }

    /// Whether the schema at a location was read with a keyword. All are gone through: this is for errors.
    pub(super) fn has(&self, location: Location, keyword: &str) -> bool {
        self.spelled().any(|(occurrence, spelled)| occurrence.location == location && spelled == keyword)
    }

    fn spelled(&self) -> impl Iterator<Item = (&Occurrence, &str)> {
        let mut begin = 0;
        self.all.iter().map(move |occurrence| {
            let keyword = &self.keywords[begin..occurrence.end];
            begin = occurrence.end;
            (occurrence, keyword)
        })
    }
}

/// Whether what remains of a pointer behind a schema's leads to one that it applies to the same values.
pub(super) fn applies_in_place(pointer: &str) -> bool {
    const KEYWORDS: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
    let is_index = |segment: &str| segment.bytes().all(|byte| byte.is_ascii_digit());
    let mut segments = pointer.split('/');
    segments.next() == Some("") && segments.all(|segment| KEYWORDS.contains(&segment) || is_index(segment))
}
