//! Ways to make an automaton: a list of words, or a machine that is explored.

use std::hash::Hash;

use foldhash::{HashMap, HashMapExt};

use super::dfa::{DEAD, Dfa, NO_LABEL};
use super::minimize::Raw;
use super::words::WordBuilder;
use crate::limits::LimitExceeded;

pub(super) fn too_many(limit: usize) -> LimitExceeded {
    LimitExceeded { what: "dfa_states", limit, given: limit.saturating_add(1) }
}

/// How many members all sets of a subset construction may have together, for each state that the limit
/// allows: a thousand machines side by side have sets of thousands, and a hundred thousand of those took half
/// a minute and 2.7 GB.
const MEMBERS_PER_STATE: usize = 16;

/// # Errors
///
/// When the sets of a subset construction have more members than `limit` states are worth.
pub(super) fn check_members(members: usize, limit: usize) -> Result<(), LimitExceeded> {
    if members > limit.saturating_mul(MEMBERS_PER_STATE) { Err(too_many(limit)) } else { Ok(()) }
}

impl Dfa {
    /// The language without a word.
    #[must_use]
    pub fn empty() -> Self {
        Self::words::<&str>([], 1).expect("one state")
    }

    /// The finite language of `words`, each with a label; the first label of a word counts.
    ///
    /// Built as a minimal automaton at once, from the sorted words, in time linear in their bytes. Words are
    /// text: complements and lengths are over characters, and know nothing of other bytes.
    ///
    /// # Errors
    ///
    /// When it needs more than `limit` states.
    ///
    /// ```
    /// use harmony_mask::regular::Dfa;
    ///
    /// let names = Dfa::words([("get", 0), ("get_all", 1)], 100)?;
    /// assert!(names.contains(b"get_all") && !names.contains(b"get_"));
    /// # Ok::<(), harmony_mask::LimitExceeded>(())
    /// ```
    ///
    /// ```compile_fail
    /// let no_text = harmony_mask::regular::Dfa::words([([0xff_u8], 0)], 100);
    /// ```
    pub fn words<W: AsRef<str>>(
        words: impl IntoIterator<Item = (W, u32)>,
        limit: usize,
    ) -> Result<Self, LimitExceeded> {
        let mut words: Vec<(W, u32)> = words.into_iter().collect();
        words.sort_by(|(a, _), (b, _)| a.as_ref().cmp(b.as_ref()));
        words.dedup_by(|(a, _), (b, _)| a.as_ref() == b.as_ref());
        let mut builder = WordBuilder::new(limit);
        for (word, label) in &words {
            builder.add(word.as_ref().as_bytes(), *label)?;
        }
        Ok(builder.finish()?.with_count(words.len() as u64))
    }

    /// The language of a machine given by its steps, over the bytes of `alphabet`. What it reads is to be UTF-8,
    /// as that is what complements and lengths are about; that is not checked.
    ///
    /// # Errors
    ///
    /// When more than `limit` states are reached.
    pub fn explore<S: Clone + Eq + Hash>(
        start: S,
        alphabet: &[u8],
        mut step: impl FnMut(&S, u8) -> Option<S>,
        mut label: impl FnMut(&S) -> Option<u32>,
        limit: usize,
    ) -> Result<Self, LimitExceeded> {
        let (classes, width) = classes_of(alphabet);
        let mut numbers = HashMap::new();
        numbers.insert(start.clone(), 0);
        let mut states = vec![start];
        let mut table = Vec::new();
        let mut at = 0;
        while let Some(state) = states.get(at).cloned() {
            at += 1;
            let row = table.len();
            table.resize(row + width, DEAD);
            for byte in alphabet {
                let Some(next) = step(&state, *byte) else { continue };
                let fresh = u32::try_from(states.len()).map_err(|_| too_many(limit))?;
                let number = *numbers.entry(next).or_insert_with_key(|next| {
                    states.push(next.clone());
                    fresh
                });
                table[row + usize::from(classes[usize::from(*byte)])] = number;
            }
            if states.len() > limit {
                return Err(too_many(limit));
            }
        }
        let labels = states.iter().map(|state| label(state).unwrap_or(NO_LABEL)).collect();
        Ok(Raw { classes, width, table, labels, start: 0 }.finish())
    }

    /// The language of what any of several machines reads, all of which take the same steps from the states
    /// they start in. This, too, is to be UTF-8.
    ///
    /// Each state of a machine is asked for its steps once, however many other machines stand in whichever
    /// states beside it: with lists of states in [`explore`](Self::explore) numerals took half as long again.
    ///
    /// # Errors
    ///
    /// When more than `limit` states are reached, or many of them are states of many machines.
    pub fn explore_all<S: Copy + Eq + Hash>(
        starts: impl IntoIterator<Item = S>,
        alphabet: &[u8],
        step: impl Fn(S, u8) -> Option<S>,
        is_word: impl Fn(S) -> bool,
        limit: usize,
    ) -> Result<Self, LimitExceeded> {
        let (classes, width) = classes_of(alphabet);
        let mut machines =
            Machines { alphabet, step, known: HashMap::new(), states: Vec::new(), rows: Vec::new() };
        let mut sets = Sets { last: (Vec::new(), DEAD), ..Sets::default() };
        sets.next.extend(starts.into_iter().map(|start| machines.number(start)));
        if sets.take() == DEAD {
            return Ok(Self::empty());
        }
        let mut table = Vec::new();
        let mut at = 0;
        while at < sets.ends.len() {
            let row = table.len();
            table.resize(row + width, DEAD);
            for (letter, byte) in alphabet.iter().enumerate() {
                for place in sets.places(at) {
                    let next = machines.next(sets.members[place], letter);
                    sets.next.extend((next != DEAD).then_some(next));
                }
                table[row + usize::from(classes[usize::from(*byte)])] = sets.take();
            }
            at += 1;
            if sets.ends.len() > limit {
                return Err(too_many(limit));
            }
            check_members(sets.members.len() + machines.states.len(), limit)?;
        }
        let is_word = |state: &u32| is_word(machines.states[*state as usize]);
        let label = |set| if sets.members[sets.places(set)].iter().any(is_word) { 0 } else { NO_LABEL };
        let labels = (0..sets.ends.len()).map(label).collect();
        Ok(Raw { classes, width, table, labels, start: 0 }.finish())
    }
}

/// The states of machines, each with its steps.
struct Machines<'a, S, F> {
    alphabet: &'a [u8],
    step: F,
    known: HashMap<S, u32>,
    states: Vec<S>,
    /// For each state that was asked for its steps a row, as long as the alphabet; the others have an empty
    /// one.
    rows: Vec<Box<[u32]>>,
}

impl<S: Copy + Eq + Hash, F: Fn(S, u8) -> Option<S>> Machines<'_, S, F> {
    fn number(&mut self, state: S) -> u32 {
        *self.known.entry(state).or_insert_with(|| {
            self.states.push(state);
            self.rows.push(Box::default());
            u32::try_from(self.states.len() - 1).expect("fewer states than memory has")
        })
    }

    fn next(&mut self, state: u32, letter: usize) -> u32 {
        if self.rows[state as usize].is_empty() {
            let from = self.states[state as usize];
            let mut row = Vec::with_capacity(self.alphabet.len());
            // Neighbouring letters, above all digits, often lead to the same state.
            let (mut last, mut number) = (None, DEAD);
            for byte in self.alphabet {
                let next = (self.step)(from, *byte);
                if next != last {
                    (last, number) = (next, next.map_or(DEAD, |next| self.number(next)));
                }
                row.push(number);
            }
            self.rows[state as usize] = row.into();
        }
        self.rows[state as usize][letter]
    }
}

/// Lists of states, numbered as they come.
#[derive(Default)]
struct Sets {
    members: Vec<u32>,
    /// Where each list ends in `members`.
    ends: Vec<usize>,
    /// Lists of one, by that one: most are.
    singles: Vec<u32>,
    others: HashMap<Box<[u32]>, u32>,
    /// The list that comes next.
    next: Vec<u32>,
    /// The list before it, and its number: most letters lead where their neighbour does.
    last: (Vec<u32>, u32),
}

impl Sets {
    fn places(&self, set: usize) -> std::ops::Range<usize> {
        set.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[set]
    }

    /// The number of the next list, which is empty again after that; [`DEAD`] where it was before.
    fn take(&mut self) -> u32 {
        if self.next != self.last.0 {
            self.last.1 = self.find();
            std::mem::swap(&mut self.last.0, &mut self.next);
        }
        self.next.clear();
        self.last.1
    }

    /// The number of the next list, which is kept where it is new.
    fn find(&mut self) -> u32 {
        let fresh = u32::try_from(self.ends.len()).expect("fewer states than memory has");
        let number = match *self.next {
            [] => DEAD,
            [single] => {
                let known = single as usize;
                self.singles.resize(self.singles.len().max(known + 1), DEAD);
                if self.singles[known] == DEAD {
                    self.singles[known] = fresh;
                }
                self.singles[known]
            }
            _ => match self.others.get(self.next.as_slice()) {
                Some(known) => *known,
                None => {
                    self.others.insert(self.next.as_slice().into(), fresh);
                    fresh
                }
            },
        };
        if number == fresh {
            self.members.extend_from_slice(&self.next);
            self.ends.push(self.members.len());
        }
        number
    }
}

/// A class for each byte of the alphabet, and class 0 for all others.
fn classes_of(alphabet: &[u8]) -> (Box<[u8; 256]>, usize) {
    let mut sorted = alphabet.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let spare = usize::from(sorted.len() < 256);
    let mut classes = Box::new([0; 256]);
    for (class, byte) in sorted.iter().enumerate() {
        classes[usize::from(*byte)] = u8::try_from(class + spare).expect("at most 256 classes");
    }
    (classes, sorted.len() + spare)
}
