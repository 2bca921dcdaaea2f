//! Tokens sorted once per leaf state, for every grammar of a vocabulary.
//!
//! For a thread in a leaf, a token either stays inside the leaf with all its bytes, or leaves it where the
//! leaf may end and goes on below, or is dead. The first kind does not depend on what is below: it is found
//! once per [class](crate::expression::Class) of states and shared (inside a free string it is 195,594
//! tokens). Of the second kind the [ways](super::ways) are kept at which they leave, and what the next leaf
//! does with tokens that come on such ways. What a state [keeps](super::kept) of its class is remembered,
//! too.
//!
//! An entry is weighed when it is made, with all that it may ever hold, so the bound on bytes is one.

use std::sync::{Arc, OnceLock};

use super::ends::Ends;
use super::kept::Kept;
use super::runs::Runs;
use super::sort::{Exits, Passed, Reached, Scope, Sorted, exit_bytes};
use super::sort::{exits, pass, pass_after, pass_byte, sort, sort_within};
use super::token_set::TokenSet;
use super::ways::Ways;
use crate::cache::{Asks, Bounded, Parts, Weighed, bounded, known};
use crate::expression::{Class, Leaf, State};
use crate::regular::ByteSet;
use crate::special::TokenId;
use crate::vocabulary::Vocabulary;

/// What a leaf state does with every token [that is asked for](Scope) and does not leave it.
#[derive(Debug)]
pub(super) struct LeafEntry {
    /// Tokens that the leaf reads to their end.
    pub(super) whole: Arc<TokenSet>,
    /// Those after which the leaf can be longer; found when first asked for.
    inside: OnceLock<Arc<TokenSet>>,
    /// Tokens that complete the leaf.
    pub(super) complete: ByFirst,
    /// The ways out of the leaf after at least one byte, where it can never be longer then.
    pub(super) exits: Option<Arc<Exits>>,
}

impl LeafEntry {
    pub(super) fn new(Sorted { inside, complete, exits }: Sorted) -> Self {
        let (complete, mut whole) = (ByFirst::new(complete), inside);
        whole.insert_all(&complete.tokens);
        let (whole, inside) = (Arc::new(whole.finish()), OnceLock::new());
        Self { whole, inside, complete, exits: exits.map(Arc::new) }
    }

    /// Tokens that stay in the leaf, which can be longer after them. Most states read all that complete the
    /// leaf, too, and a copy of the words would take a tenth of the time that a new state of a pattern takes:
    /// without that copy p99.9 of mask + accept over 1,500 files is 57 instead of 62 µs (`maskbench-dev`,
    /// seed 7, without peers; old and new in turn, the least of three runs of each step).
    pub(super) fn inside(&self, vocabulary: &Vocabulary) -> &Arc<TokenSet> {
        self.inside.get_or_init(|| {
            if self.complete.tokens.is_empty() {
                return self.whole.clone();
            }
            let mut inside = self.whole.to_builder(vocabulary.width());
            inside.remove_all(&self.complete.tokens);
            Arc::new(inside.finish())
        })
    }

    /// Both sets count from the beginning, as a weight must never change.
    fn memory_bytes(&self) -> usize {
        let sets = if self.complete.tokens.is_empty() { 1 } else { 2 };
        let exits = self.exits.as_deref().map_or(0, exit_bytes);
        sets * self.whole.memory_bytes() + self.complete.memory_bytes() + exits
    }
}

/// Tokens by their first byte.
#[derive(Debug)]
pub(super) struct ByFirst {
    pub(super) tokens: Box<[TokenId]>,
    /// For each first byte where its tokens end.
    ends: Box<[(u8, u32)]>,
}

impl ByFirst {
    /// Of tokens after their first bytes.
    fn new(mut tokens: Vec<(u8, TokenId)>) -> Self {
        tokens.sort_unstable();
        let groups = tokens.chunk_by(|(a, _), (b, _)| a == b);
        let ends = groups.scan(0, |end, group| {
            *end += group.len() as u32;
            Some((group[0].0, *end))
        });
        Self { ends: ends.collect(), tokens: tokens.iter().map(|(_, token)| *token).collect() }
    }

    /// The tokens that begin with one of these bytes.
    pub(super) fn after(&self, bytes: &ByteSet) -> impl Iterator<Item = TokenId> {
        self.groups().filter(|(byte, _)| bytes.contains(*byte)).flat_map(|(_, tokens)| tokens).copied()
    }

    /// The tokens of each first byte.
    fn groups(&self) -> impl Iterator<Item = (u8, &[TokenId])> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(_, end)| *end as usize));
        starts.zip(&self.ends).map(|(start, (byte, end))| (*byte, &self.tokens[start..*end as usize]))
    }

    fn memory_bytes(&self) -> usize {
        size_of_val::<[TokenId]>(&self.tokens) + size_of_val::<[(u8, u32)]>(&self.ends)
    }
}

/// The tables of all leaves of a vocabulary, bounded in bytes and shared by all its grammars.
pub(super) struct LeafTables {
    entries: Bounded<(Leaf, State, u32, Scope), Weighed<LeafEntry>>,
    runs: Runs,
    /// What states reach whose classes have budgets.
    reached: Bounded<(Leaf, State), Weighed<Vec<Reached>>>,
    exits: Bounded<(Leaf, State), Weighed<Exits>>,
    passed: Bounded<(Ways, Leaf, State), Weighed<Passed>>,
    passed_bytes: Bounded<(Ways, u8), Weighed<Passed>>,
    /// What states keep of their classes where that is much to read.
    kept: Bounded<(Leaf, State), Weighed<Kept>>,
    ends: Bounded<(Leaf, State), Weighed<Ends>>,
}

impl LeafTables {
    pub(super) fn new(bytes: usize) -> Self {
        let eighth = bytes / 8;
        Self {
            entries: bounded(bytes - 5 * eighth - eighth / 4),
            runs: Runs::new(eighth / 4),
            reached: bounded(eighth),
            exits: bounded(eighth),
            passed: bounded(eighth - eighth / 4),
            passed_bytes: bounded(eighth / 4),
            kept: bounded(eighth),
            ends: bounded(eighth),
        }
    }

    /// What a state of this class does with the tokens that are asked for; `leaf` is the state's own
    /// language.
    pub(super) fn entry(
        &self,
        vocabulary: &Vocabulary,
        leaf: &Leaf,
        class: &Class,
        scope: Scope,
    ) -> Arc<LeafEntry> {
        let leaf = class.read_by(leaf);
        let make = |(leaf, state, budget, scope): &(Leaf, State, u32, Scope)| {
            let sorted = match *budget {
                u32::MAX => sort(vocabulary, &self.runs, (leaf, *state), *scope),
                budget => self.sort_within(vocabulary, (leaf, *state), (budget, *scope)),
            };
            LeafEntry::new(sorted)
        };
        let bytes =
            |(leaf, ..): &(Leaf, _, _, _), entry: &LeafEntry| entry.memory_bytes() + leaf.memory_bytes();
        known(&self.entries, &Parts((leaf, &class.state, &class.budget, &scope)), make, bytes)
    }

    fn sort_within(
        &self,
        vocabulary: &Vocabulary,
        (leaf, state): (&Leaf, State),
        asked: (u32, Scope),
    ) -> Sorted {
        let place = Parts((leaf, &state));
        let known = self.reached.get(&place).map(|known| known.value);
        let is_known = known.is_some();
        let (sorted, reached) = sort_within(vocabulary, &self.runs, (leaf, state), asked, known);
        if !is_known {
            let bytes = reached.capacity() * size_of::<Reached>() + leaf.memory_bytes();
            self.reached.insert(place.key(), Weighed { value: reached, bytes });
        }
        sorted
    }

    /// The ways out of the leaf after at least one byte: a superset for the states of the class. They are
    /// found when first asked for: most leaves that may be left everywhere (plain text) are followed by a
    /// special token, and then nobody asks.
    pub(super) fn exits(&self, vocabulary: &Vocabulary, leaf: &Leaf, class: &Class) -> Arc<Exits> {
        let leaf = class.read_by(leaf);
        let make = |(leaf, state): &(Leaf, State)| exits(vocabulary, leaf, *state);
        let bytes = |(leaf, _): &(Leaf, _), exits: &Exits| exit_bytes(exits) + leaf.memory_bytes();
        known(&self.exits, &Parts((leaf, &class.state)), make, bytes)
    }

    /// What a state does with tokens that go on after some ways.
    pub(super) fn passed(
        &self,
        vocabulary: &Vocabulary,
        ways: &Ways,
        leaf: &Leaf,
        state: State,
    ) -> Arc<Passed> {
        let make = |(ways, leaf, state): &(Ways, Leaf, State)| match first_step(leaf, *state) {
            Some((byte, next)) if ways.are_many() => {
                pass_after(vocabulary, &self.passed_byte(vocabulary, ways, byte), (leaf, next))
            }
            _ => pass(vocabulary, ways, (leaf, *state)),
        };
        let bytes = |(ways, leaf, _): &(Ways, Leaf, _), passed: &Passed| {
            let passed = passed.tokens.memory_bytes() + exit_bytes(&passed.exits);
            passed + ways.memory_bytes() + leaf.memory_bytes()
        };
        known(&self.passed, &Parts((ways, leaf, &state)), make, bytes)
    }

    /// What one byte does with tokens that go on after some ways. Strings begin with a quotation mark, names
    /// of members with that and a letter: with many ways it is looked up once for all of them.
    pub(super) fn passed_byte(&self, vocabulary: &Vocabulary, ways: &Ways, byte: u8) -> Arc<Passed> {
        let make = |(ways, byte): &(Ways, u8)| pass_byte(vocabulary, ways, *byte);
        let bytes = |(ways, _): &(Ways, u8), passed: &Passed| {
            passed.tokens.memory_bytes() + exit_bytes(&passed.exits) + ways.memory_bytes()
        };
        known(&self.passed_bytes, &Parts((ways, &byte)), make, bytes)
    }

    /// What a state keeps of its class, made where it is not known.
    pub(super) fn kept(&self, leaf: &Leaf, state: State, make: impl FnOnce() -> Kept) -> Arc<Kept> {
        let bytes = |(leaf, _): &(Leaf, _), kept: &Kept| kept.memory_bytes() + leaf.memory_bytes();
        known(&self.kept, &Parts((leaf, &state)), |_| make(), bytes)
    }

    /// Where the tokens that stay inside the leaf lead to from a state. Only deadlines ask.
    pub(super) fn ends(&self, vocabulary: &Vocabulary, leaf: &Leaf, state: State) -> Arc<Ends> {
        let twin = leaf.twin(state);
        if let Some((twin, _)) = twin.as_ref().filter(|(_, at)| *at == state) {
            return self.ends(vocabulary, twin, state);
        }
        let make = |(leaf, state): &(Leaf, State)| match &twin {
            Some((twin, at)) => {
                let ends = self.ends(vocabulary, twin, *at);
                ends.of_twin(vocabulary, (twin, *at), (leaf, *state))
            }
            None => Ends::new(vocabulary, leaf, *state),
        };
        let bytes = |(leaf, _): &(Leaf, _), ends: &Ends| ends.memory_bytes() + leaf.memory_bytes();
        known(&self.ends, &Parts((leaf, &state)), make, bytes)
    }

    pub(super) fn bytes(&self) -> usize {
        let beyond = self.runs.bytes()
            + self.exits.weight()
            + self.passed.weight()
            + self.passed_bytes.weight()
            + self.kept.weight()
            + self.ends.weight();
        self.entries.weight() + self.reached.weight() + beyond
    }
}

/// The only byte that may come next, and the state after it.
fn first_step(leaf: &Leaf, state: State) -> Option<(u8, State)> {
    let byte = leaf.next_bytes(state)?.only()?;
    Some((byte, leaf.step(state, byte)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::DfaLanguage;
    use crate::regular::Pattern;
    use crate::token_mask::TokenMask;

    fn tokens(vocabulary: &Vocabulary, set: &TokenSet) -> Vec<TokenId> {
        let mut mask = TokenMask::new(vocabulary.width());
        set.add_to(&mut mask.as_mut());
        mask.iter().collect()
    }

    /// Sorts the tokens of a language byte by byte, and by its entry.
    fn check(pattern: &str) {
        let vocabulary = Vocabulary::o200k_harmony();
        let dfa = Pattern::parse(pattern).expect("a pattern").to_dfa(10_000).expect("not large");
        let leaf = Leaf::new(DfaLanguage::new(Arc::new(dfa), "text"));
        let entry = LeafTables::new(1 << 20).entry(&vocabulary, &leaf, &leaf.class(leaf.start()), Scope::All);
        let read = |token: &TokenId| leaf.reads(leaf.start(), vocabulary.token_bytes(*token)?);
        let whole = (0..vocabulary.width() as TokenId).filter(|token| read(token).is_some());
        let (complete, inside): (Vec<_>, Vec<_>) =
            whole.clone().partition(|token| read(token).is_some_and(|state| leaf.is_complete(state)));
        assert_eq!(tokens(&vocabulary, &entry.whole), whole.collect::<Vec<_>>(), "{pattern}");
        assert_eq!(tokens(&vocabulary, entry.inside(&vocabulary)), inside, "{pattern}");
        let mut found: Vec<_> = entry.complete.tokens.to_vec();
        found.sort_unstable();
        assert_eq!(found, complete, "{pattern}");
    }

    /// Few and many tokens, some that complete the language, all, and none.
    #[test]
    fn tokens_are_sorted_as_they_are_read() {
        for pattern in ["^[^!]*!$", "^[ab]*!$", "^(a|b)$", "^[a-z]*$", "^[a-z]{3}$"] {
            check(pattern);
        }
    }
}
