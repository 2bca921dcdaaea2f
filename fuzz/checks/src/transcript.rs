//! Completions of a request, against the reference parser `openai-harmony`.

use std::sync::LazyLock;

use arbitrary::Arbitrary;
use harmony_mask::{Grammar, TokenMask, Vocabulary};
use serde::{Deserialize, Serialize};

use crate::reference;
use crate::reproduction::json_target;
use crate::tokens::nth;
use crate::vocabulary::SPARSE;

/// A request by number, and choices of tokens.
#[derive(Arbitrary, Serialize, Deserialize)]
pub struct TranscriptWalk {
    request: u8,
    choices: Vec<Choice>,
}

/// How a token is chosen.
#[derive(Arbitrary, Serialize, Deserialize)]
enum Choice {
    /// The first of the shortest way to the end.
    Shortest,
    /// The one at this place among the special tokens that may come, where one may; else among all.
    Special(u16),
    /// The one at this place among all.
    Any(u16),
}

json_target!(TranscriptWalk, "transcript");

static GRAMMARS: LazyLock<[Grammar; 3]> = LazyLock::new(|| {
    let requests = [
        include_str!("../../../examples/weather.json"),
        include_str!("../../../examples/shopping.json"),
        include_str!("../../../examples/tools_and_format.json"),
    ];
    requests.map(|text| SPARSE.compile(&text.parse().expect("a request")).expect("compiles"))
});

impl TranscriptWalk {
    fn run(&self) {
        let mut matcher = GRAMMARS[usize::from(self.request) % GRAMMARS.len()].matcher();
        let mut mask = TokenMask::new(Vocabulary::HARMONY_LOGITS);
        for choice in self.choices.iter().take(60) {
            if matcher.is_finished() {
                break;
            }
            matcher.fill_mask(&mut mask);
            let specials = harmony_mask::SpecialToken::ALL.map(harmony_mask::SpecialToken::harmony_id);
            let few: Vec<u32> = specials.into_iter().filter(|token| mask.contains(*token)).collect();
            let token = match choice {
                Choice::Shortest => matcher.shortest_completion()[0],
                Choice::Special(place) if !few.is_empty() => few[usize::from(*place) % few.len()],
                Choice::Special(place) | Choice::Any(place) => nth(&mask, *place).expect("not finished"),
            };
            matcher.accept(token).expect("the mask allows it");
        }
        for token in matcher.shortest_completion() {
            matcher.accept(token).expect("the shortest completion is accepted");
        }
        let theirs = reference::parse(matcher.tokens()).unwrap_or_else(|error| panic!("{error}"));
        let theirs: Vec<_> = theirs.iter().map(reference::fields).collect();
        let messages = matcher.transcript().messages;
        let ours = messages.iter().map(|message| {
            (
                message.channel.as_deref(),
                message.recipient.as_deref(),
                message.content_type.as_deref(),
                message.content.clone(),
            )
        });
        assert_eq!(ours.collect::<Vec<_>>(), theirs);
    }
}
