//! Stacks: what remains to be read below the top, as persistent lists.
//!
//! A stack is shared by every thread that stands on it, so a push copies nothing and rollback needs no undo. Each node keeps
//! the hash and the least length of everything from it downwards; equality is a pointer comparison in the common case.

use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use foldhash::fast::FixedState;

use crate::expression::{BinderRef, Expression};

/// One thing that remains to be read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Frame {
    /// An expression.
    Expression(Expression),
    /// The arm chosen by the label of the leaf above.
    Arms(Arc<[Expression]>),
    /// The end of a captured text that began at `start` of the tape; `then` and the binder's answer follow. The tape itself began with it
    /// where `outermost`.
    CaptureEnd { start: usize, outermost: bool, then: Expression, binder: BinderRef },
    /// What the binder answers to the captured text.
    Bind { text: Arc<[u8]>, binder: BinderRef },
}

impl Frame {
    fn min_len(&self) -> u32 {
        match self {
            Self::Expression(expression) => expression.min_len(),
            // Counted with the leaf above, which knows the label.
            Self::Arms(_) => 0,
            Self::CaptureEnd { then, binder, .. } => then.min_len().saturating_add(binder.0.min_len()),
            Self::Bind { binder, .. } => binder.0.min_len(),
        }
    }
}

/// A persistent list of frames. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Stack(Option<Arc<Node>>);

struct Node {
    frame: Frame,
    below: Stack,
    hash: u64,
    min_len: u32,
    height: u32,
}

impl Stack {
    /// This stack with one more frame on top. An empty expression adds nothing.
    pub(super) fn push(&self, frame: Frame) -> Self {
        if matches!(&frame, Frame::Expression(expression) if *expression == Expression::empty()) {
            return self.clone();
        }
        let mut hasher = FixedState::default().build_hasher();
        frame.hash(&mut hasher);
        self.hash(&mut hasher);
        Self(Some(Arc::new(Node {
            hash: hasher.finish(),
            min_len: frame.min_len().saturating_add(self.min_len()),
            height: self.height() + 1,
            below: self.clone(),
            frame,
        })))
    }

    /// This stack with an expression to be read first.
    pub(super) fn push_expression(&self, expression: &Expression) -> Self {
        self.push(Frame::Expression(expression.clone()))
    }

    /// The frame on top and the stack below it.
    pub(super) fn top(&self) -> Option<(&Frame, &Self)> {
        self.0.as_ref().map(|node| (&node.frame, &node.below))
    }

    /// The least number of bytes and special tokens that read everything.
    pub(super) fn min_len(&self) -> u32 {
        self.0.as_ref().map_or(0, |node| node.min_len)
    }

    /// The number of frames.
    pub(super) fn height(&self) -> u32 {
        self.0.as_ref().map_or(0, |node| node.height)
    }
}

impl PartialEq for Stack {
    fn eq(&self, other: &Self) -> bool {
        let (mut left, mut right) = (self, other);
        loop {
            match (&left.0, &right.0) {
                (None, None) => return true,
                (Some(a), Some(b)) if Arc::ptr_eq(a, b) => return true,
                (Some(a), Some(b)) if a.hash == b.hash && a.frame == b.frame => {
                    (left, right) = (&a.below, &b.below);
                }
                _ => return false,
            }
        }
    }
}

impl Eq for Stack {}

impl Hash for Stack {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.as_ref().map_or(0, |node| node.hash));
    }
}

impl fmt::Debug for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frames = std::iter::successors(self.top(), |(_, below)| below.top()).map(|(frame, _)| frame);
        f.debug_list().entries(frames).finish()
    }
}

impl Drop for Node {
    /// Takes a tall stack apart without recursion: nesting depth is the model's choice and must not exhaust the thread's stack.
    fn drop(&mut self) {
        let mut below = self.below.0.take();
        while let Some(node) = below {
            below = Arc::into_inner(node).and_then(|mut node| node.below.0.take());
        }
    }
}
