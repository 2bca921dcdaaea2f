//! Patterns against the validator of the ecosystem, and against their own complements.

use super::{Pattern, PatternErrorKind};
use crate::regular::Dfa;

const LIMIT: usize = 100_000;

#[test]
fn smoke() {
    let dfa = Pattern::parse("a+b").unwrap().to_dfa(LIMIT).unwrap();
    assert_eq!(dfa.shortest().unwrap(), b"ab");
}
