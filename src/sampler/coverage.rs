//! Which branches of a grammar were taken.

use std::collections::{BTreeMap, HashSet};

use fastrand::Rng;

use crate::automaton::{Branch, Offer, Residual, Unit};
use crate::matcher::Matcher;
use crate::special::TokenId;

/// The branches that completions were offered, and how often each was taken. See [`Branch`].
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    branches: BTreeMap<Branch, u64>,
    /// Where all offers were noted already.
    known: HashSet<Residual>,
}

/// Places remembered; where there are more, they are forgotten and looked at again.
const KNOWN: usize = 1 << 16;

impl Coverage {
    /// Notes what a completion was offered, and what it took: the tokens that the matcher accepted. Of a
    /// matcher that goes on after a prompt, the prompt's own tokens do not count, as nobody chose them here.
    pub fn add(&mut self, matcher: &Matcher) {
        // Each token from where the matcher read it: a cap on reasoning may have left less than what the
        // automaton goes on with.
        for (residual, token) in matcher.residuals().zip(matcher.tokens()) {
            self.add_token(matcher, residual, *token);
        }
        self.offer(matcher, matcher.residual());
        self.take(matcher.automaton().taken(matcher.residual(), None));
    }

    fn add_token(&mut self, matcher: &Matcher, before: &Residual, token: TokenId) {
        let (vocabulary, automaton) = (matcher.vocabulary(), matcher.automaton());
        let bytes = vocabulary.token_bytes(token).unwrap_or_default().iter().copied().map(Unit::Byte);
        let mut residual = before.clone();
        for unit in bytes.chain(vocabulary.special(token).map(Unit::Special)) {
            self.offer(matcher, &residual);
            self.take(automaton.taken(&residual, Some(unit)));
            residual = automaton.step(&residual, unit).expect("a token is read as its bytes are");
        }
    }

    fn offer(&mut self, matcher: &Matcher, residual: &Residual) {
        if self.known.len() >= KNOWN {
            self.known.clear();
        }
        if self.known.insert(residual.clone()) {
            for offer in matcher.automaton().offers(residual) {
                self.branches.entry(offer.branch).or_default();
            }
        }
    }

    fn take(&mut self, taken: Vec<Branch>) {
        for branch in taken {
            *self.branches.entry(branch).or_default() += 1;
        }
    }

    /// The way to take the branch that was taken least of all that are offered here; one of them where there
    /// are several.
    pub(super) fn rarest(&self, matcher: &Matcher, random: &mut Rng) -> Option<Vec<Unit>> {
        let offers = matcher.automaton().offers(matcher.residual());
        let count = |offer: &Offer| self.branches.get(&offer.branch).copied().unwrap_or_default();
        let least = offers.iter().map(count).min()?;
        let rare: Vec<&Offer> =
            offers.iter().filter(|offer| count(offer) == least && !offer.way.is_empty()).collect();
        random.choice(rare).map(|offer| offer.way.clone())
    }

    /// Branches that were offered.
    #[must_use]
    pub fn offered(&self) -> usize {
        self.branches.len()
    }

    /// Those of them that were taken.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.branches.values().filter(|count| **count > 0).count()
    }

    /// Those of them that were never taken, in order.
    pub fn missing(&self) -> impl Iterator<Item = &Branch> {
        self.branches.iter().filter(|(_, count)| **count == 0).map(|(branch, _)| branch)
    }
}
