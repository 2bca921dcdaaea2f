//! From an automaton over characters to one over the bytes of their UTF-8.
//!
//! The characters that begin with the same bytes are mostly one atom: then it is known which one was read
//! before the character is complete, and only its bytes are still to come. The others are a small tree.

use foldhash::{HashMap, HashMapExt};

use super::alphabet::{Alphabet, Atom};
use super::determinize::{Characters, MATCH, NOWHERE};
use crate::limits::LimitExceeded;
use crate::regular::Dfa;
use crate::regular::build::too_many;
use crate::regular::dfa::{DEAD, NO_LABEL, StateId};
use crate::regular::minimize::Raw;

/// How many entries the table may have for each state that the limit allows.
const ENTRIES_PER_STATE: usize = 64;

/// The same texts, byte by byte. No two states of `characters` have equal futures.
pub(super) fn spell(characters: &Characters, limit: usize) -> Result<Dfa, LimitExceeded> {
    let text = Dfa::text();
    let mut forks = Forks { alphabet: &characters.alphabet, text: &text, forks: Vec::new() };
    forks.root();
    let classes = forks.classes();
    let forks = &forks.forks;
    let known = vec![DEAD; characters.is_word.len() * text.states()];
    let (open, states) = (HashMap::new(), Vec::new());
    Spelling { characters, text: &text, forks, known, open, states }.run(classes, limit)
}

/// Where one byte leads within a character.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Edge {
    /// There is no such character.
    Never,
    /// Whatever the next bytes are, it is one of this atom; and the state of the text after this byte.
    Atom(Atom, StateId),
    /// It depends on the next bytes.
    Fork(usize),
}

/// The first bytes of characters that are not all of one atom.
struct Fork {
    /// The state of the text here.
    text: StateId,
    /// By the next byte.
    edges: Box<[Edge; 256]>,
    /// The atoms that it may turn out to be.
    atoms: Vec<Atom>,
}

/// The forks of an alphabet, the one before the first byte last.
struct Forks<'a> {
    alphabet: &'a Alphabet,
    text: &'a Dfa,
    forks: Vec<Fork>,
}

impl Forks<'_> {
    /// All characters from one code point to the next 64^`missing`, of which so many bytes are missing in a
    /// state of the text.
    fn edge(&mut self, first: u32, missing: u32, text: StateId) -> Edge {
        // Overlong forms and surrogates are no characters, nor is anything past the last one.
        let least = first.max([0, 0x80, 0x800, 0x1_0000][missing as usize]);
        let last = match first + (1 << (6 * missing)) - 1 {
            0xd800..=0xdfff => 0xd7ff,
            last => last.min(char::MAX.into()),
        };
        let mut runs = self.alphabet.between((least, last)).iter().map(|(_, atom)| *atom);
        let atom = runs.next().expect("every code point is of an atom");
        if runs.all(|other| other == atom) {
            return Edge::Atom(atom, text);
        }
        let next = |byte: u8, forks: &mut Self| {
            let rest = first + (u32::from(byte & 0x3f) << (6 * (missing - 1)));
            forks.text.next(text, byte).map(|text| forks.edge(rest, missing - 1, text))
        };
        self.fork(text, next)
    }

    fn fork(&mut self, text: StateId, mut edge: impl FnMut(u8, &mut Self) -> Option<Edge>) -> Edge {
        let mut edges = Box::new([Edge::Never; 256]);
        let mut atoms = Vec::new();
        for byte in 0..=u8::MAX {
            let Some(edge) = edge(byte, self) else { continue };
            edges[usize::from(byte)] = edge;
            match edge {
                Edge::Never => {}
                Edge::Atom(atom, _) => atoms.push(atom),
                Edge::Fork(fork) => atoms.extend(&self.forks[fork].atoms),
            }
        }
        atoms.sort_unstable();
        atoms.dedup();
        self.forks.push(Fork { text, edges, atoms });
        Edge::Fork(self.forks.len() - 1)
    }

    fn root(&mut self) {
        let text = self.text;
        self.fork(text.start(), |byte, forks| {
            let after = text.next(text.start(), byte)?;
            let (bits, missing) = match byte {
                0..0x80 => (byte, 0),
                0x80..0xe0 => (byte & 0x1f, 1),
                0xe0..0xf0 => (byte & 0xf, 2),
                _ => (byte & 7, 3),
            };
            Some(forks.edge(u32::from(bits) << (6 * missing), missing, after))
        });
    }

    /// Classes of bytes that no fork and no text tells apart, with a byte of each.
    fn classes(&self) -> (Box<[u8; 256]>, Vec<u8>) {
        let mut classes = Box::new(*self.text.classes);
        let mut count = self.text.width;
        for fork in &self.forks {
            // The first edge of a class keeps its number.
            let mut known = HashMap::new();
            let mut kept = [false; 256];
            for (class, edge) in classes.iter_mut().zip(fork.edges.iter()) {
                let old = *class;
                *class = *known.entry((old, *edge)).or_insert_with(|| {
                    if !std::mem::replace(&mut kept[usize::from(old)], true) {
                        return old;
                    }
                    count += 1;
                    u8::try_from(count - 1).expect("at most 256 classes")
                });
            }
        }
        let bytes = (0..count).map(|class| classes.iter().position(|own| usize::from(*own) == class));
        let bytes =
            bytes.map(|byte| byte.and_then(|byte| u8::try_from(byte).ok()).expect("a byte of each class"));
        let bytes = bytes.collect();
        (classes, bytes)
    }
}

/// A state of the result.
#[derive(Clone, PartialEq, Eq, Hash)]
enum State {
    /// The state after a character is known; the text of that character is in this state.
    Known(u32, StateId),
    /// It depends on the next bytes, as in this fork: the states for its atoms.
    Open(usize, Box<[u32]>),
}

struct Spelling<'c> {
    characters: &'c Characters,
    text: &'c Dfa,
    forks: &'c [Fork],
    /// The numbers of known states, by state and state of the text.
    known: Vec<u32>,
    /// The numbers of the open ones.
    open: HashMap<State, u32>,
    states: Vec<State>,
}

impl Spelling<'_> {
    fn run(
        mut self,
        (classes, bytes): (Box<[u8; 256]>, Vec<u8>),
        limit: usize,
    ) -> Result<Dfa, LimitExceeded> {
        self.number(State::Known(self.characters.start, self.text.start()));
        let mut table = Vec::new();
        let mut at = 0;
        while let Some(state) = self.states.get(at).cloned() {
            at += 1;
            table.extend(
                bytes.iter().map(|byte| self.step(&state, *byte).map_or(DEAD, |next| self.number(next))),
            );
            if self.states.len() > limit || table.len() > limit.saturating_mul(ENTRIES_PER_STATE) {
                return Err(too_many(limit));
            }
        }
        self.merge(&mut table, bytes.len());
        let labels = self.states.iter().map(|state| if self.is_word(state) { MATCH } else { NO_LABEL });
        let labels = labels.collect();
        Ok(Raw { classes, width: bytes.len(), table, labels, start: 0 }.finish_minimal())
    }

    /// Leads to one of those states within a character that have equal futures, so that the others are not
    /// reached any more. Where no character is under way, futures differ already, so this needs no partition:
    /// to look at rows is enough, those that lack one byte first.
    fn merge(&self, table: &mut [u32], width: usize) {
        if self.open.is_empty() {
            return;
        }
        let lacks: Vec<usize> = (0..)
            .take(self.text.states())
            .map(|text| self.text.shortest_from(text, &|_| 0).0.len())
            .collect();
        let lacks: Vec<usize> = self.states.iter().map(|state| lacks[self.text_of(state) as usize]).collect();
        let mut merged: Vec<u32> = (0..).take(self.states.len()).collect();
        for len in (1..=3).chain([0]) {
            let mut known: HashMap<&[u32], u32> = HashMap::new();
            let rows = (0..).zip(table.chunks_exact_mut(width));
            for ((state, row), _) in rows.zip(&lacks).filter(|(_, lacks)| **lacks == len) {
                let targets = row.iter_mut().filter(|next| **next != DEAD);
                targets.for_each(|next| *next = merged[*next as usize]);
                if len > 0 {
                    merged[state as usize] = *known.entry(row).or_insert(state);
                }
            }
        }
    }

    /// The state of the text of a character that is under way.
    fn text_of(&self, state: &State) -> StateId {
        match state {
            State::Known(_, text) => *text,
            State::Open(fork, _) => self.forks[*fork].text,
        }
    }

    fn step(&self, state: &State, byte: u8) -> Option<State> {
        match state {
            State::Known(state, text) if *text == self.text.start() => {
                let width = self.characters.alphabet.len;
                let row = &self.characters.table[*state as usize * width..][..width];
                self.branch(self.forks.last()?, byte, |atom| row[atom as usize])
            }
            State::Known(state, text) => Some(State::Known(*state, self.text.next(*text, byte)?)),
            State::Open(fork, targets) => {
                let fork = &self.forks[*fork];
                self.branch(fork, byte, |atom| targets[fork.atoms.partition_point(|own| *own < atom)])
            }
        }
    }

    fn branch(&self, fork: &Fork, byte: u8, target: impl Fn(Atom) -> u32) -> Option<State> {
        let known = |target: u32, text| (target != NOWHERE).then_some(State::Known(target, text));
        match fork.edges[usize::from(byte)] {
            Edge::Never => None,
            Edge::Atom(atom, text) => known(target(atom), text),
            Edge::Fork(next) => {
                let fork = &self.forks[next];
                let mut targets = fork.atoms.iter().map(|atom| target(*atom));
                let first = targets.next()?;
                if targets.all(|other| other == first) {
                    return known(first, fork.text);
                }
                Some(State::Open(next, fork.atoms.iter().map(|atom| target(*atom)).collect()))
            }
        }
    }

    fn is_word(&self, state: &State) -> bool {
        matches!(state, State::Known(state, text) if *text == self.text.start() && self.characters.is_word[*state as usize])
    }

    fn number(&mut self, state: State) -> u32 {
        let fresh = u32::try_from(self.states.len()).expect("fewer states than memory has");
        let number = match &state {
            State::Known(known, text) => {
                &mut self.known[*known as usize * self.text.states() + *text as usize]
            }
            State::Open(..) => self.open.entry(state.clone()).or_insert(DEAD),
        };
        if *number == DEAD {
            *number = fresh;
            self.states.push(state);
        }
        *number
    }
}
