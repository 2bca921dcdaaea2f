//! `Matcher`: one sequence.
//!
//! The lock is taken and released while the interpreter is released, and nothing of Python is touched under
//! it, so threads cannot wait for each other in a circle.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use harmony_mask::{MaskId, Matcher, SpecialToken, TokenId, TokenMask, TokenMaskMut};
use pyo3::prelude::*;

use crate::bitmask::Bitmask;
use crate::error;
use crate::grammar::PyGrammar;
use crate::message::{self, PyMessage};
use crate::vocabulary::PyVocabulary;

/// A matcher that threads share.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Mutex<Matcher>>);

impl Shared {
    fn new(matcher: Matcher) -> Self {
        Self(Arc::new(Mutex::new(matcher)))
    }

    /// An error leaves a matcher as it was, so one that panicked (which would be a bug) is still whole.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Matcher> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Follows one sequence through a grammar: fills masks, accepts tokens, rolls back, forks.
///
/// Safe to use from several threads; different matchers do not wait for each other, and the interpreter is
/// released meanwhile.
#[pyclass(name = "Matcher", module = "harmony_mask", frozen)]
pub(crate) struct PyMatcher {
    pub(crate) shared: Shared,
    /// One past the highest id that can ever be allowed.
    pub(crate) width: usize,
}

impl PyMatcher {
    pub(crate) fn of(matcher: Matcher) -> Self {
        let width = matcher.vocabulary().width();
        Self { shared: Shared::new(matcher), width }
    }

    fn with<R: Send>(&self, py: Python<'_>, run: impl FnOnce(&mut Matcher) -> R + Send) -> R {
        py.detach(|| run(&mut self.shared.lock()))
    }
}

#[pymethods]
impl PyMatcher {
    #[new]
    fn new(grammar: &PyGrammar) -> Self {
        grammar.matcher()
    }

    /// Writes the allowed tokens into row `index` of `bitmask`, a C-contiguous int32 matrix of numpy or
    /// torch.
    ///
    /// Returns whether the row must be applied. After the end of a completion, or where `finish_within` leaves
    /// nothing, no token may follow: the row is then all ones, for engines that pad finished sequences, and the
    /// result is False.
    #[pyo3(signature = (bitmask, index = 0))]
    fn fill_next_token_bitmask(
        &self,
        py: Python<'_>,
        bitmask: &Bound<'_, PyAny>,
        index: i64,
    ) -> PyResult<bool> {
        let mut bitmask = Bitmask::new(bitmask, self.width)?;
        let row = bitmask.first_row(index, 1)?;
        let row = bitmask.rows_mut(row, 1);
        Ok(self.with(py, |matcher| fill(matcher, row)))
    }

    /// The number of the mask that would be filled now, for engines that keep masks on their device and send
    /// numbers: equal masks of one compiler have one number, counted from 0.
    ///
    /// None where a deadline or a cap narrows the mask, after the end of a completion, and when 65,536 masks
    /// have numbers.
    fn mask_id(&self, py: Python<'_>) -> Option<usize> {
        self.with(py, |matcher| {
            let id = matcher.mask_id().filter(|_| !is_over(matcher));
            id.map(MaskId::index)
        })
    }

    /// Fills rows for speculative decoding: row `index` before the drafts, row `index + 1` after the first,
    /// and so on.
    ///
    /// Rows after a draft that is not allowed are copies of the last good one. Returns how many drafts are
    /// allowed; the matcher stays where it was.
    #[pyo3(signature = (bitmask, draft_tokens, index = 0))]
    fn fill_draft_token_bitmask(
        &self,
        py: Python<'_>,
        bitmask: &Bound<'_, PyAny>,
        draft_tokens: Vec<i64>,
        index: i64,
    ) -> PyResult<usize> {
        let mut bitmask = Bitmask::new(bitmask, self.width)?;
        let (count, words) = (draft_tokens.len() + 1, bitmask.words());
        let first = bitmask.first_row(index, count)?;
        let rows = bitmask.rows_mut(first, count);
        Ok(self.with(py, |matcher| fill_drafts(matcher, rows, words, &draft_tokens)))
    }

    /// Takes one token; returns whether it is allowed. A token that is not leaves the matcher as it was.
    fn accept_token(&self, py: Python<'_>, token_id: i64) -> bool {
        self.with(py, |matcher| accept(matcher, token_id))
    }

    /// Takes all of these tokens, or none; returns whether they are allowed.
    fn accept_tokens(&self, py: Python<'_>, token_ids: Vec<i64>) -> bool {
        self.with(py, |matcher| {
            let accepted = accept_prefix(matcher, &token_ids);
            let all = accepted == token_ids.len();
            if !all {
                take_back(matcher, accepted);
            }
            all
        })
    }

    /// Takes one token, or raises TokenRejected, which says what was expected and where.
    fn accept(&self, py: Python<'_>, token_id: i64) -> PyResult<()> {
        let token = id(token_id).ok_or_else(|| error::no_token(token_id))?;
        self.with(py, |matcher| matcher.accept(token)).map_err(error::rejected)
    }

    /// How many of these tokens are allowed, one after the other. The matcher stays where it was.
    fn validate_tokens(&self, py: Python<'_>, token_ids: Vec<i64>) -> usize {
        self.with(py, |matcher| {
            let accepted = accept_prefix(matcher, &token_ids);
            take_back(matcher, accepted);
            accepted
        })
    }

    /// Takes back the last tokens, also past the end of a completion; raises RollbackError where fewer were
    /// accepted.
    #[pyo3(signature = (num_tokens = 1))]
    fn rollback(&self, py: Python<'_>, num_tokens: usize) -> PyResult<()> {
        self.with(py, |matcher| matcher.rollback(num_tokens)).map_err(error::rollback)
    }

    /// Narrows the masks so that the completion ends within so many more tokens, whatever is chosen; raises
    /// DeadlineError where the completion with the fewest bytes has more.
    ///
    /// It stays where it is through `rollback`, ends with `reset`, and may be set again.
    fn finish_within(&self, py: Python<'_>, num_tokens: usize) -> PyResult<()> {
        self.with(py, |matcher| matcher.finish_within(num_tokens)).map_err(error::deadline)
    }

    /// How many tokens may still come, where `finish_within` has set a limit.
    #[getter]
    fn tokens_left(&self, py: Python<'_>) -> Option<usize> {
        self.with(py, |matcher| matcher.tokens_left())
    }

    /// Takes back everything.
    fn reset(&self, py: Python<'_>) {
        self.with(py, Matcher::reset);
    }

    /// An independent matcher in the same state.
    fn fork(&self, py: Python<'_>) -> Self {
        Self::of(self.with(py, |matcher| matcher.fork()))
    }

    fn __copy__(&self, py: Python<'_>) -> Self {
        self.fork(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Self {
        self.fork(py)
    }

    /// Whether the completion is complete and nothing can follow: it has ended, or `finish_within` leaves
    /// nothing that would end in time.
    fn is_terminated(&self, py: Python<'_>) -> bool {
        self.with(py, |matcher| is_over(matcher))
    }

    /// Whether the completion may stop here. The text of a bare schema may, wherever it is a whole value; a
    /// turn must be terminated.
    fn is_accepting(&self, py: Python<'_>) -> bool {
        self.with(py, |matcher| matcher.is_accepting())
    }

    /// The tokens that must come next, as the tokenizer would cut them. An engine may append them without
    /// asking the model; this does not accept them.
    fn find_jump_forward_tokens(&self, py: Python<'_>) -> Vec<TokenId> {
        self.with(py, |matcher| matcher.forced_tokens())
    }

    /// The way to the end from here with the fewest bytes.
    fn shortest_completion(&self, py: Python<'_>) -> Vec<TokenId> {
        self.with(py, |matcher| matcher.shortest_completion())
    }

    /// The tokens that end a turn, wherever it stands: `<|return|>` and `<|call|>`. The masks allow them only
    /// where one does.
    #[getter]
    fn stop_token_ids(&self, py: Python<'_>) -> [TokenId; 2] {
        let id = |special| self.with(py, |matcher| matcher.vocabulary().special_id(special));
        [id(SpecialToken::Return), id(SpecialToken::Call)]
    }

    /// The special tokens that may come next and end the completion: those of the stop tokens, and where a
    /// request has the profile `history` also `<|end|>` after an answer.
    fn allowed_stop_token_ids(&self, py: Python<'_>) -> Vec<TokenId> {
        self.with(py, |matcher| matcher.stop_tokens())
    }

    /// The tokens accepted so far.
    #[getter]
    fn token_ids(&self, py: Python<'_>) -> Vec<TokenId> {
        self.with(py, |matcher| matcher.tokens().to_vec())
    }

    /// What the prompt already said of the turn, where the matcher began after one.
    #[getter]
    fn given_token_ids(&self, py: Python<'_>) -> Vec<TokenId> {
        self.with(py, |matcher| matcher.given_tokens().to_vec())
    }

    /// The response formats that the answer is of, or may still become: by name, or by JSON pointer where a
    /// format has none. None of them before the answer begins.
    fn matching_formats(&self, py: Python<'_>) -> Vec<String> {
        self.with(py, |matcher| matcher.matching_formats().into_iter().map(str::to_owned).collect())
    }

    /// The messages so far; the last may be unfinished.
    fn transcript(&self, py: Python<'_>) -> Vec<PyMessage> {
        message::all(self.with(py, |matcher| matcher.transcript()))
    }

    /// What may come next, in words.
    fn expected(&self, py: Python<'_>) -> Vec<String> {
        self.with(py, |matcher| matcher.expected())
    }

    /// Where in the grammar the matcher stands, in words.
    fn place(&self, py: Python<'_>) -> String {
        self.with(py, |matcher| matcher.place())
    }

    /// The vocabulary.
    #[getter]
    fn vocabulary(&self, py: Python<'_>) -> PyVocabulary {
        PyVocabulary(self.with(py, |matcher| matcher.vocabulary().clone()))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let (tokens, place) = self.with(py, |matcher| (matcher.tokens().len(), matcher.place()));
        format!(
            "<harmony_mask.Matcher after {tokens} tokens{}{place}>",
            if place.is_empty() { "" } else { ", in " }
        )
    }
}

fn id(token: i64) -> Option<TokenId> {
    TokenId::try_from(token).ok()
}

fn accept(matcher: &mut Matcher, token: i64) -> bool {
    id(token).is_some_and(|token| matcher.accept(token).is_ok())
}

/// Accepts tokens up to the first that is not allowed; how many that were.
fn accept_prefix(matcher: &mut Matcher, tokens: &[i64]) -> usize {
    tokens.iter().take_while(|token| accept(matcher, **token)).count()
}

fn take_back(matcher: &mut Matcher, count: usize) {
    matcher.rollback(count).expect("so many were just accepted");
}

/// Whether nothing can follow. Where a text may stop and go on, a deadline may be too near for whatever could
/// follow.
fn is_over(matcher: &Matcher) -> bool {
    let may_be_late = || matcher.tokens_left().is_some() && matcher.is_accepting();
    matcher.is_finished() || may_be_late() && allows_nothing(matcher)
}

fn allows_nothing(matcher: &Matcher) -> bool {
    let mut mask = TokenMask::new(matcher.vocabulary().width());
    matcher.fill_mask(&mut mask);
    mask.iter().next().is_none()
}

/// Fills one row; whether it must be applied.
pub(crate) fn fill(matcher: &Matcher, row: &mut [u32]) -> bool {
    let width = row.len() * 32;
    matcher.fill_row(&mut TokenMaskMut::new(row, width));
    // Only where nothing may follow is nothing allowed.
    let must_be_applied = row.iter().any(|word| *word != 0);
    if !must_be_applied {
        row.fill(u32::MAX);
    }
    must_be_applied
}

/// Fills a row before each draft and one after the last; how many drafts are allowed.
pub(crate) fn fill_drafts(matcher: &mut Matcher, rows: &mut [u32], words: usize, drafts: &[i64]) -> usize {
    let mut accepted = 0;
    for (index, row) in rows.chunks_exact_mut(words).enumerate() {
        fill(matcher, row);
        if accepted == index && drafts.get(index).is_some_and(|draft| accept(matcher, *draft)) {
            accepted += 1;
        }
    }
    take_back(matcher, accepted);
    accepted
}
