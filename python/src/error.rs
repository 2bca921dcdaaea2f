//! Exceptions. Their classes are written in Python (`harmony_mask/errors.py`): the stable ABI cannot add
//! fields to an exception.

use harmony_mask::matcher::DeadlineError;
use harmony_mask::{AcceptError, Error, PromptError, RollbackError, VocabularyError};
use pyo3::PyErr;

mod python {
    #![allow(missing_docs)]
    pyo3::import_exception!(harmony_mask.errors, BitmaskError);
    pyo3::import_exception!(harmony_mask.errors, CompileError);
    pyo3::import_exception!(harmony_mask.errors, DeadlineError);
    pyo3::import_exception!(harmony_mask.errors, PromptError);
    pyo3::import_exception!(harmony_mask.errors, RollbackError);
    pyo3::import_exception!(harmony_mask.errors, TokenRejected);
    pyo3::import_exception!(harmony_mask.errors, VocabularyError);
}

/// A request or a schema that does not compile, with its place.
pub(crate) fn compile(error: &Error) -> PyErr {
    let limit = error.limit().map(|limit| (limit.what, limit.limit));
    let (tool, keyword) = (error.tool().map(str::to_owned), error.keyword().map(str::to_owned));
    PyErr::new::<python::CompileError, _>((
        error.to_string(),
        error.kind(),
        tool,
        error.pointer(),
        keyword,
        limit,
    ))
}

/// A document that is not JSON.
pub(crate) fn not_json(error: &dyn std::error::Error) -> PyErr {
    PyErr::new::<python::CompileError, _>((format!("not JSON: {error}"), "not_json"))
}

/// A token that may not come next.
pub(crate) fn rejected(error: AcceptError) -> PyErr {
    // The message says what forbids it.
    let AcceptError { token, spelling, valid_bytes, expected, place, cause: _ } = &error;
    let fields = (error.to_string(), *token, spelling.clone(), *valid_bytes, expected.clone(), place.clone());
    PyErr::new::<python::TokenRejected, _>(fields)
}

/// A prompt that breaks the grammar.
pub(crate) fn prompt(error: PromptError) -> PyErr {
    PyErr::new::<python::PromptError, _>((error.to_string(), error.token, error.offset))
}

/// An id that no vocabulary has.
pub(crate) fn no_token(token: i64) -> PyErr {
    PyErr::new::<python::TokenRejected, _>((format!("{token} is not the id of a token"), token))
}

/// A rollback of more than there is.
pub(crate) fn rollback(error: RollbackError) -> PyErr {
    PyErr::new::<python::RollbackError, _>((error.to_string(), error.requested, error.accepted))
}

/// Fewer tokens than any completion has.
pub(crate) fn deadline(error: DeadlineError) -> PyErr {
    PyErr::new::<python::DeadlineError, _>((error.to_string(), error.requested, error.needed))
}

/// A list of tokens that is no vocabulary.
pub(crate) fn vocabulary(error: &VocabularyError) -> PyErr {
    PyErr::new::<python::VocabularyError, _>((error.to_string(),))
}

/// A special token that nobody knows.
pub(crate) fn unknown_special(name: &str) -> PyErr {
    let message = format!("there is no special token named {name:?}");
    PyErr::new::<python::VocabularyError, _>((message,))
}

/// A vocabulary without merges was asked to encode.
pub(crate) fn no_encoder() -> PyErr {
    let message = "this vocabulary has no encoder: only o200k_harmony knows how text is cut into tokens";
    PyErr::new::<python::VocabularyError, _>((message,))
}

/// A buffer that cannot hold masks: what about it (`dtype`, `shape`, …), and why.
pub(crate) fn bitmask(kind: &'static str, message: String) -> PyErr {
    PyErr::new::<python::BitmaskError, _>((message, kind))
}
