//! The matcher: one per sequence.
//!
//! A matcher is the list of places after each accepted token. Rolling back drops from its end, forking copies
//! it, and an error changes nothing; there are no modes and no flags, so every state of a matcher is valid.

#[cfg(feature = "rayon")]
mod batch;
mod deadline;
mod draft;
mod error;
mod forced;
mod prompt;
mod report;
mod rollbacks;
mod rules;
mod stream;

use std::sync::Arc;

/// The page for engines, whose examples are run.
#[cfg(all(doctest, feature = "rayon"))]
#[doc = include_str!("../../docs/engines.md")]
struct Page;

#[cfg(feature = "rayon")]
pub use batch::{BatchError, fill_batch};
pub use deadline::DeadlineError;
pub use draft::DraftNode;
pub use error::{AcceptError, Cause, RollbackError};
pub use prompt::PromptError;
pub use report::Status;
pub use rules::Rules;
pub use stream::{Delta, Deltas};

use crate::automaton::{Automaton, MaskId, Residual, Unit};
use crate::special::{SpecialToken, TokenId};
use crate::token_mask::{TokenMask, TokenMaskMut};
use crate::transcript::Transcript;
use crate::vocabulary::Vocabulary;
use deadline::{Deadline, Plan};
use prompt::TurnStart;
use rollbacks::Rollbacks;
use rules::Step;

/// Room is made for at least so many tokens at a time: it would be moved five times for the first 64
/// otherwise.
const ROOM: usize = 64;

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
    rules: Arc<Rules>,
    /// The tokens of the turn that the prompt has already.
    given: Vec<TokenId>,
    tokens: Vec<TokenId>,
    /// The place before the first token, and after each.
    steps: Vec<Step>,
    deadline: Option<Deadline>,
    rollbacks: Rollbacks,
}

impl Matcher {
    /// A matcher at the start of a completion.
    #[must_use]
    pub fn new(rules: Arc<Rules>) -> Self {
        let steps = vec![rules.start()];
        let rollbacks = Rollbacks::default();
        Self { rules, given: Vec::new(), tokens: Vec::new(), steps, deadline: None, rollbacks }
    }

    /// A matcher that goes on where a prompt ends: after `<|start|>assistant`, or anywhere later in the
    /// assistant's turn. A part of the prompt does, if it has the turn's beginning: `<|start|>assistant`, or
    /// what follows it. Of a text without messages the prompt is the beginning.
    ///
    /// # Errors
    ///
    /// When the turn is not the beginning of any completion.
    pub fn after_prompt(rules: Arc<Rules>, prompt: &[TokenId]) -> Result<Self, PromptError> {
        let (start, mut step) = match rules.before_start() {
            None => (0, rules.start()),
            Some(before) => match prompt::turn_start(rules.vocabulary(), prompt, rules.may_call_often()) {
                TurnStart::AtStart(start) => (start, before),
                TurnStart::AfterStart(start) => (start, rules.start()),
            },
        };
        let mut matcher = Self { steps: vec![step.clone()], ..Self::new(rules) };
        for (at, &token) in prompt.iter().enumerate().skip(start) {
            let Some(next) = matcher.rules.take(&step, token, None) else {
                let source = matcher.rejection(token);
                let offset = matcher.vocabulary().spelled_len(&prompt[..at]) + source.valid_bytes;
                return Err(PromptError { token: at, offset, source });
            };
            step = next;
            matcher.given.push(token);
            matcher.steps = vec![step.clone()];
        }
        Ok(matcher)
    }

    /// Sets the bits of all tokens that may come next and clears the others.
    ///
    /// The mask has the width of the model's logits; ids past it are left out. Cannot fail. Where the state
    /// was seen before it costs a copy and a few tokens, and of a mask that an earlier step filled only what
    /// differs is written; see the benches.
    ///
    /// It is empty when the matcher [is finished](Self::is_finished); under a [deadline](Self::finish_within)
    /// also where the text may stop and no token could be in time: stop when
    /// [`is_accepting`](Self::is_accepting) and the mask is empty. Otherwise it is empty only if it is too
    /// narrow for all tokens that may come: a mask must be as wide as the vocabulary.
    pub fn fill_mask(&self, mask: &mut TokenMask) {
        match self.is_narrowed() {
            true => self.fill_row(&mut mask.as_mut()),
            false => self.rules.automaton().refill(self.residual(), mask),
        }
    }

    /// [`fill_mask`](Self::fill_mask), in somebody else's memory: a row of an engine's batch is filled where
    /// it lies.
    ///
    /// The row of a finished sequence is all zeros. An engine that still samples there, to throw the token
    /// away, sets it to ones: no token at all can be sampled from zeros.
    pub fn fill_row(&self, row: &mut TokenMaskMut<'_>) {
        self.rules.fill(self.step(), self.left_after(0), row);
    }

    /// The number of the mask that [`fill_mask`](Self::fill_mask) gives, for engines that keep masks on their
    /// device and send numbers.
    ///
    /// Equal masks of one compiler have one number, in all its grammars. `None` where a deadline that is near
    /// or a cap narrows the mask, as such masks are made for one sequence, and when [`MaskId::MOST`] masks
    /// have numbers. Costs a lookup where the state was seen before, and the hash of the mask where it was
    /// not.
    ///
    /// ```
    /// use harmony_mask::{Compiler, Options, Vocabulary};
    ///
    /// let grammar = Compiler::new(Vocabulary::o200k_harmony()).compile_regex("(ab)*c", &Options::default())?;
    /// let (before, mut matcher) = (grammar.matcher().mask_id(), grammar.matcher());
    /// matcher.accept(64)?; // a
    /// assert_ne!(matcher.mask_id(), before);
    /// matcher.accept(65)?; // b
    /// assert_eq!(matcher.mask_id(), before);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn mask_id(&self) -> Option<MaskId> {
        if self.is_narrowed() { None } else { self.rules.automaton().mask_id(self.residual()) }
    }

    /// Whether the mask may be less than what the grammar allows.
    fn is_narrowed(&self) -> bool {
        let step = self.step();
        self.rules.is_at_cap(step) || !self.rules.is_far(step, self.left_after(0))
    }

    /// Takes one token. Costs the same however long the turn is, also where the token is refused: then the
    /// time goes into the error's words. Who tries a sampled token before making a mask, and needs no words,
    /// asks [`validate_tokens`](Self::validate_tokens) first.
    ///
    /// # Errors
    ///
    /// When the token may not come next; the matcher is then as it was.
    pub fn accept(&mut self, token: TokenId) -> Result<(), AcceptError> {
        let next = self.rules.take(self.step(), token, self.left_after(0));
        let next = next.ok_or_else(|| self.rejection(token))?;
        if self.steps.len() == self.steps.capacity() {
            self.steps.reserve(ROOM);
            self.tokens.reserve(ROOM);
        }
        self.steps.push(next);
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
        self.go_back_before_deadline(left);
        self.rollbacks.note(left);
        self.tokens.truncate(left);
        self.steps.truncate(left + 1);
        Ok(())
    }

    /// Takes back everything that was accepted, and the deadline.
    pub fn reset(&mut self) {
        self.deadline = None;
        self.rollbacks.note(0);
        self.tokens.clear();
        self.steps.truncate(1);
        self.step_mut().plan = None;
    }

    /// Sees to it that the completion ends, validly, within so many further tokens: from here on masks leave
    /// out every token after which that would not be possible. May be called at any step, again too; a
    /// rollback leaves the deadline where it is.
    ///
    /// Where the text may stop, the mask can become empty before the matcher is finished, because whatever
    /// else it could say would be too late: stop when [`is_accepting`](Self::is_accepting) and the mask is
    /// empty.
    ///
    /// A deadline that is far costs little: in each state it is found once how many tokens are enough after
    /// any token. Near to it masks cost more: what completes the text is found for each state that a token
    /// can lead to.
    ///
    /// # Errors
    ///
    /// When the [shortest completion](Self::shortest_completion) has more tokens; the matcher is then as it
    /// was. That is the completion with the fewest bytes. Another one may have fewer tokens, so a deadline
    /// can be refused that it would keep.
    pub fn finish_within(&mut self, tokens: usize) -> Result<(), DeadlineError> {
        let plan = self.shortest_completion();
        if plan.len() > tokens {
            return Err(DeadlineError { requested: tokens, needed: plan.len() });
        }
        let set_at = self.tokens.len();
        self.deadline = Some(Deadline { tokens: set_at.saturating_add(tokens), set_at });
        self.steps.iter_mut().for_each(|step| step.plan = None);
        self.step_mut().plan = Some(Plan::new(plan));
        Ok(())
    }

    /// How many more tokens there may be, where there is a deadline.
    #[must_use]
    pub fn tokens_left(&self) -> Option<usize> {
        self.left_after(0)
    }

    /// An independent matcher in the same state. Copies some hundred bytes for each token of the completion,
    /// so that both can be rolled back; to look at drafts, [`validate_tokens`](Self::validate_tokens) and the
    /// masks of drafts do without.
    #[must_use]
    pub fn fork(&self) -> Self {
        self.clone()
    }

    /// The tokens accepted so far, without those of the prompt.
    #[must_use]
    pub fn tokens(&self) -> &[TokenId] {
        &self.tokens
    }

    /// The tokens of this turn that the prompt had.
    #[must_use]
    pub fn given_tokens(&self) -> &[TokenId] {
        &self.given
    }

    /// Whether the completion is complete and nothing can follow.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.residual().is_finished()
    }

    /// Whether the completion may stop here. A Harmony completion may stop only when it is
    /// [finished](Self::is_finished), unless one call may follow another; the text of a bare schema may stop
    /// wherever it is a whole value.
    #[must_use]
    pub fn is_accepting(&self) -> bool {
        self.automaton().accepts(self.residual())
    }

    /// The special tokens that may come next and after which the completion may stop: `<|return|>` in a final
    /// answer, `<|call|>` in a call.
    #[must_use]
    pub fn stop_tokens(&self) -> Vec<TokenId> {
        let stops = |token: &TokenId| {
            let next = self.rules.take(self.step(), *token, self.left_after(0));
            next.is_some_and(|next| self.automaton().accepts(&next.residual))
        };
        let specials = SpecialToken::ALL.iter().map(|token| self.vocabulary().special_id(*token));
        specials.filter(stops).collect()
    }

    /// The tokens that must come next, as far as the text is forced **and** its tokenisation is the one that
    /// the vocabulary's encoder would give it, whatever follows. An engine may append them without asking the
    /// model.
    ///
    /// Special tokens are always safe. For text the vocabulary must have an encoder; the first call loads it
    /// (about 0.4 s, once a process). The time does not depend on what was said so far: in scripts whose
    /// words do not end where ASCII does, no text is told after some hundred tokens of them.
    #[must_use]
    pub fn forced_tokens(&self) -> Vec<TokenId> {
        // At the cap the end of the message is forced, and then what follows it.
        let (end, residual) = match self.rules.forced_end(self.step()) {
            Some((end, next)) => (Some(end), next),
            None => (None, self.residual().clone()),
        };
        let units = self.automaton().forced_units(&residual);
        let before = self.tokens.iter().rev().chain(self.given.iter().rev()).copied();
        let then = forced::canonical(self.vocabulary(), end.into_iter().chain(before), &units);
        let mut forced: Vec<TokenId> = end.into_iter().chain(then).collect();
        if self.deadline.is_some() {
            // In time there may be tokens for a shorter spelling only.
            forced.truncate(self.validate_tokens(&forced));
        }
        forced
    }

    /// Tokens that complete the sequence with as few bytes as possible; they are accepted one after the
    /// other. Another completion may have more bytes and fewer tokens. An escape that is under way
    /// (`"\u00`) is finished in the first way that can be completed, which may be some bytes longer; so may
    /// be what completes arrays of numbers that must differ.
    ///
    /// There are none wherever the text may stop. A Harmony turn without parallel calls may stop at its end
    /// alone, but the text of a bare grammar may in many places. So a loop that takes the first of them asks
    /// [`is_accepting`](Self::is_accepting) before.
    #[must_use]
    pub fn shortest_completion(&self) -> Vec<TokenId> {
        let shortest = self.rules.shortest(self.residual());
        let plan = self.step().plan.as_ref().filter(|plan| plan.tokens().len() < shortest.len());
        plan.map_or(shortest, |plan| plan.tokens().to_vec())
    }

    /// Tokens that say `units`, the longest first.
    pub(crate) fn spell(&self, units: &[Unit]) -> Vec<TokenId> {
        forced::spell(self.vocabulary(), units)
    }

    /// The messages of the turn so far, with those that the prompt had. The text of a bare grammar (of a
    /// schema, Lark or a regular expression) is one message whose header says nothing.
    #[must_use]
    pub fn transcript(&self) -> Transcript {
        Transcript::read_from(self.rules.reader(), self.vocabulary(), &self.said())
    }

    /// What may come next, in a user's words.
    #[must_use]
    pub fn expected(&self) -> Vec<String> {
        if self.rules.is_at_cap(self.step()) {
            return vec![SpecialToken::End.to_string()];
        }
        self.automaton().expectations(self.residual())
    }

    /// Where in the grammar the matcher stands, in a user's words:
    /// `arguments of functions.get_weather, /properties/city`.
    #[must_use]
    pub fn place(&self) -> String {
        self.place_of(self.residual())
    }

    /// The vocabulary.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        self.rules.vocabulary()
    }

    /// The automaton.
    #[must_use]
    pub fn automaton(&self) -> &Automaton {
        self.rules.automaton()
    }

    /// What remains to be read.
    #[must_use]
    pub fn residual(&self) -> &Residual {
        &self.step().residual
    }

    /// What remained to be read before each token that was accepted, and what remains after the last.
    pub(crate) fn residuals(&self) -> impl Iterator<Item = &Residual> {
        self.steps.iter().map(|step| &step.residual)
    }

    /// All tokens of the turn.
    fn said(&self) -> Vec<TokenId> {
        [&self.given[..], &self.tokens].concat()
    }

    fn step(&self) -> &Step {
        self.steps.last().expect("the start is never dropped")
    }

    fn step_mut(&mut self) -> &mut Step {
        self.steps.last_mut().expect("the start is never dropped")
    }

    /// How many tokens there may be after this many further ones, where there is a deadline.
    fn left_after(&self, further: usize) -> Option<usize> {
        self.deadline.map(|deadline| deadline.tokens.saturating_sub(self.tokens.len() + further))
    }

    /// Gives a step from before the deadline was set a plan, before a rollback to it: the one that it would
    /// have if the deadline had been set there, and where that is too long, what was said since and how it
    /// was to go on.
    fn go_back_before_deadline(&mut self, step: usize) {
        let Some(deadline) = self.deadline.filter(|deadline| step < deadline.set_at) else { return };
        let mut plan = self.rules.shortest(&self.steps[step].residual);
        if plan.len() > deadline.tokens.saturating_sub(step) {
            plan = [&self.tokens[step..], &self.shortest_completion()].concat();
        }
        self.steps[step].plan = Some(Plan::new(plan));
        self.deadline = Some(Deadline { set_at: step, ..deadline });
    }

    /// Why `token` cannot be accepted: steps its bytes as far as they go.
    fn rejection(&self, token: TokenId) -> AcceptError {
        let (rules, step) = (&self.rules, self.step());
        let cause = match (rules.is_within_cap(step, token), rules.next(step, token).is_some()) {
            (false, _) => Cause::ReasoningCap,
            (true, true) => Cause::Deadline,
            (true, false) => Cause::Grammar,
        };
        let (mut residual, mut valid_bytes) = (self.residual().clone(), 0);
        let bytes = self.vocabulary().token_bytes(token).unwrap_or_default();
        for byte in bytes.iter().take_while(|_| cause == Cause::Grammar) {
            let Some(next) = self.automaton().step(&residual, Unit::Byte(*byte)) else { break };
            (residual, valid_bytes) = (next, valid_bytes + 1);
        }
        let spelling = match self.vocabulary().token_bytes(token) {
            Some(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
            None => self.vocabulary().decode(&[token]),
        };
        let expected = match cause {
            Cause::Grammar => self.automaton().expectations(&residual),
            Cause::ReasoningCap | Cause::Deadline => self.expected(),
        };
        AcceptError { token, spelling, valid_bytes, expected, place: self.place_of(&residual), cause }
    }

    /// The grammar knows places inside JSON, the reader those outside.
    fn place_of(&self, residual: &Residual) -> String {
        let place = self.automaton().place(residual);
        let is_beginning = self.given.is_empty() && self.tokens.is_empty();
        if place.is_empty() && !is_beginning { self.step().reader.place() } else { place }
    }
}
