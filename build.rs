//! Builds the tables of the `o200k_harmony` vocabulary, so that programs need not do it when they start.
//!
//! The ranks come from tiktoken-rs; the trie is built by the code that builds the trie of any other vocabulary. That takes 1 s of
//! processor time without optimisation, so no profile asks for any.

#![allow(dead_code, unreachable_pub, reason = "modules of the library, of which this script needs a part")]

use std::{env, error::Error, fs, path::Path};

#[path = "src/vocabulary/error.rs"]
mod error;
#[path = "src/vocabulary/shapes.rs"]
mod shapes;
#[path = "src/special.rs"]
mod special;
#[path = "src/vocabulary/tables.rs"]
mod tables;

use tables::Tables;

/// Ordinary tokens; the ids from here on are special or reserved.
const ORDINARY: u32 = 199_998;

fn main() -> Result<(), Box<dyn Error>> {
    for file in ["build.rs", "src/special.rs"] {
        println!("cargo::rerun-if-changed={file}");
    }
    for module in ["error", "shapes", "tables"] {
        println!("cargo::rerun-if-changed=src/vocabulary/{module}.rs");
    }
    let ranks = tiktoken_rs::o200k_harmony()?;
    let tokens = (0..ORDINARY).map(|id| Ok((id, ranks.decode_bytes(&[id])?)));
    let tables = Tables::new(tokens.collect::<Result<_, Box<dyn Error>>>()?)?;
    assert_eq!((tables.count, tables.starts.len()), (ORDINARY, ORDINARY as usize + 1), "ids are dense");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("o200k_harmony.bin"), image(&tables)?)?;
    Ok(())
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
        &*tables.starts,
        plain.shapes.as_flattened(),
        &*plain.members,
        &*plain.tokens,
        &*plain.breaks,
    ];
    let lengths = lists.map(|list| list.len() as u32);
    let header = lengths.into_iter().chain([tables.count, tables.longest]);
    let words = header.chain(lists.into_iter().flatten().copied());
    let bytes = tables.characters.iter().chain(&*tables.bytes).copied();
    Ok(words.flat_map(to_bytes).chain(bytes).collect())
}
