//! String languages against their definition: decode, then ask the automaton of the text.

use std::collections::HashSet;
use std::sync::Arc;

use proptest::prelude::*;

use super::words::Words;
use super::{Escapes, StringLanguage, decode};
use crate::expression::{Language, Leaf, State};
use crate::json::listed::Listed;
use crate::regular::{Dfa, Pattern, Window};

fn words(words: &[&str]) -> Arc<Dfa> {
    Arc::new(Dfa::words(words.iter().map(|word| (word, 0)), 1000).unwrap())
}

fn text_of(dfa: Arc<Dfa>, min: u32, max: Option<u32>) -> StringLanguage {
    StringLanguage::new(dfa, min, max, Escapes::Any, 100_000).unwrap()
}

fn excluding(dfa: Arc<Dfa>, words: &[&str]) -> StringLanguage {
    text_of(dfa, 0, None).but(None, Listed::new(words.iter().copied())).expect("some are left")
}

fn read(strings: &StringLanguage, text: &[u8]) -> Option<State> {
    strings.reads(strings.start(), text)
}

fn accepts(strings: &StringLanguage, text: &str) -> bool {
    read(strings, text.as_bytes()).is_some_and(|state| strings.accepts(state).is_some())
}

#[test]
fn escapes_are_read_as_what_they_stand_for() {
    let check = |text: &str, spelling: &str, any_escape: bool, needed: bool| {
        let one = words(&[text]);
        let strict = StringLanguage::new(one.clone(), 0, None, Escapes::Needed, 1000).unwrap();
        assert_eq!(accepts(&text_of(one, 0, None), spelling), any_escape, "{spelling}");
        assert_eq!(accepts(&strict, spelling), needed, "{spelling} as a constant");
    };
    check("a", r#""a""#, true, true);
    check("a", r#""\u0061""#, true, false);
    check("/", r#""\/""#, true, false);
    check("\"", r#""\"""#, true, true);
    check("\\", r#""\\""#, true, true);
    check("\n", r#""\n""#, true, true);
    check("\n", r#""\u000a""#, true, true);
    check("\n", r#""\u000A""#, true, true);
    check("\n", "\"\n\"", false, false);
    check("\u{7f}", "\"\u{7f}\"", true, true);
    check("é", r#""é""#, true, true);
    check("é", r#""\u00e9""#, true, true);
    check("😀", r#""\ud83d\ude00""#, true, true);
    check("😀", r#""\uD83D\uDE00""#, true, true);
    check("😀", r#""\ud83d""#, false, false);
    check("😀", r#""\ude00\ud83d""#, false, false);
    check("b", r#""a""#, false, false);
    check("ab", r#""a""#, false, false);
}

#[test]
fn a_digit_that_leads_nowhere_is_refused() {
    let check = |dfa: Arc<Dfa>, prefix: &str, next: &str| {
        let strings = text_of(dfa, 0, None);
        let state = read(&strings, prefix.as_bytes()).unwrap_or_else(|| panic!("{prefix} is live"));
        let live = (0x20..0x7f).filter(|byte| strings.step(state, *byte).is_some()).map(char::from);
        assert_eq!(live.collect::<String>(), next, "after {prefix}");
    };
    check(words(&["é"]), r#""\"#, "u");
    check(words(&["é"]), r#""\u"#, "0");
    check(words(&["é"]), r#""\u00"#, "Ee");
    check(words(&["é", "ì"]), r#""\u00e"#, "9Cc");
    check(words(&["😀"]), r#""\ud83d"#, "\\");
    check(words(&["😀"]), r#""\ud83d\u"#, "Dd");
    check(words(&["😀"]), r#""\ud83d\ude"#, "0");
    check(words(&["\n"]), r#""\"#, "nu");
    check(Dfa::text(), r#""\ud"#, "0123456789ABab");
    check(Dfa::text(), r#""\ud83d\u"#, "Dd");
    check(Dfa::text(), r#""\"#, "\"/\\bfnrtu");
}

/// What is said to follow is what does, wherever the texts lead.
fn check_next_bytes(strings: &StringLanguage, texts: &[&str]) {
    let prefixes = texts.iter().flat_map(|text| (0..=text.len()).map(|len| &text.as_bytes()[..len]));
    let mut told = 0;
    for prefix in prefixes {
        let state = read(strings, prefix).unwrap_or_else(|| panic!("{prefix:?} is live"));
        let Some(next) = strings.next_bytes(state) else { continue };
        let stepped = (0..=u8::MAX).filter(|byte| strings.step(state, *byte).is_some());
        assert!(next.iter().eq(stepped), "after {prefix:?}");
        told += 1;
    }
    assert!(told >= 3, "only {told} states of {texts:?}");
}

#[test]
fn next_bytes_are_those_that_step() {
    let texts = ["", "a/b", "ab\n\"", "\\", "é", "😀", "\u{7f}"];
    let spelled: Vec<String> = texts.iter().map(|text| serde_json::to_string(text).unwrap()).collect();
    let spelled: Vec<&str> = spelled.iter().map(String::as_str).collect();
    check_next_bytes(&text_of(words(&texts), 0, None), &spelled);
    check_next_bytes(&text_of(words(&texts), 1, Some(2)), &["\"é\""]);
    check_next_bytes(&text_of(Dfa::text(), 1, Some(2)), &["\"ab\"", "\"\\u0061\""]);
    let all = Arc::new(Words::new(&texts));
    check_next_bytes(&StringLanguage::words(all.open(0..texts.len() as u32)), &spelled);
    check_next_bytes(&StringLanguage::words(all.open([all.rank("é").unwrap()])), &["\"é\""]);
    check_next_bytes(&excluding(words(&["a", "ab", "b"]), &["ab", "b"]), &["\"a\""]);
    check_next_bytes(&excluding(Dfa::text(), &["ab"]), &["\"ab", "\"a\""]);
}

/// The texts that are at hand after a prefix are all that complete it.
fn check_texts(all: &[&str], open: &[&str], prefix: &str, expected: Option<&[&str]>) {
    let all = Arc::new(Words::new(all));
    let strings = StringLanguage::words(all.open(open.iter().map(|word| all.rank(word).unwrap())));
    let state = read(&strings, prefix.as_bytes()).unwrap();
    let texts = strings.texts(state);
    let complete = |(text, label): &(&[u8], u32)| {
        let end = strings.reads(state, text).unwrap();
        strings.is_complete(end) && strings.accepts(end) == Some(*label)
    };
    assert!(texts.iter().flatten().all(complete), "after {prefix:?}");
    let texts =
        texts.map(|texts| texts.iter().map(|(text, _)| str::from_utf8(text).unwrap()).collect::<Vec<_>>());
    assert_eq!(texts.as_deref(), expected, "after {prefix:?}");
}

#[test]
fn texts_complete_what_was_read() {
    let names = ["id", "idea", "item", "x/y"];
    check_texts(&names, &names, "", Some(&["\"id\"", "\"idea\"", "\"item\"", "\"x/y\""]));
    check_texts(&names, &["id", "item"], "\"i", Some(&["d\"", "tem\""]));
    check_texts(&names, &names, "\"id", Some(&["\"", "ea\""]));
    check_texts(&names, &names, "\"id\"", None);
    check_texts(&["id", "é"], &["id"], "\"", None);
}

#[test]
fn excluded_words_are_refused_in_every_spelling() {
    let free = excluding(Dfa::text(), &["id", "idea"]);
    for (text, expected) in
        [("\"id\"", false), ("\"i\"", true), ("\"ide\"", true), ("\"\\u0069d\"", false), ("\"ideas\"", true)]
    {
        assert_eq!(accepts(&free, text), expected, "{text}");
    }
    assert!(text_of(words(&["a"]), 0, None).but(None, Listed::new(["a"])).is_none());
    let short = text_of(Dfa::text(), 0, Some(1)).but(None, Listed::new(["a"])).expect("others are left");
    assert!(accepts(&short, "\"b\"") && read(&short, b"\"a").is_none());
    // Of a finite language, what is left decides which prefixes live.
    let left = excluding(words(&["ab", "ac", "b"]), &["ab", "b"]);
    assert!(accepts(&left, "\"ac\"") && read(&left, b"\"b").is_none() && read(&left, b"\"ab").is_none());
    assert_eq!(left.completion(left.start(), &|_| 0).0, b"\"ac\"");
}

#[test]
fn long_texts_are_completed_at_once() {
    let check = |strings: &StringLanguage, prefix: &str, len: usize| {
        let (rest, _) = strings.completion(read(strings, prefix.as_bytes()).expect("live"), &|_| 0);
        assert_eq!(rest.len(), len, "after {prefix:?}");
    };
    check(&text_of(Dfa::text(), 0, None), "", 2);
    check(&text_of(Dfa::text(), 5_000, None), "", 5_002);
    check(&text_of(Dfa::text(), 300, Some(300)), "\"ab", 299);
    check(&text_of(Dfa::text(), 3, None), r#""\u00"#, 5);
    check(&text_of(words(&["a\n\u{1}\"", "a long one to be passed by"]), 0, None), "", 13);
    let letters = Arc::new(Pattern::parse(r"^\p{L}+$").unwrap().to_dfa(10_000).unwrap());
    check(&text_of(letters.clone(), 5_000, None), "", 5_002);
    check(&text_of(letters, 300, Some(300)), "\"é", 300);
}

/// Texts, each other than all before, come by their lengths: none is passed over for a longer one.
#[test]
fn different_texts_are_completed_by_length() {
    let check = |dfa: &Arc<Dfa>, min: u32, by_len: &[usize]| {
        let mut used = Listed::default();
        for (len, count) in by_len.iter().enumerate() {
            for _ in 0..*count {
                let strings = text_of(dfa.clone(), min, None).but(None, used.clone()).expect("endless");
                let (text, _) = strings.completion(strings.start(), &|_| 0);
                assert_eq!(text.len(), len + 2, "{} after {used:?}", String::from_utf8_lossy(&text));
                used = used.with(decode(&text).into());
            }
        }
    };
    let pattern = |source: &str| Arc::new(Pattern::parse(source).unwrap().to_dfa(1_000).unwrap());
    check(&pattern("^[a-c]*$"), 0, &[1, 3, 9, 27]);
    check(&pattern("^[a-c]*$"), 2, &[0, 0, 9, 27]);
    // Of one, two and four bytes.
    check(&pattern("^[aé😀]*$"), 0, &[1, 1, 2, 3, 6, 10, 18]);
    // All of ASCII but controls, quotation mark, backslash; DEL needs no escape.
    check(&Dfa::text(), 0, &[1, 94, 300]);
}

#[test]
fn expectations_are_in_a_users_words() {
    let check = |strings: StringLanguage, prefix: &str, expected: &str| {
        assert_eq!(strings.expectation(read(&strings, prefix.as_bytes()).unwrap()), expected);
    };
    check(text_of(Dfa::text(), 0, None), "", "a string");
    check(text_of(Dfa::text(), 0, None), "\"a", "the rest of a string");
    check(
        StringLanguage::words(Arc::new(Words::new(&["celsius", "kelvin", "fahrenheit"])).open([0, 1])),
        "",
        r#"one of "celsius", "fahrenheit""#,
    );
}

fn some_text() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        proptest::sample::select(vec!["a", "b", "é", "😀", "\"", "\\", "\n", "/"]),
        0..4,
    )
    .prop_map(|parts| parts.concat())
}

/// Of any text, escapes that are read half have a few classes, and a state goes on as its class does.
#[test]
fn half_read_escapes_are_few_classes() {
    let strings = text_of(Dfa::text(), 0, None);
    let mut classes = HashSet::new();
    let units = (0..=0xffff_u32).step_by(0x40).map(|unit| format!("\"\\u{unit:04x}"));
    let halves = (0xdc00..=0xdfff_u32).step_by(0x40).map(|unit| format!("\"\\ud83d\\u{unit:04x}"));
    for spelling in units.chain(halves) {
        for len in 2..spelling.len() {
            let Some(state) = read(&strings, &spelling.as_bytes()[..len]) else { continue };
            let class = strings.class(state);
            let wide = class.leaf.as_ref().expect("without end");
            let alike =
                |byte: u8| strings.step(state, byte).is_some() == wide.step(class.state, byte).is_some();
            assert!((0..=u8::MAX).all(alike), "{}", &spelling[..len]);
            classes.insert(class.state);
        }
    }
    assert!(classes.len() <= 16, "{} classes", classes.len());
}

proptest! {
    #[test]
    fn a_string_is_accepted_when_its_text_is(
        allowed in proptest::collection::vec(some_text(), 1..6),
        text in some_text(),
        min in 0..3_u32,
        more in proptest::option::of(0..3_u32),
        ascii: bool,
    ) {
        let max = more.map(|more| min + more);
        let fits = |text: &String| {
            let len = text.chars().count() as u32;
            len >= min && max.is_none_or(|max| len <= max)
        };
        prop_assume!(allowed.iter().any(fits));
        let refs: Vec<&str> = allowed.iter().map(String::as_str).collect();
        let strings = text_of(words(&refs), min, max);
        let mut spelling = serde_json::to_string(&text).unwrap();
        if ascii {
            spelling = spelling.replace('é', "\\u00e9").replace('😀', "\\ud83d\\ude00");
        }
        prop_assert_eq!(accepts(&strings, &spelling), allowed.contains(&text) && fits(&text));
    }

    /// Many bytes lead where one after the other does, to the end of the first string among them.
    #[test]
    fn many_bytes_are_read_as_each_is(
        some in proptest::collection::vec(some_text(), 1..6),
        are_excluded: bool,
        min in 0..3_u32,
        more in proptest::option::of(0..3_u32),
        begun in 0..4_usize,
        pieces in proptest::collection::vec(
            proptest::sample::select(vec!["a", "b", "é", "😀", "\"", "\\", "\\n", "\\u00e9", "\\ud83d", "\\ude00", "\n", "/"]),
            0..6,
        ),
    ) {
        let some: Vec<&str> = some.iter().map(String::as_str).collect();
        let max = more.map(|more| min + more);
        let strings = if are_excluded {
            text_of(Dfa::text(), min, max).but(None, Listed::new(some))
        } else {
            Some(text_of(words(&some), min, max)).filter(|strings| !strings.window.is_empty())
        };
        prop_assume!(strings.is_some());
        let strings = strings.expect("assumed");
        let spelled = ["\"", &pieces.concat()].concat();
        let (before, bytes) = spelled.as_bytes().split_at(begun.min(spelled.len()));
        let step = |state, byte: &u8| strings.step(state, *byte);
        let Some(from) = before.iter().try_fold(strings.start(), step) else { return Ok(()) };
        let states = bytes.iter().scan(from, |state, byte| {
            *state = strings.step(*state, *byte)?;
            Some(*state)
        });
        let states: Vec<State> = states.collect();
        let first = states.iter().position(|state| strings.accepts(*state).is_some());
        let to_text = match first {
            Some(at) => Some((states[at], at + 1)),
            None => (states.len() == bytes.len()).then(|| (states.last().copied().unwrap_or(from), bytes.len())),
        };
        prop_assert_eq!(strings.reads_to_text(from, bytes), to_text);
        prop_assert_eq!(strings.reads(from, bytes), to_text.and_then(|(state, read)| (read == bytes.len()).then_some(state)));
    }

    /// A state and its class agree on everything that stays inside the string, and on its end as far as they
    /// say.
    #[test]
    fn a_class_stands_for_its_states(
        pattern in proptest::sample::select(vec!["", "^[a-c]+$", "a", "^a*b", "^[a-cé]{2}|[\\n😀]$", "^(..)*$", "[^a-z]$", "b{3}"]),
        prefix in "[a-cé\n\"]{0,4}",
        half in proptest::sample::select(vec![
            "", "", "\\", "\\u", "\\u0", "\\u00", "\\u00e", "\\ud", "\\ud7", "\\ud7f", "\\ud8", "\\ud83", "\\ud83d", "\\ud83d\\", "\\ud83d\\u",
            "\\ud83d\\ud", "\\ud83d\\ude", "\\ud83d\\ude0", "\\ue0", "\\uf",
        ]),
        rest in proptest::collection::vec(proptest::sample::select(vec!["a", "b", "c", "é", "😀", "\"", "\\", "\\n", "\\u00e", "\\ud83d", "\\ude", "0", "n", "d", "8", "u"]), 0..5),
        min in 0..4_u32,
        more in proptest::option::of(0..6_u32),
        named: bool,
    ) {
        let dfa = Arc::new(Pattern::parse(pattern).unwrap().to_dfa(1_000).unwrap());
        let window = Window::new(dfa.clone(), min, more.map(|more| min + more), 100_000).unwrap();
        prop_assume!(!window.is_empty());
        let all = text_of(dfa, min, more.map(|more| min + more));
        let strings = if named { all.but(None, Listed::new(["abc", "ab"])) } else { Some(all) };
        let Some(strings) = strings else { return Ok(()) };
        let spelling = serde_json::to_string(&prefix).unwrap();
        let begun = [spelling.strip_suffix('"').unwrap(), half].concat();
        let Some(state) = read(&strings, begun.as_bytes()) else { return Ok(()) };
        prop_assert!(strings.completion(state, &|_| 0).0.len() <= strings.enough_from_any().unwrap() as usize);
        let class = strings.class(state);
        let wide = class.leaf.clone().unwrap_or_else(|| Leaf::new(text_of(Dfa::text(), 0, None)));
        let step = |state, byte| if class.leaf.is_some() { wide.step(state, byte) } else { strings.step(state, byte) };
        let cost = |state| if class.leaf.is_some() { wide.cost(state) } else { strings.cost(state) };
        let (mut one, mut two) = (Some(state), Some(class.state));
        for byte in rest.concat().bytes() {
            one = one.and_then(|state| strings.step(state, byte));
            two = two.and_then(|state| step(state, byte));
            let is_within = two.is_some_and(|state| class.budget == u32::MAX || cost(state) <= class.budget);
            if one.or(two).is_some_and(|state| strings.is_complete(state)) {
                let is_doubtful = rest.concat().bytes().next().is_some_and(|first| class.doubtful.contains(first));
                let ends_alike = one.is_some() == is_within || (one.is_none() && is_doubtful);
                prop_assert!(ends_alike, "{:?}", class);
                break;
            }
            prop_assert_eq!(one.is_some(), is_within, "{:?}", class);
        }
    }

    /// The twin of a state reads all that the state reads, and is the state where the text is no beginning of
    /// an excluded word.
    #[test]
    fn a_twin_reads_on_alike(
        text in "[a-cé\n]{0,4}",
        rest in proptest::collection::vec(proptest::sample::select(vec!["a", "b", "é", "\"", "\\", "\\n", "\\u00e", "9"]), 0..5),
    ) {
        const EXCLUDED: [&str; 4] = ["", "ab", "abba", "é\n"];
        let strings = excluding(Dfa::text(), &EXCLUDED);
        let spelling = serde_json::to_string(&text).unwrap();
        let state = read(&strings, spelling.strip_suffix('"').unwrap().as_bytes()).unwrap();
        let (all, twin) = strings.twin(state).unwrap();
        prop_assert_eq!(twin == state, !EXCLUDED.iter().any(|word| word.starts_with(&text)));
        let (mut one, mut two) = (Some(state), Some(twin));
        for byte in rest.concat().bytes() {
            let were_equal = one == two;
            one = one.and_then(|state| strings.step(state, byte));
            two = two.and_then(|state| all.step(state, byte));
            prop_assert!(one.is_none() || two.is_some());
            prop_assert!(!were_equal || one == two);
            let (Some(own), Some(twin)) = (one, two) else { continue };
            prop_assert_eq!(strings.is_complete(own), all.is_complete(twin));
        }
    }

    /// Law 2 in small: what is live can be completed, and the completion is a string that decodes.
    #[test]
    fn every_live_prefix_can_be_completed(choices in proptest::collection::vec(any::<u16>(), 0..12), free: bool, min in 0..4_u32) {
        let dfa = if free { Dfa::text() } else { words(&["", "aé", "😀\n\"", "aaaa", "b😀b😀b"]) };
        let strings = text_of(dfa, min, Some(5));
        let (mut state, mut text) = (strings.start(), Vec::new());
        for choice in choices {
            let live: Vec<u8> = (0..=u8::MAX).filter(|byte| strings.step(state, *byte).is_some()).collect();
            let Some(byte) = live.get(usize::from(choice) % live.len().max(1)) else { break };
            text.push(*byte);
            state = strings.step(state, *byte).unwrap();
        }
        let (rest, _) = strings.completion(state, &|_| 0);
        prop_assert!(rest.len() <= strings.enough_from_any().unwrap() as usize);
        text.extend(rest);
        prop_assert!(accepts(&strings, std::str::from_utf8(&text).unwrap()), "{:?}", text);
        prop_assert!((min as usize..=5).contains(&decode(&text).chars().count()));
    }

    /// Of the open words the cheapest with its label is completed, from each place.
    #[test]
    fn the_cheapest_open_word_is_completed(
        all in proptest::collection::btree_map(some_text(), proptest::option::of(0..6_u32), 1..6),
        at: proptest::sample::Index,
        read_chars in 0..4_usize,
    ) {
        let (costs, open): (Vec<u32>, Vec<&String>) =
            all.iter().filter_map(|(word, cost)| Some(((*cost)?, word))).unzip();
        prop_assume!(!open.is_empty());
        let words = Arc::new(Words::new(&all.keys().collect::<Vec<_>>()));
        let strings = StringLanguage::words(words.open(open.iter().map(|word| words.rank(word).unwrap())));
        let known = strings.open_words().unwrap();
        let ranks: Vec<u32> = (0..known.labels() as u32).map(|label| known.rank_of(label)).collect();
        prop_assert_eq!(ranks, open.iter().map(|word| words.rank(word).unwrap()).collect::<Vec<_>>());
        let beginning: String = at.get(&open).chars().take(read_chars).collect();
        let spelled = |text: &str| serde_json::to_string(text).unwrap();
        let begun = spelled(&beginning).strip_suffix('"').unwrap().to_owned();
        let state = read(&strings, begun.as_bytes()).unwrap();
        let (rest, label) = strings.completion(state, &|label| costs[label as usize]);
        prop_assert_eq!([begun, String::from_utf8(rest.clone()).unwrap()].concat(), spelled(open[label as usize]));
        let totals = open.iter().zip(&costs).filter(|(word, _)| word.starts_with(&beginning));
        let least = totals.map(|(word, cost)| spelled(&word[beginning.len()..]).len() - 1 + *cost as usize).min();
        prop_assert_eq!(Some(rest.len() + costs[label as usize] as usize), least);
        prop_assert!(rest.len() <= strings.enough_from_any().unwrap() as usize);
    }
}
