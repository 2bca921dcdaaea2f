//! Reading plain text from a state: shape by shape, by several states at once, or text by text.

use std::hint::select_unpredictable;
use std::ops::Range;
use std::sync::LazyLock;

use regex_syntax::utf8::{Utf8Sequence, Utf8Sequences};

use super::bytes::{After, ByteRuns, Target};
use super::sets::{SetId, Sets, Step};
use super::{Break, Breaks, Found, breaks_behind};
use crate::regular::{StateId, begins_character};
use crate::vocabulary::{CharacterKind, Shape, Vocabulary, character_kinds};

/// For so many states it is remembered whether characters lead back to them.
const REMEMBERED: usize = 64;

/// Of so many texts it is found out one by one where they lead, as long as the others are read together. With
/// 2,000 instead of 12,000 the slowest mask of `Github_easy---o10013` (`[0-9a-fA-F]+`, 12 characters) takes
/// 0.75 instead of 0.52 ms.
const FEW: usize = 12_000;

/// The kinds of characters, as shapes number them, by their bytes.
static KINDS: LazyLock<Vec<Vec<Utf8Sequence>>> =
    LazyLock::new(|| character_kinds().iter().map(spelled).collect());

fn spelled(kind: &CharacterKind) -> Vec<Utf8Sequence> {
    kind.characters.iter().flat_map(|range| Utf8Sequences::new(range.start(), range.end())).collect()
}

pub(super) struct Reader<'a> {
    vocabulary: &'a Vocabulary,
    bytes: ByteRuns<'a>,
    /// The state before all text.
    start: StateId,
    budget: u32,
    breaks: Breaks,
    /// What was found out last of states, each at its place; a text leads to and fro between a few.
    returning: [(StateId, Returning); REMEMBERED],
    sets: Sets,
    /// The states before each depth of a walk over texts, with the characters before it.
    path: [(StateId, u32); 256],
    found: Found,
    /// So many of the tokens were found; behind them is room.
    taken: usize,
}

/// What is known of the [kinds of characters](character_kinds) that follow a state, a bit for each.
#[derive(Clone, Copy, Default)]
struct Returning {
    /// After these the automaton is in the same state again.
    returning: u64,
    /// After some of these it is not.
    leaving: u64,
}

/// What becomes of all texts of a shape.
enum Fate {
    /// They lead to these states.
    Read(SetId),
    /// They are beyond the budget.
    Beyond,
    /// They are not read.
    Nowhere,
    /// Some are read and others not.
    Apart,
}

/// Shapes that are read by several states.
#[derive(Default)]
struct Together {
    /// Those whose texts are all read.
    read: Vec<Range<u32>>,
    /// Those whose texts are all beyond the budget.
    beyond: Vec<Range<u32>>,
    /// Those of which some texts may be read and others not.
    apart: Vec<u32>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        vocabulary: &'a Vocabulary,
        bytes: ByteRuns<'a>,
        start: StateId,
        budget: u32,
        breaks: Breaks,
    ) -> Self {
        let returning = [(StateId::MAX, Returning::default()); REMEMBERED];
        let (sets, path, found) = (Sets::default(), [(start, 0); 256], Found::default());
        Self { vocabulary, bytes, start, budget, breaks, returning, sets, path, found, taken: 0 }
    }

    pub(super) fn read(mut self) -> Found {
        let shapes = self.vocabulary.plain();
        let mut states = [self.start; 256];
        let mut place = self.take(0, self.start);
        while place < shapes.len() {
            let shape = shapes.shape(place);
            let before = states[usize::from(shape.depth) - 1];
            match self.bytes.target(before, shape.first, shape.last) {
                Target::One(state) if self.follows(state, shape.characters.into()) => {
                    states[usize::from(shape.depth)] = state;
                    place = self.take(place, state);
                    continue;
                }
                Target::Several => match self.sort_together(place, before) {
                    Some(sorted) => self.together(sorted),
                    None => self.texts(place, |_| Some(before)),
                },
                Target::One(_) | Target::Nowhere => {}
            }
            place = shape.end;
        }
        self.found.tokens.truncate(self.taken);
        self.found
    }

    /// Takes a shape that is read, with all below it where nothing there leads to another state; the shape
    /// after that.
    fn take(&mut self, place: u32, state: StateId) -> u32 {
        let shapes = self.vocabulary.plain();
        let Shape { end, characters, most, kinds, .. } = shapes.shape(place);
        let fits = self.fits(state, characters.into());
        let is_all =
            end == place + 1 || fits == self.fits(state, most.into()) && self.returns_after(kinds, state);
        let end = if is_all { end } else { place + 1 };
        if fits {
            self.run(shapes.tokens(place..end));
        }
        if self.breaks == Breaks::Wanted {
            let breaks = shapes.breaks(place..end);
            self.found.breaks.extend(breaks.map(|(node, characters)| Break { node, state, characters }));
        }
        end
    }

    /// Whether all characters of some kinds lead back to a state.
    fn returns_after(&mut self, kinds: u64, state: StateId) -> bool {
        let place = state as usize % REMEMBERED;
        let (known, mut found) = self.returning[place];
        if known != state {
            found = Returning::default();
        }
        let is_all = loop {
            let open = kinds & !found.returning;
            if open == 0 || open & found.leaving != 0 {
                break open == 0;
            }
            let kind = open.trailing_zeros();
            let returns = KINDS.get(kind as usize).is_some_and(|kind| self.returns(state, kind));
            *(if returns { &mut found.returning } else { &mut found.leaving }) |= 1 << kind;
        };
        self.returning[place] = (state, found);
        is_all
    }

    /// Whether all characters of a kind lead back to a state.
    fn returns(&self, state: StateId, kind: &[Utf8Sequence]) -> bool {
        kind.iter().all(|bytes| match bytes.as_slice() {
            [only] => {
                matches!(self.bytes.target(state, only.start, only.end), Target::One(next) if next == state)
            }
            bytes => {
                let after = bytes.iter().try_fold(vec![state], |states, bytes| {
                    match self.bytes.after(&states, bytes.start, bytes.end) {
                        After::States(states) => Some(states),
                        After::Nowhere | After::Apart => None,
                    }
                });
                after.is_some_and(|states| states == [state])
            }
        })
    }

    fn fits(&self, state: StateId, characters: u32) -> bool {
        self.budget == u32::MAX
            || characters.saturating_add(self.bytes.dfa.least_chars()[state as usize]) <= self.budget
    }

    /// Whether text is followed to a state.
    fn follows(&self, state: StateId, characters: u32) -> bool {
        self.breaks == Breaks::Wanted || self.fits(state, characters)
    }

    fn run(&mut self, tokens: Range<usize>) {
        match self.found.runs.last_mut() {
            Some(last) if last.end == tokens.start => last.end = tokens.end,
            _ if tokens.is_empty() => {}
            _ => self.found.runs.push(tokens),
        }
    }

    /// Sorts a shape and those below it by all states that their texts lead to; `before` is the one before
    /// the last byte of the first shape. `None` where these states differ in what matters for many texts.
    fn sort_together(&mut self, top: u32, before: StateId) -> Option<Together> {
        let shapes = self.vocabulary.plain();
        let (mut sorted, mut texts) = (Together::default(), 0);
        let mut sets = vec![(shapes.shape(top).depth - 1, self.sets.number(&[before]))];
        let (mut place, end) = (top, shapes.shape(top).end);
        while place < end {
            let shape = shapes.shape(place);
            sets.truncate(sets.partition_point(|(depth, _)| *depth < shape.depth));
            let (_, before) = sets[sets.len() - 1];
            let mut next = shape.end;
            match self.fate(before, shape) {
                Fate::Read(set) => {
                    sets.push((shape.depth, set));
                    next = place + 1;
                    join(&mut sorted.read, place..next);
                }
                Fate::Beyond => join(&mut sorted.beyond, place..next),
                Fate::Nowhere => {}
                Fate::Apart => {
                    texts += shapes.members(place).len();
                    if place == top || texts > FEW {
                        return None;
                    }
                    sorted.apart.push(place);
                }
            }
            place = next;
        }
        Some(sorted)
    }

    /// What becomes of the texts of a shape, from the states before their last bytes.
    fn fate(&mut self, before: SetId, Shape { first, last, characters, .. }: Shape) -> Fate {
        let set = match self.sets.step(&self.bytes, before, first, last) {
            Step::Set(set) => set,
            Step::Nowhere => return Fate::Nowhere,
            Step::Apart => return Fate::Apart,
        };
        match self.all_fit(set, characters.into()) {
            Some(true) => Fate::Read(set),
            Some(false) => Fate::Beyond,
            None => Fate::Apart,
        }
    }

    /// Whether texts that lead to the states of a set are all within the budget, or none is; `None` where
    /// that depends on the text.
    fn all_fit(&self, set: SetId, characters: u32) -> Option<bool> {
        let mut fit = self.sets.states(set).iter().map(|state| self.fits(*state, characters));
        let first = fit.next()?;
        fit.all(|other| other == first).then_some(first)
    }

    /// Takes what several states read.
    fn together(&mut self, Together { read, beyond, apart }: Together) {
        let (vocabulary, start, dfa) = (self.vocabulary, self.start, self.bytes.dfa);
        let shapes = vocabulary.plain();
        read.iter().for_each(|places| self.run(shapes.tokens(places.clone())));
        if self.breaks == Breaks::Wanted {
            let breaks = read.into_iter().chain(beyond);
            self.found.breaks.extend(breaks.flat_map(|places| breaks_behind(vocabulary, dfa, start, places)));
        }
        for place in apart {
            let depth = usize::from(shapes.shape(place).depth);
            self.texts(place, |node| dfa.reads(start, &vocabulary.prefix(node)[..depth - 1]));
        }
    }

    /// Reads the texts of a shape one by one, with those below, given the states before their last bytes.
    fn texts(&mut self, place: u32, before: impl Fn(u32) -> Option<StateId>) {
        let shapes = self.vocabulary.plain();
        let Shape { first, characters, .. } = shapes.shape(place);
        let characters = u32::from(characters) - u32::from(begins_character(first));
        for node in shapes.members(place) {
            if let Some(before) = before(*node) {
                self.below(*node, before, characters);
            }
        }
    }

    /// Reads a plain node and those below it; `before` is the state before its byte.
    ///
    /// Every other node is a token, by chance. So each is written and stays only where it is one: with a
    /// branch instead, which is mispredicted as often as not, the slowest masks of four files with such
    /// patterns take 1.5 times as long (2.0 instead of 1.3 ms, old and new in turn).
    fn below(&mut self, node: u32, before: StateId, characters: u32) {
        let trie = self.vocabulary.trie();
        let (mut at, end) = (node, trie.node(node).end);
        self.path[trie.node(node).parent_depth()] = (before, characters);
        let mut count = self.taken;
        let room = count + (end - at) as usize;
        self.found.tokens.resize(room.max(self.found.tokens.len()), 0);
        while at < end {
            let node = trie.node(at);
            let (before, characters) = self.path[node.parent_depth()];
            if !Vocabulary::is_plain(node.byte) {
                let found = Break { node: at, state: before, characters };
                self.found.breaks.extend((self.breaks == Breaks::Wanted).then_some(found));
                at = node.end;
                continue;
            }
            let characters = characters + u32::from(begins_character(node.byte));
            match self.bytes.dfa.next(before, node.byte).filter(|state| self.follows(*state, characters)) {
                Some(state) => {
                    self.path[usize::from(node.depth)] = (state, characters);
                    self.found.tokens[count] = node.token.unwrap_or_default();
                    let is_read = node.token.is_some() & self.fits(state, characters);
                    count = select_unpredictable(is_read, count + 1, count);
                    at += 1;
                }
                None => at = node.end,
            }
        }
        self.taken = count;
    }
}

/// Adds places behind others.
fn join(all: &mut Vec<Range<u32>>, places: Range<u32>) {
    match all.last_mut() {
        Some(last) if last.end == places.start => last.end = places.end,
        _ => all.push(places),
    }
}
