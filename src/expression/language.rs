//! Byte languages: the leaves of an expression.
//!
//! A leaf is stepped byte by byte, and its state is a value that the language packs itself, so that stepping
//! needs neither locks nor tables shared between threads. Live states only: a step that cannot be completed
//! to a text of the language is `None`, and that is what keeps dead ends out.

use std::any::Any;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use super::Arms;
use crate::regular::{ByteSet, Dfa, StateId};

/// A position in a [`Language`], packed by the language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State(pub u128);

/// The state that stands for another one when tokens are sorted.
///
/// The promise, for every byte string of at most 255 bytes: it leads the state to a live state that is not
/// [complete](Language::is_complete) if and only if it leads the representative to one whose
/// [cost](Language::cost) is within the budget; and where the state accepts after it, the representative
/// accepts with the same label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The representative's language; `None` where it is the state's own.
    pub leaf: Option<Leaf>,
    /// The representative.
    pub state: State,
    /// The greatest cost that the state can bear.
    pub budget: u32,
    /// The first bytes of what the representative accepts within the budget and the state may not. None for a
    /// state that accepts all of it.
    pub doubtful: ByteSet,
}

impl Class {
    /// Whether the state accepts whatever the representative accepts within the budget.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.doubtful == ByteSet::EMPTY
    }

    /// The language of the representative, given the state's own.
    #[must_use]
    pub fn read_by<'c>(&'c self, own: &'c Leaf) -> &'c Leaf {
        self.leaf.as_ref().unwrap_or(own)
    }

    /// A state that stands for itself.
    #[must_use]
    pub fn of(state: State) -> Self {
        Self { leaf: None, state, budget: u32::MAX, doubtful: ByteSet::EMPTY }
    }
}

/// Plain text as an automaton reads it; see [`Language::plain`].
#[derive(Clone, Copy, Debug)]
pub struct PlainText<'a> {
    /// The automaton.
    pub dfa: &'a Dfa,
    /// Where it stands.
    pub state: StateId,
    /// Whether control characters may follow plain text: not within quotation marks.
    pub has_controls: bool,
}

/// Which kind of text was read; a language without kinds uses 0.
pub type Label = u32;

/// A language of bytes, as a deterministic automaton that is stepped, not tabulated.
pub trait Language: Debug + Send + Sync + Any {
    /// The state before the first byte.
    fn start(&self) -> State;

    /// The state after one more byte, or `None` where no text of the language goes on this way.
    fn step(&self, state: State, byte: u8) -> Option<State>;

    /// The state after these bytes. A method, so that reading many costs one call through a table, not one
    /// for each.
    fn reads(&self, state: State, bytes: &[u8]) -> Option<State> {
        bytes.iter().try_fold(state, |state, byte| self.step(state, *byte))
    }

    /// The state after these bytes, or after as many of them as lead to the first text of the language, and
    /// how many that are. A method, as a language may know without a look after each byte where its texts
    /// end.
    fn reads_to_text(&self, state: State, bytes: &[u8]) -> Option<(State, usize)> {
        let mut state = state;
        for (read, byte) in (1..).zip(bytes) {
            state = self.step(state, *byte)?;
            if self.accepts(state).is_some() {
                return Some((state, read));
            }
        }
        Some((state, bytes.len()))
    }

    /// The bytes after which [`step`](Self::step) has a state, where they are found faster than by stepping
    /// each.
    fn next_bytes(&self, _state: State) -> Option<ByteSet> {
        None
    }

    /// The texts that complete what has been read, ascending and each with its label, where the language has
    /// them at hand. Each must end where it is complete.
    fn texts(&self, _state: State) -> Option<Vec<(&[u8], Label)>> {
        None
    }

    /// The label of what has been read, where it is a text of the language.
    fn accepts(&self, state: State) -> Option<Label>;

    /// The bytes that complete what has been read most cheaply, and the label reached: least length plus
    /// `cost(label)`.
    fn completion(&self, state: State, cost: &dyn Fn(Label) -> u32) -> (Vec<u8>, Label);

    /// Whether no byte can follow, so that what has been read is complete.
    fn is_complete(&self, _state: State) -> bool {
        false
    }

    /// A number of bytes that no [completion](Self::completion) exceeds, from any state and whatever labels
    /// cost, where one is known without a look at each.
    fn enough_from_any(&self) -> Option<u32> {
        None
    }

    /// The same for one state and all that follow it.
    fn enough_from(&self, _state: State) -> Option<u32> {
        self.enough_from_any()
    }

    /// A state of a wider language that usually behaves the same: as soon as some bytes lead both to equal
    /// states, either both of these are complete or neither is, and they lead to equal states again. So work
    /// on the wider language can be shared. It has no twins itself.
    fn twin(&self, _state: State) -> Option<(Leaf, State)> {
        None
    }

    /// The state that stands for this one when tokens are sorted, so that states share that work.
    fn class(&self, state: State) -> Class {
        Class::of(state)
    }

    /// How much of the budget of a [`Class`] the text read so far has used. It never decreases along a text.
    /// 0 where classes have no budgets.
    fn cost(&self, _state: State) -> u32 {
        0
    }

    /// The DFA that alone decides which plain bytes (see
    /// [`Vocabulary::is_plain`](crate::Vocabulary::is_plain)) are live from here, where there is one. It
    /// reads only UTF-8, and no plain byte completes a text. Plain bytes add to the [cost](Self::cost) at
    /// most one for each character begun, and what the DFA still requires.
    fn plain(&self, _state: State) -> Option<PlainText<'_>> {
        None
    }

    /// Bytes held, for caches that are bounded.
    fn memory_bytes(&self) -> usize;

    /// What is expected here, in a user's words.
    fn expectation(&self, state: State) -> String;

    /// Whether the other language is this one, by content. Only ever asked of a language with the same
    /// fingerprint.
    fn same(&self, other: &dyn Language) -> bool;

    /// A hash of the content.
    fn fingerprint(&self) -> u64;
}

/// A shared [`Language`], compared by content.
#[derive(Clone)]
pub struct Leaf {
    language: Arc<dyn Language>,
    fingerprint: u64,
}

impl Leaf {
    /// Shares a language.
    pub fn new(language: impl Language) -> Self {
        let fingerprint = language.fingerprint();
        Self { language: Arc::new(language), fingerprint }
    }

    /// The language as its own type, where it is a `T`.
    #[must_use]
    pub fn downcast_ref<T: Language>(&self) -> Option<&T> {
        (&*self.language as &dyn Any).downcast_ref()
    }

    /// The length of the cheapest completion from `state`, with the arm that follows it.
    #[must_use]
    pub fn min_len_with(&self, state: State, arms: &Arms) -> u32 {
        let cost = |label: Label| arms.min_len(label);
        let (bytes, label) = self.completion(state, &cost);
        u32::try_from(bytes.len()).unwrap_or(u32::MAX).saturating_add(cost(label))
    }
}

impl Deref for Leaf {
    type Target = dyn Language;

    fn deref(&self) -> &Self::Target {
        &*self.language
    }
}

impl PartialEq for Leaf {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.language, &other.language)
            || (self.fingerprint == other.fingerprint && self.same(&**other))
    }
}

impl Eq for Leaf {}

impl Hash for Leaf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.fingerprint);
    }
}

impl Debug for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.language.fmt(f)
    }
}
