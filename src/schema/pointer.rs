//! JSON pointers, kept as a tree: written out only when somebody asks, since all of them together can be
//! quadratic in the document.

use super::dense::Numbered;
use super::document::{Location, Step};

/// The pointers of all locations of a document.
#[derive(Clone, Debug, Default)]
pub(super) struct Pointers {
    /// For each location but roots the location around it, and where its segment ends.
    origins: Vec<Option<(Location, usize)>>,
    /// The segments, one after the other.
    segments: String,
}

impl Pointers {
    pub(super) fn new<'d>(origins: impl Iterator<Item = Option<(Location, Step<'d>)>>) -> Self {
        let mut segments = String::new();
        let origins = origins.map(|origin| {
            let (parent, step) = origin?;
            segments.push('/');
            step.write_to(&mut segments);
            Some((parent, segments.len()))
        });
        Self { origins: origins.collect(), segments }
    }

    /// The pointer of a location: `/properties/city`.
    pub(super) fn write(&self, location: Location) -> String {
        let mut segments = Vec::new();
        let mut here = location;
        while let Some((parent, end)) = self.origins[here.index()] {
            // A slash within a segment is escaped.
            let begin = self.segments[..end].rfind('/').expect("each segment begins with one");
            segments.push(&self.segments[begin..end]);
            here = parent;
        }
        segments.into_iter().rev().collect()
    }
}

impl Step<'_> {
    /// The step as a segment of a JSON pointer.
    pub(super) fn segment(self) -> Box<str> {
        let mut segment = String::new();
        self.write_to(&mut segment);
        segment.into()
    }

    fn write_to(self, text: &mut String) {
        match self {
            Self::Index(index) => text.push_str(&index.to_string()),
            Self::Key(key) if key.contains(['~', '/']) => {
                text.push_str(&key.replace('~', "~0").replace('/', "~1"));
            }
            Self::Key(key) => text.push_str(key),
        }
    }
}
