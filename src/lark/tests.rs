//! Grammars are checked by what they accept.

use super::recogniser::{Verdict, Words, recognise};
use super::{LarkError, LarkErrorKind, Template};
use crate::expression::{Expression, Kind, Leaf};
use crate::limits::Limits;

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

/// What remains of a sequence is the same from wherever the grammar is begun.
#[test]
fn rests_are_told_apart_by_their_symbols() {
    let template = template("start: a b c\na: \"x\" \"1\"\nb: \"x\" \"2\"\nc: \"x\" \"3\" | \"x\" \"1\"");
    let body = |start: &str| match template.fill(start, &[]).expect("a language").kind() {
        Kind::Rule(rule) => rule.expand(),
        other => panic!("{other:?}"),
    };
    let options = match body("c").kind() {
        Kind::Choice(options) => options.to_vec(),
        other => panic!("{other:?}"),
    };
    assert_ne!(body("a"), body("b"));
    assert_eq!(options[1], body("a"));
    assert!(options[0] != body("a") && options[0] != body("b"));
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
    assert_eq!(error.expect_err("an error").to_string(), message, "{source}");
}

#[test]
fn errors_of_words_say_where() {
    for (source, message) in [
        ("start: §", "line 1, column 8: unexpected character '§'"),
        ("start: \"é\" <end>", "line 1, column 12: unexpected character '<'"),
        ("start: \"a\n\"", "line 1, column 8: the string is not closed on its line"),
        ("start: /a\n/", "line 1, column 8: the regular expression is not closed on its line"),
        (
            "start: \"\\q\"",
            r#"line 1, column 9: unknown escape: a string knows \" \\ \/ \n \r \t \b \f \v \xHH \uHHHH \UHHHHHHHH"#,
        ),
        ("start: <|end>", "line 1, column 8: the special token is not closed with `|>`"),
        (
            "start: <|endoftext|>",
            "line 1, column 8: `<|endoftext|>` is not a special token that an assistant may write",
        ),
        ("start: <[12]>", "line 1, column 8: a token by number, `<[…]>` is not supported"),
        ("start: @ \"a\"", "line 1, column 8: a hole is `@` and a name"),
        (
            "Start: \"a\"",
            "line 1, column 1: `Start` is neither a rule (small letters) nor a terminal (capitals)",
        ),
        ("start: \"a\"~99999999999", "line 1, column 12: the number 99999999999 is too large"),
        (
            "%llguidance {\"lazy\": 1}",
            "line 1, column 12: the directive `%llguidance {\"lazy\"}` is not supported",
        ),
        ("%declare A", "line 1, column 1: the directive `%declare` is not supported"),
        (
            "start: %json {",
            "line 1, column 14: `%json` needs JSON: EOF while parsing an object at line 1 column 1",
        ),
    ] {
        check_error(source, message);
    }
}

#[test]
fn errors_of_syntax_say_where() {
    for (source, message) in [
        ("start \"a\"", "line 1, column 7: expected `:` after the name of the rule, found \"a\""),
        ("\n\n | \"a\"", "line 3, column 2: expected the name of a rule, found `|`"),
        ("start: \"a\" )", "line 1, column 12: expected the end of the rule, found `)`"),
        ("start: (\"a\" ?", "line 1, column 14: expected `)`, found the end of the grammar"),
        ("start: \"a\"~3..2", "line 1, column 12: nothing repeats at least 3 and at most 2 times"),
        ("start: \"b\"..\"a\"", "line 1, column 8: from \"b\" to \"a\" is not a range of characters"),
        ("start{x}: \"a\"", "line 1, column 6: a template, `rule{…}` is not supported"),
        ("start[lazy]: \"a\"", "line 1, column 6: a rule's attributes, `rule[…]` is not supported"),
        ("start: A & B", "line 1, column 10: an intersection, `&` is not supported"),
        ("%import python.NAME", "line 1, column 9: `%import` of anything but `common` is not supported"),
        ("%import common.NOPE\nstart: NOPE", "line 1, column 16: `common` has no terminal `NOPE`"),
    ] {
        check_error(source, message);
    }
}

#[test]
fn errors_of_meaning_say_where() {
    for (source, message) in [
        ("start: rest", "line 1, column 8: rule `rest` is not defined"),
        ("start: REST", "line 1, column 8: terminal `REST` is not defined"),
        ("start: \"a\"\nstart: \"b\"", "line 2, column 1: `start` is defined twice"),
        ("begin: \"a\"", "rule `start` is not defined"),
        ("start: \"a\" @hole", "line 1, column 12: hole `@hole` is not filled"),
        (
            "start: \"a\" start",
            "line 1, column 1: rule `start` never ends: each of its alternatives needs itself",
        ),
        (
            "start: \"a\" | one\none: two\ntwo: one \"x\"",
            "line 2, column 1: rule `one` never ends: each of its alternatives needs itself",
        ),
        ("start: A\nA: \"a\" A?", "line 2, column 1: terminal `A` contains itself: only rules may recur"),
        ("start: A\nA: \"a\" start", "line 2, column 8: a terminal cannot contain a rule"),
        ("start: /a(?=b)/", "line 1, column 10: lookaround is not supported"),
        ("start: /(a)\\1/", "line 1, column 12: a backreference is not regular"),
        ("start: /(a/", "line 1, column 9: the regular expression is wrong: unclosed group"),
        ("start: /a/q", "line 1, column 9: unknown flag `q`: a regular expression knows i, m, s, u and x"),
        (
            "start: /a\\bb/",
            "line 1, column 9: a word boundary is supported among ASCII letters only: write it as `(?-u:\\b)`",
        ),
        ("start: /a$b/", "line 1, column 8: no text matches this"),
    ] {
        check_error(source, message);
    }
}

#[test]
fn left_recursion_is_read() {
    check(r#"start: start "+" "n" | "n""#, &["n", "n+n", "n+n+n"], &[("+", 0), ("nn", 1), ("n++", 2)]);
    check(
        "start: one\none: two \"a\" | \"x\"\ntwo: one \"b\" | \"y\"",
        &["x", "xba", "ya", "yabaxba"][..3],
        &[("xa", 1)],
    );
    check("start: nothing start \"a\" | \"b\"\nnothing: \"c\"?", &["b", "ba", "cba", "ccbaa"], &[("ca", 1)]);
    check("start: start start | \"a\" | \"\"", &["", "a", "aaa"], &[("b", 0)]);
    check("start: start | \"a\"", &["a"], &[("aa", 1)]);
    check("start: start nothing \"a\" | \"b\"\nnothing: \"\"?", &["b", "ba", "baa"], &[("a", 0), ("bb", 1)]);
}

#[test]
fn loops_around_nothing_are_no_rounds() {
    check("start: (\"b\"?)* \"a\"", &["a", "bba"], &[("c", 0)]);
    check("start: (/b*/)+ \"a\"", &["a", "bba"], &[("c", 0)]);
    check("start: rest* \"a\"\nrest: \"b\"? \"c\"?", &["a", "bcccba"], &[("d", 0)]);
}

#[test]
fn what_is_ignored_stands_around_terminals() {
    let grammar = "start: WORD \"=\" WORD\nWORD: LETTER \"-\" LETTER\n%import common (LETTER, WS)\n%ignore WS\n%ignore /#[^\\n]*\\n/";
    check(grammar, &["a-b=c-d", " a-b\t= c-d\n", "#x\na-b =#y\nc-d"], &[("a -", 1), ("a-b c", 4)]);
}

#[test]
fn terminals_are_made_of_terminals() {
    check("start: A B?\nA.2: \"x\"i | B~2\nB: \"0\"..\"9\"", &["x", "X", "123", "12"], &[("1x", 1)]);
    check("start: \"a\"~2..4 \"b\"~2", &["aabb", "aaaabb"], &[("ab", 1), ("aaaaa", 4), ("aabbb", 4)]);
    check(
        "%llguidance {}\nstart: the-a{2} \"b\"{1,} \"c\"{,2}\nthe-a: \"a\"",
        &["aab", "aabbcc"],
        &[("ab", 1), ("aabccc", 5)],
    );
    check("?start: [\"a\"] \"b\" -> name\n!other: \"c\"", &["b", "ab"], &[("c", 0)]);
    check("start: /[a-c]+/i /x y/x", &["abCxy"], &[("d", 0)]);
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
fn a_hole_that_may_be_empty_is_not_repeated() {
    let template = template(
        "start: @hole*\nleft: @hole left \"a\" | \"b\"\nfine: @hole? fine_too\nfine_too: \"x\" @hole",
    );
    let maybe = [("hole", Expression::literal("a").optional())];
    let refused = |start| template.fill(start, &maybe).map_err(|error| error.to_string());
    assert_eq!(
        refused("start"),
        Err("line 1, column 8: rule `start` repeats a hole that may be empty".to_owned())
    );
    assert!(refused("left").is_err() && refused("fine").is_ok());
}

#[test]
fn limits_have_names() {
    let parse = |source: &str| Template::parse(source).and_then(|template| template.fill("start", &[]));
    let limit = |source: &str| match parse(source).expect_err("too much").kind() {
        LarkErrorKind::Limit(limit) => limit.what,
        other => panic!("{other}"),
    };
    assert_eq!(limit("start: \"a\"~1000000..2000000"), "grammar_symbols");
    assert_eq!(limit("start: /[ab]*a[ab]{20}/"), "dfa_states");
    let rules = (0..2_000).map(|rule| format!("r{rule}: r{} \"a\" | \"b\"\n", (rule + 1) % 2_000));
    assert_eq!(limit(&format!("start: r0\n{}", rules.collect::<String>())), "left_recursive_rules");
    let chain = (0..10_000).map(|rule| format!("r{rule}: r{} | \"a{rule}\"\n", rule + 1));
    assert!(parse(&format!("start: r0\n{}r10000: \"b\"", chain.collect::<String>())).is_ok());
}

/// Rules, automata and copies of terminals are work, so a grammar may be cancelled.
#[test]
fn grammars_are_work() {
    let rules = (0..3_000).map(|rule| format!("r{rule}: \"a\" r{} | \"b\"\n", (rule + 1) % 3_000));
    let copies = (0..200).map(|at| format!("T{at}: \"{at}\" LONG\n"));
    for (source, work) in [
        (format!("start: r0\n{}", rules.collect::<String>()), 6_000),
        ("start: /[ab]*a[ab]{10}/".to_owned(), 500),
        (format!("start: \"a\"\nLONG: \"{}\"\n{}", "x".repeat(40_000), copies.collect::<String>()), 24_000),
    ] {
        let limit = |work| {
            let grammar = Template::parse_within(&source, &Limits { work, ..Limits::default() });
            grammar.err().and_then(|error| error.limit().map(|limit| limit.what))
        };
        let begins = &source[..source.len().min(40)];
        assert_eq!((limit(work / 2), limit(4 * work)), (Some("work"), None), "{begins}");
    }
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

#[test]
fn shortest_texts_are_limited() {
    let limits = Limits { completion_bytes: 9, ..Limits::default() };
    let limit =
        |language: Result<Expression, LarkError>| language.err().and_then(|error| Some(error.limit()?.given));
    let lark = |source| Template::parse_within(source, &limits).and_then(|grammar| grammar.text([]));
    assert_eq!(limit(super::regex("a{10}|b{11}", &limits, None)), Some(10));
    assert_eq!(limit(super::regex("a{9}|b{11}", &limits, None)), None);
    assert_eq!(limit(lark("start: \"a\"~9 | \"b\"~11")), Some(11));
    assert_eq!(limit(lark("start: x*\nx: \"a\" x \"a\" | \"b\"")), None);
}
