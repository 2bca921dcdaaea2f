//! Plain text read by an automaton: which tokens it reads, and where it stands when plain text ends.
//!
//! The vocabulary lists plain text by shape. Where the automaton reads all bytes of a kind alike, one step decides on all tokens of a shape, and
//! tokens of shapes that stand side by side are taken as one run. Where it does not, the texts of that shape are walked one by one. Against a walk
//! over all of the trie, the slowest thousandth of the masks of a first pass was from 409 µs on when this was made, where it had been from 772 µs on
//! (`chrt -f 10 harmony-mask-bench maskbench target/corpora/maskbench-dev --sample 1500 --seed 7`).
//!
//! Most patterns stay where they are for most characters (`[^/]*`, `\S+`). Each shape therefore knows which kinds of characters come below it, and where
//! all of them lead back to the state, all that is below is taken at once: p99 of mask + accept over four files with patterns like `(\S+\s+){0,199}\S+` is 178
//! instead of 244 µs, p99.9 over those 1,500 files 131 instead of 141 (old and new in turn, the least of eight runs and of three of each step). White space
//! beyond ASCII is a kind for itself, since `\S` leads elsewhere by it alone, and every first byte of such characters begins others, too: p99.9 over those files 69
//! and 66 instead of 80 and 82 µs (on another machine, two rounds, builds beside).

use std::ops::Range;
use std::sync::LazyLock;

use regex_syntax::utf8::{Utf8Range, Utf8Sequence, Utf8Sequences};

use super::runs::Runs;
use super::token_set::Builder;
use crate::regular::{Dfa, StateId, begins_character};
use crate::special::TokenId;
use crate::vocabulary::{CharacterKind, Shape, Vocabulary, character_kinds};

/// Where the characters of a kind lead through more states than this, they are not followed: looking would take longer than reading.
const MANY: usize = 32;

/// For so many states it is remembered whether characters lead back to them.
const REMEMBERED: usize = 64;

/// The kinds of characters, as shapes number them, by their bytes.
static KINDS: LazyLock<Vec<Vec<Utf8Sequence>>> =
    LazyLock::new(|| character_kinds().iter().map(spelled).collect());

fn spelled(kind: &CharacterKind) -> Vec<Utf8Sequence> {
    kind.characters.iter().flat_map(|range| Utf8Sequences::new(range.start(), range.end())).collect()
}

/// What an automaton reads of the plain text of a vocabulary, as far as the characters of a text and those that still complete it are within a budget.
pub(super) enum Plain {
    /// Whatever has at most so many characters; the state is the one before and after it.
    Any {
        state: StateId,
        budget: u32,
    },
    Read(Found),
}

/// What was found of plain text that is not read as a whole.
#[derive(Default)]
pub(super) struct Found {
    /// Runs of tokens in the vocabulary's list by shape.
    runs: Vec<Range<usize>>,
    /// Tokens of shapes that are not read as one.
    tokens: Vec<TokenId>,
    /// Nodes that are not plain below text that was read, with the state after that text and the characters in it.
    breaks: Vec<Break>,
}

/// Whether it is asked where plain text ends. No budget bounds that, so text is followed beyond it then.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Breaks {
    Wanted,
    Unwanted,
}

/// A node of the trie that is not plain, below plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Break {
    pub(super) node: u32,
    /// The state of the automaton before the node's byte.
    pub(super) state: StateId,
    /// The characters before it.
    pub(super) characters: u32,
}

impl Plain {
    /// Reads all plain text from a state of an automaton. Text beyond the budget is followed only where `breaks` are asked for, since those are of all text.
    pub(super) fn read(vocabulary: &Vocabulary, dfa: &Dfa, at: StateId, budget: u32, breaks: Breaks) -> Self {
        if dfa.reads_any_text(at) {
            return Self::Any { state: at, budget };
        }
        let (path, found) = ([(at, 0); 256], Found::default());
        let returning = [(StateId::MAX, Returning::default()); REMEMBERED];
        let alike = alike(dfa);
        let mut reader = Reader { vocabulary, dfa, budget, breaks, alike, returning, path, found };
        reader.read(at);
        Self::Read(reader.found)
    }

    /// Adds the tokens to a set.
    pub(super) fn add_to(&self, vocabulary: &Vocabulary, runs: &Runs, set: &mut Builder) {
        match self {
            Self::Any { budget, .. } => set.insert_words(&vocabulary.plain_words(*budget)),
            Self::Read(found) => found.add_to(vocabulary, runs, set),
        }
    }

    /// How many texts were read one by one.
    pub(super) fn texts(&self) -> usize {
        match self {
            Self::Any { .. } => 0,
            Self::Read(found) => found.tokens.len(),
        }
    }

    /// Where plain text ends, where that was asked for.
    pub(super) fn breaks(self, vocabulary: &Vocabulary) -> Vec<Break> {
        match self {
            Self::Any { state, .. } => breaks(vocabulary, state),
            Self::Read(found) => found.breaks,
        }
    }
}

impl Found {
    /// What most tokens are in begins with all of them.
    fn add_to(&self, vocabulary: &Vocabulary, runs: &Runs, set: &mut Builder) {
        let all = vocabulary.plain().tokens.len();
        let count: usize = self.runs.iter().map(ExactSizeIterator::len).sum();
        if count > all / 2 {
            set.insert_words(&vocabulary.plain_words(u32::MAX));
            let starts = self.runs.iter().map(|run| run.start).chain([all]);
            let ends = std::iter::once(0).chain(self.runs.iter().map(|run| run.end));
            ends.zip(starts).for_each(|(end, start)| runs.remove(vocabulary, end..start, set));
        } else {
            self.runs.iter().for_each(|run| runs.insert(vocabulary, run.clone(), set));
        }
        set.insert_all(&self.tokens);
    }
}

/// Where plain text ends that may be any.
fn breaks(vocabulary: &Vocabulary, state: StateId) -> Vec<Break> {
    let plain = vocabulary.plain();
    let breaks = plain.breaks(0..plain.len());
    breaks.map(|(node, characters)| Break { node, state, characters }).collect()
}

struct Reader<'a> {
    vocabulary: &'a Vocabulary,
    dfa: &'a Dfa,
    budget: u32,
    breaks: Breaks,
    /// For each byte, the last one after it up to which no state tells bytes apart.
    alike: [u8; 256],
    /// What was found out last of states, each at its place; a text leads to and fro between a few.
    returning: [(StateId, Returning); REMEMBERED],
    /// The states before each depth of a walk over texts, with the characters before it.
    path: [(StateId, u32); 256],
    found: Found,
}

/// What is known of the [kinds of characters](character_kinds) that follow a state, a bit for each.
#[derive(Clone, Copy, Default)]
struct Returning {
    /// After these the automaton is in the same state again.
    returning: u64,
    /// After some of these it is not.
    leaving: u64,
}

/// Where the bytes of a kind lead to.
enum Target {
    /// All to one state.
    One(StateId),
    Several,
    Nowhere,
}

impl Reader<'_> {
    fn read(&mut self, at: StateId) {
        let shapes = self.vocabulary.plain();
        let mut states = [at; 256];
        let mut place = self.take(0, at);
        while place < shapes.len() {
            let shape = shapes.shape(place);
            let before = states[usize::from(shape.depth) - 1];
            match self.target(before, shape.first, shape.last) {
                Target::One(state) if self.follows(state, shape.characters.into()) => {
                    states[usize::from(shape.depth)] = state;
                    place = self.take(place, state);
                    continue;
                }
                Target::Several => {
                    let begins = u32::from(begins_character(shape.first));
                    let characters = u32::from(shape.characters) - begins;
                    shapes.members(place).iter().for_each(|node| self.below(*node, before, characters));
                }
                Target::One(_) | Target::Nowhere => {}
            }
            place = shape.end;
        }
    }

    /// Takes a shape that is read, with all below it where nothing there leads to another state; the shape after that.
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
            [only] => matches!(self.target(state, only.start, only.end), Target::One(next) if next == state),
            bytes => {
                let after = bytes.iter().try_fold(vec![state], |states, bytes| self.after(&states, bytes));
                after.is_some_and(|states| states == [state])
            }
        })
    }

    /// The states to which bytes lead from some states; `None` where one leads nowhere, or they are many.
    fn after(&self, states: &[StateId], bytes: &Utf8Range) -> Option<Vec<StateId>> {
        let mut after = Vec::new();
        for state in states {
            let mut byte = bytes.start;
            loop {
                let next = self.dfa.next(*state, byte)?;
                if !after.contains(&next) {
                    after.push(next);
                }
                if after.len() > MANY {
                    return None;
                }
                match self.alike[usize::from(byte)] {
                    end if end >= bytes.end => break,
                    end => byte = end + 1,
                }
            }
        }
        Some(after)
    }

    fn fits(&self, state: StateId, characters: u32) -> bool {
        self.budget == u32::MAX
            || characters.saturating_add(self.dfa.least_chars()[state as usize]) <= self.budget
    }

    /// Whether text is followed to a state.
    fn follows(&self, state: StateId, characters: u32) -> bool {
        self.breaks == Breaks::Wanted || self.fits(state, characters)
    }

    fn target(&self, from: StateId, first: u8, last: u8) -> Target {
        let to = self.dfa.next(from, first);
        let mut end = self.alike[usize::from(first)];
        while end < last {
            if self.dfa.next(from, end + 1) != to {
                return Target::Several;
            }
            end = self.alike[usize::from(end) + 1];
        }
        to.map_or(Target::Nowhere, Target::One)
    }

    fn run(&mut self, tokens: Range<usize>) {
        match self.found.runs.last_mut() {
            Some(last) if last.end == tokens.start => last.end = tokens.end,
            _ if tokens.is_empty() => {}
            _ => self.found.runs.push(tokens),
        }
    }

    /// Reads a plain node and those below it; `before` is the state before its byte.
    fn below(&mut self, node: u32, before: StateId, characters: u32) {
        let trie = self.vocabulary.trie();
        let (mut at, end) = (node, trie.node(node).end);
        self.path[trie.node(node).parent_depth()] = (before, characters);
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
            match self.dfa.next(before, node.byte).filter(|state| self.follows(*state, characters)) {
                Some(state) => {
                    self.path[usize::from(node.depth)] = (state, characters);
                    let token = node.token.filter(|_| self.fits(state, characters));
                    self.found.tokens.extend(token);
                    at += 1;
                }
                None => at = node.end,
            }
        }
    }
}

/// For each byte, the last one of those after it that are all of its class.
fn alike(dfa: &Dfa) -> [u8; 256] {
    let mut alike = [u8::MAX; 256];
    for byte in (0..u8::MAX).rev() {
        let is_end = dfa.class_of(byte) != dfa.class_of(byte + 1);
        alike[usize::from(byte)] = if is_end { byte } else { alike[usize::from(byte) + 1] };
    }
    alike
}

#[cfg(test)]
mod tests {
    use super::super::token_set::TokenSet;
    use super::*;
    use crate::regular::Pattern;
    use crate::token_mask::TokenMask;

    /// The tokens that are plain text, read byte by byte within the budget.
    fn by_bytes(vocabulary: &Vocabulary, dfa: &Dfa, at: StateId, budget: u32) -> Vec<TokenId> {
        let fits = |token: &TokenId, characters: u8| {
            let bytes = vocabulary.token_bytes(*token).unwrap_or_default();
            let end = bytes.iter().try_fold(at, |state, byte| dfa.next(state, *byte));
            let cost = |end| u32::from(characters).saturating_add(dfa.least_chars()[end as usize]);
            end.is_some_and(|end| budget == u32::MAX || cost(end) <= budget)
        };
        let plain = vocabulary.plain();
        let of = |place| {
            let characters = plain.shape(place).characters;
            plain.tokens[plain.tokens(place..place + 1)]
                .iter()
                .copied()
                .filter(move |token| fits(token, characters))
        };
        let mut tokens: Vec<_> = (0..plain.len()).flat_map(of).collect();
        tokens.sort_unstable();
        tokens
    }

    fn check(pattern: &str) {
        let vocabulary = Vocabulary::o200k_harmony();
        let dfa = Pattern::parse(pattern).expect("a pattern").to_dfa(10_000).expect("not large");
        let runs = Runs::new(1 << 20);
        let states = (0..dfa.states() as StateId).filter(|state| !dfa.is_within_character(*state));
        for (state, budget) in states.take(6).flat_map(|state| [(state, u32::MAX), (state, 5)]) {
            let expected = by_bytes(&vocabulary, &dfa, state, budget);
            let read = |budget, breaks| Plain::read(&vocabulary, &dfa, state, budget, breaks);
            for breaks in [Breaks::Wanted, Breaks::Unwanted] {
                let mut set = TokenSet::builder(vocabulary.width());
                read(budget, breaks).add_to(&vocabulary, &runs, &mut set);
                let mut mask = TokenMask::new(vocabulary.width());
                set.finish().add_to(&mut mask.as_mut());
                let found: Vec<_> = mask.iter().collect();
                assert_eq!(found, expected, "{pattern} in state {state} within {budget}");
            }
            let ends = |budget| read(budget, Breaks::Wanted).breaks(&vocabulary);
            assert_eq!(ends(budget), ends(u32::MAX), "{pattern} in state {state} within {budget}");
        }
    }

    #[test]
    fn shapes_are_read_as_their_texts_are() {
        for pattern in [
            "^[a-z]+$",
            "^[^/]*$",
            "x",
            r"\.(jpg|png)$",
            r"\s",
            r"^\S+ \d{2,4}$",
            r"^[\u4e00-\u9fff]{2,8}é?$",
            r"^(\S+\s+){0,3}\S+$",
            r"^[^\u0100-\u0110\u4e00é]*$",
            r"^.*$",
            r"^[^\u00a0\u1680\u2003\u3000\ufeff]*$",
            r"^[\u00a0\u1680\u2003\u3000\ufeff]*$",
            r"^[^\u3001\u2014]*$",
            r"^([^\u{10000}-\u{10ffff}]|\ud83d\ude00)*$",
        ] {
            check(pattern);
        }
    }
}
