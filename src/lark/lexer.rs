//! Text to tokens.
//!
//! A line end separates definitions, so it is a token; inside brackets, where no definition can end, it is
//! dropped here.

use serde_json::Value;

use super::error::{LarkError, LarkErrorKind, Position};
use super::quoted;
use super::syntax::{RegexSyntax, TextSyntax};
use super::token::{Located, Token};
use crate::special::SpecialToken;

/// All tokens of a grammar; the last is [`Token::End`].
pub(super) fn tokens(source: &str) -> Result<Vec<Located>, LarkError> {
    let mut lexer = Lexer { rest: source, position: Position { line: 1, column: 1 }, open: 0 };
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

/// What is left of the text, and where that is.
pub(super) struct Lexer<'a> {
    pub(super) rest: &'a str,
    pub(super) position: Position,
    open: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.rest = &self.rest[character.len_utf8()..];
        if character == '\n' {
            self.position = Position { line: self.position.line + 1, column: 1 };
        } else {
            self.position.column += 1;
        }
        Some(character)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest.starts_with(text);
        if found {
            for _ in text.chars() {
                self.bump();
            }
        }
        found
    }

    pub(super) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let text = self.rest;
        while self.peek().is_some_and(&wanted) {
            self.bump();
        }
        &text[..text.len() - self.rest.len()]
    }

    fn token(&mut self) -> Result<Located, LarkError> {
        loop {
            let position = self.position;
            if self.rest.starts_with("//") || self.rest.starts_with('#') {
                self.take_while(|next| next != '\n');
                continue;
            }
            let token = match self.peek() {
                None => Token::End,
                Some(next) if next.is_whitespace() => {
                    self.bump();
                    match next {
                        '\n' if self.open == 0 => Token::LineEnd,
                        _ => continue,
                    }
                }
                Some(first) => self.word(position, first)?,
            };
            return Ok((position, token));
        }
    }

    fn word(&mut self, position: Position, first: char) -> Result<Token, LarkError> {
        if let Some(token) = self.punctuation() {
            self.open = match token {
                Token::Open | Token::OpenBracket => self.open + 1,
                Token::Close | Token::CloseBracket => self.open.saturating_sub(1),
                _ => self.open,
            };
            return Ok(token);
        }
        match first {
            '"' => self.text(position),
            '/' => self.regex(position),
            '<' => self.special(position),
            '%' => self.directive(position),
            '@' => self.hole(position),
            '-' | '0'..='9' => self.number(position),
            'a'..='z' | 'A'..='Z' | '_' => self.name(position),
            other => Err(LarkError::at(position, LarkErrorKind::UnexpectedCharacter(other))),
        }
    }

    fn punctuation(&mut self) -> Option<Token> {
        let found = Token::PUNCTUATION.iter().find(|(text, _)| self.rest.starts_with(text))?;
        self.eat(found.0);
        Some(found.1.clone())
    }

    fn word_characters(&mut self) -> &'a str {
        self.take_while(|next| next.is_ascii_alphanumeric() || next == '_')
    }

    /// A name is that of a rule or of a terminal by the case of its letters.
    fn name(&mut self, position: Position) -> Result<Token, LarkError> {
        let start = self.rest;
        loop {
            self.word_characters();
            // A hyphen joins two words; that of `->` does not.
            let joins = |after: char| after.is_ascii_alphanumeric() || after == '_';
            if !self.rest.strip_prefix('-').is_some_and(|after| after.starts_with(joins)) {
                break;
            }
            self.bump();
        }
        let name = start[..start.len() - self.rest.len()].to_owned();
        let has = |wanted: fn(&u8) -> bool| name.bytes().any(|byte| wanted(&byte));
        match (has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase)) {
            (true, true) => Err(LarkError::at(position, LarkErrorKind::MixedCase(name))),
            (_, true) => Ok(Token::Terminal(name)),
            _ => Ok(Token::Rule(name)),
        }
    }

    fn hole(&mut self, position: Position) -> Result<Token, LarkError> {
        self.bump();
        match self.word_characters() {
            "" => Err(LarkError::at(position, LarkErrorKind::NamelessHole)),
            name => Ok(Token::Hole(name.to_owned())),
        }
    }

    fn number(&mut self, position: Position) -> Result<Token, LarkError> {
        let is_negative = self.eat("-");
        let digits = self.take_while(|next| next.is_ascii_digit());
        match digits.parse::<u32>() {
            Ok(_) if is_negative => Ok(Token::Negative),
            Ok(number) => Ok(Token::Number(number)),
            Err(_) if digits.is_empty() => {
                Err(LarkError::at(position, LarkErrorKind::UnexpectedCharacter('-')))
            }
            Err(_) => Err(LarkError::at(position, LarkErrorKind::NumberTooLarge(digits.to_owned()))),
        }
    }

    fn text(&mut self, opening: Position) -> Result<Token, LarkError> {
        let text = quoted::text(self, opening)?;
        let ends_here = |next: char| !(next.is_ascii_alphanumeric() || next == '_');
        let ignores_case =
            self.rest.strip_prefix('i').is_some_and(|after| after.chars().next().is_none_or(ends_here));
        if ignores_case {
            self.bump();
        }
        Ok(Token::Text(TextSyntax { text, ignores_case }))
    }

    /// `/…/flags`; the regular expression itself is read where it is used.
    fn regex(&mut self, opening: Position) -> Result<Token, LarkError> {
        self.bump();
        let start = self.rest;
        loop {
            let source = &start[..start.len() - self.rest.len()];
            match self.bump() {
                Some('/') => {
                    let flags = self.take_while(|next| next.is_ascii_lowercase()).to_owned();
                    return Ok(Token::Regex(RegexSyntax { source: source.to_owned(), flags }));
                }
                Some('\\') if self.peek().is_some_and(|next| next != '\n') => drop(self.bump()),
                None | Some('\n') => return Err(LarkError::at(opening, LarkErrorKind::UnclosedRegex)),
                Some(_) => {}
            }
        }
    }

    fn special(&mut self, opening: Position) -> Result<Token, LarkError> {
        if !self.eat("<|") {
            let unsupported = self.rest.starts_with("<[").then_some("a token by number, `<[…]>`");
            return Err(LarkError::at(
                opening,
                unsupported.map_or(LarkErrorKind::UnexpectedCharacter('<'), LarkErrorKind::Unsupported),
            ));
        }
        let name = self.word_characters();
        if !self.eat("|>") {
            return Err(LarkError::at(opening, LarkErrorKind::UnclosedSpecial));
        }
        SpecialToken::from_name(name)
            .map(Token::Special)
            .ok_or_else(|| LarkError::at(opening, LarkErrorKind::UnknownSpecial(name.to_owned())))
    }

    fn directive(&mut self, position: Position) -> Result<Token, LarkError> {
        self.bump();
        Ok(match self.word_characters() {
            "ignore" => Token::Ignore,
            "import" => Token::Import,
            "json" => Token::Json(self.json("%json")?),
            "llguidance" => self.settings()?,
            other => {
                let name = format!("%{other}");
                return Err(LarkError::at(position, LarkErrorKind::UnsupportedDirective(name)));
            }
        })
    }

    /// `%llguidance {…}`. What changes no text is read and forgotten.
    fn settings(&mut self) -> Result<Token, LarkError> {
        let position = self.position;
        let settings = self.json("%llguidance")?;
        let names = settings.as_object().into_iter().flatten().map(|(name, _)| name);
        match names.clone().find(|name| *name != "no_forcing") {
            Some(other) => {
                let setting = LarkErrorKind::UnsupportedDirective(format!("%llguidance {{\"{other}\"}}"));
                Err(LarkError::at(position, setting))
            }
            None => Ok(Token::LineEnd),
        }
    }

    /// The JSON value that a directive has.
    fn json(&mut self, directive: &'static str) -> Result<Value, LarkError> {
        self.take_while(char::is_whitespace);
        let position = self.position;
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<Value>();
        let value = values.next();
        let end = values.byte_offset();
        match value {
            Some(Ok(value)) => {
                let after = &self.rest[end..];
                while self.rest.len() > after.len() {
                    self.bump();
                }
                Ok(value)
            }
            Some(Err(error)) => {
                Err(LarkError::at(position, LarkErrorKind::NotJson(directive, error.to_string())))
            }
            None => {
                Err(LarkError::at(position, LarkErrorKind::NotJson(directive, "nothing is there".to_owned())))
            }
        }
    }
}
