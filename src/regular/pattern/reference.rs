//! What a pattern means, in the words of ECMA-262: where its matches end, from each place of a text. Slow,
//! and without an automaton.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::Pattern;
use super::ast::{Assertion, Node};

/// Where matches of a node end that begin at a place.
fn ends(node: &Node, text: &[char], at: usize) -> BTreeSet<usize> {
    let at_if = |holds: bool| holds.then_some(at).into_iter().collect();
    match node {
        Node::Char(char) => (text.get(at) == Some(char)).then_some(at + 1).into_iter().collect(),
        Node::Set(set) => {
            let is_in = |char: &&char| set.iter().any(|range| (range.start()..=range.end()).contains(*char));
            text.get(at).filter(is_in).map(|_| at + 1).into_iter().collect()
        }
        Node::Assertion(assertion) => at_if(holds(*assertion, text, at)),
        Node::Sequence(nodes) => {
            nodes.iter().fold(BTreeSet::from([at]), |from, node| all_ends(node, text, &from))
        }
        Node::Choice(nodes) => nodes.iter().flat_map(|node| ends(node, text, at)).collect(),
        Node::Repeat { node, min, max } => {
            // Once more than there are characters, each turn has read something or may be left out.
            let enough = min + u32::try_from(text.len()).expect("a short text") + 1;
            let mut from = BTreeSet::from([at]);
            let mut found = BTreeSet::new();
            for turn in 0..=max.unwrap_or(enough).min(enough) {
                if turn >= *min {
                    found.extend(&from);
                }
                from = all_ends(node, text, &from);
            }
            found
        }
        Node::Around { node, is_behind: false, negative } => {
            at_if(ends(node, text, at).is_empty() == *negative)
        }
        Node::Around { node, is_behind: true, negative } => {
            at_if((0..=at).any(|start| ends(node, text, start).contains(&at)) != *negative)
        }
    }
}

fn all_ends(node: &Node, text: &[char], from: &BTreeSet<usize>) -> BTreeSet<usize> {
    from.iter().flat_map(|at| ends(node, text, *at)).collect()
}

fn holds(assertion: Assertion, text: &[char], at: usize) -> bool {
    let is_word = |at: Option<usize>| {
        at.and_then(|at| text.get(at)).is_some_and(|char| char.is_ascii_alphanumeric() || *char == '_')
    };
    let is_boundary = is_word(at.checked_sub(1)) != is_word(Some(at));
    match assertion {
        Assertion::Start => at == 0,
        Assertion::End => at == text.len(),
        Assertion::WordBoundary => is_boundary,
        Assertion::NotWordBoundary => !is_boundary,
    }
}

/// All texts of up to five of these characters.
fn texts() -> Vec<Vec<char>> {
    let mut texts = vec![Vec::new()];
    for at in 0.. {
        let Some(text) = texts.get(at).filter(|text| text.len() < 5).cloned() else { break };
        texts.extend(['a', 'b', '-'].map(|char| [text.as_slice(), &[char]].concat()));
    }
    texts
}

fn check(source: &str) {
    let Ok(pattern) = Pattern::parse(source) else { return };
    let Ok(dfa) = pattern.to_dfa(20_000) else { return };
    for text in texts() {
        let is_found = (0..=text.len()).any(|at| !ends(&pattern.node, &text, at).is_empty());
        let spelled: String = text.iter().collect();
        assert_eq!(dfa.contains(spelled.as_bytes()), is_found, "{source} on {spelled:?}");
    }
}

fn patterns() -> impl Strategy<Value = String> {
    let leaf =
        prop::sample::select(vec!["a", "b", "-", ".", "[ab]", "[^a]", "^", "$", r"\b", r"\B", "ab", ""]);
    leaf.prop_map(str::to_owned).prop_recursive(5, 24, 3, |inner| {
        let quantifier = prop::sample::select(vec!["*", "+", "?", "{2}", "{1,3}", "{0,4}", "{2,}", "{3,}"]);
        let group = prop::sample::select(vec!["?:", "?=", "?!", "?<=", "?<!"]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| parts.concat()),
            prop::collection::vec(inner.clone(), 2..3).prop_map(|parts| format!("(?:{})", parts.join("|"))),
            (inner.clone(), quantifier).prop_map(|(inner, quantifier)| format!("(?:{inner}){quantifier}")),
            (group, inner).prop_map(|(group, inner)| format!("({group}{inner})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn automata_match_what_the_standard_says(source in patterns()) {
        check(&source);
    }
}

/// The same step is reached from several places: only the furthest of its copies is followed.
#[test]
fn what_counts_matches_what_the_standard_says() {
    for source in [
        "a.{0,2}b",
        "a.{2,}-b",
        "(?:a.{0,2}b|-){2}$",
        "b(?:a?-){0,2}b",
        "(?:a{0,2}b){0,2}-",
        "a(?=.{0,2}b).*b$",
        "a(?!.{0,2}b).*b$",
        "a(?!.{2,}b).*-$",
        "(?=a.{0,2}$)(?:a(?!-{0,2}b)|b)+-?",
        "(?<=a.{0,2})b-",
        "(?<!a.{2,})b$",
    ] {
        check(source);
    }
}

#[test]
fn what_looks_around_matches_what_the_standard_says() {
    for source in [
        "^(?!-)(?!.{0,3}--)[ab-]{1,4}(?<!-)$",
        "^(?:(?!ab)[ab])*-?$",
        "^(?:a(?!b)|b(?=.*-))+",
        "^[ab](?!.*--)[ab-]*$",
        "(?<=a)b(?=-)",
        "(?<!^)a$",
        "(?<=(?<!b)a)b",
        "(?=.*a)(?=.*b)(?!.*-)",
        "(?:(?=a).|(?<=a)-)+$",
        r"(?<=\ba)b|(?!\b)-$",
        "(?!(?!a)b)..(?<=$)",
        "^(?:(?!.*(?:ab|-)).)+$",
        "(?=a)*b(?<!ab)+",
        "^(?=(?:..)*$)(?:a|b(?=a))*-*$",
    ] {
        check(source);
    }
}
