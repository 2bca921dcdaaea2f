//! Stacks: what remains to be read below the top, as persistent lists.
//!
//! A stack is shared by every thread that stands on it, so a push copies nothing and rollback needs no undo.
//! Each node keeps the hash of everything from it downwards; equality is a pointer comparison in the common
//! case.
//!
//! Threads that stand at the same place of the grammar for different reasons are one thread on a *join* of
//! their stacks. Without it an ambiguity would double the threads at each level of nesting: a schema of
//! schemas, whose objects are of 16 overlapping kinds, took 14 s for a token (`maskbench` on
//! Github_medium---o39217).

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use foldhash::{HashMap, HashSet, HashSetExt};
use smallvec::{SmallVec, smallvec};

use super::openings::Opened;
use crate::each_once::{Firsts, each_once};
use crate::expression::{Arms, BinderRef, Expression, Kind, fingerprint};
use crate::regular::ByteSet;

/// One thing that remains to be read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Frame {
    /// An expression.
    Expression(Expression),
    /// The arm chosen by the label of the leaf above.
    Arms(Arms),
    /// The end of a captured text that began at `start` of the tape; `then` and the binder's answer follow.
    /// The tape itself began with it where `outermost`.
    CaptureEnd { start: usize, outermost: bool, then: Expression, binder: BinderRef },
    /// What the binder answers to the captured text.
    Bind { text: Arc<[u8]>, binder: BinderRef },
    /// What depends on the captured text, and begins with one of these bytes.
    Own(ByteSet),
}

impl Frame {
    fn min_len(&self) -> u32 {
        match self {
            Self::Expression(expression) => expression.min_len(),
            // Counted with the leaf above, which knows the label.
            Self::Arms(_) | Self::Own(_) => 0,
            Self::CaptureEnd { then, binder, .. } => then.min_len().saturating_add(binder.min_len()),
            Self::Bind { binder, .. } => binder.min_len(),
        }
    }

    /// Whether it is a rule that waits to be opened.
    fn waits(&self) -> bool {
        matches!(self, Self::Expression(expression)
            if matches!(expression.kind(), Kind::Rule(rule) if rule.height() > 0))
    }

    /// What it remembers of the text, in bytes of memory.
    fn held_bytes(&self) -> usize {
        match self {
            Self::Expression(expression) => match expression.kind() {
                Kind::Rule(rule) => rule.held_bytes(),
                _ => 0,
            },
            Self::CaptureEnd { binder, .. } => binder.held_bytes(),
            Self::Bind { text, binder } => text.len() + binder.held_bytes(),
            Self::Arms(arms) => arms.held_bytes(),
            Self::Own(_) => 0,
        }
    }
}

/// Frames to be read one after the other, and alternatives of such. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Stack(Option<Arc<Node>>);

struct Node {
    shape: Shape,
    hash: u64,
    /// Found when first asked for: only completions ask.
    min_len: OnceLock<u32>,
    opened: Opened,
}

enum Shape {
    Push {
        frame: Frame,
        below: Stack,
    },
    /// One of these, at least two. Those that are joins themselves are of [many](MANY).
    Join(Box<[Stack]>),
}

/// Equal frames that a join looks for below each other. Stacks that differ further down are alternatives as
/// they are.
const JOIN_DEPTH: u32 = 64;

/// Sets of stacks below each other that one join joins, so that it ends soon. Where there are more, their
/// stacks are alternatives as they are, too.
const JOINED: usize = 256;

/// A join of more stacks than this is not taken apart when it is joined with others: where any rule may be the
/// last one of any other, each join would hold all those before it. An ambiguous grammar of four rules took 4.6 s
/// for 80 bytes, and takes 0.4 (`harmony-mask check --lark`).
const MANY: usize = 16;

impl Stack {
    /// This stack with one more frame on top. An empty expression adds nothing.
    pub(super) fn push(&self, frame: Frame) -> Self {
        if matches!(&frame, Frame::Expression(expression) if matches!(expression.kind(), Kind::Empty)) {
            return self.clone();
        }
        let hash = fingerprint(&(&frame, self));
        Self::node(Shape::Push { frame, below: self.clone() }, hash)
    }

    /// This stack with an expression to be read first.
    pub(super) fn push_expression(&self, expression: &Expression) -> Self {
        self.push(Frame::Expression(expression.clone()))
    }

    /// What any of the stacks reads; at least one. Frames that are equal on top stay one, so stacks that differ
    /// somewhere below go on being one stack above.
    pub(super) fn join<'a>(stacks: impl IntoIterator<Item = &'a Self>) -> Self {
        Joiner::default().join(&each_alternative(stacks), JOIN_DEPTH)
    }

    fn one_of(mut all: Vec<Self>) -> Self {
        if all.len() == 1 {
            return all.swap_remove(0);
        }
        let hash = fingerprint(&all);
        Self::node(Shape::Join(all.into()), hash)
    }

    fn node(shape: Shape, hash: u64) -> Self {
        Self(Some(Arc::new(Node { shape, hash, min_len: OnceLock::new(), opened: Opened::default() })))
    }

    /// The frame on top and the stack below it; `None` for the empty stack and for a join.
    pub(super) fn top(&self) -> Option<(&Frame, &Self)> {
        match &self.0.as_ref()?.shape {
            Shape::Push { frame, below } => Some((frame, below)),
            Shape::Join(_) => None,
        }
    }

    /// The frame that must stay on top, where there is one: whoever joins stacks keeps apart what differs in
    /// it.
    pub(super) fn kept(&self) -> Option<&Frame> {
        let top = self.top().map(|(frame, _)| frame);
        top.filter(|frame| matches!(frame, Frame::Arms(_) | Frame::CaptureEnd { .. }))
    }

    /// What the stack knows of its threads; `None` for the empty one.
    pub(super) fn opened(&self) -> Option<&Opened> {
        self.0.as_ref().map(|node| &node.opened)
    }

    fn address(&self) -> Address {
        self.0.as_ref().map_or(std::ptr::null(), Arc::as_ptr)
    }

    /// The stacks that a join is made of; of every other stack itself.
    pub(super) fn alternatives(&self) -> &[Self] {
        match self.0.as_deref() {
            Some(Node { shape: Shape::Join(stacks), .. }) => stacks,
            _ => std::slice::from_ref(self),
        }
    }

    /// The bytes of memory that its top holds. What is below is mostly shared.
    pub(super) fn held_bytes(&self) -> usize {
        let tops = self.alternatives().iter().filter_map(Self::top);
        tops.map(|(frame, _)| frame.held_bytes()).sum()
    }

    /// What a join looks at that goes so deep.
    ///
    /// Not below a rule that [waits](super::waiting): whoever meets it again joins the stacks that it stands on,
    /// so what is below would be joined with other stacks each time, and grow without end. Of `"a"` in 22 groups
    /// of `{0,2}`, 16 bytes took 4.2 s and take 0.12, as one byte does (`harmony-mask check --lark`).
    fn above(&self, depth: u32) -> Above<'_> {
        match self.top() {
            Some((frame, _)) if depth > 0 && !frame.waits() => Above::Frame(frame),
            _ => Above::Stack(self),
        }
    }

    /// The frames from the top, along the first of alternatives.
    pub(super) fn frames(&self) -> impl Iterator<Item = &Frame> {
        std::iter::successors(self.first(), |(_, below)| below.first()).map(|(frame, _)| frame)
    }

    fn first(&self) -> Option<(&Frame, &Self)> {
        let mut stack = self;
        while let [first, _, ..] = stack.alternatives() {
            stack = first;
        }
        stack.top()
    }

    /// Of a join the stack with the shortest text; of every other stack itself.
    pub(super) fn shortest(&self) -> &Self {
        let mut stack = self;
        while let stacks @ [_, _, ..] = stack.alternatives() {
            stack = stacks.iter().min_by_key(|stack| stack.min_len()).expect("two stacks or more");
        }
        stack
    }

    /// The least number of bytes and special tokens that read everything.
    pub(super) fn min_len(&self) -> u32 {
        let mut pending = vec![self];
        while let Some(stack) = pending.last() {
            let unknown = stack.unknown_below();
            if unknown.is_empty() {
                stack.settle_min_len();
                pending.pop();
            } else {
                pending.extend(unknown);
            }
        }
        self.known_min_len().unwrap_or_default()
    }

    /// What must be measured before this; nothing where this is measured already.
    fn unknown_below(&self) -> Vec<&Self> {
        let Some(node) = self.0.as_ref().filter(|node| node.min_len.get().is_none()) else {
            return Vec::new();
        };
        let parts = match &node.shape {
            Shape::Push { below, .. } => std::slice::from_ref(below),
            Shape::Join(stacks) => stacks,
        };
        parts.iter().filter(|stack| stack.known_min_len().is_none()).collect()
    }

    fn known_min_len(&self) -> Option<u32> {
        self.0.as_ref().map_or(Some(0), |node| node.min_len.get().copied())
    }

    fn settle_min_len(&self) {
        let Some(node) = &self.0 else { return };
        let known = |stack: &Self| stack.known_min_len().expect("measured before");
        node.min_len.get_or_init(|| match &node.shape {
            Shape::Push { frame, below } => frame.min_len().saturating_add(known(below)),
            Shape::Join(stacks) => stacks.iter().map(known).min().expect("a join has alternatives"),
        });
    }
}

/// One join of stacks. Below alternatives the same stacks are met again and again: each set is joined once.
#[derive(Default)]
struct Joiner(HashMap<Box<[Address]>, Stack>);

/// Where a node is. Nothing that is joined is dropped before the join is done: the callers hold the
/// arguments, the table all results.
type Address = *const Node;

/// What is compared of a stack that is joined.
#[derive(PartialEq, Eq, Hash)]
enum Above<'a> {
    /// The frame on top, which stays one on a join of what is below.
    Frame(&'a Frame),
    /// All of it.
    Stack(&'a Stack),
}

impl Joiner {
    /// The join of different stacks.
    fn join(&mut self, stacks: &[Stack], depth: u32) -> Stack {
        let depth = if self.0.len() < JOINED { depth } else { 0 };
        let mut aboves = Firsts::with_capacity(stacks.len());
        let mut groups: Vec<SmallVec<[&Stack; 2]>> = Vec::with_capacity(stacks.len());
        for stack in stacks {
            match aboves.add(stack.above(depth)) {
                Ok(_) => groups.push(smallvec![stack]),
                Err((group, _)) => groups[group].push(stack),
            }
        }
        Stack::one_of(groups.iter().map(|group| self.merge(group, depth)).collect())
    }

    /// One stack of some with the same frame on top.
    fn merge(&mut self, stacks: &[&Stack], depth: u32) -> Stack {
        let Some((frame, _)) = stacks[0].top().filter(|_| stacks.len() > 1) else {
            return stacks[0].clone();
        };
        let below = each_alternative(stacks.iter().filter_map(|stack| stack.top()).map(|(_, below)| below));
        let set: Box<[_]> = below.iter().map(Stack::address).collect();
        if let Some(known) = self.0.get(&set) {
            return known.push(frame.clone());
        }
        let joined = self.join(&below, depth - 1);
        self.0.insert(set, joined.clone());
        joined.push(frame.clone())
    }
}

/// The stacks that some stacks are made of, each once.
fn each_alternative<'a>(stacks: impl IntoIterator<Item = &'a Stack>) -> Vec<Stack> {
    each_once(
        stacks
            .into_iter()
            .flat_map(|stack| match stack.alternatives() {
                many if many.len() > MANY => std::slice::from_ref(stack),
                few => few,
            })
            .cloned(),
    )
}

impl PartialEq for Stack {
    /// Without recursion, as nesting depth is the model's choice. Alternatives that are met again were
    /// compared before.
    fn eq(&self, other: &Self) -> bool {
        let mut pending = Vec::new();
        let mut compared = HashSet::new();
        let mut next = Some((self, other));
        while let Some((left, right)) = next {
            next = match (left.0.as_deref(), right.0.as_deref()) {
                (None, None) => None,
                (Some(a), Some(b)) if std::ptr::eq(a, b) => None,
                (Some(a), Some(b)) if a.hash == b.hash => match (&a.shape, &b.shape) {
                    (Shape::Push { frame, below }, Shape::Push { frame: same, below: beside })
                        if frame == same =>
                    {
                        Some((below, beside))
                    }
                    (Shape::Join(stacks), Shape::Join(others)) if stacks.len() == others.len() => {
                        if compared.insert((left.address(), right.address())) {
                            pending.extend(stacks.iter().zip(others));
                        }
                        None
                    }
                    _ => return false,
                },
                _ => return false,
            }
            .or_else(|| pending.pop());
        }
        true
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
        f.debug_list().entries(self.frames()).finish()
    }
}

impl Drop for Node {
    /// Takes a tall stack apart without recursion: nesting depth is the model's choice and must not exhaust
    /// the thread's stack.
    fn drop(&mut self) {
        let mut pending = Vec::new();
        self.shape.take_stacks(&mut pending);
        while let Some(Stack(stack)) = pending.pop() {
            if let Some(mut node) = stack.and_then(Arc::into_inner) {
                node.shape.take_stacks(&mut pending);
            }
        }
    }
}

impl Shape {
    fn take_stacks(&mut self, out: &mut Vec<Stack>) {
        match self {
            Self::Push { below, .. } if below.0.is_some() => out.push(std::mem::take(below)),
            Self::Push { .. } => {}
            Self::Join(stacks) => out.extend(std::mem::take(stacks)),
        }
    }
}
