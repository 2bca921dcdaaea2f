//! What follows a backslash, and classes in brackets.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::ast::{Assertion, Node};
use super::class;
use super::error::{PatternError, PatternErrorKind};
use super::parser::Parser;

/// What it takes to find a property by its name.
const STEPS_PER_PROPERTY: usize = 8;

/// An escape or a member of a class: a set of characters, or one code point, which may be a surrogate.
enum Atom {
    Set(ClassUnicode),
    Point(u32),
}

/// The members of a class in brackets.
#[derive(Default)]
struct Members {
    /// Characters and ranges, of which other cases are looked for when all are known.
    listed: Vec<ClassUnicodeRange>,
    /// The ranges of sets with a name, other cases included.
    named: Vec<ClassUnicodeRange>,
}

impl Members {
    fn add_range(&mut self, low: u32, high: u32) {
        self.listed.extend_from_slice(class::range(low, high).ranges());
    }
}

impl Parser<'_> {
    /// An escape outside brackets, after its backslash.
    pub(super) fn escape(&mut self, start: usize) -> Result<Node, PatternError> {
        if self.eat("b") {
            return Ok(Node::Assertion(Assertion::WordBoundary));
        }
        if self.eat("B") {
            return Ok(Node::Assertion(Assertion::NotWordBoundary));
        }
        if self.peek().is_some_and(|next| matches!(next, '1'..='9' | 'k')) {
            self.bump();
            return Err(PatternError { kind: PatternErrorKind::Backreference, span: start..self.at });
        }
        match self.atom(start)? {
            Atom::Set(set) => self.set(set),
            Atom::Point(point) => match char::from_u32(point) {
                Some(char) => self.char(char),
                // No text holds half a character.
                None => self.set(ClassUnicode::empty()),
            },
        }
    }

    /// The rest of a class, after its `[`.
    pub(super) fn class(&mut self, start: usize) -> Result<ClassUnicode, PatternError> {
        let negated = self.eat("^");
        // Put in order once, at the end: to unite sets one by one took 50,000 ranges two seconds.
        let mut members = Members::default();
        while !self.eat("]") {
            let first = self.at;
            let low = self.member(start)?;
            let is_range = self.rest().starts_with('-') && !self.rest().starts_with("-]");
            if !is_range {
                self.add(low, &mut members)?;
                continue;
            }
            self.bump();
            match (low, self.member(start)?) {
                (Atom::Point(low), Atom::Point(high)) if low > high => {
                    return Err(self.error(first, "the range is out of order"));
                }
                (Atom::Point(low), Atom::Point(high)) => members.add_range(low, high),
                // `[\w-.]`: the hyphen stands for itself.
                (low, high) => {
                    members.add_range('-'.into(), '-'.into());
                    self.add(low, &mut members)?;
                    self.add(high, &mut members)?;
                }
            }
        }
        let mut set = self.folded(ClassUnicode::new(members.listed))?;
        set.union(&ClassUnicode::new(members.named));
        Ok(if negated { class::negated(set) } else { set })
    }

    fn add(&self, atom: Atom, members: &mut Members) -> Result<(), PatternError> {
        match atom {
            Atom::Set(set) => {
                self.charge_set(&set)?;
                members.named.extend_from_slice(set.ranges());
            }
            Atom::Point(point) => members.add_range(point, point),
        }
        Ok(())
    }

    fn member(&mut self, start: usize) -> Result<Atom, PatternError> {
        let first = self.at;
        match self.bump() {
            None => Err(self.error(start, "`[` without `]`")),
            Some('\\') if self.eat("b") => Ok(Atom::Point(0x08)),
            Some('\\') => self.atom(first),
            Some(other) => Ok(Atom::Point(other.into())),
        }
    }

    /// An escape that means the same within brackets and outside, after its backslash.
    fn atom(&mut self, start: usize) -> Result<Atom, PatternError> {
        let Some(letter) = self.bump() else {
            return Err(self.error(start, "nothing follows the backslash"));
        };
        Ok(Atom::Point(match letter {
            't' => 0x09,
            'n' => 0x0a,
            'v' => 0x0b,
            'f' => 0x0c,
            'r' => 0x0d,
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => 0,
            'c' => match self.bump() {
                Some(control) if control.is_ascii_alphabetic() => u32::from(control) % 32,
                _ => return Err(self.error(start, r"`\c` needs a letter")),
            },
            'x' => self.hex(2).ok_or_else(|| self.error(start, r"`\x` needs two hexadecimal digits"))?,
            'u' => self.unicode().ok_or_else(|| {
                self.error(start, r"`\u` needs four hexadecimal digits, or a code point in braces")
            })?,
            ' ' => 0x20,
            punctuation if punctuation.is_ascii_punctuation() => punctuation.into(),
            _ => return self.named_set(letter, start).map(Atom::Set),
        }))
    }

    fn named_set(&mut self, letter: char, start: usize) -> Result<ClassUnicode, PatternError> {
        let set = match letter.to_ascii_lowercase() {
            'd' => class::digit(),
            'w' => class::word(),
            's' => class::white_space(),
            'p' => self.property(start)?,
            _ => return Err(self.error(start, format!(r"unknown escape `\{letter}`"))),
        };
        let set = self.folded(set)?;
        Ok(if letter.is_ascii_uppercase() { class::negated(set) } else { set })
    }

    fn property(&mut self, start: usize) -> Result<ClassUnicode, PatternError> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'=');
        let Some(name) = self.braced(is_name) else {
            return Err(self.error(start, r"`\p` needs a property in braces"));
        };
        self.at += name.len() + 2;
        self.charge(STEPS_PER_PROPERTY)?;
        class::property(name).ok_or_else(|| self.error(start, format!("unknown Unicode property `{name}`")))
    }

    /// `{H…}`, `HHHH`, or two of those that are one character.
    fn unicode(&mut self) -> Option<u32> {
        if self.rest().starts_with('{') {
            let digits = self.braced(|byte| byte.is_ascii_hexdigit())?;
            self.at += digits.len() + 2;
            let point = u32::from_str_radix(digits, 16).ok()?;
            return (point <= u32::from(char::MAX)).then_some(point);
        }
        let first = self.hex(4)?;
        let after = self.at;
        if (0xd800..0xdc00).contains(&first) && self.eat(r"\u") {
            if let Some(second @ 0xdc00..=0xdfff) = self.hex(4) {
                return Some(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00));
            }
            self.at = after;
        }
        Some(first)
    }

    fn hex(&mut self, len: usize) -> Option<u32> {
        let digits =
            self.rest().get(..len).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        self.at += len;
        u32::from_str_radix(digits, 16).ok()
    }
}
