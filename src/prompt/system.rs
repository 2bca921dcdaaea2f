//! The system message: who the model is, the date, how much it thinks, its own tools, and the channels.

use std::fmt::Write as _;

use crate::harmony::Builtin;

/// What the system message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// Who the model is.
    pub identity: Option<String>,
    /// The end of its training data, as a month.
    pub knowledge_cutoff: Option<String>,
    /// The date of the conversation. There is none by default: this crate does not read the clock.
    pub current_date: Option<String>,
    /// How much it thinks before it answers.
    pub effort: Option<Effort>,
    /// The tools that it was trained with, each once.
    pub tools: Vec<Builtin>,
    /// The channels that it may write on.
    pub channels: Vec<String>,
    /// Whether the message says that each message must have a channel.
    pub is_channel_required: bool,
}

/// How much the model thinks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Effort {
    /// Little.
    Low,
    /// As it does by default.
    #[default]
    Medium,
    /// Much.
    High,
}

/// The channels that a message of the assistant may be on.
pub(super) const CHANNELS: [&str; 3] = ["analysis", "commentary", "final"];

/// The line that a system message ends with where the developer message declares functions.
pub(super) const FUNCTION_CALLS: &str =
    "Calls to these tools must go to the commentary channel: 'functions'.";

/// The sentence after the list of channels.
pub(super) const CHANNEL_REQUIRED: &str = " Channel must be included for every message.";

impl Default for System {
    /// The values that gpt-oss was trained with.
    fn default() -> Self {
        Self {
            identity: Some("You are ChatGPT, a large language model trained by OpenAI.".to_owned()),
            knowledge_cutoff: Some("2024-06".to_owned()),
            current_date: None,
            effort: Some(Effort::default()),
            tools: Vec::new(),
            channels: CHANNELS.map(str::to_owned).to_vec(),
            is_channel_required: true,
        }
    }
}

/// The built-in tools in the order in which they are declared.
pub(super) const BUILTINS: [Builtin; 2] = [Builtin::Browser, Builtin::Python];

/// What the section of a built-in tool is called.
pub(super) const fn builtin_name(tool: Builtin) -> &'static str {
    match tool {
        Builtin::Browser => "browser",
        Builtin::Python => "python",
    }
}

/// The section of a built-in tool: the words that the model was trained with.
pub(super) fn builtin_section(tool: Builtin) -> &'static str {
    let file = match tool {
        Builtin::Browser => include_str!("../../grammars/prompt/browser.txt"),
        Builtin::Python => include_str!("../../grammars/prompt/python.txt"),
    };
    file.trim_end()
}

impl Effort {
    /// The three of them.
    pub const ALL: [Self; 3] = [Self::Low, Self::Medium, Self::High];

    /// Its word in the prompt.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl System {
    /// The text of the message.
    pub(super) fn text(&self, has_functions: bool) -> String {
        let sections = [self.about(), self.reasoning(), self.tools(), self.channels(has_functions)];
        sections.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
    }

    fn about(&self) -> Option<String> {
        let lines = [
            self.identity.clone(),
            self.knowledge_cutoff.as_ref().map(|month| format!("Knowledge cutoff: {month}")),
            self.current_date.as_ref().map(|date| format!("Current date: {date}")),
        ];
        let lines: Vec<String> = lines.into_iter().flatten().collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    fn reasoning(&self) -> Option<String> {
        self.effort.map(|effort| format!("Reasoning: {}", effort.name()))
    }

    fn tools(&self) -> Option<String> {
        if self.tools.is_empty() {
            return None;
        }
        let sections = self.tools.iter().map(|tool| format!("\n\n{}", builtin_section(*tool)));
        Some(format!("# Tools{}", sections.collect::<String>()))
    }

    fn channels(&self, has_functions: bool) -> Option<String> {
        if self.channels.is_empty() {
            return None;
        }
        let mut text = format!("# Valid channels: {}.", self.channels.join(", "));
        if self.is_channel_required {
            text.push_str(CHANNEL_REQUIRED);
        }
        if has_functions {
            write!(text, "\n{FUNCTION_CALLS}").expect("writing to a string");
        }
        Some(text)
    }
}
