//! Regular expressions in the syntax of Rust's `regex` crate: what terminals are made of.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir};
use regex_syntax::{ParserBuilder, ast, hir};

use super::error::{LarkError, LarkErrorKind, Position};
use super::syntax::{RegexSyntax, TextSyntax};

/// Reads a regular expression whose first character stands at `start`.
pub(super) fn parse(regex: &RegexSyntax, start: Position) -> Result<Hir, LarkError> {
    let mut builder = ParserBuilder::new();
    for flag in regex.flags.chars() {
        match flag {
            'i' => builder.case_insensitive(true),
            'm' => builder.multi_line(true),
            's' => builder.dot_matches_new_line(true),
            'u' => builder.unicode(true),
            'x' => builder.ignore_whitespace(true),
            other => return Err(LarkError::at(start, LarkErrorKind::UnknownFlag(other))),
        };
    }
    let hir = builder.build().parse(&regex.source).map_err(|error| refusal(&error, start))?;
    match hir.properties().look_set().contains_word_unicode() {
        true => Err(LarkError::at(start, LarkErrorKind::WordBoundary)),
        false => Ok(hir),
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
