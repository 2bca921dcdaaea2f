//! Patterns against the validator of the ecosystem, and against their own complements.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use super::{Counted, Pattern, PatternErrorKind};
use crate::limits::{Budget, Limits};
use crate::regular::Dfa;

fn limit() -> usize {
    Limits::default().dfa_states
}

fn dfa(pattern: &str) -> Dfa {
    Pattern::parse(pattern)
        .and_then(|pattern| pattern.to_dfa(limit()))
        .unwrap_or_else(|error| panic!("{pattern}: {error}"))
}

fn oracle(pattern: &str) -> Option<jsonschema::Validator> {
    jsonschema::validator_for(&json!({ "type": "string", "pattern": pattern })).ok()
}

/// Texts near the edges of the dialects.
const TEXTS: [&str; 40] = [
    "",
    "a",
    "b",
    "aa",
    "ab",
    "abc",
    "aab",
    "A",
    "aB",
    "foo",
    "foo bar",
    "foo-bar",
    "a.b",
    "a_b",
    "1",
    "12",
    "123",
    "1234",
    "2024-01-31",
    "-",
    "_",
    "/",
    "\\",
    "{",
    "}",
    "{a}",
    "]",
    "^",
    "$",
    " ",
    "\t",
    "\n",
    "a\nb",
    "\0",
    "\u{8}",
    "\u{feff}",
    "é",
    "日本",
    "😀",
    "a😀b",
];

/// Patterns on which both dialects agree.
const AGREED: [&str; 92] = [
    "",
    "a",
    "a|b",
    "^a|b$",
    "^(a|b)$",
    "^(?:a|b)+$",
    "^(?!ab).*$",
    "^(?!ab)(?=.{2,3}$)[ab]*$",
    "^((?!ab).)*$",
    "^((?!ab)(?!ba)[ab])*$",
    "^((?!ab).)+$",
    "^(?:(?=a|b)[a-f]){2,}$",
    "^x((?!ab).)*$",
    "^((?!b)[ab])*c",
    "^((?!ac)[ab])*c$",
    "((?!a).)*",
    "^((?!a$).)*$",
    "a(?!b)",
    "^(?!^a|b).*b",
    "^(?:a(?!b)|b)?a",
    "^a?(?!.*bb)(?:[ab]*)$",
    "(?=ab)a",
    "^(?!a$).+$",
    "^(a|b)(?:(?!a)[ab]*b)?$",
    "^(?<name>a)b$",
    "^(?P<name>a)b$",
    "a*",
    "^a*$",
    "^a+?b",
    "^a{2}$",
    "^a{1,}$",
    "^a{0,1}$",
    "^a{0}$",
    "^[abc]+$",
    "^[^abc]+$",
    "^[a-c]$",
    "^[-a]$",
    "^[a-]$",
    r"^[\w-]+$",
    r"^[\w.-]+$",
    r"^[a\-z]$",
    r"^[\]]$",
    r"^[\\]$",
    "^[$^]$",
    "^[{}]$",
    r"^\d+$",
    r"^\D+$",
    r"^\w+$",
    r"^\W+$",
    r"^\s$",
    r"^\S+$",
    r"^[\s\S]*$",
    r"^[\d\s]+$",
    r"\bfoo\b",
    r"^a\.b$",
    r"^\/$",
    r"^\-$",
    r"^\_$",
    "^\\\"$",
    r"^\@$",
    r"^\$$",
    r"^\^$",
    r"^\{a\}$",
    r"^\t$",
    r"^\n$",
    r"^\x61$",
    r"^\u{61}$",
    r"^\p{L}+$",
    r"^\P{L}+$",
    r"^\p{Lu}$",
    r"^[\p{L}\d]+$",
    r"^\p{Script=Han}+$",
    r"^[^\x00-\x1f]*$",
    "^日本$",
    "^[é日]",
    "^😀$",
    "^.$",
    "^a.+b$",
    "^()$",
    "^(|a)$",
    "(^a|b$)",
    "^^a",
    "a$$",
    "a^",
    "$a",
    "^$",
    "(?i)^ab$",
    "(?i)[^a]",
    "(?i:a)B",
    "^(a(b(c)?)?)?$",
    r"^\d{4}-\d{2}-\d{2}$",
    r"^\S*$",
];

#[test]
fn agrees_with_the_validator() {
    for pattern in AGREED {
        let (dfa, oracle) = (dfa(pattern), oracle(pattern).unwrap_or_else(|| panic!("{pattern}")));
        // Where it looks around the oracle takes `\w` for any letter; in ECMA-262 it is of ASCII.
        let is_other = |text: &&&str| pattern.contains("(?") && pattern.contains(r"\w") && !text.is_ascii();
        for text in TEXTS.iter().filter(|text| !is_other(text)) {
            assert_eq!(dfa.contains(text.as_bytes()), oracle.is_valid(&json!(text)), "{pattern} on {text:?}");
        }
    }
}

/// What ECMA-262 says where the validator says otherwise or nothing.
#[test]
fn follows_the_standard() {
    let check = |pattern: &str, accepted: &[&str], rejected: &[&str]| {
        let dfa = dfa(pattern);
        accepted.iter().for_each(|text| assert!(dfa.contains(text.as_bytes()), "{pattern} on {text:?}"));
        rejected.iter().for_each(|text| assert!(!dfa.contains(text.as_bytes()), "{pattern} on {text:?}"));
    };
    check("^.$", &["a", "😀"], &["\n", "\r", "\u{2028}", "\u{2029}"]);
    check("^[^]$", &["a", "\n", "😀"], &["", "ab"]);
    check("^[]|b$", &["b"], &["", "a"]);
    check(r"^\s$", &["\u{feff}", "\u{a0}", "\u{2028}", "\u{b}"], &["\u{85}", "\u{180e}", "\u{200b}"]);
    check(r"\bb", &["éb", "b"], &["ab", "_b"]);
    check(r"^\B.", &["é"], &["a"]);
    check(r"\B", &["", "é", "aa"], &["a", "aéa"]);
    check(r"^[\b]$", &["\u{8}"], &["b"]);
    check(r"^\cA\cz$", &["\u{1}\u{1a}"], &["cAcz"]);
    check(r"^\ud83d\ude00$", &["😀"], &["😃"]);
    check(r"^[\ud83d\ude00-\ud83d\ude02]$", &["😁"], &["😃"]);
    check(r"^\ud83d|b$", &["b"], &["", "😀"]);
    check(r"^[\u0000-\uffff]$", &["\0", "\u{ffff}"], &["😀"]);
    check(r"^\0$", &["\0"], &["0"]);
    check("^[a[]&&b--]$", &["a&&b--]", "[&&b--]"], &["a", "b"]);
    check("^{{a}}]$", &["{{a}}]"], &["{a}"]);
    check("^{a,b}$", &["{a,b}"], &["a"]);
    check(r"^\<a\>$", &["<a>"], &["a"]);
    check("^a{2,3}?$", &["aa", "aaa"], &["a", "aaaa"]);
}

#[test]
fn errors_say_what_and_where() {
    let check = |pattern: &str, kind: &str, span: std::ops::Range<usize>| {
        let error = Pattern::parse(pattern).expect_err(pattern);
        let found = match error.kind {
            PatternErrorKind::Lookaround => "lookaround".to_owned(),
            PatternErrorKind::Backreference => "backreference".to_owned(),
            PatternErrorKind::Syntax(message) => message,
            PatternErrorKind::TooLarge(limit) => limit.to_string(),
        };
        assert_eq!((found.as_str(), error.span), (kind, span), "{pattern}");
    };
    check("(?<=a(?!b))", "lookaround", 0..11);
    check("a(?<!(?<=a(?=b)))", "lookaround", 5..16);
    check(r"(a)\1", "backreference", 3..5);
    check(r"(?<x>a)\k<x>", "backreference", 7..9);
    check("(a", "`(` without `)`", 0..2);
    check("é)", "`)` without `(`", 2..3);
    check("[a", "`[` without `]`", 0..2);
    check("*a", "nothing to repeat", 0..1);
    check("a**", "nothing to repeat", 2..3);
    check("a|{2}", "nothing to repeat", 2..5);
    check("^*", "an assertion cannot be repeated", 0..2);
    check("a{3,2}", "the greatest count is less than the least", 1..6);
    check("a{,2}", "a quantifier needs its least count", 1..5);
    check("[b-a]", "the range is out of order", 1..4);
    check(r"\a", r"unknown escape `\a`", 0..2);
    check(r"\p{L!}", r"`\p` needs a property in braces", 0..2);
    check(r"\u{6g}", r"`\u` needs four hexadecimal digits, or a code point in braces", 0..2);
    check(r"\p{Nope}", "unknown Unicode property `Nope`", 0..8);
    check(r"\pL", r"`\p` needs a property in braces", 0..2);
    check(r"\x1", r"`\x` needs two hexadecimal digits", 0..2);
    check(r"\u12", r"`\u` needs four hexadecimal digits, or a code point in braces", 0..2);
    check(r"\c1", r"`\c` needs a letter", 0..3);
    check("a\\", "nothing follows the backslash", 1..2);
    check("(?s)a", "unknown kind of group", 0..2);
    let deep = format!("{}{}", "(".repeat(100_000), ")".repeat(100_000));
    check(&deep, "more than 200 groups within each other", 200..201);
}

/// The texts of the pattern that does not count, as far as the bounds allow them; `None` where it counts
/// nothing.
fn within_bounds(pattern: &Pattern) -> Option<Dfa> {
    let Counted { pattern, min_length, max_length } = pattern.counted()?;
    let lengths = Dfa::of_length(min_length, max_length, usize::MAX).expect("no limit");
    let texts = pattern.to_dfa(limit()).expect("it has fewer states");
    Some(texts.intersection(&lengths, usize::MAX).expect("no limit"))
}

#[test]
fn counts_are_lengths() {
    let check = |source: &str, counts: bool| {
        let pattern = Pattern::parse(source).expect("a pattern");
        let (within, whole) = (within_bounds(&pattern), pattern.to_dfa(limit()).expect("few states"));
        assert_eq!(within.is_some(), counts, "{source}");
        assert!(within.is_none_or(|within| within == whole), "{source}");
    };
    check("^.{0,40}$", true);
    check("^a{50,}$", true);
    check("^(id-(\\w{3,40}))$", true);
    check("^(?:ab|c[de]){2,33}(?<=b)x{3}$", true);
    check("^(?!-)[a-z-]{1,63}\\b$", true);
    check("^(^é{1,34})$", true);
    check("^a$.{0,40}$", true);
    check("^(?:a{2}){1,40}$", true);
    check("^a{0,30}$", false);
    check("^a{40}$", false);
    check("^a{0,40}", false);
    check("^a?b{0,40}$", false);
    check("^(?:a|bc){0,40}$", false);
    check("^(?:a?){0,40}$", false);
    check("^a{0,40}b*$", false);
    check("^a{0,40}$|^b$", false);
}

/// Of the places where a match may have begun only the furthest is known, so there are not as many states as
/// there are sets of places.
#[test]
fn only_the_furthest_of_copies_counts() {
    for (source, states) in [
        ("[a-zA-Z][a-zA-Z0-9_]{0,99}-[a-zA-Z0-9]{10}", 171),
        (r"^https://([.\-_a-zA-Z0-9]+/?){3,1016}$", 2_047),
        (r"arn:aws:iam::[0-9]{12}:role/(([!-~]+/){1,511})?[A-Za-z0-9+=,.@_/-]{1,64}$", 106),
        ("(ab){90,}c", 196),
        ("(?=.{1,32}$)[a-zA-Z0-9](-*[a-zA-Z0-9])*", 319),
        ("x((a|b?c){0,9}-){0,9}$", 180),
        (r"(arn:[a-z]*/)?[a-z]([a-z-]){0,62}(?<!-)$", 9),
    ] {
        let dfa = Pattern::parse(source).and_then(|pattern| pattern.to_dfa(20_000));
        assert_eq!(dfa.map(|dfa| dfa.states()).map_err(|error| error.to_string()), Ok(states), "{source}");
    }
}

/// `[^一][^丁]…`
fn all_but_each(count: u32) -> String {
    (0..count).filter_map(|at| char::from_u32(0x4e00 + at)).map(|char| format!("[^{char}]")).collect()
}

/// What a pattern is made of is counted while it is read.
#[test]
fn reading_has_a_ceiling() {
    let parsed = |source: &str, steps: usize| {
        let budget = Budget::from(&Limits { work: steps, ..Limits::default() });
        Pattern::parse_within(source, &budget).map(drop).map_err(|error| error.kind)
    };
    // What a property has changes with Unicode, so these are some steps that are too few, and some that will
    // do.
    for (source, too_few, enough) in [
        ("a".repeat(400), 100, 101),
        ("|".repeat(400), 100, 101),
        (".".repeat(40), 50, 51),
        ("(?i)".to_owned() + &"a".repeat(40), 50, 60),
        (r"\p{L}".to_owned(), 40, 70),
        (r"[\p{L}\p{L}]".to_owned(), 120, 200),
        (r"[\P{L}\P{L}]".to_owned(), 120, 200),
        (r"(?i)\p{L}".to_owned(), 250, 500),
        ("(?i)[\u{0}-\u{10ffff}]".to_owned(), 2_100, 2_300),
    ] {
        assert_eq!(parsed(&source, enough), Ok(()), "{source}");
        let refused = parsed(&source, too_few);
        assert!(
            matches!(&refused, Err(PatternErrorKind::TooLarge(limit)) if limit.what == "work"),
            "{source}: {refused:?}"
        );
    }
}

/// Sets that leave out one character each are made of all others each.
#[test]
fn telling_characters_apart_has_a_ceiling() {
    let dfa = |count: u32| Pattern::parse(&all_but_each(count)).and_then(|pattern| pattern.to_dfa(1_000));
    assert!(dfa(3).is_ok());
    assert!(dfa(1_000).is_err());
}

/// Patterns made to exhaust: they end, with an automaton or with the named limit, and quickly.
#[test]
fn bombs_end() {
    let nested = (0..150).fold("a".to_owned(), |inner, _| format!("(?:{inner}|b)*"));
    let many = |pattern: fn(char) -> String| ('a'..='m').map(pattern).collect::<String>();
    let bombs = [
        // Threads at one step that owe different things: compared pairwise, the first two took minutes.
        "^(?:(?:(?=.{5}a)|(?=.{6}b)|(?=.{7}c)|(?=.{8}d)).)*$",
        &many(|letter| format!("(?:(?=.*{letter})|(?=.*{}))", letter.to_ascii_uppercase())),
        &many(|letter| format!("(?:(?=.*{letter}{letter})|{letter})?")),
        &format!("^(?:{}x)*$", many(|letter| format!("(?=.*{letter})|"))),
        "(a{1000}){1000}",
        ".*a.{25}",
        "(a|aa)*b",
        "x{100000}",
        "x{4294967295}",
        "x{99999999999}",
        "(){4294967295}",
        "(?:[]){4294967295}",
        "((a?){300}){300}",
        r"(\p{L}?){5000}",
        r"(?:\w|\p{L}|.){0,2000}b",
        r"(.*a){30}.{20}",
        r"^(([a-z])+.)+[A-Z]([a-z])+$",
        &nested,
        r"((a*)*b*)*c{50}.*d{50}",
        "(a|b|ab)*c.{12}$",
        r"(\b\p{L}\b|\B.){300}",
        "^(a?b?c?d?e?f?g?h?){0,5000}$",
        "^(a?b?c?d?e?f?g?h?){5000}$",
        "(?=(a?b?c?d?e?f?g?h?){0,5000}$)[a-h]*x",
        "(?:(?:(?=a)){0}){4294967295}",
        "(?:(?:(?=a)){0}){4294967295,}",
        &"{".repeat(800_000),
        &r"{1,".repeat(400_000),
        &all_but_each(20_000),
        &(0..20_000).filter_map(|at| char::from_u32(0x4e00 + at)).collect::<String>(),
    ];
    for bomb in bombs {
        let begun = Instant::now();
        let result = Pattern::parse(bomb).and_then(|pattern| pattern.to_dfa(limit()));
        if let Err(error) = &result {
            assert!(
                matches!(&error.kind, PatternErrorKind::TooLarge(limit) if limit.what == "dfa_states"),
                "{bomb}: {error}"
            );
        }
        assert!(
            begun.elapsed().as_secs() < 10,
            "{bomb}: a minute's work is a hang, a second's may be a busy machine"
        );
    }
}

/// All strings under `pattern` and all names under `patternProperties`.
fn collect_patterns(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_patterns(item, found)),
        Value::Object(members) => {
            found.extend(members.get("pattern").and_then(Value::as_str).map(str::to_owned));
            let names = members.get("patternProperties").and_then(Value::as_object);
            found.extend(names.into_iter().flat_map(|names| names.keys().cloned()));
            members.values().for_each(|member| collect_patterns(member, found));
        }
        _ => {}
    }
}

pub(super) fn corpus_patterns() -> Option<BTreeSet<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/corpora/maskbench-dev");
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).ok()? {
        let text = std::fs::read_to_string(entry.ok()?.path()).ok()?;
        collect_patterns(&serde_json::from_str(&text).ok()?, &mut found);
    }
    Some(found)
}

/// Characters that begin with the same bytes lead to different states, and states within them may have equal
/// futures.
#[test]
fn automata_are_minimal_however_characters_are_cut() {
    for pattern in [
        r"^[\u0800-\uffff]+$",
        r"^[\u0800-\u0fff]a|^[\ud7ff\ue000]b",
        r"^[^\u0000-\u07ff]*x$",
        r"^(?:[\u{10000}-\u{3ffff}]a|[\u0100-\u013f]b)+$",
        r"^[\u00e9\u0229\u1e1d\u{1f600}]+$",
        r"^(?:[\u0900-\u097f]|[\u1900-\u197f])c$",
        r"\S+\s+\S",
    ] {
        let dfa =
            Pattern::parse(pattern).and_then(|pattern| pattern.to_dfa(limit())).expect("a small pattern");
        let complement = dfa.complement(limit()).expect("as small");
        assert!(complement.complement(limit()).is_ok_and(|same| same == dfa), "{pattern}");
    }
}

#[test]
fn real_patterns_agree_with_the_validator() {
    let Some(patterns) = corpus_patterns() else {
        println!("skipped: target/corpora/maskbench-dev is absent");
        return;
    };
    let mut times = Vec::new();
    for pattern in &patterns {
        let begun = Instant::now();
        let dfa = match Pattern::parse(pattern).and_then(|pattern| pattern.to_dfa(limit())) {
            Ok(dfa) => dfa,
            Err(error) => {
                let is_named =
                    matches!(error.kind, PatternErrorKind::Lookaround | PatternErrorKind::Backreference);
                // What looks ahead costs products of automata, and may be too much.
                let looks_ahead = pattern.contains("(?=") || pattern.contains("(?!");
                assert!(is_named || looks_ahead || oracle(pattern).is_none(), "{pattern}: {error}");
                continue;
            }
        };
        times.push(begun.elapsed());
        // `regex` reads `\<` and `\>` as edges of words.
        let Some(oracle) = oracle(pattern).filter(|_| !pattern.contains(r"\<")) else {
            continue;
        };
        let within = Pattern::parse(pattern).ok().and_then(|pattern| within_bounds(&pattern));
        assert!(within.is_none_or(|within| within == dfa), "{pattern}");
        let complement = dfa.complement(limit()).expect("as small");
        // However an automaton was made, there is one for a language.
        assert!(complement.complement(limit()).is_ok_and(|same| same == dfa), "{pattern}");
        let shortest =
            |dfa: &Dfa| dfa.shortest().map(|word| json!(std::str::from_utf8(word).expect("UTF-8 only")));
        shortest(&dfa).iter().for_each(|word| assert!(oracle.is_valid(word), "{pattern} on {word}"));
        shortest(&complement).iter().for_each(|word| assert!(!oracle.is_valid(word), "{pattern} on {word}"));
        // Where it looks around the oracle takes `\w` for any letter; in ECMA-262 it is of ASCII.
        let is_other = |text: &&&str| pattern.contains("(?") && pattern.contains(r"\w") && !text.is_ascii();
        for text in TEXTS.iter().filter(|text| !is_other(text)) {
            assert_eq!(dfa.contains(text.as_bytes()), oracle.is_valid(&json!(text)), "{pattern} on {text:?}");
        }
    }
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    println!(
        "{} patterns, {} built; p50 {:?}, p90 {:?}, p99 {:?}, worst {:?}",
        patterns.len(),
        times.len(),
        at(50),
        at(90),
        at(99),
        at(100)
    );
}

/// What terminals of a grammar may ask of the characters around a place, as `regex-syntax` reads it.
#[test]
fn lines_and_words() {
    let check = |pattern: &str, text: &str, expected: bool| {
        let hir = regex_syntax::parse(pattern).expect("a pattern");
        let dfa = super::whole_match(hir, limit()).expect("small");
        assert_eq!(dfa.contains(text.as_bytes()), expected, "{pattern} on {text:?}");
    };
    check("(?m)a$\n^b", "a\nb", true);
    check("(?m)a$b", "ab", false);
    check("a$\nb", "a\nb", false);
    check("(?m)(^a\n)*", "a\na\n", true);
    check("(?mR)a$\r\n^b", "a\r\nb", true);
    check("(?mR)a\r$\nb", "a\r\nb", false);
    check("(?mR)a\r^\nb", "a\r\nb", false);
    check("(?mR)a\r^b", "a\rb", true);
    check(r"(?-u:\b)é(?-u:\B) (?-u:\b)a(?-u:\b)", "é a", false);
    check(r"(?-u:\B)é(?-u:\B) (?-u:\b)a(?-u:\b)", "é a", true);
    check(r"(?-u:\b{start})ab(?-u:\b{end}) .", "ab !", true);
    check(r"a(?-u:\b{start})b", "ab", false);
    check(r".(?-u:\b{start-half})b(?-u:\b{end-half}).", "-b-", true);
    check(r".(?-u:\b{start-half})b", "ab", false);
}
