//! How a walk chooses among the tokens that its mask allows.

use fastrand::Rng;

use crate::matcher::Matcher;
use crate::special::TokenId;
use crate::token_mask::TokenMask;
use crate::vocabulary::Vocabulary;

/// What a walk prefers to say. Each preference reaches states that the others rarely see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Habit {
    /// Any allowed token.
    Uniform,
    /// Branches of the grammar that were taken least.
    Rare,
    /// The longest tokens.
    Longest,
    /// Tokens with a backslash.
    Escapes,
    /// Tokens that are not valid UTF-8 by themselves.
    Partial,
    /// The shortest way to the end, with detours.
    Hasty,
}

impl Habit {
    /// Every habit.
    pub const ALL: [Self; 6] =
        [Self::Uniform, Self::Rare, Self::Longest, Self::Escapes, Self::Partial, Self::Hasty];
}

/// A habit is left for one token, once in so many.
const DETOUR: usize = 6;
/// Up to so many allowed tokens are looked at one by one.
const FEW: usize = 512;
/// The longest walk through a list of preferred tokens, and the longest guess at an allowed one.
const TRIES: usize = 256;

/// The tokens that habits prefer, by vocabulary.
pub(super) struct Choosers {
    vocabulary: Vocabulary,
    longest: Vec<TokenId>,
    escapes: Vec<TokenId>,
    partial: Vec<TokenId>,
}

impl Choosers {
    pub(super) fn new(vocabulary: &Vocabulary) -> Self {
        let bytes = |token: &TokenId| vocabulary.token_bytes(*token);
        let all = || (0..).take(vocabulary.width()).filter(|token| bytes(token).is_some());
        let with =
            |wanted: fn(&[u8]) -> bool| all().filter(|token| bytes(token).is_some_and(wanted)).collect();
        let mut longest: Vec<TokenId> = all().collect();
        longest.sort_by_key(|token| std::cmp::Reverse(bytes(token).map_or(0, <[u8]>::len)));
        Self {
            longest,
            escapes: with(|bytes| bytes.contains(&b'\\')),
            partial: with(|bytes| std::str::from_utf8(bytes).is_err()),
            vocabulary: vocabulary.clone(),
        }
    }

    /// One allowed token; `None` where there is none.
    pub(super) fn choose(
        &self,
        matcher: &Matcher,
        mask: &TokenMask,
        habit: Habit,
        random: &mut Rng,
    ) -> Option<TokenId> {
        let habit = if random.usize(..DETOUR) == 0 { Habit::Uniform } else { habit };
        let preferred = match habit {
            Habit::Uniform | Habit::Rare => None,
            Habit::Longest => self.longest(mask, random),
            Habit::Escapes => from_list(&self.escapes, mask, random),
            Habit::Partial => from_list(&self.partial, mask, random),
            Habit::Hasty => matcher.shortest_completion().first().copied(),
        };
        preferred.or_else(|| uniform(mask, random))
    }

    /// One of the longest allowed tokens.
    fn longest(&self, mask: &TokenMask, random: &mut Rng) -> Option<TokenId> {
        let len = |token: &TokenId| self.vocabulary.token_bytes(*token).map_or(0, <[u8]>::len);
        if mask.count() <= FEW {
            return mask.iter().max_by_key(len);
        }
        let skipped = random.usize(..TRIES);
        self.longest.iter().skip(skipped).find(|token| mask.contains(**token)).copied()
    }
}

fn from_list(list: &[TokenId], mask: &TokenMask, random: &mut Rng) -> Option<TokenId> {
    let start = if list.is_empty() { return None } else { random.usize(..list.len()) };
    list.iter().cycle().skip(start).take(TRIES).find(|token| mask.contains(**token)).copied()
}

fn uniform(mask: &TokenMask, random: &mut Rng) -> Option<TokenId> {
    // Where much is allowed, a guess is soon right, and cheaper than counting.
    let guess = (0..TRIES).map(|_| random.usize(..mask.width().max(1)) as TokenId);
    if let Some(token) = guess.into_iter().find(|token| mask.contains(*token)) {
        return Some(token);
    }
    let count = mask.count();
    (count > 0).then(|| mask.iter().nth(random.usize(..count)))?
}
