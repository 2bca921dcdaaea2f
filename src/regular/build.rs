//! Ways to make an automaton: a list of words, or a machine that is explored.

use std::hash::Hash;

use foldhash::{HashMap, HashMapExt};

use super::dfa::{DEAD, Dfa, NO_LABEL};
use super::minimize::Raw;
use crate::limits::LimitExceeded;

pub(super) fn too_many(limit: usize) -> LimitExceeded {
    LimitExceeded { what: "dfa_states", limit, given: limit.saturating_add(1) }
}

impl Dfa {
    /// The language without a word.
    #[must_use]
    pub fn empty() -> Self {
        Self::words::<&[u8]>([], 1).expect("one state")
    }

    /// The finite language of `words`, each with a label; the first label of a word counts.
    ///
    /// Built as a minimal automaton at once, from the sorted words, in time linear in their bytes.
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
    pub fn words<W: AsRef<[u8]>>(
        words: impl IntoIterator<Item = (W, u32)>,
        limit: usize,
    ) -> Result<Self, LimitExceeded> {
        let mut words: Vec<(W, u32)> = words.into_iter().collect();
        words.sort_by(|(a, _), (b, _)| a.as_ref().cmp(b.as_ref()));
        words.dedup_by(|(a, _), (b, _)| a.as_ref() == b.as_ref());
        let mut builder = WordBuilder { limit, ..WordBuilder::default() };
        for (word, label) in &words {
            builder.add(word.as_ref(), *label)?;
        }
        builder.finish()
    }

    /// The language of a machine given by its steps, over the bytes of `alphabet`.
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

    /// The language of what any of several machines reads, all of which take the same steps from the states they start in.
    ///
    /// Each state of a machine is asked for its steps once, however many other machines stand in which states beside it. That makes the numerals of
    /// `{"multipleOf": 440}` NUMBERS times as fast as [`explore`](Self::explore) with lists of states.
    ///
    /// # Errors
    ///
    /// When more than `limit` states are reached.
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
        let mut sets = Sets::default();
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
    /// For each state that was asked for its steps a row, as long as the alphabet; the others have an empty one.
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
}

impl Sets {
    fn places(&self, set: usize) -> std::ops::Range<usize> {
        set.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[set]
    }

    /// The number of the next list, which is empty again after that; [`DEAD`] where it was before.
    fn take(&mut self) -> u32 {
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
        self.next.clear();
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

type Children = Vec<(u8, u32)>;

/// Adds sorted words to a minimal automaton: when a word leaves the path of its predecessor, the states that were left are final and are
/// shared with equal ones.
#[derive(Default)]
struct WordBuilder {
    /// The states on the path of the last word, with the byte that leads to the next.
    path: Vec<(u32, Children)>,
    last: Vec<u8>,
    known: HashMap<(u32, Children), u32>,
    limit: usize,
}

impl WordBuilder {
    fn add(&mut self, word: &[u8], label: u32) -> Result<(), LimitExceeded> {
        let shared = self.last.iter().zip(word).take_while(|(a, b)| a == b).count();
        self.close(shared + 1)?;
        if self.path.is_empty() {
            self.path.push((NO_LABEL, Vec::new()));
        }
        self.path.resize(word.len() + 1, (NO_LABEL, Vec::new()));
        self.path[word.len()].0 = label;
        self.last = word.to_vec();
        Ok(())
    }

    /// Closes the states of the path from the end down to `len` states.
    fn close(&mut self, len: usize) -> Result<(), LimitExceeded> {
        while self.path.len() > len {
            let (label, children) = self.path.pop().expect("longer than `len`");
            let id = self.intern(label, children)?;
            let byte = self.last[self.path.len() - 1];
            self.path.last_mut().expect("the start stays").1.push((byte, id));
        }
        Ok(())
    }

    fn intern(&mut self, label: u32, children: Children) -> Result<u32, LimitExceeded> {
        let id = u32::try_from(self.known.len()).map_err(|_| too_many(self.limit))?;
        let known = *self.known.entry((label, children)).or_insert(id);
        if self.known.len() > self.limit { Err(too_many(self.limit)) } else { Ok(known) }
    }

    fn finish(mut self) -> Result<Dfa, LimitExceeded> {
        self.close(1)?;
        let (label, children) = self.path.pop().unwrap_or((NO_LABEL, Vec::new()));
        let start = self.intern(label, children)?;
        let mut states = vec![(NO_LABEL, Vec::new()); self.known.len()];
        self.known.into_iter().for_each(|(state, id)| states[id as usize] = state);
        let states = breadth_first(states, start);
        let (classes, width) = classes_of_columns(&states);
        let mut table = vec![DEAD; width * states.len()];
        for (row, (_, children)) in table.chunks_mut(width).zip(&states) {
            children.iter().for_each(|(byte, next)| row[usize::from(classes[usize::from(*byte)])] = *next);
        }
        let labels = states.iter().map(|(label, _)| *label).collect();
        Ok(Dfa::from_parts(classes, width, table, labels))
    }
}

/// The same states, numbered breadth-first.
fn breadth_first(mut states: Vec<(u32, Children)>, start: u32) -> Vec<(u32, Children)> {
    let mut numbers = vec![DEAD; states.len()];
    numbers[start as usize] = 0;
    let mut order = vec![start];
    let mut numbered = Vec::with_capacity(states.len());
    while let Some(state) = order.get(numbered.len()) {
        let (label, mut children) = std::mem::take(&mut states[*state as usize]);
        for (_, next) in &mut children {
            let number = &mut numbers[*next as usize];
            if *number == DEAD {
                *number = u32::try_from(order.len()).expect("states fit 32 bits");
                order.push(*next);
            }
            *next = *number;
        }
        numbered.push((label, children));
    }
    numbered
}

/// A class for all bytes that lead from the same states to the same states, numbered by their first byte; and how many there are.
fn classes_of_columns(states: &[(u32, Children)]) -> (Box<[u8; 256]>, usize) {
    let (mut hashes, mut used) = ([0_u64; 256], [false; 256]);
    for ((_, children), state) in states.iter().zip(0_u64..) {
        for (byte, next) in children {
            used[usize::from(*byte)] = true;
            let hash = &mut hashes[usize::from(*byte)];
            *hash = (*hash ^ (state << 32 | u64::from(*next)))
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(23);
        }
    }
    let column = |byte: u8| {
        let of_byte = move |(_, children): &(u32, Children)| {
            children.iter().find(|(own, _)| *own == byte).map(|(_, next)| *next)
        };
        states.iter().map(of_byte)
    };
    let is_same = |one: u8, other: u8| {
        hashes[usize::from(one)] == hashes[usize::from(other)] && column(one).eq(column(other))
    };
    let mut firsts: Vec<u8> = Vec::new();
    let mut classes = Box::new([0; 256]);
    // Bytes in no word are many, and need no look.
    let mut unused = None;
    for byte in 0..=u8::MAX {
        let is_used = used[usize::from(byte)];
        let known = if is_used { firsts.iter().position(|first| is_same(*first, byte)) } else { unused };
        let class = known.unwrap_or_else(|| {
            firsts.push(byte);
            firsts.len() - 1
        });
        if !is_used {
            unused = Some(class);
        }
        classes[usize::from(byte)] = u8::try_from(class).expect("at most 256 classes");
    }
    (classes, firsts.len())
}
