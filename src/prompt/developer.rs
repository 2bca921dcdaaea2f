//! The developer message: instructions, function tools, response formats.

use serde_json::Value;

use super::typescript;

/// What the developer message says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Developer {
    /// What other formats call the system prompt.
    pub instructions: Option<String>,
    /// The tools that may be called.
    pub functions: Vec<Function>,
    /// What answers look like.
    pub formats: Vec<ResponseFormat>,
}

/// A function tool, or a custom one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// What it does. Empty where nothing is said.
    pub description: String,
    /// What it takes.
    pub parameters: Parameters,
}

/// What a function takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parameters {
    /// Nothing.
    None,
    /// JSON arguments of this schema.
    Json(Value),
    /// Text: a custom tool. Nothing was published on how these are declared, so they are functions of a
    /// string. The model reads a tool's grammar in its description, where the caller gives it.
    Text,
}

/// A response format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseFormat {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// The schema of an answer.
    pub schema: Value,
}

impl Developer {
    /// Whether there is nothing to say, and so no message.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The text of the message.
    pub(super) fn text(&self) -> String {
        let instructions = self.instructions.as_deref().map(instructions);
        let tools = (!self.functions.is_empty()).then(|| self.tools());
        let formats = (!self.formats.is_empty()).then(|| self.formats());
        [instructions, tools, formats].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
    }

    fn tools(&self) -> String {
        let declarations: String = self.functions.iter().map(Function::declaration).collect();
        format!(
            "# Tools\n\n## functions\n\nnamespace functions {{\n\n{declarations}}} // namespace functions"
        )
    }

    fn formats(&self) -> String {
        let sections: String = self.formats.iter().map(ResponseFormat::section).collect();
        format!("# Response Formats{sections}")
    }
}

/// The section of instructions, also in developer messages amid a conversation.
pub(super) fn instructions(text: &str) -> String {
    format!("# Instructions\n\n{text}")
}

impl Function {
    /// Whether it takes text.
    pub(super) fn is_text(&self) -> bool {
        self.parameters == Parameters::Text
    }

    fn declaration(&self) -> String {
        let comment: String = self.description.lines().map(|line| format!("// {line}\n")).collect();
        let name = &self.name;
        match &self.parameters {
            Parameters::None => format!("{comment}type {name} = () => any;\n\n"),
            Parameters::Text => format!("{comment}type {name} = (_: string) => any;\n\n"),
            Parameters::Json(schema) => {
                format!("{comment}type {name} = (_: {}) => any;\n\n", typescript::write(schema))
            }
        }
    }
}

impl ResponseFormat {
    fn section(&self) -> String {
        let description = self.description.iter().flat_map(|text| text.lines());
        let comment: String = description.map(|line| format!("// {line}\n")).collect();
        format!("\n\n## {}\n\n{comment}{}", self.name, self.schema)
    }
}
