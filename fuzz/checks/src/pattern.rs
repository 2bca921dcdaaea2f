//! Any text as a pattern: its automaton obeys the laws of sets.

use harmony_mask::regular::{Dfa, Pattern};

use crate::reproduction::text_target;

text_target! {
    /// A text that may be a pattern.
    PatternText, "pattern", check
}

/// States that an automaton may have here.
const STATES: usize = 50;

fn check(text: &str) {
    let Ok(pattern) = Pattern::parse(text) else { return };
    let Ok(dfa) = pattern.to_dfa(STATES) else { return };
    if let Some(shortest) = dfa.shortest() {
        assert!(dfa.contains(shortest), "{shortest:?}");
        assert!(std::str::from_utf8(shortest).is_ok(), "{shortest:?}");
    }
    assert_eq!(dfa.shortest().is_none(), dfa.is_empty());
    let Ok(others) = dfa.complement(STATES) else { return };
    if let Some(other) = others.shortest() {
        assert!(!dfa.contains(other), "{other:?}");
    }
    let equal = |left: Result<Dfa, _>, right: &Dfa| left.is_ok_and(|left| left == *right);
    assert!(
        others.complement(STATES).is_err() || equal(others.complement(STATES), &dfa),
        "twice turned round"
    );
    let both = dfa.intersection(&others, STATES).expect("no more states than before");
    assert!(both.is_empty(), "{:?} is in the language and out of it", both.shortest());
    assert!(dfa.union(&others, STATES).is_ok_and(|all| all == *Dfa::text()), "a text is in neither");
}
