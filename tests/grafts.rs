//! Laws 2 to 4 on schemas that nobody wrote: real ones with parts of others in them.
//!
//! Real schemas seldom say `not` or `oneOf` of what they describe, and random ones are small. Of a
//! [grafted](crate::harness::grafts) one the instances of the document, values near to them and completions
//! must be accepted and valid, or neither.
//!
//! A few schemas, or 3,000 where `HARMONY_MASK_CORPORA=whole`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::corpus::{accepts, files, spread};
use crate::differential::check;
use crate::harness::baseline::{is_whole, read_json};
use crate::harness::grafts::grafted;
use crate::harness::mutants::mutate;
use crate::harness::{COMPILER, Random};
use harmony_mask::{Compiler, Grammar, Limits, Options, PropertyOrder};

/// Files with longer texts are left out.
const BYTES: u64 = 40_000;

/// What is put together may be of any size, and nobody waits here for a few large ones.
const WORK: usize = 500_000;

static LIMITED: LazyLock<Compiler> = LazyLock::new(|| {
    let limits = Limits { work: WORK, ..Limits::default() };
    Compiler::with_limits(COMPILER.vocabulary().clone(), limits)
});

/// What came of all schemas.
#[derive(Debug, Default)]
struct Tally {
    schemas: usize,
    empty: usize,
    refused: usize,
    values: usize,
    valid: usize,
}

#[test]
fn grafted_schemas_mean_what_they_say() {
    let Some(files) = files() else { return };
    let schemas = if is_whole() { 3_000 } else { 150 };
    let sources: Vec<&Path> =
        spread(&files).filter(|file| file.metadata().is_ok_and(|file| file.len() < BYTES)).collect();
    let (mut tally, mut wrong) = (Tally::default(), Vec::new());
    for (number, file) in sources.iter().cycle().enumerate() {
        if tally.schemas == schemas {
            break;
        }
        let mut random = Random::new(number as u64);
        let document = read_json(file);
        let donor = read_json(sources[random.below(sources.len())]);
        let schema = grafted(&document["schema"], &donor["schema"], &mut random);
        let verdict = catch_unwind(AssertUnwindSafe(|| judge(&document, &schema, &mut random, &mut tally)));
        let problem = verdict.unwrap_or_else(|_| Err("a panic, see above".to_owned())).err();
        wrong.extend(problem.map(|problem| format!("{problem}\n{schema}")));
    }
    println!("{tally:?}");
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong.join("\n\n"));
    assert!(tally.refused < tally.schemas / 10, "{tally:?}");
    assert!(tally.valid > tally.values / 20 && tally.valid < tally.values / 2, "{tally:?}");
}

/// Compares a schema with its oracle; one that the oracle refuses says nothing.
fn judge(document: &Value, schema: &Value, random: &mut Random, tally: &mut Tally) -> Result<(), String> {
    let Ok(oracle) = jsonschema::options().should_validate_formats(true).build(schema) else { return Ok(()) };
    tally.schemas += 1;
    let options = Options { property_order: PropertyOrder::Any, ..Options::default() };
    let grammar = match LIMITED.compile_schema(schema, &options) {
        Ok(grammar) => Some(grammar),
        Err(error) => match error.kind() {
            "unsatisfiable" | "no_base_case" => None,
            "limit" | "unsupported" | "circular_reference" => {
                tally.refused += 1;
                return Ok(());
            }
            kind => return Err(format!("{kind}: {error}")),
        },
    };
    tally.empty += usize::from(grammar.is_none());
    for value in values(document, random) {
        let is_valid = oracle.is_valid(&value);
        tally.values += 1;
        tally.valid += usize::from(is_valid);
        if says(grammar.as_ref(), &value) != is_valid {
            return Err(format!("valid {is_valid}: {value}"));
        }
    }
    grammar.map_or(Ok(()), |grammar| check(&grammar, &oracle, 3))
}

fn says(grammar: Option<&Grammar>, value: &Value) -> bool {
    grammar.is_some_and(|grammar| accepts(grammar, &value.to_string()))
}

/// The instances of a document, and values near to them.
fn values(document: &Value, random: &mut Random) -> Vec<Value> {
    let mut values: Vec<Value> =
        document["tests"].as_array().expect("tests").iter().map(|test| test["data"].clone()).collect();
    let originals = values.len();
    for _ in 0..if originals == 0 { 0 } else { 8 } {
        let mut value = values[random.below(originals)].clone();
        for _ in 0..=random.below(2) {
            mutate(&mut value, &values[random.below(originals)], random);
        }
        values.push(value);
    }
    values.extend([json!({}), json!([]), json!("a"), json!(0), json!(null)]);
    values
}
