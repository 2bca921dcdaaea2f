//! A syntax tree as a nondeterministic automaton over characters.

use std::str;

use foldhash::{HashMap, HashMapExt};
use regex_syntax::hir::{Class, Hir, HirKind, Literal, Look, Repetition};

use super::alphabet::{Range, SetId, Sets};
use super::ast::Node;
use super::class;
use super::lower::lower;
use crate::limits::LimitExceeded;
use crate::recursion;
use crate::regular::build::too_many;

pub(super) type StepId = u32;

/// What may be done next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A character of a set is read.
    Read(SetId, StepId),
    /// Nothing is read: either goes on.
    Either(StepId, StepId),
    /// Nothing is read, where the place is right.
    Look(Look, StepId),
    /// Nothing is read, where the rest of the text begins, or does not begin, with what is matched from
    /// `body` on.
    Ahead { body: StepId, negative: bool, then: StepId },
    /// Nothing is read, where what is looked for behind just ended, or did not.
    Behind { index: usize, negative: bool, then: StepId },
    /// What is looked for behind ends.
    Ended,
    /// A match is complete.
    Match,
}

pub(super) struct Nfa {
    pub(super) steps: Vec<Step>,
    pub(super) start: StepId,
    pub(super) sets: Sets,
    /// Whether anything is asked of the characters around a place but whether there are any.
    pub(super) looks_around: bool,
    /// Where each thing that is looked for behind begins. What is within another one comes before it.
    pub(super) behind: Vec<StepId>,
    /// By how deep repetitions nest, which steps are the same of some copy.
    pub(super) copies: Vec<Copies>,
}

/// Steps that were added several times, as a repetition asks for so many copies.
///
/// In `x{0,9}`, whatever may follow a step with seven copies left may also follow it with eight left; in
/// `x{9,}` it is the other way about. So a set of steps keeps only the *furthest* copy of each, which stands
/// for the others, and need not record all places where a match may have begun:
/// `[a-zA-Z][a-zA-Z0-9_]{0,99}-[a-zA-Z0-9]{10}` has 171 states, where the sets of all places were more than
/// 100,000. Of the 5,781 patterns of MaskBench and of 45 published packages ten compile that exceeded the
/// limit, and those that may begin in many places or count twice take a half to a four-hundredth of the time
/// (all of them 0.94, mean and p99).
#[derive(Default)]
pub(super) struct Copies {
    /// For each step one that it is a copy of, and how much further it is than others.
    originals: Vec<Option<(StepId, u32)>>,
}

impl Copies {
    /// The step that one is a copy of, and its rank among the copies.
    pub(super) fn original(&self, step: StepId) -> Option<(StepId, u32)> {
        self.originals.get(step as usize).copied().flatten()
    }

    /// Whether both are copies of the same step, and the first is the further one.
    pub(super) fn is_further(&self, one: StepId, other: StepId) -> bool {
        let copies = self.original(one).zip(self.original(other));
        copies.is_some_and(|((one, rank), (other, behind))| one == other && rank > behind)
    }
}

/// Which of some copies is the furthest, in the order in which they were added: what is read first is added
/// last.
#[derive(Clone, Copy)]
enum Furthest {
    First,
    Last,
}

/// The first step: a match of the whole pattern is complete.
const MATCH: StepId = 0;

impl Nfa {
    /// # Errors
    ///
    /// When it needs more than `limit` steps.
    pub(super) fn new(hir: &Hir, limit: usize) -> Result<Self, LimitExceeded> {
        let mut builder = Builder::new(limit);
        let start = builder.add(hir, MATCH)?;
        let looks = hir.properties().look_set().iter();
        let looks_around = looks.into_iter().any(|look| !matches!(look, Look::Start | Look::End));
        Ok(builder.into_nfa(start, looks_around))
    }

    /// Of the texts in which `node`, which looks around, has a match.
    ///
    /// # Errors
    ///
    /// When it needs more than `limit` steps.
    pub(super) fn looking_around(node: &Node, limit: usize) -> Result<Self, LimitExceeded> {
        let mut builder = Builder::new(limit);
        let mut start = builder.add_node(node, MATCH)?;
        if !node.begins_at_start() {
            start = builder.add(&class::any_text(), start)?;
        }
        Ok(builder.into_nfa(start, node.looks_at_words()))
    }
}

/// Adds what comes first last: each part is told where it leads.
struct Builder {
    steps: Vec<Step>,
    sets: Sets,
    behind: Vec<StepId>,
    /// What is looked for, by the node: where it begins ahead, and its index behind. A repetition adds a node
    /// many times, but what its matches owe is the same.
    ahead: HashMap<*const Node, StepId>,
    indexes: HashMap<*const Node, usize>,
    copies: Vec<Copies>,
    /// The repetitions around what is added.
    depth: usize,
    limit: usize,
}

type Built = Result<StepId, LimitExceeded>;

impl Builder {
    fn new(limit: usize) -> Self {
        Self {
            steps: vec![Step::Match],
            sets: Sets::default(),
            behind: Vec::new(),
            ahead: HashMap::new(),
            indexes: HashMap::new(),
            copies: Vec::new(),
            depth: 0,
            limit,
        }
    }

    fn into_nfa(mut self, start: StepId, looks_around: bool) -> Nfa {
        if looks_around {
            let word = [('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
            self.sets.intern(word.map(|(low, high)| (low.into(), high.into())));
            self.sets.intern([('\n'.into(), '\n'.into())]);
            self.sets.intern([('\r'.into(), '\r'.into())]);
        }
        let Self { steps, sets, behind, copies, .. } = self;
        Nfa { steps, start, sets, looks_around, behind, copies }
    }

    fn push(&mut self, step: Step) -> Built {
        if self.steps.len() >= self.limit {
            return Err(too_many(self.limit));
        }
        self.steps.push(step);
        Ok(StepId::try_from(self.steps.len() - 1).expect("fewer steps than memory has"))
    }

    fn add(&mut self, hir: &Hir, next: StepId) -> Built {
        match hir.kind() {
            HirKind::Empty => Ok(next),
            HirKind::Literal(literal) => self.text(text(literal), next),
            HirKind::Class(class) => {
                let set = self.sets.intern(ranges(class));
                self.push(Step::Read(set, next))
            }
            HirKind::Look(look) => self.push(Step::Look(*look, next)),
            HirKind::Repetition(repetition) => self.repetition(repetition, next),
            HirKind::Capture(capture) => self.add(&capture.sub, next),
            HirKind::Concat(parts) => parts.iter().rev().try_fold(next, |next, part| self.add(part, next)),
            HirKind::Alternation(options) => match options.iter().map(word).collect::<Option<Vec<_>>>() {
                Some(mut words) => {
                    words.sort_unstable();
                    words.dedup();
                    self.words(&words, next)
                }
                None => {
                    let options = options.iter().map(|option| self.add(option, next)).collect();
                    self.either(options)
                }
            },
        }
    }

    fn either(&mut self, options: Result<Vec<StepId>, LimitExceeded>) -> Built {
        let options = options?;
        let (last, others) = options.split_last().expect("an alternation has options");
        others.iter().rev().try_fold(*last, |others, option| self.push(Step::Either(*option, others)))
    }

    /// One of several words, sorted, with common beginnings shared: otherwise every state of an unanchored
    /// search would stand for all of them.
    fn words(&mut self, words: &[&str], next: StepId) -> Built {
        let options = words.chunk_by(|one, other| one.chars().next() == other.chars().next()).map(|words| {
            let [first, .., last] = *words else { return self.text(words[0], next) };
            let is_shared = |(one, other): &((usize, char), char)| one.1 == *other;
            let shared = first.char_indices().zip(last.chars()).take_while(is_shared).last();
            let shared = shared.map_or(0, |((start, char), _)| start + char.len_utf8());
            let rests: Vec<&str> = words.iter().map(|word| &word[shared..]).collect();
            // As deep as a word has beginnings that are words.
            let rests = recursion::one_level(|| self.words(&rests, next))?;
            self.text(&first[..shared], rests)
        });
        let options = options.collect();
        self.either(options)
    }

    fn text(&mut self, text: &str, next: StepId) -> Built {
        text.chars().rev().try_fold(next, |next, char| {
            let set = self.sets.intern([(char.into(), char.into())]);
            self.push(Step::Read(set, next))
        })
    }

    fn repetition(&mut self, Repetition { min, max, sub, .. }: &Repetition, next: StepId) -> Built {
        self.repeat(*min, *max, next, |builder, next| builder.add(sub, next))
    }

    fn repeat(
        &mut self,
        min: u32,
        max: Option<u32>,
        next: StepId,
        add: impl Fn(&mut Self, StepId) -> Built,
    ) -> Built {
        self.depth += 1;
        let (first, left) = match max {
            Some(max) => (self.at_most(max.saturating_sub(min), next, &add)?, min),
            None => (self.at_least(min, next, &add)?, 0),
        };
        self.depth -= 1;
        self.copies_before(first, left, &add)
    }

    /// So many copies one before the other; one where a copy adds nothing, as four billion may be asked for.
    fn copies_before(
        &mut self,
        mut first: StepId,
        count: u32,
        add: &impl Fn(&mut Self, StepId) -> Built,
    ) -> Built {
        for _ in 0..count {
            let copy = add(self, first)?;
            if copy == first {
                break;
            }
            first = copy;
        }
        Ok(first)
    }

    fn at_most(&mut self, max: u32, next: StepId, add: &impl Fn(&mut Self, StepId) -> Built) -> Built {
        let (mut first, mut ends) = (next, vec![self.steps.len()]);
        for _ in 0..max {
            let once_more = add(self, first)?;
            first = self.push(Step::Either(once_more, next))?;
            ends.push(self.steps.len());
        }
        self.note_copies(&ends, Furthest::Last);
        Ok(first)
    }

    fn at_least(&mut self, min: u32, next: StepId, add: &impl Fn(&mut Self, StepId) -> Built) -> Built {
        let again = self.push(Step::Either(next, next))?;
        let mut ends = vec![self.steps.len()];
        let mut first = add(self, again)?;
        self.steps[again as usize] = Step::Either(first, next);
        ends.push(self.steps.len());
        // Where it comes at least once, it may as well be that one.
        for _ in 1..min {
            let copy = add(self, first)?;
            if copy == first {
                break;
            }
            first = copy;
            ends.push(self.steps.len());
        }
        self.note_copies(&ends, Furthest::First);
        Ok(if min == 0 { again } else { first })
    }

    /// Notes that what was added from each of the `ends` to the next one is the same, if it is: what is
    /// looked for is added only once.
    fn note_copies(&mut self, ends: &[usize], furthest: Furthest) {
        let lens: Vec<usize> = ends.windows(2).map(|ends| ends[1] - ends[0]).collect();
        if lens.len() < 2 || lens.iter().any(|len| *len != lens[0]) {
            return;
        }
        self.copies.resize_with(self.copies.len().max(self.depth), Copies::default);
        let originals = &mut self.copies[self.depth - 1].originals;
        originals.resize(self.steps.len(), None);
        for (copy, start) in (0..).zip(&ends[..lens.len()]) {
            let rank = match furthest {
                Furthest::Last => copy,
                Furthest::First => u32::MAX - copy,
            };
            for (step, original) in originals[*start..start + lens[0]].iter_mut().zip(ends[0]..) {
                *step = Some((StepId::try_from(original).expect("fewer steps than memory has"), rank));
            }
        }
    }

    fn add_node(&mut self, node: &Node, next: StepId) -> Built {
        match node {
            node if !node.looks_around() => self.add(&lower(node), next),
            Node::Sequence(nodes) => {
                nodes.iter().rev().try_fold(next, |next, node| self.add_node(node, next))
            }
            Node::Choice(nodes) => {
                let options = nodes.iter().map(|node| self.add_node(node, next)).collect();
                self.either(options)
            }
            Node::Repeat { node, min, max } => {
                self.repeat(*min, *max, next, |builder, next| builder.add_node(node, next))
            }
            Node::Around { node, is_behind: true, negative } => self.add_behind(node, *negative, next),
            Node::Around { node, is_behind: false, negative } => self.add_ahead(node, *negative, next),
            Node::Char(_) | Node::Set(_) | Node::Assertion(_) => unreachable!("it does not look around"),
        }
    }

    fn add_ahead(&mut self, node: &Node, negative: bool, then: StepId) -> Built {
        let body = match self.ahead.get(&std::ptr::from_ref(node)) {
            Some(body) => *body,
            None => {
                let end = self.push(Step::Match)?;
                self.add_node(node, end)?
            }
        };
        self.ahead.insert(node, body);
        self.push(Step::Ahead { body, negative, then })
    }

    fn add_behind(&mut self, node: &Node, negative: bool, then: StepId) -> Built {
        let index = match self.indexes.get(&std::ptr::from_ref(node)) {
            Some(index) => *index,
            None => {
                let end = self.push(Step::Ended)?;
                let start = self.add_node(node, end)?;
                self.behind.push(start);
                self.behind.len() - 1
            }
        };
        self.indexes.insert(node, index);
        self.push(Step::Behind { index, negative, then })
    }
}

fn text(literal: &Literal) -> &str {
    str::from_utf8(&literal.0).expect("patterns match texts only")
}

/// The one word that there is.
fn word(hir: &Hir) -> Option<&str> {
    match hir.kind() {
        HirKind::Literal(literal) => Some(text(literal)),
        _ => None,
    }
}

fn ranges(class: &Class) -> Vec<Range> {
    match class {
        Class::Unicode(class) => {
            class.iter().map(|range| (range.start().into(), range.end().into())).collect()
        }
        Class::Bytes(class) => class.iter().map(|range| (range.start().into(), range.end().into())).collect(),
    }
}
