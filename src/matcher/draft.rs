//! Speculation: what becomes of tokens that somebody proposes, without taking them.

use super::Matcher;
use super::rules::Step;
use crate::special::TokenId;
use crate::token_mask::TokenMask;

/// A token of a draft tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DraftNode {
    /// The token.
    pub token: TokenId,
    /// The index of the node that it follows, which stands before it; `None` where it follows what was
    /// accepted.
    pub parent: Option<usize>,
}

impl Matcher {
    /// How many of these tokens, from the first, could be accepted one after the other. Takes none of them.
    ///
    /// ```
    /// use harmony_mask::{Compiler, Vocabulary};
    ///
    /// let compiler = Compiler::new(Vocabulary::o200k_harmony());
    /// let matcher = compiler.compile(&"{}".parse()?)?.matcher();
    /// let draft = matcher.vocabulary().encode_with_special("<|channel|>final json").expect("an encoder");
    /// assert_eq!(matcher.validate_tokens(&draft), 2, "an answer has no content type");
    /// # Ok::<(), harmony_mask::Error>(())
    /// ```
    #[must_use]
    pub fn validate_tokens(&self, tokens: &[TokenId]) -> usize {
        let mut step = self.step().clone();
        for (done, token) in tokens.iter().enumerate() {
            match self.rules.take(&step, *token, self.left_after(done)) {
                Some(next) => step = next,
                None => return done,
            }
        }
        tokens.len()
    }

    /// Fills a mask before each token of a draft and one after its last, as far as the draft is accepted;
    /// returns how many masks were filled: one more than tokens are accepted, or all of `masks`, where these
    /// are fewer. How many tokens are accepted is known only in the first case, so give one mask more than
    /// there are tokens, or ask [`validate_tokens`](Self::validate_tokens).
    pub fn fill_draft_masks(&self, draft: &[TokenId], masks: &mut [TokenMask]) -> usize {
        let mut step = self.step().clone();
        for (done, mask) in masks.iter_mut().enumerate() {
            self.rules.fill(&step, self.left_after(done), &mut mask.as_mut());
            let next =
                draft.get(done).and_then(|token| self.rules.take(&step, *token, self.left_after(done)));
            match next {
                Some(next) => step = next,
                None => return done + 1,
            }
        }
        masks.len()
    }

    /// Fills for each node of a draft tree the mask after its token; says which nodes are accepted. The mask
    /// of one that is not is empty.
    ///
    /// # Panics
    ///
    /// Where there are fewer masks than nodes, or a node stands before its parent.
    pub fn fill_tree_masks(&self, tree: &[DraftNode], masks: &mut [TokenMask]) -> Vec<bool> {
        let mut reached: Vec<Option<(Step, usize)>> = Vec::with_capacity(tree.len());
        for (node, mask) in tree.iter().zip(&mut masks[..tree.len()]) {
            let start = (self.step().clone(), 0);
            let parent = node.parent.map_or(Some(start), |parent| reached[parent].clone());
            let place = parent.and_then(|(step, done)| {
                Some((self.rules.take(&step, node.token, self.left_after(done))?, done + 1))
            });
            match &place {
                Some((step, done)) => self.rules.fill(step, self.left_after(*done), &mut mask.as_mut()),
                None => mask.clear(),
            }
            reached.push(place);
        }
        reached.iter().map(Option::is_some).collect()
    }
}
