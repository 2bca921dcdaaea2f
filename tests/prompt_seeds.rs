//! The prompts that the format's documents show, byte for byte, and read back.
//!
//! `cases/prompt/seeds.json` has each complete prompt or message of the documents with a request for it. The
//! documents print line ends between messages, which the format does not have; nothing else is changed.

use harmony_mask::Request;
use harmony_mask::harmony::Format;
use harmony_mask::prompt::Conversation;
use serde_json::Value;

fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("cases/prompt/seeds.json")).expect("JSON")
}

fn text<'v>(case: &'v Value, field: &str) -> &'v str {
    case[field].as_str().unwrap_or_else(|| panic!("{field} of {}", case["name"]))
}

/// What we write, up to where the document's excerpt ends.
fn written(case: &Value) -> String {
    let conversation =
        Conversation::read(&case["request"]).unwrap_or_else(|error| panic!("{}: {error}", case["name"]));
    let prompt = match case["form"].as_str() {
        Some("training") => conversation.for_training().to_string(),
        _ => conversation.for_completion().to_string(),
    };
    let ends_open = text(case, "prompt").ends_with("<|start|>assistant");
    match prompt.strip_suffix("<|start|>assistant") {
        Some(closed) if !ends_open => closed.to_owned(),
        _ => prompt,
    }
}

#[test]
fn they_are_written_as_they_are_shown() {
    for case in cases() {
        let shown = text(&case, "prompt").replace("\n<|start|>", "<|start|>");
        assert_eq!(written(&case), shown, "{}", case["name"]);
    }
}

#[test]
fn they_are_read_back_to_the_same_request() {
    for case in cases() {
        let name = &case["name"];
        let ours = Conversation::read(&case["request"]).expect("checked above");
        let theirs = Conversation::from_prompt(text(&case, "prompt"))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(theirs.system(), ours.system(), "{name}");
        assert_eq!(theirs.developer(), ours.developer(), "{name}");
        // What is forgotten does not come back.
        let messages = ours.messages().iter().filter(|message| theirs.messages().contains(message));
        assert_eq!(theirs.messages().iter().collect::<Vec<_>>(), messages.collect::<Vec<_>>(), "{name}");
        if text(&case, "prompt").ends_with("<|start|>assistant") {
            let read = Request::from_prompt(text(&case, "prompt")).expect("as above");
            assert_eq!(read.position, text(&case, "prompt").len(), "{name}");
            let request = Request::read(&case["request"]).expect("a request");
            assert_eq!(
                (read.request.tools(), read.request.calls()),
                (request.tools(), request.calls()),
                "{name}"
            );
            assert_eq!(schemas(&read.request), schemas(&request), "{name}");
        }
    }
}

/// The response formats by name and schema. Where they stand in a request is not told by a prompt.
fn schemas(request: &Request) -> Vec<(Option<String>, Value)> {
    match request.format() {
        Format::Text | Format::Grammar(_) => Vec::new(),
        Format::Json(formats) => {
            formats.iter().map(|format| (format.name.clone(), format.schema.clone())).collect()
        }
    }
}
