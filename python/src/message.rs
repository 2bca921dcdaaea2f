//! `Message`: what was said.

use harmony_mask::transcript::End;
use harmony_mask::{Message, Transcript};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// One message of the assistant. What an unfinished header says is not told yet.
#[pyclass(name = "Message", module = "harmony_mask", frozen, eq, get_all)]
#[derive(PartialEq)]
pub(crate) struct PyMessage {
    /// Who speaks: always `assistant`.
    role: &'static str,
    /// The channel.
    channel: Option<String>,
    /// The tool that is called.
    recipient: Option<String>,
    /// The content type, `json` for `<|constrain|>json`.
    content_type: Option<String>,
    /// The body.
    content: String,
    /// How it ended: `return`, `call` or `end`; None while it is unfinished.
    end: Option<&'static str>,
}

#[pymethods]
impl PyMessage {
    /// The fields as a dictionary.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        fields.set_item("role", self.role)?;
        fields.set_item("channel", &self.channel)?;
        fields.set_item("recipient", &self.recipient)?;
        fields.set_item("content_type", &self.content_type)?;
        fields.set_item("content", &self.content)?;
        fields.set_item("end", self.end)?;
        Ok(fields)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let fields = self.to_dict(py)?.repr()?;
        Ok(format!("Message({fields})"))
    }
}

impl From<Message> for PyMessage {
    fn from(message: Message) -> Self {
        let Message { channel, recipient, content_type, content, end } = message;
        Self { role: Message::ROLE, channel, recipient, content_type, content, end: end.map(End::name) }
    }
}

/// The messages of a transcript.
pub(crate) fn all(transcript: Transcript) -> Vec<PyMessage> {
    transcript.messages.into_iter().map(PyMessage::from).collect()
}
