//! What is measured: engines behind one interface, so that each meets the same loop; and harmony-mask itself
//! as one of them.

use std::cell::RefCell;
use std::rc::Rc;

use harmony_mask::{Compiler, Error, Grammar, Matcher, Options, TokenId, TokenMask, Vocabulary};

/// How this project is called among engines.
pub(crate) const OURS: &str = "ours";

/// One sequence of an engine.
pub(crate) trait Sequence {
    /// Fills the mask, and drops it.
    fn fill(&mut self);
    /// Fills the mask; whether the token is in it and was accepted.
    fn takes(&mut self, token: TokenId) -> bool;
    /// Why the token was not taken.
    fn refusal(&mut self, token: TokenId) -> String;
    /// Whether the text may end here.
    fn is_whole(&mut self) -> bool;
}

/// A grammar compiled by an engine. A trait rather than a closure, since the sequences of some engines borrow
/// their grammar.
pub(crate) trait Compiled {
    /// A sequence at its beginning.
    fn sequence(&self) -> Box<dyn Sequence + '_>;
}

/// An engine, with its vocabulary loaded.
pub(crate) trait Engine {
    fn name(&self) -> &'static str;
    fn lark(&self, source: &str) -> Result<Box<dyn Compiled>, String>;
    /// From the schema's text: reading the JSON is part of compiling.
    fn schema(&self, text: &str) -> Result<Box<dyn Compiled>, String>;
}

/// How ours is set.
#[derive(Clone, Copy)]
pub(crate) struct Setup {
    pub(crate) options: Options,
    /// How many tokens each sequence may have.
    pub(crate) within: Option<usize>,
}

impl Setup {
    /// These options, and all the tokens that a sequence asks for.
    pub(crate) fn new(options: Options) -> Self {
        Self { options, within: None }
    }
}

/// harmony-mask. All sequences fill one mask, as an engine's batch would fill one row of its tensor.
struct Ours {
    compiler: Compiler,
    setup: Setup,
    mask: Rc<RefCell<TokenMask>>,
}

struct OurGrammar {
    /// At the beginning, with the deadline of each sequence.
    start: Matcher,
    mask: Rc<RefCell<TokenMask>>,
}

struct OurSequence<'a> {
    matcher: Matcher,
    mask: &'a RefCell<TokenMask>,
}

impl Sequence for OurSequence<'_> {
    fn fill(&mut self) {
        self.matcher.fill_mask(&mut self.mask.borrow_mut());
    }

    fn takes(&mut self, token: TokenId) -> bool {
        let mut mask = self.mask.borrow_mut();
        self.matcher.fill_mask(&mut mask);
        mask.contains(token) && self.matcher.accept(token).is_ok()
    }

    fn refusal(&mut self, token: TokenId) -> String {
        let error = self.matcher.accept(token).map_or_else(|error| error.to_string(), |()| String::new());
        match self.mask.borrow().contains(token) {
            true => format!("the mask allows it, and yet: {error}"),
            false => error,
        }
    }

    fn is_whole(&mut self) -> bool {
        self.matcher.is_accepting()
    }
}

impl Compiled for OurGrammar {
    fn sequence(&self) -> Box<dyn Sequence + '_> {
        Box::new(OurSequence { matcher: self.start.fork(), mask: &self.mask })
    }
}

impl Ours {
    fn compiled(&self, grammar: Result<Grammar, Error>) -> Result<Box<dyn Compiled>, String> {
        let mut start = grammar.map_err(|error| error.to_string())?.matcher();
        let deadline = self.setup.within.map_or(Ok(()), |tokens| start.finish_within(tokens));
        deadline.map_err(|error| error.to_string())?;
        Ok(Box::new(OurGrammar { start, mask: self.mask.clone() }))
    }
}

impl Engine for Ours {
    fn name(&self) -> &'static str {
        OURS
    }

    fn lark(&self, source: &str) -> Result<Box<dyn Compiled>, String> {
        self.compiled(self.compiler.compile_lark(source, &self.setup.options))
    }

    fn schema(&self, text: &str) -> Result<Box<dyn Compiled>, String> {
        self.compiled(self.compiler.compile_schema(text, &self.setup.options))
    }
}

/// harmony-mask over this vocabulary.
pub(crate) fn ours(vocabulary: &Vocabulary, setup: Setup) -> Box<dyn Engine> {
    let mask = Rc::new(RefCell::new(TokenMask::new(Vocabulary::HARMONY_LOGITS)));
    Box::new(Ours { compiler: Compiler::new(vocabulary.clone()), setup, mask })
}
