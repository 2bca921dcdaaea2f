//! Grammars are checked by what they accept.

use super::recogniser::{Verdict, Words, recognise};
use super::{LarkErrorKind, Template};
use crate::expression::{Expression, Leaf};

fn template(source: &str) -> Template {
    Template::parse(source).expect("a grammar")
}

#[track_caller]
fn check(source: &str, accepted: &[&str], rejected: &[(&str, usize)]) {
    let holes = [("hole", Expression::literal("hole"))];
    let holes = if source.contains("@hole") { &holes[..] } else { &[] };
    let language = template(source).fill("start", holes).expect("a language");
    for text in accepted {
        assert_eq!(recognise(&language, text), Verdict::Accepted, "{text:?}");
    }
    for (text, offset) in rejected {
        assert_eq!(recognise(&language, text), Verdict::RejectedAt(*offset), "{text:?}");
    }
}

#[test]
fn strings_and_escapes() {
    check(r#"start: "a\"b\\" "\n\r\té""#, &["a\"b\\\n\r\té"], &[("a'", 1)]);
}

#[test]
fn special_tokens_are_not_their_spelling() {
    check("start: <|call|> | \"<|fall|>\"", &["<|call|>", "<|fall|>"], &[("<|end|>", 0)]);
}

#[test]
fn alternatives_may_go_on_in_the_next_line() {
    check(
        "start: \"a\"  // first\n\n  // then\n     | \"b\"\n     | (\n \"c\"\n )\n",
        &["a", "b", "c"],
        &[("d", 0)],
    );
}

#[test]
fn repetitions() {
    check(r#"start: "a"? "b"* "c"+"#, &["c", "ac", "bbbc", "abccc"], &[("aa", 1), ("ba", 1)]);
    check(r#"start: ("a" | "b" "c")* "!""#, &["!", "abcbca!"], &[("ac", 1)]);
}

#[test]
fn rules_recur() {
    check("start: \"(\" start \")\" | \"x\"", &["x", "((x))"], &[("(x))", 3)]);
    check("start: pair*\npair: \"<\" start \">\"", &["", "<><<>>"], &[("<>>", 2)]);
}

#[test]
fn holes_are_filled() {
    check(r#"start: "a" @hole "b" @hole?"#, &["aholeb", "aholebhole"], &[("ahoo", 3)]);
}

#[test]
fn equal_fillings_give_equal_expressions() {
    let template = template("start: \"[\" item* \"]\"\nitem: @hole \",\"");
    let fill =
        |text: &str| template.fill("start", &[("hole", Expression::literal(text))]).expect("a language");
    assert_eq!(fill("x"), fill("x"));
    assert_ne!(fill("x"), fill("y"));
}

#[track_caller]
fn check_error(source: &str, message: &str) {
    let error = Template::parse(source).and_then(|template| template.fill("start", &[]));
    assert_eq!(error.expect_err("an error").to_string(), message);
}

#[test]
fn errors_say_where() {
    for (source, message) in [
        ("start: §", "line 1, column 8: unexpected character '§'"),
        ("start: \"é\" <end>", "line 1, column 12: unexpected character '<'"),
        ("start: \"a\n\"", "line 1, column 8: the string is not closed on its line"),
        ("start: \"\\q\"", "line 1, column 9: unknown escape: a string knows \\\" \\\\ \\n \\r \\t"),
        ("start: <|end>", "line 1, column 8: the special token is not closed with `|>`"),
        (
            "start: <|endoftext|>",
            "line 1, column 8: `<|endoftext|>` is not a special token that an assistant may write",
        ),
        ("start: @ \"a\"", "line 1, column 8: a hole is `@` and a name"),
        ("start \"a\"", "line 1, column 7: expected `:` after the name of the rule, found \"a\""),
        ("\n\n | \"a\"", "line 3, column 2: expected the name of a rule, found `|`"),
        ("start: \"a\" )", "line 1, column 12: expected the end of the rule, found `)`"),
        ("start: (\"a\" ?", "line 1, column 14: expected `)`, found the end of the grammar"),
        ("start: rest", "line 1, column 8: rule `rest` is not defined"),
        ("start: \"a\"\nstart: \"b\"", "line 2, column 1: rule `start` is defined twice"),
        ("begin: \"a\"", "rule `start` is not defined"),
        ("start: \"a\" @hole", "line 1, column 12: hole `@hole` is not filled"),
        (
            "start: \"a\" start",
            "line 1, column 1: rule `start` never ends: each of its alternatives needs itself",
        ),
        (
            "start: item\nitem: \"a\"? start \"b\" | \"c\"",
            "line 1, column 1: rule `start` is left-recursive: it can begin with itself",
        ),
        ("start: \"a\" (\"b\"?)*", "line 1, column 12: what is repeated here may be empty"),
    ] {
        check_error(source, message);
    }
}

#[test]
fn only_what_is_reached_must_be_sound() {
    let template = template("start: \"a\"\nother: other \"b\"\nopen: @hole");
    assert!(template.fill("start", &[]).is_ok());
    let error = template.fill("start", &[("hale", Expression::empty())]).expect_err("no such hole");
    assert_eq!(*error.kind(), LarkErrorKind::UnknownHole("hale".into()));
    let error = template.fill("open", &[]).expect_err("an open hole");
    assert_eq!(error.position().map(|at| (at.line, at.column)), Some((3, 7)));
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| format!("start: {}\"a\"{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Template::parse(&nested(64)).is_ok());
    let error = Template::parse(&nested(65)).expect_err("too deep");
    assert_eq!(*error.kind(), LarkErrorKind::TooDeep(64));
}

#[test]
fn labelled_words_choose_what_follows() {
    let words = Leaf::new(Words(vec!["get".into(), "get_all".into()]));
    let arms = ["1", "2"].map(Expression::literal);
    let language =
        template("start: \"to=\" @name").fill("start", &[("name", Expression::switch(words, arms))]);
    let language = language.expect("a language");
    assert_eq!(recognise(&language, "to=get1"), Verdict::Accepted);
    assert_eq!(recognise(&language, "to=get_all2"), Verdict::Accepted);
    assert_eq!(recognise(&language, "to=get2"), Verdict::RejectedAt(6));
    assert_eq!(recognise(&language, "to=get_"), Verdict::Prefix);
}
