//! `Compiler`: from requests and schemas to grammars.

use std::collections::BTreeMap;
use std::fmt::Debug;

use harmony_mask::{Compiler, Error, Grammar, Options, Request};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::cache::Cache;
use crate::grammar::PyGrammar;
use crate::vocabulary::PyVocabulary;
use crate::{error, limits, request};

/// What compiled grammars may take together unless the user says otherwise.
const CACHE_LIMIT_BYTES: usize = 256 << 20;

/// Compiles requests and schemas, and remembers grammars by content. Keep one per process: it may be used
/// from all threads at once, and the interpreter is released while it compiles.
///
/// When a grammar is added, those that were not used for longest are forgotten, until all together take no
/// more than `cache_limit_bytes` (256 MiB by default); in between they grow with use, each up to the limit
/// `grammar_cache_bytes`. `limits` are ceilings by name, for schemas of strangers;
/// `resources` are documents by URI, to which references of schemas may lead.
#[pyclass(name = "Compiler", module = "harmony_mask", frozen)]
pub(crate) struct PyCompiler {
    compiler: Compiler,
    cache: Cache,
}

#[pymethods]
impl PyCompiler {
    #[new]
    #[pyo3(signature = (vocabulary = None, *, cache_limit_bytes = CACHE_LIMIT_BYTES, limits = None, resources = None))]
    fn new(
        vocabulary: Option<&PyVocabulary>,
        cache_limit_bytes: usize,
        limits: Option<BTreeMap<String, usize>>,
        resources: Option<BTreeMap<String, Bound<'_, PyAny>>>,
    ) -> PyResult<Self> {
        let vocabulary = vocabulary.map_or_else(|| PyVocabulary::o200k_harmony().0, |given| given.0.clone());
        let limits = limits::read(limits.unwrap_or_default())?;
        let document = |(uri, document): (String, Bound<'_, PyAny>)| Ok((uri, value(&document)?));
        let resources =
            resources.unwrap_or_default().into_iter().map(document).collect::<PyResult<Vec<_>>>()?;
        let compiler = Compiler::with_limits(vocabulary, limits).with_resources(resources);
        Ok(Self { compiler, cache: Cache::new(cache_limit_bytes) })
    }

    /// The grammar of what may follow `<|start|>assistant` under a request: the body of an OpenAI request, in
    /// the shape of Responses or of Chat Completions, as a dictionary or JSON text. Schemas in it may be
    /// pydantic models.
    ///
    /// Raises CompileError.
    fn compile(&self, py: Python<'_>, request: &Bound<'_, PyAny>) -> PyResult<PyGrammar> {
        let text = request::text(request)?;
        let grammar = py.detach(|| {
            let request: Request = text.parse()?;
            self.cache.get(content("request", &request), || self.compiler.compile(&request))
        });
        compiled(grammar)
    }

    /// The grammar of the JSON texts of a schema's values, without a message around them. The schema is a
    /// dictionary, JSON text, or a pydantic model; the options are those of a request's `harmony` object.
    ///
    /// Raises CompileError.
    #[pyo3(signature = (schema, *, whitespace = None, property_order = None, formats = None, forbid_spelled_tokens = false))]
    fn compile_json_schema(
        &self,
        schema: &Bound<'_, PyAny>,
        whitespace: Option<&str>,
        property_order: Option<&str>,
        formats: Option<&str>,
        forbid_spelled_tokens: bool,
    ) -> PyResult<PyGrammar> {
        let options = options([whitespace, property_order, formats], forbid_spelled_tokens);
        let value = value(schema)?;
        self.compiled(schema.py(), "schema", &value, options, |options| {
            self.compiler.compile_schema(&value, options)
        })
    }

    /// The grammar of the texts of a Lark grammar, without a message around them. `forbid_spelled_tokens` is
    /// for all of it, the other options for the JSON of `%json`.
    ///
    /// Raises CompileError.
    #[pyo3(signature = (grammar, *, whitespace = None, property_order = None, formats = None, forbid_spelled_tokens = false))]
    fn compile_lark(
        &self,
        py: Python<'_>,
        grammar: &str,
        whitespace: Option<&str>,
        property_order: Option<&str>,
        formats: Option<&str>,
        forbid_spelled_tokens: bool,
    ) -> PyResult<PyGrammar> {
        let options = options([whitespace, property_order, formats], forbid_spelled_tokens);
        self.compiled(py, "lark", &grammar, options, |options| self.compiler.compile_lark(grammar, options))
    }

    /// The grammar of the texts that a regular expression matches from end to end, without a message around
    /// them; its syntax is that of Rust's `regex` crate.
    ///
    /// Raises CompileError.
    #[pyo3(signature = (pattern, *, forbid_spelled_tokens = false))]
    fn compile_regex(
        &self,
        py: Python<'_>,
        pattern: &str,
        forbid_spelled_tokens: bool,
    ) -> PyResult<PyGrammar> {
        let options = options([None; 3], forbid_spelled_tokens);
        self.compiled(py, "regex", &pattern, options, |options| self.compiler.compile_regex(pattern, options))
    }

    /// Forgets all grammars; those in use stay.
    fn clear_cache(&self) {
        self.cache.clear();
    }

    /// Bytes held by the remembered grammars.
    fn get_cache_size_bytes(&self) -> usize {
        self.cache.size_bytes()
    }

    /// Bytes that remembered grammars may hold.
    #[getter]
    fn cache_limit_bytes(&self) -> usize {
        self.cache.limit_bytes()
    }

    /// The vocabulary.
    #[getter]
    fn vocabulary(&self) -> PyVocabulary {
        PyVocabulary(self.compiler.vocabulary().clone())
    }
}

impl PyCompiler {
    /// The grammar of a text, remembered or made while the interpreter is released.
    fn compiled(
        &self,
        py: Python<'_>,
        kind: &str,
        text: &(impl Debug + Sync),
        options: Value,
        make: impl FnOnce(&Options) -> Result<Grammar, Error> + Send,
    ) -> PyResult<PyGrammar> {
        let grammar = py.detach(|| {
            let options = Options::read(&options)?;
            self.cache.get(content(kind, &(text, options)), || make(&options))
        });
        compiled(grammar)
    }
}

fn value(document: &Bound<'_, PyAny>) -> PyResult<Value> {
    serde_json::from_str(&request::text(document)?).map_err(|error| error::not_json(&error))
}

fn compiled(grammar: Result<Grammar, Error>) -> PyResult<PyGrammar> {
    grammar.map(PyGrammar).map_err(|error| error::compile(&error))
}

/// Options of the text of a schema or a grammar, as JSON: `whitespace`, `property_order` and `formats` where
/// they are given.
fn options(words: [Option<&str>; 3], forbid_spelled_tokens: bool) -> Value {
    let [whitespace, property_order, formats] = words;
    json!({
        "whitespace": whitespace,
        "property_order": property_order,
        "formats": formats,
        "forbid_spelled_tokens": forbid_spelled_tokens,
    })
}

/// What a grammar is remembered by: everything that it was compiled from, and nothing else, so that requests
/// which differ in their messages share one. The derived `Debug` shows every field; `==` would not do, since
/// JSON objects are equal in any order, and the order of properties matters.
fn content(kind: &str, compiled: &impl Debug) -> String {
    format!("{kind} {compiled:?}")
}
