//! glrmask as a peer, at its best for tails: static constraints, whose masks are worked out when a schema is
//! compiled.
//!
//! It compiles on as many threads as there are processors, which only its environment can tell it not to
//! (`GLRMASK_COMPILE_THREADS=1`), so its times to the first mask are of more work than they say. Masks are of
//! one thread.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use glrmask::{CompileOptions, Constraint, ConstraintState, Grammar, MaskStrategy, Vocab};
use harmony_mask::{TokenId, Vocabulary};

use crate::engine::{Compiled, Engine, Sequence};

/// A schema that takes longer to compile counts as not compiled.
const LIMIT: Duration = Duration::from_secs(20);

struct Peer {
    vocabulary: Vocab,
    mask: Rc<RefCell<Vec<u32>>>,
}

struct PeerGrammar {
    constraint: Constraint,
    mask: Rc<RefCell<Vec<u32>>>,
}

struct PeerSequence<'a> {
    state: ConstraintState<'a>,
    mask: &'a RefCell<Vec<u32>>,
}

impl Compiled for PeerGrammar {
    fn sequence(&self) -> Box<dyn Sequence + '_> {
        Box::new(PeerSequence { state: self.constraint.start(), mask: &self.mask })
    }
}

impl Sequence for PeerSequence<'_> {
    fn fill(&mut self) {
        self.state.fill_mask(&mut self.mask.borrow_mut());
    }

    fn takes(&mut self, token: TokenId) -> bool {
        self.fill();
        let word = self.mask.borrow()[token as usize / 32];
        word >> (token % 32) & 1 == 1 && self.state.commit_token(token)
    }

    fn refusal(&mut self, token: TokenId) -> String {
        format!("token {token} is not in the mask")
    }

    fn is_whole(&mut self) -> bool {
        self.state.is_accepting()
    }
}

impl Peer {
    /// A compilation has no limit of time and cannot be ended from outside, so one that takes too long is
    /// waited for: beside what it does, nothing could be measured.
    fn compiled(
        &self,
        grammar: impl FnOnce() -> glrmask::Result<Grammar>,
    ) -> Result<Box<dyn Compiled>, String> {
        let options = CompileOptions::default().mask_strategy(MaskStrategy::FAST_MASKS);
        let began = Instant::now();
        let constraint = grammar().and_then(|grammar| grammar.compile_with(&self.vocabulary, options));
        let constraint = constraint.map_err(|error| error.to_string())?;
        match began.elapsed() {
            taken if taken > LIMIT => Err(format!("compiled in {taken:.1?}, the limit is {LIMIT:?}")),
            _ => Ok(Box::new(PeerGrammar { constraint, mask: self.mask.clone() })),
        }
    }
}

impl Engine for Peer {
    fn name(&self) -> &'static str {
        "glrmask"
    }

    fn lark(&self, source: &str) -> Result<Box<dyn Compiled>, String> {
        self.compiled(|| Grammar::from_lark(source))
    }

    fn schema(&self, text: &str) -> Result<Box<dyn Compiled>, String> {
        self.compiled(|| Grammar::from_json_schema(text))
    }
}

/// The engine over our vocabulary.
pub(super) fn engine(vocabulary: &Vocabulary) -> Box<dyn Engine> {
    let peer = Peer {
        vocabulary: Vocab::new((0..).zip(super::words(vocabulary)).collect()),
        mask: Rc::new(RefCell::new(vec![0; Vocabulary::HARMONY_LOGITS.div_ceil(32)])),
    };
    // What only depends on the vocabulary is worked out by the first compilation, and is part of starting up.
    peer.schema("{}").map(drop).expect("any JSON");
    Box::new(peer)
}

#[cfg(test)]
mod tests {
    use harmony_mask::SpecialToken;

    use super::*;

    #[test]
    fn tokens_are_taken_by_their_bytes_and_special_ones_never() {
        let vocabulary = Vocabulary::o200k_harmony();
        let special = vocabulary.special_id(SpecialToken::Return);
        let grammar = engine(&vocabulary).schema(r#"{"type": "array"}"#).expect("it compiles");
        let tokens = vocabulary.encode(r#"[1, "a word"]"#).expect("o200k_harmony has an encoder");
        for taken in 0..=tokens.len() {
            let mut sequence = grammar.sequence();
            for &token in &tokens[..taken] {
                assert!(sequence.takes(token), "{}", sequence.refusal(token));
            }
            assert_eq!(sequence.is_whole(), taken == tokens.len());
            assert!(!sequence.takes(special));
        }
    }
}
