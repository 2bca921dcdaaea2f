//! Transcripts of whole and unfinished turns.

use super::{End, Message, Transcript};
use crate::vocabulary::Vocabulary;

fn read(text: &str) -> Vec<Message> {
    let vocabulary = Vocabulary::o200k_harmony();
    let tokens = vocabulary.encode_with_special(text).expect("an encoder");
    Transcript::read(&vocabulary, &tokens).messages
}

fn message(header: [Option<&str>; 3], content: &str, end: Option<End>) -> Message {
    let [channel, recipient, content_type] = header.map(|field| field.map(str::to_owned));
    Message { channel, recipient, content_type, content: content.to_owned(), end }
}

#[test]
fn headers_are_read_in_every_form() {
    for (header, content_type) in [
        ("<|channel|>commentary to=functions.f <|constrain|>json", Some("json")),
        ("<|channel|>commentary to=functions.f<|constrain|>json", Some("json")),
        ("<|channel|>commentary to=functions.f json", Some("json")),
        ("<|channel|>commentary to=functions.f code", Some("code")),
        ("<|channel|>commentary to=functions.f", None),
        (" to=functions.f<|channel|>commentary <|constrain|>json", Some("json")),
        (" to=functions.f<|channel|>commentary<|constrain|>json", Some("json")),
        (" to=functions.f<|channel|>commentary json", Some("json")),
        (" to=functions.f<|channel|>commentary", None),
    ] {
        let call = message([Some("commentary"), Some("functions.f"), content_type], "{}", Some(End::Call));
        assert_eq!(read(&format!("{header}<|message|>{{}}<|call|>")), [call], "{header}");
    }
}

#[test]
fn a_turn_is_several_messages() {
    let turn = "<|channel|>analysis<|message|>Hm. to=x<|end|><|start|>assistant<|channel|>commentary<|message|>\
                <|end|><|start|>assistant<|channel|>final<|message|>naïve 🙂<|return|>";
    let [analysis, preamble, answer] =
        ["analysis", "commentary", "final"].map(|name| [Some(name), None, None]);
    assert_eq!(
        read(turn),
        [
            message(analysis, "Hm. to=x", Some(End::End)),
            message(preamble, "", Some(End::End)),
            message(answer, "naïve 🙂", Some(End::Return)),
        ]
    );
}

#[test]
fn the_last_message_may_be_unfinished() {
    let analysis = message([Some("analysis"), None, None], "Hm.", Some(End::End));
    let unknown = message([None, None, None], "", None);
    assert_eq!(read(""), []);
    for done in ["<|end|>", "<|end|><|start|>", "<|end|><|start|>assistant"] {
        assert_eq!(
            read(&format!("<|channel|>analysis<|message|>Hm.{done}")),
            std::slice::from_ref(&analysis)
        );
    }
    for begun in ["assistant<|channel|>", "assistant<|channel|>final", "assistant to=functions.get"] {
        let text = format!("<|channel|>analysis<|message|>Hm.<|end|><|start|>{begun}");
        assert_eq!(read(&text), [analysis.clone(), unknown.clone()], "{begun}");
    }
    let open = message([Some("final"), None, None], "Su", None);
    assert_eq!(read("<|channel|>final<|message|>Su"), [open]);
}

#[test]
fn characters_may_be_spread_over_tokens() {
    let vocabulary = Vocabulary::o200k_harmony();
    let mut tokens = vocabulary.encode_with_special("<|channel|>final<|message|>").expect("an encoder");
    let byte = |byte: u8| {
        let mut ids = 0..u32::try_from(vocabulary.width()).expect("ids are 32 bits wide");
        ids.find(|&id| vocabulary.token_bytes(id) == Some(&[byte])).expect("a token for each byte")
    };
    let mut contents = Vec::new();
    for &next in "a🙂é".as_bytes() {
        tokens.push(byte(next));
        contents.push(Transcript::read(&vocabulary, &tokens).messages[0].content.clone());
    }
    assert_eq!(contents, ["a", "a", "a", "a", "a🙂", "a🙂", "a🙂é"]);
}
