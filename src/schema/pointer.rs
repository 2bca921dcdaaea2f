//! JSON pointers, kept as a tree: written out only when somebody asks, since all of them together can be quadratic in the document.

use super::document::{Location, Step};

/// The pointers of all locations of a document.
#[derive(Clone, Debug, Default)]
pub(super) struct Pointers(Vec<Option<(Location, Box<str>)>>);

impl Pointers {
    pub(super) fn new<'d>(origins: impl Iterator<Item = Option<(Location, Step<'d>)>>) -> Self {
        Self(origins.map(|origin| origin.map(|(parent, step)| (parent, step.segment()))).collect())
    }

    /// The pointer of a location: `/properties/city`.
    pub(super) fn write(&self, location: Location) -> String {
        let mut segments = Vec::new();
        let mut here = location;
        while let Some((parent, segment)) = &self.0[here.index()] {
            segments.push(segment);
            here = *parent;
        }
        segments.into_iter().rev().flat_map(|segment| ["/", &**segment]).collect()
    }
}

impl Step<'_> {
    /// The step as a segment of a JSON pointer.
    pub(super) fn segment(self) -> Box<str> {
        match self {
            Self::Index(index) => index.to_string().into(),
            Self::Key(key) if key.contains(['~', '/']) => key.replace('~', "~0").replace('/', "~1").into(),
            Self::Key(key) => key.into(),
        }
    }
}
