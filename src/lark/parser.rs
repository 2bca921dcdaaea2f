//! Tokens to the syntax tree, by recursive descent.

use super::error::{LarkError, LarkErrorKind, Position};
use super::lexer::{self, Located, Token};
use super::syntax::{RuleSyntax, Shape, Syntax};

/// Parentheses may nest this deep. Every later walk over the tree is recursive, so this bounds the call stack.
const MAX_DEPTH: usize = 64;

/// The rules of a grammar, in the order they are written.
pub(super) fn rules(source: &str) -> Result<Vec<RuleSyntax>, LarkError> {
    let mut parser = Parser { tokens: lexer::tokens(source)?, next: 0, depth: 0 };
    let mut rules = Vec::new();
    while *parser.peek() != Token::End {
        rules.push(parser.rule()?);
    }
    Ok(rules)
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

    fn rule(&mut self) -> Result<RuleSyntax, LarkError> {
        let position = self.position();
        let Token::Name(name) = self.peek().clone() else {
            return Err(self.unexpected("the name of a rule"));
        };
        self.bump();
        self.expect(&Token::Colon, "`:` after the name of the rule")?;
        let body = self.choice()?;
        if *self.peek() != Token::End {
            self.expect(&Token::LineEnd, "the end of the rule")?;
        }
        Ok(RuleSyntax { position, name, body })
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
        Ok(Syntax { position, shape: Shape::Sequence(parts) })
    }

    fn repeated(&mut self) -> Result<Option<Syntax>, LarkError> {
        let position = self.position();
        let Some(atom) = self.atom()? else { return Ok(None) };
        let repeat = match self.peek() {
            Token::Question => Shape::Optional,
            Token::Star => Shape::Star,
            Token::Plus => Shape::Plus,
            _ => return Ok(Some(atom)),
        };
        self.bump();
        Ok(Some(Syntax { position, shape: repeat(Box::new(atom)) }))
    }

    fn atom(&mut self) -> Result<Option<Syntax>, LarkError> {
        let position = self.position();
        let shape = match self.peek().clone() {
            Token::Name(name) => Shape::Rule(name),
            Token::Hole(name) => Shape::Hole(name),
            Token::Text(text) => Shape::Text(text),
            Token::Special(token) => Shape::Special(token),
            Token::Open => return self.group().map(Some),
            _ => return Ok(None),
        };
        self.bump();
        Ok(Some(Syntax { position, shape }))
    }

    fn group(&mut self) -> Result<Syntax, LarkError> {
        if self.depth == MAX_DEPTH {
            return Err(LarkError::at(self.position(), LarkErrorKind::TooDeep(MAX_DEPTH)));
        }
        self.depth += 1;
        self.bump();
        let inner = self.choice()?;
        self.expect(&Token::Close, "`)`")?;
        self.depth -= 1;
        Ok(inner)
    }
}
