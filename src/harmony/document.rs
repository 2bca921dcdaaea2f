//! The text of a request, as JSON.

use std::borrow::Cow;

use serde_json::Value;

use super::error::{RequestError, RequestErrorKind};
use crate::recursion;

/// Reads the text of a request.
///
/// JSON's grammar admits half of a surrogate pair as an escape (`"\ud83c"`), and clients that cut strings by
/// UTF-16 units send such. It is no character, so it is read as U+FFFD, which is what it is on the web; but not
/// in a name, since two names could become one.
///
/// ```
/// let request = harmony_mask::harmony::document(r#"{"input": "\ud83c\udf89, \ud83c"}"#)?;
/// assert_eq!(request["input"], "🎉, \u{fffd}");
/// # Ok::<(), harmony_mask::harmony::RequestError>(())
/// ```
///
/// # Errors
/// When the text is not JSON or nested more than 128 levels deep, or a name has half a pair.
pub fn document(text: &str) -> Result<Value, RequestError> {
    let read = || serde_json::from_str(&with_whole_characters(text));
    recursion::with_room(recursion::JSON_ROOM, read).map_err(|error| RequestError::new("", refusal(&error)))
}

/// Only `serde_json`'s words tell text that is not JSON from text that goes deeper than it follows.
fn refusal(error: &serde_json::Error) -> RequestErrorKind {
    let words = error.to_string();
    match words.strip_prefix("recursion limit exceeded") {
        Some(place) => RequestErrorKind::TooDeep(format!("more than 128 levels{place}")),
        None => RequestErrorKind::NotJson(words),
    }
}

/// The text with each escape of half a pair, but those in names, replaced by one of the same length, so that
/// errors name the right column.
fn with_whole_characters(text: &str) -> Cow<'_, str> {
    let mut whole = String::new();
    let (mut copied, mut at) = (0, 0);
    // Where the string ends in which a half was found last, and whether it is a name.
    let mut string = (0, false);
    while let Some(found) = text[at..].find('\\') {
        at += found;
        let (unit, after) = (escaped_unit(&text[at..]), at + ESCAPE);
        at = match unit {
            Some(0xd800..=0xdbff)
                if matches!(text.get(after..).and_then(escaped_unit), Some(0xdc00..=0xdfff)) =>
            {
                after + ESCAPE
            }
            Some(0xd800..=0xdfff) => {
                if string.0 < after {
                    string = string_from(text, after);
                }
                if !string.1 {
                    whole.push_str(&text[copied..at]);
                    whole.push_str(r"\ufffd");
                    copied = after;
                }
                after
            }
            // Not an escape of a unit: the character after the backslash is escaped, or there is none.
            _ => at + 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
        };
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    whole.push_str(&text[copied..]);
    Cow::Owned(whole)
}

/// Where the string ends that goes on from a place, and whether it is a name, which a colon follows.
fn string_from(text: &str, from: usize) -> (usize, bool) {
    let mut bytes = text.bytes().enumerate().skip(from);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' => return (at, text[at + 1..].trim_start().starts_with(':')),
            _ => {}
        }
    }
    (text.len(), false)
}

/// The length of `\ud83c`.
const ESCAPE: usize = 6;

/// The UTF-16 unit whose escape a text begins with.
fn escaped_unit(text: &str) -> Option<u16> {
    let digits = text
        .strip_prefix("\\u")?
        .get(..4)
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}
