//! Any text as a schema: compiled or refused, as the value that `serde_json` makes of it, and what is
//! compiled has a value that is valid.

use harmony_mask::automaton::Unit;
use harmony_mask::{Error, Grammar, Options};

use crate::reproduction::text_target;
use crate::unique::Unique;
use crate::vocabulary::SMALL;

text_target! {
    /// A text that may be a schema.
    SchemaText, "schema_text", check
}

fn check(text: &str) {
    let options = Options::default();
    let compiled = SMALL.compile_schema(text, &options);
    // It reads 128 levels.
    let Ok(schema) = serde_json::from_str(text) else { return };
    let refusal = |compiled: &Result<Grammar, Error>| compiled.as_ref().err().map(Error::to_string);
    assert_eq!(refusal(&compiled), refusal(&SMALL.compile_schema(&schema, &options)), "{text}");
    let Ok(grammar) = compiled else { return };
    let matcher = grammar.matcher();
    let units = matcher.automaton().shortest_completion(matcher.residual());
    let bytes = units.iter().filter_map(|unit| match unit {
        Unit::Byte(byte) => Some(*byte),
        Unit::Special(_) => None,
    });
    let text = String::from_utf8(bytes.collect()).expect("whole characters");
    let Unique(value) = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    // `jsonschema` refuses more than we do: unknown drafts, lists of `items` in the newest one, and patterns
    // that it cannot express.
    if let Ok(validator) = jsonschema::options().should_validate_formats(true).build(&schema)
        && let Err(error) = validator.validate(&value)
    {
        panic!("{error}: {text}");
    }
}
