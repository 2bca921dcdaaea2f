//! The native half of the Python package `harmony_mask`.
//!
//! Each class wraps one of the crate's own; what is added here is what Python needs: locks and the release of
//! the interpreter, buffers of others, and exceptions with attributes. Whatever is easier said in Python
//! (dispatch to torch, requests with pydantic models, the processor for transformers) is said there.

mod batch;
mod bitmask;
mod cache;
mod compiler;
mod error;
mod grammar;
mod limits;
mod matcher;
mod message;
mod request;
mod stream;
mod timing;
mod vocabulary;

use pyo3::prelude::*;

/// The extension module.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<vocabulary::PyVocabulary>()?;
    module.add_class::<compiler::PyCompiler>()?;
    module.add_class::<grammar::PyGrammar>()?;
    module.add_class::<matcher::PyMatcher>()?;
    module.add_class::<message::PyMessage>()?;
    module.add_class::<stream::PyDeltas>()?;
    module.add_class::<stream::PyDelta>()?;
    module.add_function(wrap_pyfunction!(batch::batch_fill_next_token_bitmask, module)?)?;
    module.add_function(wrap_pyfunction!(timing::time_fills, module)?)
}
