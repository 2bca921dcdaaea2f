//! llguidance as a peer, at its best: its slices for JSON, and lexer caches that all sequences of a grammar
//! share.

use std::sync::Arc;

use harmony_mask::{SpecialToken, TokenId, Vocabulary};
use llguidance::api::TopLevelGrammar;
use llguidance::earley::SlicedBiasComputer;
use llguidance::toktrie::{ApproximateTokEnv, InferenceCapabilities, TokEnv, TokRxInfo, TokTrie};
use llguidance::{Matcher, ParserFactory};

use crate::engine::{Compiled, Engine, Sequence};

struct Peer(ParserFactory);

/// A matcher at its beginning.
struct PeerGrammar(Matcher);

struct PeerSequence(Matcher);

impl Compiled for PeerGrammar {
    fn sequence(&self) -> Box<dyn Sequence + '_> {
        // A clone shares what lexing has memoised; `deep_clone` would begin cold each time.
        Box::new(PeerSequence(self.0.clone()))
    }
}

impl Sequence for PeerSequence {
    fn fill(&mut self) {
        // A failure shows when a token is to be taken.
        let _ = self.0.compute_mask();
    }

    fn takes(&mut self, token: TokenId) -> bool {
        self.0.compute_mask().is_ok_and(|mask| mask.is_allowed(token)) && self.0.consume_token(token).is_ok()
    }

    fn refusal(&mut self, token: TokenId) -> String {
        self.0.get_error().unwrap_or_else(|| format!("token {token} is not in the mask"))
    }

    fn is_whole(&mut self) -> bool {
        self.0.is_accepting().unwrap_or(false)
    }
}

impl Peer {
    fn compiled(&self, grammar: TopLevelGrammar) -> Result<Box<dyn Compiled>, String> {
        let matcher = Matcher::new(self.0.create_parser(grammar));
        match matcher.get_error() {
            Some(error) => Err(error),
            None => Ok(Box::new(PeerGrammar(matcher))),
        }
    }
}

impl Engine for Peer {
    fn name(&self) -> &'static str {
        "llguidance"
    }

    fn lark(&self, source: &str) -> Result<Box<dyn Compiled>, String> {
        self.compiled(TopLevelGrammar::from_lark(source.to_owned()))
    }

    fn schema(&self, text: &str) -> Result<Box<dyn Compiled>, String> {
        let schema = serde_json::from_str(text).map_err(|error| error.to_string())?;
        self.compiled(TopLevelGrammar::from_json_schema(schema))
    }
}

/// The engine over our vocabulary.
pub(super) fn engine(vocabulary: &Vocabulary) -> Box<dyn Engine> {
    let words: Vec<Vec<u8>> = super::words(vocabulary).collect();
    let info = TokRxInfo::new(Vocabulary::HARMONY_LOGITS as u32, vocabulary.special_id(SpecialToken::Return));
    let env: TokEnv = Arc::new(ApproximateTokEnv::new(TokTrie::from(&info, &words)));
    let slices = SlicedBiasComputer::json_slices();
    let mut factory =
        ParserFactory::new(&env, InferenceCapabilities::default(), &slices).expect("a vocabulary");
    factory.quiet();
    Box::new(Peer(factory))
}
