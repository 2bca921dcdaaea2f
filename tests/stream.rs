//! Transcripts as they grow, against the reference's streaming parser.

use harmony_mask::matcher::{Delta, Deltas, Status};
use harmony_mask::transcript::{End, Header};
use harmony_mask::{Matcher, Message, Options, Request};

use crate::harness::{COMPILER, EXAMPLES, HABITS, Random, example, reference, walk};

/// After each token, what `StreamableParser` knows is what the matcher tells.
#[test]
fn each_token_says_what_the_reference_says() {
    let builtin = r#"{"harmony": {"builtin_tools": ["browser", "python"]}}"#;
    let builtin = COMPILER.compile(&builtin.parse().expect("a request")).expect("compiles");
    let grammars = EXAMPLES.iter().map(|name| example(name)).chain([builtin]);
    for (grammar, seed) in grammars.zip(80..) {
        let mut random = Random::new(seed);
        for round in 0..60 {
            let complete = walk(&grammar, HABITS[round % 3], random.below(50), &mut random, |_, _| {});
            compare(&complete);
        }
    }
}

fn compare(complete: &Matcher) {
    let mut parser = reference::streaming();
    let mut matcher = complete.fork();
    matcher.reset();
    for token in complete.tokens() {
        matcher.accept(*token).expect("accepted before");
        parser.process(*token).expect("the reference reads what was accepted");
        let delta = parser.last_content_delta().expect("a delta");
        match (matcher.delta(), delta) {
            (Some(Delta::Text(ours)), Some(theirs)) => assert_eq!(ours, theirs),
            (Some(Delta::Text(ours)), None) => panic!("{ours:?} is not in the reference"),
            // A header leaves the reference's last delta as it was; there is none before the first text.
            _ => {}
        }
        let transcript = matcher.transcript();
        if let (Some(open), Some(last)) = (matcher.open_message(), transcript.messages.last()) {
            assert_eq!(open.channel, parser.current_channel());
            assert_eq!(open.recipient, parser.current_recipient());
            let theirs =
                parser.current_content_type().map(|word| word.trim_start_matches("<|constrain|>").to_owned());
            assert_eq!(open.content_type, theirs);
            assert_eq!(last.content, parser.current_content().expect("text"));
        }
        let ended = transcript.messages.iter().filter(|message| message.end.is_some()).count();
        assert_eq!(ended, parser.messages().len());
    }
}

/// Whatever was accepted and rolled back in between, the pieces that still count are the transcript.
#[test]
fn rollback_withdraws_what_was_told() {
    let grammar = example("tools_and_format");
    let mut random = Random::new(90);
    for round in 0..60 {
        let complete = walk(&grammar, HABITS[round % 3], random.below(40), &mut random, |_, _| {});
        let mut matcher = complete.fork();
        matcher.reset();
        let (mut deltas, mut told) = (Deltas::default(), Vec::new());
        while matcher.tokens().len() < complete.tokens().len() {
            let more = 1 + random.below(complete.tokens().len() - matcher.tokens().len());
            let at = matcher.tokens().len();
            complete.tokens()[at..at + more]
                .iter()
                .for_each(|token| matcher.accept(*token).expect("accepted before"));
            tell(&mut told, deltas.update(&matcher));
            assert_eq!(
                messages(&told),
                matcher.transcript().messages.into_iter().filter(|m| m.channel.is_some()).collect::<Vec<_>>()
            );
            if random.below(3) == 0 {
                matcher.rollback(random.below(more)).expect("that many were accepted");
                tell(&mut told, deltas.update(&matcher));
            }
        }
        assert_eq!(messages(&told), complete.transcript().messages);
        assert_eq!(complete.status(), Status::Finished);
    }
}

fn tell(told: &mut Vec<Delta>, deltas: Vec<Delta>) {
    for delta in deltas {
        match delta {
            Delta::Withdrawn(count) => told.truncate(told.len() - count),
            delta => told.push(delta),
        }
    }
}

fn messages(told: &[Delta]) -> Vec<Message> {
    continued(Vec::new(), told)
}

/// The messages where these were told of before.
fn continued(mut messages: Vec<Message>, told: &[Delta]) -> Vec<Message> {
    for delta in told {
        match (delta, messages.last_mut()) {
            (Delta::Open(header), _) => messages.push(Message {
                channel: header.channel.clone(),
                recipient: header.recipient.clone(),
                content_type: header.content_type.clone(),
                ..Message::default()
            }),
            (Delta::Text(text), Some(last)) => last.content.push_str(text),
            (Delta::Close(end), Some(last)) => last.end = Some(*end),
            _ => panic!("{delta:?} without a message"),
        }
    }
    messages
}

/// The text of a bare grammar is one message without a header, and streams like the body of any other.
#[test]
fn bare_texts_are_one_message() {
    let options = Options::default();
    let schema = r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#;
    let grammars = [
        (COMPILER.compile_schema(schema, &options), "{\"a\":\"héllo 🙂\"}"),
        (
            COMPILER.compile_lark("start: \"a\" <|start|> \"b\" <|end|> \"é\"", &options),
            "a<|start|>b<|end|>é",
        ),
        (COMPILER.compile_lark("start: \"a\"*", &options), ""),
        (COMPILER.compile_regex("(🙂|𠀀|é)*", &Options::default()), "🙂𠀀é🙂"),
    ];
    for (grammar, text) in grammars {
        let grammar = grammar.expect("compiles");
        let mut matcher = grammar.matcher();
        let (mut deltas, mut told) = (Deltas::default(), Vec::new());
        let mut tokens = COMPILER.vocabulary().encode_with_special(text).expect("it has an encoder");
        tokens.push(COMPILER.vocabulary().special_id(harmony_mask::SpecialToken::Return));
        for token in tokens {
            assert_eq!(matcher.open_message(), Some(&Header::default()), "{text}");
            matcher.accept(token).unwrap_or_else(|error| panic!("{text}: {error}"));
            tell(&mut told, deltas.update(&matcher));
            matcher.rollback(1).expect("one was accepted");
            tell(&mut told, deltas.update(&matcher));
            matcher.accept(token).expect("accepted before");
            tell(&mut told, deltas.update(&matcher));
            assert_eq!(continued(vec![Message::default()], &told), matcher.transcript().messages, "{text}");
        }
        let whole = Message { content: text.to_owned(), end: Some(End::Return), ..Message::default() };
        assert_eq!(
            (&matcher.transcript().messages[..], matcher.open_message()),
            (&[whole][..], None),
            "{text}"
        );
        let again = grammar.matcher_after_text(&format!("{text}<|return|>")).expect("the same text");
        assert!(again.is_finished() && again.transcript() == matcher.transcript(), "{text}");
    }
}

/// A completion under the two tools of `names.json`, whether it is finished, and the tokens that would stop
/// it.
#[test]
fn stop_tokens_depend_on_the_state() {
    let request: Request = r#"{"tools": [{"type": "function", "name": "f"}]}"#.parse().expect("a request");
    let grammar = COMPILER.compile(&request).expect("compiles");
    for (completion, stops) in [
        ("", &[][..]),
        ("<|channel|>analysis<|message|>Hm", &[]),
        ("<|channel|>commentary<|message|>Hm", &[]),
        ("<|channel|>final<|message|>Hm", &[End::Return]),
        ("<|channel|>commentary to=functions.f<|message|>{", &[]),
        ("<|channel|>commentary to=functions.f<|message|>{}", &[End::Call]),
        ("<|channel|>commentary to=functions.f<|message|>{}<|call|>", &[]),
    ] {
        let mut matcher = grammar.matcher();
        for token in COMPILER.vocabulary().encode_with_special(completion).expect("it has an encoder") {
            matcher.accept(token).unwrap_or_else(|error| panic!("{completion}: {error}"));
        }
        let names: Vec<String> = stops.iter().map(|end| format!("<|{}|>", end.name())).collect();
        assert_eq!(matcher.vocabulary().decode(&matcher.stop_tokens()), names.concat(), "{completion}");
    }
}
