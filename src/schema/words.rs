//! Strings that are listed one by one.

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use crate::limits::LimitExceeded;
use crate::regular::Dfa;

/// From so many bytes on, an automaton is made when compiling: it takes a millisecond and more, for which a
/// mask would be waited for. Six of the 8,406 files of MaskBench list so much.
const LONG: usize = 1 << 14;

/// The strings of an `enum` or `const`.
///
/// Their automaton is made when it is first asked for, unless they are long: a document may list words in
/// places that no text reaches.
#[derive(Debug)]
pub struct Words {
    /// One after the other, in byte order.
    text: Box<str>,
    /// Where each of them ends.
    ends: Box<[usize]>,
    dfa: OnceLock<Arc<Dfa>>,
}

impl Words {
    /// Takes words in byte order. Their automaton is made at once where it could have more than `limit`
    /// states, or where it takes long.
    pub(super) fn new<'w>(
        words: impl ExactSizeIterator<Item = &'w str>,
        limit: usize,
    ) -> Result<Self, LimitExceeded> {
        let mut text = String::new();
        let mut ends = Vec::with_capacity(words.len());
        for word in words {
            text.push_str(word);
            ends.push(text.len());
        }
        let words = Self { text: text.into(), ends: ends.into(), dfa: OnceLock::new() };
        // At most one for each byte, and the first.
        if words.text.len() < limit.min(LONG) {
            return Ok(words);
        }
        let dfa = Arc::new(words.make(limit)?);
        Ok(Self { dfa: dfa.into(), ..words })
    }

    fn make(&self, limit: usize) -> Result<Dfa, LimitExceeded> {
        Dfa::words(self.iter().map(|word| (word, 0)), limit)
    }

    /// How many there are.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is at least one")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The words, in byte order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|word| self.word(word))
    }

    fn word(&self, word: usize) -> &str {
        let begin = word.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[begin..self.ends[word]]
    }

    /// Whether a text is one of these.
    #[must_use]
    pub fn contains(&self, text: &str) -> bool {
        let mut rest = 0..self.len();
        while !rest.is_empty() {
            let middle = rest.start.midpoint(rest.end);
            match self.word(middle).cmp(text) {
                Ordering::Equal => return true,
                Ordering::Less => rest.start = middle + 1,
                Ordering::Greater => rest.end = middle,
            }
        }
        false
    }

    /// The words as an automaton.
    #[must_use]
    pub fn dfa(&self) -> &Arc<Dfa> {
        self.dfa.get_or_init(|| Arc::new(self.make(usize::MAX).expect("no limit")))
    }
}

impl PartialEq for Words {
    fn eq(&self, other: &Self) -> bool {
        self.ends == other.ends && self.text == other.text
    }
}

impl Eq for Words {}
