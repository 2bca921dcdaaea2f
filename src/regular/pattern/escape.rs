//! What follows a backslash, and classes in brackets.

use regex_syntax::hir::ClassUnicode;

use super::ast::{Assertion, Node};
use super::class;
use super::error::{PatternError, PatternErrorKind};
use super::parser::Parser;

/// An escape or a member of a class: a set of characters, or one code point, which may be a surrogate.
enum Atom {
    Set(ClassUnicode),
    Point(u32),
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
        Ok(match self.atom(start)? {
            Atom::Set(set) => Node::Set(set),
            // No text holds half a character.
            Atom::Point(point) => {
                char::from_u32(point).map_or(Node::Set(ClassUnicode::empty()), |char| self.char(char))
            }
        })
    }

    /// The rest of a class, after its `[`.
    pub(super) fn class(&mut self, start: usize) -> Result<ClassUnicode, PatternError> {
        let negated = self.eat("^");
        // Put in order once, at the end: to unite sets one by one took 50,000 ranges two seconds.
        let mut ranges = Vec::new();
        while !self.eat("]") {
            let first = self.at;
            let low = self.member(start)?;
            let is_range = self.rest().starts_with('-') && !self.rest().starts_with("-]");
            if !is_range {
                ranges.extend_from_slice(self.set_of(low).ranges());
                continue;
            }
            self.bump();
            let high = self.member(start)?;
            let range = match (low, high) {
                (Atom::Point(low), Atom::Point(high)) if low > high => {
                    return Err(self.error(first, "the range is out of order"));
                }
                (Atom::Point(low), Atom::Point(high)) => self.folded(class::range(low, high)),
                // `[\w-.]`: the hyphen stands for itself.
                (low, high) => {
                    ranges.extend_from_slice(self.set_of(Atom::Point('-'.into())).ranges());
                    ranges.extend_from_slice(self.set_of(low).ranges());
                    self.set_of(high)
                }
            };
            ranges.extend_from_slice(range.ranges());
        }
        let set = ClassUnicode::new(ranges);
        Ok(if negated { class::negated(set) } else { set })
    }

    fn set_of(&self, atom: Atom) -> ClassUnicode {
        match atom {
            Atom::Set(set) => set,
            Atom::Point(point) => self.folded(class::range(point, point)),
        }
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
        let set = self.folded(set);
        Ok(if letter.is_ascii_uppercase() { class::negated(set) } else { set })
    }

    fn property(&mut self, start: usize) -> Result<ClassUnicode, PatternError> {
        let Some((name, _)) = self.rest().strip_prefix('{').and_then(|rest| rest.split_once('}')) else {
            return Err(self.error(start, r"`\p` needs a property in braces"));
        };
        self.at += name.len() + 2;
        class::property(name).ok_or_else(|| self.error(start, format!("unknown Unicode property `{name}`")))
    }

    /// `{H…}`, `HHHH`, or two of those that are one character.
    fn unicode(&mut self) -> Option<u32> {
        if let Some(rest) = self.rest().strip_prefix('{') {
            let (digits, _) = rest.split_once('}')?;
            let is_hex = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            self.at += digits.len() + 2;
            let point = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
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
