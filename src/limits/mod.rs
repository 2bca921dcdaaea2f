//! Every ceiling of a compilation, in one place.
//!
//! A request may come from anybody, so each stage counts what it builds and stops with a named error at its
//! ceiling. Counts are of things (nodes, states, bytes), never of seconds: whether a request compiles does
//! not depend on the machine.

mod budget;

use std::fmt;

pub use budget::{Budget, Cancellation};

/// Ceilings for one compilation. The defaults suit a public server.
///
/// ```
/// # use harmony_mask::Limits;
/// let limits = Limits { schema_depth: 32, ..Limits::default() };
/// assert!(limits.dfa_states > 1_000);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one schema document, written without spaces.
    pub schema_bytes: usize,
    /// Nesting of a schema document, in levels.
    pub schema_depth: usize,
    /// Normalised schema nodes of one schema.
    pub schema_nodes: usize,
    /// Alternatives (cells of one JSON type) of one schema node.
    pub alternatives: usize,
    /// What may be counted in one array or object (`contains` and its like, of objects also what must be
    /// missing or wrong so that they are not as others); each doubles the kinds of elements that are told
    /// apart. More than 16 are taken for 16.
    pub counts: usize,
    /// States of one deterministic automaton (a pattern, a format, a set of names, a range of numbers).
    pub dfa_states: usize,
    /// Entries of the table for one `minLength`: states of the pattern or format times characters.
    pub window_entries: usize,
    /// States of the counters of one array: lengths times counts, and where elements must differ, pairs of
    /// those that there must be.
    pub counter_states: usize,
    /// Bytes of the shortest value of any alternative in a schema, and of the shortest text of any in a
    /// grammar. A model must be able to write it, and the shortest completion to name it.
    pub completion_bytes: usize,
    /// Digits of one number in a schema, its exponent written out.
    pub number_digits: usize,
    /// Symbols of the rules of one grammar, with those that repetitions are turned into.
    pub grammar_symbols: usize,
    /// Rules of one grammar that begin with each other.
    pub left_recursive_rules: usize,
    /// Steps of one compilation, all its schemas together. A step is a few microseconds: a schema node, a
    /// conjunction of two small sets of values, four states of an automaton.
    pub work: usize,
    /// Tools of one request.
    pub tools: usize,
    /// Response formats of one request among which the answer may choose.
    pub response_formats: usize,
    /// Bytes that the tables of a compiler may keep, which all its grammars share. What does not fit is
    /// computed again when needed; results do not change.
    pub cache_bytes: usize,
    /// Bytes that the tables of one grammar may keep, until the grammar is dropped.
    pub grammar_cache_bytes: usize,
}

/// The greatest value of [`Limits::counts`]: a table of an object has 65,536 rows then, one for each set of
/// what is counted.
pub(crate) const MOST_COUNTS: usize = 16;

impl Limits {
    /// The ceiling of this name, to be changed: that of the field, which errors name, too. `None` where there
    /// is no such limit.
    ///
    /// ```
    /// # use harmony_mask::Limits;
    /// let mut limits = Limits::default();
    /// *limits.field_mut("work").expect("there is such a limit") = 1_000;
    /// assert_eq!(limits, Limits { work: 1_000, ..Limits::default() });
    /// assert_eq!(limits.field_mut("patience"), None);
    /// ```
    pub fn field_mut(&mut self, name: &str) -> Option<&mut usize> {
        self.fields_mut().into_iter().find_map(|(field, value)| (field == name).then_some(value))
    }

    fn fields_mut(&mut self) -> [(&'static str, &mut usize); 17] {
        // The pattern takes all fields, so a field that is added and not listed does not compile.
        macro_rules! named {
            ($($field:ident),+) => {{
                let Self { $($field),+ } = self;
                [$((stringify!($field), $field)),+]
            }};
        }
        named![
            schema_bytes,
            schema_depth,
            schema_nodes,
            alternatives,
            counts,
            dfa_states,
            window_entries,
            counter_states,
            completion_bytes,
            number_digits,
            grammar_symbols,
            left_recursive_rules,
            work,
            tools,
            response_formats,
            cache_bytes,
            grammar_cache_bytes
        ]
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            schema_bytes: 8 << 20,
            schema_depth: 256,
            schema_nodes: 200_000,
            alternatives: 4_096,
            counts: 10,
            dfa_states: 100_000,
            window_entries: 10_000_000,
            counter_states: 1_000_000,
            completion_bytes: 1 << 16,
            number_digits: 1_000,
            grammar_symbols: 200_000,
            left_recursive_rules: 1_000,
            work: 400_000,
            tools: 4_096,
            response_formats: 4_096,
            cache_bytes: 128 << 20,
            grammar_cache_bytes: 64 << 20,
        }
    }
}

/// A ceiling was reached: which one, its value, and what was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitExceeded {
    /// The field of [`Limits`] that was reached.
    pub what: &'static str,
    /// Its value.
    pub limit: usize,
    /// How much there is, or how much had been counted when counting stopped: more than the limit.
    pub given: usize,
}

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, limit, given } = self;
        write!(f, "{given} {}, more than {limit} (limit `{what}`)", what.replace('_', " "))
    }
}

impl std::error::Error for LimitExceeded {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_has_its_name() {
        let mut limits = Limits::default();
        let names = limits.fields_mut().map(|(name, _)| name);
        for (value, name) in names.into_iter().enumerate() {
            *limits.field_mut(name).expect("its own name") = value;
        }
        let set = format!("{limits:?}");
        for (value, name) in names.into_iter().enumerate() {
            let field = format!(" {name}: {value}");
            assert!(set.contains(&(field.clone() + ",")) || set.contains(&(field + " }")), "{name}: {set}");
        }
    }

    #[test]
    fn other_names_are_no_limits() {
        for name in ["", "Work", "work ", "patience", "default"] {
            assert_eq!(Limits::default().field_mut(name), None, "{name:?}");
        }
    }
}
