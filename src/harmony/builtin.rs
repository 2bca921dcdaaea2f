//! The tools that gpt-oss was trained with.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::error::RequestError;
use super::node::Node;
use super::tools::{Payload, Tool, ToolKind};

/// A tool that gpt-oss was trained with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// `browser.search`, `browser.open` and `browser.find`.
    Browser,
    /// `python`: what follows is source code, not JSON.
    Python,
}

/// The arguments of the browser's functions, as the system message declares them.
static BROWSER: LazyLock<Map<String, Value>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../grammars/harmony/browser.json")).expect("our own schemas")
});

impl Builtin {
    /// What the assistant may call of it; `pointer` is where the request asks for it.
    pub(super) fn tools(self, pointer: &str) -> impl Iterator<Item = Tool> {
        let payloads: Vec<(&str, Payload)> = match self {
            Self::Browser => {
                BROWSER.iter().map(|(name, schema)| (&**name, Payload::Json(schema.clone()))).collect()
            }
            Self::Python => vec![("python", Payload::Code)],
        };
        payloads.into_iter().map(move |(name, payload)| Tool {
            name: name.to_owned(),
            kind: ToolKind::Builtin(self),
            payload,
            pointer: pointer.to_owned(),
        })
    }
}

/// Reads `harmony.builtin_tools`, and hands each tool with its place to `add`.
pub(super) fn read(
    harmony: &Node<'_>,
    add: &mut dyn FnMut(Tool, &str) -> Result<(), RequestError>,
) -> Result<(), RequestError> {
    for node in harmony.get_elements("builtin_tools")? {
        let builtin = node.one_of(&[("browser", Builtin::Browser), ("python", Builtin::Python)])?;
        builtin.tools(&node.pointer).try_for_each(|tool| add(tool, &node.pointer))?;
    }
    Ok(())
}
