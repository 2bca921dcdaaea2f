//! What follows in sequences, each once: a rest is its first symbol and the rest behind that.
//!
//! A sequence of symbols that may be empty is as many productions, and what follows the first symbol of one is
//! part of what follows that of the one before. Rests are numbered, so two frames of a stack are the same where
//! they wait for the same symbols, whichever productions they come from.

use std::collections::HashMap;
use std::iter;

use super::rules::Symbol;
use crate::expression::fingerprint;

/// A sequence of symbols that follow something; its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Rest(u32);

/// The first symbol of a rest, and what follows it.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) first: Symbol,
    pub(super) next: Rest,
    /// The number of symbols.
    pub(super) len: u32,
    /// The least length of its texts.
    pub(super) least: u32,
    /// The same for the same symbols, whatever number they have.
    pub(super) hash: u64,
}

/// All rests of a grammar.
#[derive(Debug, Default)]
pub(super) struct Rests {
    links: Vec<Link>,
    numbers: HashMap<(Symbol, Rest), Rest>,
}

impl Rest {
    /// No symbols.
    pub(super) const NONE: Self = Self(u32::MAX);
}

impl Rests {
    /// The rest of these symbols, each with the least length of its texts.
    pub(super) fn add(&mut self, symbols: impl DoubleEndedIterator<Item = (Symbol, u32)>) -> Rest {
        let Self { links, numbers } = self;
        symbols.rev().fold(Rest::NONE, |next, (first, least)| {
            *numbers.entry((first, next)).or_insert_with(|| {
                let (len, behind, hash) =
                    links.get(next.0 as usize).map_or((0, 0, 0), |link| (link.len, link.least, link.hash));
                let (least, hash) = (least.saturating_add(behind), fingerprint(&(first, hash)));
                links.push(Link { first, next, len: len + 1, least, hash });
                Rest(u32::try_from(links.len() - 1).expect("fewer rests than bytes of a grammar"))
            })
        })
    }

    /// Its first symbol and what follows; `None` where there are no symbols.
    pub(super) fn get(&self, rest: Rest) -> Option<&Link> {
        self.links.get(rest.0 as usize)
    }

    /// The least length of its texts.
    pub(super) fn least(&self, rest: Rest) -> u32 {
        self.get(rest).map_or(0, |link| link.least)
    }

    /// Its symbols and what follows each.
    pub(super) fn links(&self, rest: Rest) -> impl Iterator<Item = &Link> {
        iter::successors(self.get(rest), |link| self.get(link.next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_with_the_same_symbols_are_one() {
        let mut rests = Rests::default();
        let mut add = |rules: &[usize]| rests.add(rules.iter().map(|&rule| (Symbol::Rule(rule), 1)));
        let (long, short) = (add(&[1, 2, 3]), add(&[2, 3]));
        assert_ne!(long, add(&[3, 2, 3]));
        assert_eq!(add(&[]), Rest::NONE);
        assert_eq!(rests.get(long).map(|link| link.next), Some(short));
        assert_eq!((rests.least(long), rests.least(short), rests.least(Rest::NONE)), (3, 2, 0));
        assert_eq!(rests.links(long).map(|link| link.first).collect::<Vec<_>>(), [1, 2, 3].map(Symbol::Rule));
    }
}
