//! The algebra against sets of words, on automata small enough to enumerate.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;

use super::{Dfa, Pattern, Rests, Window, begins_character};

const LIMIT: usize = 10_000;

/// All words over `ab` and `é` of up to three characters.
fn universe() -> Vec<String> {
    let mut words = vec![String::new()];
    for at in 0..40 {
        let longer = ["a", "b", "é"].map(|letter| format!("{}{letter}", words[at]));
        words.extend(longer);
    }
    words.retain(|word| word.chars().count() <= 3);
    words
}

fn words_of(dfa: &Dfa) -> BTreeSet<String> {
    universe().into_iter().filter(|word| dfa.contains(word.as_bytes())).collect()
}

fn finite(words: &BTreeSet<String>) -> Dfa {
    Dfa::words(words.iter().map(|word| (word, 0)), LIMIT).expect("small")
}

/// The same language by exploring a machine that knows nothing but prefixes.
fn explored(words: &BTreeSet<String>) -> Dfa {
    let alphabet: Vec<u8> = (0..=u8::MAX).collect();
    let step = |read: &Vec<u8>, byte: u8| {
        let next = [read.as_slice(), &[byte]].concat();
        words.iter().any(|word| word.as_bytes().starts_with(&next)).then_some(next)
    };
    let label = |read: &Vec<u8>| words.iter().any(|word| word.as_bytes() == read).then_some(0);
    Dfa::explore(Vec::new(), &alphabet, step, label, LIMIT).expect("small")
}

fn some_words() -> impl Strategy<Value = BTreeSet<String>> {
    proptest::collection::btree_set(proptest::sample::select(universe()), 0..12)
}

proptest! {
    #[test]
    fn equal_languages_are_equal_automata(words in some_words()) {
        let dfa = finite(&words);
        prop_assert_eq!(&dfa, &explored(&words));
        prop_assert_eq!(&words_of(&dfa), &words);
        prop_assert_eq!(&dfa.complement(LIMIT).unwrap().complement(LIMIT).unwrap(), &dfa);
        prop_assert_eq!([dfa.count(), dfa.count_from(dfa.start())], [Some(words.len() as u64); 2]);
        prop_assert_eq!(dfa.is_empty(), words.is_empty());
        let shortest = words.iter().min_by_key(|word| (word.len(), word.as_str())).map(|word| word.clone().into_bytes());
        prop_assert_eq!(dfa.shortest(), shortest.as_deref());
    }

    #[test]
    fn algebra_is_that_of_sets(a in some_words(), b in some_words()) {
        let (left, right) = (finite(&a), finite(&b));
        prop_assert_eq!(left.intersection(&right, LIMIT).unwrap(), finite(&(&a & &b)));
        prop_assert_eq!(left.union(&right, LIMIT).unwrap(), finite(&(&a | &b)));
        prop_assert_eq!(left.difference(&right, LIMIT).unwrap(), finite(&(&a - &b)));
        prop_assert_eq!(left.is_subset(&right, LIMIT).unwrap(), a.is_subset(&b));
        let (not_left, not_right) = (left.complement(LIMIT).unwrap(), right.complement(LIMIT).unwrap());
        let neither = not_left.intersection(&not_right, LIMIT).unwrap();
        prop_assert_eq!(neither, left.union(&right, LIMIT).unwrap().complement(LIMIT).unwrap());
    }

    #[test]
    fn words_are_counted_by_length(words in some_words(), min in 0..4_u32, max in 0..4_u32) {
        let within = words.iter().filter(|word| (min..=max).contains(&(word.chars().count() as u32)));
        prop_assert_eq!(finite(&words).count_within(min, max), within.count() as u64);
    }

    #[test]
    fn lengths_are_languages(word in "[aé€]{0,5}", min in 0..5_u32, max in proptest::option::of(0..5_u32)) {
        let chars = word.chars().count() as u32;
        let of_length = Dfa::of_length(min, max, LIMIT).unwrap();
        prop_assert_eq!(of_length.contains(word.as_bytes()), chars >= min && max.is_none_or(|max| chars <= max));
        let states = max.unwrap_or(min) as usize + 1;
        prop_assert!(Dfa::of_length(min, max, states - 1).is_err());
    }

    #[test]
    fn windows_are_exact(words in some_words(), negated: bool, min in 0..5_u32, more in proptest::option::of(0..3_u32)) {
        let max = more.map(|more| min + more);
        let dfa = if negated { finite(&words).complement(LIMIT).unwrap() } else { finite(&words) };
        let window = Window::new(Arc::new(dfa.clone()), min, max, LIMIT).unwrap();
        let has_fewer = (0..min).any(|chars| dfa.count_within(chars, chars) > 0);
        prop_assert_eq!(window.bounds(), (if has_fewer { min } else { 0 }, max));
        // By definition: some continuation in the universe, or (negated) one with a letter that no word has.
        let fits = |word: &str| {
            let len = word.chars().count() as u32;
            dfa.contains(word.as_bytes()) && len >= min && max.is_none_or(|max| len <= max)
        };
        for prefix in universe() {
            let mut state = Some(dfa.start());
            for byte in prefix.bytes() {
                state = state.and_then(|state| dfa.next(state, byte));
            }
            let read = prefix.bytes().filter(|byte| begins_character(*byte)).count() as u32;
            let long = negated && max.is_none_or(|max| read < max);
            let expected = long || universe().iter().any(|word| word.starts_with(&prefix) && fits(word));
            prop_assert_eq!(state.is_some_and(|state| window.is_live(state, read)), expected, "{:?}", prefix);
        }
    }
}

/// The beginnings of a pattern's words have so many states, where those are fewer than the pattern's, and
/// read on as the pattern does.
fn check_live(pattern: &str, expected: Option<usize>, texts: &[&str]) {
    let dfa = Pattern::parse(pattern).expect("a pattern").to_dfa(LIMIT).expect("small");
    let live = dfa.live();
    assert_eq!(live.map(|live| live.dfa.states()), expected, "{pattern}");
    let Some(live) = live else { return };
    for text in texts {
        for len in 0..=text.len() {
            let prefix = &text.as_bytes()[..len];
            let at = dfa.reads(dfa.start(), prefix).map(|state| live.states[state as usize]);
            assert_eq!(at, live.dfa.reads(live.dfa.start(), prefix), "{pattern} on {text}");
        }
    }
}

#[test]
fn beginnings_are_an_automaton_of_their_own() {
    check_live("^(aa)*$", Some(1), &["aaa", "b", ""]);
    check_live("é€?$", Some(Dfa::text().states()), &["aé", "é€", "€é😀"]);
    check_live("^(ab)*$", None, &[]);
    // Of thousands of states, as where any text may be read they need not be told apart.
    check_live("x.{7}$", Some(Dfa::text().states()), &["xx", "é"]);
}

#[test]
fn labels_tell_words_apart() {
    let names = Dfa::words([("get", 0), ("get_all", 1), ("get", 7)], LIMIT).unwrap();
    let check = |word: &str, expected: Option<u32>| {
        let end = word.bytes().try_fold(names.start(), |state, byte| names.next(state, byte));
        assert_eq!(end.and_then(|state| names.label(state)), expected, "{word}");
    };
    check("get", Some(0));
    check("get_all", Some(1));
    check("get_", None);
    let (word, label) = names.shortest_from(names.start(), &|label| if label == 0 { 10 } else { 0 });
    assert_eq!((word.as_slice(), label), (&b"get_all"[..], 1));
}

/// The straight way is the one that a search finds.
#[test]
fn shortest_ways_are_the_same_when_lengths_are_known() {
    for (pattern, most) in [("^(aab|b+é|a(b|c){7}x?)$", 6), ("^([0-9]{3}-)*x$", 4), ("x.{5}$", 9)] {
        let dfa = Pattern::parse(pattern).unwrap().to_dfa(LIMIT).unwrap();
        let all = || (0..).take(dfa.states()).map(|state| dfa.shortest_from(state, &|_| 3));
        let searched: Vec<_> = all().collect();
        assert_eq!(searched.iter().map(|(rest, _)| rest.len()).max(), Some(most), "{pattern}");
        assert_eq!(dfa.longest_rest() as usize, most, "{pattern}");
        assert!(all().eq(searched), "{pattern}");
    }
}

/// Rests end in words and cost what is said, and no step makes them cheaper: so they are the cheapest.
#[test]
fn rests_are_the_cheapest() {
    for pattern in ["^(aab|b+é|a(b|c){7}x?)$", "x.{5}$", r"^(\n|aa)*(\t|b{3})$", r"^[a-z]?\x01*$", ""] {
        let dfa = Pattern::parse(pattern).unwrap().to_dfa(LIMIT).unwrap();
        let price = |byte: u8| if byte < b' ' { 6 } else { 1 };
        let mut bytes: Vec<(u8, u32)> = (0..=u8::MAX).map(|byte| (byte, price(byte))).collect();
        bytes.sort_by_key(|(_, price)| *price);
        let rests = Rests::new(&dfa, bytes.into_iter());
        let states = || (0..).take(dfa.states());
        for state in states() {
            let rest = rests.rest(&dfa, state);
            assert!(dfa.label(dfa.reads(state, &rest).unwrap()).is_some(), "{pattern}");
            assert_eq!(rests.least(state), rest.iter().map(|byte| price(*byte)).sum::<u32>(), "{pattern}");
            assert!(rest.is_empty() || dfa.label(state).is_none(), "{pattern}");
            let through = |byte: u8| Some(price(byte) + rests.least(dfa.next(state, byte)?));
            assert!((0..=u8::MAX).filter_map(through).all(|price| price >= rests.least(state)), "{pattern}");
        }
        assert_eq!(states().map(|state| rests.least(state)).max(), Some(rests.most()), "{pattern}");
    }
}

#[test]
fn products_keep_the_labels_of_the_left() {
    let labelled = |words: &[(&str, u32)]| Dfa::words(words.iter().copied(), LIMIT).unwrap();
    let (a, both) = (labelled(&[("a", 1)]), labelled(&[("a", 0), ("b", 0)]));
    assert_eq!(both.intersection(&a, LIMIT).unwrap(), labelled(&[("a", 0)]));
    assert_eq!(a.intersection(&both, LIMIT).unwrap(), a);
    assert_eq!(both.union(&a, LIMIT).unwrap(), both);
    assert_eq!(a.union(&both, LIMIT).unwrap(), labelled(&[("a", 1), ("b", 0)]));
    assert_eq!(both.difference(&a, LIMIT).unwrap(), labelled(&[("b", 0)]));
}

#[test]
fn text_is_valid_utf8() {
    let text = Dfa::text();
    let samples: [&[u8]; 9] = [
        b"",
        b"a\0",
        "é€😀".as_bytes(),
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xff",
        b"\xe2\x82",
        b"\x80",
    ];
    for sample in samples {
        assert_eq!(text.contains(sample), std::str::from_utf8(sample).is_ok(), "{sample:?}");
    }
    assert_eq!(text.count_from(text.start()), None);
}

#[test]
fn limits_are_named() {
    let long = "x".repeat(100);
    assert_eq!(Dfa::words([(long.as_str(), 0)], 50).unwrap_err().what, "dfa_states");
    let counter = Dfa::explore(0_u64, b"x", |count, _| Some(count + 1), |_| Some(0), 1000);
    assert_eq!(counter.unwrap_err().limit, 1000);
    let letters =
        Pattern::parse("^a?(b{0,99}|c{0,90})$").and_then(|pattern| pattern.to_dfa(LIMIT)).expect("small");
    let window = Window::new(Arc::new(letters), 80, None, 1000).expect_err("a row for each character");
    assert!(window.what == "window_entries" && window.limit < window.given, "{window}");
}

/// Few states of many machines each are as much work as many states: what they stand for is counted, too.
#[test]
fn members_of_sets_have_a_ceiling() {
    let side_by_side = |machines: u32| {
        let step = |(machine, read): (u32, u32), _| (read < 50).then_some((machine, read + 1));
        let is_word = |(machine, read): (u32, u32)| read % (machine + 2) == 0;
        Dfa::explore_all((0..machines).map(|machine| (machine, 0)), b"x", step, is_word, 100)
    };
    assert_eq!(side_by_side(10).map(|dfa| dfa.states()), Ok(51));
    assert_eq!(side_by_side(100).expect_err("5,100 members").what, "dfa_states");
    let concatenated = |limit| {
        let (left, right) = (Dfa::words((0..50).map(|len| ("x".repeat(len), 0)), LIMIT), "x".repeat(50));
        left?.concatenation(&Dfa::words([(right, 0)], LIMIT)?, limit)
    };
    assert_eq!(concatenated(LIMIT).map(|dfa| dfa.states()), Ok(100));
    assert_eq!(concatenated(101).expect_err("2,500 members").what, "dfa_states");
}
