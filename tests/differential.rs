//! Laws 2 and 3 on real schemas: what is sampled through the masks is JSON without duplicate names, and valid for the `jsonschema` crate with
//! formats asserted; no mask on the way is empty, and the shortest completion of wherever the sampler stops is accepted.
//!
//! A few schemas of MaskBench, or 1,200 with 20 completions each where `HARMONY_MASK_CORPORA=whole` (minutes in a release build, longer in others).

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use jsonschema::Validator;
use serde_json::Value;

use crate::corpus::{files, spread};
use crate::harness::baseline::{is_whole, read_json};
use crate::harness::unique::Unique;
use crate::harness::{COMPILER, HABITS, Random, walk};
use harmony_mask::{Grammar, Matcher, Options, PropertyOrder};

/// Schemas where the oracle errs, with the reason.
const ORACLE_ERRS: [(&str, &str); 0] = [];

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
        match subject(file) {
            Ok((grammar, oracle)) => {
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

/// A schema's grammar and its oracle, or why it says nothing here.
fn subject(file: &Path) -> Result<(Grammar, Validator), String> {
    let name = file.file_stem().expect("a name").to_string_lossy();
    if let Some((_, reason)) = ORACLE_ERRS.iter().find(|(erring, _)| *erring == name) {
        return Err((*reason).to_owned());
    }
    let schema = &read_json(file)["schema"];
    let order = if name.len().is_multiple_of(2) { PropertyOrder::Declared } else { PropertyOrder::Any };
    let options = Options { property_order: order, ..Options::default() };
    let grammar = COMPILER
        .compile_schema(schema, &options)
        .map_err(|error| format!("not compiled: {}", error.kind()))?;
    let oracle = jsonschema::options().should_validate_formats(true).build(schema);
    Ok((grammar, oracle.map_err(|_| "the oracle refuses it".to_owned())?))
}

fn check(grammar: &Grammar, oracle: &Validator, completions: usize) -> Result<(), String> {
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

/// What was said, without the end of the completion.
fn text(matcher: &Matcher) -> String {
    let bytes = matcher.tokens().iter().filter_map(|token| matcher.vocabulary().token_bytes(*token));
    String::from_utf8(bytes.flatten().copied().collect()).expect("a text")
}

fn verdict(oracle: &Validator, value: &Value) -> Result<(), String> {
    oracle.validate(value).map_err(|error| format!("at {} of the schema: {error}", error.schema_path()))
}
