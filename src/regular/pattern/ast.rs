//! A pattern as a tree.

use regex_syntax::hir::ClassUnicode;

/// A part of a pattern. Sets of characters are resolved, and folded where case is ignored.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Char(char),
    Set(ClassUnicode),
    Assertion(Assertion),
    /// One after the other; none of them is the empty text.
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Repeat {
        node: Box<Node>,
        min: u32,
        max: Option<u32>,
    },
    /// `(?=…)`, `(?!…)`, `(?<=…)` and `(?<!…)`: what follows begins, or what came before ends, like this or
    /// not.
    Around {
        node: Box<Node>,
        is_behind: bool,
        negative: bool,
    },
}

impl Node {
    /// The nodes right inside.
    fn children(&self) -> &[Self] {
        match self {
            Self::Char(_) | Self::Set(_) | Self::Assertion(_) => &[],
            Self::Sequence(nodes) | Self::Choice(nodes) => nodes,
            Self::Repeat { node, .. } | Self::Around { node, .. } => std::slice::from_ref(node),
        }
    }

    fn any(&self, is_so: &impl Fn(&Self) -> bool) -> bool {
        is_so(self) || self.children().iter().any(|child| child.any(is_so))
    }

    /// Whether it looks ahead or behind anywhere.
    pub(super) fn looks_around(&self) -> bool {
        self.any(&|node| matches!(node, Self::Around { .. }))
    }

    /// Whether it looks ahead anywhere.
    pub(super) fn looks_ahead(&self) -> bool {
        self.any(&|node| matches!(node, Self::Around { is_behind: false, .. }))
    }

    /// Whether it asks anywhere where words begin and end.
    pub(super) fn looks_at_words(&self) -> bool {
        let at_words = |assertion| matches!(assertion, Assertion::WordBoundary | Assertion::NotWordBoundary);
        self.any(&|node| matches!(node, Self::Assertion(assertion) if at_words(*assertion)))
    }

    /// Whether all matches begin where the text does.
    pub(super) fn begins_at_start(&self) -> bool {
        match self {
            Self::Assertion(Assertion::Start) => true,
            Self::Choice(nodes) => nodes.iter().all(Self::begins_at_start),
            // What stands first, and what stands behind nodes that read nothing.
            Self::Sequence(nodes) => {
                let mut reads_nothing = true;
                let mut first = nodes.iter().take_while(|node| {
                    let is_first = reads_nothing;
                    reads_nothing = matches!(node, Self::Assertion(_) | Self::Around { .. });
                    is_first
                });
                first.any(Self::begins_at_start)
            }
            Self::Repeat { node, min, .. } => *min > 0 && node.begins_at_start(),
            Self::Char(_) | Self::Set(_) | Self::Assertion(_) | Self::Around { .. } => false,
        }
    }
}

/// What holds at a place in the text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Assertion {
    Start,
    End,
    WordBoundary,
    NotWordBoundary,
}
