//! Strings: a language of decoded text and a window of lengths.

use std::sync::Arc;

use super::cells::ObjectCell;
use super::values::Strings;
use crate::limits::LimitExceeded;
use crate::regular::Dfa;

/// The same strings; `None` where there are none.
pub(super) fn normal(strings: Strings) -> Option<Strings> {
    let window = strings.max_length.is_none_or(|max| strings.min_length <= max);
    let inhabited = match &strings.language {
        Some(language) => !language.is_empty(),
        None => true,
    };
    (window && inhabited).then_some(strings)
}

/// The strings of both; `None` where there are none.
pub(super) fn intersect(
    a: &Strings,
    b: &Strings,
    max_states: usize,
) -> Result<Option<Strings>, LimitExceeded> {
    let language = match (&a.language, &b.language) {
        (Some(left), Some(right)) if left == right => Some(Arc::clone(left)),
        (Some(left), Some(right)) => Some(Arc::new(left.intersection(right, max_states)?)),
        (language, None) | (None, language) => language.clone(),
    };
    Ok(normal(Strings {
        language,
        min_length: a.min_length.max(b.min_length),
        max_length: a.max_length.into_iter().chain(b.max_length).min(),
        finite: a.finite || b.finite,
    }))
}

/// Whether it is plain that everything in `b` is in `a`.
pub(super) fn includes(a: &Strings, b: &Strings) -> bool {
    a.min_length <= b.min_length
        && a.max_length.is_none_or(|max| b.max_length.is_some_and(|other| other <= max))
        && (a.language.is_none() || a.language == b.language)
}

/// The length of a shortest JSON text.
pub(super) fn least_len(strings: &Strings) -> u64 {
    match &strings.language {
        None => 2 + u64::from(strings.min_length),
        Some(language) => language.shortest().map_or(0, |text| spelled_len(&String::from_utf8_lossy(&text))),
    }
}

/// The length of a text as a JSON string, with the escapes that JSON needs.
pub(super) fn spelled_len(text: &str) -> u64 {
    let spelled = text.chars().map(|character| match character {
        '"' | '\\' | '\u{8}' | '\u{c}' | '\n' | '\r' | '\t' => 2,
        '\0'..='\u{1f}' => 6,
        _ => character.len_utf8() as u64,
    });
    2 + spelled.sum::<u64>()
}

/// Lengths of names that are no member's: pairs of a spelled length and how many names there are of it, enough for `needed`.
pub(super) fn name_lens(names: Option<&Dfa>, object: &ObjectCell<'_>, needed: u64) -> Vec<(u64, u64)> {
    let _ = names;
    let taken = object.members.len() as u64;
    // Printable ASCII without the quote and the backslash.
    let length = (0..).find(|&length| 93_u64.saturating_pow(length) >= needed + taken).unwrap_or(0);
    vec![(2 + u64::from(length), needed)]
}
