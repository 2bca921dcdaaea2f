//! What all matchers of a grammar share: the automaton, and what is counted beside it.
//!
//! The automaton reads bytes and knows no tokens, so a cap in tokens is kept here: at the cap only the end of
//! the message is left, and the residual that follows it is one in which no reasoning can begin.

use super::deadline::Plan;
use crate::automaton::{Automaton, Residual};
use crate::expression::Expression;
use crate::harmony::{Reasoning, Turn};
use crate::special::{SpecialToken, TokenId};
use crate::token_mask::TokenMaskMut;
use crate::transcript::{End, Header, Read, Reader};
use crate::vocabulary::Vocabulary;

/// A grammar as matchers see it.
#[derive(Debug)]
pub struct Rules {
    automaton: Automaton,
    turn: Option<TurnRules>,
}

/// What a turn of messages has beside its automaton.
#[derive(Debug)]
struct TurnRules {
    reasoning: Reasoning,
    whole: Residual,
    after_reasoning: Residual,
    after_thoughts: Residual,
    may_call_often: bool,
    /// By name.
    formats: Vec<(String, Residual)>,
}

/// A place in a completion: what remains to be read, and what was counted on the way. A value, so that going
/// back is keeping an old one.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) residual: Residual,
    /// Where in its messages the turn is; a text without messages is read as the body of one.
    pub(super) reader: Reader,
    /// Tokens of reasoning so far.
    reasoning: u32,
    /// Messages before the call or answer so far.
    thoughts: u32,
    /// A completion that is in time, where there is a deadline.
    pub(super) plan: Option<Plan>,
}

impl Rules {
    /// A text without messages around it.
    #[must_use]
    pub fn of_text(automaton: Automaton) -> Self {
        Self { automaton, turn: None }
    }

    /// A turn of messages; the automaton is that of its start.
    #[must_use]
    pub fn of_turn(automaton: Automaton, turn: &Turn, reasoning: Reasoning) -> Self {
        let enter = |expression: &Expression| automaton.enter(expression);
        let turn = TurnRules {
            reasoning,
            whole: enter(&turn.whole),
            after_reasoning: enter(&turn.after_reasoning),
            after_thoughts: enter(&turn.after_thoughts),
            may_call_often: turn.may_call_often,
            formats: turn.formats.iter().map(|(name, body)| (name.clone(), enter(body))).collect(),
        };
        Self { automaton, turn: Some(turn) }
    }

    /// The automaton.
    #[must_use]
    pub fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    pub(super) fn vocabulary(&self) -> &Vocabulary {
        self.automaton.vocabulary()
    }

    /// After `<|start|>assistant`, or at the beginning of a text.
    pub(super) fn start(&self) -> Step {
        Self::step_at(self.automaton.start().clone(), self.reader())
    }

    /// What reads a completion from its start.
    pub(super) fn reader(&self) -> Reader {
        if self.turn.is_some() { Reader::default() } else { Reader::in_text() }
    }

    /// Before `<|start|>assistant`; `None` for a text without messages.
    pub(super) fn before_start(&self) -> Option<Step> {
        Some(Self::step_at(self.turn.as_ref()?.whole.clone(), Reader::between_messages()))
    }

    /// Whether one call may follow another within a turn.
    pub(crate) fn may_call_often(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.may_call_often)
    }

    fn step_at(residual: Residual, reader: Reader) -> Step {
        Step { residual, reader, reasoning: 0, thoughts: 0, plan: None }
    }

    /// The bodies of the response formats, each by itself.
    pub(super) fn formats(&self) -> &[(String, Residual)] {
        self.turn.as_ref().map_or(&[], |turn| &turn.formats)
    }

    /// The place after one token; `None` where the token may not come next.
    pub(super) fn next(&self, step: &Step, token: TokenId) -> Option<Step> {
        if !self.is_within_cap(step, token) {
            return None;
        }
        let residual = self.automaton.advance(&step.residual, token)?;
        // Field by field: the residual of the step before would be shared and let go again.
        let Step { reasoning, thoughts, .. } = *step;
        let mut next = Step { residual, reader: step.reader.clone(), reasoning, thoughts, plan: None };
        let read = next.reader.read(self.vocabulary(), token);
        if let (Some(turn), Some(header)) = (&self.turn, step.reader.open()) {
            turn.count(&mut next, header, &read);
        }
        Some(next)
    }

    /// Whether reasoning is being read, and may have no further tokens.
    pub(super) fn is_at_cap(&self, step: &Step) -> bool {
        let is_used_up = self.turn.as_ref().is_some_and(|turn| turn.is_used_up(step));
        is_used_up && step.reader.open().is_some_and(|header| header.is_reasoning())
    }

    /// The end of the message where nothing else is left of it, and what remains after it.
    pub(super) fn forced_end(&self, step: &Step) -> Option<(TokenId, Residual)> {
        if !self.is_at_cap(step) || step.reader.is_within_character() {
            return None;
        }
        let end = self.vocabulary().special_id(SpecialToken::End);
        Some((end, self.next(step, end)?.residual))
    }

    /// Whether a cap leaves room for the token: at the cap for the rest of a character, then for the end of
    /// the message.
    pub(super) fn is_within_cap(&self, step: &Step, token: TokenId) -> bool {
        if !self.is_at_cap(step) {
            return true;
        }
        if !step.reader.is_within_character() {
            return token == self.vocabulary().special_id(SpecialToken::End);
        }
        let continues = |byte: &u8| (0x80..0xc0).contains(byte);
        self.vocabulary().token_bytes(token).is_some_and(|bytes| bytes.iter().all(continues))
    }

    /// Removes from a mask what a cap leaves no room for.
    pub(super) fn keep_within_cap(&self, step: &Step, mask: &mut TokenMaskMut<'_>) {
        if self.is_at_cap(step) {
            let kept: Vec<TokenId> = mask.iter().filter(|token| self.is_within_cap(step, *token)).collect();
            mask.clear();
            kept.into_iter().for_each(|token| mask.insert(token));
        }
    }
}

impl TurnRules {
    /// Counts what a token said in a message with this header.
    fn count(&self, next: &mut Step, header: &Header, read: &Read<'_>) {
        match read {
            Read::End(End::End) if header.is_thought() => {
                next.thoughts += 1;
                if let Some(residual) = self.after_thought(next) {
                    next.residual = residual.clone();
                }
            }
            Read::Nothing | Read::Text(_) if header.is_reasoning() => next.reasoning += 1,
            _ => {}
        }
    }

    fn is_used_up(&self, step: &Step) -> bool {
        self.reasoning.max_tokens.is_some_and(|cap| step.reasoning >= cap)
    }

    /// What follows a thought, where a cap says more than the automaton.
    fn after_thought(&self, step: &Step) -> Option<&Residual> {
        if self.reasoning.max_messages.is_some_and(|cap| step.thoughts >= cap) {
            return Some(&self.after_thoughts);
        }
        self.is_used_up(step).then_some(&self.after_reasoning)
    }
}
