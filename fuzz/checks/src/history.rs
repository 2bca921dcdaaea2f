//! Accepting, rolling back and forking in any order, against a replay from the start.

use arbitrary::{Arbitrary, Unstructured};
use harmony_mask::Matcher;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::reproduction::json_target;
use crate::schema;
use crate::tokens::nth;
use crate::vocabulary::mask;
use crate::walk::{Verdict, grammar};

/// A schema, and what is done with its matchers.
#[derive(Serialize, Deserialize)]
pub struct History {
    schema: Value,
    events: Vec<Event>,
}

#[derive(Clone, Copy, Debug, Arbitrary, Serialize, Deserialize)]
enum Event {
    Accept { matcher: u8, choice: u16 },
    Refuse { matcher: u8, token: u32 },
    Rollback { matcher: u8, count: u8 },
    Fork { matcher: u8 },
    Reset { matcher: u8 },
}

json_target!(History, "history");

impl Arbitrary<'_> for History {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> arbitrary::Result<Self> {
        Ok(Self { schema: schema::document(bytes)?, events: Vec::arbitrary(bytes)? })
    }
}

/// Forks beyond so many take the place of others.
const MATCHERS: usize = 4;

impl History {
    fn run(&self) {
        let Verdict::Grammar(grammar) = grammar(&self.schema) else { return };
        // Each matcher beside the tokens that it should have.
        let mut all = vec![(grammar.matcher(), Vec::new())];
        for event in self.events.iter().take(60) {
            apply(*event, &mut all);
            for (matcher, tokens) in &all {
                assert_eq!(matcher.tokens(), tokens, "after {event:?}");
            }
        }
        // A grammar of its own, so that nothing remembered is shared.
        let Verdict::Grammar(fresh) = self::grammar(&self.schema) else { panic!("compiled before") };
        for (matcher, tokens) in &all {
            let mut replay = fresh.matcher();
            tokens.iter().for_each(|token| replay.accept(*token).expect("accepted before"));
            assert_same(matcher, &replay);
        }
    }
}

fn apply(event: Event, all: &mut Vec<(Matcher, Vec<u32>)>) {
    let count = all.len();
    let at = |matcher: u8| usize::from(matcher) % count;
    match event {
        Event::Accept { matcher, choice } => {
            let (matcher, tokens) = &mut all[at(matcher)];
            if let Some(token) = nth(&mask(matcher), choice) {
                matcher.accept(token).expect("the mask allows it");
                tokens.push(token);
            }
        }
        Event::Refuse { matcher, token } => {
            let (matcher, _) = &mut all[at(matcher)];
            if !mask(matcher).contains(token) {
                matcher.accept(token).expect_err("the mask forbids it");
            }
        }
        Event::Rollback { matcher, count } => {
            let (matcher, tokens) = &mut all[at(matcher)];
            let left = tokens.len().checked_sub(count.into());
            assert_eq!(matcher.rollback(count.into()).is_ok(), left.is_some());
            tokens.truncate(left.unwrap_or(tokens.len()));
        }
        Event::Fork { matcher } => {
            let (matcher, tokens) = &all[at(matcher)];
            let fork = (matcher.fork(), tokens.clone());
            if count < MATCHERS { all.push(fork) } else { all[MATCHERS - 1] = fork }
        }
        Event::Reset { matcher } => {
            let (matcher, tokens) = &mut all[at(matcher)];
            matcher.reset();
            tokens.clear();
        }
    }
}

fn assert_same(matcher: &Matcher, replay: &Matcher) {
    assert_eq!(mask(matcher), mask(replay));
    assert_eq!(matcher.is_finished(), replay.is_finished());
    assert_eq!(matcher.is_accepting(), replay.is_accepting());
    assert_eq!(matcher.stop_tokens(), replay.stop_tokens());
    assert_eq!(matcher.shortest_completion(), replay.shortest_completion());
    assert_eq!(matcher.forced_tokens(), replay.forced_tokens());
    assert_eq!(matcher.expected(), replay.expected());
    assert_eq!(matcher.place(), replay.place());
    assert_eq!(matcher.transcript(), replay.transcript());
}
