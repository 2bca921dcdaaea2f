//! `Vocabulary`: the tokens of a model.

use std::collections::BTreeMap;

use harmony_mask::{SpecialToken, TokenId, Transcript, Vocabulary};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error;
use crate::message::{self, PyMessage};

/// The tokens of a model: their bytes, and the ids of the seven special tokens that an assistant may write.
///
/// `Vocabulary.o200k_harmony()` is that of gpt-oss. Another one is made of a mapping from ids to bytes,
/// without what must never be generated, and one from names (`return`, `call`, `end`, `start`, `channel`,
/// `message`, `constrain`) to ids.
#[pyclass(name = "Vocabulary", module = "harmony_mask", frozen)]
pub(crate) struct PyVocabulary(pub(crate) Vocabulary);

#[pymethods]
impl PyVocabulary {
    #[new]
    fn new(tokens: BTreeMap<TokenId, Vec<u8>>, special_tokens: BTreeMap<String, TokenId>) -> PyResult<Self> {
        let specials = special_tokens.into_iter().map(|(name, id)| Ok((special(&name)?, id)));
        let specials: Vec<_> = specials.collect::<PyResult<_>>()?;
        Vocabulary::new(tokens, specials).map(Self).map_err(|error| error::vocabulary(&error))
    }

    /// The vocabulary of gpt-oss; it is part of the package, and costs a lookup.
    #[staticmethod]
    pub(crate) fn o200k_harmony() -> Self {
        Self(Vocabulary::o200k_harmony())
    }

    /// One past the highest id. A model's logits may be wider: 201,088 in gpt-oss.
    #[getter]
    fn width(&self) -> usize {
        self.0.width()
    }

    /// The tokens that end a turn: `<|return|>` and `<|call|>`.
    #[getter]
    fn stop_token_ids(&self) -> [TokenId; 2] {
        [SpecialToken::Return, SpecialToken::Call].map(|special| self.0.special_id(special))
    }

    /// The id of a special token, by its name: `end` for `<|end|>`.
    fn special_id(&self, name: &str) -> PyResult<TokenId> {
        Ok(self.0.special_id(special(name)?))
    }

    /// The bytes of an ordinary token; None for special tokens and for ids that are no tokens.
    fn token_bytes<'py>(&self, py: Python<'py>, token_id: i64) -> Option<Bound<'py, PyBytes>> {
        let bytes = self.0.token_bytes(TokenId::try_from(token_id).ok()?)?;
        Some(PyBytes::new(py, bytes))
    }

    /// Cuts text into tokens, as gpt-oss's tokenizer does. Names of special tokens in it stand for them only
    /// where `special_tokens` says so, which is not for text of others.
    #[pyo3(signature = (text, *, special_tokens = false))]
    fn encode(&self, py: Python<'_>, text: &str, special_tokens: bool) -> PyResult<Vec<TokenId>> {
        let encode = || if special_tokens { self.0.encode_with_special(text) } else { self.0.encode(text) };
        py.detach(encode).ok_or_else(error::no_encoder)
    }

    /// The text of tokens, for people to read: special tokens spelled out, invalid UTF-8 replaced.
    fn decode(&self, token_ids: Vec<TokenId>) -> String {
        self.0.decode(&token_ids)
    }

    /// The messages in what an assistant wrote after `<|start|>assistant`, whether a grammar allowed it or
    /// not.
    fn parse(&self, token_ids: Vec<TokenId>) -> Vec<PyMessage> {
        message::all(Transcript::read(&self.0, &token_ids))
    }

    fn __len__(&self) -> usize {
        self.0.token_count()
    }

    fn __repr__(&self) -> String {
        format!("<harmony_mask.Vocabulary of {} tokens>", self.0.token_count())
    }
}

fn special(name: &str) -> PyResult<SpecialToken> {
    SpecialToken::from_name(name).ok_or_else(|| error::unknown_special(name))
}
