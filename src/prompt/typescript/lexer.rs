//! The notation's tokens.

use crate::prompt::error::{Fault, ReadErrorKind};
use crate::prompt::read::Excerpt;

/// A token and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    /// Its first byte, in the prompt.
    pub(super) at: usize,
    /// The white space before it, in characters, where it is the first on its line.
    pub(super) indent: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// A name, a keyword, a number.
    Word(&'a str),
    /// A string, unescaped.
    Text(String),
    /// What stands after `//`, up to the line's end.
    Comment(&'a str),
    /// Punctuation.
    Sign(&'static str),
}

const SIGNS: [&str; 15] = ["=>", "{", "}", "(", ")", "[", "]", "<", ">", ";", ":", "?", "|", ",", "="];

/// What a word consists of: the characters of names in TypeScript, and those that tools' and members' names
/// have besides.
pub(super) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '$' | '@' | '.')
}

/// The tokens of a text.
pub(super) fn tokens(excerpt: Excerpt<'_>) -> Result<Vec<Token<'_>>, Fault> {
    let mut tokens = Vec::new();
    let mut line_start = 0;
    let mut is_first = true;
    let mut rest = excerpt.text;
    while let Some(character) = rest.chars().next() {
        let start = excerpt.text.len() - rest.len();
        if character.is_whitespace() {
            rest = &rest[character.len_utf8()..];
            if character == '\n' {
                (line_start, is_first) = (start + 1, true);
            }
            continue;
        }
        let (kind, len) = token(rest).map_err(|kind| Fault { at: excerpt.at + start, kind })?;
        let indent = is_first.then(|| excerpt.text[line_start..start].chars().count());
        tokens.push(Token { kind, at: excerpt.at + start, indent });
        is_first = false;
        rest = &rest[len..];
    }
    Ok(tokens)
}

/// The token that a text begins with, and its length.
fn token(text: &str) -> Result<(Kind<'_>, usize), ReadErrorKind> {
    if let Some(comment) = text.strip_prefix("//") {
        let comment = comment.split('\n').next().unwrap_or_default();
        return Ok((Kind::Comment(comment), 2 + comment.len()));
    }
    if text.starts_with('"') {
        return string(text);
    }
    if let Some(sign) = SIGNS.into_iter().find(|sign| text.starts_with(sign)) {
        return Ok((Kind::Sign(sign), sign.len()));
    }
    let len = text.find(|character| !is_word(character)).unwrap_or(text.len());
    if len == 0 {
        let found = text.chars().take(1).collect::<String>();
        return Err(ReadErrorKind::Expected { expected: "a type".to_owned(), found: format!("`{found}`") });
    }
    Ok((Kind::Word(&text[..len]), len))
}

/// A string with JSON's escapes.
fn string(text: &str) -> Result<(Kind<'_>, usize), ReadErrorKind> {
    let mut is_escaped = false;
    let end = text[1..].find(|character| {
        let ends = character == '\n' || (character == '"' && !is_escaped);
        is_escaped = character == '\\' && !is_escaped;
        ends
    });
    let len = end.map_or(text.len(), |end| 1 + end + 1);
    match serde_json::from_str(&text[..len]) {
        Ok(string) => Ok((Kind::Text(string), len)),
        Err(error) => Err(ReadErrorKind::NotJson(error.to_string())),
    }
}
