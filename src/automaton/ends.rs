//! Where the tokens that stay inside a leaf lead to: what completes the text from there is then judged once
//! per state, not once per token.
//!
//! Each state of an object excludes names of its own, but most tokens leave these names at once. So all
//! tokens are walked once for a text that begins no excluded name (the
//! [twin](crate::expression::Language::twin)); for other states only the tokens that may lead elsewhere are
//! walked again. A step of a first pass takes 0.48 instead of 0.97 ms on average with 100 tokens left
//! (`maskbench FOLDER --sample 150 --seed 3 --within 100` with and without twins, in turn, twice).

use foldhash::{HashMap, HashSet};

use super::token_set::{Builder, TokenSet};
use crate::expression::{Leaf, State};
use crate::special::TokenId;
use crate::vocabulary::Vocabulary;

/// The tokens that stay inside a leaf, by the state that they lead to.
#[derive(Debug, Default)]
pub(super) struct Ends {
    /// By state.
    groups: Box<[(State, TokenSet)]>,
    /// Tokens that complete the leaf.
    pub(super) complete: Box<[TokenId]>,
}

impl Ends {
    pub(super) fn new(vocabulary: &Vocabulary, leaf: &Leaf, start: State) -> Self {
        Self::default().changed(vocabulary, [leaf, leaf], [None, Some(start)])
    }

    /// The ends of a state, of whose [twin](crate::expression::Language::twin) these are.
    pub(super) fn of_twin(&self, vocabulary: &Vocabulary, twin: (&Leaf, State), own: (&Leaf, State)) -> Self {
        self.changed(vocabulary, [twin.0, own.0], [Some(twin.1), Some(own.1)])
    }

    /// These without what is read from the first state, and with what is read from the second, where the two
    /// lead to different states.
    fn changed(&self, vocabulary: &Vocabulary, leaves: [&Leaf; 2], states: [Option<State>; 2]) -> Self {
        let mut walk = Walk { vocabulary, leaves, found: Default::default() };
        walk.below(None, states);
        let [gone, come] = walk.found;
        let width = vocabulary.width();
        let kept = self.groups.iter().map(|(state, tokens)| (*state, tokens.to_builder(width)));
        let mut groups: HashMap<State, Builder> = kept.collect();
        let builder = || TokenSet::builder(width);
        gone.inside.iter().for_each(|(state, tokens)| {
            groups.entry(*state).or_insert_with(builder).remove_all(tokens);
        });
        come.inside.iter().for_each(|(state, tokens)| {
            groups.entry(*state).or_insert_with(builder).insert_all(tokens);
        });
        let gone: HashSet<TokenId> = gone.complete.into_iter().collect();
        let kept = self.complete.iter().copied().filter(|token| !gone.contains(token));
        Self { groups: finish(groups), complete: kept.chain(come.complete).collect() }
    }

    /// All states with the tokens that lead to each.
    pub(super) fn groups(&self) -> impl Iterator<Item = (State, &TokenSet)> {
        self.groups.iter().map(|(state, tokens)| (*state, tokens))
    }

    /// The tokens that lead to a state.
    pub(super) fn tokens(&self, end: State) -> Option<&TokenSet> {
        let at = self.groups.binary_search_by_key(&end, |(state, _)| *state).ok()?;
        Some(&self.groups[at].1)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let sets: usize = self.groups.iter().map(|(_, tokens)| tokens.memory_bytes()).sum();
        sets + size_of_val::<[(State, TokenSet)]>(&self.groups) + size_of_val::<[TokenId]>(&self.complete)
    }
}

fn finish(groups: HashMap<State, Builder>) -> Box<[(State, TokenSet)]> {
    let sets = groups.into_iter().map(|(state, tokens)| (state, tokens.finish()));
    let mut groups: Box<[_]> = sets.filter(|(_, tokens)| tokens.first().is_some()).collect();
    groups.sort_unstable_by_key(|(state, _)| *state);
    groups
}

/// Tokens by what they lead to.
#[derive(Default)]
struct Found {
    inside: HashMap<State, Vec<TokenId>>,
    complete: Vec<TokenId>,
}

/// Reads the tokens from two states, as far as these differ.
struct Walk<'a> {
    vocabulary: &'a Vocabulary,
    leaves: [&'a Leaf; 2],
    found: [Found; 2],
}

impl Walk<'_> {
    fn below(&mut self, node: Option<u32>, states: [Option<State>; 2]) {
        let trie = self.vocabulary.trie();
        for child in trie.children(node) {
            let byte = trie.node(child).byte;
            let next = [0, 1].map(|side| self.leaves[side].step(states[side]?, byte));
            if next[0] == next[1] {
                continue;
            }
            let longer = [0, 1].map(|side| self.note(side, next[side]?, trie.node(child).token));
            if longer != [None, None] {
                self.below(Some(child), longer);
            }
        }
    }

    /// Notes where a token leads to, and says whether others go on from there.
    fn note(&mut self, side: usize, state: State, token: Option<TokenId>) -> Option<State> {
        let found = &mut self.found[side];
        if self.leaves[side].is_complete(state) {
            found.complete.extend(token);
            return None;
        }
        if let Some(token) = token {
            found.inside.entry(state).or_default().push(token);
        }
        Some(state)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::expression::DfaLanguage;
    use crate::regular::Pattern;
    use crate::token_mask::TokenMask;

    fn listed(ends: &Ends, vocabulary: &Vocabulary) -> (Vec<(State, TokenMask)>, Vec<TokenId>) {
        let groups = ends.groups().map(|(state, tokens)| {
            let mut mask = TokenMask::new(vocabulary.width());
            tokens.add_to(&mut mask.as_mut());
            (state, mask)
        });
        let mut complete = ends.complete.to_vec();
        complete.sort_unstable();
        (groups.collect(), complete)
    }

    /// What is found beside the ends of another state is what is found alone: any two states of one language
    /// go on alike where they are equal.
    #[test]
    fn ends_beside_those_of_another_state_are_those_of_the_state() {
        let vocabulary = Vocabulary::o200k_harmony();
        let pattern = Pattern::parse(r#"^((in|int|out).*|[^ab]{3,5})?"$"#).expect("a pattern");
        let leaf = Leaf::new(DfaLanguage::new(Arc::new(pattern.to_dfa(1_000).expect("not large")), "text"));
        let read = |text: &str| leaf.reads(leaf.start(), text.as_bytes()).expect("a beginning of a word");
        let states = ["", "i", "in", "int", "x", "xyz\u{e9}"].map(read);
        let alone = states.map(|state| Ends::new(&vocabulary, &leaf, state));
        for (twin, ends) in states.iter().zip(&alone) {
            for (own, alone) in states.iter().zip(&alone) {
                let beside = ends.of_twin(&vocabulary, (&leaf, *twin), (&leaf, *own));
                assert_eq!(listed(&beside, &vocabulary), listed(alone, &vocabulary));
            }
        }
    }
}
