//! Sets of threads, and what they owe.

use std::cell::Cell;
use std::rc::Rc;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::super::alphabet::{Alphabet, Atom};
use super::super::determinize::holds;
use super::super::nfa::{Copies, Nfa, Step, StepId};
use crate::limits::LimitExceeded;
use crate::regular::build::too_many;

/// How many threads may be followed, for each state that the limit allows. The worst patterns end after a
/// second.
const THREADS_PER_STATE: usize = 48;

/// How often two threads, or two things that they owe, may be compared, for each state that the limit allows:
/// threads that owe different things at one step are compared pairwise, and 51 bytes of pattern went on for more
/// than 100 s where they end after 0.2.
const COMPARISONS_PER_STATE: usize = 1_000;

/// Things owed that are copied and hashed for the price of following a thread.
const DUTIES_PER_THREAD: usize = 4;

/// A thread that is kept counts as so many that are followed, as it takes memory.
const KEPT: usize = 4;

/// What a set of threads takes beside them, in threads.
const SET: usize = 4;

/// A set of threads, by its number: what is owed is the same for many threads, and is followed once.
pub(super) type ThreadsId = u32;

/// The set without a thread.
pub(super) const NONE: ThreadsId = 0;

/// That the rest of the text begins, or does not begin, with what these threads match.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Duty {
    negative: bool,
    threads: ThreadsId,
}

/// Sorted, each once.
type Duties = Rc<[Duty]>;

/// A step to take, and what is owed for those that were taken.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Thread {
    step: StepId,
    duties: Duties,
}

/// A place between two characters, of which words and others are told apart.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) before: Option<char>,
    pub(super) next: Option<char>,
    /// Whether a match of each thing that is looked for behind ends here.
    pub(super) ended: Vec<bool>,
}

/// The sets of threads of a pattern, and what is known of each.
pub(super) struct Threads<'n> {
    nfa: &'n Nfa,
    pub(super) alphabet: Alphabet,
    numbers: HashMap<Rc<[Thread]>, ThreadsId>,
    sets: Vec<Rc<[Thread]>>,
    /// Of what is owed the threads that stand at a place, before the next character is read.
    standing: HashMap<(ThreadsId, Place), ThreadsId>,
    /// What becomes of those with a character.
    read: HashMap<(ThreadsId, Atom), ThreadsId>,
    followed: usize,
    compared: Cell<usize>,
    limit: usize,
}

type Found<T> = Result<T, LimitExceeded>;

impl<'n> Threads<'n> {
    pub(super) fn new(nfa: &'n Nfa, limit: usize) -> Found<Self> {
        let none: Rc<[Thread]> = Rc::from([]);
        Ok(Self {
            nfa,
            alphabet: Alphabet::new(&nfa.sets, limit)?,
            numbers: HashMap::from_iter([(none.clone(), NONE)]),
            sets: vec![none],
            standing: HashMap::new(),
            read: HashMap::new(),
            followed: 0,
            compared: Cell::new(0),
            limit,
        })
    }

    /// One thread that begins here.
    pub(super) fn beginning(&mut self, step: StepId) -> Found<ThreadsId> {
        self.and_beginning(NONE, step)
    }

    /// Some threads, and one that begins here.
    pub(super) fn and_beginning(&mut self, threads: ThreadsId, step: StepId) -> Found<ThreadsId> {
        let mut threads = self.sets[threads as usize].to_vec();
        threads.push(Thread { step, duties: Rc::from([]) });
        self.number(threads)
    }

    /// Whether any text may follow.
    pub(super) fn has_match(&self, threads: ThreadsId) -> bool {
        self.has(threads, Step::Match)
    }

    /// Whether what is looked for behind ends here.
    pub(super) fn has_ended(&self, threads: ThreadsId) -> bool {
        self.has(threads, Step::Ended)
    }

    /// Whether a thread that owes nothing has got to such a step.
    fn has(&self, threads: ThreadsId, step: Step) -> bool {
        let mut threads = self.sets[threads as usize].iter();
        threads.any(|thread| thread.duties.is_empty() && self.step(thread) == step)
    }

    /// Whether standing threads match where the text ends.
    pub(super) fn match_at_end(&self, threads: ThreadsId) -> bool {
        let is_paid = |duty: &Duty| self.match_at_end(duty.threads) != duty.negative;
        let mut threads = self.sets[threads as usize].iter();
        threads.any(|thread| self.step(thread) == Step::Match && thread.duties.iter().all(is_paid))
    }

    /// Follows threads at a place up to what reads a character.
    pub(super) fn stand(&mut self, threads: ThreadsId, place: &Place) -> Found<ThreadsId> {
        self.follow(place.ended.len())?;
        let begun = self.sets[threads as usize].to_vec();
        let mut pending = self.pay_all(begun, |threads, owed| threads.stand_owed(owed, place))?;
        let (mut reached, mut standing) = (HashSet::new(), Vec::new());
        while let Some(thread) = pending.pop() {
            if reached.insert(thread.clone()) {
                match self.step(&thread) {
                    Step::Read(..) | Step::Match | Step::Ended => standing.push(thread),
                    step => self.pass(step, thread.duties, place, &mut pending)?,
                }
            }
        }
        self.number(standing)
    }

    /// The same of what is owed, remembered, since many states owe the same.
    fn stand_owed(&mut self, threads: ThreadsId, place: &Place) -> Found<ThreadsId> {
        let key = (threads, place.clone());
        if let Some(known) = self.standing.get(&key) {
            return Ok(*known);
        }
        let standing = self.stand(threads, place)?;
        self.standing.insert(key, standing);
        Ok(standing)
    }

    /// Takes a step that reads nothing.
    fn pass(&mut self, step: Step, duties: Duties, place: &Place, pending: &mut Vec<Thread>) -> Found<()> {
        self.follow(1 + duties.len() / DUTIES_PER_THREAD)?;
        match step {
            Step::Either(one, other) => {
                pending.push(Thread { step: one, duties: duties.clone() });
                pending.push(Thread { step: other, duties });
            }
            Step::Look(look, step) if holds(look, place.before, place.next) => {
                pending.push(Thread { step, duties });
            }
            Step::Behind { index, negative, then } if place.ended[index] != negative => {
                pending.push(Thread { step: then, duties });
            }
            Step::Ahead { body, negative, then } => {
                let begun = self.beginning(body)?;
                let duty = Duty { negative, threads: self.stand_owed(begun, place)? };
                let duties = match self.is_paid(duty) {
                    Some(true) => duties,
                    Some(false) => return Ok(()),
                    None => sorted(duties.iter().copied().chain([duty]).collect()),
                };
                pending.push(Thread { step: then, duties });
            }
            _ => {}
        }
        Ok(())
    }

    /// What becomes of standing threads with a character.
    pub(super) fn read(&mut self, threads: ThreadsId, atom: Atom) -> Found<ThreadsId> {
        let after = self.sets[threads as usize].iter().filter_map(|thread| {
            let step = match self.step(thread) {
                Step::Read(set, then) => self.alphabet.members(set).contains(&atom).then_some(then)?,
                Step::Match => thread.step,
                _ => return None,
            };
            Some(Thread { step, duties: thread.duties.clone() })
        });
        let after = after.collect();
        let after = self.pay_all(after, |threads, owed| threads.read_owed(owed, atom))?;
        self.number(after)
    }

    /// The same of what is owed, remembered.
    fn read_owed(&mut self, threads: ThreadsId, atom: Atom) -> Found<ThreadsId> {
        if let Some(known) = self.read.get(&(threads, atom)) {
            return Ok(*known);
        }
        let after = self.read(threads, atom)?;
        self.read.insert((threads, atom), after);
        Ok(after)
    }

    /// The threads after more of the text is known, but those that can no longer pay.
    fn pay_all(
        &mut self,
        threads: Vec<Thread>,
        go_on: impl Fn(&mut Self, ThreadsId) -> Found<ThreadsId>,
    ) -> Found<Vec<Thread>> {
        self.follow(threads.len())?;
        // Most threads owe the same.
        let mut owed = HashMap::new();
        let mut left = Vec::with_capacity(threads.len());
        for Thread { step, duties } in threads {
            let duties = match owed.get(&duties) {
                _ if duties.is_empty() => Some(duties),
                Some(known) => Option::clone(known),
                None => {
                    let after = self.pay(&duties, &go_on)?;
                    owed.insert(duties, after.clone());
                    after
                }
            };
            left.extend(duties.map(|duties| Thread { step, duties }));
        }
        Ok(left)
    }

    /// What is still owed after more of the text is known; `None` where it cannot be paid.
    fn pay(
        &mut self,
        duties: &Duties,
        go_on: &impl Fn(&mut Self, ThreadsId) -> Found<ThreadsId>,
    ) -> Found<Option<Duties>> {
        self.follow(duties.len())?;
        let mut owed = Vec::with_capacity(duties.len());
        for duty in &**duties {
            let duty = Duty { threads: go_on(self, duty.threads)?, ..*duty };
            match self.is_paid(duty) {
                Some(true) => {}
                Some(false) => return Ok(None),
                None => owed.push(duty),
            }
        }
        Ok(Some(sorted(owed)))
    }

    /// Whether something is paid, or can no longer be paid, whatever follows.
    fn is_paid(&self, duty: Duty) -> Option<bool> {
        let is_match = self.has_match(duty.threads);
        (is_match || duty.threads == NONE).then_some(is_match != duty.negative)
    }

    fn number(&mut self, mut threads: Vec<Thread>) -> Found<ThreadsId> {
        threads.sort_unstable();
        threads.dedup();
        self.keep_furthest(&mut threads);
        self.drop_implied(&mut threads)?;
        if let Some(known) = self.numbers.get(threads.as_slice()) {
            return Ok(*known);
        }
        self.follow(KEPT * (SET + threads.len()))?;
        let number = ThreadsId::try_from(self.sets.len()).map_err(|_| too_many(self.limit))?;
        let threads: Rc<[Thread]> = threads.into();
        self.sets.push(threads.clone());
        self.numbers.insert(threads, number);
        Ok(number)
    }

    /// Of threads that owe the same, at copies of the same step, keeps the furthest.
    fn keep_furthest(&self, threads: &mut Vec<Thread>) {
        for copies in &self.nfa.copies {
            let mut furthest: HashMap<(StepId, Duties), u32> = HashMap::new();
            for thread in &*threads {
                if let Some((original, rank)) = copies.original(thread.step) {
                    let known = furthest.entry((original, thread.duties.clone())).or_default();
                    *known = rank.max(*known);
                }
            }
            threads.retain(|thread| {
                let is_furthest = |(original, rank)| furthest[&(original, thread.duties.clone())] == rank;
                copies.original(thread.step).is_none_or(is_furthest)
            });
        }
    }

    /// Drops each thread beside which another one matches with it always, and owes no more: one at the same
    /// step, or after a match.
    fn drop_implied(&self, threads: &mut Vec<Thread>) -> Found<()> {
        let matched = threads.iter().filter(|thread| self.step(thread) == Step::Match);
        let matched: Vec<Thread> = matched.cloned().collect();
        if matched.is_empty() && threads.iter().all(|thread| thread.duties.is_empty()) {
            return Ok(());
        }
        let mut kept = Vec::with_capacity(threads.len());
        for at_a_step in threads.chunk_by(|one, other| one.step == other.step) {
            for thread in at_a_step {
                if !self.is_implied(thread, at_a_step.iter().chain(&matched))? {
                    kept.push(thread.clone());
                }
            }
        }
        *threads = kept;
        Ok(())
    }

    /// Whether one of some threads matches wherever this one does. Of two that imply each other the first one
    /// stays.
    fn is_implied<'t>(&self, thread: &Thread, mut others: impl Iterator<Item = &'t Thread>) -> Found<bool> {
        let implies = |other: &Thread| {
            other != thread
                && self.owes_no_more(other, thread)
                && (other < thread || !self.owes_no_more(thread, other))
        };
        let is_implied = others.any(|other| self.has_compared_too_often() || implies(other));
        if self.has_compared_too_often() { Err(too_many(self.limit)) } else { Ok(is_implied) }
    }

    /// Whether a thread pays whatever it owes where another one does.
    fn owes_no_more(&self, one: &Thread, other: &Thread) -> bool {
        self.compare();
        let is_paid_with = |duty: &Duty, other: &Duty| {
            self.compare();
            match duty.negative {
                negative if negative != other.negative => false,
                true => self.include(other.threads, duty.threads),
                false => self.include(duty.threads, other.threads),
            }
        };
        one.duties.iter().all(|duty| other.duties.iter().any(|other| is_paid_with(duty, other)))
    }

    /// Whether some threads plainly match wherever others do.
    fn include(&self, some: ThreadsId, others: ThreadsId) -> bool {
        let [some, others] = [some, others].map(|threads| &*self.sets[threads as usize]);
        std::ptr::eq(some, others)
            || others.iter().all(|other| some.iter().any(|one| self.is_no_nearer(one, other)))
    }

    /// Whether a thread is where another one is, or further, and owes the same.
    fn is_no_nearer(&self, one: &Thread, other: &Thread) -> bool {
        self.compare();
        let is_further = |copies: &Copies| copies.is_further(one.step, other.step);
        one.duties == other.duties && (one.step == other.step || self.nfa.copies.iter().any(is_further))
    }

    fn step(&self, thread: &Thread) -> Step {
        self.nfa.steps[thread.step as usize]
    }

    fn compare(&self) {
        self.compared.set(self.compared.get() + 1);
    }

    fn has_compared_too_often(&self) -> bool {
        self.compared.get() > self.limit.saturating_mul(COMPARISONS_PER_STATE)
    }

    fn follow(&mut self, threads: usize) -> Found<()> {
        self.followed += threads;
        let is_enough = self.followed > self.limit.saturating_mul(THREADS_PER_STATE);
        if is_enough { Err(too_many(self.limit)) } else { Ok(()) }
    }
}

fn sorted(mut duties: Vec<Duty>) -> Duties {
    duties.sort_unstable();
    duties.dedup();
    duties.into()
}
