//! Ambiguity must not multiply: what is read in several ways at once is followed once.

use std::any::Any;
use std::collections::HashSet;
use std::sync::Arc;

use super::*;
use crate::expression::{Binder, DfaLanguage, Leaf, Rule};
use crate::regular::Pattern;

/// Brackets that are closed by `)` or `]`, which is known only when they are closed.
#[derive(Debug)]
struct Brackets;

impl Rule for Brackets {
    fn expand(&self) -> Expression {
        let inside = || Expression::rule(Arc::new(Brackets));
        let closed =
            |end: &str| Expression::sequence([Expression::literal("("), inside(), Expression::literal(end)]);
        Expression::choice([closed(")"), closed("]"), Expression::literal("x")]).expect("three options")
    }

    fn min_len(&self) -> u32 {
        1
    }

    fn place(&self) -> String {
        String::new()
    }

    fn same(&self, other: &dyn Rule) -> bool {
        (other as &dyn Any).is::<Self>()
    }

    fn fingerprint(&self) -> u64 {
        1
    }
}

fn brackets() -> Automaton {
    let shared = Shared::new(Vocabulary::o200k_harmony(), 1 << 20);
    Automaton::new(shared, &Expression::rule(Arc::new(Brackets)), 1 << 20)
}

fn read(automaton: &Automaton, text: &str) -> Option<Residual> {
    text.bytes()
        .try_fold(automaton.start().clone(), |residual, byte| automaton.step(&residual, Unit::Byte(byte)))
}

fn check(text: &str, accepted: bool) {
    let automaton = brackets();
    assert_eq!(
        read(&automaton, text).is_some_and(|residual| automaton.accepts(&residual)),
        accepted,
        "{text}"
    );
}

#[test]
fn brackets_close_either_way() {
    check("x", true);
    check("((x])", true);
    check("((x)]", true);
    check("((x)", false);
    check("(x))", false);
}

#[test]
fn an_ambiguity_at_each_level_takes_one_thread() {
    let automaton = brackets();
    let residual = read(&automaton, &"(".repeat(5_000)).expect("brackets open");
    assert_eq!(residual.threads().len(), 2, "a bracket or an x");
    let text = format!("{}x{}", "(".repeat(5_000), ")]".repeat(2_500));
    assert!(read(&automaton, &text).is_some_and(|residual| residual.is_finished()));
    assert_eq!(automaton.shortest_completion(&residual).len(), 5_001);
}

/// Says a word again.
#[derive(Debug)]
struct Again;

impl Binder for Again {
    fn bind(&self, text: &[u8]) -> Expression {
        Expression::literal(text)
    }

    fn min_len(&self) -> u32 {
        1
    }

    fn same(&self, other: &dyn Binder) -> bool {
        (other as &dyn Any).is::<Self>()
    }

    fn fingerprint(&self) -> u64 {
        2
    }
}

fn word(pattern: &str) -> Expression {
    let dfa = Pattern::parse(pattern).and_then(|pattern| pattern.to_dfa(100)).expect("a small pattern");
    Expression::leaf(Leaf::new(DfaLanguage::new(Arc::new(dfa), "a word")))
}

/// Whichever way has steps enough, and in whichever turn, the mask is the same.
#[test]
fn every_turn_finds_the_same_mask() {
    let twice = |pattern: &str| Expression::capture(word(pattern), Expression::literal(" "), Arc::new(Again));
    let options =
        [twice("^[a-z]{1,4}$"), twice("^(?:an?|the)$"), word("^[a-z ]{1,9}$"), Expression::literal("an an")];
    let words = Expression::choice(options).expect("four options");
    let shared = Shared::new(Vocabulary::o200k_harmony(), 1 << 20);
    for (automaton, text) in [
        (Automaton::new(shared.clone(), &words, 1 << 20), ""),
        (Automaton::new(shared.clone(), &words, 1 << 20), "an"),
        (Automaton::new(shared, &words, 1 << 20), "the th"),
        (brackets(), "(("),
    ] {
        let residual = read(&automaton, text).expect("a beginning");
        let found = [1, 8, 64, 1 << 20].map(|first| {
            let turns = std::iter::successors(Some(first), |steps: &usize| Some(steps.saturating_mul(3)));
            let (vocabulary, leaves) = (automaton.vocabulary(), &automaton.shared.leaves);
            let mut mask = TokenMask::new(vocabulary.width());
            let threads = residual.threads();
            Collector::allowed(vocabulary, leaves, &automaton.openings, threads, turns)
                .fill(&mut mask.as_mut());
            mask.iter().collect::<Vec<_>>()
        });
        assert!(!found[0].is_empty() && found.iter().all(|mask| *mask == found[0]), "after {text:?}");
    }
}

/// What a stack knows of its threads is of the tape that is asked for, whether the table still has it or not.
#[test]
fn a_stack_is_opened_for_each_tape() {
    for bytes in [0, 1 << 20] {
        let openings = Openings::new(bytes);
        let stack = Stack::default().push_expression(&Expression::literal("a"));
        for tape in [Tape::Outside, Tape::Any, Tape::Outside, Tape::Any] {
            let threads = openings.threads(&stack, tape.clone());
            assert_eq!(threads.len(), 1);
            assert_eq!(threads[0].tape, tape, "within {bytes} bytes");
        }
    }
}

#[test]
fn completions_are_weighed() {
    let automaton = brackets();
    let start = automaton.start().clone();
    // What finding a completion leaves in other tables is there before.
    completion::completion(start.threads(), automaton.rules());
    let before = automaton.memory_bytes();
    assert!(!automaton.shortest_completion(&start).is_empty());
    let known = automaton.memory_bytes();
    assert!(known > before, "a completion that is remembered weighs something: {before}");
    assert_eq!(known - before, automaton.completions.weight());
}

/// Residuals of two automata are equal where the same remains, and one is never taken for the other's.
#[test]
fn residuals_of_two_automata_are_told_apart() {
    let of = |text: &str| {
        let shared = Shared::new(Vocabulary::o200k_harmony(), 1 << 20);
        Automaton::new(shared, &Expression::literal(text), 1 << 20)
    };
    let (ab, cd, again) = (of("ab"), of("cd"), of("ab"));
    assert_ne!(ab.start(), cd.start());
    assert_eq!(ab.start(), again.start());
    assert_eq!(HashSet::from([ab.start(), cd.start(), again.start()]).len(), 2);
    for text in ["a", "ab"] {
        let (token, _) = ab.vocabulary().trie().longest_match(text.as_bytes()).expect("a token");
        assert!(ab.advance(ab.start(), token).is_some());
        assert!(ab.advance(cd.start(), token).is_none(), "{text} was remembered for another residual");
    }
}
