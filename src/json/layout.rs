//! Whitespace between the tokens of a JSON text.
//!
//! Whitespace belongs to the structural characters, so that each place where it may stand is described once: what precedes a bracket that
//! opens has a run of its own, and nothing follows a bracket that closes, so a text never ends in whitespace. Runs are bounded, because a
//! model that may always add another space can do so until its budget is spent.

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
    /// Up to eight spaces, tabs and line breaks before and after each structural character, but none around the whole text.
    Any,
}

/// The structural characters with the whitespace that belongs to them.
#[derive(Clone, Debug)]
pub(super) struct Punctuation {
    pub(super) open_object: Expression,
    pub(super) close_object: Expression,
    pub(super) open_array: Expression,
    pub(super) close_array: Expression,
    pub(super) colon: Expression,
    pub(super) comma: Expression,
}

impl Punctuation {
    /// The structural characters of a layout.
    pub(super) fn new(layout: Layout) -> Self {
        match layout {
            Layout::Compact => COMPACT.clone(),
            Layout::Single => SINGLE.clone(),
            Layout::Any => ANY.clone(),
        }
    }
}

static COMPACT: LazyLock<Punctuation> = LazyLock::new(|| Punctuation {
    open_object: Expression::literal("{"),
    close_object: Expression::literal("}"),
    open_array: Expression::literal("["),
    close_array: Expression::literal("]"),
    colon: Expression::literal(":"),
    comma: Expression::literal(","),
});

static SINGLE: LazyLock<Punctuation> = LazyLock::new(|| {
    let followed =
        |character, what| character_with(NOTHING, character, Run { whitespace: b" ", most: 1 }, what);
    Punctuation { colon: followed(b':', "`:`"), comma: followed(b',', "`,`"), ..COMPACT.clone() }
});

static ANY: LazyLock<Punctuation> = LazyLock::new(|| {
    let any = Run { whitespace: b" \t\n\r", most: 8 };
    Punctuation {
        open_object: character_with(NOTHING, b'{', any, "`{`"),
        close_object: character_with(any, b'}', NOTHING, "`}`"),
        open_array: character_with(NOTHING, b'[', any, "`[`"),
        close_array: character_with(any, b']', NOTHING, "`]`"),
        colon: character_with(any, b':', any, "`:`"),
        comma: character_with(any, b',', any, "`,`"),
    }
});

/// At most so many bytes of whitespace.
#[derive(Clone, Copy)]
struct Run {
    whitespace: &'static [u8],
    most: u8,
}

const NOTHING: Run = Run { whitespace: b"", most: 0 };

/// The character between two runs. States count the bytes of a run, and say whether the character has been read.
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
    Expression::leaf(Leaf::new(DfaLanguage::new(Arc::new(dfa), what)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Kind;

    fn matches(expression: &Expression, text: &str) -> bool {
        match expression.kind() {
            Kind::Literal(bytes) => **bytes == *text.as_bytes(),
            Kind::Match { leaf, .. } => {
                let end = text.bytes().try_fold(leaf.start(), |state, byte| leaf.step(state, byte));
                end.is_some_and(|state| leaf.accepts(state).is_some())
            }
            kind => panic!("{kind:?} is not punctuation"),
        }
    }

    fn check(expression: impl Fn(&Punctuation) -> &Expression, layouts: &str, text: &str) {
        for (letter, layout) in [('c', Layout::Compact), ('s', Layout::Single), ('a', Layout::Any)] {
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
        check(|p| &p.colon, "sa", ": ");
        check(|p| &p.colon, "a", ":\n");
        check(|p| &p.colon, "a", " \t: \r\n");
        check(|p| &p.colon, "a", "        :        ");
        check(|p| &p.colon, "", "         :");
        check(|p| &p.colon, "", ":         ");
        check(|p| &p.colon, "", "::");
        check(|p| &p.comma, "sa", ", ");
        check(|p| &p.comma, "", "");
        check(|p| &p.open_object, "csa", "{");
        check(|p| &p.open_object, "a", "{\n  ");
        check(|p| &p.open_object, "", " {");
        check(|p| &p.close_object, "a", "\n}");
        check(|p| &p.close_object, "", "} ");
        check(|p| &p.open_array, "a", "[ ");
        check(|p| &p.close_array, "a", " ]");
        check(|p| &p.close_array, "", "]\n");
    }

    #[test]
    fn leaves_are_shared() {
        assert_eq!(Punctuation::new(Layout::Any).colon, Punctuation::new(Layout::Any).colon);
        assert_eq!(Punctuation::new(Layout::Single).open_array, Expression::literal("["));
    }
}
