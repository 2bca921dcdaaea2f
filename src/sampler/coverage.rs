//! Which branches of a grammar were taken.

use std::collections::{BTreeMap, HashSet};

use fastrand::Rng;

use crate::automaton::{Branch, Offer, Residual, Unit};
use crate::matcher::Matcher;

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
    /// Notes what a completion was offered, and what it took.
    pub fn add(&mut self, matcher: &Matcher) {
        let (vocabulary, automaton) = (matcher.vocabulary(), matcher.automaton());
        let mut residual = automaton.start().clone();
        for token in matcher.tokens() {
            let bytes = vocabulary.token_bytes(*token).unwrap_or_default().iter().copied().map(Unit::Byte);
            for unit in bytes.chain(vocabulary.special(*token).map(Unit::Special)) {
                self.offer(matcher, &residual);
                self.take(automaton.taken(&residual, Some(unit)));
                residual = automaton.step(&residual, unit).expect("the matcher accepted it");
            }
        }
        self.offer(matcher, &residual);
        self.take(automaton.taken(&residual, None));
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

    /// The way to take the branch that was taken least of all that are offered here; one of them where there are several.
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
