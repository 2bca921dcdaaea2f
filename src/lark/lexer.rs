//! Text to tokens.
//!
//! A line end separates rules, so it is a token; inside parentheses, where no rule can end, it is dropped here.

use std::fmt;
use std::iter::Peekable;
use std::str::Chars;

use super::error::{LarkError, LarkErrorKind, Position};
use crate::special::SpecialToken;

/// One word of a grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Name(String),
    Hole(String),
    Text(String),
    Special(SpecialToken),
    Colon,
    Bar,
    Open,
    Close,
    Question,
    Star,
    Plus,
    LineEnd,
    End,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "`{name}`"),
            Self::Hole(name) => write!(f, "`@{name}`"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Special(token) => write!(f, "`{token}`"),
            Self::Colon => f.write_str("`:`"),
            Self::Bar => f.write_str("`|`"),
            Self::Open => f.write_str("`(`"),
            Self::Close => f.write_str("`)`"),
            Self::Question => f.write_str("`?`"),
            Self::Star => f.write_str("`*`"),
            Self::Plus => f.write_str("`+`"),
            Self::LineEnd => f.write_str("the end of the line"),
            Self::End => f.write_str("the end of the grammar"),
        }
    }
}

/// A token and where it begins.
pub(super) type Located = (Position, Token);

/// All tokens of a grammar; the last is [`Token::End`].
pub(super) fn tokens(source: &str) -> Result<Vec<Located>, LarkError> {
    let mut lexer =
        Lexer { rest: source.chars().peekable(), position: Position { line: 1, column: 1 }, open: 0 };
    let mut tokens = Vec::new();
    loop {
        let located = lexer.token()?;
        let repeated =
            located.1 == Token::LineEnd && matches!(tokens.last(), None | Some((_, Token::LineEnd)));
        let done = located.1 == Token::End;
        if !repeated {
            tokens.push(located);
        }
        if done {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    rest: Peekable<Chars<'a>>,
    position: Position,
    open: usize,
}

impl Lexer<'_> {
    fn bump(&mut self) -> Option<char> {
        let character = self.rest.next()?;
        if character == '\n' {
            self.position = Position { line: self.position.line + 1, column: 1 };
        } else {
            self.position.column += 1;
        }
        Some(character)
    }

    fn token(&mut self) -> Result<Located, LarkError> {
        loop {
            let position = self.position;
            let token = match self.bump() {
                None => Token::End,
                Some('\n') if self.open == 0 => Token::LineEnd,
                Some(' ' | '\t' | '\r' | '\n') => continue,
                Some('/') if self.rest.peek() == Some(&'/') => {
                    self.skip_comment();
                    continue;
                }
                Some(first) => self.word(position, first)?,
            };
            return Ok((position, token));
        }
    }

    fn word(&mut self, position: Position, first: char) -> Result<Token, LarkError> {
        Ok(match first {
            ':' => Token::Colon,
            '|' => Token::Bar,
            '?' => Token::Question,
            '*' => Token::Star,
            '+' => Token::Plus,
            '(' => {
                self.open += 1;
                Token::Open
            }
            ')' => {
                self.open = self.open.saturating_sub(1);
                Token::Close
            }
            '"' => Token::Text(self.text(position)?),
            '<' => Token::Special(self.special(position)?),
            '@' => match self.name(String::new()) {
                name if name.is_empty() => return Err(LarkError::at(position, LarkErrorKind::NamelessHole)),
                name => Token::Hole(name),
            },
            'a'..='z' | '_' => Token::Name(self.name(first.to_string())),
            other => return Err(LarkError::at(position, LarkErrorKind::UnexpectedCharacter(other))),
        })
    }

    fn skip_comment(&mut self) {
        while self.rest.peek().is_some_and(|&next| next != '\n') {
            self.bump();
        }
    }

    fn name(&mut self, mut name: String) -> String {
        while let Some(&next @ ('a'..='z' | '0'..='9' | '_')) = self.rest.peek() {
            name.push(next);
            self.bump();
        }
        name
    }

    fn text(&mut self, opening: Position) -> Result<String, LarkError> {
        let mut text = String::new();
        loop {
            let position = self.position;
            match self.bump() {
                Some('"') => return Ok(text),
                None | Some('\n') => return Err(LarkError::at(opening, LarkErrorKind::UnclosedString)),
                Some('\\') => match self.bump() {
                    Some(plain @ ('"' | '\\')) => text.push(plain),
                    Some('n') => text.push('\n'),
                    Some('r') => text.push('\r'),
                    Some('t') => text.push('\t'),
                    _ => return Err(LarkError::at(position, LarkErrorKind::UnknownEscape)),
                },
                Some(plain) => text.push(plain),
            }
        }
    }

    fn special(&mut self, opening: Position) -> Result<SpecialToken, LarkError> {
        if self.bump() != Some('|') {
            return Err(LarkError::at(opening, LarkErrorKind::UnexpectedCharacter('<')));
        }
        let name = self.name(String::new());
        if (self.bump(), self.bump()) != (Some('|'), Some('>')) {
            return Err(LarkError::at(opening, LarkErrorKind::UnclosedSpecial));
        }
        SpecialToken::from_name(&name)
            .ok_or_else(|| LarkError::at(opening, LarkErrorKind::UnknownSpecial(name)))
    }
}
