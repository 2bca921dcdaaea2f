//! The sets of characters that ECMA-262 names.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition};

const SURROGATES: (u32, u32) = (0xd800, 0xdfff);

/// The code points from `low` to `high` that are characters; surrogates are not.
pub(super) fn range(low: u32, high: u32) -> ClassUnicode {
    let below = (low, high.min(SURROGATES.0 - 1));
    let above = (low.max(SURROGATES.1 + 1), high);
    set([below, above].into_iter().filter(|(low, high)| low <= high))
}

/// `.`: everything but line terminators.
pub(super) fn dot() -> ClassUnicode {
    negated(set([(0x0a, 0x0a), (0x0d, 0x0d), (0x2028, 0x2029)]))
}

/// `\d`.
pub(super) fn digit() -> ClassUnicode {
    range(u32::from('0'), u32::from('9'))
}

/// `\w`.
pub(super) fn word() -> ClassUnicode {
    set([('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')].map(|(low, high)| (low.into(), high.into())))
}

/// `\s`: white space and line terminators.
pub(crate) fn white_space() -> ClassUnicode {
    let ascii = [(0x09, 0x0d), (0x20, 0x20)];
    let separators = [
        (0xa0, 0xa0),
        (0x1680, 0x1680),
        (0x2000, 0x200a),
        (0x2028, 0x2029),
        (0x202f, 0x202f),
        (0x205f, 0x205f),
    ];
    let others = [(0x3000, 0x3000), (0xfeff, 0xfeff)];
    set(ascii.into_iter().chain(separators).chain(others))
}

/// `\p{name}`, or nothing where Unicode has no such property.
pub(super) fn property(name: &str) -> Option<ClassUnicode> {
    let hir = regex_syntax::parse(&format!(r"\p{{{name}}}")).ok()?;
    match hir.into_kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class),
        _ => None,
    }
}

/// Any number of any characters.
pub(super) fn any_text() -> Hir {
    let any = Hir::class(Class::Unicode(negated(ClassUnicode::empty())));
    Hir::repetition(Repetition { min: 0, max: None, greedy: true, sub: Box::new(any) })
}

/// All other characters.
pub(super) fn negated(mut class: ClassUnicode) -> ClassUnicode {
    class.negate();
    class
}

fn set(ranges: impl IntoIterator<Item = (u32, u32)>) -> ClassUnicode {
    let char = |point| char::from_u32(point).expect("not a surrogate");
    ClassUnicode::new(ranges.into_iter().map(|(low, high)| ClassUnicodeRange::new(char(low), char(high))))
}
