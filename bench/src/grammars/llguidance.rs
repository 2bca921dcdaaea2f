//! llguidance as a peer.

use std::sync::Arc;

use harmony_mask::{SpecialToken, TokenId, Vocabulary};
use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::{ApproximateTokEnv, TokEnv, TokRxInfo, TokTrie};
use llguidance::{Matcher, ParserFactory};

use super::{Engine, LOGITS, Sequence, Start};

struct Peer(Matcher);

impl Sequence for Peer {
    fn takes(&mut self, token: TokenId) -> bool {
        self.0.compute_mask().is_ok_and(|mask| mask.is_allowed(token)) && self.0.consume_token(token).is_ok()
    }

    fn is_whole(&mut self) -> bool {
        self.0.is_accepting().unwrap_or(false)
    }
}

/// The engine over our vocabulary; special tokens have their spelling after a byte that no text has.
pub(super) fn engine(vocabulary: &Vocabulary) -> Engine {
    let words: Vec<Vec<u8>> = (0..LOGITS as TokenId)
        .map(|id| match (vocabulary.token_bytes(id), vocabulary.special(id)) {
            (Some(bytes), _) => bytes.to_vec(),
            (None, Some(special)) => [&[0xff][..], special.to_string().as_bytes()].concat(),
            (None, None) => [&[0xff][..], format!("<|unused_{id}|>").as_bytes()].concat(),
        })
        .collect();
    let info = TokRxInfo::new(LOGITS as u32, vocabulary.special_id(SpecialToken::Return));
    let env: TokEnv = Arc::new(ApproximateTokEnv::new(TokTrie::from(&info, &words)));
    let mut factory = ParserFactory::new_simple(&env).expect("a vocabulary");
    factory.quiet();
    let compile = move |source: &str| {
        let parser = factory.create_parser(TopLevelGrammar::from_lark(source.to_owned()));
        let matcher = Matcher::new(parser);
        if let Some(error) = matcher.get_error() {
            return Err(error);
        }
        let start = move || -> Box<dyn Sequence> { Box::new(Peer(matcher.deep_clone())) };
        Ok(Box::new(start) as Start)
    };
    Engine { name: "llguidance", compile: Box::new(compile) }
}
