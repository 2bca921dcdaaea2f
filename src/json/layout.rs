//! Whitespace between the tokens of a JSON text.
//!
//! Whitespace belongs to the structural characters, so that each place where it may stand is described once:
//! what precedes a bracket that opens has a run of its own, and nothing follows a bracket that closes, so a
//! text never ends in whitespace. Runs are bounded, because a model that may always add another space can do
//! so until its budget is spent.

use std::sync::{Arc, LazyLock};

use crate::expression::{DfaLanguage, Expression, Leaf};
use crate::regular::Dfa;

/// Where whitespace may stand in a JSON text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Nowhere.
    Compact,
    /// One space may follow each colon and each comma: what models write, and `json.dumps` by default.
    #[default]
    Single,
    /// A line for each member and element, indented by two spaces per level: `json.dumps(indent=2)`, and
    /// `serde_json`'s pretty printer.
    Pretty,
    /// Up to eight spaces, tabs and line breaks before and after each structural character, but none around
    /// the whole text.
    Any,
}

/// The structural characters with the whitespace that belongs to them.
#[derive(Clone, Debug)]
pub(super) struct Punctuation {
    pub(super) open_object: Expression,
    close_object: Expression,
    pub(super) open_array: Expression,
    close_array: Expression,
    pub(super) colon: Expression,
    comma: Expression,
    /// Whether members and elements stand on lines of their own.
    has_lines: bool,
}

impl Punctuation {
    /// The structural characters of a layout.
    pub(super) fn new(layout: Layout) -> Self {
        match layout {
            Layout::Compact => COMPACT.clone(),
            Layout::Single => SINGLE.clone(),
            Layout::Pretty => Self { colon: Expression::literal(": "), has_lines: true, ..COMPACT.clone() },
            Layout::Any => ANY.clone(),
        }
    }

    /// The level of what stands in a container of some level. Where no line depends on it, all are one.
    pub(super) fn inside(&self, level: u32) -> u32 {
        if self.has_lines { level.saturating_add(1) } else { level }
    }

    /// What stands before a member or element of a container.
    pub(super) fn before(&self, level: u32, is_first: bool) -> Expression {
        let comma = if is_first { Expression::empty() } else { self.comma.clone() };
        comma.then(self.line(self.inside(level)))
    }

    /// The end of an object.
    pub(super) fn end_object(&self, level: u32, is_empty: bool) -> Expression {
        if is_empty { self.close_object.clone() } else { self.line(level).then(self.close_object.clone()) }
    }

    /// The end of an array.
    pub(super) fn end_array(&self, level: u32, is_empty: bool) -> Expression {
        if is_empty { self.close_array.clone() } else { self.line(level).then(self.close_array.clone()) }
    }

    /// The beginning of a line.
    fn line(&self, level: u32) -> Expression {
        if !self.has_lines {
            return Expression::empty();
        }
        Expression::literal(format!("\n{}", "  ".repeat(level as usize)))
    }
}

static COMPACT: LazyLock<Punctuation> = LazyLock::new(|| Punctuation {
    open_object: Expression::literal("{"),
    close_object: Expression::literal("}"),
    open_array: Expression::literal("["),
    close_array: Expression::literal("]"),
    colon: Expression::literal(":"),
    comma: Expression::literal(","),
    has_lines: false,
});

static SINGLE: LazyLock<Punctuation> = LazyLock::new(|| {
    let followed = |character, what| {
        character_with(NOTHING, character, Run { whitespace: b" ", most: 1, what: "a space" }, what)
    };
    Punctuation { colon: followed(b':', "`:`"), comma: followed(b',', "`,`"), ..COMPACT.clone() }
});

static ANY: LazyLock<Punctuation> = LazyLock::new(|| {
    let any = Run { whitespace: b" \t\n\r", most: 8, what: "whitespace" };
    Punctuation {
        open_object: character_with(NOTHING, b'{', any, "`{`"),
        close_object: character_with(any, b'}', NOTHING, "`}`"),
        open_array: character_with(NOTHING, b'[', any, "`[`"),
        close_array: character_with(any, b']', NOTHING, "`]`"),
        colon: character_with(any, b':', any, "`:`"),
        comma: character_with(any, b',', any, "`,`"),
        has_lines: false,
    }
});

/// At most so many bytes of whitespace.
#[derive(Clone, Copy)]
struct Run {
    whitespace: &'static [u8],
    most: u8,
    /// In a user's words.
    what: &'static str,
}

const NOTHING: Run = Run { whitespace: b"", most: 0, what: "nothing" };

/// The character between two runs. States count the bytes of a run, and say whether the character has been
/// read.
fn character_with(before: Run, character: u8, after: Run, what: &str) -> Expression {
    let step = |(read, count): &(bool, u8), byte: u8| {
        let run = if *read { after } else { before };
        match byte {
            byte if byte == character && !read => Some((true, 0)),
            byte if run.whitespace.contains(&byte) && *count < run.most => Some((*read, count + 1)),
            _ => None,
        }
    };
    let alphabet = [before.whitespace, &[character], after.whitespace].concat();
    let is_word = |(read, _): &(bool, u8)| read.then_some(0);
    let dfa = Dfa::explore((false, 0), &alphabet, step, is_word, 64).expect("two short runs");
    Expression::leaf(Leaf::new(DfaLanguage::new(Arc::new(dfa), what).with_more(after.what)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Kind;

    fn matches(expression: &Expression, text: &str) -> bool {
        match expression.kind() {
            Kind::Literal(bytes) => **bytes == *text.as_bytes(),
            Kind::Match { leaf, .. } => {
                let end = leaf.reads(leaf.start(), text.as_bytes());
                end.is_some_and(|state| leaf.accepts(state).is_some())
            }
            kind => panic!("{kind:?} is not punctuation"),
        }
    }

    fn check(expression: impl Fn(&Punctuation) -> &Expression, layouts: &str, text: &str) {
        for (letter, layout) in
            [('c', Layout::Compact), ('s', Layout::Single), ('p', Layout::Pretty), ('a', Layout::Any)]
        {
            let punctuation = Punctuation::new(layout);
            assert_eq!(
                matches(expression(&punctuation), text),
                layouts.contains(letter),
                "{layout:?} {text:?}"
            );
        }
    }

    #[test]
    fn whitespace_by_layout() {
        check(|p| &p.colon, "csa", ":");
        check(|p| &p.colon, "spa", ": ");
        check(|p| &p.colon, "a", ":\n");
        check(|p| &p.colon, "a", " \t: \r\n");
        check(|p| &p.colon, "a", "        :        ");
        check(|p| &p.colon, "", "         :");
        check(|p| &p.colon, "", ":         ");
        check(|p| &p.colon, "", "::");
        check(|p| &p.comma, "sa", ", ");
        check(|p| &p.comma, "", "");
        check(|p| &p.open_object, "cspa", "{");
        check(|p| &p.open_object, "a", "{\n  ");
        check(|p| &p.open_object, "", " {");
        check(|p| &p.close_object, "a", "\n}");
        check(|p| &p.close_object, "", "} ");
        check(|p| &p.open_array, "a", "[ ");
        check(|p| &p.close_array, "a", " ]");
        check(|p| &p.close_array, "", "]\n");
    }

    #[test]
    fn what_was_read_is_not_expected_again() {
        let check = |layout: Layout, text: &str, expected: &str| {
            let colon = Punctuation::new(layout).colon;
            let Kind::Match { leaf, .. } = colon.kind() else { panic!("{layout:?} has no run") };
            let state = leaf.reads(leaf.start(), text.as_bytes()).expect("it goes on");
            assert_eq!(leaf.expectation(state), expected, "{layout:?} {text:?}");
        };
        check(Layout::Single, "", "`:`");
        check(Layout::Single, ":", "a space");
        check(Layout::Any, " ", "`:`");
        check(Layout::Any, " :", "whitespace");
        check(Layout::Any, ":\n", "whitespace");
    }

    #[test]
    fn pretty_lines_are_indented_by_level() {
        let (pretty, single) = (Punctuation::new(Layout::Pretty), Punctuation::new(Layout::Single));
        assert_eq!(pretty.before(0, true), Expression::literal("\n  "));
        assert_eq!(pretty.before(1, false), Expression::literal(",").then(Expression::literal("\n    ")));
        assert_eq!(pretty.end_array(0, true), Expression::literal("]"));
        assert_eq!(pretty.end_object(1, false), Expression::literal("\n  ").then(Expression::literal("}")));
        assert_eq!((pretty.inside(3), single.inside(0)), (4, 0));
        assert_eq!(single.before(0, true), Expression::empty());
    }

    #[test]
    fn leaves_are_shared() {
        assert_eq!(Punctuation::new(Layout::Any).colon, Punctuation::new(Layout::Any).colon);
        assert_eq!(Punctuation::new(Layout::Single).open_array, Expression::literal("["));
    }
}
