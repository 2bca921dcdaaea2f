//! `Deltas` and `Delta`: a transcript as it grows.

use std::sync::{Arc, Mutex, PoisonError};

use harmony_mask::transcript::{End, Header};
use harmony_mask::{Delta, Deltas};
use pyo3::prelude::*;

use crate::matcher::PyMatcher;

/// Turns the states of a matcher into pieces of its transcript, for those who stream it.
///
/// Asked after any number of tokens and rollbacks, it says what changed since it was asked last. Of a message
/// that the prompt began it tells what is added; and so of a text without messages, which is one message that
/// is open from the start.
#[pyclass(name = "Deltas", module = "harmony_mask", frozen)]
#[derive(Default)]
pub(crate) struct PyDeltas(Mutex<Deltas>);

#[pymethods]
impl PyDeltas {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// What changed since the last call.
    fn update(&self, py: Python<'_>, matcher: &PyMatcher) -> Vec<PyDelta> {
        let deltas = py.detach(|| {
            let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            told.update(&matcher.shared.lock())
        });
        deltas.into_iter().map(PyDelta::from).collect()
    }
}

/// One piece of a transcript. Its `kind` says what it is, and which of the other fields it has.
#[pyclass(name = "Delta", module = "harmony_mask", frozen, eq, get_all)]
#[derive(Default, PartialEq)]
pub(crate) struct PyDelta {
    /// `open`: a message begins. `text`: text of the open message, in whole characters. `close`: the open
    /// message ends. `withdrawn`: so many of the last pieces were taken back; they do not count any more, and
    /// this one does not either.
    kind: &'static str,
    /// The channel, where a message begins.
    channel: Option<String>,
    /// The tool that is called, where a message begins.
    recipient: Option<String>,
    /// The content type, where a message begins.
    content_type: Option<String>,
    /// The text.
    text: Option<String>,
    /// How the message ended: `return`, `call` or `end`.
    end: Option<&'static str>,
    /// How many pieces were taken back.
    count: Option<usize>,
}

#[pymethods]
impl PyDelta {
    fn __repr__(&self) -> String {
        let Self { kind, channel, recipient, content_type, text, end, count } = self;
        let texts =
            [("channel", channel), ("recipient", recipient), ("content_type", content_type), ("text", text)];
        let texts = texts.iter().filter_map(|(name, text)| Some(format!(", {name}={:?}", text.as_ref()?)));
        let end = end.map(|end| format!(", end={end:?}"));
        let count = count.map(|count| format!(", count={count}"));
        format!("Delta(kind={kind:?}{})", texts.chain(end).chain(count).collect::<String>())
    }
}

impl From<Delta> for PyDelta {
    fn from(delta: Delta) -> Self {
        match delta {
            Delta::Open(header) => {
                let Header { channel, recipient, content_type } = Arc::unwrap_or_clone(header);
                Self { kind: "open", channel, recipient, content_type, ..Self::default() }
            }
            Delta::Text(text) => Self { kind: "text", text: Some(text), ..Self::default() },
            Delta::Close(end) => Self { kind: "close", end: Some(End::name(end)), ..Self::default() },
            Delta::Withdrawn(count) => Self { kind: "withdrawn", count: Some(count), ..Self::default() },
        }
    }
}
