//! Filling the rows of a batch, on all cores where that helps.

use std::num::NonZero;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{iter, thread, vec};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::bitmask::Bitmask;
use crate::matcher::{PyMatcher, Shared, fill_drafts};

/// A mask that was made before is copied in half a microsecond, less than starting a thread takes; making one
/// may take hundreds.
const PATIENCE: Duration = Duration::from_micros(100);

/// What one matcher fills: its first row, and the drafts after which there is another row each.
struct Part {
    matcher: Shared,
    first: usize,
    drafts: Vec<i64>,
}

impl Part {
    fn rows(&self) -> Range<usize> {
        self.first..self.first + self.drafts.len() + 1
    }
}

/// A part with its rows and its place in the list.
struct Piece<'a> {
    place: usize,
    part: &'a Part,
    rows: &'a mut [u32],
}

impl Piece<'_> {
    /// Fills the rows; its place, and how many drafts are allowed.
    fn fill(self, words: usize) -> (usize, usize) {
        (self.place, fill_drafts(&mut self.part.matcher.lock(), self.rows, words, &self.part.drafts))
    }
}

/// Fills the rows of many matchers with the interpreter released, on all cores where masks have to be made.
///
/// Matcher `i` fills row `indices[i]`, or row `i` without `indices`. With `draft_tokens`, one list per
/// matcher, it also fills the rows after its own, one per draft. Returns, per matcher, how many drafts are
/// allowed (without drafts, 0 each). Rows must not overlap.
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
    let words = bitmask.words();
    let rows = bitmask.ranges_mut(&parts.iter().map(Part::rows).collect::<Vec<_>>())?;
    let work = parts.iter().zip(rows).enumerate();
    let work = work.map(|(place, (part, rows))| Piece { place, part, rows }).collect();
    Ok(py.detach(|| fill_all(work, words)))
}

/// Fills all pieces: here as long as masks are only copied, on all cores as soon as they have to be made.
fn fill_all(work: Vec<Piece<'_>>, words: usize) -> Vec<usize> {
    let mut done = Vec::with_capacity(work.len());
    let (started, mut rest) = (Instant::now(), work.into_iter());
    while started.elapsed() < PATIENCE
        && let Some(piece) = rest.next()
    {
        done.push(piece.fill(words));
    }
    if rest.len() > 0 {
        done.extend(fill_on_threads(rest, words));
        done.sort_unstable();
    }
    done.into_iter().map(|(_, accepted)| accepted).collect()
}

/// Fills pieces on as many threads as there are cores, this one among them.
///
/// The threads end with the call. A pool that stays would be lost in processes that are forked, as servers
/// do, and calls would wait for it for ever.
fn fill_on_threads(work: vec::IntoIter<Piece<'_>>, words: usize) -> Vec<(usize, usize)> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let helpers = cores.min(work.len()).saturating_sub(1);
    let queue = Mutex::new(work);
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let fill_rest = || iter::from_fn(next).map(|piece| piece.fill(words)).collect::<Vec<_>>();
    thread::scope(|scope| {
        // What cannot be started is not missed: this thread fills whatever is left.
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, fill_rest).ok();
        let helpers: Vec<_> = (0..helpers).filter_map(spawn).collect();
        let mut done = fill_rest();
        for helper in helpers {
            done.extend(helper.join().expect("filling does not panic"));
        }
        done
    })
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
