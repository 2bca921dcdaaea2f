//! Builds the tables of the `o200k_harmony` vocabulary and the automata of the formats, so that programs need
//! not do it when they start.
//!
//! The ranks come from tiktoken-rs; the trie is built by the code that builds the trie of any other
//! vocabulary, and the automata by the code that compiles the patterns of schemas. Together that takes 2 s of
//! processor time without optimisation, so no profile asks for any.

#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "modules of the library, of which this script needs a part"
)]

use std::{env, error::Error, fs, path::Path};

#[path = "src/cache.rs"]
mod cache;
#[path = "src/vocabulary/characters.rs"]
mod characters;
#[path = "src/formats/definition.rs"]
mod definition;
#[path = "src/vocabulary/error.rs"]
mod error;
#[path = "src/vocabulary/kinds.rs"]
mod kinds;
#[path = "src/limits/mod.rs"]
mod limits;
#[path = "src/regular/mod.rs"]
mod regular;
#[path = "src/vocabulary/shapes.rs"]
mod shapes;
#[path = "src/special.rs"]
mod special;
#[path = "src/vocabulary/tables.rs"]
mod tables;

/// Our own patterns are nested little, so they need no `src/recursion.rs`.
mod recursion {
    pub(crate) fn one_level<R>(call: impl FnOnce() -> R) -> R {
        call()
    }

    pub(crate) fn with_levels<R>(_: usize, call: impl FnOnce() -> R) -> R {
        call()
    }
}

use definition::Definition;
use regular::Dfa;
use tables::Tables;

/// Ordinary tokens; the ids from here on are special or reserved.
const ORDINARY: u32 = 199_998;

fn main() -> Result<(), Box<dyn Error>> {
    for source in ["cache.rs", "formats/definition.rs", "limits", "regular", "special.rs"] {
        println!("cargo::rerun-if-changed=src/{source}");
    }
    for module in ["characters", "error", "kinds", "shapes", "tables"] {
        println!("cargo::rerun-if-changed=src/vocabulary/{module}.rs");
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=grammars/formats.json");
    let folder = env::var("OUT_DIR")?;
    fs::write(Path::new(&folder).join("o200k_harmony.bin"), vocabulary()?)?;
    fs::write(Path::new(&folder).join("formats.bin"), formats()?)?;
    Ok(())
}

/// The image of the vocabulary.
fn vocabulary() -> Result<Vec<u8>, Box<dyn Error>> {
    let ranks = tiktoken_rs::o200k_harmony()?;
    let tokens = (0..ORDINARY).map(|id| Ok((id, ranks.decode_bytes(&[id])?)));
    let tables = Tables::new(tokens.collect::<Result<_, Box<dyn Error>>>()?)?;
    assert_eq!((tables.count, tables.starts.len()), (ORDINARY, ORDINARY as usize + 1), "ids are dense");
    Ok(image(&tables)?)
}

/// The tables as `src/vocabulary/image.rs` reads them, in the byte order of the target.
fn image(tables: &Tables) -> Result<Vec<u8>, env::VarError> {
    let to_bytes = match env::var("CARGO_CFG_TARGET_ENDIAN")?.as_str() {
        "big" => u32::to_be_bytes,
        _ => u32::to_le_bytes,
    };
    let plain = &tables.plain;
    let lists = [
        tables.nodes.as_flattened(),
        &*tables.roots,
        &*tables.seconds,
        &*tables.starts,
        plain.shapes.as_flattened(),
        &*plain.members,
        &*plain.tokens,
        &*plain.breaks,
        &*tables.characters.planes,
        &*tables.characters.long,
    ];
    let lengths = lists.map(|list| list.len() as u32);
    let header = lengths.into_iter().chain([tables.count, tables.longest]);
    let words = header.chain(lists.into_iter().flatten().copied());
    Ok(words.flat_map(to_bytes).chain(tables.bytes.iter().copied()).collect())
}

/// All formats as `src/formats/image.rs` reads them.
fn formats() -> Result<Vec<u8>, Box<dyn Error>> {
    let mut image = Vec::new();
    for definition in Definition::all() {
        let name = definition.name();
        let mut entry = vec![name.len() as u32];
        entry.extend(name.bytes().map(u32::from));
        entry.extend([definition.min_length(), definition.max_length().unwrap_or(u32::MAX)]);
        entry.extend(numbers(&definition.words()?));
        entry.extend(definition.superset()?.iter().flat_map(numbers));
        image.push(entry.len() as u32);
        image.extend(entry);
    }
    Ok(image.into_iter().flat_map(u32::to_le_bytes).collect())
}

/// Width, number of states, the class of each byte, labels, and the table, with all ones for none.
fn numbers(dfa: &Dfa) -> Vec<u32> {
    let classes: Vec<u8> = (0..=u8::MAX).map(|byte| dfa.class_of(byte)).collect();
    let width = classes.iter().max().map_or(0, |last| last + 1);
    let first = |class| classes.iter().position(|own| *own == class).expect("each class has a byte") as u8;
    let firsts: Vec<u8> = (0..width).map(first).collect();
    let states = 0..dfa.states() as u32;
    let mut numbers = vec![u32::from(width), states.end];
    numbers.extend(classes.into_iter().map(u32::from));
    numbers.extend(states.clone().map(|state| dfa.label(state).unwrap_or(u32::MAX)));
    let row = |state| firsts.iter().map(move |byte| dfa.next(state, *byte).unwrap_or(u32::MAX));
    numbers.extend(states.flat_map(row));
    numbers
}
