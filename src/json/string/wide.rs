//! What stands for the states of a string language when tokens are sorted.
//!
//! Whether a plain token may come inside a string depends on little: on the prefixes that the pattern allows
//! and, near the greatest length, on the number of characters. So a state is represented by one of a language
//! without bounds, mostly the language of all strings. What it forbids beyond that is a budget of characters,
//! and the closing quote.

use std::sync::{Arc, LazyLock};

use super::state::{Phase, Position, Unpacked};
use super::{Escapes, StringLanguage};
use crate::expression::{Class, Leaf, State};
use crate::regular::{ByteSet, Dfa, Live};

/// A language of at most so many words is walked as it is. Where finite languages of more words were walked
/// too, a mask within the package identifiers of winget (four names of up to 32 characters) took 6.4 ms at
/// most instead of 1.9 ms (old and new in turn, three times).
const FEW_WORDS: u64 = 1_000;

/// Languages without bounds.
pub(super) struct Wide {
    /// The texts themselves.
    own: Leaf,
    /// Their beginnings, where those are an automaton of fewer states. In a finite language they hardly are,
    /// as states differ in how long texts may still become, and are not looked for: 200 letters of all
    /// languages (`Github_hard---o79409`) took 25 ms to find none.
    live: Option<Leaf>,
}

fn unbounded(dfa: &Arc<Dfa>) -> Leaf {
    static ANY: LazyLock<Leaf> = LazyLock::new(|| counting(Dfa::text()));
    if Arc::ptr_eq(dfa, &Dfa::text()) { ANY.clone() } else { counting(dfa.clone()) }
}

fn counting(dfa: Arc<Dfa>) -> Leaf {
    let strings = StringLanguage::new(dfa, 0, None, Escapes::Any, usize::MAX).expect("no bounds, no table");
    Leaf::new(strings.counting())
}

impl StringLanguage {
    /// None for a language of few words: it has few tokens, and nothing to share.
    fn wide(&self) -> Option<&Wide> {
        let make = || {
            let count = self.dfa.count();
            (count.is_none_or(|count| count > FEW_WORDS) && self.escapes == Escapes::Any).then(|| {
                let live = if count.is_none() { self.dfa.live() } else { None };
                Wide { own: unbounded(&self.dfa), live: live.map(|live| unbounded(&live.dfa)) }
            })
        };
        self.wide.get_or_init(make).as_ref()
    }

    /// Excluded words only forbid the quote after them, so all places among them have one representative; and
    /// so has a distant maximum.
    pub(super) fn representative(&self, state: State) -> Class {
        let Unpacked { position, phase } = Unpacked::from(state);
        let free = Position { excluded: None, ..position };
        let standing = |position, phase| Unpacked { position, phase }.pack();
        let Some((wide, budget)) = self.wide().zip(self.window.budget(position.chars)) else {
            let counted = Position { chars: self.window.class(position.chars), ..free };
            return Class {
                doubtful: self.forbidden(position, phase),
                ..Class::of(standing(counted, phase))
            };
        };
        // What a text costs beyond its beginning is known by its own automaton, and so is where it may end.
        // The beginnings are read again for that, but many states are one among them; where none are, three
        // files whose patterns count words take 3.9 instead of 4.6 µs for mask + accept by their own (mean of
        // a first pass, old and new in turn).
        let live = wide.live.as_ref().filter(|_| budget == u32::MAX).zip(self.dfa.live());
        let (leaf, dfa, place) = match live {
            Some((leaf, Live { dfa, states })) => (leaf, dfa, states[position.dfa as usize]),
            None => (&wide.own, &self.dfa, position.dfa),
        };
        let ends_alike = position.chars >= self.window.bounds().0 && live.is_none();
        let doubtful = if ends_alike { self.forbidden(position, phase) } else { ByteSet::ALL };
        let is_any = dfa.reads_any_text(place);
        let phase = if is_any { phase.alike() } else { phase };
        let state = standing(Position { dfa: place, chars: 0, ..free }, phase);
        Class { leaf: Some(leaf.clone()), state, budget, doubtful }
    }

    /// The bytes with which a text that ends in an excluded word may go on here. What goes on otherwise is no
    /// beginning of one from there on.
    fn forbidden(&self, position: Position, phase: Phase) -> ByteSet {
        let Some((excluded, state)) = self.excluded.as_ref().zip(position.excluded) else {
            return ByteSet::EMPTY;
        };
        match phase {
            Phase::Text => {}
            Phase::Opening => return [b'"'].into_iter().collect(),
            _ => return ByteSet::ALL,
        }
        // A character may also be written as an escape.
        excluded.next_bytes(state).or([b'"', b'\\'].into_iter().collect())
    }
}
