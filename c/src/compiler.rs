//! `hm_compiler`: from requests, schemas and grammars' texts to grammars.

use std::collections::BTreeMap;

use harmony_mask::{Compiler, Error, Grammar, Limits, Options, Request, RequestError, Vocabulary};

use crate::failure::{Failure, Slot};
use crate::guard::{given, guard, quiet};
use crate::memory::Input;

/// A compiler for the vocabulary of gpt-oss.
#[unsafe(no_mangle)]
pub extern "C" fn hm_compiler_new(
    limits: Input<u8>,
    limits_len: usize,
    error: Slot<'_>,
) -> Option<Box<Compiler>> {
    guard(error, None, || {
        let limits = read_limits(limits.text(limits_len)?)?;
        Ok(Some(Box::new(Compiler::with_limits(Vocabulary::o200k_harmony(), limits))))
    })
}

/// Frees a compiler.
#[unsafe(no_mangle)]
pub extern "C" fn hm_compiler_free(compiler: Option<Box<Compiler>>) {
    quiet((), || drop(compiler));
}

/// Compiles the body of an OpenAI request.
#[unsafe(no_mangle)]
pub extern "C" fn hm_compile_request(
    compiler: Option<&Compiler>,
    request: Input<u8>,
    request_len: usize,
    error: Slot<'_>,
) -> Option<Box<Grammar>> {
    guard(error, None, || {
        let compiler = given(compiler, "compiler")?;
        let request: Request = request.text(request_len)?.parse().map_err(Error::from)?;
        made(compiler.compile(&request))
    })
}

/// Compiles a JSON Schema.
#[unsafe(no_mangle)]
pub extern "C" fn hm_compile_schema(
    compiler: Option<&Compiler>,
    schema: Input<u8>,
    schema_len: usize,
    options: Input<u8>,
    options_len: usize,
    error: Slot<'_>,
) -> Option<Box<Grammar>> {
    guard(error, None, || {
        let options = read_options(options.text(options_len)?)?;
        made(given(compiler, "compiler")?.compile_schema(schema.text(schema_len)?, &options))
    })
}

/// Compiles a Lark grammar.
#[unsafe(no_mangle)]
pub extern "C" fn hm_compile_lark(
    compiler: Option<&Compiler>,
    grammar: Input<u8>,
    grammar_len: usize,
    options: Input<u8>,
    options_len: usize,
    error: Slot<'_>,
) -> Option<Box<Grammar>> {
    guard(error, None, || {
        let options = read_options(options.text(options_len)?)?;
        made(given(compiler, "compiler")?.compile_lark(grammar.text(grammar_len)?, &options))
    })
}

/// Compiles a regular expression.
#[unsafe(no_mangle)]
pub extern "C" fn hm_compile_regex(
    compiler: Option<&Compiler>,
    pattern: Input<u8>,
    pattern_len: usize,
    options: Input<u8>,
    options_len: usize,
    error: Slot<'_>,
) -> Option<Box<Grammar>> {
    guard(error, None, || {
        let options = read_options(options.text(options_len)?)?;
        made(given(compiler, "compiler")?.compile_regex(pattern.text(pattern_len)?, &options))
    })
}

fn made(grammar: Result<Grammar, Error>) -> Result<Option<Box<Grammar>>, Failure> {
    Ok(Some(Box::new(grammar?)))
}

/// The default limits, but for those that an object of JSON names.
fn read_limits(text: &str) -> Result<Limits, Failure> {
    let mut limits = Limits::default();
    if text.is_empty() {
        return Ok(limits);
    }
    let given: BTreeMap<String, usize> = serde_json::from_str(text).map_err(|error| {
        let kind = if error.is_data() { "wrong_type" } else { "not_json" };
        Failure::new(kind, format!("the limits are no JSON object of counts: {error}"))
    })?;
    for (name, value) in given {
        let unknown = || Failure::new("unknown_limit", format!("there is no limit named {name:?}"));
        *limits.field_mut(&name).ok_or_else(unknown)? = value;
    }
    Ok(limits)
}

/// Options as the `harmony` object of a request has them. The pointer of an error is one into the options.
fn read_options(text: &str) -> Result<Options, Failure> {
    if text.is_empty() {
        return Ok(Options::default());
    }
    text.parse().map_err(|error: RequestError| {
        Failure::at(error.pointer(), error.kind().name(), format!("in the options: {error}"))
    })
}
