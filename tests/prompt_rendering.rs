//! Prompts are those of `openai-harmony`, token by token.
//!
//! `cases/prompt/conversations.json` has system messages, developer messages and histories; all combinations
//! are rendered. A history is a list of `[who, what]`, where `call NAME` is a call and a channel is the
//! assistant's. `cases/prompt/differences.json` lists where we differ, and why.

use harmony_mask::prompt::Conversation;
use harmony_mask::{TokenId, Vocabulary};
use openai_harmony::chat::{
    Author, ChannelConfig, DeveloperContent, Message, ReasoningEffort, Role, SystemContent, ToolDescription,
};
use serde_json::{Map, Value, json};

use crate::harness::reference::{self, Form};

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

fn elements(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// One conversation: what the two renderers are given.
struct Case {
    request: Value,
    reference: Vec<Message>,
}

impl Case {
    fn new(system: &Value, developer: &Value, history: &Value, catalogue: &Value) -> Self {
        let mut names: Vec<&str> = elements(&developer["tools"]).iter().map(text).collect();
        let calls = elements(history).iter().any(|message| text(&message[0]).starts_with("call"));
        if calls && !names.contains(&"get_weather") {
            names.push("get_weather");
        }
        let tools: Vec<(&str, &Value)> = names.iter().map(|name| (*name, &catalogue[name])).collect();
        let instructions = developer["instructions"].as_str();
        let mut reference: Vec<Message> = reference_system(system).into_iter().collect();
        reference.extend(reference_developer(instructions, &tools));
        reference.extend(elements(history).iter().map(reference_message));
        Self { request: request(system, instructions, &tools, history), reference }
    }

    fn check(&self, form: Form, drops_analysis: bool) {
        let mut request = self.request.clone();
        request["harmony"]["prompt"]["auto_drop_analysis"] = json!(drops_analysis);
        let ours = render(&request, form);
        let theirs = reference::render(&self.reference, form, drops_analysis);
        assert_same(&ours, &theirs, &request);
    }
}

fn render(request: &Value, form: Form) -> Vec<TokenId> {
    let conversation = Conversation::read(request).unwrap_or_else(|error| panic!("{error}: {request}"));
    let prompt = match form {
        Form::Completion => conversation.for_completion(),
        Form::Training => conversation.for_training(),
    };
    prompt.tokens(&Vocabulary::o200k_harmony()).expect("it has an encoder")
}

fn assert_same(ours: &[TokenId], theirs: &[TokenId], request: &Value) {
    let decode = |tokens| Vocabulary::o200k_harmony().decode(tokens);
    assert!(ours == theirs, "ours:\n{}\n\ntheirs:\n{}\n\n{request}", decode(ours), decode(theirs));
}

/// The request in the shape of Chat Completions.
fn request(system: &Value, instructions: Option<&str>, tools: &[(&str, &Value)], history: &Value) -> Value {
    let function = |(name, tool): &(&str, &Value)| {
        let mut function = (*tool).clone();
        function["name"] = json!(name);
        json!({"type": "function", "function": function})
    };
    let mut messages: Vec<Value> = Vec::new();
    messages.extend(instructions.map(|text| json!({"role": "system", "content": text})));
    messages.extend(elements(history).iter().map(message));
    let mut own = Map::new();
    for (ours, theirs) in [
        ("identity", "identity"),
        ("knowledge_cutoff", "cutoff"),
        ("current_date", "date"),
        ("channels", "channels"),
    ] {
        own.insert(ours.to_owned(), system[theirs].clone());
    }
    json!({
        "messages": messages,
        "tools": tools.iter().map(function).collect::<Vec<_>>(),
        "reasoning_effort": system["effort"],
        "harmony": {
            "builtin_tools": elements(&system["builtins"]),
            "prompt": {"system": if system.is_null() { json!(false) } else { json!(own) }},
        },
    })
}

fn message(message: &Value) -> Value {
    let content = &message[1];
    match text(&message[0]).split_once([' ', ':']).unwrap_or((text(&message[0]), "")) {
        ("user", "") => json!({"role": "user", "content": content}),
        ("user", name) => {
            json!({"role": "user", "name": name, "content": [{"type": "text", "text": content}]})
        }
        ("developer", _) => json!({"role": "developer", "content": content}),
        ("call", recipient) => {
            let name = recipient.strip_prefix("functions.").expect("a function");
            let function = json!({"name": name, "arguments": content});
            json!({"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function", "function": function}]})
        }
        ("analysis", _) => json!({"role": "assistant", "reasoning_content": content}),
        ("final", _) => json!({"role": "assistant", "content": content}),
        ("commentary", _) => json!({"role": "assistant", "channel": "commentary", "content": content}),
        _ => json!({"role": "tool", "tool_call_id": "1", "content": content}),
    }
}

fn reference_system(system: &Value) -> Option<Message> {
    let fields = system.as_object()?;
    let mut content = SystemContent::new();
    for (field, value) in fields {
        match (field.as_str(), value) {
            ("identity", _) => {
                content.model_identity = Some(text(value).to_owned()).filter(|text| !text.is_empty());
            }
            ("cutoff", _) => {
                content.knowledge_cutoff = Some(text(value).to_owned()).filter(|text| !text.is_empty());
            }
            ("date", _) => content = content.with_conversation_start_date(text(value)),
            ("effort", _) => {
                content = content.with_reasoning_effort(match text(value) {
                    "low" => ReasoningEffort::Low,
                    "medium" => ReasoningEffort::Medium,
                    _ => ReasoningEffort::High,
                });
            }
            ("channels", _) => {
                content = content
                    .with_channel_config(ChannelConfig::require_channels(elements(value).iter().map(text)));
            }
            ("builtins", _) => {
                for name in elements(value) {
                    content = if name == "browser" {
                        content.with_browser_tool()
                    } else {
                        content.with_python_tool()
                    };
                }
            }
            (other, _) => panic!("unknown field {other}"),
        }
    }
    Some(Message::from_role_and_content(Role::System, content))
}

fn reference_developer(instructions: Option<&str>, tools: &[(&str, &Value)]) -> Option<Message> {
    let mut content = DeveloperContent::new();
    if let Some(text) = instructions {
        content = content.with_instructions(text);
    }
    if !tools.is_empty() {
        let description = |(name, tool): &(&str, &Value)| {
            ToolDescription::new(*name, text(&tool["description"]), tool.get("parameters").cloned())
        };
        content = content.with_function_tools(tools.iter().map(description).collect());
    }
    let is_empty = instructions.is_none() && tools.is_empty();
    (!is_empty).then(|| Message::from_role_and_content(Role::Developer, content))
}

fn reference_message(message: &Value) -> Message {
    let content = text(&message[1]).to_owned();
    let assistant = |content: String| Message::from_role_and_content(Role::Assistant, content);
    match text(&message[0]).split_once([' ', ':']).unwrap_or((text(&message[0]), "")) {
        ("user", "") => Message::from_role_and_content(Role::User, content),
        ("user", name) => Message::from_author_and_content(Author::new(Role::User, name), content),
        ("developer", _) => Message::from_role_and_content(
            Role::Developer,
            DeveloperContent::new().with_instructions(content),
        ),
        ("call", recipient) => assistant(content)
            .with_channel("commentary")
            .with_recipient(recipient)
            .with_content_type("<|constrain|>json"),
        (channel @ ("analysis" | "commentary" | "final"), _) => assistant(content).with_channel(channel),
        (tool, _) => Message::from_author_and_content(Author::new(Role::Tool, tool), content)
            .with_recipient("assistant")
            .with_channel("commentary"),
    }
}

#[test]
fn conversations_are_rendered_as_the_reference_does() {
    let cases: Value = serde_json::from_str(include_str!("cases/prompt/conversations.json")).expect("JSON");
    let mut count = 0;
    for system in elements(&cases["systems"]) {
        for developer in elements(&cases["developers"]) {
            for history in elements(&cases["histories"]) {
                let case = Case::new(system, developer, history, &cases["tools"]);
                case.check(Form::Completion, true);
                case.check(Form::Completion, false);
                case.check(Form::Training, false);
                count += 1;
            }
        }
    }
    println!("{count} conversations, each in three forms");
    assert!(count >= 200);
}

/// Where our notation differs, and what either writes: a list that is complete as far as we know.
#[test]
fn differences_are_those_that_are_listed() {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("cases/prompt/differences.json")).expect("JSON");
    for case in &cases {
        let tool = json!({"description": "", "parameters": case["parameters"]});
        let tools = [("f", &tool)];
        let prompt = |parameters: &Value| {
            format!(
                "<|start|>developer<|message|># Tools\n\n## functions\n\nnamespace functions {{\n\n\
                 type f = (_: {}) => any;\n\n}} // namespace functions<|end|><|start|>assistant",
                text(parameters)
            )
        };
        let request = request(&Value::Null, None, &tools, &json!([]));
        let ours = Conversation::read(&request).expect("a request").for_completion().to_string();
        assert_eq!(ours, prompt(&case["ours"]), "{}", case["name"]);
        let theirs: Vec<Message> = reference_developer(None, &tools).into_iter().collect();
        let theirs = reference::render(&theirs, Form::Completion, true);
        assert_eq!(Vocabulary::o200k_harmony().decode(&theirs), prompt(&case["theirs"]), "{}", case["name"]);
        assert!(!text(&case["reason"]).is_empty());
    }
}

/// Parts of one content are one text: where they are cut changes nothing. The reference tokenises each by
/// itself, so a word that is cut has other tokens.
#[test]
fn parts_of_one_content_are_one_text() {
    let system = json!({"prompt": {"system": false}});
    let render = |content: Value| {
        let request = json!({"messages": [{"role": "user", "content": content}], "harmony": system});
        render(&request, Form::Completion)
    };
    let part = |text: &str| json!({"type": "text", "text": text});
    let whole = render(json!("Hello world"));
    assert_eq!(render(json!([part("Hel"), part("lo world")])), whole);
    let theirs = |parts: &[&str]| {
        let empty = Message::from_role_and_contents(Role::User, []);
        let message = parts.iter().fold(empty, |message, part| message.adding_content(*part));
        reference::render(&[message], Form::Completion, true)
    };
    assert_eq!(theirs(&["Hello world"]), whole);
    assert_ne!(theirs(&["Hel", "lo world"]), whole);
    let decode = |tokens: &[TokenId]| Vocabulary::o200k_harmony().decode(tokens);
    assert_eq!(decode(&theirs(&["Hel", "lo world"])), decode(&whole));
}

/// What is forgotten: thoughts before the last answer, as the guide says. The reference forgets those before
/// the first, and none at all while a call is pending.
#[test]
fn histories_differ_where_there_is_more_than_one_answer() {
    let turn = |question: &str| {
        json!([
            ["user", question],
            ["analysis", "Hm."],
            ["call functions.get_weather", "{}"],
            ["functions.get_weather", "1"],
            ["analysis", "So."],
            ["final", "1"]
        ])
    };
    let pending = json!([
        ["user", "c"],
        ["analysis", "Now."],
        ["call functions.get_weather", "{}"],
        ["functions.get_weather", "2"]
    ]);
    let joined = |parts: &[&Value]| Value::from_iter(parts.iter().flat_map(|part| elements(part)).cloned());
    let thoughts = |history: &Value, form, drops| {
        let mut request =
            request(&Value::Null, None, &[("get_weather", &json!({"description": ""}))], history);
        request["harmony"]["prompt"]["auto_drop_analysis"] = json!(drops);
        let theirs: Vec<Message> = elements(history).iter().map(reference_message).collect();
        let count = |tokens: &[TokenId]| {
            Vocabulary::o200k_harmony().decode(tokens).matches("<|channel|>analysis").count()
        };
        (count(&render(&request, form)), count(&reference::render(&theirs, form, drops)))
    };
    let (first, second) = (turn("a"), turn("b"));
    for (history, form, drops, expected) in [
        // One answer: alike.
        (joined(&[&first]), Form::Completion, true, (0, 0)),
        (joined(&[&first]), Form::Completion, false, (2, 2)),
        (joined(&[&first, &second]), Form::Completion, false, (4, 4)),
        // Two answers: the reference keeps what was thought between them.
        (joined(&[&first, &second]), Form::Completion, true, (0, 2)),
        // A pending call: the reference keeps everything, also what led to an answer that was given.
        (joined(&[&first, &pending]), Form::Completion, true, (1, 3)),
        (pending.clone(), Form::Completion, true, (1, 1)),
        // An example to train on keeps the thoughts that lead to its answer; the reference drops them.
        (joined(&[&first]), Form::Training, true, (2, 0)),
        (joined(&[&first, &second]), Form::Training, true, (2, 2)),
    ] {
        assert_eq!(thoughts(&history, form, drops), expected, "{history} {form:?} {drops}");
    }
}
