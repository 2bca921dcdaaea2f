//! What a request allows and its prompt cannot say, as no document of the format shows how.

use std::fmt;

use crate::harmony::{Payload, Request, ToolKind};

/// Something that the masks allow and the prompt does not say. The model has to be told in the caller's own
/// words: in a tool's description, or in the instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsaid {
    /// Where the request says it, as a JSON pointer.
    pub pointer: String,
    /// What it is.
    pub what: UnsaidKind,
}

/// What a prompt does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnsaidKind {
    /// The grammar of a custom tool, which is declared as a function of any string.
    Grammar {
        /// The tool's name.
        tool: String,
    },
    /// A recipient of `harmony.recipients`: only functions and built-in tools have a section.
    Recipient {
        /// Its name.
        name: String,
    },
}

impl fmt::Display for Unsaid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            UnsaidKind::Grammar { tool } => write!(f, "the prompt does not say the grammar of `{tool}`")?,
            UnsaidKind::Recipient { name } => {
                write!(f, "the prompt does not declare the recipient `{name}`")?;
            }
        }
        write!(f, " ({})", self.pointer)
    }
}

/// All of it, in the order of the request.
pub(super) fn of(request: &Request) -> Vec<Unsaid> {
    let unsaid = request.tools().iter().filter_map(|tool| {
        let what = match (tool.kind, &tool.payload) {
            (ToolKind::Recipient, _) => UnsaidKind::Recipient { name: tool.name.clone() },
            (ToolKind::Custom, Payload::Grammar { .. }) => UnsaidKind::Grammar { tool: tool.name.clone() },
            _ => return None,
        };
        Some(Unsaid { pointer: tool.pointer.clone(), what })
    });
    unsaid.collect()
}
