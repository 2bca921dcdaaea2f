//! llguidance as a peer, at its best: its slices for JSON, and lexer caches that all sequences of a grammar share.

use std::sync::Arc;

use harmony_mask::{SpecialToken, TokenId, Vocabulary};
use llguidance::api::TopLevelGrammar;
use llguidance::earley::SlicedBiasComputer;
use llguidance::toktrie::{ApproximateTokEnv, InferenceCapabilities, TokEnv, TokRxInfo, TokTrie};
use llguidance::{Matcher, ParserFactory};

use crate::engine::{Engine, LOGITS, Sequence, Start};

struct Peer(ParserFactory);

struct PeerSequence(Matcher);

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
    fn start(&self, grammar: TopLevelGrammar) -> Result<Start, String> {
        let matcher = Matcher::new(self.0.create_parser(grammar));
        match matcher.get_error() {
            Some(error) => Err(error),
            // A clone shares what lexing has memoised; `deep_clone` would begin cold each time.
            None => Ok(Box::new(move || Box::new(PeerSequence(matcher.clone())))),
        }
    }
}

impl Engine for Peer {
    fn name(&self) -> &'static str {
        "llguidance"
    }

    fn lark(&self, source: &str) -> Result<Start, String> {
        self.start(TopLevelGrammar::from_lark(source.to_owned()))
    }

    fn schema(&self, text: &str) -> Result<Start, String> {
        let schema = serde_json::from_str(text).map_err(|error| error.to_string())?;
        self.start(TopLevelGrammar::from_json_schema(schema))
    }
}

/// The engine over our vocabulary; special tokens have their spelling after a byte that no text has.
pub(super) fn engine(vocabulary: &Vocabulary) -> Box<dyn Engine> {
    let words: Vec<Vec<u8>> = (0..LOGITS as TokenId)
        .map(|id| match (vocabulary.token_bytes(id), vocabulary.special(id)) {
            (Some(bytes), _) => bytes.to_vec(),
            (None, Some(special)) => [&[0xff][..], special.to_string().as_bytes()].concat(),
            (None, None) => [&[0xff][..], format!("<|unused_{id}|>").as_bytes()].concat(),
        })
        .collect();
    let info = TokRxInfo::new(LOGITS as u32, vocabulary.special_id(SpecialToken::Return));
    let env: TokEnv = Arc::new(ApproximateTokEnv::new(TokTrie::from(&info, &words)));
    let slices = SlicedBiasComputer::json_slices();
    let mut factory =
        ParserFactory::new(&env, InferenceCapabilities::default(), &slices).expect("a vocabulary");
    factory.quiet();
    Box::new(Peer(factory))
}
