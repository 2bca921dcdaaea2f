//! Formats against their examples, the official suite and another validator; and the image against the
//! definitions.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use super::definition::Definition;
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

/// The image is made by `build.rs`. Prints how long it takes to read each format, where nothing else has, and
/// how long to compile it.
#[test]
fn the_image_is_as_defined() {
    let names: Vec<_> = Definition::all().map(Definition::name).collect();
    assert_eq!(known_formats().collect::<Vec<_>>(), names);
    for definition in Definition::all() {
        let (name, begun) = (definition.name(), Instant::now());
        let (read, reading) = (format(name).expect("known"), begun.elapsed());
        let (words, superset) = (definition.words(), definition.superset());
        println!("{name}: read in {reading:?}, compiled in {:?}", begun.elapsed() - reading);
        assert_eq!(*read.dfa, words.expect("a pattern"), "{name}");
        assert_eq!(read.superset.as_deref(), superset.expect("a pattern").as_ref(), "{name}");
        let window = (definition.min_length(), definition.max_length());
        assert_eq!((read.min_length, read.max_length), window, "{name}");
    }
}

#[test]
fn examples_hold() {
    for definition in Definition::all() {
        let name = definition.name();
        let (format, oracle) = (format(name).expect("known"), oracle(name));
        for word in definition.examples(true) {
            assert!(accepts(format, word), "{name} accepts {word}");
            assert!(oracle.is_valid(&json!(word)), "the oracle accepts {word} as {name}");
        }
        for word in definition.examples(false) {
            assert!(!accepts(format, word), "{name} rejects {word}");
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
        let mut edges: Vec<_> = bytes.collect();
        if random(2) == 0 {
            let mut seen = [false; 256];
            edges.retain(|(byte, _)| !std::mem::replace(&mut seen[usize::from(dfa.class_of(*byte))], true));
        }
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
        let window = Window::new(format.dfa.clone(), format.min_length, format.max_length, 100_000);
        assert!(!window.expect("small").is_empty(), "{name}");
        for _ in 0..2_000 {
            let word = random_word(&format.dfa, &mut random);
            let near = mutated(&word, &mut random);
            for word in [word, near] {
                let (accepted, valid) = (accepts(format, &word), oracle.is_valid(&json!(word)));
                assert!(valid || !accepted, "{name} accepts {word:?}");
                // The oracle takes some hyphens for digits.
                let may_lack = format.superset.is_some() || (name == "date" && word.matches('-').count() > 2);
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
        for test in groups
            .as_array()
            .expect("groups")
            .iter()
            .flat_map(|group| group["tests"].as_array().expect("tests"))
        {
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
