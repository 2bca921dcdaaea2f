//! `Grammar`: what may be said under one request.

use harmony_mask::schema::Status;
use harmony_mask::{Grammar, TokenId};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error;
use crate::matcher::PyMatcher;
use crate::vocabulary::PyVocabulary;

/// A compiled request or schema. Immutable, and shared by all its matchers.
#[pyclass(name = "Grammar", module = "harmony_mask", frozen)]
pub(crate) struct PyGrammar(pub(crate) Grammar);

#[pymethods]
impl PyGrammar {
    /// A matcher for one sequence, at its start.
    pub(crate) fn matcher(&self) -> PyMatcher {
        PyMatcher::of(self.0.matcher())
    }

    /// A matcher for a sequence that goes on where a prompt ends, anywhere in the assistant's turn: give it
    /// all tokens of the prompt, or those from the last `<|start|>assistant` on. Of a grammar without
    /// messages the prompt is the beginning of the text.
    ///
    /// Raises PromptError where the prompt's turn is not the beginning of anything that is allowed.
    fn matcher_after(&self, py: Python<'_>, prompt_token_ids: Vec<TokenId>) -> PyResult<PyMatcher> {
        let matcher = py.detach(|| self.0.matcher_after(&prompt_token_ids));
        matcher.map(PyMatcher::of).map_err(error::prompt)
    }

    /// Whether one call may follow another within a turn: then a completion may stop after each of them.
    #[getter]
    fn allows_parallel_calls(&self) -> bool {
        self.0.allows_parallel_calls()
    }

    /// The vocabulary.
    #[getter]
    fn vocabulary(&self) -> PyVocabulary {
        PyVocabulary(self.0.matcher().vocabulary().clone())
    }

    /// Every keyword of every schema, as dictionaries of `tool`, `pointer`, `keyword` and `status`: `exact`
    /// or `annotation`.
    #[getter]
    fn coverage<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let entry = |entry: &harmony_mask::CoverageEntry| {
            let fields = PyDict::new(py);
            fields.set_item("tool", &entry.tool)?;
            fields.set_item("pointer", &entry.coverage.pointer)?;
            fields.set_item("keyword", &entry.coverage.keyword)?;
            fields.set_item("status", word(entry.coverage.status))?;
            Ok(fields)
        };
        self.0.coverage().iter().map(entry).collect()
    }

    /// What a schema's author should know.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.warnings().to_vec()
    }

    /// Bytes held by the tables of this grammar; they grow with use, up to a limit.
    #[getter]
    fn memory_size_bytes(&self) -> usize {
        self.0.memory_bytes()
    }

    fn __repr__(&self) -> String {
        format!("<harmony_mask.Grammar of {} bytes>", self.0.memory_bytes())
    }
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Exact => "exact",
        Status::Annotation => "annotation",
    }
}
