//! Byte languages: the leaves of an expression.
//!
//! A leaf is stepped byte by byte, and its state is a value that the language packs itself, so that stepping needs neither
//! locks nor tables shared between threads. Live states only: a step that cannot be completed to a text of the language is
//! `None`, and that is what keeps dead ends out.

use std::any::Any;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use super::Expression;

/// A position in a [`Language`], packed by the language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State(pub u128);

/// Which kind of text was read; a language without kinds uses 0.
pub type Label = u32;

/// A language of bytes, as a deterministic automaton that is stepped, not tabulated.
pub trait Language: Debug + Send + Sync + Any {
    /// The state before the first byte.
    fn start(&self) -> State;

    /// The state after one more byte, or `None` where no text of the language goes on this way.
    fn step(&self, state: State, byte: u8) -> Option<State>;

    /// The label of what has been read, where it is a text of the language.
    fn accepts(&self, state: State) -> Option<Label>;

    /// The bytes that complete what has been read most cheaply, and the label reached: least length plus `cost(label)`.
    fn completion(&self, state: State, cost: &dyn Fn(Label) -> u32) -> (Vec<u8>, Label);

    /// Whether no byte can follow, so that what has been read is complete.
    fn is_complete(&self, _state: State) -> bool {
        false
    }

    /// A state that may stand for this one when tokens are sorted, so that states share that work.
    ///
    /// For byte strings of up to 255 bytes, both states agree on what stays live without completing a text, and the representative accepts
    /// at least what the state accepts, with the same labels.
    fn class(&self, state: State) -> State {
        state
    }

    /// Whether the state accepts all that its [`class`](Self::class) accepts. Where it does not, acceptance is checked with the state itself.
    fn is_exact(&self, _state: State) -> bool {
        true
    }

    /// What is expected here, in a user's words.
    fn expectation(&self, state: State) -> String;

    /// Whether the other language is this one, by content. Only ever asked of a language with the same fingerprint.
    fn same(&self, other: &dyn Language) -> bool;

    /// A hash of the content.
    fn fingerprint(&self) -> u64;
}

/// A shared [`Language`], compared by content.
#[derive(Clone)]
pub struct Leaf(Arc<dyn Language>);

impl Leaf {
    /// Shares a language.
    pub fn new(language: impl Language) -> Self {
        Self(Arc::new(language))
    }

    /// The language as its own type, where it is a `T`.
    #[must_use]
    pub fn downcast_ref<T: Language>(&self) -> Option<&T> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    /// The length of the cheapest completion from `state`, with the arm that follows it.
    #[must_use]
    pub fn min_len_with(&self, state: State, arms: &[Expression]) -> u32 {
        let cost = |label: Label| arms.get(label as usize).map_or(0, Expression::min_len);
        let (bytes, label) = self.completion(state, &cost);
        u32::try_from(bytes.len()).unwrap_or(u32::MAX).saturating_add(cost(label))
    }
}

impl Deref for Leaf {
    type Target = dyn Language;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl PartialEq for Leaf {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.fingerprint() == other.fingerprint() && self.same(&**other))
    }
}

impl Eq for Leaf {}

impl Hash for Leaf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.fingerprint());
    }
}

impl Debug for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
