//! Limits by name, as a dictionary gives them.

use std::collections::BTreeMap;

use harmony_mask::Limits;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The default limits, but for those that are given.
pub(crate) fn read(given: BTreeMap<String, usize>) -> PyResult<Limits> {
    let mut limits = Limits::default();
    for (name, value) in given {
        *limits
            .field_mut(&name)
            .ok_or_else(|| PyValueError::new_err(format!("there is no limit named {name:?}")))? = value;
    }
    Ok(limits)
}
