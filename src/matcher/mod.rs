//! The matcher: one per sequence.
//!
//! A matcher is the list of residuals after each accepted token. Rolling back drops from its end, forking copies it, and an error changes
//! nothing; there are no modes and no flags, so every state of a matcher is valid.

mod error;
mod forced;

use std::sync::Arc;

pub use error::{AcceptError, RollbackError};

use crate::automaton::{Automaton, Residual, Unit};
use crate::special::{SpecialToken, TokenId};
use crate::token_mask::TokenMask;
use crate::transcript::Transcript;
use crate::vocabulary::Vocabulary;

/// Follows one sequence through a grammar.
///
/// ```
/// use harmony_mask::{Compiler, TokenMask, Vocabulary};
///
/// let compiler = Compiler::new(Vocabulary::o200k_harmony());
/// let grammar = compiler.compile(&r#"{"tools": []}"#.parse()?)?;
/// let mut matcher = grammar.matcher();
/// let mut mask = TokenMask::new(201_088);
///
/// matcher.fill_mask(&mut mask);
/// assert!(mask.contains(200_005), "a completion begins with <|channel|>");
/// matcher.accept(200_005)?;
/// assert!(matcher.accept(200_005).is_err(), "never twice");
/// matcher.rollback(1)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Matcher {
    automaton: Arc<Automaton>,
    /// The residual after each token; the first is the start.
    residuals: Vec<Residual>,
    tokens: Vec<TokenId>,
}

impl Matcher {
    /// A matcher at the start of a completion.
    #[must_use]
    pub fn new(automaton: Arc<Automaton>) -> Self {
        let residuals = vec![automaton.start().clone()];
        Self { automaton, residuals, tokens: Vec::new() }
    }

    /// Sets the bits of all tokens that may come next and clears the others.
    ///
    /// The mask has the width of the model's logits; ids past it are left out. It is empty only when the matcher
    /// [is finished](Self::is_finished). Cannot fail. Costs a few writes where the state was seen before; see the benches.
    pub fn fill_mask(&self, mask: &mut TokenMask) {
        self.automaton.fill(self.residual(), mask);
    }

    /// Takes one token.
    ///
    /// # Errors
    ///
    /// When the token may not come next; the matcher is then as it was.
    pub fn accept(&mut self, token: TokenId) -> Result<(), AcceptError> {
        let next = self.automaton.advance(self.residual(), token).ok_or_else(|| self.rejection(token))?;
        self.residuals.push(next);
        self.tokens.push(token);
        Ok(())
    }

    /// Takes back the last `count` tokens, exactly, also past the end of a completion.
    ///
    /// # Errors
    ///
    /// When fewer were accepted; the matcher is then as it was.
    pub fn rollback(&mut self, count: usize) -> Result<(), RollbackError> {
        let accepted = self.tokens.len();
        let left = accepted.checked_sub(count).ok_or(RollbackError { requested: count, accepted })?;
        self.tokens.truncate(left);
        self.residuals.truncate(left + 1);
        Ok(())
    }

    /// Takes back everything.
    pub fn reset(&mut self) {
        self.tokens.clear();
        self.residuals.truncate(1);
    }

    /// An independent matcher in the same state.
    #[must_use]
    pub fn fork(&self) -> Self {
        self.clone()
    }

    /// The tokens accepted so far.
    #[must_use]
    pub fn tokens(&self) -> &[TokenId] {
        &self.tokens
    }

    /// Whether the completion is complete and nothing can follow.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.residual().is_finished()
    }

    /// Whether the completion may stop here. A Harmony completion may stop only when it is [finished](Self::is_finished); the text of
    /// a bare schema may stop wherever it is a whole value.
    #[must_use]
    pub fn is_accepting(&self) -> bool {
        self.automaton.accepts(self.residual())
    }

    /// The special tokens that may come next and would finish the completion: `<|return|>` in a final answer, `<|call|>` in a call.
    #[must_use]
    pub fn stop_tokens(&self) -> Vec<TokenId> {
        let finishes = |token: &SpecialToken| {
            self.automaton.step(self.residual(), Unit::Special(*token)).is_some_and(|next| next.is_finished())
        };
        SpecialToken::ALL
            .iter()
            .filter(|token| finishes(token))
            .map(|token| self.special_id(*token))
            .collect()
    }

    /// The tokens that must come next, as far as the text is forced **and** its tokenisation is the one that the vocabulary's encoder
    /// would give it, whatever follows. An engine may append them without asking the model.
    ///
    /// Special tokens are always safe. For text the vocabulary must have an encoder; the first call loads it (about 0.4 s, once a process).
    #[must_use]
    pub fn forced_tokens(&self) -> Vec<TokenId> {
        let units = self.automaton.forced_units(self.residual());
        forced::canonical(self.vocabulary(), &self.tokens, &units)
    }

    /// Tokens that complete the sequence with as few bytes as possible; they are accepted one after the other.
    #[must_use]
    pub fn shortest_completion(&self) -> Vec<TokenId> {
        self.spell(&self.automaton.shortest_completion(self.residual()))
    }

    /// Tokens that say `units`, the longest first.
    pub(crate) fn spell(&self, units: &[Unit]) -> Vec<TokenId> {
        forced::spell(self.vocabulary(), units)
    }

    /// The messages so far.
    #[must_use]
    pub fn transcript(&self) -> Transcript {
        Transcript::read(self.vocabulary(), &self.tokens)
    }

    /// What may come next, in a user's words.
    #[must_use]
    pub fn expected(&self) -> Vec<String> {
        self.automaton.expectations(self.residual())
    }

    /// Where in the grammar the matcher stands, in a user's words: `arguments of functions.get_weather, /properties/city`.
    #[must_use]
    pub fn place(&self) -> String {
        self.place_of(self.residual())
    }

    /// The vocabulary.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        self.automaton.vocabulary()
    }

    /// The automaton.
    #[must_use]
    pub fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// What remains to be read.
    #[must_use]
    pub fn residual(&self) -> &Residual {
        self.residuals.last().expect("the start is never dropped")
    }

    fn special_id(&self, token: SpecialToken) -> TokenId {
        self.vocabulary().special_id(token)
    }

    /// Why `token` cannot be accepted: steps its bytes as far as they go.
    fn rejection(&self, token: TokenId) -> AcceptError {
        let mut residual = self.residual().clone();
        let mut valid_bytes = 0;
        for byte in self.vocabulary().token_bytes(token).unwrap_or_default() {
            let Some(next) = self.automaton.step(&residual, Unit::Byte(*byte)) else { break };
            (residual, valid_bytes) = (next, valid_bytes + 1);
        }
        let spelling = match self.vocabulary().token_bytes(token) {
            Some(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
            None => self.vocabulary().decode(&[token]),
        };
        let expected = self.automaton.expectations(&residual);
        AcceptError { token, spelling, valid_bytes, expected, place: self.place_of(&residual) }
    }

    /// The grammar knows places inside JSON, the tokens those outside.
    fn place_of(&self, residual: &Residual) -> String {
        Some(self.automaton.place(residual))
            .filter(|place| !place.is_empty())
            .unwrap_or_else(|| Transcript::place(self.vocabulary(), &self.tokens))
    }
}
