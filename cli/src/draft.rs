//! A draft: a completion as an unconstrained model wrote it, and the least change that makes it one the
//! grammar allows.
//!
//! The stand-in model wants to say its draft. Where the draft breaks the grammar, the model would pick its
//! favourite among the allowed tokens and drift away from what it meant; to see a *repair* instead, its
//! favourites are planned ahead: a cheapest path through keeping, dropping and inserting units of the draft
//! (Dijkstra over pairs of a place in the draft and a residual). Insertions follow the shortest completion,
//! so that there is one at each place. The plan only sets preferences; every token is still taken from the
//! mask.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use harmony_mask::automaton::{Automaton, Residual, Unit};
use harmony_mask::{TokenId, Vocabulary};

/// Steps of the search, of which a draft with a handful of mistakes needs some hundreds. Past it the draft is
/// followed as far as the search came.
const STEPS: usize = 50_000;

/// Two small repairs in one word read worse than one that is larger, so each has a price of its own.
const PLACE: u32 = 8;

/// What happens to one unit of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Keep,
    Drop,
    Insert,
}

/// One step of turning a draft into a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) action: Action,
    pub(crate) unit: Unit,
}

impl Edit {
    /// What the edit costs after one with another action, or at the start.
    fn cost(self, previous: Action) -> u32 {
        // Special tokens carry the structure: rather a sentence is dropped than one of them.
        let unit = if is_byte(self.unit) { 1 } else { 32 };
        match self.action {
            Action::Keep => 0,
            action if action == previous => unit,
            _ => unit + PLACE,
        }
    }
}

/// The units of a text's tokens. Tokens that no grammar allows have none, so they are left out.
pub(crate) fn units(vocabulary: &Vocabulary, tokens: &[TokenId]) -> Vec<Unit> {
    let units = |token: &TokenId| match vocabulary.token_bytes(*token) {
        Some(bytes) => bytes.iter().copied().map(Unit::Byte).collect(),
        None => vocabulary.special(*token).map(Unit::Special).into_iter().collect::<Vec<_>>(),
    };
    tokens.iter().flat_map(units).collect()
}

/// The cheapest edits that turn a draft into the beginning of a completion.
pub(crate) fn repair(automaton: &Automaton, draft: &[Unit]) -> Vec<Edit> {
    Search::new(automaton, draft).run()
}

/// A place in the search: so much of the draft is used up, and this may follow.
struct Node {
    at: usize,
    residual: Residual,
    /// The edit that led here, and from which node.
    edit: Option<(Edit, usize)>,
}

impl Node {
    fn action(&self) -> Action {
        self.edit.map_or(Action::Keep, |(edit, _)| edit.action)
    }
}

struct Search<'a> {
    automaton: &'a Automaton,
    draft: &'a [Unit],
    nodes: Vec<Node>,
    /// By cost, then by how little of the draft is left, then by age.
    open: BinaryHeap<Reverse<(u32, usize, usize)>>,
    /// What was expanded, by place in the draft.
    seen: Vec<Vec<(Action, Residual)>>,
}

impl<'a> Search<'a> {
    fn new(automaton: &'a Automaton, draft: &'a [Unit]) -> Self {
        let start = Node { at: 0, residual: automaton.start().clone(), edit: None };
        Self {
            automaton,
            draft,
            nodes: vec![start],
            open: BinaryHeap::from([Reverse((0, draft.len(), 0))]),
            seen: vec![Vec::new(); draft.len() + 1],
        }
    }

    fn run(mut self) -> Vec<Edit> {
        let mut furthest = 0;
        for _ in 0..STEPS {
            let Some(Reverse((cost, left, index))) = self.open.pop() else { break };
            if self.nodes[index].at > self.nodes[furthest].at {
                furthest = index;
            }
            if left == 0 {
                break;
            }
            self.expand(cost, index);
        }
        self.edits(furthest)
    }

    fn expand(&mut self, cost: u32, index: usize) {
        let node = &self.nodes[index];
        let (at, state) = (node.at, (node.action(), node.residual.clone()));
        if self.seen[at].contains(&state) {
            return;
        }
        let (unit, residual) = (self.draft[at], state.1.clone());
        self.seen[at].push(state);
        if let Some(next) = self.automaton.step(&residual, unit) {
            self.push(cost, at + 1, next, Edit { action: Action::Keep, unit }, index);
        }
        if let Some(&missing) = self.automaton.shortest_completion(&residual).first() {
            let next = self.automaton.step(&residual, missing).expect("a completion can be read");
            self.push(cost, at, next, Edit { action: Action::Insert, unit: missing }, index);
        }
        self.push(cost, at + 1, residual, Edit { action: Action::Drop, unit }, index);
    }

    fn push(&mut self, cost: u32, at: usize, residual: Residual, edit: Edit, from: usize) {
        let cost = cost + edit.cost(self.nodes[from].action());
        self.open.push(Reverse((cost, self.draft.len() - at, self.nodes.len())));
        self.nodes.push(Node { at, residual, edit: Some((edit, from)) });
    }

    /// The edits on the way to a node.
    fn edits(&self, node: usize) -> Vec<Edit> {
        let way = std::iter::successors(self.nodes[node].edit, |(_, from)| self.nodes[*from].edit);
        let mut edits: Vec<Edit> = way.map(|(edit, _)| edit).collect();
        edits.reverse();
        edits
    }
}

/// What the stand-in would like to say next, token by token.
pub(crate) struct Plan {
    edits: Vec<Edit>,
    units: Vec<Unit>,
    /// The vocabulary's own tokens of the planned text, by the unit at which they start.
    tokens: Vec<(usize, TokenId)>,
}

impl Plan {
    pub(crate) fn new(vocabulary: &Vocabulary, edits: Vec<Edit>) -> Self {
        let units: Vec<Unit> =
            edits.iter().filter(|edit| edit.action != Action::Drop).map(|edit| edit.unit).collect();
        let mut tokens = Vec::new();
        let mut at = 0;
        for run in units.chunk_by(|before, after| is_byte(*before) && is_byte(*after)) {
            for token in run_tokens(vocabulary, run) {
                tokens.push((at, token));
                at += vocabulary.token_bytes(token).map_or(1, <[u8]>::len);
            }
        }
        Self { edits, units, tokens }
    }

    /// The edits that the plan carries out.
    pub(crate) fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// The token to say after so many units: the encoder's own, or, where the tokens so far end inside of
    /// one, any that fits.
    pub(crate) fn token_at(&self, vocabulary: &Vocabulary, said: usize) -> Option<TokenId> {
        if let Ok(index) = self.tokens.binary_search_by_key(&said, |(at, _)| *at) {
            return Some(self.tokens[index].1);
        }
        let rest: Vec<u8> = self.units.get(said..)?.iter().map_while(|unit| byte(*unit)).collect();
        vocabulary.trie().longest_match(&rest).map(|(token, _)| token)
    }
}

fn run_tokens(vocabulary: &Vocabulary, run: &[Unit]) -> Vec<TokenId> {
    if let [Unit::Special(special)] = run {
        return vec![vocabulary.special_id(*special)];
    }
    let bytes: Vec<u8> = run.iter().filter_map(|unit| byte(*unit)).collect();
    crate::input::text_tokens(vocabulary, &bytes)
}

fn is_byte(unit: Unit) -> bool {
    byte(unit).is_some()
}

fn byte(unit: Unit) -> Option<u8> {
    match unit {
        Unit::Byte(byte) => Some(byte),
        Unit::Special(_) => None,
    }
}
