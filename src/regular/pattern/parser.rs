//! The grammar of patterns, by recursive descent.

use std::ops::Range;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::ast::{Assertion, Node};
use super::class;
use super::error::{PatternError, PatternErrorKind};
use crate::limits::Budget;

/// Bytes that are read for the price of one step: most of them are a state of the automaton to come.
const BYTES_PER_STEP: usize = 4;

/// Ranges of a set that are made for the price of one step.
const RANGES_PER_STEP: usize = 16;

/// Characters whose other cases are looked for at the price of one step.
const FOLDED_PER_STEP: usize = 512;

/// Groups within groups. Later stages recurse as deep.
pub(super) const DEPTH: usize = 200;

/// How groups begin that look around: whether behind, and whether for what is not there.
const AROUND: [(&str, bool, bool); 4] =
    [("?=", false, false), ("?!", false, true), ("?<=", true, false), ("?<!", true, true)];

pub(super) fn parse(source: &str, budget: &Budget) -> Result<Node, PatternError> {
    let mut parser = Parser { source, at: 0, depth: 0, ignore_case: false, budget };
    parser.charge(1 + source.len() / BYTES_PER_STEP)?;
    // ECMA-262 gives flags apart from the pattern, but JSON Schema has no such place; validators take this
    // form.
    parser.ignore_case = parser.eat("(?i)");
    let node = parser.choice()?;
    if parser.at < source.len() {
        return Err(syntax(parser.at..parser.at + 1, "`)` without `(`"));
    }
    Ok(node)
}

pub(super) fn syntax(span: Range<usize>, message: impl Into<String>) -> PatternError {
    PatternError { kind: PatternErrorKind::Syntax(message.into()), span }
}

pub(super) struct Parser<'p> {
    pub(super) source: &'p str,
    pub(super) at: usize,
    depth: usize,
    ignore_case: bool,
    budget: &'p Budget,
}

impl<'p> Parser<'p> {
    pub(super) fn rest(&self) -> &'p str {
        &self.source[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    /// What was read since `start` is wrong.
    pub(super) fn error(&self, start: usize, message: impl Into<String>) -> PatternError {
        syntax(start..self.at, message)
    }

    pub(super) fn charge(&self, steps: usize) -> Result<(), PatternError> {
        let charged = self.budget.charge(steps);
        charged.map_err(|limit| PatternError { kind: limit.into(), span: 0..self.source.len() })
    }

    /// Pays for a set: a property in six bytes has hundreds of ranges.
    pub(super) fn charge_set(&self, set: &ClassUnicode) -> Result<(), PatternError> {
        self.charge(1 + set.ranges().len() / RANGES_PER_STEP)
    }

    pub(super) fn set(&self, set: ClassUnicode) -> Result<Node, PatternError> {
        self.charge_set(&set)?;
        Ok(Node::Set(set))
    }

    /// The set, with the other cases of its characters where case is ignored.
    pub(super) fn folded(&self, mut set: ClassUnicode) -> Result<ClassUnicode, PatternError> {
        if self.ignore_case {
            // Each character is looked at, however few ranges they are.
            let chars: usize = set.ranges().iter().map(ClassUnicodeRange::len).sum();
            self.charge(chars / FOLDED_PER_STEP)?;
            set.case_fold_simple();
        }
        Ok(set)
    }

    fn choice(&mut self) -> Result<Node, PatternError> {
        let mut branches = vec![self.sequence()?];
        while self.eat("|") {
            branches.push(self.sequence()?);
        }
        Ok(single(branches, Node::Choice))
    }

    fn sequence(&mut self) -> Result<Node, PatternError> {
        let mut terms = Vec::new();
        while self.peek().is_some_and(|next| next != '|' && next != ')') {
            terms.push(self.term()?);
        }
        Ok(single(terms, Node::Sequence))
    }

    fn term(&mut self) -> Result<Node, PatternError> {
        let start = self.at;
        if self.bounds()?.is_some() {
            return Err(self.error(start, "nothing to repeat"));
        }
        let is_group = self.peek() == Some('(');
        let node = match self.bump().expect("the caller looked") {
            '^' => Node::Assertion(Assertion::Start),
            '$' => Node::Assertion(Assertion::End),
            '(' => self.group(start)?,
            '[' => {
                let class = self.class(start)?;
                self.set(class)?
            }
            '.' => self.set(class::dot())?,
            '\\' => self.escape(start)?,
            other => self.char(other)?,
        };
        let Some((min, max)) = self.bounds()? else { return Ok(node) };
        if !is_group && matches!(node, Node::Assertion(_)) {
            return Err(self.error(start, "an assertion cannot be repeated"));
        }
        Ok(Node::Repeat { node: Box::new(node), min, max })
    }

    pub(super) fn char(&self, char: char) -> Result<Node, PatternError> {
        if self.ignore_case {
            self.set(self.folded(class::range(char.into(), char.into()))?)
        } else {
            Ok(Node::Char(char))
        }
    }

    /// A quantifier, lazy or not: the least and the greatest count.
    fn bounds(&mut self) -> Result<Option<(u32, Option<u32>)>, PatternError> {
        let bounds = match self.peek() {
            Some('*') => Some((0, None)),
            Some('+') => Some((1, None)),
            Some('?') => Some((0, Some(1))),
            Some('{') => return self.braces(),
            _ => None,
        };
        if bounds.is_some() {
            self.bump();
            self.eat("?");
        }
        Ok(bounds)
    }

    /// What stands between braces, where it is made of such bytes only; it is not read yet.
    pub(super) fn braced(&self, is_part: impl Fn(u8) -> bool) -> Option<&'p str> {
        let rest = self.rest().strip_prefix('{')?;
        // No further than that: braces stand for themselves, too, and with a look for the other one at each a
        // long pattern of them took half a minute.
        let (body, after) = rest.split_at(rest.bytes().take_while(|byte| is_part(*byte)).count());
        after.starts_with('}').then_some(body)
    }

    /// `{n}`, `{n,}` or `{n,m}`; other braces stand for themselves.
    fn braces(&mut self) -> Result<Option<(u32, Option<u32>)>, PatternError> {
        let start = self.at;
        let Some(body) = self.braced(|byte| byte.is_ascii_digit() || byte == b',') else { return Ok(None) };
        let (least, most) = body.split_once(',').map_or((body, None), |(least, most)| (least, Some(most)));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if body.is_empty() || !is_number(least) || !most.is_none_or(is_number) {
            return Ok(None);
        }
        self.at += body.len() + 2;
        self.eat("?");
        if least.is_empty() {
            // Two dialects, two meanings: the text itself, or a least count of 0.
            return Err(self.error(start, "a quantifier needs its least count"));
        }
        let number = |digits: &str| digits.parse().unwrap_or(u32::MAX);
        let min = number(least);
        let max = most.map_or(Some(min), |most| (!most.is_empty()).then(|| number(most)));
        if max.is_some_and(|max| max < min) {
            return Err(self.error(start, "the greatest count is less than the least"));
        }
        Ok(Some((min, max)))
    }

    /// The rest of a group, after its `(`.
    fn group(&mut self, start: usize) -> Result<Node, PatternError> {
        let outer = self.ignore_case;
        let around = AROUND.into_iter().find(|(head, ..)| self.eat(head));
        if around.is_none() {
            self.group_head(start)?;
        }
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.error(start, format!("more than {DEPTH} groups within each other")));
        }
        let node = self.choice()?;
        self.depth -= 1;
        self.ignore_case = outer;
        if !self.eat(")") {
            return Err(self.error(start, "`(` without `)`"));
        }
        let Some((_, is_behind, negative)) = around else { return Ok(node) };
        if is_behind && node.looks_ahead() {
            return Err(PatternError { kind: PatternErrorKind::Lookaround, span: start..self.at });
        }
        Ok(Node::Around { node: Box::new(node), is_behind, negative })
    }

    fn group_head(&mut self, start: usize) -> Result<(), PatternError> {
        if !self.eat("?") || self.eat(":") {
            return Ok(());
        }
        if self.eat("i:") {
            self.ignore_case = true;
            return Ok(());
        }
        // `?P<name>` is Python's, and means the same.
        self.eat("P");
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || "_$".contains(char))
        };
        match self.rest().strip_prefix('<').and_then(|rest| rest.split_once('>')) {
            Some((name, _)) if is_name(name) => self.at += name.len() + 2,
            _ => return Err(self.error(start, "unknown kind of group")),
        }
        Ok(())
    }
}

fn single(mut nodes: Vec<Node>, many: fn(Vec<Node>) -> Node) -> Node {
    if nodes.len() == 1 { nodes.remove(0) } else { many(nodes) }
}
