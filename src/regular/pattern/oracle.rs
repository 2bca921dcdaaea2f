//! `regex-automata` as the judge of our determinisation: both must say the same of every text there is.
//!
//! Ours is over characters, for speed; its is over bytes. The two automata are walked side by side, through
//! every pair of states that valid UTF-8 leads to, so nothing is left to samples.

use foldhash::{HashSet, HashSetExt};
use regex_automata::Anchored;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_syntax::hir::Hir;

use super::lower::lower;
use super::tests::corpus_patterns;
use super::*;
use crate::regular::StateId;

/// Bytes that the other automaton and its making may take, and states that ours may have.
const BYTES: usize = 2 << 20;
const STATES: usize = 2_000;

/// Where both are after the same bytes: ours, the other one (none once it found a match), and the text.
type Place = (Option<StateId>, Option<StateID>, StateId);

fn searcher(hir: &Hir) -> Option<dense::DFA<Vec<u32>>> {
    let nfa = thompson::Config::new().which_captures(WhichCaptures::None).nfa_size_limit(Some(BYTES));
    let nfa = NFA::compiler().configure(nfa).build_from_hir(hir).ok()?;
    let config = dense::Config::new()
        .start_kind(StartKind::Unanchored)
        .accelerate(false)
        .dfa_size_limit(Some(BYTES))
        .determinize_size_limit(Some(BYTES));
    dense::Builder::new().configure(config).build_from_nfa(&nfa).ok()
}

/// Panics where one has a text that the other has not. Whether the pattern was small enough to tell.
fn check(source: &str) -> bool {
    let Ok(pattern) = Pattern::parse(source) else { return false };
    if pattern.node.looks_around() {
        return false;
    }
    let (Ok(ours), Some(other)) = (pattern.to_dfa(STATES), searcher(&lower(&pattern.node))) else {
        return false;
    };
    let text = Dfa::text();
    let begin =
        other.start_state(&start::Config::new().anchored(Anchored::No)).expect("it looks at no byte before");
    let mut pending: Vec<Place> = vec![(Some(ours.start()), Some(begin), text.start())];
    let mut seen: HashSet<Place> = HashSet::new();
    while let Some(place) = pending.pop() {
        let (own, searching, at) = place;
        let is_found = searching.is_none_or(|state| other.is_match_state(other.next_eoi_state(state)));
        let is_word = own.is_some_and(|state| ours.label(state).is_some());
        assert_eq!(is_word, is_found && text.label(at).is_some(), "{source} after some text");
        for byte in 0..=u8::MAX {
            let Some(at) = text.next(at, byte) else { continue };
            // A match shows one byte late.
            let searching = searching.map(|state| other.next_state(state, byte));
            let next = (
                own.and_then(|state| ours.next(state, byte)),
                searching.filter(|state| !other.is_match_state(*state)),
                at,
            );
            if seen.insert(next) {
                pending.push(next);
            }
        }
    }
    true
}

#[test]
fn automata_are_those_of_regex_automata() {
    for pattern in ["", "a", "^a|b$", r"\bfoo\B", "^.{1,20}$", "(a|aa)*b", r"[^\s]+é?$", r"^\S+@\w+\.\w{2,}$"]
    {
        assert!(check(pattern), "{pattern} is small");
    }
}

#[test]
fn automata_of_real_patterns_are_those_of_regex_automata() {
    let Some(patterns) = corpus_patterns() else {
        println!("skipped: target/corpora/maskbench-dev is absent");
        return;
    };
    let told = patterns.iter().filter(|pattern| check(pattern)).count();
    println!("{told} of {} patterns", patterns.len());
    assert!(told > patterns.len() / 2, "{told} of {} patterns are told", patterns.len());
}
