//! Token sequences against brute force: the mask says exactly what `accept` does, for every id, and refusals
//! leave no trace.

use arbitrary::{Arbitrary, Unstructured};
use harmony_mask::automaton::{Residual, Unit};
use harmony_mask::{Matcher, TokenId, TokenMask};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::reproduction::json_target;
use crate::schema;
use crate::vocabulary::{WIDTH, mask};
use crate::walk::{Verdict, grammar};

/// A schema, and steps of a matcher.
#[derive(Serialize, Deserialize)]
pub struct Tokens {
    schema: Value,
    steps: Vec<Step>,
}

/// One token, allowed or not.
#[derive(Arbitrary, Serialize, Deserialize)]
enum Step {
    /// The allowed token at this place among all that are.
    Allowed(u16),
    /// This one, whatever it is.
    Any(TokenId),
}

json_target!(Tokens, "tokens");

impl Arbitrary<'_> for Tokens {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> arbitrary::Result<Self> {
        Ok(Self { schema: schema::document(bytes)?, steps: Vec::arbitrary(bytes)? })
    }
}

impl Tokens {
    fn run(&self) {
        let Verdict::Grammar(grammar) = grammar(&self.schema) else { return };
        let mut matcher = grammar.matcher();
        for step in self.steps.iter().take(24) {
            let mask = mask(&matcher);
            assert_eq!(mask, brute_force(&matcher), "the mask after {:?}", matcher.tokens());
            let token = match step {
                Step::Allowed(choice) => nth(&mask, *choice),
                Step::Any(token) => Some(*token),
            };
            if let Some(token) = token {
                take(&mut matcher, token, &mask);
            }
        }
    }
}

/// Accepts a token exactly where the mask allows it; a refusal changes nothing.
fn take(matcher: &mut Matcher, token: TokenId, allowed: &TokenMask) {
    let before = (matcher.residual().clone(), matcher.tokens().len());
    match matcher.accept(token) {
        Ok(()) => assert!(allowed.contains(token), "{token} was not allowed"),
        Err(error) => {
            assert!(!allowed.contains(token), "{error}");
            assert_eq!((matcher.residual().clone(), matcher.tokens().len()), before);
        }
    }
}

/// The allowed token at a place among all that are, counted round; `None` where none is.
pub(crate) fn nth(mask: &TokenMask, choice: u16) -> Option<TokenId> {
    let count = mask.count();
    mask.iter().nth(usize::from(choice).checked_rem(count)?)
}

/// The mask by definition: every id on its own, unit by unit, but that a first byte is read once for all
/// tokens that begin with it.
fn brute_force(matcher: &Matcher) -> TokenMask {
    let (vocabulary, automaton, start) = (matcher.vocabulary(), matcher.automaton(), matcher.residual());
    let step = |at: Residual, byte: &u8| automaton.step(&at, Unit::Byte(*byte));
    let first: Vec<_> = (0..=u8::MAX).map(|byte| automaton.step(start, Unit::Byte(byte))).collect();
    let mut mask = TokenMask::new(WIDTH);
    for id in (0..).take(WIDTH) {
        let survives = match (vocabulary.token_bytes(id), vocabulary.special(id)) {
            (Some([byte, rest @ ..]), _) => {
                first[usize::from(*byte)].clone().and_then(|at| rest.iter().try_fold(at, step)).is_some()
            }
            (_, Some(special)) => automaton.step(start, Unit::Special(special)).is_some(),
            _ => false,
        };
        if survives {
            mask.insert(id);
        }
    }
    mask
}
