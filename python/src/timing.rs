//! What a fill costs without Python, for the benchmark that subtracts it.

use std::time::Instant;

use pyo3::prelude::*;

use crate::bitmask::Bitmask;
use crate::matcher::{PyMatcher, fill};

/// Fills one row so many times and returns the nanoseconds that one took. For `benches/fill.py`.
#[pyfunction]
pub(crate) fn time_fills(matcher: &PyMatcher, bitmask: &Bound<'_, PyAny>, rounds: u32) -> PyResult<f64> {
    let mut bitmask = Bitmask::new(bitmask, matcher.width)?;
    let row = bitmask.first_row(0, 1)?;
    let row = bitmask.rows_mut(row, 1);
    let matcher = matcher.shared.lock();
    let started = Instant::now();
    for _ in 0..rounds {
        fill(&matcher, std::hint::black_box(row));
    }
    Ok(started.elapsed().as_nanos() as f64 / f64::from(rounds.max(1)))
}
