//! The formats of JSON Schema, as languages.
//!
//! They are data (`grammars/formats.json`): patterns with the clause that each follows, examples of both kinds, and in words what a pattern
//! leaves out. `<part>` stands for a named part, so that the patterns read like the grammars of their RFCs; `all` are further patterns
//! that every word matches, and `none` those that no word does, where one pattern would have to count two things at once.

use std::sync::{Arc, LazyLock, OnceLock};

use serde_json::Value;

use super::{Dfa, Pattern, PatternError};

/// States that a format may need; `email` comes nearest, with its counted local part.
const STATES: usize = 100_000;

/// The strings of a format: the words of an automaton within a window of lengths.
#[derive(Clone, Debug)]
pub struct Format {
    /// The words. All of them, within the window, are valid.
    pub dfa: Arc<Dfa>,
    /// The least number of characters.
    pub min_length: u32,
    /// The greatest number of characters.
    pub max_length: Option<u32>,
    /// Where these are not all valid strings: a language with all of them. What is not in it is invalid.
    pub superset: Option<Arc<Dfa>>,
}

/// An entry of the data, and its language once somebody asked for it.
struct Entry {
    data: &'static Value,
    name: &'static str,
    built: OnceLock<Format>,
}

static DATA: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../grammars/formats.json")).expect("formats.json is JSON")
});

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let entry = |data: &'static Value| Entry { data, name: text(&data["name"]), built: OnceLock::new() };
    list(&DATA["formats"]).iter().map(entry).collect()
});

/// The format of that name, if it is known. Built at the first call and kept for the process.
///
/// ```
/// let date = harmony_mask::regular::format("date").expect("known");
/// assert!(date.dfa.contains(b"2024-02-29") && !date.dfa.contains(b"2023-02-29"));
/// assert!(harmony_mask::regular::format("colour").is_none());
/// ```
#[must_use]
pub fn format(name: &str) -> Option<&'static Format> {
    let entry = ENTRIES.iter().find(|entry| entry.name == name)?;
    Some(entry.built.get_or_init(|| build(entry.data).expect("formats.json is tested")))
}

/// The names of all known formats.
pub fn known_formats() -> impl Iterator<Item = &'static str> {
    ENTRIES.iter().map(|entry| entry.name)
}

fn build(data: &'static Value) -> Result<Format, PatternError> {
    let length = |key| data[key].as_u64().and_then(|length| u32::try_from(length).ok());
    let mut dfa = compile(text(&data["pattern"]))?;
    for all in list(&data["all"]) {
        dfa = dfa.intersection(&compile(text(all))?, STATES).expect("within the limit");
    }
    for none in list(&data["none"]) {
        dfa = dfa.difference(&compile(text(none))?, STATES).expect("within the limit");
    }
    Ok(Format {
        dfa: Arc::new(dfa),
        min_length: length("min_length").unwrap_or(0),
        max_length: length("max_length"),
        superset: data["superset"].as_str().map(compile).transpose()?.map(Arc::new),
    })
}

fn compile(pattern: &str) -> Result<Dfa, PatternError> {
    Pattern::parse(&expanded(pattern))?.to_dfa(STATES)
}

/// The pattern with its `<part>`s written out.
fn expanded(pattern: &str) -> String {
    let Some((before, rest)) = pattern.split_once('<') else { return pattern.to_owned() };
    let (part, after) = rest.split_once('>').expect("`<part>` is closed");
    [before, &expanded(text(&DATA["parts"][part])), &expanded(after)].concat()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("formats.json has text here")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {

    use std::path::Path;

    use serde_json::json;

    use super::*;
    use crate::regular::Window;

    fn oracle(name: &str) -> jsonschema::Validator {
        let schema = json!({ "type": "string", "format": name });
        jsonschema::options().should_validate_formats(true).build(&schema).expect("a schema")
    }

    fn accepts(format: &Format, word: &str) -> bool {
        let len = u32::try_from(word.chars().count()).expect("short");
        let fits = len >= format.min_length && format.max_length.is_none_or(|max| len <= max);
        fits && format.dfa.contains(word.as_bytes())
    }

    #[test]
    fn examples_hold() {
        for Entry { data, name, .. } in ENTRIES.iter() {
            let (format, oracle) = (format(name).expect("known"), oracle(name));
            for word in list(&data["accept"]) {
                assert!(accepts(format, text(word)), "{name} accepts {word}");
                assert!(oracle.is_valid(word), "the oracle accepts {word} as {name}");
            }
            for word in list(&data["reject"]) {
                assert!(!accepts(format, text(word)), "{name} rejects {word}");
            }
        }
    }

    /// A word by a random walk, ended by the shortest way.
    fn random_word(dfa: &Dfa, random: &mut impl FnMut(usize) -> usize) -> String {
        let mut word = Vec::new();
        let mut state = dfa.start();
        for _ in 0..random(80) {
            let bytes = (0..=u8::MAX).filter_map(|byte| Some((byte, dfa.next(state, byte)?)));
            // Half of the steps weigh classes evenly, so that rare ones are seen.
            let edges: Vec<_> = if random(2) == 0 { dfa.edges(state).collect() } else { bytes.collect() };
            if edges.is_empty() {
                break;
            }
            let (byte, next) = edges[random(edges.len())];
            word.push(byte);
            state = next;
        }
        word.extend(dfa.shortest_from(state, &|_| 0).0);
        String::from_utf8(word).expect("UTF-8 only")
    }

    /// The text with one character changed, dropped or doubled.
    fn mutated(word: &str, random: &mut impl FnMut(usize) -> usize) -> String {
        let mut chars: Vec<char> = word.chars().collect();
        if !chars.is_empty() {
            let (at, from) = (random(chars.len()), random(chars.len()));
            match random(3) {
                0 => chars[at] = chars[from],
                1 => drop(chars.remove(at)),
                _ => chars.insert(at, chars[from]),
            }
        }
        chars.into_iter().collect()
    }

    #[test]
    fn every_word_is_valid() {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = move |below: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            usize::try_from(seed % below as u64).expect("below a usize")
        };
        for name in known_formats() {
            let (format, oracle) = (format(name).expect("known"), oracle(name));
            let window = Window::new(format.dfa.clone(), format.min_length, format.max_length, STATES);
            assert!(!window.expect("small").is_empty(), "{name}");
            for _ in 0..2_000 {
                let word = random_word(&format.dfa, &mut random);
                let near = mutated(&word, &mut random);
                for word in [word, near] {
                    let (accepted, valid) = (accepts(format, &word), oracle.is_valid(&json!(word)));
                    assert!(valid || !accepted, "{name} accepts {word:?}");
                    // The oracle takes some hyphens for digits.
                    let may_lack =
                        format.superset.is_some() || (name == "date" && word.matches('-').count() > 2);
                    assert!(may_lack || accepted || !valid, "{name} rejects {word:?}");
                }
            }
        }
    }

    /// The official suite; where a format is not exact, only that nothing invalid is accepted.
    #[test]
    fn agrees_with_the_official_suite() {
        let suite = "target/corpora/json-schema-test-suite/tests/draft2020-12/optional/format";
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(suite);
        if !folder.exists() {
            println!("skipped: {suite} is absent");
            return;
        }
        for name in known_formats() {
            let format = format(name).expect("known");
            let file =
                std::fs::read_to_string(folder.join(format!("{name}.json"))).expect("a file for each format");
            let groups: Value = serde_json::from_str(&file).expect("JSON");
            for test in list(&groups).iter().flat_map(|group| list(&group["tests"])) {
                let Some(word) = test["data"].as_str() else { continue };
                let (accepted, valid) = (accepts(format, word), test["valid"] == true);
                assert!(valid || !accepted, "{name} accepts {word:?}: {}", test["description"]);
                if valid && !accepted {
                    println!("{name} lacks {word:?}: {}", test["description"]);
                    assert!(format.superset.is_some(), "{name} lacks {word:?}");
                }
            }
        }
    }
}
