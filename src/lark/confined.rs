//! Grammars whose texts are confined to a regular language: those that spell no special token.
//!
//! Each terminal is confined when it is compiled, which loses nothing: what a terminal reads is a part of the
//! text. What remains are texts that spell a special token across terminals (`"<|" "end" "|>"`). Excluding
//! them would take a copy of each rule for each pair of states in which it may begin and end. So they are
//! only looked for, by a walk over the pairs that occur, and a grammar that has one is refused. Of `%json`
//! the walk knows only that brackets and bars stand inside strings, so a grammar may be refused for a text
//! that its schema excludes.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use super::error::{LarkError, LarkErrorKind};
use super::rules::{Definition, Rules, Symbol};
use super::terminal::Terminal;
use crate::expression::{DfaLanguage, Expression, Kind};
use crate::limits::{Budget, LimitExceeded};
use crate::regular::{self, Dfa, StateId};

/// A superset of the texts of any `%json`: strings, and between them neither quotation marks, angle brackets
/// nor bars.
const JSON: &str = r#"(?:"(?:[^"\\]|\\.)*"|[^"<>|])+"#;

/// Pairs of states, and symbols of a production, that are looked at for the price of one step.
const PER_STEP: usize = 64;

/// Checks that no text of `start` leaves the language `texts`, whose beginnings are texts.
pub(super) fn check(rules: &Rules, start: usize, texts: &Dfa, budget: &Budget) -> Result<(), LarkError> {
    let position = rules.rules[start].position;
    let refusal = |limit| LarkError::at(position, LarkErrorKind::Limit(limit));
    let limit = budget.limits().dfa_states;
    let json = regular::whole_match(regex_syntax::parse(JSON).expect("our own pattern"), limit)
        .and_then(|json| json.intersection(texts, limit))
        .map_err(refusal)?;
    let (parts, visits, pending) = (BTreeMap::new(), BTreeMap::new(), VecDeque::new());
    let mut walk = Walk { rules, texts, json, budget, parts, visits, pending };
    let before =
        walk.ignored(BTreeSet::from([texts.start()])).map_err(|left| left.refusal(&rules.rules[start]))?;
    before.into_iter().for_each(|state| walk.demand((start, state)));
    walk.run()
}

/// A rule and the state of `texts` in which it begins.
type Visit = (usize, StateId);

/// In which states something may end.
type Ends = Result<BTreeSet<StateId>, Stop>;

/// Why the walk does not go on.
enum Stop {
    /// A text may leave the language.
    Leaves,
    Limit(LimitExceeded),
}

impl Stop {
    fn refusal(self, rule: &Definition) -> LarkError {
        let kind = match self {
            Self::Leaves => LarkErrorKind::MaySpell(rule.name.clone()),
            Self::Limit(limit) => LarkErrorKind::Limit(limit),
        };
        LarkError::at(rule.position, kind)
    }
}

impl From<LimitExceeded> for Stop {
    fn from(limit: LimitExceeded) -> Self {
        Self::Limit(limit)
    }
}

/// A terminal or `%json`; nothing stands for what is ignored.
type Part = Option<Symbol>;

/// What is known of a visit.
#[derive(Default)]
struct Found {
    ends: BTreeSet<StateId>,
    /// The visits that go on after this one.
    users: BTreeSet<Visit>,
    is_pending: bool,
}

struct Walk<'a> {
    rules: &'a Rules,
    texts: &'a Dfa,
    json: Dfa,
    budget: &'a Budget,
    parts: BTreeMap<(Part, StateId), BTreeSet<StateId>>,
    visits: BTreeMap<Visit, Found>,
    pending: VecDeque<Visit>,
}

impl Walk<'_> {
    /// Visits until nothing new is found: each visit again where one that it uses may end in more states.
    fn run(&mut self) -> Result<(), LarkError> {
        while let Some(visit) = self.pending.pop_front() {
            self.visits.get_mut(&visit).expect("a visit").is_pending = false;
            let rule = &self.rules.rules[visit.0];
            let mut ends = BTreeSet::new();
            for production in &rule.productions {
                ends.extend(self.production(visit, production).map_err(|stop| stop.refusal(rule))?);
            }
            let found = self.visits.get_mut(&visit).expect("a visit");
            let known = found.ends.len();
            found.ends.extend(ends);
            if found.ends.len() > known {
                let users = found.users.clone();
                users.into_iter().for_each(|user| self.enqueue(user));
            }
        }
        Ok(())
    }

    fn demand(&mut self, visit: Visit) {
        if let Entry::Vacant(place) = self.visits.entry(visit) {
            place.insert(Found { is_pending: true, ..Found::default() });
            self.pending.push_back(visit);
        }
    }

    fn enqueue(&mut self, visit: Visit) {
        let found = self.visits.get_mut(&visit).expect("a visit");
        if !std::mem::replace(&mut found.is_pending, true) {
            self.pending.push_back(visit);
        }
    }

    fn production(&mut self, visit: Visit, symbols: &[Symbol]) -> Ends {
        self.budget.charge(1 + symbols.len() / PER_STEP)?;
        let mut states = BTreeSet::from([visit.1]);
        for symbol in symbols {
            let mut ends = BTreeSet::new();
            for state in states {
                ends.extend(self.symbol(visit, *symbol, state)?);
            }
            states = ends;
        }
        Ok(states)
    }

    fn symbol(&mut self, user: Visit, symbol: Symbol, state: StateId) -> Ends {
        let ends = match symbol {
            Symbol::Rule(rule) => {
                self.demand((rule, state));
                let found = self.visits.get_mut(&(rule, state)).expect("demanded");
                found.users.insert(user);
                return Ok(found.ends.clone());
            }
            Symbol::Special(_) => BTreeSet::from([self.texts.start()]),
            Symbol::Terminal(_) | Symbol::Hole(_) => self.part(Some(symbol), state)?,
        };
        self.ignored(ends)
    }

    /// The states after what is ignored, any number of times.
    fn ignored(&mut self, states: BTreeSet<StateId>) -> Ends {
        let mut ends = BTreeSet::new();
        for state in states {
            ends.extend(self.part(None, state)?);
        }
        Ok(ends)
    }

    /// Where a terminal or `%json` ends, or what is ignored.
    fn part(&mut self, part: Part, state: StateId) -> Ends {
        if let Some(known) = self.parts.get(&(part, state)) {
            return Ok(known.clone());
        }
        let ends = match part {
            Some(Symbol::Terminal(terminal)) => {
                let Terminal { is_nullable, nonempty } = &self.rules.terminals[terminal];
                let empty = is_nullable.then_some(Ok(BTreeSet::from([state])));
                union(empty.into_iter().chain(nonempty.iter().map(|text| self.text(text, state))))?
            }
            Some(_) => self.dfa(&self.json, state)?,
            None => match &self.rules.ignored {
                Some(text) => self.text(text, state)?,
                None => BTreeSet::from([state]),
            },
        };
        self.parts.insert((part, state), ends.clone());
        Ok(ends)
    }

    fn text(&self, text: &Expression, state: StateId) -> Ends {
        match text.kind() {
            Kind::Empty => Ok(BTreeSet::from([state])),
            Kind::Literal(bytes) => {
                let end = self.texts.reads(state, bytes).ok_or(Stop::Leaves)?;
                Ok(BTreeSet::from([end]))
            }
            Kind::Match { leaf, .. } => {
                let language = leaf.downcast_ref::<DfaLanguage>().expect("a terminal is an automaton");
                self.dfa(language.dfa(), state)
            }
            Kind::Choice(options) => union(options.iter().map(|option| self.text(option, state))),
            _ => unreachable!("a terminal is a literal or an automaton, and may be empty"),
        }
    }

    /// Where the words of `dfa` end: all pairs of its states and those of the language.
    fn dfa(&self, dfa: &Dfa, state: StateId) -> Ends {
        let mut bytes: Vec<u8> = (0..=u8::MAX).collect();
        bytes.sort_by_key(|byte| (dfa.class_of(*byte), self.texts.class_of(*byte)));
        bytes.dedup_by_key(|byte| (dfa.class_of(*byte), self.texts.class_of(*byte)));
        let start = (dfa.start(), state);
        let (mut seen, mut pending) = (HashSet::from([start]), vec![start]);
        let mut ends = BTreeSet::new();
        let mut walked = 0_usize;
        while let Some((inner, state)) = pending.pop() {
            walked += 1;
            if walked.is_multiple_of(PER_STEP) {
                self.budget.charge(1)?;
            }
            ends.extend(dfa.label(inner).map(|_| state));
            for byte in &bytes {
                let Some(inner) = dfa.next(inner, *byte) else { continue };
                let next = (inner, self.texts.next(state, *byte).ok_or(Stop::Leaves)?);
                if seen.insert(next) {
                    pending.push(next);
                }
            }
        }
        Ok(ends)
    }
}

fn union(mut ends: impl Iterator<Item = Ends>) -> Ends {
    ends.try_fold(BTreeSet::new(), |mut all, ends| {
        all.extend(ends?);
        Ok(all)
    })
}
