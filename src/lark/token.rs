//! The words of a grammar.

use std::fmt;

use serde_json::Value;

use super::error::Position;
use super::syntax::{RegexSyntax, TextSyntax};
use crate::special::SpecialToken;

/// A token and where it begins.
pub(super) type Located = (Position, Token);

/// One word of a grammar.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name in small letters.
    Rule(String),
    /// A name in capitals.
    Terminal(String),
    Hole(String),
    Text(TextSyntax),
    Regex(RegexSyntax),
    Special(SpecialToken),
    /// `%json` with its schema.
    Json(Value),
    Number(u32),
    /// A number below zero: only ever a priority.
    Negative,
    Ignore,
    Import,
    Colon,
    Bar,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Question,
    Bang,
    Star,
    Plus,
    Tilde,
    Ampersand,
    Arrow,
    Comma,
    Dots,
    Dot,
    LineEnd,
    End,
}

impl Token {
    /// Longer ones stand before those that they begin with.
    pub(super) const PUNCTUATION: [(&'static str, Self); 18] = [
        ("->", Self::Arrow),
        ("..", Self::Dots),
        (":", Self::Colon),
        ("|", Self::Bar),
        ("(", Self::Open),
        (")", Self::Close),
        ("[", Self::OpenBracket),
        ("]", Self::CloseBracket),
        ("{", Self::OpenBrace),
        ("}", Self::CloseBrace),
        ("?", Self::Question),
        ("!", Self::Bang),
        ("*", Self::Star),
        ("+", Self::Plus),
        ("~", Self::Tilde),
        ("&", Self::Ampersand),
        (",", Self::Comma),
        (".", Self::Dot),
    ];
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(name) | Self::Terminal(name) => write!(f, "`{name}`"),
            Self::Hole(name) => write!(f, "`@{name}`"),
            Self::Text(text) => write!(f, "{:?}", text.text),
            Self::Regex(regex) => write!(f, "/{}/{}", regex.source, regex.flags),
            Self::Special(token) => write!(f, "`{token}`"),
            Self::Json(_) => f.write_str("`%json`"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Negative => f.write_str("a negative number"),
            Self::Ignore => f.write_str("`%ignore`"),
            Self::Import => f.write_str("`%import`"),
            Self::LineEnd => f.write_str("the end of the line"),
            Self::End => f.write_str("the end of the grammar"),
            punctuation => {
                let known = Self::PUNCTUATION.iter().find(|(_, token)| token == punctuation);
                write!(f, "`{}`", known.map_or("", |(text, _)| text))
            }
        }
    }
}
