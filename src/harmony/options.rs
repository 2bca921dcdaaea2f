//! The `harmony` object: what OpenAI's request has no field for.

use std::str::FromStr;

use serde_json::Value;

use super::error::{RequestError, RequestErrorKind};
use super::node::Node;
use super::profile::Profile;
use super::{document, unknown};
use crate::json::{Layout, PropertyOrder};
use crate::schema::Formats;

/// Settings for all JSON of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whitespace between the tokens of a JSON text.
    pub whitespace: Layout,
    /// The order of an object's members.
    pub property_order: PropertyOrder,
    /// Whether `format` constrains.
    pub formats: Formats,
    /// Whether a tool may opt out of its schema.
    pub strict: Strict,
    /// Whether no text may spell a special token (`<|end|>` as seven ordinary characters): not free text, no
    /// string in JSON and no name. A host that tokenises a history again may take the spelling for the token.
    /// Grammars are narrowed in the same way, and one whose texts could spell a token across its terminals is
    /// refused.
    pub forbids_spelled_tokens: bool,
}

/// The members of the `harmony` object that are options.
const NAMES: [&str; 5] = ["whitespace", "property_order", "formats", "strict", "forbid_spelled_tokens"];

impl Options {
    /// Reads options that stand by themselves, for the text of a schema or a grammar: an object with members
    /// as the `harmony` object of a request has them. Here no grammar could warn of a member that is unknown,
    /// so it is refused.
    ///
    /// ```
    /// use harmony_mask::Options;
    /// use serde_json::json;
    ///
    /// assert_eq!(Options::read(&json!({}))?, Options::default());
    /// let error = Options::read(&json!({"white_space": "any"})).unwrap_err();
    /// assert_eq!((error.pointer(), error.kind().name()), ("/white_space", "unknown_option"));
    /// # Ok::<(), harmony_mask::harmony::RequestError>(())
    /// ```
    ///
    /// # Errors
    /// When it is no object, or a member is unknown or has a wrong type or value.
    pub fn read(document: &Value) -> Result<Self, RequestError> {
        let node = Node::root(document).object()?;
        match unknown::others(&node, &NAMES).first() {
            None => read(&node),
            Some(unknown) => Err(unknown.error(RequestErrorKind::UnknownOption(&NAMES))),
        }
    }
}

impl FromStr for Options {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<Self, RequestError> {
        Self::read(&document::document(text)?)
    }
}

/// What `strict: false` on a tool does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strict {
    /// Nothing: arguments always follow the tool's schema.
    #[default]
    Always,
    /// The tool's arguments may be any object.
    AsDeclared,
}

/// Settings for the messages of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TurnOptions {
    /// Which forms of headers are admitted.
    pub profile: Profile,
    /// Whether the header of an answer may have a content type. `openai-harmony` takes that for a recipient.
    pub allows_typed_answer: bool,
    /// Whether one call may follow another. Outside of the trained format, which has one call per turn.
    pub allows_parallel_calls: bool,
}

/// Reads the settings for JSON.
pub(super) fn read(harmony: &Node<'_>) -> Result<Options, RequestError> {
    Ok(Options {
        whitespace: word(
            harmony,
            "whitespace",
            &[
                ("compact", Layout::Compact),
                ("single", Layout::Single),
                ("any", Layout::Any),
                ("pretty", Layout::Pretty),
            ],
        )?,
        property_order: word(
            harmony,
            "property_order",
            &[("declared", PropertyOrder::Declared), ("any", PropertyOrder::Any)],
        )?,
        formats: word(harmony, "formats", &[("assert", Formats::Assert), ("annotate", Formats::Annotate)])?,
        strict: word(harmony, "strict", &[("always", Strict::Always), ("as_declared", Strict::AsDeclared)])?,
        forbids_spelled_tokens: harmony.get_bool("forbid_spelled_tokens")?.unwrap_or_default(),
    })
}

/// Reads the settings for messages. OpenAI's `parallel_tool_calls` is a permission, not a duty, and its
/// default is to permit: the trained format has one call per turn whatever it says.
pub(super) fn read_turn(root: &Node<'_>, harmony: Option<&Node<'_>>) -> Result<TurnOptions, RequestError> {
    let permits_parallel = root.get_bool("parallel_tool_calls")?;
    let Some(harmony) = harmony else { return Ok(TurnOptions::default()) };
    let flag = |name| Ok(harmony.get_bool(name)?.unwrap_or_default());
    let options = TurnOptions {
        profile: word(
            harmony,
            "profile",
            &[
                ("canonical", Profile::Canonical),
                ("trained", Profile::Trained),
                ("history", Profile::History),
            ],
        )?,
        allows_typed_answer: flag("typed_answer")?,
        allows_parallel_calls: flag("parallel_tool_calls")?,
    };
    if options.allows_parallel_calls && permits_parallel == Some(false) {
        let contradiction = RequestErrorKind::Contradiction("/parallel_tool_calls".to_owned());
        return Err(harmony.require("parallel_tool_calls")?.error(contradiction));
    }
    Ok(options)
}

/// The meaning of an option's word.
fn word<T: Copy + Default>(
    harmony: &Node<'_>,
    name: &str,
    words: &[(&'static str, T)],
) -> Result<T, RequestError> {
    harmony.get(name).map_or_else(|| Ok(T::default()), |node| node.one_of(words))
}
