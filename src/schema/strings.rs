//! Strings: a language of decoded text and a window of lengths.

use std::sync::Arc;

use foldhash::{HashSet, HashSetExt};

use super::cells::Cells;
use super::json::spelled_len;
use super::languages::Languages;
use super::values::Strings;
use crate::limits::{LimitExceeded, Limits};
use crate::regular::{Dfa, StateId, Window, begins_character, counted};

impl Cells<'_> {
    /// Whether a word is one of the strings; `None` where it may be.
    pub(super) fn has_word(&self, word: &str) -> Option<bool> {
        if self.words.contains(word) || self.texts.iter().any(|text| text.contains(word)) {
            return Some(true);
        }
        if self.texts.iter().any(|text| may_contain(text, word)) { None } else { Some(false) }
    }

    /// The strings that a text may have some of.
    pub(super) fn offered_texts(&self) -> impl Iterator<Item = &Strings> {
        self.texts.iter().filter(|strings| !is_doubtful(strings))
    }
}

/// The same strings; `None` where there surely are none.
pub(super) fn normal(strings: Strings, limits: &Limits) -> Result<Option<Strings>, LimitExceeded> {
    if is_inhabited(&strings, strings.language.as_ref(), limits)? {
        return Ok(Some(strings));
    }
    let may_have_some = match &strings.superset {
        None => false,
        superset => is_inhabited(&strings, superset.as_ref(), limits)?,
    };
    Ok(may_have_some.then(|| Strings { language: Some(Arc::new(Dfa::empty())), ..strings }))
}

/// Words of which each may be one of the strings or not, if there is one.
pub(super) fn doubtful(words: &[&str], limits: &Limits) -> Result<Option<Strings>, LimitExceeded> {
    if words.is_empty() {
        return Ok(None);
    }
    let superset = Dfa::words(words.iter().map(|word| (word, 0)), limits.dfa_states)?;
    let language = Some(Arc::new(Dfa::empty()));
    Ok(Some(Strings { language, superset: Some(Arc::new(superset)), ..Strings::default() }))
}

/// Whether the strings are doubtful only: nothing surely is one of them, something may be. No text spells
/// them; they are kept because what is subtracted from a set must remove them, too.
fn is_doubtful(strings: &Strings) -> bool {
    strings.language.as_ref().is_some_and(|language| language.is_empty())
}

/// Whether a language has words of the lengths of some strings.
fn is_inhabited(
    strings: &Strings,
    language: Option<&Arc<Dfa>>,
    limits: &Limits,
) -> Result<bool, LimitExceeded> {
    let (min, max) = (strings.min_length, strings.max_length);
    Ok(match language {
        None => max.is_none_or(|max| min <= max),
        Some(language) if (min, max) == (0, None) => !language.is_empty(),
        Some(language) => match is_plainly_inhabited(language, min, max, limits) {
            Some(inhabited) => inhabited,
            None => !Window::new(Arc::clone(language), min, max, limits.window_entries)?.is_empty(),
        },
    })
}

/// Whether a language has words of these lengths, where that is known without a table of lengths: from a
/// shortest word, or because there is no longest one. `None`, too, where the table that is needed later may
/// be too large.
fn is_plainly_inhabited(language: &Dfa, min: u32, max: Option<u32>, limits: &Limits) -> Option<bool> {
    let rows = (min as usize).saturating_add(2);
    if language.is_empty() || rows.saturating_mul(language.states()) > limits.window_entries {
        return None;
    }
    let least = language.least_chars()[language.start() as usize];
    if least >= min {
        return Some(max.is_none_or(|max| least <= max));
    }
    (max.is_none() && language.count().is_none()).then_some(true)
}

/// The strings of both; `None` where there are none.
pub(super) fn intersect(
    a: &Strings,
    b: &Strings,
    languages: &mut Languages,
) -> Result<Option<Strings>, LimitExceeded> {
    let language = both(a.language.as_ref(), b.language.as_ref(), languages)?;
    let superset = match (&a.superset, &b.superset) {
        (None, None) => None,
        _ => both(
            a.superset.as_ref().or(a.language.as_ref()),
            b.superset.as_ref().or(b.language.as_ref()),
            languages,
        )?,
    };
    let strings = Strings {
        language,
        min_length: a.min_length.max(b.min_length),
        max_length: a.max_length.into_iter().chain(b.max_length).min(),
        superset,
    };
    normal(strings, languages.limits())
}

/// The words of both languages, where none means all text.
fn both(
    a: Option<&Arc<Dfa>>,
    b: Option<&Arc<Dfa>>,
    languages: &mut Languages,
) -> Result<Option<Arc<Dfa>>, LimitExceeded> {
    match (a, b) {
        (Some(left), Some(right)) => languages.intersection(left, right).map(Some),
        (language, None) | (None, language) => Ok(language.cloned()),
    }
}

/// The strings that are surely not among these.
pub(super) fn complement(
    strings: &Strings,
    languages: &mut Languages,
) -> Result<Vec<Strings>, LimitExceeded> {
    let mut others = Vec::new();
    if let Some(language) = &strings.language {
        let mut complement = |of: &Arc<Dfa>| languages.complement(of);
        // What is in neither language may be such a string or not, so it is in neither complement.
        let (language, superset) = match &strings.superset {
            None => (complement(language)?, None),
            Some(superset) => (complement(superset)?, Some(complement(language)?)),
        };
        others.extend(normal(
            Strings { language: Some(language), superset, ..Strings::default() },
            languages.limits(),
        )?);
    }
    if let Some(shorter) = strings.min_length.checked_sub(1) {
        others.push(Strings { max_length: Some(shorter), ..Strings::default() });
    }
    if let Some(max) = strings.max_length {
        others.push(Strings { min_length: max.saturating_add(1), ..Strings::default() });
    }
    Ok(others)
}

/// Whether a text may be one of these: it is not surely none.
fn may_contain(strings: &Strings, text: &str) -> bool {
    match &strings.superset {
        None => strings.contains(text),
        Some(superset) => {
            let window = Strings { language: Some(Arc::clone(superset)), superset: None, ..strings.clone() };
            window.contains(text)
        }
    }
}

/// The words of a cell as an automaton, its window of lengths included.
pub(super) fn automaton(strings: &Strings, limits: &Limits) -> Result<Arc<Dfa>, LimitExceeded> {
    let language = strings.language.clone().unwrap_or_else(Dfa::text);
    if (strings.min_length, strings.max_length) == (0, None) {
        return Ok(language);
    }
    let window = Dfa::of_length(strings.min_length, strings.max_length, limits.dfa_states)?;
    Ok(Arc::new(language.intersection(&window, limits.dfa_states)?))
}

/// Whether it is plain that everything in `b` is in `a`, and what may be in `b` may be in `a`.
pub(super) fn includes(a: &Strings, b: &Strings) -> bool {
    a.min_length <= b.min_length
        && a.max_length.is_none_or(|max| b.max_length.is_some_and(|other| other <= max))
        && (a.language.is_none() || a.language == b.language)
        && (a.language.is_none() || b.superset.is_none() || a.superset == b.superset)
}

/// The length of a shortest JSON text, or more where finding that out would take long.
pub(super) fn least_len(strings: &Strings) -> u64 {
    let Some(language) = &strings.language else { return 2 + u64::from(strings.min_length) };
    let shortest = language.shortest().and_then(|word| std::str::from_utf8(word).ok());
    let shortest = shortest.filter(|word| strings.contains(word));
    let spelled = shortest.map(|word| spelled_len(word) as u64);
    // A word with escapes may be spelled longer than one with more characters.
    if let (Some(word), Some(spelled)) = (shortest, spelled)
        && spelled == word.len() as u64 + 2
    {
        return spelled;
    }
    let found = search(language, strings).into_iter().chain(spelled).min();
    found.unwrap_or_else(|| bound(language, u64::from(strings.min_length)))
}

/// Positions that a search for a shortest text looks at.
const POSITIONS: usize = 4_096;

/// Breadth-first over states and numbers of characters, without those that need an escape; `None` where there
/// are too many.
fn search(language: &Dfa, strings: &Strings) -> Option<u64> {
    let is_word =
        |&(state, chars): &(StateId, u32)| language.label(state).is_some() && chars >= strings.min_length;
    let mut layer = vec![(language.start(), 0)];
    let mut seen: HashSet<_> = layer.iter().copied().collect();
    let bytes = telling_bytes(language);
    let mut len = 2;
    while !layer.iter().any(is_word) {
        layer = layer.iter().flat_map(|&position| longer(language, strings, &bytes, position)).collect();
        layer.retain(|position| seen.insert(*position));
        len += 1;
        if layer.is_empty() || seen.len() > POSITIONS {
            return None;
        }
    }
    Some(len)
}

/// The bytes that need no escape, one for each class.
fn telling_bytes(language: &Dfa) -> Vec<u8> {
    let mut seen = HashSet::new();
    let plain = (b' '..=u8::MAX).filter(|byte| !matches!(byte, b'"' | b'\\'));
    plain.filter(|byte| seen.insert((language.class_of(*byte), begins_character(*byte)))).collect()
}

/// The positions one byte further.
fn longer(
    language: &Dfa,
    strings: &Strings,
    bytes: &[u8],
    (state, chars): (StateId, u32),
) -> Vec<(StateId, u32)> {
    let bounds = (strings.min_length, strings.max_length);
    let next = |byte: &u8| {
        let chars = counted(chars + u32::from(begins_character(*byte)), bounds);
        Some((language.next(state, *byte)?, chars))
    };
    let positions = bytes.iter().filter_map(next);
    positions.filter(|(_, chars)| strings.max_length.is_none_or(|max| *chars <= max)).collect()
}

/// As long as a shortest word of at least `min` characters can be: past them no state comes twice.
pub(super) fn bound(language: &Dfa, min: u64) -> u64 {
    let characters = min.saturating_add(language.states() as u64);
    characters.saturating_mul(6).saturating_add(2)
}
