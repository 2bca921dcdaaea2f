//! Turns of random requests: what is sampled under the masks parses strictly with `openai-harmony` into the
//! transcript's messages, keeps to the request, and ends in time.
//!
//! 200 requests by default; all 2,000 of the acceptance with `HARMONY_REQUESTS=2000 cargo test --release
//! --test integration turns::`.

use std::env;

use harmony_mask::harmony::{Calls, Format, JsonFormat, Payload, Profile};
use harmony_mask::matcher::Status;
use harmony_mask::transcript::{End, Header};
use harmony_mask::{Matcher, Message, Request, SpecialToken, TokenMask};
use serde_json::Value;

use crate::harness::unique::Unique;
use crate::harness::{COMPILER, HABITS, Random, WIDTH, choose, reference, requests};

#[test]
fn turns_of_random_requests_are_what_was_asked_for() {
    let count =
        env::var("HARMONY_REQUESTS").map_or(200, |count| count.parse().expect("a number of requests"));
    let check = |first: u64| (first..count).step_by(2).for_each(check_request);
    std::thread::scope(|scope| {
        for thread in [0, 1].map(|first| scope.spawn(move || check(first))) {
            thread.join().expect("all requests hold");
        }
    });
}

fn check_request(seed: u64) {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9));
    let document = requests::request(&mut random);
    let request = Request::read(&document).unwrap_or_else(|error| panic!("{error}: {document}"));
    let grammar = COMPILER.compile(&request).unwrap_or_else(|error| panic!("{error}: {document}"));
    let matcher = sample(grammar.matcher(), &mut random);
    let text = matcher.vocabulary().decode(matcher.tokens());
    let wrong = problems(&request, &matcher);
    assert!(wrong.is_empty(), "seed {seed}: {wrong:#?}\n{text}\n{document}");
}

/// A completion of some random tokens, which then keeps a deadline that is set on the way.
fn sample(mut matcher: Matcher, random: &mut Random) -> Matcher {
    let mut mask = TokenMask::new(WIDTH);
    let habit = HABITS[random.below(HABITS.len())];
    let free = random.below(24);
    while !matcher.is_finished() {
        if matcher.is_accepting() && random.below(2) == 0 {
            break;
        }
        if matcher.tokens().len() == free {
            let spare = random.below(8);
            matcher.finish_within(matcher.shortest_completion().len() + spare).expect("the shortest fits");
        }
        matcher.fill_mask(&mut mask);
        // There is no time for another call.
        if matcher.is_accepting() && mask.count() == 0 {
            break;
        }
        let token = choose(&matcher, &mask, habit, random);
        matcher.accept(token).unwrap_or_else(|error| panic!("the mask allowed what accept refuses: {error}"));
    }
    matcher
}

fn problems(request: &Request, matcher: &Matcher) -> Vec<String> {
    let messages = matcher.transcript().messages;
    let mut wrong = Vec::new();
    let mut expect = |holds: bool, what: &str| {
        if !holds {
            wrong.push(what.to_owned());
        }
    };
    expect(matcher.is_accepting(), "ends outside an accepting state");
    expect(!matches!(matcher.status(), Status::Unfinished { .. }), "is unfinished");
    expect(same_as_reference(matcher, &messages), "the reference reads something else");
    expect(is_reasoning_capped(request, matcher, &messages), "too much reasoning");
    expect(is_order_right(request, &messages), "messages in the wrong order");
    expect(messages.iter().all(|message| is_body_right(request, message)), "a body is wrong");
    expect(formats_match(request, matcher, &messages), "another format is reported");
    expect(
        !request.options().forbids_spelled_tokens || !spells_tokens(&messages),
        "a special token is spelled",
    );
    wrong
}

/// `openai-harmony` takes the content type of an answer for its recipient; that is why it takes an option to
/// have one.
fn same_as_reference(matcher: &Matcher, messages: &[Message]) -> bool {
    let Ok(theirs) = reference::parse(matcher.tokens()) else { return false };
    let fields = |message: &Message| {
        let is_typed_answer = message.channel.as_deref() == Some("final") && message.content_type.is_some();
        let recipient =
            if is_typed_answer { Some("<|constrain|>json".to_owned()) } else { message.recipient.clone() };
        let content_type = if is_typed_answer { None } else { message.content_type.clone() };
        (message.channel.clone(), recipient, content_type, message.content.clone())
    };
    let ours: Vec<_> = messages.iter().map(fields).collect();
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let theirs = theirs.iter().map(reference::fields).map(|(channel, recipient, content_type, content)| {
        (owned(channel), owned(recipient), owned(content_type), content)
    });
    ours == theirs.collect::<Vec<_>>()
}

fn is_thought(message: &Message) -> bool {
    message.recipient.is_none() && message.channel.as_deref() != Some("final")
}

/// Caps in tokens leave room for the rest of a character, which has at most three bytes.
fn is_reasoning_capped(request: &Request, matcher: &Matcher, messages: &[Message]) -> bool {
    let reasoning = request.reasoning();
    let thoughts = messages.iter().filter(|message| is_thought(message)).count();
    let begins = messages
        .first()
        .is_some_and(|first| is_thought(first) && first.channel.as_deref() == Some("analysis"));
    let tokens = reasoning_tokens(matcher);
    (!reasoning.is_required || begins)
        && reasoning.max_messages.is_none_or(|cap| thoughts <= cap as usize)
        && reasoning.max_tokens.is_none_or(|cap| {
            if cap == 0 { tokens.is_none() } else { tokens.unwrap_or(0) <= cap as usize + 3 }
        })
}

/// Tokens in bodies of reasoning; none where there is no such message.
fn reasoning_tokens(matcher: &Matcher) -> Option<usize> {
    let mut replay = matcher.fork();
    replay.reset();
    let mut count = None;
    for token in matcher.tokens() {
        let is_reasoning = replay.open_message().is_some_and(Header::is_reasoning);
        if is_reasoning {
            let text = usize::from(matcher.vocabulary().special(*token).is_none());
            count = Some(count.unwrap_or(0) + text);
        }
        replay.accept(*token).expect("accepted before");
    }
    count
}

fn is_order_right(request: &Request, messages: &[Message]) -> bool {
    let Some((last, before)) = messages.split_last() else { return false };
    let callable = match request.calls() {
        Calls::Forbidden => &[][..],
        Calls::Allowed(tools) | Calls::Required(tools) => tools,
    };
    let is_call = |message: &Message| {
        let mut recipients = callable.iter().map(|index| request.tools()[*index].recipient());
        let on_analysis = message.channel.as_deref() == Some("analysis");
        let is_function = message.recipient.as_ref().is_some_and(|name| name.starts_with("functions."));
        message.end == Some(End::Call)
            && recipients.any(|recipient| Some(recipient) == message.recipient)
            && !(request.turn().profile == Profile::Canonical && is_function && on_analysis)
    };
    let ends: &[End] =
        if request.turn().profile == Profile::History { &[End::Return, End::End] } else { &[End::Return] };
    let is_answer = |message: &Message| {
        message.channel.as_deref() == Some("final")
            && message.recipient.is_none()
            && message.end.is_some_and(|end| ends.contains(&end))
            && !matches!(request.calls(), Calls::Required(_))
    };
    let is_earlier = |message: &Message| {
        (is_thought(message) && message.end == Some(End::End))
            || (request.turn().allows_parallel_calls && is_call(message))
    };
    before.iter().all(is_earlier) && (is_call(last) || is_answer(last))
}

fn is_body_right(request: &Request, message: &Message) -> bool {
    let tool = request.tools().iter().find(|tool| Some(tool.recipient()) == message.recipient);
    match (tool.map(|tool| &tool.payload), request.format()) {
        (Some(Payload::Json(schema)), _) => is_sound(schema, &message.content),
        (Some(Payload::Grammar { .. }), _) => !message.content.is_empty(),
        (Some(Payload::Code | Payload::Text { .. }), _) => true,
        (None, Format::Json(formats)) if message.channel.as_deref() == Some("final") => {
            formats.iter().any(|format| is_sound(&format.schema, &message.content))
        }
        (None, Format::Grammar(_)) if message.channel.as_deref() == Some("final") => {
            ["yes", "no", "see \""].iter().any(|start| message.content.starts_with(start))
        }
        (None, _) => true,
    }
}

fn is_sound(schema: &Value, body: &str) -> bool {
    let Ok(Unique(value)) = serde_json::from_str(body) else { return false };
    let validator = jsonschema::options().should_validate_formats(true).build(schema).expect("a schema");
    validator.is_valid(&value)
}

/// The formats that are reported are those whose schema the answer meets.
fn formats_match(request: &Request, matcher: &Matcher, messages: &[Message]) -> bool {
    let answer = messages.last().filter(|last| last.channel.as_deref() == Some("final"));
    let (formats, answer) = match (request.format(), answer) {
        (Format::Json(formats), Some(answer)) => (formats, answer),
        (Format::Grammar(format), Some(_)) => return matcher.matching_formats() == [&format.pointer],
        _ => return matcher.matching_formats().is_empty(),
    };
    let meets = |format: &&JsonFormat| is_sound(&format.schema, &answer.content);
    let expected: Vec<&str> = formats.iter().filter(meets).map(JsonFormat::title).collect();
    matcher.matching_formats() == expected
}

fn spells_tokens(messages: &[Message]) -> bool {
    let spelled = SpecialToken::ALL.map(|token| token.to_string());
    messages.iter().any(|message| spelled.iter().any(|token| message.content.contains(token)))
}
