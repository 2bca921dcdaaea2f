//! Limits by name, as a dictionary gives them.

use std::collections::BTreeMap;

use harmony_mask::Limits;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The default limits, but for those that are given.
pub(crate) fn read(given: BTreeMap<String, usize>) -> PyResult<Limits> {
    let mut limits = Limits::default();
    for (name, value) in given {
        *field(&mut limits, &name)
            .ok_or_else(|| PyValueError::new_err(format!("there is no limit named {name:?}")))? = value;
    }
    Ok(limits)
}

fn field<'a>(limits: &'a mut Limits, name: &str) -> Option<&'a mut usize> {
    Some(match name {
        "schema_depth" => &mut limits.schema_depth,
        "schema_nodes" => &mut limits.schema_nodes,
        "alternatives" => &mut limits.alternatives,
        "counts" => &mut limits.counts,
        "dfa_states" => &mut limits.dfa_states,
        "window_entries" => &mut limits.window_entries,
        "counter_states" => &mut limits.counter_states,
        "number_digits" => &mut limits.number_digits,
        "tools" => &mut limits.tools,
        "cache_bytes" => &mut limits.cache_bytes,
        _ => return None,
    })
}
