//! Laws 2 and 3 on real schemas: what is sampled through the masks is JSON without duplicate names, and valid
//! for the `jsonschema` crate with formats asserted; no mask on the way is empty, and the shortest completion
//! of wherever the sampler stops is accepted.
//!
//! And values that are nearly valid are accepted exactly if they are valid.
//!
//! A few schemas of MaskBench, or 1,200 with 20 completions each where `HARMONY_MASK_CORPORA=whole` (minutes
//! in a release build, longer in others).

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use jsonschema::Validator;
use serde_json::Value;

use crate::corpus::{accepts, files, spread};
use crate::harness::baseline::{is_whole, read_json};
use crate::harness::mutants::mutate;
use crate::harness::unique::Unique;
use crate::harness::{COMPILER, HABITS, Random, text, walk};
use harmony_mask::{Grammar, Options, PropertyOrder};

/// Schemas that the oracle reads in another way, with the reason.
const READ_OTHERWISE: [(&str, &str); 3] = [
    (
        "Github_easy---o76630",
        "draft 4 has no format `iri`; ours asserts every known format, whatever the draft",
    ),
    ("Github_hard---o8458", "draft 6 has no format `uuid`"),
    ("JsonSchemaStore---artifacthub-repo", "draft 4 has no format `uuid`"),
];

/// Tokens that are chosen at random before the shortest completion ends the text, at most.
const STEPS: usize = 48;

#[test]
fn sampled_completions_are_valid() {
    let Some(files) = files() else { return };
    let (schemas, completions) = if is_whole() { (1_200, 20) } else { (60, 6) };
    let (mut checked, mut skipped, mut wrong) = (0, BTreeMap::<String, usize>::new(), Vec::new());
    for file in spread(&files) {
        if checked == schemas {
            break;
        }
        let either = |name: &str| match name.len().is_multiple_of(2) {
            true => PropertyOrder::Declared,
            false => PropertyOrder::Any,
        };
        match read(file, either) {
            Ok((_, grammar, oracle)) => {
                // A walk that panics does not know its schema.
                let check = AssertUnwindSafe(|| check(&grammar, &oracle, completions));
                let outcome =
                    catch_unwind(check).unwrap_or_else(|_| Err("a walk panicked, see above".to_owned()));
                wrong.extend(outcome.err().map(|problem| format!("{}: {problem}", file.display())));
                checked += 1;
            }
            Err(reason) => *skipped.entry(reason).or_default() += 1,
        }
    }
    println!("{checked} schemas, {completions} completions each; skipped: {skipped:?}");
    assert!(wrong.is_empty(), "{} schemas: {wrong:#?}", wrong.len());
    assert_eq!(checked, schemas);
}

/// Soundness and completeness beside what the corpus tries: values that are nearly valid are accepted exactly
/// if the oracle says so.
#[test]
fn mutated_instances_are_accepted_if_and_only_if_they_are_valid() {
    let Some(files) = files() else { return };
    let (schemas, mutants) = if is_whole() { (3_000, 20) } else { (150, 6) };
    let (mut checked, mut valid, mut wrong) = (0, 0, Vec::new());
    for (number, file) in spread(&files).enumerate() {
        let Ok((document, grammar, oracle)) = read(file, |_| PropertyOrder::Any) else { continue };
        let mut random = Random::new(number as u64);
        let tests = document["tests"].as_array().expect("tests");
        let originals: Vec<&Value> = tests.iter().map(|test| &test["data"]).collect();
        for _ in 0..if originals.is_empty() { 0 } else { mutants } {
            let mut value = originals[random.below(originals.len())].clone();
            mutate(&mut value, originals[random.below(originals.len())], &mut random);
            let is_valid = oracle.is_valid(&value);
            valid += usize::from(is_valid);
            if accepts(&grammar, &value.to_string()) != is_valid {
                wrong.push(format!("{}: valid {is_valid}: {value}", file.display()));
            }
            checked += 1;
        }
        if number == schemas {
            break;
        }
    }
    println!("{checked} values, {valid} valid");
    assert!(wrong.is_empty(), "{}: {wrong:#?}", wrong.len());
    assert!(valid > checked / 10 && valid < checked * 9 / 10, "{valid} of {checked} valid");
}

/// A schema's document, its grammar and its oracle, or why it says nothing here.
fn read(file: &Path, order: impl Fn(&str) -> PropertyOrder) -> Result<(Value, Grammar, Validator), String> {
    let name = file.file_stem().expect("a name").to_string_lossy();
    if let Some((_, reason)) = READ_OTHERWISE.iter().find(|(other, _)| *other == name) {
        return Err((*reason).to_owned());
    }
    let document = read_json(file);
    let schema = &document["schema"];
    let options = Options { property_order: order(&name), ..Options::default() };
    let grammar = COMPILER
        .compile_schema(schema, &options)
        .map_err(|error| format!("not compiled: {}", error.kind()))?;
    let oracle = jsonschema::options().should_validate_formats(true).build(schema);
    let oracle = oracle.map_err(|_| "the oracle refuses it".to_owned())?;
    Ok((document, grammar, oracle))
}

/// Whether so many completions are valid.
pub(crate) fn check(grammar: &Grammar, oracle: &Validator, completions: usize) -> Result<(), String> {
    for round in 0..completions {
        let mut random = Random::new(round as u64);
        let matcher =
            walk(grammar, HABITS[round % HABITS.len()], random.below(STEPS), &mut random, |_, _| {});
        if !matcher.is_accepting() {
            return Err("the shortest completion does not complete".to_owned());
        }
        let text = text(&matcher);
        let Unique(value) = serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?;
        verdict(oracle, &value).map_err(|error| format!("{error}: {text}"))?;
    }
    Ok(())
}

fn verdict(oracle: &Validator, value: &Value) -> Result<(), String> {
    oracle.validate(value).map_err(|error| format!("at {} of the schema: {error}", error.schema_path()))
}
