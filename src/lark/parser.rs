//! Tokens to the syntax tree, by recursive descent.

use super::error::{LarkError, LarkErrorKind, Position};
use super::lexer;
use super::syntax::{DefinitionSyntax, GrammarSyntax, ImportSyntax, Shape, Syntax};
use super::token::{Located, Token};

/// Brackets may nest this deep. Every later walk over the tree is recursive, so this bounds the call stack.
const MAX_DEPTH: usize = 64;

/// The name of the one library.
const LIBRARY: &str = "common";

/// Reads a grammar.
pub(super) fn grammar(source: &str) -> Result<GrammarSyntax, LarkError> {
    let mut parser = Parser { tokens: lexer::tokens(source)?, next: 0, depth: 0 };
    let mut grammar = GrammarSyntax::default();
    loop {
        match parser.peek() {
            Token::End => return Ok(grammar),
            Token::LineEnd => drop(parser.bump()),
            Token::Ignore => grammar.ignored.push(parser.ignore()?),
            Token::Import => grammar.imports.append(&mut parser.import()?),
            _ => grammar.definitions.push(parser.definition()?),
        }
    }
}

struct Parser {
    tokens: Vec<Located>,
    next: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.next].1
    }

    fn position(&self) -> Position {
        self.tokens[self.next].0
    }

    /// Takes the next token; the end is never passed.
    fn bump(&mut self) -> Token {
        let token = self.peek().clone();
        if token != Token::End {
            self.next += 1;
        }
        token
    }

    fn eat(&mut self, token: &Token) -> bool {
        let found = self.peek() == token;
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, token: &Token, expected: &'static str) -> Result<(), LarkError> {
        if self.eat(token) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn unexpected(&self, expected: &'static str) -> LarkError {
        LarkError::at(self.position(), LarkErrorKind::Unexpected { expected, found: self.peek().to_string() })
    }

    fn unsupported(&self, what: &'static str) -> LarkError {
        LarkError::at(self.position(), LarkErrorKind::Unsupported(what))
    }

    fn line_end(&mut self, expected: &'static str) -> Result<(), LarkError> {
        if *self.peek() == Token::End { Ok(()) } else { self.expect(&Token::LineEnd, expected) }
    }

    /// A rule or a terminal. What shapes Lark's tree (`?`, `!`, aliases) or orders its lexer (priorities)
    /// changes no text, so it is read and forgotten.
    fn definition(&mut self) -> Result<DefinitionSyntax, LarkError> {
        while matches!(self.peek(), Token::Question | Token::Bang) {
            self.bump();
        }
        let position = self.position();
        let (name, is_terminal) = match self.peek().clone() {
            Token::Rule(name) => (name, false),
            Token::Terminal(name) => (name, true),
            _ => return Err(self.unexpected("the name of a rule")),
        };
        self.bump();
        if self.eat(&Token::Dot) && !matches!(self.bump(), Token::Number(_) | Token::Negative) {
            self.next -= 1;
            return Err(self.unexpected("a priority"));
        }
        match self.peek() {
            Token::OpenBrace => return Err(self.unsupported("a template, `rule{…}`")),
            Token::OpenBracket => return Err(self.unsupported("a rule's attributes, `rule[…]`")),
            _ => self.expect(&Token::Colon, "`:` after the name of the rule")?,
        }
        let body = self.choice()?;
        self.line_end("the end of the rule")?;
        Ok(DefinitionSyntax { position, name, is_terminal, body })
    }

    fn ignore(&mut self) -> Result<Syntax, LarkError> {
        self.bump();
        let ignored = self.choice()?;
        self.line_end("the end of what is ignored")?;
        Ok(ignored)
    }

    /// `%import common.NAME`, `%import common.NAME -> ALIAS` or `%import common (ONE, TWO)`.
    fn import(&mut self) -> Result<Vec<ImportSyntax>, LarkError> {
        self.bump();
        let imports = match self.peek() {
            Token::Rule(library) if library == LIBRARY => {
                self.bump();
                if self.eat(&Token::Dot) { vec![self.import_of_one()?] } else { self.import_of_many()? }
            }
            _ => return Err(self.unsupported("`%import` of anything but `common`")),
        };
        self.line_end("the end of the import")?;
        Ok(imports)
    }

    fn import_of_one(&mut self) -> Result<ImportSyntax, LarkError> {
        let position = self.position();
        let name = self.terminal()?;
        let alias = if self.eat(&Token::Arrow) { self.terminal()? } else { name.clone() };
        Ok(ImportSyntax { position, name, alias })
    }

    fn import_of_many(&mut self) -> Result<Vec<ImportSyntax>, LarkError> {
        self.expect(&Token::Open, "`.` or `(`")?;
        let mut imports = Vec::new();
        loop {
            let position = self.position();
            let name = self.terminal()?;
            imports.push(ImportSyntax { position, alias: name.clone(), name });
            if !self.eat(&Token::Comma) {
                self.expect(&Token::Close, "`,` or `)`")?;
                return Ok(imports);
            }
        }
    }

    fn terminal(&mut self) -> Result<String, LarkError> {
        match self.peek().clone() {
            Token::Terminal(name) => {
                self.bump();
                Ok(name)
            }
            _ => Err(self.unexpected("the name of a terminal")),
        }
    }

    fn choice(&mut self) -> Result<Syntax, LarkError> {
        let position = self.position();
        let mut options = vec![self.sequence()?];
        while self.bar() {
            options.push(self.sequence()?);
        }
        Ok(Syntax { position, shape: Shape::Choice(options) })
    }

    /// Takes a `|`, also at the beginning of the next line.
    fn bar(&mut self) -> bool {
        let continued = matches!(self.tokens[self.next..], [(_, Token::LineEnd), (_, Token::Bar), ..]);
        self.next += usize::from(continued);
        self.eat(&Token::Bar)
    }

    fn sequence(&mut self) -> Result<Syntax, LarkError> {
        let position = self.position();
        let mut parts = Vec::new();
        while let Some(part) = self.repeated()? {
            parts.push(part);
        }
        if self.eat(&Token::Arrow) {
            match self.peek() {
                Token::Rule(_) | Token::Terminal(_) => drop(self.bump()),
                _ => return Err(self.unexpected("the name of an alias")),
            }
        }
        Ok(Syntax { position, shape: Shape::Sequence(parts) })
    }

    fn repeated(&mut self) -> Result<Option<Syntax>, LarkError> {
        let position = self.position();
        let Some(atom) = self.atom()? else { return Ok(None) };
        let (min, max) = match self.peek() {
            Token::Question | Token::Star | Token::Plus => self.operator(),
            Token::Tilde => self.counted()?,
            Token::OpenBrace => self.braced()?,
            _ => return Ok(Some(atom)),
        };
        Ok(Some(Syntax { position, shape: Shape::Repeat { body: Box::new(atom), min, max } }))
    }

    fn operator(&mut self) -> (u32, Option<u32>) {
        match self.bump() {
            Token::Question => (0, Some(1)),
            Token::Star => (0, None),
            _ => (1, None),
        }
    }

    /// `~2` or `~2..5`
    fn counted(&mut self) -> Result<(u32, Option<u32>), LarkError> {
        self.bump();
        let counts = self.position();
        let min = self.number()?;
        let max = if self.eat(&Token::Dots) { self.number()? } else { min };
        ordered(counts, min, Some(max))
    }

    /// `{2}`, `{2,5}`, `{2,}` or `{,5}`
    fn braced(&mut self) -> Result<(u32, Option<u32>), LarkError> {
        self.bump();
        let counts = self.position();
        let min = match self.peek() {
            Token::Number(_) => self.number()?,
            Token::Comma => 0,
            _ => return Err(self.unsupported("a template, `rule{…}`")),
        };
        let max = match self.eat(&Token::Comma) {
            false => Some(min),
            true if *self.peek() == Token::CloseBrace => None,
            true => Some(self.number()?),
        };
        self.expect(&Token::CloseBrace, "`}`")?;
        ordered(counts, min, max)
    }

    fn number(&mut self) -> Result<u32, LarkError> {
        match *self.peek() {
            Token::Number(number) => {
                self.bump();
                Ok(number)
            }
            _ => Err(self.unexpected("a number")),
        }
    }

    fn atom(&mut self) -> Result<Option<Syntax>, LarkError> {
        let position = self.position();
        let shape = match self.peek().clone() {
            Token::Rule(name) => Shape::Rule(name),
            Token::Terminal(name) => Shape::Terminal(name),
            Token::Hole(name) => Shape::Hole(name),
            Token::Text(text) => Shape::Text(text),
            Token::Regex(regex) => Shape::Regex(regex),
            Token::Special(token) => Shape::Special(token),
            Token::Json(schema) => Shape::Json(schema),
            Token::Open => return self.group(&Token::Close, "`)`").map(Some),
            Token::OpenBracket => return self.optional().map(Some),
            Token::Ampersand => return Err(self.unsupported("an intersection, `&`")),
            Token::Tilde => return Err(self.unsupported("a complement, `~`")),
            Token::OpenBrace => return Err(self.unsupported("a template, `rule{…}`")),
            _ => return Ok(None),
        };
        self.bump();
        self.range(position, shape).map(Some)
    }

    /// `"a".."z"`, where two dots follow.
    fn range(&mut self, position: Position, first: Shape) -> Result<Syntax, LarkError> {
        let Shape::Text(low) = &first else { return Ok(Syntax { position, shape: first }) };
        if !self.eat(&Token::Dots) {
            return Ok(Syntax { position, shape: first });
        }
        let Token::Text(high) = self.peek().clone() else {
            return Err(self.unexpected("the last character of the range"));
        };
        let bad = || LarkError::at(position, LarkErrorKind::BadRange(low.text.clone(), high.text.clone()));
        let shape = match (one(&low.text), one(&high.text)) {
            (Some(low), Some(high)) if low <= high => Shape::Range(low, high),
            _ => return Err(bad()),
        };
        self.bump();
        Ok(Syntax { position, shape })
    }

    fn optional(&mut self) -> Result<Syntax, LarkError> {
        let position = self.position();
        let body = Box::new(self.group(&Token::CloseBracket, "`]`")?);
        Ok(Syntax { position, shape: Shape::Repeat { body, min: 0, max: Some(1) } })
    }

    fn group(&mut self, closing: &Token, expected: &'static str) -> Result<Syntax, LarkError> {
        if self.depth == MAX_DEPTH {
            return Err(LarkError::at(self.position(), LarkErrorKind::TooDeep(MAX_DEPTH)));
        }
        self.depth += 1;
        self.bump();
        let inner = self.choice()?;
        self.expect(closing, expected)?;
        self.depth -= 1;
        Ok(inner)
    }
}

fn ordered(position: Position, min: u32, max: Option<u32>) -> Result<(u32, Option<u32>), LarkError> {
    match max {
        Some(max) if max < min => Err(LarkError::at(position, LarkErrorKind::BadRepetition { min, max })),
        _ => Ok((min, max)),
    }
}

/// The character that the text is, if it is one.
fn one(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}
