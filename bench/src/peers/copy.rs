//! No engine: it makes a `Value` of the schema's JSON, as its peers do, and every mask is a copy of one that
//! is ready. A copy is the least that any engine could take, measured in the same run; its verdicts mean
//! nothing, as it allows every token.

use std::cell::RefCell;
use std::rc::Rc;

use harmony_mask::{TokenId, Vocabulary};
use serde_json::Value;

use crate::engine::{Compiled, Engine, Sequence};

/// The mask that is copied, and the one that all sequences fill.
#[derive(Clone)]
struct Masks {
    ready: Rc<[u32]>,
    filled: Rc<RefCell<Vec<u32>>>,
}

impl Engine for Masks {
    fn name(&self) -> &'static str {
        "copy"
    }

    fn lark(&self, _source: &str) -> Result<Box<dyn Compiled>, String> {
        Ok(Box::new(self.clone()))
    }

    fn schema(&self, text: &str) -> Result<Box<dyn Compiled>, String> {
        let _schema: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        Ok(Box::new(self.clone()))
    }
}

impl Compiled for Masks {
    fn sequence(&self) -> Box<dyn Sequence + '_> {
        Box::new(self.clone())
    }
}

impl Sequence for Masks {
    fn fill(&mut self) {
        self.filled.borrow_mut().copy_from_slice(&self.ready);
    }

    fn takes(&mut self, token: TokenId) -> bool {
        self.fill();
        self.filled.borrow()[token as usize / 32] >> (token % 32) & 1 == 1
    }

    fn refusal(&mut self, token: TokenId) -> String {
        format!("token {token} is not in the mask")
    }

    fn is_whole(&mut self) -> bool {
        true
    }
}

/// The copying over our vocabulary.
pub(super) fn engine(_vocabulary: &Vocabulary) -> Box<dyn Engine> {
    let words = Vocabulary::HARMONY_LOGITS.div_ceil(32);
    Box::new(Masks { ready: vec![u32::MAX; words].into(), filled: Rc::new(RefCell::new(vec![0; words])) })
}
