//! Requests and schemas as Python gives them: JSON text, dictionaries, or pydantic models.

use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::error;

/// The JSON text of a document. What is not text is written by `harmony_mask._json`, which knows pydantic's
/// models.
pub(crate) fn text(document: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = document.cast::<PyString>() {
        // Python's strings may hold halves of surrogate pairs, which JSON text may not.
        return text.extract().map_err(|cause: PyErr| error::not_json(&cause));
    }
    let writer = document.py().import("harmony_mask._json")?;
    writer.call_method1("to_json", (document,))?.extract()
}
