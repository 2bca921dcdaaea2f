//! Ambiguity must not multiply: what is read in several ways at once is followed once.

use std::any::Any;
use std::sync::Arc;

use super::*;
use crate::expression::Rule;

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
