//! Shared sets of tokens, one of them but for a few.
//!
//! A state may read all that its class reads but for a few tokens (a name that is used up). Listing the rest
//! would be thousands of tokens for each such state, so those few are taken out again after the set was
//! copied: the mean of mask and accept went from 8.8 to 7.8 µs (every twelfth file of maskbench-dev, old and
//! new in turn). A set that is added to others cannot be taken out of.

use std::sync::Arc;

use super::token_set::TokenSet;
use crate::special::TokenId;
use crate::token_mask::{Base, Target};

/// A union of shared sets.
#[derive(Debug, Default)]
pub(super) struct Inside {
    first: Option<Except>,
    others: Vec<Arc<TokenSet>>,
}

/// A set without some of its tokens.
#[derive(Debug)]
struct Except {
    set: Arc<TokenSet>,
    tokens: Box<[TokenId]>,
}

impl Inside {
    /// Adds a set.
    pub(super) fn add(&mut self, set: &Arc<TokenSet>) {
        match &mut self.first {
            None => self.first = Some(Except { set: set.clone(), tokens: [].into() }),
            Some(first) if Arc::ptr_eq(&first.set, set) => first.tokens = [].into(),
            Some(_) if has(&self.others, set) => {}
            // What a mask begins with is put back, not written, where it began so before: that should be most
            // of it.
            Some(first) if first.set.is_shorter(set) && first.tokens.is_empty() => {
                self.others.push(std::mem::replace(&mut first.set, set.clone()));
            }
            Some(_) => self.others.push(set.clone()),
        }
    }

    /// Adds a set but for some of its tokens, ascending. Where another set is without some already it does
    /// nothing, and gives `false`.
    pub(super) fn add_except(&mut self, set: &Arc<TokenSet>, tokens: &[TokenId]) -> bool {
        if tokens.is_empty() || has(&self.others, set) {
            self.add(set);
            return true;
        }
        match &mut self.first {
            Some(first) if Arc::ptr_eq(&first.set, set) => {
                let both = first.tokens.iter().filter(|token| tokens.binary_search(token).is_ok());
                first.tokens = both.copied().collect();
            }
            Some(first) if !first.tokens.is_empty() => return false,
            first => {
                let before = first.replace(Except { set: set.clone(), tokens: tokens.into() });
                self.others.extend(before.map(|before| before.set));
            }
        }
        true
    }

    /// Makes the mask this union.
    pub(super) fn begin(&self, mask: &mut impl Target) {
        match &self.first {
            None => mask.begin(Base::EMPTY),
            Some(Except { set, tokens }) => {
                set.begin(mask);
                mask.remove_all(tokens);
            }
        }
        self.others.iter().for_each(|set| set.add_to(mask));
    }

    /// The bytes that no other union shares.
    pub(super) fn own_bytes(&self) -> usize {
        let except = self.first.as_ref().map_or(0, |first| size_of_val::<[TokenId]>(&first.tokens));
        except + self.others.capacity() * size_of::<Arc<TokenSet>>()
    }
}

fn has(sets: &[Arc<TokenSet>], set: &Arc<TokenSet>) -> bool {
    sets.iter().any(|known| Arc::ptr_eq(known, set))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::token_mask::TokenMask;

    proptest! {
        /// Each addition is a union with the set but for the tokens, whatever came before.
        #[test]
        fn is_a_union(additions in proptest::collection::vec((0_usize..3, proptest::collection::btree_set(0_u32..6, 0..4)), 0..6)) {
            let sets = [([0, 1, 2], false), ([1, 2, 3], true), ([3, 4, 5], false)].map(|(tokens, are_words)| {
                let mut builder = TokenSet::builder(6);
                if are_words {
                    builder.insert_words(&[0]);
                }
                builder.insert_all(&tokens);
                (Arc::new(builder.finish()), BTreeSet::from(tokens))
            });
            let (mut inside, mut expected) = (Inside::default(), BTreeSet::new());
            for (place, except) in additions {
                let (set, tokens) = &sets[place];
                let except: Vec<u32> = except.intersection(tokens).copied().collect();
                if inside.add_except(set, &except) {
                    expected.extend(tokens.iter().filter(|token| !except.contains(token)));
                }
            }
            let mut mask = TokenMask::new(6);
            mask.insert(0);
            inside.begin(&mut mask.as_mut());
            prop_assert_eq!(mask.iter().collect::<BTreeSet<_>>(), expected);
        }
    }
}
