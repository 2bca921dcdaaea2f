//! From the notation to types.

use std::collections::BTreeSet;

use serde_json::Value;

use super::comments::Notes;
use super::lexer::{self, Kind, Token};
use super::schema;
use crate::prompt::error::{Fault, ReadErrorKind};
use crate::prompt::read::Excerpt;
use crate::recursion;

/// How deep types may be nested: as deep as JSON may in a request.
const DEEPEST: usize = 128;

/// A function of a namespace.
#[derive(Debug)]
pub(in crate::prompt) struct Declaration {
    /// Its name.
    pub(in crate::prompt) name: String,
    /// The first byte of its name, in the prompt.
    pub(in crate::prompt) at: usize,
    /// What is said above it.
    pub(in crate::prompt) description: String,
    /// What it takes; `None` for nothing.
    pub(in crate::prompt) parameters: Option<Type>,
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::prompt) enum Type {
    /// Any value.
    Any,
    /// A type of JSON, by its name there.
    Named(&'static str),
    /// One value.
    Literal(Value),
    /// An object.
    Object(Option<String>, Vec<Member>),
    /// An array of one type, or of anything: `T[]` and `Array<any>`.
    Array(Option<Box<Type>>),
    /// `A | B`.
    Inline(Vec<Type>),
    /// A line for each type, with a remark.
    Listed(Vec<(Type, Option<String>)>),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::prompt) struct Member {
    pub(super) name: String,
    pub(super) is_optional: bool,
    pub(super) value: Type,
    pub(super) notes: Notes,
}

impl Type {
    /// The schema of arguments of this type.
    pub(in crate::prompt) fn arguments(&self) -> Value {
        schema::arguments(self)
    }
}

/// Reads `namespace NAME { … } // namespace NAME`, and what follows it.
pub(in crate::prompt) fn namespace<'a>(
    name: &str,
    excerpt: Excerpt<'a>,
) -> Result<(Vec<Declaration>, Excerpt<'a>), Fault> {
    let end = format!("\n}} // namespace {name}");
    let Some(len) = excerpt.text.find(&end).map(|at| at + end.len()) else {
        let expected = format!("the end of the namespace, `}} // namespace {name}`");
        return Err(excerpt.from(excerpt.text.len()).expected(expected));
    };
    let (inside, after) = excerpt.split_at(len);
    let mut parser = Parser { tokens: lexer::tokens(inside)?, next: 0, end: after.at, depth: 0, height: 0 };
    parser.word("namespace")?;
    parser.word(name)?;
    parser.sign("{")?;
    let (mut declarations, mut names) = (Vec::new(), BTreeSet::new());
    while !parser.is_sign_after_comments("}") {
        let declaration = parser.declaration()?;
        if !names.insert(declaration.name.clone()) {
            let kind = ReadErrorKind::Duplicate(declaration.name);
            return Err(Fault { at: declaration.at, kind });
        }
        declarations.push(declaration);
    }
    parser.sign("}")?;
    Ok((declarations, after))
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    next: usize,
    /// Where the text ends, in the prompt.
    end: usize,
    /// How many types the one that is being read stands in.
    depth: usize,
    /// How many types the last one that was read has in it, one in the other.
    height: usize,
}

impl<'a> Parser<'a> {
    /// `type NAME = (_: TYPE) => any;`, or with nothing in the parentheses.
    fn declaration(&mut self) -> Result<Declaration, Fault> {
        let description = joined(&self.comments()).unwrap_or_default();
        self.word("type")?;
        let at = self.at();
        let name = match self.bump() {
            Some(Kind::Word(name)) => name.to_owned(),
            _ => return Err(self.unexpected_before("a function's name")),
        };
        self.sign("=")?;
        self.sign("(")?;
        let mut parameters = None;
        if !self.is_sign(")") {
            self.word("_")?;
            self.sign(":")?;
            parameters = Some(self.type_of(false)?);
        }
        self.sign(")")?;
        self.sign("=>")?;
        self.word("any")?;
        self.sign(";")?;
        Ok(Declaration { name, at, description, parameters })
    }

    /// A type. In a list, a bar that begins a line belongs to the list.
    fn type_of(&mut self, in_list: bool) -> Result<Type, Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.fault(ReadErrorKind::TooDeep(DEEPEST)));
        }
        let found = recursion::one_level(|| match self.bar_indent() {
            Some(indent) => self.listed(indent),
            None => self.inline(in_list),
        })?;
        self.depth -= 1;
        Ok(found)
    }

    /// A type on each line, after bars in one column.
    fn listed(&mut self, indent: usize) -> Result<Type, Fault> {
        let (mut variants, mut height) = (Vec::new(), 0);
        while self.bar_indent() == Some(indent) {
            self.next += 1;
            let variant = self.type_of(true)?;
            variants.push((variant, self.remark()));
            height = height.max(self.height);
        }
        self.height = height + 1;
        Ok(Type::Listed(variants))
    }

    /// How far a bar that begins a line and comes next is indented.
    fn bar_indent(&self) -> Option<usize> {
        let bar = self.tokens.get(self.next).filter(|token| token.kind == Kind::Sign("|"));
        bar.and_then(|token| token.indent)
    }

    /// `A | B[]`. As openai-harmony writes the notation, and so as gpt-oss learned it, `[]` is about all that
    /// stands before it: it writes arrays of choices without brackets. Where that cannot be what it means,
    /// nothing is guessed.
    fn inline(&mut self, in_list: bool) -> Result<Type, Fault> {
        let (mut types, mut height) = (Vec::new(), 0);
        loop {
            types.push(self.primary()?);
            height = height.max(self.height);
            while self.is_sign("[") {
                if types.len() > 1 && !is_choice(&types) {
                    return Err(self.fault(ReadErrorKind::Ambiguous));
                }
                self.next += 1;
                self.sign("]")?;
                types = vec![Type::Array(Some(Box::new(union(types))))];
                height += 1;
                if height > DEEPEST {
                    return Err(self.fault(ReadErrorKind::TooDeep(DEEPEST)));
                }
            }
            let continues = self.is_sign("|") && !(in_list && self.bar_indent().is_some());
            if !continues {
                self.height = height + 1;
                return Ok(union(types));
            }
            self.next += 1;
        }
    }

    /// A type of one piece. A comment before it describes it if it is an object.
    fn primary(&mut self) -> Result<Type, Fault> {
        let comments = self.comments();
        self.height = 0;
        match self.bump() {
            Some(Kind::Text(text)) => Ok(Type::Literal(Value::String(text))),
            Some(Kind::Word(word)) => self.named(word),
            Some(Kind::Sign("{")) => Ok(Type::Object(joined(&comments), self.members()?)),
            Some(Kind::Sign("(")) => {
                let inner = self.type_of(false)?;
                self.sign(")")?;
                Ok(inner)
            }
            _ => Err(self.unexpected_before("a type")),
        }
    }

    fn named(&mut self, word: &str) -> Result<Type, Fault> {
        Ok(match word {
            "any" => Type::Any,
            "string" => Type::Named("string"),
            "number" => Type::Named("number"),
            "boolean" => Type::Named("boolean"),
            "null" => Type::Named("null"),
            "object" => Type::Named("object"),
            "array" => Type::Named("array"),
            "Array" => {
                self.sign("<")?;
                let items = self.type_of(false)?;
                self.sign(">")?;
                Type::Array((items != Type::Any).then(|| Box::new(items)))
            }
            _ => match serde_json::from_str(word) {
                Ok(value @ (Value::Bool(_) | Value::Number(_))) => Type::Literal(value),
                _ => {
                    self.next -= 1;
                    return Err(self.fault(ReadErrorKind::UnknownType(word.to_owned())));
                }
            },
        })
    }

    /// The members of an object, after its `{`.
    fn members(&mut self) -> Result<Vec<Member>, Fault> {
        let (mut members, mut names, mut height) = (Vec::new(), BTreeSet::new(), 0);
        while !self.is_sign_after_comments("}") {
            let comments = self.comments();
            let at = self.at();
            let member = self.member(&comments)?;
            if !names.insert(member.name.clone()) {
                return Err(Fault { at, kind: ReadErrorKind::Duplicate(member.name) });
            }
            members.push(member);
            height = height.max(self.height);
        }
        self.height = height;
        self.sign("}")?;
        Ok(members)
    }

    fn member(&mut self, comments: &[&str]) -> Result<Member, Fault> {
        let name = match self.bump() {
            Some(Kind::Word(word)) => word.to_owned(),
            Some(Kind::Text(text)) => text,
            _ => return Err(self.unexpected_before("a member's name or `}`")),
        };
        let is_optional = self.is_sign("?");
        self.next += usize::from(is_optional);
        self.sign(":")?;
        let value = self.type_of(false)?;
        self.sign(",")?;
        let remark = self.remark();
        let notes = Notes::read(comments, remark.as_deref(), &value);
        Ok(Member { name, is_optional, value, notes })
    }

    /// The comments that come next.
    fn comments(&mut self) -> Vec<&'a str> {
        let mut comments = Vec::new();
        while let Some(Token { kind: Kind::Comment(comment), .. }) = self.tokens.get(self.next) {
            comments.push(*comment);
            self.next += 1;
        }
        comments
    }

    /// A comment at the end of the line.
    fn remark(&mut self) -> Option<String> {
        match self.tokens.get(self.next) {
            Some(Token { kind: Kind::Comment(comment), indent: None, .. }) => {
                self.next += 1;
                Some(trim(comment).to_owned())
            }
            _ => None,
        }
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.tokens.get(self.next), Some(Token { kind: Kind::Sign(found), .. }) if *found == sign)
    }

    /// Whether a sign comes next, comments that are about nothing skipped.
    fn is_sign_after_comments(&mut self, sign: &str) -> bool {
        let start = self.next;
        self.comments();
        let is_sign = self.is_sign(sign);
        if !is_sign {
            self.next = start;
        }
        is_sign
    }

    fn bump(&mut self) -> Option<Kind<'a>> {
        let kind = self.tokens.get(self.next).map(|token| token.kind.clone());
        self.next += 1;
        kind
    }

    fn sign(&mut self, sign: &'static str) -> Result<(), Fault> {
        match self.bump() {
            Some(Kind::Sign(found)) if found == sign => Ok(()),
            _ => Err(self.unexpected_before(&format!("`{sign}`"))),
        }
    }

    fn word(&mut self, word: &str) -> Result<(), Fault> {
        match self.bump() {
            Some(Kind::Word(found)) if found == word => Ok(()),
            _ => Err(self.unexpected_before(&format!("`{word}`"))),
        }
    }

    fn at(&self) -> usize {
        self.tokens.get(self.next).map_or(self.end, |token| token.at)
    }

    fn fault(&self, kind: ReadErrorKind) -> Fault {
        Fault { at: self.at(), kind }
    }

    /// The token that was just taken is not what was expected.
    fn unexpected_before(&mut self, expected: &str) -> Fault {
        self.next -= 1;
        let found = match self.tokens.get(self.next).map(|token| &token.kind) {
            Some(Kind::Word(word)) => format!("`{word}`"),
            Some(Kind::Text(text)) => format!("the string {text:?}"),
            Some(Kind::Comment(_)) => "a comment".to_owned(),
            Some(Kind::Sign(sign)) => format!("`{sign}`"),
            None => "the end".to_owned(),
        };
        self.fault(ReadErrorKind::Expected { expected: expected.to_owned(), found })
    }
}

/// A comment without the space that parts it from its slashes.
pub(super) fn trim(comment: &str) -> &str {
    comment.strip_prefix(' ').unwrap_or(comment)
}

/// The lines of a comment.
fn joined(comments: &[&str]) -> Option<String> {
    let lines: Vec<&str> = comments.iter().map(|comment| trim(comment)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Whether these types can be what openai-harmony means to repeat: names and values, none twice.
fn is_choice(types: &[Type]) -> bool {
    let mut seen = BTreeSet::new();
    types.iter().all(|found| match found {
        Type::Named(name) => seen.insert((*name).to_owned()),
        Type::Literal(value) => seen.insert(value.to_string()),
        _ => false,
    })
}

fn union(mut types: Vec<Type>) -> Type {
    if types.len() == 1 { types.remove(0) } else { Type::Inline(types) }
}
