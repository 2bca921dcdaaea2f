//! A transcript as it grows: what each token adds, and what a rollback takes back.

use std::sync::Arc;

use super::Matcher;
use super::rollbacks::Moment;
use crate::special::TokenId;
use crate::transcript::{End, Header, Read};

/// One piece of a transcript on its way to a reader. The speaker is always [the
/// assistant](crate::Message::ROLE).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delta {
    /// A message begins.
    Open(Arc<Header>),
    /// Text of the open message, in whole characters.
    Text(String),
    /// The open message ends.
    Close(End),
    /// So many of the last pieces were taken back. They do not count any more, and this one does not either.
    Withdrawn(usize),
}

/// Turns the states of a matcher into pieces of its transcript.
///
/// Asked after any number of tokens and rollbacks, it says what changed since it was asked last. Of a message
/// that the prompt began it tells what is added; the header is that of [`Matcher::open_message`]. So it is
/// with the text of a bare grammar (of a schema, Lark or a regular expression): it is one message whose
/// header says nothing, open from the start and closed by `<|return|>`.
///
/// ```
/// use harmony_mask::{Compiler, Delta, Deltas, Vocabulary};
///
/// let compiler = Compiler::new(Vocabulary::o200k_harmony());
/// let mut matcher = compiler.compile(&"{}".parse()?)?.matcher();
/// let mut deltas = Deltas::default();
/// for token in matcher.vocabulary().encode_with_special("<|channel|>final<|message|>Hi there").expect("an encoder") {
///     matcher.accept(token)?;
/// }
/// let [Delta::Open(header), Delta::Text(hi), Delta::Text(there)] = &deltas.update(&matcher)[..] else { panic!() };
/// assert_eq!((header.channel.as_deref(), &**hi, &**there), (Some("final"), "Hi", " there"));
/// matcher.rollback(1)?;
/// assert_eq!(deltas.update(&matcher), [Delta::Withdrawn(1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Deltas {
    /// The tokens that were told of, and whether each was worth a piece.
    told: Vec<(TokenId, bool)>,
    /// When that was.
    then: Option<Moment>,
}

impl Deltas {
    /// What changed.
    pub fn update(&mut self, matcher: &Matcher) -> Vec<Delta> {
        let tokens = matcher.tokens();
        let kept = self.kept(matcher);
        let same = |(told, token): &(&(TokenId, bool), &TokenId)| told.0 == **token;
        let common = kept + self.told[kept..].iter().zip(&tokens[kept..]).take_while(same).count();
        self.then = Some(matcher.rollbacks.now());
        let withdrawn = self.told.drain(common..).filter(|(_, was_told)| *was_told).count();
        let mut deltas = Vec::new();
        if withdrawn > 0 {
            deltas.push(Delta::Withdrawn(withdrawn));
        }
        for (at, token) in tokens.iter().enumerate().skip(common) {
            let delta = matcher.delta_of(at);
            self.told.push((*token, delta.is_some()));
            deltas.extend(delta);
        }
        deltas
    }

    /// How many of the tokens that were told of the matcher surely has still. A turn is told of in pieces, so
    /// none of them may look at the whole.
    fn kept(&self, matcher: &Matcher) -> usize {
        self.then.map_or(0, |then| matcher.rollbacks.kept_since(then)).min(self.told.len())
    }
}

impl Matcher {
    /// What the last token added to the transcript; nothing for a part of a header or of a character, and
    /// before the first token.
    #[must_use]
    pub fn delta(&self) -> Option<Delta> {
        self.delta_of(self.tokens().len().checked_sub(1)?)
    }

    /// What an accepted token added to the transcript.
    fn delta_of(&self, at: usize) -> Option<Delta> {
        let mut reader = self.steps[at].reader.clone();
        match reader.read(self.vocabulary(), self.tokens()[at]) {
            Read::Nothing => None,
            Read::Header(header) => Some(Delta::Open(header)),
            Read::Text(text) => Some(Delta::Text(text.into_owned())),
            Read::End(end) => Some(Delta::Close(end)),
        }
    }

    /// The header of the message whose body is being read: its channel says which stop strings of the host
    /// apply.
    #[must_use]
    pub fn open_message(&self) -> Option<&Header> {
        self.step().reader.open().map(|header| &**header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::{Automaton, Shared};
    use crate::expression::Expression;
    use crate::matcher::Rules;
    use crate::vocabulary::Vocabulary;

    /// Reads `aaaaa` or `aaaabb`.
    fn matcher() -> Matcher {
        let texts = Expression::choice(["aaaaa", "aaaabb"].map(Expression::literal)).expect("two");
        let shared = Shared::new(Vocabulary::o200k_harmony(), 1 << 20);
        Matcher::new(Arc::new(Rules::of_text(Automaton::new(shared, &texts, 1 << 20))))
    }

    /// Takes a text, byte by byte.
    fn say(matcher: &mut Matcher, text: &str) {
        for byte in text.bytes() {
            let (token, _) =
                matcher.vocabulary().trie().longest_match(&[byte]).expect("each byte is a token");
            matcher.accept(token).expect("allowed");
        }
    }

    #[test]
    fn what_was_told_is_not_looked_at_again() {
        let (mut matcher, mut deltas) = (matcher(), Deltas::default());
        say(&mut matcher, "aaaa");
        assert_eq!((deltas.kept(&matcher), deltas.update(&matcher).len()), (0, 4));
        say(&mut matcher, "a");
        assert_eq!((deltas.kept(&matcher), deltas.update(&matcher).len()), (4, 1));
        matcher.rollback(2).expect("that many");
        say(&mut matcher, "ab");
        let text = Delta::Text("b".to_owned());
        assert_eq!((deltas.kept(&matcher), deltas.update(&matcher)), (3, vec![Delta::Withdrawn(1), text]));
        let mut fork = matcher.fork();
        say(&mut fork, "b");
        assert_eq!((deltas.kept(&fork), deltas.update(&fork).len()), (0, 1), "another matcher is compared");
        matcher.reset();
        assert_eq!((deltas.kept(&matcher), deltas.update(&matcher)), (0, vec![Delta::Withdrawn(6)]));
    }
}
