//! The loop: request, prompt, generation under masks, tool result, next prompt, until there is an answer.

use harmony_mask::prompt::{Conversation, ConversationErrorKind, Piece};
use harmony_mask::transcript::{Header, Transcript};
use harmony_mask::{Matcher, Request, SpecialToken};
use serde_json::{Value, json};

use crate::harness::{COMPILER, EXAMPLES, HABITS, Random, example_text, walk};

/// How many calls a conversation may have before the test asks for an answer.
const CALLS: usize = 3;

#[test]
fn conversations_go_on_until_there_is_an_answer() {
    for (name, seed) in EXAMPLES.iter().zip(80..) {
        let document: Value = serde_json::from_str(&example_text(name)).expect("JSON");
        let mut random = Random::new(seed);
        for round in 0..20 {
            converse(&document, HABITS[round % HABITS.len()], &mut random);
        }
    }
}

fn converse(document: &Value, habit: crate::harness::Habit, random: &mut Random) {
    let mut conversation = Conversation::read(document).expect("a request");
    let asked = conversation.messages().len();
    let grammar = COMPILER.compile(&Request::read(document).expect("a request")).expect("compiles");
    let mut last_turn = document.clone();
    last_turn["tool_choice"] = json!("none");
    let answering = COMPILER.compile(&Request::read(&last_turn).expect("a request")).expect("compiles");
    for turn in 0.. {
        let grammar = if turn < CALLS { &grammar } else { &answering };
        let answer = walk(grammar, habit, random.below(40), random, |_, _| {});
        conversation.answer(&answer.transcript()).expect("what the masks allow");
        assert_holds(&conversation, &answer, asked);
        let Some(tool) = called(&answer) else { break };
        conversation.result(&tool, format!("{{\"turn\": {turn}}}")).expect("it was called");
        assert_read_back(&conversation);
    }
    assert!(conversation.messages().last().expect("an answer").channel.as_deref() == Some("final"));
    conversation.user("And then?");
    // Once there is an answer, the thoughts that led to it are forgotten.
    let prompt = conversation.for_completion();
    assert!(!prompt.pieces().windows(2).any(is_analysis), "{prompt}");
    assert_read_back(&conversation);
}

fn is_analysis(pieces: &[Piece]) -> bool {
    matches!(pieces, [Piece::Special(SpecialToken::Channel), Piece::Text(name)] if name.starts_with("analysis"))
}

fn called(answer: &Matcher) -> Option<String> {
    answer.transcript().messages.last().expect("a message").recipient.clone()
}

/// The conversation has what was said, in the order in which it was.
fn assert_holds(conversation: &Conversation, answer: &Matcher, asked: usize) {
    let said = answer.transcript().messages;
    let held = &conversation.messages()[asked..];
    let end = &held[held.len() - said.len()..];
    for (held, said) in end.iter().zip(&said) {
        assert_eq!((&held.content, &held.channel), (&said.content, &said.channel));
        assert_eq!(held.called(), said.recipient.as_deref());
    }
}

/// The prompt's tokens say the same conversation, but for what is forgotten.
fn assert_read_back(conversation: &Conversation) {
    let prompt = conversation.for_completion();
    let tokens = prompt.tokens(COMPILER.vocabulary()).expect("it has an encoder");
    let read = Request::from_prompt_tokens(COMPILER.vocabulary(), &tokens)
        .unwrap_or_else(|error| panic!("{error}: {prompt}"));
    assert_eq!(read.position, tokens.len());
    assert_eq!(read.conversation.for_completion(), prompt);
    let mut kept = conversation.messages().iter();
    for message in read.conversation.messages() {
        assert!(kept.any(|held| held == message), "{message:?} was not said");
    }
}

/// What a prompt has of the turn that is to be answered, and the text of each message of that turn when
/// `DONE` is said.
const BEGUN: [(&str, &[&str]); 6] = [
    ("", &["Done"]),
    ("<|channel|>final<|message|>Well. ", &["Well. Done"]),
    ("<|channel|>analysis<|message|>one<|end|><|start|>assistant", &["one", "Done"]),
    (
        "<|channel|>analysis<|message|>one<|end|><|start|>assistant<|channel|>final<|message|>Well. ",
        &["one", "Well. Done"],
    ),
    (
        "<|channel|>analysis<|message|>one<|end|><|start|>assistant<|channel|>commentary<|message|>two<|end|>\
         <|start|>assistant<|channel|>analysis<|message|>thr",
        &["one", "two", "thr", "Done"],
    ),
    (
        "<|channel|>analysis<|message|>one<|end|><|start|>assistant<|channel|>analysis<|message|>one<|end|>\
         <|start|>assistant",
        &["one", "one", "Done"],
    ),
];

/// Says `Done` as the answer, whatever is open.
fn finish(matcher: &mut Matcher) {
    let rest = match matcher.open_message().map(Header::is_reasoning) {
        None => "<|channel|>final<|message|>Done<|return|>",
        Some(true) => "<|end|><|start|>assistant<|channel|>final<|message|>Done<|return|>",
        Some(false) => "Done<|return|>",
    };
    for token in COMPILER.vocabulary().encode_with_special(rest).expect("it has an encoder") {
        matcher.accept(token).unwrap_or_else(|error| panic!("{rest}: {error}"));
    }
}

fn contents(conversation: &Conversation) -> Vec<&str> {
    conversation.messages().iter().map(|message| &*message.content).collect()
}

/// A turn that has begun in its prompt is there once when it is answered, whether the conversation had its
/// first thoughts or not.
#[test]
fn begun_turns_are_answered_once() {
    let before = Conversation::read(&json!({"input": "Hi"})).expect("a request");
    let grammar = COMPILER.compile(&"{}".parse().expect("a request")).expect("compiles");
    for (begun, said) in BEGUN {
        let prompt = format!("{}{begun}", before.for_completion());
        let mut matcher = grammar.matcher_after_text(&prompt).expect("a prompt");
        finish(&mut matcher);
        let expected = [&["Hi"], said].concat();
        let tokens = COMPILER.vocabulary().encode_with_special(&prompt).expect("it has an encoder");
        let read = Request::from_prompt(&prompt).expect("a prompt");
        let from_tokens = Request::from_prompt_tokens(COMPILER.vocabulary(), &tokens).expect("a prompt");
        for mut conversation in [before.clone(), read.conversation.clone(), from_tokens.conversation] {
            conversation.answer(&matcher.transcript()).expect("an answer");
            assert_eq!(contents(&conversation), expected, "{begun}");
        }
        // From the last message alone a matcher does not know the thoughts before it, and the conversation
        // has them.
        let (mut conversation, rest) = (read.conversation, &prompt[read.position..]);
        let mut matcher = grammar.matcher_after_text(rest).expect("a part of a prompt");
        finish(&mut matcher);
        conversation.answer(&matcher.transcript()).expect("an answer");
        assert_eq!(contents(&conversation), expected, "{begun}");
    }
}

/// A request may end in thoughts, which its prompt then has. They are no answer's if the transcript begins
/// otherwise.
#[test]
fn thoughts_of_a_request_are_not_added_again() {
    let document = json!({"input": [
        {"role": "user", "content": "Hi"},
        {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "one"}]}
    ]});
    let asked = Conversation::read(&document).expect("a request");
    let prompt = asked.for_completion().tokens(COMPILER.vocabulary()).expect("it has an encoder");
    let grammar = COMPILER.compile(&Request::read(&document).expect("a request")).expect("compiles");
    let after = |text: &str| grammar.matcher_after_text(text).expect("a prompt");
    for (mut matcher, expected) in [
        (grammar.matcher_after(&prompt).expect("our own prompt"), &["Hi", "one", "Done"][..]),
        (grammar.matcher(), &["Hi", "one", "Done"]),
        (after("<|channel|>analysis<|message|>two<|end|><|start|>assistant"), &["Hi", "one", "two", "Done"]),
        (
            after("<|channel|>commentary<|message|>one<|end|><|start|>assistant"),
            &["Hi", "one", "one", "Done"],
        ),
    ] {
        let mut conversation = asked.clone();
        finish(&mut matcher);
        conversation.answer(&matcher.transcript()).expect("an answer");
        assert_eq!(contents(&conversation), expected);
    }
}

#[test]
fn a_conversation_refuses_what_cannot_follow() {
    let request = json!({"input": "x", "tools": [{"type": "function", "name": "f"}]});
    let read = |text: &str| {
        let tokens = COMPILER.vocabulary().encode_with_special(text).expect("it has an encoder");
        Transcript::read(COMPILER.vocabulary(), &tokens)
    };
    let mut conversation = Conversation::read(&request).expect("a request");
    let before = conversation.clone();
    for (text, kind) in [
        (
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b",
            "unfinished",
        ),
        (
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary to=functions.g<|message|>{}<|call|>",
            "undeclared_tool",
        ),
    ] {
        let error = conversation.answer(&read(text)).expect_err(text);
        assert_eq!(error.kind().name(), kind);
        assert_eq!(conversation, before, "an error changes nothing");
    }
    let error = conversation.result("functions.f", "1").expect_err("nothing was called");
    assert!(matches!(error.kind(), ConversationErrorKind::Call(_)), "{error}");
    conversation
        .answer(&read("<|channel|>commentary to=functions.f json<|message|>{}<|call|>"))
        .expect("a call");
    conversation.result("functions.f", "1").expect("it was called");
    conversation.result("functions.f", "1").expect_err("it was called once");
}

/// Results find their calls, and calls their tools, however many others there are.
#[test]
fn many_calls_are_open_at_once() {
    const COUNT: usize = 30_000;
    let name = |at: usize| format!("f{at}");
    let tools: Vec<Value> = (0..COUNT).map(|at| json!({"type": "custom", "name": name(at)})).collect();
    let call =
        |at: usize| json!({"type": "custom_tool_call", "call_id": name(at), "name": name(at), "input": ""});
    let result = |at: usize| json!({"type": "custom_tool_call_output", "call_id": name(at), "output": "x"});
    let calls = (0..COUNT).map(call).chain((0..COUNT).rev().map(result));
    let mut request = json!({"tools": tools, "input": calls.collect::<Vec<_>>()});
    let conversation = Conversation::read(&request).expect("every result has its call");
    assert_eq!(conversation.messages().len(), 2 * COUNT);
    assert!(conversation.messages().iter().all(|message| message.channel.as_deref() == Some("commentary")));
    request["input"].as_array_mut().expect("items").push(result(7));
    let error = Conversation::read(&request).expect_err("its only call was answered");
    assert_eq!((error.kind().name(), error.pointer()), ("result_without_call", "/input/60000"));
}

/// Which members are required is looked up, too.
#[test]
fn many_required_members_are_written() {
    const COUNT: usize = 30_000;
    let name = |at: usize| format!("m{at}");
    let members: serde_json::Map<_, _> = (0..COUNT).map(|at| (name(at), json!({"type": "null"}))).collect();
    let required: Vec<String> = (0..COUNT).rev().step_by(2).map(name).collect();
    let schema = json!({"type": "object", "properties": members, "required": required});
    let request = json!({"tools": [{"type": "function", "name": "f", "parameters": schema}]});
    let prompt = Conversation::read(&request).expect("a conversation").for_completion().to_string();
    assert_eq!(prompt.matches("?: any,").count(), COUNT / 2);
    assert!(prompt.contains("\nm29999: any,\n") && prompt.contains("\nm29998?: any,\n"));
}
