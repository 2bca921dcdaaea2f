//! The seven special tokens that an assistant may write.
//!
//! A special token has no spelling as far as the automaton is concerned: the bytes `<|end|>` in a text are
//! seven ordinary characters, and the token `<|end|>` is one indivisible symbol. Keeping the two apart by
//! type is what makes it impossible to forge a header by writing its name.

use std::fmt;

/// The number of one token in a vocabulary, as the model and its logits count them.
pub type TokenId = u32;

/// A control token of the Harmony format that may appear in what an assistant generates.
///
/// Tokens that only ever stand in prompts, reserved ids and padding are not listed: no mask allows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SpecialToken {
    /// `<|return|>` ends the final answer.
    Return,
    /// `<|constrain|>` stands before a content type.
    Constrain,
    /// `<|channel|>` stands before a channel's name.
    Channel,
    /// `<|start|>` opens a message.
    Start,
    /// `<|end|>` closes a message after which another follows.
    End,
    /// `<|message|>` stands between header and body.
    Message,
    /// `<|call|>` closes a tool call.
    Call,
}

impl SpecialToken {
    /// All of them, in the order of their ids in `o200k_harmony`.
    pub const ALL: [Self; 7] =
        [Self::Return, Self::Constrain, Self::Channel, Self::Start, Self::End, Self::Message, Self::Call];

    /// Its id in the `o200k_harmony` vocabulary.
    ///
    /// ```
    /// # use harmony_mask::SpecialToken;
    /// assert_eq!(SpecialToken::Return.harmony_id(), 200_002);
    /// ```
    #[must_use]
    pub const fn harmony_id(self) -> TokenId {
        match self {
            Self::Return => 200_002,
            Self::Constrain => 200_003,
            Self::Channel => 200_005,
            Self::Start => 200_006,
            Self::End => 200_007,
            Self::Message => 200_008,
            Self::Call => 200_012,
        }
    }

    /// Its name between the bars, `end` for `<|end|>`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Return => "return",
            Self::Constrain => "constrain",
            Self::Channel => "channel",
            Self::Start => "start",
            Self::End => "end",
            Self::Message => "message",
            Self::Call => "call",
        }
    }

    /// The token with this name.
    ///
    /// ```
    /// # use harmony_mask::SpecialToken;
    /// assert_eq!(SpecialToken::from_name("call"), Some(SpecialToken::Call));
    /// assert_eq!(SpecialToken::from_name("endoftext"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|token| token.name() == name)
    }
}

impl fmt::Display for SpecialToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<|{}|>", self.name())
    }
}
