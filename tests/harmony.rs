//! Harmony completions: accepted and rejected forms as data, and sampled completions against the reference parser.

use harmony_mask::Matcher;
use crate::harness::{EXAMPLES, HABITS, Random, example, reference, walk};

/// Law 6: what is accepted parses strictly with `openai-harmony`, into the transcript's messages.
#[test]
fn the_reference_parser_reads_the_same_messages() {
    for (name, seed) in EXAMPLES.iter().zip(40..) {
        let grammar = example(name);
        let mut random = Random::new(seed);
        for round in 0..70 {
            let matcher = walk(&grammar, HABITS[round % 3], random.below(60), &mut random, |_, _| {});
            assert_same_messages(&matcher);
        }
    }
}

fn assert_same_messages(matcher: &Matcher) {
    let text = matcher.vocabulary().decode(matcher.tokens());
    let theirs = reference::parse(matcher.tokens()).unwrap_or_else(|error| panic!("{error}: {text:?}"));
    let transcript = matcher.transcript();
    let ours: Vec<_> = transcript
        .messages
        .iter()
        .map(|message| {
            let Some(content_type) = &message.content_type else {
                return (
                    message.channel.as_deref(),
                    message.recipient.as_deref(),
                    None,
                    message.content.clone(),
                );
            };
            (
                message.channel.as_deref(),
                message.recipient.as_deref(),
                Some(content_type.as_str()),
                message.content.clone(),
            )
        })
        .collect();
    let theirs: Vec<_> = theirs.iter().map(reference::fields).collect();
    assert_eq!(ours, theirs, "{text:?}");
}
