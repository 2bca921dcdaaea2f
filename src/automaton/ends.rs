//! Where the tokens that stay inside a leaf lead to: what completes the text from there is then judged once per state, not once per token.

use foldhash::{HashMap, HashMapExt};

use super::token_set::{Builder, TokenSet};
use crate::expression::{Leaf, State};
use crate::special::TokenId;
use crate::vocabulary::Vocabulary;

/// The tokens that stay inside a leaf, by the state that they lead to.
#[derive(Debug)]
pub(super) struct Ends {
    /// By state.
    groups: Box<[(State, TokenSet)]>,
    /// Tokens that complete the leaf.
    pub(super) complete: Box<[TokenId]>,
}

impl Ends {
    pub(super) fn new(vocabulary: &Vocabulary, leaf: &Leaf, start: State) -> Self {
        let mut walk = Walk { vocabulary, leaf, groups: HashMap::new(), complete: Vec::new() };
        walk.below(None, start);
        let finished = |(state, tokens): (State, Builder)| (state, tokens.finish());
        let mut groups: Box<[_]> = walk.groups.into_iter().map(finished).collect();
        groups.sort_unstable_by_key(|(state, _)| *state);
        Self { groups, complete: walk.complete.into() }
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

struct Walk<'a> {
    vocabulary: &'a Vocabulary,
    leaf: &'a Leaf,
    groups: HashMap<State, Builder>,
    complete: Vec<TokenId>,
}

impl Walk<'_> {
    fn below(&mut self, node: Option<u32>, state: State) {
        let trie = self.vocabulary.trie();
        for child in trie.children(node) {
            let Some(next) = self.leaf.step(state, trie.node(child).byte) else { continue };
            let token = trie.node(child).token;
            if self.leaf.is_complete(next) {
                self.complete.extend(token);
                continue;
            }
            if let Some(token) = token {
                let width = self.vocabulary.width();
                self.groups.entry(next).or_insert_with(|| TokenSet::builder(width)).insert(token);
            }
            self.below(Some(child), next);
        }
    }
}
