//! Regular expressions in the syntax of Rust's `regex` crate: what terminals are made of.

use std::convert::Infallible;

use regex_syntax::ParserBuilder;
use regex_syntax::ast::{self, Ast, ClassSetItem};
use regex_syntax::hir::translate::TranslatorBuilder;
use regex_syntax::hir::{self, Class, ClassUnicode, ClassUnicodeRange, Hir};

use super::error::{LarkError, LarkErrorKind, Position};
use super::syntax::{RegexSyntax, TextSyntax};
use crate::limits::LimitExceeded;

/// What a class with a name (`\w`, `\p{L}`) counts in the size of an expression: it is hundreds of ranges.
const NAMED_CLASS: usize = 64;

/// Reads a regular expression whose first character stands at `start`, with its size: its characters, and
/// more for what takes more. A larger one than `limit` is refused before anything is made of it: two bytes of
/// it may take six thousand.
pub(super) fn parse(regex: &RegexSyntax, start: Position, limit: usize) -> Result<(Hir, usize), LarkError> {
    let (mut parser, mut translator) = (ast::parse::ParserBuilder::new(), TranslatorBuilder::new());
    for flag in regex.flags.chars() {
        match flag {
            'i' => _ = translator.case_insensitive(true),
            'm' => _ = translator.multi_line(true),
            's' => _ = translator.dot_matches_new_line(true),
            'u' => _ = translator.unicode(true),
            'x' => _ = parser.ignore_whitespace(true),
            other => return Err(LarkError::at(start, LarkErrorKind::UnknownFlag(other))),
        }
    }
    let source = &regex.source;
    let ast = parser.build().parse(source).map_err(|error| refusal(&error.into(), start))?;
    let size =
        source.len() + NAMED_CLASS * ast::visit(&ast, NamedClasses(0)).unwrap_or_else(|never| match never {});
    if size > limit {
        let limit = LimitExceeded { what: "dfa_states", limit, given: size };
        return Err(LarkError::at(start, LarkErrorKind::Limit(limit)));
    }
    let hir = translator.build().translate(source, &ast).map_err(|error| refusal(&error.into(), start))?;
    match hir.properties().look_set().contains_word_unicode() {
        true => Err(LarkError::at(start, LarkErrorKind::WordBoundary)),
        false => Ok((hir, size)),
    }
}

/// Counts the classes with a name.
struct NamedClasses(usize);

impl ast::Visitor for NamedClasses {
    type Output = usize;
    type Err = Infallible;

    fn finish(self) -> Result<usize, Infallible> {
        Ok(self.0)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Infallible> {
        self.0 += usize::from(matches!(ast, Ast::ClassPerl(_) | Ast::ClassUnicode(_)));
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Infallible> {
        self.0 += usize::from(matches!(item, ClassSetItem::Perl(_) | ClassSetItem::Unicode(_)));
        Ok(())
    }
}

fn refusal(error: &regex_syntax::Error, start: Position) -> LarkError {
    let (kind, at) = match error {
        regex_syntax::Error::Parse(error) => (syntax_error(error.kind()), error.span().start),
        regex_syntax::Error::Translate(error) => (translation_error(error.kind()), error.span().start),
        other => return LarkError::at(start, LarkErrorKind::BadRegex(other.to_string())),
    };
    LarkError::at(start.offset(at.line, at.column), kind)
}

fn syntax_error(kind: &ast::ErrorKind) -> LarkErrorKind {
    match kind {
        ast::ErrorKind::UnsupportedLookAround => LarkErrorKind::Lookaround,
        ast::ErrorKind::UnsupportedBackreference => LarkErrorKind::Backreference,
        other => LarkErrorKind::BadRegex(other.to_string()),
    }
}

fn translation_error(kind: &hir::ErrorKind) -> LarkErrorKind {
    LarkErrorKind::BadRegex(kind.to_string())
}

/// The text as it is, or in any case.
pub(super) fn text(text: &TextSyntax) -> Hir {
    if !text.ignores_case {
        return Hir::literal(text.text.as_bytes());
    }
    let mut builder = ParserBuilder::new();
    let parsed = builder.case_insensitive(true).build().parse(&regex_syntax::escape(&text.text));
    parsed.expect("escaped text is a regular expression")
}

/// The characters from one to another.
pub(super) fn range(low: char, high: char) -> Hir {
    Hir::class(Class::Unicode(ClassUnicode::new([ClassUnicodeRange::new(low, high)])))
}
