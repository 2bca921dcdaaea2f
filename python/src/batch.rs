//! Filling the rows of a batch, on all cores where that helps.

use std::time::{Duration, Instant};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::bitmask::Bitmask;
use crate::error;
use crate::matcher::{PyMatcher, Shared, fill_drafts};

/// A mask that was made before is copied in half a microsecond, less than waking a thread takes; making one takes hundreds.
const PATIENCE: Duration = Duration::from_micros(50);

/// What one matcher fills: its first row, and the drafts after which there is another row each.
struct Part {
    matcher: Shared,
    first: usize,
    drafts: Vec<i64>,
}

impl Part {
    fn end(&self) -> usize {
        self.first + self.drafts.len() + 1
    }
}

/// Fills the rows of many matchers with the interpreter released, on all cores where masks have to be made.
///
/// Matcher `i` fills row `indices[i]`, or row `i` without `indices`. With `draft_tokens`, one list per matcher, it also fills the rows
/// after its own, one per draft. Returns, per matcher, how many drafts are allowed (without drafts, 0 each). Rows must not overlap.
#[pyfunction]
#[pyo3(signature = (matchers, bitmask, indices = None, draft_tokens = None))]
pub(crate) fn batch_fill_next_token_bitmask(
    py: Python<'_>,
    matchers: Vec<Bound<'_, PyMatcher>>,
    bitmask: &Bound<'_, PyAny>,
    indices: Option<Vec<i64>>,
    draft_tokens: Option<Vec<Vec<i64>>>,
) -> PyResult<Vec<usize>> {
    let width = matchers.iter().map(|matcher| matcher.get().width).max().unwrap_or_default();
    let mut bitmask = Bitmask::new(bitmask, width)?;
    let count = matchers.len();
    let indices = of_length("indices", indices, count, |row| row as i64)?;
    let drafts = of_length("draft_tokens", draft_tokens, count, |_| Vec::new())?;
    let mut parts = Vec::with_capacity(count);
    for ((matcher, index), drafts) in matchers.iter().zip(indices).zip(drafts) {
        let first = bitmask.first_row(index, drafts.len() + 1)?;
        parts.push(Part { matcher: matcher.get().shared.clone(), first, drafts });
    }
    let (rows, words) = (bitmask.rows(), bitmask.words());
    let mut work = divide(&parts, bitmask.rows_mut(0, rows), words)?;
    work.sort_by_key(|(place, ..)| *place);
    Ok(py.detach(|| fill_all(work, words)))
}

/// Fills all pieces: here as long as masks are only copied, on all cores as soon as they have to be made.
fn fill_all(work: Vec<(usize, &Part, &mut [u32])>, words: usize) -> Vec<usize> {
    let fill = |(_, part, rows): (usize, &Part, &mut [u32])| {
        fill_drafts(&mut part.matcher.lock(), rows, words, &part.drafts)
    };
    let (started, mut rest) = (Instant::now(), work.into_iter());
    let mut accepted: Vec<usize> = Vec::with_capacity(rest.len());
    while started.elapsed() < PATIENCE {
        let Some(piece) = rest.next() else { return accepted };
        accepted.push(fill(piece));
    }
    accepted.extend(rest.collect::<Vec<_>>().into_par_iter().map(fill).collect::<Vec<_>>());
    accepted
}

/// The given list, if it has one element per matcher; the default otherwise.
fn of_length<T>(
    name: &str,
    given: Option<Vec<T>>,
    count: usize,
    default: impl Fn(usize) -> T,
) -> PyResult<Vec<T>> {
    match given {
        None => Ok((0..count).map(default).collect()),
        Some(list) if list.len() == count => Ok(list),
        Some(list) => {
            let message = format!("{name} has {} elements for {count} matchers", list.len());
            Err(PyValueError::new_err(message))
        }
    }
}

/// Cuts the rows into one piece per part; each comes with the part's place in the list.
fn divide<'a>(
    parts: &'a [Part],
    mut rest: &'a mut [u32],
    words: usize,
) -> PyResult<Vec<(usize, &'a Part, &'a mut [u32])>> {
    let mut order: Vec<(usize, &Part)> = parts.iter().enumerate().collect();
    order.sort_by_key(|(_, part)| part.first);
    let (mut at, mut work) = (0, Vec::with_capacity(parts.len()));
    for (place, part) in order {
        let Some(skipped) = part.first.checked_sub(at) else {
            let message = format!("two matchers would fill row {}", part.first);
            return Err(error::bitmask("range", message));
        };
        let (_, after) = rest.split_at_mut(skipped * words);
        let (rows, after) = after.split_at_mut((part.end() - part.first) * words);
        work.push((place, part, rows));
        (rest, at) = (after, part.end());
    }
    Ok(work)
}
