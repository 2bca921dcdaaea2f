//! Boolean algebra of languages, by products of automata.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

use super::build::{check_members, too_many};
use super::dfa::{DEAD, Dfa, NO_LABEL};
use super::minimize::Raw;
use crate::limits::LimitExceeded;

/// Which pairs of verdicts make a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    And,
    Or,
    AndNot,
}

impl Operation {
    /// The label of a word of both, one or none.
    fn label(self, left: Option<u32>, right: Option<u32>) -> Option<u32> {
        match self {
            Self::And => right.and(left),
            Self::Or => left.or(right),
            Self::AndNot => left.filter(|_| right.is_none()),
        }
    }

    /// Whether words may still come when one side has ended.
    fn is_live(self, left: u32, right: u32) -> bool {
        match self {
            Self::And => left != DEAD && right != DEAD,
            Self::Or => left != DEAD || right != DEAD,
            Self::AndNot => left != DEAD,
        }
    }
}

/// Which words were met while two automata were read together. Where one language holds the other, or they
/// have no word in common, their product is one of them, or nothing, and needs no merging.
#[derive(Default)]
struct Overlap {
    left_only: bool,
    right_only: bool,
    both: bool,
    /// Some word has another label on the left than on the right.
    unlike: bool,
}

impl Overlap {
    /// Meets a word of one or both, if it is one.
    fn meet(&mut self, left: Option<u32>, right: Option<u32>) {
        match (left, right) {
            (None, None) => {}
            (Some(_), None) => self.left_only = true,
            (None, Some(_)) => self.right_only = true,
            (Some(left), Some(right)) => {
                self.both = true;
                self.unlike |= left != right;
            }
        }
    }
}

impl Dfa {
    /// The words of both, labelled as here.
    ///
    /// # Errors
    ///
    /// When more than `limit` states are reached.
    pub fn intersection(&self, other: &Self, limit: usize) -> Result<Self, LimitExceeded> {
        let (raw, overlap) = self.pairs(other, Operation::And, limit)?;
        Ok(match overlap {
            Overlap { both: false, .. } => Self::empty(),
            Overlap { left_only: false, .. } => self.clone(),
            Overlap { right_only: false, unlike: false, .. } => other.clone(),
            _ => raw.finish(),
        })
    }

    /// The words of either, labelled as here where both have one.
    ///
    /// # Errors
    ///
    /// When more than `limit` states are reached.
    pub fn union(&self, other: &Self, limit: usize) -> Result<Self, LimitExceeded> {
        let (raw, overlap) = self.pairs(other, Operation::Or, limit)?;
        Ok(match overlap {
            Overlap { right_only: false, .. } => self.clone(),
            Overlap { left_only: false, unlike: false, .. } => other.clone(),
            _ => raw.finish(),
        })
    }

    /// The words of this one that are not words of the other.
    ///
    /// # Errors
    ///
    /// When more than `limit` states are reached.
    pub fn difference(&self, other: &Self, limit: usize) -> Result<Self, LimitExceeded> {
        if other.is_empty() {
            return Ok(self.clone());
        }
        let (raw, overlap) = self.pairs(other, Operation::AndNot, limit)?;
        // The residual languages of the language of all texts are infinite and differ pairwise in infinitely
        // many words. So taking a finite language away leaves every state live and no two equivalent: the
        // product is minimal already.
        let is_text = || Arc::ptr_eq(&self.table, &Self::text().table);
        Ok(match overlap {
            Overlap { left_only: false, .. } => Self::empty(),
            Overlap { both: false, .. } => self.clone(),
            _ if is_text() && other.count().is_some() => raw.finish_minimal(),
            _ => raw.finish(),
        })
    }

    /// The texts that are not words.
    ///
    /// # Errors
    ///
    /// When more than `limit` states are reached.
    ///
    /// ```
    /// use harmony_mask::regular::Dfa;
    ///
    /// let not_a = Dfa::words([("a", 0)], 10)?.complement(100)?;
    /// assert!(not_a.contains("ä".as_bytes()) && !not_a.contains(b"a") && !not_a.contains(b"\xff"));
    /// # Ok::<(), harmony_mask::LimitExceeded>(())
    /// ```
    pub fn complement(&self, limit: usize) -> Result<Self, LimitExceeded> {
        Self::text().difference(self, limit)
    }

    /// Whether every word is one of the other.
    ///
    /// # Errors
    ///
    /// When more than `limit` states are reached.
    pub fn is_subset(&self, other: &Self, limit: usize) -> Result<bool, LimitExceeded> {
        let (_, overlap) = self.pairs(other, Operation::AndNot, limit)?;
        Ok(!overlap.left_only)
    }

    /// The words of this one followed by words of the other. Labels are forgotten.
    ///
    /// # Errors
    ///
    /// When more than `limit` states are reached, or many of them are many places in second words.
    pub fn concatenation(&self, other: &Self, limit: usize) -> Result<Self, LimitExceeded> {
        if self.is_empty() || other.is_empty() {
            return Ok(Self::empty());
        }
        let (classes, pairs) = self.common_classes(other);
        // The place in a first word, and the places in second words, of which a new one begins wherever the
        // first may end.
        let begin = |left: u32, mut rights: Vec<u32>| {
            rights.extend(self.label_or_dead(left).map(|_| other.start()));
            rights.sort_unstable();
            rights.dedup();
            (left, rights)
        };
        let start = begin(self.start(), Vec::new());
        let mut numbers = HashMap::new();
        numbers.insert(start.clone(), 0);
        let mut states = vec![start];
        let mut table = Vec::new();
        let (mut at, mut members) = (0, 0);
        while let Some((left, rights)) = states.get(at).cloned() {
            at += 1;
            members += rights.len();
            check_members(members, limit)?;
            for (left_class, right_class) in &pairs {
                let rights = rights.iter().map(|right| other.target(*right, *right_class));
                let next =
                    begin(self.target(left, *left_class), rights.filter(|right| *right != DEAD).collect());
                if next.0 == DEAD && next.1.is_empty() {
                    table.push(DEAD);
                    continue;
                }
                let fresh = u32::try_from(states.len()).map_err(|_| too_many(limit))?;
                table.push(*numbers.entry(next).or_insert_with_key(|next| {
                    states.push(next.clone());
                    fresh
                }));
            }
            if states.len() > limit {
                return Err(too_many(limit));
            }
        }
        let is_word =
            |(_, rights): &(u32, Vec<u32>)| rights.iter().any(|right| other.label(*right).is_some());
        let labels = states.iter().map(|state| if is_word(state) { 0 } else { NO_LABEL }).collect();
        Ok(Raw { classes, width: pairs.len(), table, labels, start: 0 }.finish())
    }

    /// The automaton of the pairs of states that are reached together, and which words were met on the way.
    fn pairs(
        &self,
        other: &Self,
        operation: Operation,
        limit: usize,
    ) -> Result<(Raw, Overlap), LimitExceeded> {
        let (classes, pairs) = self.common_classes(other);
        let mut numbers = PairNumbers::new(self.states(), other.states());
        *numbers.of((0, 0)) = 0;
        let mut states = vec![(0, 0)];
        let mut table = Vec::new();
        let mut overlap = Overlap::default();
        let mut at = 0;
        while let Some((left, right)) = states.get(at).copied() {
            at += 1;
            for (left_class, right_class) in &pairs {
                let next = (self.target(left, *left_class), other.target(right, *right_class));
                overlap.left_only |= next.0 != DEAD && next.1 == DEAD;
                overlap.right_only |= next.0 == DEAD && next.1 != DEAD;
                if !operation.is_live(next.0, next.1) {
                    table.push(DEAD);
                    continue;
                }
                let number = numbers.of(next);
                if *number == DEAD {
                    *number = u32::try_from(states.len()).map_err(|_| too_many(limit))?;
                    states.push(next);
                }
                table.push(*number);
            }
            if states.len() > limit {
                return Err(too_many(limit));
            }
        }
        let mut label = |(left, right): &(u32, u32)| {
            let (left, right) = (self.label_or_dead(*left), other.label_or_dead(*right));
            overlap.meet(left, right);
            operation.label(left, right).unwrap_or(NO_LABEL)
        };
        let labels = states.iter().map(&mut label).collect();
        Ok((Raw { classes, width: pairs.len(), table, labels, start: 0 }, overlap))
    }

    fn target(&self, state: u32, class: u8) -> u32 {
        if state == DEAD { DEAD } else { self.table[state as usize * self.width + usize::from(class)] }
    }

    fn label_or_dead(&self, state: u32) -> Option<u32> {
        if state == DEAD { None } else { self.label(state) }
    }

    /// Classes that neither automaton tells apart, and the classes that each is made of.
    fn common_classes(&self, other: &Self) -> (Box<[u8; 256]>, Vec<(u8, u8)>) {
        let mut pairs = Vec::new();
        let mut known = vec![None; self.width * other.width];
        let mut classes = Box::new([0; 256]);
        for (byte, class) in classes.iter_mut().enumerate() {
            let pair = (self.classes[byte], other.classes[byte]);
            *class =
                *known[usize::from(pair.0) * other.width + usize::from(pair.1)].get_or_insert_with(|| {
                    pairs.push(pair);
                    u8::try_from(pairs.len() - 1).expect("at most 256 classes")
                });
        }
        (classes, pairs)
    }
}

/// Numbers of pairs of states, [`DEAD`] where a pair has none yet.
struct PairNumbers {
    /// One more than the states on the right.
    width: usize,
    /// A number for each pair, unless they are too many.
    table: Vec<u32>,
    others: HashMap<(u32, u32), u32>,
}

impl PairNumbers {
    /// More pairs than this are looked up by hash: most products reach few of their pairs.
    const MOST: usize = 1 << 15;

    fn new(left: usize, right: usize) -> Self {
        let (width, pairs) = (right + 1, (left + 1) * (right + 1));
        let table = if pairs <= Self::MOST { vec![DEAD; pairs] } else { Vec::new() };
        Self { width, table, others: HashMap::new() }
    }

    fn of(&mut self, (left, right): (u32, u32)) -> &mut u32 {
        if self.table.is_empty() {
            return self.others.entry((left, right)).or_insert(DEAD);
        }
        // The state that is none is state 0 of the table.
        &mut self.table[left.wrapping_add(1) as usize * self.width + right.wrapping_add(1) as usize]
    }
}
