//! From a syntax tree to the automaton of the texts with a match.

use foldhash::{HashMap, HashMapExt};
use regex_automata::Anchored;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_syntax::hir::{Class, ClassUnicode, Hir, Look, Repetition};

use super::super::build::too_many;
use super::super::dfa::{DEAD, NO_LABEL};
use super::super::minimize::Raw;
use super::class;
use crate::limits::LimitExceeded;
use crate::regular::Dfa;

/// What the stages before ours may use for each state that the limit allows: for the nondeterministic automaton, for the table, and for the
/// sets of states that the table's states stand for. Every pattern of MaskBench passes with room to spare, and the worst ones that do not
/// end after half a second.
const NFA_BYTES_PER_STATE: usize = 32;
const DFA_BYTES_PER_STATE: usize = 192;
const SET_BYTES_PER_STATE: usize = 48;

/// The label of a text with a match.
const MATCH: u32 = 0;

/// The texts in which `hir` has a match.
///
/// Nothing is appended for what follows a match: once one is found, only valid UTF-8 is asked for, so no state remembers what else was
/// under way.
pub(super) fn texts_with_match(hir: Hir, limit: usize) -> Result<Dfa, LimitExceeded> {
    let is_anchored = hir.properties().look_set_prefix().contains(Look::Start);
    let searched = if is_anchored { hir } else { Hir::concat(vec![any_text(), hir]) };
    let nfa = NFA::compiler()
        .configure(
            thompson::Config::new()
                .which_captures(WhichCaptures::None)
                .nfa_size_limit(Some(limit.saturating_mul(NFA_BYTES_PER_STATE))),
        )
        .build_from_hir(&searched)
        .map_err(|_| too_many(limit))?;
    let config = dense::Config::new()
        .start_kind(StartKind::Anchored)
        .accelerate(false)
        .dfa_size_limit(Some(limit.saturating_mul(DFA_BYTES_PER_STATE)))
        .determinize_size_limit(Some(limit.saturating_mul(SET_BYTES_PER_STATE)));
    let searcher =
        dense::Builder::new().configure(config).build_from_nfa(&nfa).map_err(|_| too_many(limit))?;
    Conversion::new(&searcher).run(limit)
}

/// Lazy, so that whoever finds a match forgets the search for a later one.
fn any_text() -> Hir {
    let any = Hir::class(Class::Unicode(class::negated(ClassUnicode::empty())));
    Hir::repetition(Repetition { min: 0, max: None, greedy: false, sub: Box::new(any) })
}

/// A state of the result: still searching, or found and somewhere in the text that follows.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum State {
    Searching(StateID),
    Found(u32),
}

/// Explores the searcher, in which a match shows one byte late, and gives it our form.
struct Conversion<'s> {
    searcher: &'s dense::DFA<Vec<u32>>,
    text: std::sync::Arc<Dfa>,
    numbers: HashMap<State, u32>,
    states: Vec<State>,
}

impl<'s> Conversion<'s> {
    fn new(searcher: &'s dense::DFA<Vec<u32>>) -> Self {
        Self { searcher, text: Dfa::text(), numbers: HashMap::new(), states: Vec::new() }
    }

    fn run(mut self, limit: usize) -> Result<Dfa, LimitExceeded> {
        let at_start = start::Config::new().anchored(Anchored::Yes);
        let start = self.searcher.start_state(&at_start).expect("no look-behind byte, so none to quit at");
        self.number(State::Searching(start));
        let (classes, bytes) = self.common_classes();
        let mut table = Vec::new();
        let mut at = 0;
        while let Some(state) = self.states.get(at).copied() {
            at += 1;
            for byte in &bytes {
                table.push(self.step(state, *byte).map_or(DEAD, |next| self.number(next)));
            }
            if self.states.len() > limit {
                return Err(too_many(limit));
            }
        }
        let labels = self.states.iter().map(|state| if self.is_word(*state) { MATCH } else { NO_LABEL });
        let labels = labels.collect();
        Ok(Raw { classes, width: bytes.len(), table, labels, start: 0 }.finish())
    }

    fn step(&self, state: State, byte: u8) -> Option<State> {
        let after_match = |position| self.text.next(position, byte).map(State::Found);
        match state {
            State::Found(position) => after_match(position),
            State::Searching(id) => {
                let next = self.searcher.next_state(id, byte);
                if self.searcher.is_match_state(next) {
                    after_match(self.text.start())
                } else {
                    (!self.searcher.is_dead_state(next)).then_some(State::Searching(next))
                }
            }
        }
    }

    fn is_word(&self, state: State) -> bool {
        match state {
            State::Found(position) => self.text.label(position).is_some(),
            State::Searching(id) => self.searcher.is_match_state(self.searcher.next_eoi_state(id)),
        }
    }

    fn number(&mut self, state: State) -> u32 {
        let fresh = u32::try_from(self.states.len()).expect("the searcher's states fit 32 bits");
        *self.numbers.entry(state).or_insert_with(|| {
            self.states.push(state);
            fresh
        })
    }

    /// Classes that neither the searcher nor the text tells apart, with a byte of each.
    fn common_classes(&self) -> (Box<[u8; 256]>, Vec<u8>) {
        let searched = self.searcher.byte_classes();
        let mut known: HashMap<(u8, u8), u8> = HashMap::new();
        let mut classes = Box::new([0; 256]);
        let mut bytes = Vec::new();
        for byte in 0..=u8::MAX {
            let pair = (searched.get(byte), self.text.classes[usize::from(byte)]);
            let fresh = u8::try_from(known.len()).unwrap_or(u8::MAX);
            classes[usize::from(byte)] = *known.entry(pair).or_insert_with(|| {
                bytes.push(byte);
                fresh
            });
        }
        (classes, bytes)
    }
}
